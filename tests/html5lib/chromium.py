#!/usr/bin/env python3
"""Checks that urlspool finds each link that headless Chromium finds after the inputs of html5lib-tests.

    tests/html5lib/chromium.py COMMAND

The exit status is 0 if no link is missing, 1 if one is, and 77 if Chromium is not installed.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = """<!doctype html><meta charset=utf-8><pre id=out></pre><script>
const links = (html) => [...new DOMParser().parseFromString(html, "text/html").querySelectorAll("[href], template")]
  .flatMap((element) => element.content ? [...element.content.querySelectorAll("[href]")] : [element])
  .map((element) => element.getAttribute("href")).filter((href) => /^https?:\\/\\/h\\d+\\.example\\/$/.test(href));
document.getElementById("out").textContent = "LINKS" + JSON.stringify(INPUTS.map(links));
</script>"""


def documents() -> list[str]:
    inputs = pathlib.Path(__file__).with_name("inputs.jsonl").read_text("utf-8").splitlines()
    made = []
    for text in map(json.loads, inputs):
        if any(0xD800 <= ord(character) < 0xE000 for character in text) or "\0" in text:
            continue
        starts = [match.start() for match in re.finditer("<", text)][:6] + [len(text)]
        made.append("".join(f"{text[start:end]}<a href=http://h{i}.example/>" for i, (start, end) in enumerate(zip([0, *starts], [*starts, len(text)]))))
    return made


def main() -> int:
    browser = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None)
    if browser is None:
        print("Chromium is not installed")
        return 77
    htmls = documents()
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        page.write_text(PAGE.replace("INPUTS", json.dumps(htmls).replace("<", "\\u003c")), "utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--dump-dom"]
        dom = subprocess.run([browser, *options, page.as_uri()], capture_output=True, text=True, timeout=300, check=True).stdout
    wanted = json.loads(re.search(r"LINKS(\[.*\])</pre>", dom)[1])
    missing = 0
    for html, links in zip(htmls, wanted, strict=True):
        mail = b"Content-Type: text/html; charset=utf-8\n\n" + html.encode()
        found = subprocess.run([sys.argv[1], "--format", "message", "-"], input=mail, capture_output=True, check=True).stdout.decode().split()
        for link in set(links) - set(found):
            missing += 1
            print(f"missing: {link} in {html!r}")
    print(f"{sum(map(len, wanted))} links in {len(htmls)} documents, {missing} missing")
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
