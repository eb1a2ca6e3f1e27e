#!/usr/bin/env python3
"""Loads the output of urlspool into the programs of docs/data.md with the code of that page, and compares the values.

usage: tests/data_tools.py URLSPOOL [ARCHIVE...]

Without ARCHIVE, the corpus is searched several times, so that the output has at least 20,000 rows. The last rows have
values that are not UTF-8, and a value of `part` that looks like a number. Spark (with Java), datasets, chdb, R with
jsonlite, Miller, sqlite-utils and the shell of SQLite are tested if they are installed. The script needs duckdb, pandas,
polars and pyarrow from PyPI; .ci/run installs them.
"""
import collections, importlib, json, math, os, pathlib, re, shutil, sqlite3, subprocess, sys, tempfile, time

import duckdb, pandas, polars, pyarrow.ipc, pyarrow.json, pyarrow.parquet


def optional(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


os.environ["HF_HUB_OFFLINE"] = "1"
datasets, chdb = optional("datasets"), optional("chdb")

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROWS = 20_000
# In CSV, an apostrophe is put before text that begins with one of these characters.
FORMULAS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
ODD = b"""\
From: =?iso-8859-1?q?J=F6rg?= <j@example.org>
Subject: 1.10
Message-ID: <\xff1@example.org>
Newsgroups: a\\tb\tc
List-Id: <\xfe.example.org>
Date: Mon, 5 Jan 1998 12:00:00 +0200
Content-Type: multipart/mixed; boundary=x

""" + b"--x\nContent-Type: text/plain\n\nnone\n" * 9 + b"--x\n\nhttp://part-ten.example/#2004-03-08\n--x--\n"


def rows_of(command, archive):
    """Returns the objects that --json prints, which are the expected values."""
    lines = subprocess.run([command, "--json", *archive], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return [json.loads(line) for line in lines.splitlines()]


def plain(value):
    """Converts a value of a table to its form in JSON."""
    if isinstance(value, float) and math.isnan(value) or value is pandas.NA or value is pandas.NaT:
        return None
    if hasattr(value, "strftime"):
        return value.strftime("%Y-%m-%dT%H:%M:%SZ")
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def in_table(value):
    """Converts a value of JSON to its form in CSV."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return " ".join(item["url"] if isinstance(item, dict) else item for item in value)
    text = str(value)
    return "'" + text if isinstance(value, str) and text.startswith(FORMULAS) else text


def spark_session():
    """Returns a Spark session in this process, or None if pyspark or Java is missing."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        return None
    if not shutil.which("java"):
        return None
    builder = SparkSession.builder.master("local[2]").config("spark.driver.memory", "3g")
    builder = builder.config("spark.driver.maxResultSize", "2g").config("spark.sql.session.timeZone", "UTC")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def table_of(urls):
    """Returns a dictionary from column names to lists of values."""
    if isinstance(urls, duckdb.DuckDBPyRelation):
        urls = urls.to_arrow_table()
        return {name: urls[name].to_pylist() for name in urls.column_names}
    if isinstance(urls, polars.DataFrame):
        return {name: urls[name].to_list() for name in urls.columns}
    if isinstance(urls, pandas.DataFrame):
        return {name: urls[name].tolist() for name in urls.columns}
    if hasattr(urls, "toArrow"):
        urls = urls.toArrow()
    if hasattr(urls, "with_format"):
        urls = urls.with_format("arrow")[:]
    if hasattr(urls, "to_pylist"):
        return {name: urls[name].to_pylist() for name in urls.column_names}
    raise SystemExit(f"{type(urls)} is not a table")


def without_null(value):
    """Returns a value of JSON without nulls, and without empty lists and objects."""
    if isinstance(value, dict):
        plain = {key: without_null(item) for key, item in value.items()}
        return {key: item for key, item in plain.items() if item is not None and item != [] and item != {}}
    return [without_null(item) for item in value] if isinstance(value, list) else value


def compare(name, table, rows, is_typed):
    assert set(table) == set(rows[0]), f"{name}: {set(table) ^ set(rows[0])}"
    for column, values in table.items():
        assert len(values) == len(rows), f"{name}: {len(values)} rows in place of {len(rows)}"
        for row, got in zip(rows, values):
            want, got = row[column], plain(got)
            if "chdb" in name:
                # A list in ClickHouse can be empty, but not null.
                want, got = (None if value == [] else value for value in (want, got))
            if not is_typed:
                want, got = in_table(want), "" if got is None else got
            assert got == want and type(got) is type(want), f"{name}: {column}: {got!r} in place of {want!r}"


def main():
    command = os.path.abspath(sys.argv[1])
    archive = [os.path.abspath(path) for path in sys.argv[2:]]
    page = (ROOT / "docs/data.md").read_text()
    with tempfile.TemporaryDirectory() as top:
        os.chdir(top)
        os.symlink(command, "urlspool")
        os.environ["PATH"] = f"{top}:{os.environ['PATH']}"
        pathlib.Path("odd.eml").write_bytes(ODD)
        if not archive:
            os.symlink(ROOT / "corpus", "corpus")
            once = len(rows_of(command, ["corpus"]))
            archive = ["corpus"] * (ROWS // once + 1)
        archive.append("odd.eml")
        rows = rows_of(command, archive)
        assert len(rows) >= ROWS or len(sys.argv) > 2, len(rows)
        assert rows[-1]["part"] == "[10]" and rows[-1]["message_id_bytes"], rows[-1]
        spark = spark_session()
        if spark is None:
            print("skipped: Spark, which needs pyspark and Java")
        names = {"duckdb": duckdb, "pandas": pandas, "polars": polars, "pyarrow": pyarrow, "re": re, "subprocess": subprocess}
        names["archive"] = archive
        missing = {"spark": spark, "datasets": datasets, "chdb": chdb}
        names |= missing
        tested = 0
        for block in re.findall(r"^```(sh|python)\n(.*?)^```", page, re.M | re.S):
            language, text = block
            if language == "sh":
                begun = time.time()
                text = text.replace("archive/", " ".join(archive))
                subprocess.run(["sh", "-c", text], stderr=subprocess.DEVNULL)
                print(f"{time.time() - begun:6.1f} s  {text.split('archive')[0].split(' corpus')[0][:40].strip()}")
                continue
            # A block with a statement of several lines is run as a whole.
            for line in [text] if "\n    " in text else text.splitlines():
                if any(name in line and program is None for name, program in missing.items()):
                    continue
                begun = time.time()
                exec(line.replace('"archive/"', "*archive"), names)
                if "urls =" not in line:
                    continue
                loaded = time.time() - begun
                is_typed = any(name in line for name in ["json", "parquet", "arrow"])
                compare(line, table_of(names["urls"]), rows, is_typed)
                print(f"{loaded:6.1f} s  {line}")
                tested += 1
        if shutil.which("mlr"):
            tiers = [json.loads(line) for line in pathlib.Path("tiers.json").read_text().splitlines()]
            assert {each["tier"]: each["count"] for each in tiers} == collections.Counter(row["tier"] for row in rows), tiers
            tested += 1
        if shutil.which("sqlite-utils"):
            [found] = sqlite3.connect("mail.db").execute('SELECT count(*), sum("offset"), count(target) FROM urls')
            assert found == (len(rows), sum(row["offset"] for row in rows), sum(bool(row["target"]) for row in rows)), found
            tested += 1
        for statement in re.findall(r"^```sql\n(.*?)^```", page, re.M | re.S):
            if not shutil.which("sqlite3"):
                print("skipped: sqlite3 is not installed")
                continue
            subprocess.run(["sqlite3", "urls.db"], input=statement, text=True, check=True)
            cursor = sqlite3.connect("urls.db").execute("SELECT * FROM urls ORDER BY rowid")
            columns = [column[0] for column in cursor.description]
            table = dict(zip(columns, map(list, zip(*cursor))))
            compare(statement, table, rows, False)
            print(f"          {statement.strip()}")
            tested += 1
        has_r = shutil.which("Rscript") and subprocess.run(["Rscript", "-e", "library(jsonlite)"]).returncode == 0
        if not has_r:
            print("skipped: R with jsonlite is not installed")
        for line in re.findall(r"^```r\n(.*?)\n```", page, re.M | re.S) if has_r else []:
            # `NA` is omitted. For R, an empty list is an object without fields.
            script = f'{line}; jsonlite::write_json(urls, "r.json", digits = NA)'
            subprocess.run(["Rscript", "-e", script], stdout=subprocess.DEVNULL, check=True)
            got = json.loads(pathlib.Path("r.json").read_text())
            is_typed = "json" in line.split("(")[0]
            want = rows if is_typed else [{name: in_table(value) for name, value in row.items()} for row in rows]
            assert len(got) == len(want), line
            for mine, other in zip(got, want):
                assert without_null(mine) == without_null(other), (line, mine, other)
            print(f"          {line}")
            tested += 1
        file = pyarrow.parquet.ParquetFile("urls.parquet")
        schema = file.schema_arrow
        assert str(schema.field("date").type) == "timestamp[us, tz=UTC]", schema
        assert str(schema.field("offset").type) == "int64", schema
        column = file.metadata.row_group(0).column(0)
        assert column.compression == "GZIP" and column.has_dictionary_page, column
        print(f"{tested} ways to load {len(rows)} rows")
        assert tested >= 9, tested


main()
