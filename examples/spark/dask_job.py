#!/usr/bin/env python3
"""Searches archives on Dask: one Parquet file per task. Run again, it continues.

usage: dask_job.py OUTPUT PATH...
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
