"""Tests the package. For the corpus, the package and the command must return the same results.

The environment variable `URLSPOOL` has the path of the command. Without this variable, the tests that run the command
are skipped.
"""

from __future__ import annotations

import array
import copy
import doctest
import email
import email.policy
import gzip
import io
import json
import mailbox
import multiprocessing
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import zlib
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any

import pytest
import urlspool

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("URLSPOOL")
# For these archives, the package and the command must return the same results. The environment variable has the paths,
# separated by colons. The default is the corpus.
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
    failures, tests = doctest.testfile(str(ROOT / "docs/python.md"), module_relative=False, optionflags=flags)
    assert failures == 0 and tests > 30
    failures, tests = doctest.testmod(urlspool, optionflags=flags)
    assert failures == 0 and tests >= 15


def test_help_answers() -> None:
    searches = (urlspool.paths, urlspool.read, urlspool.messages, urlspool.files, urlspool.manifest)
    for function in (urlspool.urls, urlspool.links, urlspool.linkify, urlspool.message, *searches):
        text = function.__doc__ or ""
        assert all(word in text for word in ("Returns ", "Raises TypeError", ">>> ")) or "Raises the same" in text


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


@pytest.mark.parametrize(
    ("options", "status"),
    [("", 0), ("--rejects", 0), ("--fields all --defanged", 0), ("-u --fields date,url", 0), ("--sort -m 9", 0), ("--host none", 1)],
)
def test_an_arrow_stream_equals_the_parquet_file(tmp_path: pathlib.Path, options: str, status: int) -> None:
    import pyarrow.ipc
    import pyarrow.parquet

    if COMMAND is None:
        pytest.skip("URLSPOOL does not name the command")
    file = tmp_path / "urls.parquet"
    command = [COMMAND, *options.split(), "corpus"]
    assert subprocess.run([*command, "--parquet", str(file)], stderr=subprocess.DEVNULL).returncode == status
    done = subprocess.run([*command, "--arrow"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    table = pyarrow.ipc.open_stream(done.stdout).read_all()
    table.validate(full=True)
    assert table.equals(pyarrow.parquet.read_table(file))
    assert done.returncode == status and (table.num_rows == 0) == (status == 1)


def test_tables(tmp_path: pathlib.Path) -> None:
    import duckdb
    import pandas
    import polars
    import pyarrow
    import pyarrow.parquet

    table = pyarrow.table(urlspool.paths("corpus/mbox"))
    assert urlspool.paths("corpus/mbox").to_polars().to_arrow().to_pylist() == table.to_pylist()
    frame = urlspool.paths("corpus/mbox").to_pandas()
    assert frame["url"].tolist() == table["url"].to_pylist() and str(frame["date"].dtype) == "datetime64[us, UTC]"
    hits = urlspool.paths("corpus/mbox")
    hits.to_parquet(tmp_path / "urls.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "urls.parquet").equals(table)
    assert repr(hits).startswith("<urlspool.Hits: 2 files, 7 messages and ")
    [hit] = urlspool.message(b"From: A <a@b>\nSubject: x\n\nhttp://a.example/?a&b\n")
    assert hit._repr_html_().startswith("<table><tr><th>url<td>http://a.example/?a&amp;b<tr><th>form<td>bare")
    assert "<tr><th>from<td>A &lt;a@b&gt;<tr>" in hit._repr_html_() and "None" not in hit._repr_html_()

    count = len(list(urlspool.paths("corpus/mbox")))
    assert polars.DataFrame(urlspool.paths("corpus/mbox")).height == count
    assert len(pandas.DataFrame.from_arrow(urlspool.paths("corpus/mbox"))) == count
    hits = urlspool.paths("corpus/mbox")
    next(hits)
    assert pyarrow.table(hits).num_rows == count - 1
    with pytest.raises(ValueError, match="already read"):
        pyarrow.table(hits)
    reader = pyarrow.RecordBatchReader.from_stream(urlspool.paths("corpus/mbox"))
    counted = duckdb.sql("SELECT count(*) FROM reader")
    assert counted is not None and counted.fetchall() == [(count,)]
    hits = urlspool.paths("corpus/mbox")
    assert duckdb.from_arrow(hits).aggregate("count(*)").fetchall() == [(count,)]
    hits = urlspool.paths("corpus/mbox")
    counted = duckdb.sql("SELECT count(*) FROM hits")
    assert counted is not None and counted.fetchall() == [(count,)]
    # If a stream is dropped, the search ends.
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
    assert urlspool.linkify("<URL:http://b.example/c d\n e>", lambda text, _: f"[{text}]") == (
        "&lt;URL:[http://b.example/c d]\n [e]&gt;"
    )
    assert len({*links, *urlspool.links(text)}) == 2


def test_linkify_links_no_scripts() -> None:
    for scheme in ("javascript", "data", "vbscript", "file", "JavaScript"):
        text = f"<{scheme}:alert(1)> <URL:{scheme}:alert(1)> {scheme}://a.example/x"
        assert "<a" not in urlspool.linkify(text), scheme
    assert urlspool.linkify("HTTP://a.example/").startswith("<a")
    assert urlspool.linkify("http://a.example/", schemes=["FTP"]) == "http://a.example/"
    assert urlspool.linkify("ftp://a.example/", schemes=["FTP"]).startswith("<a")


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
    # The package `email` cannot write this field with its default policy.
    field = b"To: http://a.example/utf-8; boundary==?(:To: To: To: message/delivery-statusMessage-ID: \n\n"
    assert urlspool.urls(email.message_from_bytes(field, policy=email.policy.default)) == ["http://a.example/utf-8"]
    for text in ("Subject: x\n\nhttp://a.example/ \xfc", "Subject: \u20ac\n\nhttp://a.example/ \u20ac"):
        for policy in (email.policy.compat32, email.policy.default):
            assert urlspool.urls(email.message_from_string(text, policy=policy)) == ["http://a.example/"]


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
    with open(tmp_path / "box", "rb") as file:
        assert len(list(urlspool.read(file))) == 1
    both: list[pathlib.Path | bytes] = [tmp_path / "box", os.fsencode(tmp_path / "maildir")]
    assert len(list(urlspool.paths(path for path in both))) == 2
    wrong: Any
    for wrong in (tmp_path, "box", 5, None):
        with pytest.raises(TypeError, match="use paths"):
            urlspool.read(wrong)
    with pytest.raises(TypeError, match="not int"):
        urlspool.paths(1)  # type: ignore[arg-type]
    without: list[list[Any]] = [[], [[]]]
    for search in (urlspool.paths, urlspool.messages, urlspool.files):
        for nothing in without:
            with pytest.raises(ValueError, match="^there is no path"):
                search(*nothing)
    with pytest.raises(ValueError, match="^there is no path"):
        urlspool.manifest([])
    hits = urlspool.read(gzip.compress(data * 9)[:-9])
    with pytest.warns(RuntimeWarning):
        assert list(hits)
    assert len(hits.problems) == 1


class Object:
    """An object with `read`, as an HTTP library or an object store returns it. It can fail after some bytes."""

    def __init__(self, data: bytes, failure: BaseException | None = None) -> None:
        self.data = memoryview(data)
        self.at = 0
        self.failure = failure

    def read(self, size: int) -> memoryview:
        piece = self.data[self.at : self.at + min(size, 70_000)]
        if not piece and self.failure:
            raise self.failure
        self.at += len(piece)
        return piece


BOX = b"".join(
    b"From a@b Mon Jan  1 00:00:00 2001\nSubject: %d\n\nhttp://a.example/%d\n\n" % (number, number)
    for number in range(6_000)
)


def test_objects_are_read_as_far_as_needed() -> None:
    want = [(hit.url, hit.line) for hit in urlspool.read(BOX)]
    assert len(want) == 6_000
    buffers: list[Any] = [bytearray(BOX), memoryview(BOX), array.array("B", BOX), Object(BOX), io.BytesIO(BOX)]
    for data in buffers:
        assert [(hit.url, hit.line) for hit in urlspool.read(data)] == want
    data = Object(BOX)
    with urlspool.read(data) as hits:
        next(hits)
    assert 0 < data.at < len(BOX) and next(hits, None) is None
    with pytest.raises(TypeError, match="use paths"), open("README.md") as text:
        urlspool.read(text)
    text_object: Any = type("", (), {"read": lambda self, size: "text"})()
    with pytest.raises(TypeError, match="a bytes-like object is required, not 'str'"):
        list(urlspool.read(text_object))


@pytest.mark.parametrize("place", range(10))
def test_a_dropped_connection_is_an_error_after_the_hits_before_it(place: int) -> None:
    end = len(BOX) * place // 10 + 7 * place
    whole = {(hit.url, hit.offset) for hit in urlspool.read(BOX)}
    packed = zlib.compressobj(wbits=31)
    for data in (BOX[:end], packed.compress(BOX[:end]) + packed.flush(zlib.Z_SYNC_FLUSH)):
        dropped = urlspool.read(Object(data, ConnectionResetError("dropped")), "box")
        found: list[urlspool.Hit] = []
        with pytest.raises(ConnectionResetError, match="^dropped$"):
            found.extend(dropped)
        assert len(found) == len(urlspool.urls(BOX[:end].replace(b"From ", b"")))
        # The end of the last URL can be missing.
        last = {(hit.url, hit.offset) for hit in found if hit.doubt == "cut"}
        assert len(last) <= 1 and {(hit.url, hit.offset) for hit in found} - last <= whole
        assert len(dropped.problems) == 1 and "dropped" in dropped.problems[0] and next(dropped, None) is None
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(Exception, match="dropped"):
        pyarrow.table(urlspool.read(Object(BOX[:end], ConnectionResetError("dropped"))))


def test_stop_iteration_in_read_is_an_error() -> None:
    hits = urlspool.read(Object(BOX[:100], StopIteration("end")))
    with pytest.raises(RuntimeError, match="StopIteration"):
        list(hits)


def test_a_search_cannot_be_used_by_what_it_waits_for() -> None:
    text = """if True:
        import signal, urlspool
        class Object:
            def __init__(self, use):
                self.use = use
            def read(self, size):
                self.use()
                return b"http://a.example/\\n"
        for use in (lambda: hits.close(), lambda: next(hits), lambda: signal.raise_signal(signal.SIGALRM)):
            signal.signal(signal.SIGALRM, lambda *_: hits.close())
            hits = urlspool.read(Object(use))
            try:
                print(list(hits))
            except RuntimeError as error:
                print(error)
    """
    run = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, check=True, timeout=60)
    assert run.stdout.decode() == "this search is already running\n" * 3


def test_control_c_ends_a_read() -> None:
    class Slow(Object):
        def read(self, size: int) -> memoryview:
            time.sleep(20)
            return super().read(size)

    # A shell starts programs in the background without the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    for data in (Slow(BOX), Object(BOX * 50)):
        begun = time.monotonic()
        threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            list(urlspool.read(data))
        assert time.monotonic() - begun < 2
    signal.signal(signal.SIGINT, before)


def test_reading_needs_little_memory() -> None:
    pytest.importorskip("resource")
    text = """if True:
        import resource, urlspool
        class Object:
            left = 40
            def read(self, size):
                self.left -= 1
                return b"A line without a URL, in a message that does not end.\\n\\n" * 19_000 if self.left else b""
        peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        before = peak()
        list(urlspool.read(Object()))
        print(peak() - before)
    """
    run = subprocess.run([sys.executable, "-c", text], stdout=subprocess.PIPE, check=True)
    kilobytes = int(run.stdout) // (1024 if sys.platform == "darwin" else 1)
    assert kilobytes < 30_000, kilobytes


def test_bytes_that_are_not_utf8() -> None:
    hit = urlspool.message(b"Message-ID: <\xff@a>\n\nhttp://a.example/\n")[0]
    assert (hit.message_id, hit.message_id_bytes) == ("\udcff@a", b"\xff@a")
    assert hit.message_id is not None and hit.message_id.encode("utf-8", "surrogateescape") == hit.message_id_bytes
    assert hit.asdict()["message_id"] == "\ufffd@a" and hit.asdict()["message_id_bytes"] == "/0Bh"


def test_messages() -> None:
    for path in sorted(ROOT.glob("corpus/mail/*.eml")):
        assert urlspool.urls(path.read_bytes()) == [hit.url for hit in urlspool.message(path.read_bytes())]
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
    assert all(hit.date is not None and hit.date <= year for hit in until) and until
    assert list(urlspool.paths("corpus/mbox", threads=1)) == everything
    day = year.date()
    for same in (day.isoformat(), day, f"{day}T00:00:00Z", datetime(day.year, day.month, day.day, tzinfo=timezone.utc)):
        assert list(urlspool.paths("corpus/mbox", since=same)) == [
            hit for hit in everything if hit.date is not None and hit.date.date() >= day
        ]
    shards = [hit for number in (1, 2, 3) for hit in urlspool.paths("corpus/mbox", shard=(number, 3))]
    assert sorted(shards, key=lambda hit: (hit.file, hit.offset)) == sorted(
        everything, key=lambda hit: (hit.file, hit.offset)
    )
    table: list[tuple[dict[str, Any], str]] = [
        ({"shard": (4, 3)}, r"^shard=\(4, 3\): give I/N, such as 1/4"),
        ({"shard": (-1, 3)}, r"^shard=\(-1, 3\): "),
        ({"format": "mbxx"}, "^format='mbxx': give one of auto, "),
        ({"since": "some day"}, "^since='some day': give a year, month, day or time"),
        ({"since": float("-inf")}, "^since=-inf: give a finite number"),
        ({"until": 10**30}, "^until=10{30}: give a year, month, day or time"),
        ({"threads": -1}, "^threads=-1: give a number of threads"),
        ({"max_message": -1}, "^max_message=-1: "),
        ({"max_message": 0}, "^max_message=0: give a size from 1 to 1G$"),
        ({"max_message": (1 << 30) + 1}, "^max_message="),
        ({"byte_range": (5, 5)}, r"^byte_range=\(5, 5\): the range is empty"),
        ({"byte_range": (5, 1)}, "^byte_range="),
        ({"byte_range": (-1, None)}, "^byte_range="),
    ]
    for wrong, words in table:
        with pytest.raises(ValueError, match=words):
            urlspool.paths("corpus", **wrong)
    table = [
        ({"sinec": 1}, '^unknown option "sinec"; known options are: in_, join, .*, byte_range, shard, count_lines$'),
        ({"sinec": None}, "^unknown option"),
        ({"threads": 2.5}, "^threads=2.5: give a str or an int$"),
        ({"follow": 1}, "^follow=1: give True or False$"),
        ({"format": 1}, "^format=1: give a str$"),
    ]
    for wrong, words in table:
        with pytest.raises(TypeError, match=words):
            urlspool.paths("corpus", **wrong)
    for name in ("in_", "join"):
        some: dict[str, Any] = {name: "some"}
        with pytest.raises(ValueError, match=f"^{name}='some': "):
            urlspool.Extractor(**some)
    unset: dict[str, Any] = {"until": None}
    assert list(urlspool.Extractor(until=day).paths("corpus/mbox", **unset)) == list(
        urlspool.paths("corpus/mbox", until=f"{day}T23:59:59Z")
    )
    assert urlspool.paths("corpus/mbox", newsgroup=["comp.*", "alt.*"]) is not None


def test_the_options_are_those_of_the_library() -> None:
    typed = {name: kind.__forward_arg__ for name, kind in urlspool.Options.__annotations__.items()}
    assert typed == {name: kind for name, kind, _ in urlspool._native.options()}
    assert all(f"\n    {name}: " in (urlspool.Extractor.__doc__ or "") for name in typed)


def test_an_extractor_is_a_value() -> None:
    extractor = urlspool.Extractor(join="never", hyphen="drop", in_=["text", "html"], defanged=True, zone="body")
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
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"http://a.example/")[:-9])
    with urlspool.paths(tmp_path, "corpus/mbox") as hits:
        with pytest.warns(RuntimeWarning, match="1 file or member could not be read"):
            assert len(list(hits)) > 10
        assert len(hits.problems) == 1 and "cut.gz" in hits.problems[0]
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


def test_threads_search_at_once() -> None:
    """On a free-threaded Python, the threads really run at once, and importing urlspool does not bring the lock back."""
    assert sysconfig.get_config_var("Py_GIL_DISABLED") != 1 or not getattr(sys, "_is_gil_enabled")()
    want, box = list(urlspool.paths("corpus")), pathlib.Path("corpus/mbox/quoted_from.mbox").read_bytes()
    extractor, together, shared = urlspool.Extractor(), urlspool.paths("corpus"), list(urlspool.read(box))
    found: list[list[urlspool.Hit]] = [[] for _ in range(8)]

    def search(place: int) -> None:
        for _ in range(20):
            assert [hit.url for hit in extractor.read(box)] == [hit.url for hit in shared]
            assert [(hit.line, hit.confidence, hit.targets, hash(hit)) for hit in shared] == about
            assert isinstance(together.problems, list) and together.progress
        found[place] = list(extractor.paths("corpus"))

    about = [(hit.line, hit.confidence, hit.targets, hash(hit)) for hit in shared]
    threads = [threading.Thread(target=search, args=(place,)) for place in range(8)]
    for thread in threads:
        thread.start()
    assert list(together) == want
    for thread in threads:
        thread.join()
    assert all(hits == want for hits in found)


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


def test_tasks_together_have_the_rows_of_the_command() -> None:
    tasks = list(urlspool.manifest(["corpus"], 3000))
    assert len(tasks) > 50
    assert pickle.loads(pickle.dumps(tasks)) == tasks
    found: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {}
    for task in reversed(tasks):
        hits = urlspool.task(task, threads=2)
        assert hits.totals is None
        found[task] = ([hit.asdict() for hit in hits], hits.totals or {})
    joined = []
    messages = lines = 0
    for task in tasks:
        mine, totals = found[task]
        about = json.loads(task)
        assert totals["task"] == about["id"]
        assert (totals["rows"], totals["problems"], totals["complete"]) == (len(mine), 0, True)
        if about.get("message_range", [0])[0] == 0:
            messages = lines = 0
        for row in mine:
            row["message"] = row["message"] and row["message"] + messages
            row["line"] += lines
        messages, lines = messages + totals["messages"], lines + totals["lines"]
        joined += mine
    assert joined == list(rows("corpus"))


def test_tasks_of_the_command(tmp_path: pathlib.Path) -> None:
    if COMMAND is None:
        pytest.skip("URLSPOOL does not name the command")
    plan = [COMMAND, "tasks", "plan"]
    made = subprocess.run([*plan, "--size", "3000", "corpus"], stdout=subprocess.PIPE, text=True, check=True)
    assert made.stdout.splitlines() == list(urlspool.manifest("corpus", 3000))
    mine = subprocess.run([*plan, "--rejects", "corpus"], stdout=subprocess.PIPE, text=True)
    with pytest.raises(ValueError, match="options that only the command knows .--rejects."):
        urlspool.task(mine.stdout.splitlines()[0])


def test_a_path_that_does_not_exist_is_an_error(tmp_path: pathlib.Path) -> None:
    archive = tmp_path / "a.tar"
    archive.write_bytes(b"")
    for search in (urlspool.paths, urlspool.files, urlspool.manifest, urlspool.messages):
        with pytest.raises(FileNotFoundError, match="nope"):
            search([str(tmp_path), str(tmp_path / "nope!member")])
    # The part before the `!` exists, but it is not an archive.
    for read in (urlspool.paths, urlspool.messages):
        with pytest.warns(RuntimeWarning):
            list(read(f"{archive}!member"))
    cut = tmp_path / "cut.gz"
    cut.write_bytes(gzip.compress(b"http://a.example/")[:-9])
    with pytest.warns(RuntimeWarning):
        pytest.importorskip("pyarrow").table(urlspool.paths(cut))


def test_a_changed_file_fails_its_task(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "box"
    path.write_text("Subject: x\n\nhttp://a.example/\n")
    (tmp_path / "gone").symlink_to(tmp_path / "missing")
    missing = urlspool.manifest([path, tmp_path / "gone"])
    with pytest.warns(RuntimeWarning):
        (task,) = missing
    assert len(missing.problems) == 1
    assert urlspool.task(task).totals is None
    path.write_text("Subject: x\n\nhttp://longer.example/\n")
    hits = urlspool.task(task)
    with pytest.warns(RuntimeWarning):
        assert list(hits) == []
    assert "changed since the manifest was made" in hits.problems[0]
    assert hits.totals is not None and not hits.totals["complete"]
    assert list(urlspool.Extractor(defanged=True).manifest(path)) != list(urlspool.manifest(path))
    with pytest.raises(ValueError, match="not a task"):
        urlspool.task("{}")
    sizes: list[Any] = [0, -1, "0", "64X", "M", "-1", ""]
    for size in sizes:
        with pytest.raises(ValueError, match=f"^size='?{size}'?: give "):
            urlspool.manifest(path, size)
    for size, same in (("3k", 3 << 10), ("3M", 3 << 20), ("1G", 1 << 30), ("3000", 3000)):
        assert list(urlspool.manifest("corpus/mbox", size)) == list(urlspool.manifest("corpus/mbox", same))
    with pytest.raises(ValueError, match="^threads=-1: "):
        urlspool.task(task, threads=-1)
    # A copy has another modification time.
    (timed,), (sized,) = urlspool.manifest(path), urlspool.manifest(path, check="size")
    os.utime(path, (1, 1))
    with pytest.warns(RuntimeWarning):
        assert list(urlspool.task(timed)) == []
    assert len(list(urlspool.task(sized))) == 1
    with pytest.raises(ValueError, match="^check='none': give 'time' or 'size'"):
        urlspool.manifest(path, check="none")


def test_files_are_listed() -> None:
    assert list(urlspool.files("corpus/mbox/small.mbox", "corpus/mh/inbox/1")) == [
        {"file": "corpus/mbox/small.mbox", "size": 2979, "format": "mbox", "codec": None, "splits": "messages"},
        {"file": "corpus/mh/inbox/1", "size": 309, "format": "message", "codec": None, "splits": None},
    ]


def test_hits_urls_and_links_can_be_pickled() -> None:
    hits = list(urlspool.Extractor(defanged=True).paths("corpus"))
    again = pickle.loads(pickle.dumps(hits))
    assert again == hits and list(map(hash, again)) == list(map(hash, hits))
    assert pickle.loads(pickle.dumps(hits[:9], protocol=2)) == hits[:9]
    assert [hit.asdict() for hit in again] == [hit.asdict() for hit in hits]
    assert [(hit.pieces, hit.file_bytes, repr(hit)) for hit in again] == [(h.pieces, h.file_bytes, repr(h)) for h in hits]
    assert copy.deepcopy(hits[0]) == hits[0]
    url = urlspool.parse("http://www.example.org/a?b")
    assert pickle.loads(pickle.dumps(url)) == url == urlspool.Url(str(url))
    links = urlspool.links("<URL:http://www.example.org/a-\n  b> ftp://f.example/.")
    assert pickle.loads(pickle.dumps(links)) == links and len(links) == 2
    wrong: Any = [({"url": "x"},), ((("no URL",),),)]
    for state in wrong:
        with pytest.raises((TypeError, ValueError)):
            urlspool.Hit(*state)
        with pytest.raises((TypeError, ValueError)):
            urlspool.Link(*state)
    with pytest.raises(TypeError, match="pickle"):
        pickle.dumps(urlspool.paths("corpus/mbox"))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_several_processes(method: str) -> None:
    mails = [path.read_bytes() for path in sorted(ROOT.glob("corpus/mail/*.eml"))]
    want = [urlspool.message(mail) for mail in mails]
    # This search starts threads in the parent. The children must be able to search, even if they are forked and
    # therefore do not have these threads.
    shards = [list(urlspool.paths("corpus/mbox", shard=(number, 2))) for number in (1, 2)]
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(urlspool.message, mails) == want
        assert pool.starmap(search_shard, [("corpus/mbox", 1, 2), ("corpus/mbox", 2, 2)]) == shards


def search_shard(path: str, number: int, count: int) -> list[urlspool.Hit]:
    os.chdir(ROOT)
    return list(urlspool.paths(path, shard=(number, count)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_search_cannot_go_on_after_a_fork(tmp_path: pathlib.Path) -> None:
    box = tmp_path / "box"
    box.write_bytes(b"From a@b Mon Jan  1 00:00:00 2001\nTo: a\n\nhttp://a.example/\n\n" * 20_000)
    hits, messages = urlspool.paths(box), urlspool.messages(box)
    next(hits)
    next(messages)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            signal.alarm(30)
            errors = 0
            uses: list[Any] = [
                lambda: next(hits),
                lambda: hits.problems,
                lambda: hits.__arrow_c_stream__(),
                lambda: next(messages),
                lambda: messages.progress,
            ]
            for use in uses:
                try:
                    use()
                except RuntimeError as error:
                    errors += "before a fork" in str(error)
            hits.close()
            messages.close()
            del hits, messages, uses
            fresh = len(list(urlspool.paths(box)))
            os.write(writer, f"{errors} {fresh}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    assert os.waitpid(child, 0)[1] == 0 and os.read(reader, 99) == b"5 20000"
    os.close(reader)
    assert len(list(hits)) == len(list(messages)) == 19_999


def test_messages_can_be_closed(tmp_path: pathlib.Path) -> None:
    cut = tmp_path / "missing.gz"
    cut.write_bytes(gzip.compress(b"http://a.example/")[:-9])
    with urlspool.messages("corpus/mbox", cut) as messages:
        first = next(messages)
        assert messages.progress == (1, 1, first.length)
    assert next(messages, None) is None and messages.problems == []
    messages = urlspool.messages("corpus/mbox", cut)
    with pytest.warns(RuntimeWarning):
        sizes = [message.length for message in messages]
    files, count, size = messages.progress
    assert (count, size) == (len(sizes), sum(sizes)) and 1 < files <= count
    assert len(messages.problems) == 1 and "missing" in messages.problems[0]


def test_large_messages_are_problems(tmp_path: pathlib.Path) -> None:
    mail = tmp_path / "mail"
    mail.write_bytes(b"Subject: x\n\n" + b"some text\n" * 1000 + b"\nhttp://a.example/\n")
    for search in (urlspool.paths(mail, max_message=2000), urlspool.messages(mail, max_message=2000)):
        assert len(list(search)) == 1
        [problem] = search.problems
        assert str(mail) in problem and "larger than the limit of 2000 bytes" in problem


def test_defanged_text() -> None:
    text = "\N{SNOWMAN} hxxp://evil[.]example/ and http://good.example/\n"
    extractor = urlspool.Extractor(defanged=True)
    assert extractor.urls(text) == ["http://evil.example/", "http://good.example/"]
    evil, good = extractor.links(text)
    assert text[slice(*evil.span)] == "hxxp://evil[.]example/" and text[slice(*good.span)] == good.url
    assert (evil.defanged, good.defanged) == (True, False)
    assert extractor.linkify("hxxp://a[.]example/") == '<a href="http://a.example/">hxxp://a[.]example/</a>'
    # In a text without defanged URLs, the option `defanged` does not change the links.
    for path in sorted(ROOT.glob("corpus/mail/*.eml")):
        plain = path.read_bytes().decode("latin-1")
        links = extractor.links(plain)
        if not any(link.defanged for link in links):
            assert links == urlspool.links(plain), path


def test_a_link_as_a_dict() -> None:
    [link] = urlspool.links("<URL:http://www.example.org/a-\n  b>")
    values = link.asdict()
    assert values == {name: getattr(link, name) for name in values} and len(values) == 10
    assert values["pieces"] == [(5, 30), (33, 34)]
