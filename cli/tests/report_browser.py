#!/usr/bin/env python3
"""Opens a page of `urlspool report` in headless Chromium and tests the page.

    cli/tests/report_browser.py PAGE [SCREENSHOT [WIDTH HEIGHT]]

Prints the measured values as JSON. The exit status is 0 if the page passes, 1 if it fails (with a line for each error),
and 77 if Chromium is not installed. The script controls Chromium through a pipe, so Python's standard library suffices.

SCREENSHOT is the file name of a picture of the first WIDTH x HEIGHT pixels. Without WIDTH and HEIGHT, the script writes
four pictures: one for each theme (light and dark) at each of two widths. The script adds the theme and the width in
pixels to the file names: if SCREENSHOT is `page.png`, one of the pictures is `page-dark-390.png`.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe",
]
# The longest acceptable time to load the page.
MOST_MILLISECONDS = 1000
# The number of rows that a table shows before "Show more".
ROWS = 10

# Returns the content of the page as a user or a screen reader perceives it.
READ = """(() => {
  const cells = (row) => [...row.cells].map((cell) => cell.textContent);
  const tables = {};
  for (const table of document.querySelectorAll("table"))
    tables[table.parentElement.id] = { heads: cells(table.tHead.rows[0]), rows: [...table.tBodies[0].rows].map(cells) };
  const columns = {};
  for (const drawing of document.querySelectorAll("svg"))
    columns[drawing.closest("[id]").id] = [...drawing.querySelectorAll("g")].map((group) => {
      const boxes = [...group.querySelectorAll("rect:not(.back)")].map((rect) => rect.getBBox());
      return boxes.length ? Math.max(...boxes.map((box) => box.y + box.height)) - Math.min(...boxes.map((box) => box.y)) : 0;
    });
  const colours = [...document.querySelectorAll("svg rect:not(.back)")].map((rect) => getComputedStyle(rect).fill);
  const hrefs = [...document.querySelectorAll("a")].map((link) => link.getAttribute("href"));
  const unnamed = [...document.querySelectorAll("svg, input")].filter((element) => !element.getAttribute("aria-label") && !element.closest("label")).length;
  return { tables, columns, colours, hrefs, unnamed, text: document.body.innerText, tags: document.querySelectorAll("script, img, iframe").length };
})()"""

LOADED = """(() => {
  const [navigation] = performance.getEntriesByType("navigation");
  return [navigation.loadEventEnd, performance.getEntriesByType("resource").map((entry) => entry.name)];
})()"""

SEARCH = """((text) => {
  const search = document.querySelector("#hosts input");
  search.value = text;
  search.dispatchEvent(new Event("input"));
  const names = [...document.querySelectorAll("#hosts .opener")].map((button) => button.textContent);
  return [document.querySelector("#hosts [role=status]").textContent, names, search.getAttribute("aria-invalid")];
})"""

SORT = """((id, at) => {
  const button = document.querySelectorAll(`#${id} th`)[at].querySelector("button");
  button.click();
  const direction = button.parentElement.getAttribute("aria-sort");
  return [direction, [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => row.cells[at].textContent)];
})"""

FILTER = """(() => {
  document.querySelector("#hosts [type=checkbox]").click();
  return document.querySelector("#hosts [role=status]").textContent;
})()"""

OPEN = """(() => {
  document.querySelector("#hosts .opener").click();
  return [...document.querySelectorAll("#hosts li")].map((item) => item.querySelector("code").textContent);
})()"""


class Browser:
    def __init__(self, profile):
        to_browser, ours = os.pipe()
        theirs, from_browser = os.pipe()[::-1]
        # Chromium reads commands from descriptor 3 and writes to descriptor 4.
        shell = f'exec "$@" 3<&{to_browser} 4>&{theirs}'
        command = ["sh", "-c", shell, "sh", CHROMIUM, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(to_browser, theirs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser), os.close(theirs)
        self.output, self.input, self.rest = ours, from_browser, b""
        self.number, self.session, self.events = 0, None, []
        pages = [target for target in self.command("Target.getTargets")["targetInfos"] if target["type"] == "page"]
        self.session = self.command("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.command(domain + ".enable")

    def message(self):
        while b"\0" not in self.rest:
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise EOFError("Chromium ended")
            self.rest += piece
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def command(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.output, data):]
        while True:
            answer = self.message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, script):
        answer = self.command("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def call(self, script, *arguments):
        return self.run(f"{script}({', '.join(map(json.dumps, arguments))})")

    def open(self, url):
        self.events.clear()
        self.command("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def show(self, width, height, theme="light"):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        # The layout for the new width is complete after the next frame.
        frame = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        self.command("Runtime.evaluate", expression=frame, awaitPromise=True)

    def picture(self, path, width, height):
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        picture = self.command("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(picture["data"]))

    def close(self):
        try:
            self.command("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(30)


def check_tables(data, read, wrong):
    """Checks that the tables and the columns of the chart show the numbers in `data`."""
    number = "{:,}".format
    expected = {
        "schemes": [[row[0], number(row[1])] for row in data["schemes"]],
        "tiers": [[row[0], number(row[2])] for row in data["tiers"]],
        "forms": [[row[0], number(row[2]), number(row[3])] for row in data["forms"]],
        "rejects": [[row[0], number(row[2])] for row in data["rejects"]],
        "notes": [[row[0], number(row[2])] for row in data["notes"]],
        "hosts": [[row[0], number(row[1])] for row in data["hosts"]["rows"]],
        "trouble": [[number(row[1]), number(row[2])] for row in data["trouble"]["rows"]],
        "unread": [[row[1]] for row in data["unread"]["rows"]],
    }
    for name, rows in expected.items():
        got = [[cell.removeprefix("\u25b8\u00a0") for cell in row] for row in read["tables"].get(name, {"rows": []})["rows"]]
        missing = [row for row, cells in zip(rows[:ROWS], got) if not set(row) <= set(cells)]
        # Escapes differ on purpose.
        missing = [row for row in missing if all(str(cell).isascii() and str(cell).isprintable() for cell in row)]
        if len(got) != min(ROWS, len(rows)) or missing:
            wrong.append(f"the table {name} has {got[:5]} for {rows[:5]}")
    labels, series = data["time"]["labels"], data["time"]["series"]
    totals = [sum(counts[at] for _, counts in series) for at in range(len(labels))]
    heights = read["columns"].get("time", [])
    if len(heights) != len(labels):
        wrong.append(f"the chart has {len(heights)} columns for {len(labels)} labels")
    elif labels:
        most = max(totals)
        if any(abs(height / max(heights) - total / most) > 0.01 for height, total in zip(heights, totals)):
            wrong.append(f"the columns {heights} are not as high as {totals}")
        rows = [[label, number(total)] for label, total in zip(labels, totals)]
        if [row[:2] for row in read["tables"]["time-numbers"]["rows"]] != rows[:ROWS]:
            wrong.append("the table of the chart has other numbers")


def check(browser, page, wrong):
    url = page.resolve().as_uri()
    browser.show(1280, 900)
    browser.open(url)
    milliseconds, resources = browser.run(LOADED)
    for _ in range(9):
        if milliseconds < MOST_MILLISECONDS:
            break
        # Other programs can slow down the browser, so it is enough if one of ten attempts is fast.
        browser.open(url)
        milliseconds = min(milliseconds, browser.run(LOADED)[0])
    if milliseconds >= MOST_MILLISECONDS:
        wrong.append(f"it took {milliseconds:.0f} ms to open")
    data = json.loads(browser.run('document.getElementById("data").textContent'))
    read = browser.run(READ)
    check_tables(data, read, wrong)
    if read["tags"] != 2 or read["unnamed"]:
        wrong.append(f"{read['tags']} elements that load or run (2 expected), {read['unnamed']} without a text alternative")
    wrong += [f"a link leads to {href}" for href in read["hrefs"] if not href.startswith(("file:///", "https://web.archive.org/web/", "#"))]
    hidden = [c for c in read["text"] if c in "\u061c\u200e\u200f" or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"]
    if hidden:
        wrong.append(f"characters that turn the direction of writing are shown: {hidden}")
    if data["time"]["labels"]:
        browser.run('document.getElementById("shares").click()')
        shares = browser.run(READ)["columns"]["time"]
        if max(shares) - min(height for height in shares if height) > 0.5:
            wrong.append(f"shares are not all 100 per cent: {shares}")
    hosts = [row[0] for row in data["hosts"]["rows"]]
    if hosts:
        plain = [name for name in hosts if name.isascii() and name.isprintable()]
        name = plain[-1]
        status, some, _ = browser.call(SEARCH, name.upper())
        if name not in some or any(name not in other for other in some):
            wrong.append(f"searched for {name}, found {some}")
        pattern = "/^" + name.replace(".", "\\.") + "$/"
        if browser.call(SEARCH, pattern)[1] != [name]:
            wrong.append(f"the pattern {pattern} does not find its host")
        places = browser.run(OPEN)
        row = data["hosts"]["rows"][hosts.index(name)]
        if len(places) != len(row[6]) or len(set(places)) != len(places):
            wrong.append(f"the URLs of {name} are {places}")
        status, kept, invalid = browser.call(SEARCH, "/(/")
        if invalid != "true" or "expression" not in status or kept != [name]:
            wrong.append(f"a wrong pattern gives {status!r} and {kept}")
        status, none, _ = browser.call(SEARCH, "no such host anywhere")
        if none or not status.startswith("0 hosts"):
            wrong.append(f"searched for nothing, found {none} and {status!r}")
        browser.call(SEARCH, "")
        status, own = browser.run(FILTER), data["own_hosts"]["rows"]
        if not status.startswith(f"{len(own):,} host") or not re.search(f"found {sum(row[1] for row in own):,} time", status):
            wrong.append(f"without footers and pictures, the status is {status!r}")
        browser.run(FILTER)
        for at, key in [(0, str), (1, lambda cell: int(cell.replace(",", "")))]:
            for _ in range(2):
                direction, cells = browser.call(SORT, "hosts", at)
                keys = [key(cell) for cell in cells]
                if keys != sorted(keys, reverse=direction == "descending"):
                    wrong.append(f"sorted by column {at}, {direction}: {cells[:5]}")
    for width in (390, 1280):
        browser.show(width, 900)
        needed = browser.run("document.documentElement.scrollWidth")
        if needed > width:
            wrong.append(f"it is {needed} pixels wide on a screen of {width}")
    light, dark = set(read["colours"]), None
    browser.show(1280, 900, "dark")
    dark = set(browser.run(READ)["colours"])
    if light and light & dark:
        wrong.append(f"light and dark share the colours {light & dark}")
    for event in browser.events:
        params = event["params"]
        match event["method"]:
            case "Network.requestWillBeSent" if params["request"]["url"] != url and not params["request"]["url"].startswith("data:"):
                wrong.append(f"the page requested {params['request']['url']}")
            case "Network.webSocketCreated":
                wrong.append(f"the page requested {params['url']}")
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                wrong.append(f"the log has: {params['entry']['text']}")
            case "Runtime.exceptionThrown":
                wrong.append(f"the script failed: {params['exceptionDetails']}")
            case "Page.javascriptDialogOpening":
                wrong.append(f"a dialog: {params['message']}")
    wrong += [f"it loaded {name}" for name in resources if not name.startswith("data:")]
    return {"milliseconds": round(milliseconds), "hosts": data["hosts"]["count"], "bytes": page.stat().st_size}


def pictures(browser, page, shot, size):
    browser.open(page.resolve().as_uri())
    if size:
        browser.show(*size)
        browser.picture(shot, *size)
        return
    for theme in ("light", "dark"):
        for width in (390, 1280):
            browser.show(width, 900, theme)
            height = browser.run("document.documentElement.scrollHeight")
            browser.picture(shot.with_stem(f"{shot.stem}-{theme}-{width}"), width, height)


def main():
    if not CHROMIUM:
        print("skipped: no Chromium", file=sys.stderr)
        return 77
    page = pathlib.Path(sys.argv[1])
    shot = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    wrong = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            print(json.dumps(check(browser, page, wrong)))
            if shot:
                pictures(browser, page, shot, [int(pixels) for pixels in sys.argv[3:5]])
        finally:
            browser.close()
    for what in wrong:
        print(what, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
