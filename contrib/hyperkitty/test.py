#!/usr/bin/env python3
"""Renders messages with HyperKitty's template filter, with and without urlspool. Needs HyperKitty and urlspool."""

import html.parser
import os
import random
import sys
import unittest

os.environ["DJANGO_SETTINGS_MODULE"] = "hyperkitty.tests.settings_test"
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import django  # noqa: E402
from django.conf import settings  # noqa: E402

# README.md tells you to add this line to settings.py.
settings.TEMPLATES[0]["OPTIONS"]["libraries"] = {"decorate": "urlspool_hyperkitty"}
django.setup()

from django.template import engines  # noqa: E402
from hyperkitty.models import Email, MailingList  # noqa: E402
from hyperkitty.templatetags import decorate  # noqa: E402

TEMPLATE = engines["django"].from_string("{% load decorate %}{{ email|render:list }}")
# Texts that have a special meaning in Markdown, in HTML or for urlspool.
FRAGMENTS = [
    "http://a.example/x_y_z", "https://b.example/?a=1&lt=2", "<URL:http://c.example/pub/\n  a.html>", "[text](", "[", "](",
    ")", "![alt](", "`", "```\n", "*", "_", "**", "\n", "\n\n", "> ", "\n> ", "\n    ", "<", ">", "<a href='", '">', "&lt;", "'",
    "<http://d.example/>", "[1]: http://e.example/ 'title'", "[1]", "\\", "-- \n", "javascript:alert(1)", "http://", "# ",
    "<URL:http://f.example/[x](\njavascript:alert(1)>)", "[x](http://a.example/\njavascript:alert(1))", "[1]: <http://g.example/>",
    "-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----", " word ", "@@", "- ", "1. ", "http://é.example/ü>", "|",
]  # fmt: skip


class Page(html.parser.HTMLParser):
    """Collects the visible text of a page, and its links: pairs of a URL and a text."""

    def __init__(self, page):
        super().__init__()
        self.text, self.links, self.tags, self.link = "", [], set(), None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags |= {(tag, name) for name, _ in attributes}
        if tag == "a":
            assert self.link is None, "a link is inside a link"
            self.link = [dict(attributes)["href"], ""]

    def handle_endtag(self, tag):
        if tag == "a":
            if self.link[0] != "#":
                self.links.append(tuple(self.link))
            self.link = None

    def handle_data(self, text):
        self.text += text
        if self.link:
            self.link[1] += text


def pages(content, mode="text"):
    """Returns the page without urlspool, and the page with it."""
    mailing_list = MailingList(name="list@a.example", archive_rendering_mode=mode)
    email = Email(content=content)
    after = TEMPLATE.render({"email": email, "list": mailing_list})
    return Page(decorate.render(email, mailing_list)), Page(after)


class Test(unittest.TestCase):
    def links(self, content, wanted, modes=("text", "markdown")):
        for mode in modes:
            before, after = pages(content, mode)
            self.assertEqual(after.links, wanted, mode)
            self.assertEqual(after.text, before.text, mode)

    def test_broken_urls(self):
        url = "http://a.example/a/very/long/path/that/goes/on/and/on/until/the/end/of/the/line.html"
        head, tail = url[:63], url[63:]
        self.links(f"See {head}\n{tail}\n", [(url, head), (url, tail)])
        self.links(f"> See <{head}\n> {tail}>.\n", [(url, head), (url, tail)])
        self.links(f"<URL:{head}\n  {tail}>\n", [(url, head), (url, tail)])

    def test_brackets_are_not_part_of_urls(self):
        before, after = pages("See <http://a.example/>.")
        # If this assertion fails, HyperKitty no longer adds the bracket, and README.md must be changed.
        self.assertEqual(before.links, [("http://a.example/%3E", "http://a.example/>")])
        self.assertEqual(after.links, [("http://a.example/", "http://a.example/")])

    def test_characters(self):
        for mode in ("text", "markdown"):
            url = "http://a.example/_x_y_?x=1&lt=2"
            self.assertEqual(pages(url, mode)[1].links, [(url, url)])
            self.assertEqual(pages("http://a.example/a\\b", mode)[1].links, [("http://a.example/a%5Cb", "http://a.example/a\\b")])
            self.assertEqual(pages("http://é.example/ü", mode)[1].links, [("http://é.example/ü",) * 2])

    def test_schemes(self):
        self.links("ftp://a.example/pub news:alt.test", [("ftp://a.example/pub",) * 2, ("news:alt.test",) * 2])
        self.links("<javascript:alert(1)> <mailto:a@b.example> <data:text/html,x>", [])

    def test_long_urls_are_shortened(self):
        url = "http://a.example/" + "x" * 100
        self.links(url, [(url, url[:76] + "...")])

    def test_markdown_links_and_code_are_unchanged(self):
        for content in ["[a_b](http://a.example/x_y_z 'title')", "[a][1]\n\n[1]: <http://a.example/>",  "`http://a.example/`", "    http://a.example/", "x\n\n```\nhttp://a.example/\n```"]:
            before, after = pages(content, "markdown")
            self.assertEqual((after.links, after.text), (before.links, before.text), content)

    def test_a_sender_cannot_make_marks(self):
        self.links("urlspool0000000000000000x0z http://a.example/", [("http://a.example/",) * 2])

    def test_a_piece_cannot_become_another_url(self):
        # HyperKitty must see the URL of a Markdown link to check whether the URL is safe. So a mark must not replace
        # this URL.
        for content in ["<URL:http://a.example/[x](\njavascript:alert(1)>)", "<URL:http://a.example/\n[x](javascript:alert(1)>)"]:
            _, after = pages(content, "markdown")
            self.assertFalse([url for url, _ in after.links if "javascript" in url and not url.startswith("http://a.example/")], content)

    def test_messages_of_posts(self):
        mailing_list = MailingList(name="list@a.example", archive_rendering_mode="text")
        page = TEMPLATE.render({"email": {"content": "http://a.example/"}, "list": mailing_list})
        self.assertEqual(Page(page).links, [("http://a.example/",) * 2])

    def test_any_text_makes_a_page_that_is_safe(self):
        source = random.Random(1738)
        tags = {"href", "target", "class", "title", "start", "src", "alt", "id"}
        rendered = 0
        for _ in range(int(os.environ.get("URLSPOOL_CASES", 1000))):
            content = "".join(source.choices(FRAGMENTS, k=source.randint(1, 12)))
            for mode in ("text", "markdown"):
                try:
                    before, after = pages(content, mode)
                except AssertionError as error:
                    # For some content, an assertion in mistune, HyperKitty's Markdown parser, fails. The error of this
                    # assertion has no text.
                    self.assertEqual(str(error), "", content)
                    continue
                rendered += 1
                self.assertLessEqual({name for _, name in after.tags}, tags, content)
                self.assertNotIn("urlspool", after.text + str(after.links), content)
                for url, _ in after.links:
                    self.assertFalse(url.lower().startswith("javascript"), content)
        self.assertGreater(rendered, 1500)


if __name__ == "__main__":
    unittest.main()
