#!/usr/bin/env python3
"""Tests job.py with Spark in local mode. Kills the job, starts it again, and compares its rows with the command's rows.
Then tests dask_job.py.

usage: test.py URLSPOOL [--size BYTES] [--wave TASKS] [PATH...]

URLSPOOL is the path of the command. The command must be built with the feature `parquet`. If no PATH is given, the test
searches folders of the corpus. Needs urlspool, pyspark, dask and Java.
"""

import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import pyarrow
import pyarrow.compute
import pyarrow.dataset
import pyarrow.parquet

HERE = pathlib.Path(__file__).resolve().parent
CORPUS = HERE.parent.parent / "corpus"

# Replaces `urlspool.task` by a function that ends its process, instead of running the task, in three cases:
# - for the first task of once.mbox that is run, and only once;
# - for each task of always.mbox, each time;
# - for the second task of half.mbox, each time.
DIES = """
import os, pathlib, urlspool
run = urlspool.task
def task(text):
    mark = pathlib.Path(__file__).with_name("died")
    if "once.mbox" in text and not mark.exists():
        mark.touch()
        os._exit(9)
    if "always.mbox" in text or "half.mbox" in text and "[1000," in text:
        os._exit(9)
    return run(text)
urlspool.task = task
"""


def start(output, paths, size, wave, **env):
    # `local[2,4]` means two threads, and at most four attempts for each task.
    env = {**os.environ, "PYSPARK_SUBMIT_ARGS": "--master local[2,4] --driver-memory 3g pyspark-shell", **env}
    arguments = [sys.executable, HERE / "job.py", "--size", str(size), "--wave", str(wave), output, *paths]
    with open(f"{output}.log", "ab") as log:
        return subprocess.Popen(arguments, env=env, stdout=log, stderr=log, start_new_session=True)


def rows(output):
    """Returns the rows of a job in the order in which the command prints them."""
    partitions = pyarrow.dataset.partitioning(flavor="hive")
    table = pyarrow.dataset.dataset(output / "urls", format="parquet", partitioning=partitions).to_table()
    return table.sort_by([("task", "ascending"), ("row", "ascending")])


def compare(got, want):
    assert got.num_rows == want.num_rows, (got.num_rows, want.num_rows)
    for field in want.schema:
        have, wanted = (column.combine_chunks() for column in (got[field.name].cast(field.type), want[field.name]))
        if not have.equals(wanted):
            at = next(i for i in range(len(have)) if have[i] != wanted[i])
            raise AssertionError(f"{field.name} of row {at}: {have[at]} instead of {wanted[at]} in {want.slice(at, 1).to_pylist()}")
    years = got["year"].cast(pyarrow.int32()).to_pylist()
    assert years == [date and date.year for date in got["date"].to_pylist()]
    return got.num_rows


def killed(scratch, command, paths, size, wave):
    """Kills the job after its first wave, and starts it again."""
    subprocess.run([command, "--parquet", scratch / "whole.parquet", *paths], stderr=subprocess.DEVNULL)
    want = pyarrow.parquet.read_table(scratch / "whole.parquet")
    output = scratch / "killed"
    first = output / "waves" / "0" / "_SUCCESS"
    job = start(output, paths, size, wave)
    while not first.exists():
        assert job.poll() is None, pathlib.Path(f"{output}.log").read_text()[-3000:]
        time.sleep(0.1)
    os.killpg(job.pid, signal.SIGKILL)
    job.wait()
    assert not (output / "urls").exists(), "the job was not killed in time"
    begun, when = time.monotonic(), first.stat().st_mtime_ns
    status = start(output, paths, size, wave).wait()
    assert status == 0, (status, pathlib.Path(f"{output}.log").read_text()[-3000:])
    assert first.stat().st_mtime_ns == when, "the first wave was run again"
    tasks = len((output / "manifest").read_text().splitlines())
    count = compare(rows(output), want)
    print(f"spark: {count} rows of {tasks} tasks equal the command's; killed once; the rest took {time.monotonic() - begun:.0f} s")


def failing(scratch, command):
    """Runs tasks that end their process once or always, and tasks whose file has changed."""
    mailbox = (CORPUS / "mbox" / "small.mbox").read_bytes()
    paths = [scratch / name for name in ("always.mbox", "changed.mbox", "half.mbox", "once.mbox")]
    for path in paths:
        path.write_bytes(mailbox)
    python = scratch / "python"
    python.mkdir()
    (python / "sitecustomize.py").write_text(DIES)
    output = scratch / "failing"
    output.mkdir()
    with open(output / "manifest", "wb") as manifest:
        subprocess.run([command, "tasks", "plan", "--size", "1000", *paths], stdout=manifest, check=True)
    paths[1].write_bytes(mailbox[:-1])
    status = start(output, paths, 1000, 100, PYTHONPATH=str(python)).wait()
    log = pathlib.Path(f"{output}.log").read_text()
    assert status == 2, (status, log[-3000:])
    failures = [json.loads(line) for file in (output / "failures").glob("*.json") for line in file.read_text().splitlines()]
    names = sorted({json.loads(failure["text"])["files"][0]["file"] for failure in failures})
    assert names == [str(path) for path in paths[:3]], failures
    assert all(failure["why"] for failure in failures), failures
    got = rows(output)
    is_half = pyarrow.compute.equal(got["file"], str(paths[2]))
    half = got.filter(is_half).to_pylist()
    assert {row["message"] is None for row in half} == {False, True}, half
    for row in half:
        is_late = row["offset"] >= 2000
        assert (row["message"] is None) == (row["line"] is None) == is_late, row
    subprocess.run([command, "--parquet", scratch / "once.parquet", paths[3]], check=True)
    count = compare(got.filter(pyarrow.compute.invert(is_half)), pyarrow.parquet.read_table(scratch / "once.parquet"))
    print(f"spark: {len(failures)} tasks failed as they should; the other {count + len(half)} rows are right")


def dask(scratch, command, paths):
    """Runs dask_job.py, also after an output file was deleted, and with a task that cannot be completed."""
    mailbox = scratch / "dask.mbox"
    mailbox.write_bytes((CORPUS / "mbox" / "small.mbox").read_bytes())
    paths = [*paths, mailbox]
    output = scratch / "dask"
    run = lambda: subprocess.run([sys.executable, HERE / "dask_job.py", output, *paths], stderr=subprocess.PIPE, text=True)
    found = run()
    assert found.returncode == 0, found
    files = sorted(output.glob("*.parquet"), key=lambda file: int(file.stem))
    got = pyarrow.concat_tables(pyarrow.parquet.read_table(file).replace_schema_metadata() for file in files)
    subprocess.run([command, "--parquet", scratch / "dask.whole", *paths], stderr=subprocess.DEVNULL)
    want = pyarrow.parquet.read_table(scratch / "dask.whole", columns=["url", "file", "offset"])
    assert got.select(["url", "file", "offset"]).to_pylist() == want.to_pylist()
    last = pyarrow.parquet.read_table(files[-1])
    files[-1].unlink()
    assert run().returncode == 0 and pyarrow.parquet.read_table(files[-1]).equals(last)
    files[-1].unlink()
    mailbox.write_bytes(b"")
    found = run()
    assert found.returncode == 2 and str(mailbox) in found.stderr and not files[-1].exists(), found
    print(f"dask: {got.num_rows} rows equal the command's")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("command", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=20_000)
    parser.add_argument("--wave", type=int, default=20)
    parser.add_argument("paths", nargs="*", default=[str(CORPUS / name) for name in ("mbox", "mail", "maildir", "mh", "rnews")])
    args = parser.parse_intermixed_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="urlspool-spark-"))
    try:
        killed(scratch, args.command.resolve(), args.paths, args.size, args.wave)
        failing(scratch, args.command.resolve())
        dask(scratch, args.command.resolve(), args.paths)
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
