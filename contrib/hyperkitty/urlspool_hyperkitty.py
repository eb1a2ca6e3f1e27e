"""Makes links of the URLs in HyperKitty's messages, including URLs that were broken over several lines.

Django loads this module in place of HyperKitty's template library `decorate`. README.md says how to switch it on.
"""

import html
import re
import secrets

import urlspool
from django import template
from django.utils.safestring import mark_safe
from hyperkitty.templatetags import decorate

register = template.Library()

# Schemes that are safe as links. mailto is missing, because HyperKitty does not link addresses.
SCHEMES = {"ftp", "gopher", "http", "https", "irc", "news", "nntp", "sip", "sips", "tel", "telnet"}
# HyperKitty shows at most this many characters of a linked URL.
LONGEST = 76
# `render` tries at most this many times to replace the URLs of a message. If all attempts fail, it renders the message
# without urlspool's links.
ROUNDS = 3
# HyperKitty escapes the `<` of a message, so each `<` in a page begins a tag.
TAG = re.compile(r"(<[^>]*>)")


@register.filter()
def render(email, mlist):
    """Renders a message as HyperKitty does, but makes links of the URLs that urlspool finds.

    In the text that HyperKitty renders, a mark replaces each piece of a URL, so that HyperKitty cannot change URLs.
    Afterwards, each mark becomes a link to the whole URL.
    """
    if isinstance(email, dict):
        content, display_fixed = email.get("content", ""), email.get("display_fixed", False)
    else:
        content, display_fixed = email.content, email.display_fixed
    # A mark has only letters and digits, which every renderer leaves unchanged. It is random, so that the sender of a
    # message cannot guess it.
    nonce = "urlspool" + secrets.token_hex(8)
    mark = re.compile(nonce + r"x(\d+)z")
    links = [link for link in urlspool.links(content) if link.parse().scheme.lower() in SCHEMES]
    for _ in range(ROUNDS):
        marked, pieces = _marked(content, links, nonce)
        page = decorate.render({"content": marked, "display_fixed": display_fixed}, mlist)
        # If a mark is inside a tag, the mark replaced the URL of a Markdown link, such as [text](URL). HyperKitty must
        # see the URL of such a link to check whether the URL is safe. So the next attempt does not replace this URL.
        in_tags = {pieces[int(number)][0] for tag in TAG.findall(page) for number in mark.findall(tag)}
        if not in_tags:
            return mark_safe(_with_links(page, mark, pieces))
        links = [link for link in links if link not in in_tags]
    return decorate.render(email, mlist)


def _marked(content, links, nonce):
    """Replaces each piece of a URL with a mark.

    Returns the new content, and a list with a pair for each mark: the link, and the text that the mark replaced.
    """
    parts, pieces, done = [], [], 0
    for link in links:
        for start, end in urlspool._pieces_of_lines(content, link.pieces):
            if start >= done:
                parts += [content[done:start], f"{nonce}x{len(pieces)}z"]
                pieces.append((link, content[start:end]))
                done = end
    return "".join(parts) + content[done:], pieces


def _with_links(page, mark, pieces):
    """Replaces each mark with a link. If the mark is inside a link or code, replaces it with the original text."""

    def link(match):
        link, text = pieces[int(match[1])]
        if len(text) > LONGEST:
            text = text[:LONGEST] + "..."
        # Browsers read a backslash in a path as a slash.
        href = html.escape(link.url.replace("\\", "%5C"))
        return f'<a target="_blank" href="{href}">{html.escape(text)}</a>'

    def original(match):
        return html.escape(pieces[int(match[1])][1])

    parts, inside = [], []
    for part in TAG.split(page):
        name = re.match(r"<(/?)(a|code|pre)\b", part)
        if name and not name[1]:
            inside.append(name[2])
        elif name and inside and inside[-1] == name[2]:
            inside.pop()
        parts.append(mark.sub(original if inside else link, part))
    return "".join(parts)
