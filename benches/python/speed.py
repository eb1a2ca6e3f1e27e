#!/usr/bin/env python3
"""Measures the Python package and other Python packages on the messages of a mailbox.

usage: benches/python/speed.py MAILBOX [COUNT]

Prints one row for each package: the time per message in microseconds in the fastest of three rounds, and the number of
URLs. There are two rows for urlspool. The row `urlspool` measures the function `urlspool.urls`. The row `places`
measures the function `urlspool.message`, which makes a Hit for each URL. The other packages get the text parts from
Python's `email` package, except for fast-mail-parser, which parses the message itself. Needs urlspool, beautifulsoup4,
fast-mail-parser, iocextract, linkify-it-py and urlextract from PyPI.
"""

import email
import mailbox
import re
import sys
import time

import bs4
import fast_mail_parser
import iocextract
import linkify_it
import urlextract
import urlspool

URL = re.compile(r"""(?:https?|ftp)://[^\s<>"']+""")
EXTRACT = urlextract.URLExtract()
LINKIFY = linkify_it.LinkifyIt()


def parts(mail):
    """Yields a pair for each text part of a message: whether the part is HTML, and its decoded text."""
    for part in email.message_from_bytes(mail).walk():
        if part.get_content_maintype() == "text":
            payload = part.get_payload(decode=True) or b""
            try:
                text = payload.decode(part.get_content_charset() or "utf-8", "replace")
            except LookupError:
                text = payload.decode("latin-1")
            yield part.get_content_subtype() == "html", text


def with_re(mail):
    return sum(len(URL.findall(text)) for _, text in parts(mail))


def with_fast_mail_parser(mail):
    parsed = fast_mail_parser.parse_email(mail)
    return sum(len(URL.findall(text)) for text in [*parsed.text_plain, *parsed.text_html])


def with_bs4(mail):
    count = 0
    for is_html, text in parts(mail):
        if is_html:
            soup = bs4.BeautifulSoup(text, "html.parser")
            count += sum(1 for tag in soup.find_all(href=True)) + len(URL.findall(soup.get_text()))
        else:
            count += len(URL.findall(text))
    return count


def with_urlextract(mail):
    return sum(len(EXTRACT.find_urls(text)) for _, text in parts(mail))


def with_iocextract(mail):
    return sum(len(list(iocextract.extract_urls(text))) for _, text in parts(mail))


def with_linkify(mail):
    return sum(len(LINKIFY.match(text) or []) for _, text in parts(mail))


def with_urlspool(mail):
    return len(urlspool.urls(mail))


def with_places(mail):
    return len(urlspool.message(mail))


def main():
    box, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 500
    mails = [box.get_bytes(key) for box in [mailbox.mbox(box)] for key in box.keys()[:count]]
    print(f"{len(mails)} messages, {sum(map(len, mails)) / len(mails):.0f} bytes each\n")
    best = None
    for function in (with_urlspool, with_places, with_fast_mail_parser, with_re, with_bs4, with_linkify, with_iocextract, with_urlextract):
        found, times = 0, []
        for _ in range(3):
            found, begun = 0, time.perf_counter()
            for mail in mails:
                try:
                    found += function(mail)
                except fast_mail_parser.ParseError:
                    pass
            times.append(time.perf_counter() - begun)
        each = min(times) / len(mails) * 1e6
        best = best or each
        print(f"{function.__name__[5:]:18} {each:10.1f} µs {each / best:8.1f} times {found:8} URLs", flush=True)


main()
