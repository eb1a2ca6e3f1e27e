#!/usr/bin/env python3
"""Searches archives on Dask, and writes all URLs as Parquet.

usage: dask_job.py OUTPUT PATH...

Divides the search into tasks of about 64 MiB with `urlspool.manifest`, and writes them to OUTPUT/manifest. Writes the
rows of each task to a file in the directory OUTPUT, with the totals of the task in the metadata. If a task is a range
of a mailbox, line and message numbers count from the first message of the task.

If the job is killed, or if a task was not completed, start the job again with the same OUTPUT. The job then runs only
the tasks whose file is not in OUTPUT. The exit status is 2 if a task was not completed.

Needs urlspool, dask and pyarrow.
"""

import pathlib
import sys

import dask.bag
import pyarrow
import pyarrow.parquet
import urlspool


def run(task, output):
    """Runs a task, unless its output file exists. Returns a list of the reasons why the task was not completed."""
    number, text = task
    path = pathlib.Path(output, f"{number}.parquet")
    if path.exists():
        return []
    hits = urlspool.task(text)
    rows = pyarrow.RecordBatchReader.from_stream(hits).read_all()
    if not hits.totals["complete"]:
        return [f"task {number}: {why}" for why in hits.problems]
    pyarrow.parquet.write_table(rows.replace_schema_metadata({"totals": repr(hits.totals)}), path.with_suffix(".new"))
    path.with_suffix(".new").rename(path)
    return []


def main():
    output, *paths = sys.argv[1:]
    manifest = pathlib.Path(output, "manifest")
    if not manifest.exists():
        manifest.parent.mkdir(parents=True, exist_ok=True)
        listing = urlspool.manifest(paths, 64 << 20)
        manifest.with_suffix(".new").write_text("".join(f"{task}\n" for task in listing))
        for problem in listing.problems:
            print(problem, file=sys.stderr)
        manifest.with_suffix(".new").rename(manifest)
    tasks = list(enumerate(manifest.read_text().splitlines()))
    found = dask.bag.from_sequence(tasks, npartitions=len(tasks)).map(run, output).compute(scheduler="processes")
    print(f"{sum(not why for why in found)} of {len(tasks)} tasks were completed", file=sys.stderr)
    for line in (line for why in found for line in why):
        print(line, file=sys.stderr)
    return 2 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
