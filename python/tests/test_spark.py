"""Tests the data source of Spark in local mode, and the lines for Dask and Ray in docs/scale.md."""

from __future__ import annotations

import gzip
import io
import json
import os
import pathlib
import re
import shutil
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
import urlspool

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("pyarrow.compute")
ROOT = pathlib.Path(__file__).resolve().parents[2]
MAIL = "From a@b Mon Jan  1 00:00:00 2001\nSubject: %d\nDate: 1 Jan %d 00:00:00 +0000\n\nhttp://h%d.example/ text\n\n"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql")
    if not shutil.which("java"):
        pytest.skip("Java is not installed")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # `local[2,4]` means two threads, and at most four attempts for each task.
    builder = sql.SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.session.timeZone", "UTC").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    __import__("urlspool.spark").spark.register(session)
    yield session
    session.stop()


@pytest.fixture
def archive(tmp_path: pathlib.Path) -> pathlib.Path:
    """Makes a large mailbox, a mailbox with the year 3609, and copies of the corpus in several containers."""
    top = tmp_path / "archive"
    for name in ("mail", "maildir", "mh", "rnews", "spool"):
        shutil.copytree(ROOT / "corpus" / name, top / name)
    for kind in ("zip", "tar", "gztar"):
        shutil.make_archive(str(top / f"{kind}-mh"), kind, ROOT / "corpus", "mh")
    (top / "large.mbox").write_text("".join(MAIL % (n, 1990 + n % 30, n % 7) for n in range(3000)))
    (top / "late.mbox").write_text(MAIL % (1, 3609, 1))
    return top


def ordered(table: Any) -> list[dict[str, Any]]:
    return sorted(table.to_pylist(), key=lambda row: (row["file"], row["member"] or "", row["offset"], row["url"], str(row)))


def test_rows_equal_a_local_search(spark: Any, archive: pathlib.Path, tmp_path: pathlib.Path) -> None:
    want = ordered(pyarrow.table(urlspool.paths(archive)))
    urls = spark.read.format("urlspool").option("size", "20K").load(str(archive))
    assert urls.rdd.getNumPartitions() > 5
    urls.write.option("compression", "zstd").parquet(str(tmp_path / "parquet"))
    written = parquet.read_table(tmp_path / "parquet")
    assert str(written.schema.field("date").type) == "timestamp[us, tz=UTC]"
    got = ordered(written)
    assert len(got) == len(want) > 3500 and got == want
    assert max(row["date"] for row in got if row["date"]).year == 3609
    # Columns and filters of the search.
    hosts = spark.read.format("urlspool").schema("url string, host string").load(str(archive))
    assert hosts.columns == ["url", "host"] and hosts.count() == len(want)
    some = urls.where("host = 'h3.example' AND date >= '2010-01-01' AND date < '2015-01-01'")
    begun, ended = (datetime(year, 1, 1, tzinfo=timezone.utc) for year in (2010, 2015))
    expected = [row for row in want if row["host"] == "h3.example" and row["date"] and begun <= row["date"] < ended]
    assert ordered(some.toArrow()) == expected and len(expected) > 50


def test_filters_become_options() -> None:
    datasource = pytest.importorskip("pyspark.sql.datasource")
    reader = __import__("urlspool.spark").spark.Reader([], {"path": "box", "defanged": "true"})
    time = datetime(2001, 1, 1)
    filters = [
        datasource.In(("host",), ("a.example", "b.example")),
        datasource.GreaterThan(("date",), time),
        datasource.LessThanOrEqual(("date",), time),
        datasource.EqualTo(("scheme",), "http"),
    ]
    assert reader.pushFilters(filters) == filters
    assert reader.options == {"defanged": True, "host": ["a.example", "b.example"], "since": time, "until": time}


def test_a_killed_worker_is_started_again(spark: Any, archive: pathlib.Path, tmp_path: pathlib.Path) -> None:
    mark = str(tmp_path / "mark")

    def die(rows: Any) -> Any:
        if not os.path.exists(mark):
            pathlib.Path(mark).touch()
            os._exit(9)
        return rows

    urls = spark.read.format("urlspool").option("size", "20K").load(str(archive))
    found = ordered(urls.mapInArrow(die, urls.schema).toArrow())
    assert os.path.exists(mark) and found == ordered(pyarrow.table(urlspool.paths(archive)))


def test_a_stream_reads_a_growing_archive_once(spark: Any, tmp_path: pathlib.Path) -> None:
    datasource = pytest.importorskip("pyspark.sql.datasource")
    if not hasattr(datasource, "ReadLimit"):
        pytest.skip("needs Spark 4.2")
    top = tmp_path / "archive"
    shutil.copytree(ROOT / "corpus/mh", top / "mh")
    for folder in ("cur", "new", "tmp"):
        (top / "maildir" / folder).mkdir(parents=True)
    box = top / "box"

    def grow(batch: int) -> None:
        with box.open("a") as mail:
            mail.write("".join(MAIL % (n, 1990, n) for n in range(batch * 100, batch * 100 + 100)))
        (top / f"{batch}.mbox.gz").write_bytes(gzip.compress((MAIL % (batch, 1990, batch)).encode()))
        (top / f"maildir/new/{batch}.a").write_text(f"Subject: x\n\nhttp://maildir.example/{batch}\n")
        if batch:
            (top / f"maildir/new/{batch - 1}.a").rename(top / f"maildir/cur/{batch - 1}.a:2,S")

    for batch in range(3):
        grow(batch)
        # Each run of the query begins at the checkpoint of the one before it.
        urls = spark.readStream.format("urlspool").option("settle", "0").option("size", "2K").load(str(top))
        query = urls.writeStream.format("parquet").option("compression", "zstd").option("path", str(tmp_path / "out"))
        query = query.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
        query.awaitTermination()
    got, want = parquet.read_table(tmp_path / "out"), pyarrow.table(urlspool.paths(top))
    got, want = (
        table.set_column(at, "file", pyarrow.compute.replace_substring_regex(table["file"], "/(cur|new)/([^:]*).*", r"/\2"))
        for table in (got, want)
        for at in [table.column_names.index("file")]
    )
    assert ordered(got) == ordered(want) and want.num_rows > 300
    # A mailbox that was just changed must wait, and a file of another format must not change.
    reader = __import__("urlspool.spark").spark.StreamReader([], {"path": str(top), "settle": "3600"})
    assert reader.latestOffset({str(box): "100 x"}, None)[str(box)] == "100 x"


def grow(box: pathlib.Path, text: str) -> None:
    with box.open("a") as mail:
        mail.write(text)


UNSEARCHED = "From a@b Mon Jan  1 00:00:00 2001\nSubject: x\nContent-Type: application/pdf\n\n%PDF-1.4 x\n\n"


@pytest.mark.parametrize(
    "change, want",
    [
        (lambda box: grow(box, MAIL % (9, 1990, 9)), ["http://h9.example/"]),
        (lambda box: grow(box, UNSEARCHED + MAIL % (9, 1990, 9)), ["http://h9.example/"]),
        (lambda box: grow(box, "\n"), []),
        (lambda box: grow(box, "\nmore\n"), "its last message grew after it was read"),
        (lambda box: box.write_text((MAIL % (9, 1990, 9)) * 3), "it was changed before its old end"),
        (lambda box: box.write_text(MAIL % (0, 1990, 0)), "it was changed after the query found it"),
        (lambda box: box.write_text(""), "it was changed after the query found it"),
        (lambda box: box.with_name("other.gz").write_bytes(b"x"), "other.gz: it was changed after the query found it"),
    ],
)
def test_a_change_is_read_or_is_an_error(tmp_path: pathlib.Path, change: Any, want: Any) -> None:
    reader = stream(tmp_path)
    box = tmp_path / "box"
    grow(box, MAIL % (0, 1990, 0) + MAIL % (1, 1990, 1))
    box.with_name("other.gz").write_bytes(gzip.compress(box.read_bytes()))
    first = reader.latestOffset({}, None)
    assert urls(reader, {}, first) == ["http://h0.example/", "http://h1.example/"] * 2
    change(box)
    second = {**first, **reader.latestOffset(first, None)}
    if isinstance(want, list):
        assert urls(reader, first, second) == want
    else:
        with pytest.raises(OSError, match=want):
            urls(reader, first, second)


def stream(top: pathlib.Path) -> Any:
    module = pytest.importorskip("urlspool.spark")
    return module.StreamReader(["url"], {"path": str(top), "settle": "0"})


def urls(reader: Any, start: dict[str, str], end: dict[str, str]) -> list[str]:
    return [url for part in reader.partitions(start, end) for batch in reader.read(part) for url in batch["url"].to_pylist()]


class BadDisk(io.FileIO):
    def read(self, size: int | None = -1) -> bytes:
        raise OSError("bad disk")


def test_a_file_that_was_planned_must_be_readable(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader, box = stream(tmp_path), tmp_path / "box"
    grow(box, MAIL % (0, 1990, 0))
    end = reader.latestOffset({}, None)
    with monkeypatch.context() as patched, pytest.raises(OSError, match="box: cannot be read to its end: OSError: bad disk"):
        patched.setattr(sys.modules["urlspool.spark"], "open", BadDisk, raising=False)
        urls(reader, {}, end)
    box.unlink()
    with pytest.raises(FileNotFoundError, match="box: it was deleted after the query found it"):
        reader.partitions({}, end)


def test_what_a_stream_cannot_do(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = pytest.importorskip("urlspool.spark")
    for name in ("check", "table"):
        with pytest.raises(ValueError, match=f"^a stream has no option '{name}'; use spark.read"):
            module.Urls({name: "size"}).streamReader(None)
    (tmp_path / "gone").symlink_to(tmp_path / "missing")
    with pytest.raises(OSError, match="gone"), pytest.warns(RuntimeWarning):
        module.StreamReader([], {"path": str(tmp_path / "gone")}).latestOffset({}, None)
    monkeypatch.delattr(module.datasource, "ReadLimit")
    with pytest.raises(ImportError, match="^this needs Spark 4.2 or later, and the package pyspark is "):
        module.Urls({}).streamReader(None)


def test_problems_are_a_table_and_changed_files_fail(spark: Any, archive: pathlib.Path) -> None:
    (archive / "cut.tar.gz").write_bytes((archive / "gztar-mh.tar.gz").read_bytes()[:-30])
    (archive / "gone").symlink_to(archive / "missing")
    paths = json.dumps([str(archive), str(archive / "gone")])
    problems = spark.read.format("urlspool").option("table", "problems").option("paths", paths).load()
    table = problems.toArrow().to_pylist()
    assert any("cut.tar.gz" in row["problem"] and row["complete"] for row in table)
    assert any("gone" in row["problem"] and not row["complete"] for row in table)
    with pytest.raises(Exception, match="No such file"):
        spark.read.format("urlspool").load(str(archive / "nope")).count()


@pytest.mark.parametrize("package", ["dask.bag", "ray.data"])
def test_the_lines_of_the_documentation(package: str, archive: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(package)
    monkeypatch.chdir(archive.parent)
    page = (ROOT / "docs/scale.md").read_text()
    [block] = [block for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S) if f"import {package}" in block]
    names: dict[str, Any] = {}
    exec(block.replace('"64M"', '"20K"'), names)
    got = [url for url in names["urls"]]
    assert sorted(got) == sorted(hit.url for hit in urlspool.paths("archive/"))
