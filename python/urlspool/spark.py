"""A data source for Spark 4.1 and later.

>>> import urlspool.spark  # doctest: +SKIP
>>> urlspool.spark.register(spark)  # doctest: +SKIP
>>> urls = spark.read.format("urlspool").load("s3a://bucket/lists/")  # doctest: +SKIP

The options are those of `urlspool.manifest`, such as `size` and `since`. A partition is a task of the manifest. Only the
tasks of one mailbox stay together, so that its lines and messages are counted from its beginning. Each row is equal to
the row of a local search. `spark.readStream` reads an archive that grows (Spark 4.2).
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import re
import time
import types
import typing
import warnings
from collections.abc import Iterable, Iterator

import pyarrow
import pyarrow.compute
import pyspark
from pyspark.sql import SparkSession, datasource
from pyspark.sql.pandas.types import from_arrow_schema

import urlspool

from . import _streams

_Json = dict[str, typing.Any]
# The size and hash of a file, by its name.
_Offset = dict[str, str]
# How many bytes the hash of a file covers.
_HASHED = 1 << 16
# The options that are for listing files.
_LISTING = ("size", "follow", "shard")
_PROBLEMS = "task string, complete boolean, problem string"


def register(spark: SparkSession) -> None:
    """Registers the data source, and makes two settings of the session.

    Filters on `host` and `date` are passed to the search. Times in Parquet are microseconds: by default, Spark writes
    them in nanoseconds, which have no room for the year 3609 in the header of a spam.
    """
    _require("4.1", "Filter")
    spark.dataSource.register(Urls)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", True)
    spark.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")


class Urls(datasource.DataSource):
    @classmethod
    def name(cls) -> str:
        return "urlspool"

    def schema(self) -> typing.Any:
        if self.options.get("table") == "problems":
            return _PROBLEMS
        return from_arrow_schema(pyarrow.schema(urlspool.read(b"")))

    def reader(self, schema: typing.Any) -> Reader:
        return Reader(schema.names, dict(self.options))

    def streamReader(self, schema: typing.Any) -> StreamReader:
        _require("4.2", "ReadLimit")
        for name in ("check", "table"):
            if name in self.options:
                raise ValueError(f"a stream has no option {name!r}; use spark.read")
        return StreamReader(schema.names, dict(self.options))


class Reader(datasource.DataSourceReader):
    def __init__(self, names: list[str], options: dict[str, str]) -> None:
        self.names = names
        self.is_problems = options.pop("table", "urls") == "problems"
        path = options.pop("path", None)
        self.paths = json.loads(options.pop("paths", "[]")) + ([path] if path else [])
        flags = {"true": True, "false": False}
        self.options: dict[str, typing.Any] = {name: flags.get(value, value) for name, value in options.items()}

    def pushFilters(self, filters: list[datasource.Filter]) -> Iterable[datasource.Filter]:
        """Passes filters to the search, which then returns fewer rows. Spark checks these rows again."""
        for each in filters:
            hosts: tuple[typing.Any, ...] = ()
            match each:
                case datasource.EqualTo(("host",), value):
                    hosts = (value,)
                case datasource.In(("host",), values):
                    hosts = tuple(values)
                case datasource.GreaterThan(("date",), value) | datasource.GreaterThanOrEqual(("date",), value):
                    self.options.setdefault("since", value)
                case datasource.LessThan(("date",), value) | datasource.LessThanOrEqual(("date",), value):
                    self.options.setdefault("until", value)
            if hosts and all(re.fullmatch("[A-Za-z0-9-][A-Za-z0-9.-]*", str(host)) for host in hosts):
                self.options.setdefault("host", list(hosts))
        return filters

    def partitions(self) -> list[datasource.InputPartition]:
        listing = urlspool.manifest(self.paths, **self.options)
        # The ranges of a mailbox have the same file, and follow one another.
        groups = itertools.groupby(enumerate(listing), lambda task: _mailbox(task[1]) or task[0])
        partitions = [datasource.InputPartition([task for _, task in tasks]) for _, tasks in groups]
        if self.is_problems:
            partitions += [datasource.InputPartition(problem) for problem in listing.problems]
        return partitions

    def read(self, partition: datasource.InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if isinstance(partition.value, str):
            yield self._problems(None, False, [partition.value])
            return
        messages = lines = 0
        for task in partition.value:
            hits = urlspool.task(task)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if self.is_problems else "default", RuntimeWarning)
                try:
                    for batch in pyarrow.RecordBatchReader.from_stream(hits):
                        if not self.is_problems:
                            yield _moved(batch, messages, lines).select(self.names)
                except pyarrow.ArrowException:
                    if not self.is_problems:
                        raise
            totals = hits.totals or {"complete": False, "messages": 0, "lines": 0}
            if self.is_problems:
                yield self._problems(json.loads(task)["id"], totals["complete"], hits.problems)
            elif not totals["complete"]:
                raise OSError("\n".join(hits.problems))
            messages, lines = messages + totals["messages"], lines + totals["lines"]

    def _problems(self, task: str | None, is_complete: bool, problems: list[str]) -> pyarrow.RecordBatch:
        rows = [{"task": task, "complete": is_complete, "problem": problem} for problem in problems]
        types = {"task": pyarrow.string(), "complete": pyarrow.bool_(), "problem": pyarrow.string()}
        return pyarrow.RecordBatch.from_pylist(rows, schema=pyarrow.schema(types)).select(self.names)


class StreamReader(datasource.DataSourceStreamReader):
    """Reads new files, and the messages at the end of mailboxes that have grown.

    An offset has a mark for each file that was read: its size, and a hash of the bytes before its end. A file is first
    read when it was not changed for `settle` seconds, so that its last message is complete.
    """

    def __init__(self, names: list[str], options: dict[str, str]) -> None:
        self.settle = float(options.pop("settle", "10"))
        self.batch = Reader(names, options)

    def initialOffset(self) -> _Offset:
        return {}

    def latestOffset(self, start: _Offset, limit: datasource.ReadLimit) -> _Offset:
        settled = time.time() - self.settle
        latest = dict(start)
        for file in (file for about in self._tasks() for file in about["files"]):
            key, size = _key(file), file["size"]
            is_alone = file.get("message") or _streams.is_url(file.get("file", "://"))
            # For the URL of an object, which never has a part of its content, `mtime` is not a time.
            is_settled = _streams.is_url(file.get("file", "")) or file["mtime"] <= settled
            if (size or key in start) and size != _size(start.get(key)) and is_settled:
                # A file that is already gone is not read.
                with contextlib.suppress(FileNotFoundError):
                    latest[key] = str(size) if is_alone else _mark(file["file"], size)
        return latest

    def partitions(self, start: _Offset, end: _Offset) -> list[datasource.InputPartition]:
        changed = {key: mark for key, mark in end.items() if mark != start.get(key)}
        found: dict[typing.Any, None] = {}
        seen = set()
        for about in self._tasks():
            new = []
            for file in about["files"]:
                key = _key(file)
                if key not in changed:
                    continue
                seen.add(key)
                old, now = start.get(key), changed[key]
                if _size(old) < _size(now) and self._is_mailbox(file):
                    found[file["file"], old, now] = None
                elif old or file["size"] != _size(now):
                    raise OSError(f"{key}: it was changed after the query found it; only a mailbox (mbox) may grow")
                else:
                    new.append(file)
            if new:
                found[_streams.task({**about, "files": new})] = None
        for key in changed.keys() - seen:
            raise FileNotFoundError(f"{key}: it was deleted after the query found it, and before it was read")
        return [datasource.InputPartition(value if isinstance(value, tuple) else [value]) for value in found]

    def read(self, partition: datasource.InputPartition) -> Iterator[pyarrow.RecordBatch]:
        if not isinstance(partition.value, tuple):
            yield from self.batch.read(partition)
            return
        name, old, now = partition.value
        start, end = _size(old), _size(now)
        options = {option: value for option, value in self.batch.options.items() if option not in _LISTING}
        with open(name, "rb") as data:
            until = types.SimpleNamespace(read=lambda size: data.read(min(size, end - data.tell())))
            hits = urlspool.read(until, name, byte_range=(start, None), count_lines=True, **options)
            try:
                for batch in pyarrow.RecordBatchReader.from_stream(hits):
                    yield batch.select(self.batch.names)
            except pyarrow.ArrowException:
                raise OSError("\n".join(hits.problems)) from None
            data.seek(start)
            added = data.read(min(end - start, 1 << 16)).lstrip()
        if now != _mark(name, end) or old and old != _mark(name, start):
            raise OSError(f"{name}: it was changed before its old end; a mailbox may only grow")
        if old and added and not added.startswith(b"From "):
            raise OSError(f"{name}: its last message grew after it was read; set a longer time as `settle`")

    def _tasks(self) -> Iterator[_Json]:
        listing = urlspool.manifest(self.batch.paths, **self.batch.options)
        for task in listing:
            about = json.loads(task)
            if "repositories" in about:
                raise ValueError("a public-inbox cannot be read as a stream; use spark.read")
            yield {name: value for name, value in about.items() if name != "id"}
        if listing.problems:
            raise OSError("\n".join(listing.problems))

    def _is_mailbox(self, file: _Json) -> bool:
        if file.get("message") or "member" in file or _streams.is_url(file.get("file", "://")):
            return False
        return all(found["format"] == "mbox" and not found["codec"] for found in urlspool.files(file["file"]))


def _mark(path: str, size: int) -> str:
    """Returns the size, and a hash of the bytes directly before it."""
    with open(path, "rb") as file:
        file.seek(max(0, size - _HASHED))
        return f"{size} {hashlib.blake2b(file.read(min(size, _HASHED)), digest_size=8).hexdigest()}"


def _size(mark: str | None) -> int:
    return int(mark.split()[0]) if mark else 0


def _require(version: str, name: str) -> None:
    """Raises ImportError if the package pyspark is too old to have `name`."""
    if not hasattr(datasource, name):
        raise ImportError(f"this needs Spark {version} or later, and the package pyspark is {pyspark.__version__}")


def _key(file: _Json) -> str:
    """Returns the name of a file. A message of a Maildir keeps its name when it is moved or gets other flags."""
    name = str(file.get("file") or file["file_bytes"])
    return re.sub("/(new|cur)/([^/:]*)(:[^/]*)?$", r"/\2", name) if file.get("message") else name


def _mailbox(task: str) -> str | None:
    """Returns the file of a task that is a range of a mailbox."""
    about = json.loads(task)
    return json.dumps(about["files"]) if "message_range" in about else None


def _moved(batch: pyarrow.RecordBatch, messages: int, lines: int) -> pyarrow.RecordBatch:
    """Counts messages and lines from the beginning of the mailbox, and not of the range."""
    for name, count in (("message", messages), ("line", lines)):
        at = batch.schema.get_field_index(name)
        batch = batch.set_column(at, batch.schema.field(at), pyarrow.compute.add(batch.column(at), count))
    return batch
