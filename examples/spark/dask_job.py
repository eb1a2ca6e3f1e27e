#!/usr/bin/env python3
"""Searches archives on Dask, and writes all URLs as Parquet.

usage: dask_job.py OUTPUT PATH...

Divides the search into tasks of about 64 MiB with `urlspool.manifest`. Writes the rows of each task to a file in the
directory OUTPUT, with the totals of the task in the metadata. If a task was not completed, its totals have `complete`
False. In a range of a mailbox, numbers of lines and messages count from the first message of the task.

If the job is killed, start it again with the same arguments and the same archives. It skips the tasks that have a file.
Needs urlspool, dask and pyarrow.
"""

import pathlib
import sys

import dask.bag
import pyarrow
import pyarrow.parquet
import urlspool


def run(task, output):
    number, text = task
    path = pathlib.Path(output, f"{number}.parquet")
    if not path.exists():
        hits = urlspool.task(text)
        rows = pyarrow.RecordBatchReader.from_stream(hits).read_all()
        pyarrow.parquet.write_table(rows.replace_schema_metadata({"totals": repr(hits.totals)}), path.with_suffix(".new"))
        path.with_suffix(".new").rename(path)
    return number


if __name__ == "__main__":
    output, *paths = sys.argv[1:]
    pathlib.Path(output).mkdir(parents=True, exist_ok=True)
    tasks = list(enumerate(urlspool.manifest(paths, 64 << 20)))
    done = dask.bag.from_sequence(tasks, npartitions=len(tasks)).map(run, output).compute(scheduler="processes")
    print(len(done), "tasks", file=sys.stderr)
