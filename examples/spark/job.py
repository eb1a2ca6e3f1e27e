#!/usr/bin/env python3
"""Searches archives on Spark, and writes all URLs as Parquet.

usage: job.py [--size BYTES] [--wave TASKS] OUTPUT PATH...

Divides the search into tasks with `urlspool.manifest`, and runs them in groups of TASKS tasks, called waves. If the job
is killed, start it again with the same arguments. The job then skips the waves that are complete. The directory OUTPUT
gets these files and directories:

    manifest        the tasks, one per line
    waves/N         the rows of wave N
    urls/year=Y     the rows of complete tasks, from messages that were sent in the year Y. Line and message
                    numbers count from the beginning of the file
    failures        the tasks that were not completed, with the reason

A task can be a range of a mailbox. If such a task was not completed, the job does not know how many lines and messages
the range has. Therefore, `line` and `message` are null in the rows of later ranges of the same mailbox.

Needs urlspool and pyspark. Every machine must have PATH and OUTPUT under the same names. The exit status is 2 if a task
was not completed.
"""

import argparse
import json
import os
import pathlib
import sys

import pyarrow
import urlspool
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession, Window, functions as F
from pyspark.sql.pandas.types import from_arrow_schema

# Besides the columns of a URL, a row has the number of its task, and its own number in that task. The totals of a task
# are in a separate row.
EXTRA = [("task", pyarrow.int64()), ("row", pyarrow.int64()), ("totals", pyarrow.string())]
SCHEMA = pyarrow.schema([*pyarrow.schema(urlspool.read(b"")), *(pyarrow.field(*field) for field in EXTRA)])


def run(batches):
    """Runs each task, and yields its rows and its totals."""
    for batch in batches:
        for number, task in zip(*(column.to_pylist() for column in batch.columns)):
            count = 0
            try:
                hits = urlspool.task(task)
                for rows in pyarrow.RecordBatchReader.from_stream(hits):
                    numbers = range(count, count + len(rows))
                    extra = {"task": [number] * len(rows), "row": numbers, "totals": [None] * len(rows)}
                    arrays = [pyarrow.array(values, SCHEMA.field(name).type) for name, values in extra.items()]
                    yield pyarrow.RecordBatch.from_arrays([*rows.columns, *arrays], schema=SCHEMA)
                    count += len(rows)
                totals = {**hits.totals, "why": hits.problems}
            except (OSError, RuntimeError, ValueError) as why:
                totals = {"complete": False, "why": [str(why)]}
            yield pyarrow.RecordBatch.from_pylist([{"task": number, "totals": json.dumps(totals)}], schema=SCHEMA)


def wave(spark, tasks, directory):
    """Runs the tasks, and writes their rows. `tasks` is a list of pairs: the number of a task, and the task."""
    # Each task is a partition of its own. If the process of a task ends, Spark runs the task again, up to
    # spark.task.maxFailures times.
    tasks = spark.sparkContext.parallelize(tasks, len(tasks)).toDF("task long, text string")
    tasks.mapInArrow(run, from_arrow_schema(SCHEMA)).write.mode("overwrite").parquet(str(directory))


def alone(spark, tasks, directory):
    """Runs the tasks of a failed wave one by one. If a task ends its process, the other tasks do not fail with it.

    For each task that fails, writes a row that reports the task as not completed.
    """
    for number, task in tasks:
        part = directory / f"task={number}"
        try:
            wave(spark, [(number, task)], part)
        except (PySparkException, Py4JError) as error:
            why = f"Spark could not run it: {error}"
            row = {"task": number, "totals": json.dumps({"complete": False, "why": [why]})}
            table = pyarrow.Table.from_pylist([row], schema=SCHEMA)
            spark.createDataFrame(table).write.mode("overwrite").parquet(str(part))
    # This file marks the wave as complete. Spark itself writes this file only after a wave without failures.
    (directory / "_SUCCESS").touch()


def join(spark, tasks, output):
    """Writes the rows of all waves, with line and message numbers that count from the beginning of the file.

    Returns the number of tasks that were not completed.
    """
    found = spark.read.schema(from_arrow_schema(SCHEMA)).option("recursiveFileLookup", True).parquet(f"{output}/waves")
    totals = from_arrow_schema(pyarrow.schema([
        ("complete", pyarrow.bool_()), ("messages", pyarrow.int64()), ("lines", pyarrow.int64()),
        ("why", pyarrow.list_(pyarrow.string())),
    ]))
    ended = found.where("totals IS NOT NULL").select("task", F.from_json("totals", totals).alias("totals"))
    ended = ended.select("task", "totals.*")
    # In the rows of a range of a mailbox, line and message numbers count from the first message of the range. To
    # convert them to numbers in the whole mailbox, add the number of lines or messages in all earlier ranges. The tasks
    # of a mailbox are in the order of their ranges.
    parsed = ((number, json.loads(task)) for number, task in tasks)
    ranges = [(number, task["id"], task["files"][0].get("file") or task["files"][0]["file_bytes"])
              for number, task in parsed if "message_range" in task]
    ranges = spark.createDataFrame(ranges, "task long, id string, mailbox string")
    earlier = Window.partitionBy("mailbox").orderBy("task").rowsBetween(Window.unboundedPreceding, -1)
    before = ended.join(ranges, "task").select(
        "task", F.sum("messages").over(earlier).alias("messages"), F.sum("lines").over(earlier).alias("lines"),
        F.max(~F.col("complete")).over(earlier).alias("unknown"))
    rows = found.where("totals IS NULL").join(F.broadcast(ended.where("complete").select("task")), "task")
    rows = rows.join(F.broadcast(before), "task", "left")
    # `unknown` is null if the task is not a range of a mailbox, or if it is the first range.
    is_known = ~F.coalesce("unknown", F.lit(False))
    rows = rows.withColumns({
        "message": F.when(is_known, F.col("message") + F.coalesce("messages", F.lit(0))),
        "line": F.when(is_known, F.col("line") + F.coalesce("lines", F.lit(0))),
        "year": F.year("date"),
    }).drop("messages", "lines", "totals", "unknown")
    rows.write.mode("overwrite").partitionBy("year").parquet(f"{output}/urls")
    failures = ended.where("NOT complete").select("task", "why").join(
        spark.createDataFrame(tasks, "task long, text string"), "task")
    failures.write.mode("overwrite").json(f"{output}/failures")
    return ended.where("NOT complete").count()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=64 << 20)
    parser.add_argument("--wave", type=int, default=1000)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("paths", nargs="+")
    args = parser.parse_args()
    manifest = args.output / "manifest"
    if not manifest.exists():
        args.output.mkdir(parents=True, exist_ok=True)
        listing = urlspool.manifest(args.paths, args.size)
        new = manifest.with_suffix(".new")
        new.write_text("".join(f"{task}\n" for task in listing))
        for problem in listing.problems:
            print(problem, file=sys.stderr)
        new.rename(manifest)
    tasks = list(enumerate(manifest.read_text().splitlines()))
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.appName("urlspool").config("spark.sql.session.timeZone", "UTC")
    spark = builder.config("spark.sql.parquet.compression.codec", "zstd").getOrCreate()
    for start in range(0, len(tasks), args.wave):
        directory = args.output / "waves" / str(start // args.wave)
        if (directory / "_SUCCESS").exists():
            continue
        part = tasks[start : start + args.wave]
        try:
            wave(spark, part, directory)
        except (PySparkException, Py4JError):
            alone(spark, part, directory)
        print(f"{start + len(part)} of {len(tasks)} tasks", file=sys.stderr, flush=True)
    failed = join(spark, tasks, args.output)
    if failed:
        print(f"{failed} of {len(tasks)} tasks were not completed: see {args.output}/failures", file=sys.stderr)
    return 2 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
