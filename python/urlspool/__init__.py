"""Finds the URLs in text, mail and archives, and the place of each URL.

>>> import urlspool
>>> urlspool.urls("See <URL:http://www.example.org/> and ftp://ftp.example.org/pub.")
['http://www.example.org/', 'ftp://ftp.example.org/pub']

A `str` is text. `bytes` and the messages of the package `email` are mail: their MIME parts are decoded. `paths`
searches files and directories, in any format that urlspool reads:

>>> for hit in urlspool.paths("archive.mbox", "Maildir/"):  # doctest: +SKIP
...     print(hit.url, hit.subject, hit.file, hit.offset)

The functions that search files take options, such as `since="1995"` and `host="example.org"`: `help(urlspool.Extractor)`
lists them. For the other functions, make an `Extractor` with options, and call its methods of the same names.
"""

from __future__ import annotations

import datetime
import email.message
import email.policy
import errno
import html
import json
import mailbox
import math
import os
import re
import textwrap
import typing
from collections.abc import Callable, Iterable, Iterator

from . import _native, _streams, _tables  # noqa: F401
from ._native import Hit, Hits, InvalidUrl, Link, Listing, Message, Messages, Url, __version__, parse

__all__ = [
    "Extractor",
    "Hit",
    "Hits",
    "InvalidUrl",
    "Link",
    "Listing",
    "Message",
    "Messages",
    "Options",
    "Url",
    "__version__",
    "files",
    "linkify",
    "links",
    "manifest",
    "message",
    "messages",
    "parse",
    "paths",
    "read",
    "task",
    "urls",
]

_Path = typing.Union[str, bytes, "os.PathLike[str]"]
_Paths = typing.Union[_Path, "mailbox.Mailbox[typing.Any]", "Iterable[_Path]"]
_Names = typing.Union[str, "Iterable[str]"]
_Number = typing.Union[str, int]
_Range = typing.Union[str, "tuple[int, typing.Optional[int]]"]
_Share = typing.Union[str, "tuple[int, int]"]
_Date = typing.Union[str, float, datetime.date]
_Mail = typing.Union[bytes, bytearray, memoryview, email.message.Message]

if typing.TYPE_CHECKING:
    from typing_extensions import Unpack


class Options(typing.TypedDict, total=False):
    """The options of a search. `help(urlspool.Extractor)` describes them. A test compares them with the library."""

    in_: _Names
    join: _Number
    hyphen: str
    defanged: bool
    scheme: _Names
    form: _Names
    host: _Names
    url: _Names
    tier: _Names
    zone: _Names
    since: _Date
    until: _Date
    newsgroup: _Names
    list: _Names
    from_: _Names
    subject: _Names
    format: str
    base: str
    max_message: _Number
    follow: bool
    threads: _Number
    byte_range: _Range
    shard: _Share
    count_lines: bool


def _bytes(mail: _Mail) -> bytes:
    """Returns the bytes of a message."""
    if isinstance(mail, (bytes, bytearray, memoryview)):
        return bytes(mail)
    if isinstance(mail, email.message.Message):
        try:
            return mail.as_bytes()
        except Exception:
            # The newer policies of the package `email` cannot write a message with malformed fields. The policy
            # `compat32` can.
            pass
        try:
            return mail.as_bytes(policy=email.policy.compat32)
        except (UnicodeError, LookupError, ValueError):
            # `as_bytes` fails if the message was made from a `str` with characters outside ASCII.
            return mail.as_string(policy=email.policy.compat32).encode("utf-8", "surrogateescape")
    if isinstance(mail, str):
        raise TypeError("a message must be bytes or an email.message.Message; for text, use urls() or links()")
    wanted = "text must be a str, and a message must be bytes or an email.message.Message"
    raise TypeError(f"{wanted}, not {type(mail).__name__}")


def _text(text: str) -> str:
    """Replaces each lone surrogate, which UTF-8 cannot encode, by `?`. The positions in the text stay the same."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a str, not {type(text).__name__}; for a message in bytes, use message()")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _paths(paths: Iterable[typing.Any]) -> list[str]:
    """Returns the paths in an argument, which can be a path, a `mailbox` object, or a list of these."""
    found = _named(paths)
    for path in found:
        # A `!` can separate the name of an archive from the name of a member.
        if path != "-" and not os.path.lexists(path) and not os.path.lexists(path.partition("!")[0]):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return found


def _named(paths: Iterable[typing.Any]) -> list[str]:
    found = list(_flat(paths))
    if not found:
        raise ValueError("there is no path; give at least one file or directory")
    return found


def _urls(paths: Iterable[typing.Any], options: Options) -> tuple[list[str], list[str]]:
    """Returns the local paths, or else the URLs of files that fsspec reads."""
    found = _named(paths)
    urls = list(filter(_streams.is_url, found))
    if not urls:
        return _paths(found), []
    if urls != found:
        raise ValueError("give local paths and URLs to separate searches")
    _one_thread(options, urls[0])
    return [], urls


def _one_thread(options: Options, what: str) -> None:
    for name in ("threads", "follow", "shard"):
        if options.get(name) is not None:
            raise TypeError(f"{what} has no option {name!r}: it is read by one thread")


def _flat(paths: Iterable[typing.Any]) -> Iterator[str]:
    for path in paths:
        if isinstance(path, mailbox.Mailbox):
            path.flush()
            path = path._path
        if isinstance(path, (str, bytes, os.PathLike)):
            yield os.fsdecode(path)
        elif isinstance(path, Iterable):
            yield from _flat(path)
        else:
            raise TypeError(f"a path must be a str, bytes, an os.PathLike or a mailbox, not {type(path).__name__}")


def _options(options: Options) -> dict[str, typing.Any]:
    """Converts a `date` to text, and a `datetime` to whole seconds since 1970."""
    converted: dict[str, typing.Any] = dict(options)
    for name, whole in (("since", math.ceil), ("until", math.floor)):
        value = converted.get(name)
        if isinstance(value, datetime.datetime):
            value = value.timestamp()
        elif isinstance(value, datetime.date):
            converted[name] = value.isoformat()
        if isinstance(value, float):
            try:
                converted[name] = whole(value)
            except (OverflowError, ValueError):
                raise ValueError(f"{name}={value!r}: give a finite number") from None
    return converted


def _size(size: int | str) -> int:
    """Converts a text such as "64M" to a number of bytes."""
    if not isinstance(size, str):
        return size
    found = re.fullmatch("([0-9]+)([KMG]?)", size.upper())
    if not found:
        raise ValueError(f"size={size!r}: give a number of bytes, with or without K, M or G after it, such as '64M'")
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2]]


def _default_link(text: str, link: Link) -> str:
    return f'<a href="{html.escape(link.url)}">{text}</a>'


def _pieces_of_lines(text: str, pieces: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Joins the pieces in each line. A URL in brackets can have thousands of blanks in a line."""
    lines: list[tuple[int, int]] = []
    for start, end in pieces:
        if lines and "\n" not in text[lines[-1][1] : start]:
            lines[-1] = (lines[-1][0], end)
        else:
            lines.append((start, end))
    return lines


class Extractor(_native.Extractor):
    """Finds URLs with the given options. An Extractor does not change, so several threads can use it. An Extractor can be
    pickled.

    These are the options. A list, such as `host`, can be a text with commas or a list of texts. The options `in` and
    `from` are called `in_` and `from_`, because `in` and `from` are words of Python.

    Raises TypeError for an unknown option or a value of a wrong type, and ValueError for any other wrong value.

    >>> import urlspool
    >>> urlspool.Extractor(join="never").urls("http://www.example.org/a/\\nb.html")
    ['http://www.example.org/a/']
    """

    __slots__ = ()

    def __new__(cls, **options: Unpack[Options]) -> Extractor:
        return super().__new__(cls, **_options(options))

    def urls(self, source: str | _Mail) -> list[str]:
        """Finds the URLs in a text or a message.

        source  a `str` is text; `bytes` or an `email.message.Message` is a message, and its MIME parts are decoded

        Returns the URLs in the order of the text. A URL that occurs twice is in the list twice.

        Raises TypeError if `source` has any other type.

        >>> import urlspool
        >>> urlspool.urls("See <URL:http://www.example.org/> and ftp://ftp.example.org/pub.")
        ['http://www.example.org/', 'ftp://ftp.example.org/pub']
        >>> urlspool.urls(b"Subject: x\\nContent-Transfer-Encoding: quoted-printable\\n\\nhttp://a.example/?b=3Dc\\n")
        ['http://a.example/?b=c']
        """
        if isinstance(source, str):
            return [link.url for link in self.links(source)]
        return self.message_urls(_bytes(source))

    def links(self, text: str) -> list[Link]:
        """Finds the URLs in a text, with their positions.

        text  a `str`; it is never read as a message

        Returns a Link for each URL. `Link.span` and `Link.pieces` count characters, as indices of `text` do.

        Raises TypeError if `text` is not a `str`.

        >>> import urlspool
        >>> text = "See http://www.example.org/."
        >>> link = urlspool.links(text)[0]
        >>> link.span, text[slice(*link.span)]
        ((4, 27), 'http://www.example.org/')
        """
        return self.text_links(_text(text))

    def linkify(
        self,
        text: str,
        link: Callable[[str, Link], str] = _default_link,
        *,
        schemes: Iterable[str] = _native.LINKED,
    ) -> str:
        """Converts a text to HTML, with a link around each URL.

        If a URL was broken over lines, the piece in each line is a link to the whole URL.

        text     a `str`
        link     a function that returns the HTML for a piece; its arguments are the text of the piece, as HTML, and the
                 Link
        schemes  the schemes whose URLs become links; URLs of all other schemes stay text. The default has no scheme
                 whose URLs could run a program, such as `javascript`

        Returns the HTML. With the option `defanged` of the Extractor, a defanged URL becomes a link to the original
        URL.

        Raises TypeError if `text` is not a `str`.

        >>> import urlspool
        >>> urlspool.linkify("R&D: http://a.example/?x&y")
        'R&amp;D: <a href="http://a.example/?x&amp;y">http://a.example/?x&amp;y</a>'
        """
        pieces = []
        at = 0
        wanted = {scheme.lower() for scheme in schemes}
        for found in self.links(text):
            if found.url.partition(":")[0].lower() not in wanted:
                continue
            for start, end in _pieces_of_lines(text, found.pieces):
                if start < at:
                    continue
                pieces += [html.escape(text[at:start], quote=False), link(html.escape(text[start:end], quote=False), found)]
                at = end
        pieces.append(html.escape(text[at:], quote=False))
        return "".join(pieces)

    def message(self, mail: _Mail) -> list[Hit]:
        """Finds the URLs in one message.

        mail  `bytes` (also `bytearray` and `memoryview`), or an `email.message.Message`. With the option `format` set
              to "html", the bytes of a page

        Returns a Hit for each URL, in the order of the message. Malformed mail is never an error.

        Raises TypeError if `mail` has any other type, such as `str`.

        >>> import urlspool
        >>> [hit] = urlspool.message(b"Subject: x\\n\\nSee http://www.example.org/.\\n")
        >>> hit.url, hit.line, hit.offset
        ('http://www.example.org/', 3, 16)
        >>> page = b"<a href='http://www.example.org/?a&amp;b'>a</a>"
        >>> urlspool.Extractor(format="html").message(page)[0].url
        'http://www.example.org/?a&b'
        """
        return self.message_bytes(_bytes(mail))

    def paths(self, *paths: _Paths, **options: Unpack[Options]) -> Hits:
        """Finds the URLs in files and directories, in every format and compression that the command `urlspool` reads.

        paths        paths of files and directories, lists of paths, and `mailbox` objects. If the package fsspec is
                     installed, also URLs such as "s3://bucket/lists/", "gs://…", "hdfs://…" and "https://…". Their files
                     are read by one thread, so `threads`, `follow` and `shard` are not for URLs
        options      the options of an Extractor; they replace the options of this Extractor

        Returns a Hits object. It is an iterator of Hit objects in the order of the files, and it is also an Arrow
        stream. Other threads search while Python reads, and Python does not hold the GIL while it waits for these
        threads. You can read Hits only once. If you do not read all of it, end the search with `with` or `close()`.

        Raises TypeError for an unknown option, or for a value or a path of a wrong type. Raises ValueError for any
        other wrong value, or if there is no path, for example if `paths` is an empty list. Raises FileNotFoundError if
        a path does not exist. A file that cannot be read does not raise an exception: the search continues,
        `Hits.problems` has a line for the file, and the end of the search issues a RuntimeWarning. If a URL cannot be
        read, you get the hits before it, and then the exception of fsspec. Raises ImportError if fsspec or its driver is
        not installed.

        >>> import urlspool
        >>> with urlspool.paths("corpus/mbox") as hits:
        ...     hosts = {hit.host for hit in hits}
        >>> "www.archivist.example" in hosts, hits.problems
        (True, [])
        """
        local, urls = _urls(paths, options)
        if urls:
            return self.file_hits(_streams.opened(_streams.find(urls)), **_options(options))
        return self.path_hits(local, **_options(options))

    def read(self, data: bytes | typing.Any, name: _Path = "-", **options: Unpack[Options]) -> Hits:
        """Finds the URLs in a mailbox, an archive or a compressed file that is in memory or already open.

        data     an object with the method `read`, such as an open binary file or a file in an object store;
                 or any buffer, such as `bytes`, a NumPy array or a `pyarrow.Buffer`. A file is read 1 MiB at a time
                 while you read the hits, and a buffer is not copied
        name     the file name of the hits; default "-"
        options  the options of `paths`, except `threads`, `follow` and `shard`

        Returns a Hits object, as `paths` does.

        Raises the same exceptions as `paths`. Also raises TypeError if `data` is a `str`, a path or a text file: for a
        path, use `paths`. If `data.read` raises an exception, you first get the hits before it, and then the exception.
        The end of the last of these hits can be missing: then its `doubt` is "cut".

        >>> import gzip, urlspool
        >>> box = b"From a@b Mon Jan  1 00:00:00 2001\\nSubject: x\\n\\nhttp://a.example/\\n"
        >>> [(hit.url, hit.message) for hit in urlspool.read(gzip.compress(box))]
        [('http://a.example/', 1)]
        """
        _one_thread(options, "data of read()")
        return self.file_hits(iter([(os.fsencode(name), _streams.reader(data))]), **_options(options))

    def files(self, *paths: _Paths, **options: Unpack[Options]) -> Listing[dict[str, typing.Any]]:
        """Lists the files that `paths` would read.

        paths, options  the arguments and options of `paths`, except `threads` and `byte_range`

        Returns a Listing: an iterator of dicts with `file`, `size`, `format`, `codec` and `splits`.

        Raises the same exceptions as `paths`. `Listing.problems` has a line for each file that could not be read.

        >>> import urlspool
        >>> [(file["file"], file["format"]) for file in urlspool.files("corpus/mbox/small.mbox")]
        [('corpus/mbox/small.mbox', 'mbox')]
        """
        return self.path_files(_paths(paths), **_options(options))

    def manifest(
        self, paths: _Paths, size: int | str = "64M", check: str = "time", **options: Unpack[Options]
    ) -> Listing[str] | _streams.Tasks:
        """Divides a search into tasks, for several processes or machines.

        paths    a path, or a list of paths
        size     the approximate number of bytes in the files of each task; a number, or a text with K, M or G for KiB,
                 MiB or GiB, such as "64M"
        check    how `task` finds out whether a file has changed: by its size and modification "time", or only by its
                 "size", for files that were copied without their time. The URL of an object has an ETag, which stands
                 for the time
        options  the options of `paths`, except `threads` and `byte_range`

        Returns a Listing: an iterator of tasks. A task is a `str`: a line of JSON with all information that the
        function `task` needs to run the task.

        Raises the same exceptions as `paths`. `Listing.problems` has a line for each file that could not be read.

        >>> import urlspool
        >>> tasks = list(urlspool.manifest("corpus/mbox", 1000))
        >>> urls = [hit.url for task in tasks for hit in urlspool.task(task)]
        >>> urls == [hit.url for hit in urlspool.paths("corpus/mbox")]
        True
        """
        if check not in ("time", "size"):
            raise ValueError(f"check={check!r}: give 'time' or 'size'")

        def keys(file: dict[str, typing.Any]) -> dict[str, typing.Any]:
            return {name: value for name, value in file.items() if check == "time" or name != "mtime"}

        def unstamped(task: str) -> str:
            about = json.loads(task)
            about.pop("id")
            return _streams.task({**about, "files": list(map(keys, about["files"]))} if "files" in about else about)

        local, urls = _urls([paths], options)
        tasks = self.path_manifest(local, _size(size), **_options(options))
        if urls:
            stored = self.stored_options(**_options(options))
            return _streams.Tasks(_streams.manifest(_streams.find(urls), _size(size), stored, keys))
        return tasks if check == "time" else _streams.Tasks(map(unstamped, tasks), tasks)

    def messages(self, *paths: _Paths, **options: Unpack[Options]) -> Messages:
        """Reads the messages in files and directories, in any format, each with its URLs.

        paths, options  the arguments and options of `paths`; `threads` has no effect, because `messages` uses one
                        thread

        Returns Messages: an iterator of Message. You can read Messages only once. If you do not read all messages, end
        the search with `with` or `close()`.

        Raises the same exceptions as `paths`. `Messages.problems` has a line for each file that could not be read.

        >>> import urlspool
        >>> with urlspool.messages("corpus/mbox/quoted_from.mbox") as messages:
        ...     for message in messages:
        ...         print(message.subject, len(message.hits))
        Lines that begin with From 3
        """
        return self.path_messages(_paths(paths), **_options(options))


def task(task: str, *, threads: int = 1) -> Hits:
    """Runs a task of `manifest` or `urlspool tasks plan`.

    task     a task: a line of JSON
    threads  how many threads search; 0 means one for each core; default 1. URLs are read by one thread

    Returns Hits, as `paths` does. `Hits.totals` has the totals of the task after you have read all of its URLs. If a
    file has changed since the manifest was made, `Hits.problems` has a line for the file, and the totals have
    `complete` False. If the file has a URL, OSError is raised instead.

    Raises ValueError if the text is not a task, or if the task has options that only `urlspool tasks run` knows, such
    as `--fields`.
    """
    if "://" in task:
        files = json.loads(task).get("files", [])
        if any(_streams.is_url(file.get("file", "")) for file in files):
            return _native.task(task, threads=threads, files=_streams.opened(_streams.unchanged(files)))
    return _native.task(task, threads=threads)


def _documentation() -> str:
    """Returns the documentation of all options."""
    lines = (f"    {name}: {text}" for name, _, text in _native.options())
    return "\n".join(textwrap.fill(line, 120, subsequent_indent="        ") for line in lines)


if Extractor.__doc__ is not None:
    # Since Python 3.13, the lines of a docstring are not indented.
    _place = re.compile("(?=^ *Raises TypeError)", re.M)
    Extractor.__doc__ = _place.sub(lambda _: f"{_documentation()}\n\n", Extractor.__doc__, count=1)

if hasattr(os, "register_at_fork"):
    # `after_fork` makes the child refuse to continue a search of the parent.
    os.register_at_fork(after_in_child=_native.after_fork)

_DEFAULT = Extractor()
urls = _DEFAULT.urls
links = _DEFAULT.links
linkify = _DEFAULT.linkify
message = _DEFAULT.message
paths = _DEFAULT.paths
read = _DEFAULT.read
messages = _DEFAULT.messages
files = _DEFAULT.files
manifest = _DEFAULT.manifest


def __dir__() -> list[str]:
    return __all__
