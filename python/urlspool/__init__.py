"""Finds the URLs in mail and news archives: rejoined, decoded, validated by RFC 1738, with exact provenance.

>>> import urlspool
>>> urlspool.urls("See <URL:http://www.example.org/> and ftp://ftp.example.org/pub.")
['http://www.example.org/', 'ftp://ftp.example.org/pub']

A `str` is text. `bytes` and `email` messages are messages: their MIME parts are decoded. Paths are files and directories,
in any format that urlspool reads:

>>> for hit in urlspool.paths("archive.mbox", "Maildir/"):  # doctest: +SKIP
...     print(hit.url, hit.subject, hit.file, hit.offset)

The module's functions use the default options. `Extractor` has the same methods, with options.
"""

from __future__ import annotations

import email.message
import email.policy
import html
import mailbox
import os
import typing
from collections.abc import Callable, Iterable

from . import _native
from ._native import Hit, Hits, InvalidUrl, Link, Message, Messages, Url, __version__, parse

__all__ = [
    "Extractor",
    "Hit",
    "Hits",
    "InvalidUrl",
    "Link",
    "Message",
    "Messages",
    "Url",
    "__version__",
    "linkify",
    "links",
    "message",
    "messages",
    "parse",
    "paths",
    "read",
    "urls",
]

_Path = typing.Union[str, "os.PathLike[str]"]
_Mail = typing.Union[bytes, bytearray, memoryview, email.message.Message]


def _bytes(mail: _Mail) -> bytes:
    """The bytes of a message."""
    if isinstance(mail, (bytes, bytearray, memoryview)):
        return bytes(mail)
    if isinstance(mail, email.message.Message):
        try:
            return mail.as_bytes()
        except (UnicodeError, LookupError, ValueError):
            # A message with damaged fields cannot be written by the newer policies.
            return mail.as_bytes(policy=email.policy.compat32)
    if isinstance(mail, str):
        raise TypeError("a message is bytes or an email.message.Message; for text, use urls() or links()")
    raise TypeError(f"a message is bytes or an email.message.Message, not {type(mail).__name__}")


def _text(text: str) -> str:
    """The text without lone surrogates, which are not characters. Each is replaced by one character."""
    if not isinstance(text, str):
        raise TypeError(f"text is str, not {type(text).__name__}; for a message in bytes, use message()")
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def _paths(paths: Iterable[typing.Any]) -> list[str]:
    """The paths of files, directories and mailbox objects."""
    found = []
    for path in paths:
        if isinstance(path, mailbox.Mailbox):
            path.flush()
            path = path._path
        found.append(os.fspath(path))
    return found


def _default_link(text: str, link: Link) -> str:
    return f'<a href="{html.escape(link.url)}">{text}</a>'


class Extractor(_native.Extractor):
    """Searches with options. Immutable; several threads may use one, and it can be pickled.

    headers         which header fields are searched: "include" all, "exclude" them, or "only" them
    html            whether HTML parts are searched
    rejoin          whether a bare URL at the end of a line can continue on the next line
    hyphen          whether a hyphen at the end of a line belongs to the URL: "keep" or "drop"
    min_confidence  how likely a rejoined bare URL has to be, in percent
    defanged        whether URLs such as hxxp://evil[.]example/ are restored and found; not in a `str`
    twins           whether the text part's URL is found if the HTML part has the same

    >>> import urlspool
    >>> urlspool.Extractor(rejoin=False).urls("http://www.example.org/a/\\nb.html")
    ['http://www.example.org/a/']
    """

    __slots__ = ()

    def urls(self, source: str | _Mail) -> list[str]:
        """The URLs in a text (`str`) or a message (`bytes`, `email.message.Message`), in order."""
        if isinstance(source, str):
            return [link.url for link in self.links(source)]
        return [hit.url for hit in self.message(source)]

    def links(self, text: str) -> list[Link]:
        """The URLs in a text, with their positions in characters."""
        return self.text_links(_text(text))

    def linkify(self, text: str, link: Callable[[str, Link], str] = _default_link) -> str:
        """The text as HTML, with a link around each URL. A URL that was broken over lines has a link around each piece.

        `link` returns the HTML for a piece; it gets the piece's text as HTML, and the Link.

        >>> import urlspool
        >>> urlspool.linkify("R&D: http://a.example/?x&y")
        'R&amp;D: <a href="http://a.example/?x&amp;y">http://a.example/?x&amp;y</a>'
        """
        pieces = []
        at = 0
        for found in self.links(text):
            for start, end in found.pieces:
                if start < at:
                    continue
                pieces += [html.escape(text[at:start], quote=False), link(html.escape(text[start:end], quote=False), found)]
                at = end
        pieces.append(html.escape(text[at:], quote=False))
        return "".join(pieces)

    def message(self, mail: _Mail) -> list[Hit]:
        """The URLs of one message, each with its place: `bytes`, or an `email.message.Message`."""
        return self.message_bytes(_bytes(mail))

    def paths(self, *paths: _Path | mailbox.Mailbox[typing.Any], **options: typing.Any) -> Hits:
        """The URLs in files and directories, in order: see the README for the options. Other threads search ahead.

        Errors do not end the search: see `Hits.problems`.
        """
        return self.path_hits(_paths(paths), **options)

    def read(self, data: bytes, name: _Path = "-", **options: typing.Any) -> Hits:
        """The URLs in a mailbox, an archive or a compressed file in memory."""
        return self.read_hits(bytes(data), os.fspath(name), **options)

    def messages(self, *paths: _Path | mailbox.Mailbox[typing.Any], **options: typing.Any) -> Messages:
        """The messages in files and directories, of any format, each with its URLs."""
        return self.path_messages(_paths(paths), **options)


_DEFAULT = Extractor()
urls = _DEFAULT.urls
links = _DEFAULT.links
linkify = _DEFAULT.linkify
message = _DEFAULT.message
paths = _DEFAULT.paths
read = _DEFAULT.read
messages = _DEFAULT.messages
