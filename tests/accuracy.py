#!/usr/bin/env python3
"""Runs `lock`, `fetch` and `score` of benches/accuracy on a mirror of repositories that it makes. Needs git.

usage: tests/accuracy.py
"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPTS = pathlib.Path(__file__).resolve().parent.parent / "benches/accuracy"
PLAIN = b"Subject: one\n\nSee http://a.example/x\ny and http://b.example/ now\n"
FIRST = b"From a\nSubject: two\n\nhttp://c.example/\n"
SECOND = b"From b\nSubject: three\n\nNo link, perhaps http://d.example/\n"

# What README.md says about locks, with the hashes computed by sha256sum and the labels locked by another program.
PLAIN_CHECK = "49acd4731b95ba0c9bbc6fa342bcc681ce9ed24b52d287b9790b155b1e605193"
PLAIN_LABELS = (
    "hX9YafSFMjQoe42ySnTA3zKnNA1lH8mEkoC6H4zPG06OVvve9LPG6O7MIQBpmXO0uUX5Qd0RuTAd5ygH"
    "4mzZZ18nF9/fRg=="
)

FINDER = ["grep", "-aoE", "http://[^[:space:]]+"]


def run(*command, status=0, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == status, f"{command}: {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout, done.stderr


def repository(path, files, **options):
    """Makes a repository whose first commit has the files. The last commit has no files. Returns the first commit."""
    git = ["git", "-C", path, "-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    path.mkdir(parents=True)
    run(*git, "init", "--quiet")
    for name, content in files.items():
        (path / name).write_bytes(content)
    run(*git, "add", ".")
    run(*git, "commit", "--quiet", "-m", "files")
    commit = run(*git, "rev-parse", "HEAD")[0].strip()
    run(*git, "rm", "--quiet", *files)
    run(*git, "commit", "--quiet", "-m", "nothing")
    for option, value in options.items():
        run(*git, "config", option.replace("_", "."), value)
    return commit


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def main(top):
    mirror, out = top / "mirror", top / "out"
    # The second repository sends only the objects that are asked for, as GitHub does.
    plain = repository(mirror / "ann/mail", {"one.eml": PLAIN})
    packed = repository(mirror / "bob/list", {"1998.gz": gzip.compress(FIRST + SECOND)}, uploadpack_allowFilter="true")
    (mirror / "bob/list").rename(mirror / "bob/list.git")

    one = {"id": "one", "stratum": "broken", "repository": "ann/mail", "commit": plain, "path": "one.eml"}
    two = {"id": "two", "stratum": "list", "repository": "bob/list", "commit": packed, "path": "1998.gz", "gzip": True}
    three = {**two, "id": "three", "range": [len(FIRST), len(FIRST + SECOND)]}
    two["range"] = [0, len(FIRST)]
    one_urls = {"urls": [{"url": "http://a.example/xy", "broken": True}, {"url": "http://b.example/"}]}
    two_urls = {"urls": [{"url": "http://c.example/"}]}
    three_urls = {"urls": [], "either": ["http://d.example/"]}

    write(top / "new.jsonl", [{**one, **one_urls}, {**two, **two_urls}, {**three, **three_urls}])
    rows = [json.loads(line) for line in run(SCRIPTS / "lock", "--from", mirror, top / "new.jsonl")[0].splitlines()]
    assert [row["id"] for row in rows] == ["one", "two", "three"], rows
    assert rows[0]["check"] == PLAIN_CHECK, rows[0]
    rows[0]["labels"] = PLAIN_LABELS
    assert "example/" not in json.dumps(rows), rows

    # Three rows whose messages cannot be had.
    other = {**rows[0], "id": "other", "check": "0" * 64}
    path = {**rows[0], "id": "path", "path": "two.eml"}
    gone = {**rows[0], "id": "gone", "repository": "ann/gone"}
    write(top / "rows.jsonl", [gone, other, path, *rows])
    fetch = [SCRIPTS / "fetch", "--from", mirror, "--rows", top / "rows.jsonl", out]
    for _ in range(2):
        printed, problems = run(*fetch, status=1)
        assert printed == "3 of 6 messages\n", printed
        reasons = dict(line.removeprefix("fetch: ").split(": ", 1) for line in problems.splitlines())
        assert set(reasons) == {"other", "path", "gone"}, problems
        assert reasons["other"] == "ann/mail, one.eml: is not the labelled message", problems
    messages = {path.name: path.read_bytes() for path in (out / "messages").iterdir()}
    assert messages == {"one": PLAIN, "two": FIRST, "three": SECOND}, messages
    labels = [json.loads(line) for line in (out / "labels.jsonl").read_text().splitlines()]
    assert labels == [
        {"id": "one", "stratum": "broken", **one_urls},
        {"id": "two", "stratum": "list", **two_urls},
        {"id": "three", "stratum": "list", **three_urls},
    ], labels

    write(top / "rows.jsonl", rows)
    assert run(*fetch) == ("3 of 3 messages\n", "")

    # The finder finds `http://a.example/x` instead of the URL that is broken over two lines.
    table, problems = run(SCRIPTS / "score", "--show", "9", out, *FINDER)
    assert problems == "", problems
    assert table.splitlines() == [
        "one",
        "  + http://a.example/x",
        "  - http://a.example/xy",
        "| tool | F1 | interval | broken URLs right | messages without an error |",
        "|---|---:|---:|---:|---:|",
        "| grep | 0.667 | 0.500 to 1.000 | 0 of 1 | 2 of 3 |",
        "| … broken | 0.500 | 0.500 to 0.500 | 0 of 1 | 0 of 1 |",
        "| … list | 1.000 | 1.000 to 1.000 | 0 of 0 | 2 of 2 |",
    ], table
    # A tool that fails is reported for each message.
    _, problems = run(SCRIPTS / "score", out, "sh", "-c", "exit 3")
    assert problems.count("exit status 3") == 3, problems
    _, problems = run(SCRIPTS / "score", out, "no-such-tool", status=1)
    assert "no-such-tool" in problems, problems
    # The tools that are not installed are named, and Python is installed.
    table, problems = run(sys.executable, SCRIPTS / "score", out, env={**os.environ, "PATH": str(top)})
    assert [line.split(" (")[0] for line in table.splitlines()[2:]] == ["| Python's email, then a regex"], table
    assert len(problems.splitlines()) == 4 and "urlscan: is not installed" in problems, problems


with tempfile.TemporaryDirectory() as top:
    main(pathlib.Path(top))
