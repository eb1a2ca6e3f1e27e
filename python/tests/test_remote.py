"""Tests the search of remote files: in memory, and on an S3 server of moto behind a proxy that drops connections."""

from __future__ import annotations

import contextlib
import gzip
import itertools
import json
import os
import pathlib
import shutil
import socket
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import urlspool

fsspec = pytest.importorskip("fsspec")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("mail", "maildir", "mbox", "mh", "rnews", "spool")


@pytest.fixture(autouse=True)
def archive(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a directory with folders of the corpus, and with archives and a compressed file."""
    monkeypatch.chdir(tmp_path)
    for name in FOLDERS:
        shutil.copytree(ROOT / "corpus" / name, name)
    pathlib.Path(".hidden").write_text("http://hidden.example/")
    pathlib.Path("small.mbox.gz").write_bytes(gzip.compress(pathlib.Path("mbox/small.mbox").read_bytes()))
    for kind in ("zip", "tar", "gztar"):
        shutil.make_archive(f"mh-{kind}", kind, ".", "mh")
    for path in [path for path in pathlib.Path().rglob("*") if path.is_file()]:
        os.utime(path, (1_000_000_000, 1_000_000_000))


def upload(root: str) -> None:
    for file in (path for path in pathlib.Path().rglob("*") if path.is_file()):
        with fsspec.open(f"{root}/{file}", "wb") as copy:
            copy.write(file.read_bytes())


def fields(hits: urlspool.Hits, root: str) -> list[dict[str, Any]]:
    """Returns the fields of all hits, with the names of the files below `root`."""
    return [{**hit.asdict(), "file": (hit.file or "").removeprefix(f"{root}/")} for hit in hits]


def compare(root: str) -> None:
    upload(root)
    remote, local = urlspool.paths(root), urlspool.paths(".")
    want = fields(local, ".")
    assert fields(remote, root) == want and len(want) > 100
    assert [problem.replace(f"{root}/", "./") for problem in remote.problems] == local.problems
    tasks = list(urlspool.manifest(root, 3000, since="1990"))
    assert len(tasks) > 3 and json.loads(tasks[0])["options"] == {"since": "1990-01-01T00:00:00Z"}
    runs = [urlspool.task(task) for task in tasks]
    assert [row for run in runs for row in fields(run, root)] == fields(urlspool.paths(".", since="1990"), ".")
    assert all(run.totals and run.totals["complete"] for run in runs)
    # A changed file fails its task. Without its time, only its size counts.
    name = f"{root}/mbox/small.mbox"
    (timed,), (sized,) = urlspool.manifest(name), urlspool.manifest(name, check="size")
    content = pathlib.Path("mbox/small.mbox").read_bytes()
    for changed, is_sized_right in ((content[:-1] + b" ", True), (content + b"\n", False)):
        with fsspec.open(name, "wb") as copy:
            copy.write(changed)
        with pytest.raises(OSError, match="changed since the manifest was made"):
            list(urlspool.task(timed))
        with contextlib.nullcontext() if is_sized_right else pytest.raises(OSError, match="changed since"):
            assert list(urlspool.task(sized))


def test_memory() -> None:
    compare("memory://lists")
    with pytest.raises(FileNotFoundError, match="nope"):
        urlspool.paths("memory://nope/x")
    with pytest.raises(ValueError, match="separate searches"):
        urlspool.paths("memory://lists", "mbox")
    with pytest.raises(TypeError, match="^memory://lists has no option 'threads'"):
        urlspool.paths("memory://lists", threads=2)
    with pytest.raises(ValueError, match="nosuchprotocol"):
        urlspool.paths("nosuchprotocol://a/b")


def test_without_fsspec_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    for search in (urlspool.paths, urlspool.manifest):
        with pytest.raises(ImportError, match="^s3://bucket/box: to read this path, install the package fsspec"):
            search("s3://bucket/box")


class Proxy:
    """Passes bytes between a client and the server. Cuts some answers off, as a bad network does."""

    def __init__(self, port: int) -> None:
        self.server = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        # How many bytes of an answer to pass before it is cut off. Each request for a range takes the next number.
        self.cuts: Iterator[int | None] = itertools.repeat(None)
        self.dropped = 0
        self.ranges = 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client: socket.socket) -> None:
        cut: list[int | None] = [None]
        with client, socket.create_connection(("127.0.0.1", self.server)) as server, contextlib.suppress(OSError):
            threading.Thread(target=self.requests, args=(client, server, cut), daemon=True).start()
            while data := server.recv(1 << 16):
                client.sendall(data[: cut[0]])
                if cut[0] is not None:
                    self.dropped += 1
                    client.shutdown(socket.SHUT_RDWR)
                    return

    def requests(self, client: socket.socket, server: socket.socket, cut: list[int | None]) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(1 << 16):
                if b"\nrange:" in data.lower():
                    self.ranges += 1
                    cut[0] = next(self.cuts)
                server.sendall(data)


@pytest.mark.filterwarnings("ignore")
def test_s3(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    proxy = Proxy(server._server.port)
    settings = {"key": "k", "secret": "s", "endpoint_url": f"http://127.0.0.1:{proxy.port}"}
    monkeypatch.setitem(fsspec.config.conf, "s3", settings)
    fsspec.filesystem("s3").mkdir("lists")
    compare("s3://lists/a")
    box = b"".join(b"From a@b Mon Jan  1 00:00:00 2001\nSubject: %d\n\nhttp://a.example/%d\n%s\n\n" % (i, i, b"x" * 3000)
                   for i in range(4000))
    with fsspec.open("s3://lists/b/large.mbox", "wb") as copy:
        copy.write(box)
    want = [(hit.url, hit.message, hit.line) for hit in urlspool.read(box)]
    assert len(want) == 4000

    def found() -> list[Any]:
        return [(hit.url, hit.message, hit.line) for hit in urlspool.paths("s3a://lists/b")]

    proxy.ranges = 0
    assert found() == want and proxy.ranges > 1
    # Some answers are cut off: s3fs asks again.
    proxy.cuts = itertools.chain([3000, None, 4000, 100], itertools.repeat(None))
    assert found() == want and proxy.dropped == 3
    # After the first block, all answers are cut off.
    proxy.cuts = itertools.chain([None], itertools.repeat(1000))
    hits = urlspool.paths("s3://lists/b/large.mbox")
    urls: list[str] = []
    with pytest.raises(Exception, match="payload is not completed"):
        urls.extend(hit.url for hit in hits)
    assert 0 < len(urls) < 4000 and urls == [url for url, *_ in want][: len(urls)] and len(hits.problems) == 1
    server.stop()
