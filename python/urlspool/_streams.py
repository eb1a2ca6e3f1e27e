"""Reads objects with `read`, and the files of object stores, by the package fsspec. Nothing here knows a protocol."""

from __future__ import annotations

import datetime
import hashlib
import io
import json
import os
import re
import typing
from collections.abc import Callable, Iterable, Iterator

from . import _native

_Read = Callable[[int], bytes]
_Json = dict[str, typing.Any]


def reader(data: typing.Any) -> _Read:
    """Returns a function that returns the next bytes of a file or of a buffer."""
    if callable(getattr(data, "read", None)) and not isinstance(data, io.TextIOBase):

        def read(size: int) -> bytes:
            piece = data.read(size)
            return piece if isinstance(piece, bytes) else bytes(memoryview(piece))

        return read
    try:
        view = memoryview(typing.cast(typing.Any, data)).cast("B")
    except TypeError as why:
        raise TypeError("data must be bytes or an open binary file; for a path, use paths()") from why
    pieces = (bytes(view[start : start + (1 << 20)]) for start in range(0, len(view), 1 << 20))
    return lambda size: next(pieces, b"")


def is_url(path: str) -> bool:
    """Whether fsspec must open the path. A local file can have such a name, too."""
    return "://" in path and not os.path.lexists(path)


class _File(typing.NamedTuple):
    system: typing.Any
    path: str
    url: str
    size: int
    # Changes if the file changes.
    version: int


def _located(url: str) -> tuple[typing.Any, str]:
    try:
        import fsspec
    except ImportError:
        raise ImportError(f"{url}: to read this path, install the package fsspec") from None
    system, path = fsspec.url_to_fs(url)
    return system, path


def _file(system: typing.Any, path: str, url: str, info: _Json) -> _File:
    names = "ETag etag md5Hash content_md5 LastModified Last-Modified mtime modification_time created".split()
    version = next((info[name] for name in names if info.get(name)), "")
    if isinstance(version, datetime.datetime):
        version = version.timestamp()
    number = int.from_bytes(hashlib.blake2b(str(version).encode(), digest_size=7).digest(), "big")
    return _File(system, path, url, int(info.get("size") or 0), number)


def find(urls: Iterable[str]) -> Iterator[_File]:
    """Returns the files, and the files in the directories, in the order in which a local search would read them. Like a
    local search, leaves out hidden files. Raises FileNotFoundError before the first file is returned."""
    roots = [(url, *_located(url)) for url in urls]
    return _find([(*root, root[1].info(root[2])) for root in roots])


def _find(roots: list[tuple[str, typing.Any, str, _Json]]) -> Iterator[_File]:
    for url, system, root, about in roots:
        if about["type"] != "directory":
            yield _file(system, root, url, about)
            continue
        names = {name: info for name, info in system.find(root, detail=True).items() if info["type"] == "file"}
        start = len(root.rstrip("/")) + 1
        maildirs = {name.rpartition("/cur/")[0] for name in names if "/cur/" in name}
        for name in sorted(names, key=lambda name: [_order(part) for part in name[start:].split("/")]):
            folder = name.rpartition("/")[0]
            above, _, kind = folder.rpartition("/")
            # A Maildir has messages in `cur` and `new`, and nowhere else. It can be hidden in another Maildir.
            is_message = above in maildirs and kind in ("cur", "new")
            is_other = folder in maildirs or above in maildirs and not is_message
            seen = name[len(folder) + 1 if is_message else start :]
            if not is_other and not re.search("(^|/)([.]|[,#][0-9]+$)", seen):
                yield _file(system, name, f"{url.rstrip('/')}/{name[start:]}", names[name])


def _order(name: str) -> list[tuple[int, int]]:
    """Orders names by their bytes, and digits as numbers, as a local search does."""
    pieces = re.findall(rb"[0-9]+|[^0-9]", os.fsencode(name), re.S)
    return [(ord("0"), int(piece)) if piece.isdigit() else (piece[0], 0) for piece in pieces]


def opened(files: Iterable[_File]) -> Iterator[tuple[bytes, _Read]]:
    """Opens each file, and returns its name and a function that reads it."""
    for file in files:
        with file.system.open(file.path, "rb", block_size=4 << 20) as data:
            yield os.fsencode(file.url), reader(data)


class Tasks(Iterator[str]):
    """The tasks of a search, and the problems of their listing."""

    def __init__(self, tasks: Iterator[str], listing: _native.Listing[str] | None = None) -> None:
        self._tasks = tasks
        self._listing = listing

    def __next__(self) -> str:
        return next(self._tasks)

    @property
    def problems(self) -> list[str]:
        """A line for each file or directory that could not be listed."""
        return self._listing.problems if self._listing else []


def task(about: _Json) -> str:
    """Writes a task as the library does: the keys are in order, and the id is a hash of the other keys."""
    return _native.identified(json.dumps(about, ensure_ascii=False, separators=(",", ":"), sort_keys=True))


def manifest(files: Iterable[_File], size: int, options: dict[str, str], keys: Callable[[_Json], _Json]) -> Iterator[str]:
    """Groups the files into tasks of at most `size` bytes. A larger file is a task of its own."""
    group: list[_Json] = []
    left = size

    def grouped() -> Iterator[str]:
        if group:
            yield task({"files": group, **({"options": options} if options else {})})

    for file in files:
        if file.size > left or len(group) == 4096:
            yield from grouped()
            group, left = [], size
        group.append(keys({"file": file.url, "mtime": file.version, "size": file.size}))
        left -= file.size
    yield from grouped()


def unchanged(files: Iterable[_Json]) -> Iterator[_File]:
    """Returns the files of a task. Raises OSError for a file that has changed since the manifest was made."""
    for then in files:
        url = then["file"]
        system, path = _located(url)
        system.invalidate_cache()
        now = _file(system, path, url, system.info(path))
        if (now.size, now.version) != (then["size"], then.get("mtime", now.version)):
            raise OSError(f"{url}: it was changed since the manifest was made; make a new manifest")
        yield now
