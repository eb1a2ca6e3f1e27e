"""The package against the command and the corpus. `URLSPOOL` is the path of the command; without it, some tests are skipped."""

from __future__ import annotations

import doctest
import email
import email.policy
import json
import mailbox
import os
import pathlib
import pickle
import subprocess
import threading
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
import urlspool

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("URLSPOOL")
# More archives to compare, separated by colons.
ARCHIVES = [path for path in os.environ.get("URLSPOOL_ARCHIVES", "").split(":") if path] or ["corpus"]


@pytest.fixture(autouse=True)
def in_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def rows(*arguments: str) -> Iterator[dict[str, Any]]:
    if COMMAND is None:
        pytest.skip("URLSPOOL does not name the command")
    with subprocess.Popen([COMMAND, "--json", *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdout is not None
        yield from map(json.loads, run.stdout)


def test_examples() -> None:
    flags = doctest.ELLIPSIS
    failures, tests = doctest.testfile(str(ROOT / "python/README.md"), module_relative=False, optionflags=flags)
    assert failures == 0 and tests > 20
    failures, tests = doctest.testmod(urlspool, optionflags=flags)
    assert failures == 0 and tests >= 4


@pytest.mark.parametrize("archive", ARCHIVES)
def test_all_rows_equal_those_of_the_command(archive: str) -> None:
    number = 0
    hits = urlspool.paths(archive)
    for number, want in enumerate(rows(archive), 1):
        hit = next(hits)
        assert hit.asdict() == want
        for name, value in want.items():
            if not hasattr(hit, name) or name.endswith("_bytes") or want.get(f"{name}_bytes") or value is None:
                continue
            got = getattr(hit, name)
            if name == "date":
                got = got.strftime("%Y-%m-%dT%H:%M:%SZ")
            if name == "alternatives":
                got = [{"url": url, "url_bytes": None, "reason": reason} for url, reason in got]
            assert got == value, name
    assert next(hits, None) is None and number > 300


@pytest.mark.parametrize("archive", ARCHIVES)
def test_arrow_equals_the_command(archive: str) -> None:
    import pyarrow

    table = pyarrow.table(urlspool.paths(archive))
    want = list(rows(archive))
    assert table.num_rows == len(want)
    for got, row in zip(table.to_pylist(), want):
        if got["date"] is not None:
            got["date"] = got["date"].strftime("%Y-%m-%dT%H:%M:%SZ")
        assert got == row


def test_the_schema_is_that_of_parquet(tmp_path: pathlib.Path) -> None:
    import pyarrow.parquet

    if COMMAND is None or b"--parquet" not in subprocess.run([COMMAND, "--help"], stdout=subprocess.PIPE).stdout:
        pytest.skip("URLSPOOL does not name a command with --parquet")
    file = tmp_path / "urls.parquet"
    subprocess.run([COMMAND, "--parquet", str(file), "corpus"], stderr=subprocess.DEVNULL)
    table = pyarrow.table(urlspool.paths("corpus"))
    other = pyarrow.parquet.read_table(file)
    assert table.schema.equals(other.schema, check_metadata=False)
    assert table.to_pylist() == other.to_pylist()


def test_tables() -> None:
    import duckdb
    import pandas
    import polars
    import pyarrow

    count = len(list(urlspool.paths("corpus/mbox")))
    assert polars.DataFrame(urlspool.paths("corpus/mbox")).height == count
    assert len(pandas.DataFrame.from_arrow(urlspool.paths("corpus/mbox"))) == count
    hits = urlspool.paths("corpus/mbox")
    next(hits)
    assert pyarrow.table(hits).num_rows == count - 1
    with pytest.raises(ValueError, match="read already"):
        pyarrow.table(hits)
    reader = pyarrow.RecordBatchReader.from_stream(urlspool.paths("corpus/mbox"))
    counted = duckdb.sql("SELECT count(*) FROM reader")
    assert counted is not None and counted.fetchall() == [(count,)]
    # A stream that is dropped ends the search.
    del reader
    pyarrow.RecordBatchReader.from_stream(urlspool.paths("corpus")).close()


def test_text() -> None:
    text = "\N{SNOWMAN}\U0001f600 <URL:http://www.example.org/a-\n  b> \udce4 ftp://f.example/."
    links = urlspool.links(text)
    assert [link.url for link in links] == ["http://www.example.org/a-b", "ftp://f.example/"]
    assert [text[start:end] for link in links for start, end in link.pieces] == [
        "http://www.example.org/a-",
        "b",
        "ftp://f.example/",
    ]
    assert links[0].alternatives == [("http://www.example.org/ab", "hyphen")] and links[0].rejoined
    assert text[slice(*links[0].span)] == "http://www.example.org/a-\n  b"
    assert urlspool.urls("") == [] and urlspool.linkify("<&>") == "&lt;&amp;&gt;"
    assert urlspool.linkify("a http://b.example/\nc", lambda text, link: f"[{text}|{link.form}]") == (
        "a [http://b.example/|bare]\nc"
    )
    assert len({*links, *urlspool.links(text)}) == 2


def test_linkify_changes_no_text() -> None:
    for path in sorted(ROOT.glob("corpus/**/*")):
        if path.is_file():
            text = path.read_bytes().decode("latin-1")
            assert urlspool.linkify(text, lambda piece, _: piece) == text.replace("&", "&amp;").replace(
                "<", "&lt;"
            ).replace(">", "&gt;")


def test_messages_of_the_email_package() -> None:
    for path in sorted(ROOT.glob("corpus/mh/**/[0-9]*")) or [pytest.fail("no messages")]:
        mail = path.read_bytes()
        want = [hit.url for hit in urlspool.message(mail)]
        for policy in (email.policy.compat32, email.policy.default):
            assert urlspool.urls(email.message_from_bytes(mail, policy=policy)) == want
        assert urlspool.urls(memoryview(mail)) == want
    with pytest.raises(TypeError, match="for text, use urls"):
        urlspool.message("text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="use message"):
        urlspool.links(b"text")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not int"):
        urlspool.urls(1)  # type: ignore[arg-type]


def test_mailboxes(tmp_path: pathlib.Path) -> None:
    mail = b"From: a@b\nSubject: x\n\nhttp://a.example/\n"
    box = mailbox.mbox(tmp_path / "box")
    box.add(mail)
    folder = mailbox.Maildir(tmp_path / "maildir")
    folder.add(mail)
    for box_or_folder in (box, folder, tmp_path / "box", str(tmp_path / "maildir")):
        assert [hit.url for hit in urlspool.paths(box_or_folder)] == ["http://a.example/"]
    assert [message.subject for message in urlspool.messages(box, folder)] == ["x", "x"]
    data = (tmp_path / "box").read_bytes()
    hits = urlspool.read(data, "box")
    assert [(hit.url, hit.file) for hit in hits] == [("http://a.example/", "box")] and hits.problems == []


def test_bytes_that_are_not_utf8() -> None:
    hit = urlspool.message(b"Message-ID: <\xff@a>\n\nhttp://a.example/\n")[0]
    assert (hit.message_id, hit.message_id_bytes) == ("\udcff@a", b"\xff@a")
    assert hit.message_id is not None and hit.message_id.encode("utf-8", "surrogateescape") == hit.message_id_bytes
    assert hit.asdict()["message_id"] == "\ufffd@a" and hit.asdict()["message_id_bytes"] == "/0Bh"


def test_messages() -> None:
    numbers = 0
    for message in urlspool.messages("corpus/mbox"):
        numbers += 1
        parsed = email.message_from_bytes(bytes(message))
        assert (parsed["Message-ID"] or "").strip().strip("<>") == (message.message_id or ""), message
        assert message.file is not None and message.length > 0 and isinstance(message.text, str)
        assert [hit.url for hit in urlspool.message(bytes(message))] == [hit.url for hit in message.hits]
    assert numbers >= 7


def test_options() -> None:
    everything = list(urlspool.paths("corpus/mbox"))
    dates = sorted(hit.date for hit in everything if hit.date is not None)
    year = dates[len(dates) // 2]
    assert dates[0] < year <= datetime.now(timezone.utc)
    since = list(urlspool.paths("corpus/mbox", since=year))
    until = list(urlspool.paths("corpus/mbox", until=int(year.timestamp())))
    assert all(hit.date is not None and hit.date >= year for hit in since) and since
    assert all(hit.date is not None and hit.date < year for hit in until) and until
    assert list(urlspool.paths("corpus/mbox", threads=1)) == everything
    shards = [hit for number in (1, 2, 3) for hit in urlspool.paths("corpus/mbox", shard=(number, 3))]
    assert sorted(shards, key=lambda hit: (hit.file, hit.offset)) == sorted(
        everything, key=lambda hit: (hit.file, hit.offset)
    )
    table: list[tuple[dict[str, Any], str]] = [
        ({"shard": (4, 3)}, "the first must be 1 to 3"),
        ({"format": "mbx"}, "format='mbx'|format=\"mbx\""),
        ({"since": "yesterday"}, ""),
        ({"sinec": 1}, "unknown option"),
    ]
    for wrong, words in table:
        with pytest.raises((TypeError, ValueError, AttributeError), match=words):
            urlspool.paths("corpus", **wrong)
    with pytest.raises(ValueError):
        urlspool.Extractor(headers="some")


def test_an_extractor_is_a_value() -> None:
    extractor = urlspool.Extractor(rejoin=False, hyphen="drop", min_confidence=90, defanged=True, twins=False)
    again = pickle.loads(pickle.dumps(extractor))
    assert again == extractor != urlspool.Extractor() and type(again) is urlspool.Extractor
    assert repr(again) == repr(extractor) and eval(repr(extractor)) == extractor


def test_urls() -> None:
    url = urlspool.parse("HTTP://User:pw@www.Example.org:80/a/../b?c#d")
    assert (url.scheme, url.host, url.port, url.fragment) == ("http", "www.Example.org", 80, "d")
    assert url.domain == "Example.org" or url.domain == "example.org"
    assert str(url.join("e")) == "HTTP://User:pw@www.Example.org:80/e"
    assert len({url, urlspool.parse(str(url))}) == 1
    for wrong in ("", "http:", "no url", "http://a b/"):
        with pytest.raises(urlspool.InvalidUrl):
            urlspool.parse(wrong)


def test_problems_do_not_end_the_search(tmp_path: pathlib.Path) -> None:
    with urlspool.paths(tmp_path / "missing", "corpus/mbox") as hits:
        assert len(list(hits)) > 10
        assert len(hits.problems) == 1 and "missing" in hits.problems[0]
        files, messages, size = hits.progress
        assert files > 1 and messages >= 7 and size > 1000
    assert next(hits, None) is None


def test_a_search_can_be_closed(tmp_path: pathlib.Path) -> None:
    box = tmp_path / "box"
    box.write_bytes(b"From a@b Mon Jan  1 00:00:00 2001\nTo: a\n\nhttp://a.example/\n\n" * 200_000)
    with urlspool.paths(box) as hits:
        next(hits)
    _, messages, _ = hits.progress
    assert messages < 200_000 and next(hits, None) is None


def test_threads_share_an_iterator() -> None:
    want = len(list(urlspool.paths("corpus")))
    hits = urlspool.paths("corpus")
    found: list[urlspool.Hit] = []
    threads = [threading.Thread(target=lambda: found.extend(hits)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == want
