#!/usr/bin/env python3
"""Opens a page of `urlspool --report` in a real Chromium, without a screen, and checks whether it works.

    tests/report_browser.py PAGE [SCREENSHOT]

Prints what it measured as JSON. Status 0 if all is as it should be, 1 if not (and says what), 77 if there is no Chromium
with its driver here. Needs nothing beyond Python's own library.
"""

import base64
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--window-size=1240,2400",
]

DRAWN = """
return [...document.querySelectorAll("canvas")].map((canvas) => {
  if (canvas.parentElement.classList.contains("none")) return [canvas.id, "none"];
  const { width, height } = canvas;
  // A copy: to read the canvas itself is what the console would warn of.
  const copy = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const bytes = copy.getImageData(0, 0, width, height).data;
  const colours = new Set();
  for (let i = 0; i < bytes.length; i += 4) if (bytes[i + 3]) colours.add(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]);
  return [canvas.id, colours.size];
});
"""

SEARCH = """
const search = document.getElementById("search");
search.value = arguments[0];
search.dispatchEvent(new Event("input"));
const rows = [...document.querySelectorAll("#hosts tbody tr")];
return [document.getElementById("found").textContent, rows.map((row) => row.cells[0].textContent)];
"""

PLACES = """
const details = document.querySelector("#hosts details");
details.open = true;
return new Promise((done) => setTimeout(() => done([...document.querySelectorAll("#hosts li")].map(
  (item) => [item.querySelector("code").textContent, item.querySelector("a")?.href ?? null])), 100));
"""

LOADED = """
const [navigation] = performance.getEntriesByType("navigation");
return [navigation.loadEventEnd, performance.getEntriesByType("resource").map((entry) => entry.name)];
"""


class Browser:
    def __init__(self, profile):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.driver = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.root = f"http://127.0.0.1:{port}"
        self.session = ""
        for _ in range(200):
            try:
                self.ask("GET", "/status")
                break
            except OSError:
                time.sleep(0.05)
        options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        answer = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = "/session/" + answer["sessionId"]

    def ask(self, method, path, body=None):
        bytes = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + self.session + path, bytes, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def run(self, script, *arguments):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def log(self, kind):
        return self.ask("POST", "/se/log", {"type": kind})

    def command(self, name, **parameters):
        return self.ask("POST", "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def close(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait(10)


def look(browser, page, shot, wrong):
    url = page.resolve().as_uri()
    # Ignore requests of the browser itself.
    browser.ask("POST", "/url", {"url": "about:blank"})
    browser.log("browser"), browser.log("performance")
    browser.ask("POST", "/url", {"url": url})
    milliseconds, resources = browser.run(LOADED)
    if milliseconds >= 2000:
        wrong.append(f"it took {milliseconds:.0f} ms to open")
    drawn = dict(browser.run(DRAWN))
    wrong += [f"the chart {name} is blank" for name, colours in drawn.items() if colours != "none" and colours < 3]
    browser.run('document.getElementById("shares").click()')
    shares = dict(browser.run(DRAWN))
    wrong += [f"the chart {name} is blank in shares" for name, colours in shares.items() if colours != "none" and colours < 3]
    if shares["years"] == drawn["years"] != "none":
        wrong.append("the button for shares changes nothing")
    found, hosts = browser.run(SEARCH, "")
    data = json.loads(browser.run('return document.getElementById("data").textContent'))
    if len(hosts) != min(100, len(data["hosts"]["rows"])):
        wrong.append(f"the table has {len(hosts)} hosts")
    if hosts:
        name = hosts[-1]
        found, some = browser.run(SEARCH, name.upper())
        if name not in some or any(name not in other for other in some):
            wrong.append(f"searched for {name}, found {some}")
        places = browser.run(PLACES)
        if not places or any(link is not None and not link.startswith("file:///") for _, link in places):
            wrong.append(f"the places of {name} are {places}")
        found, none = browser.run(SEARCH, "no such host anywhere")
        if none or not found.startswith("0 hosts"):
            wrong.append(f"searched for nothing, found {none} and {found!r}")
        pattern = "/^" + name.replace(".", "\\.") + "$/"
        if browser.run(SEARCH, pattern)[1] != [name]:
            wrong.append(f"the pattern {pattern} does not find its host")
        browser.run(SEARCH, "")
    if shot:
        for theme in ["light", "dark"]:
            browser.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
            time.sleep(0.5)
            height = browser.run("return document.documentElement.scrollHeight")
            clip = {"x": 0, "y": 0, "width": 1240, "height": min(height, 3000), "scale": 1}
            answer = browser.command("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
            shot.with_stem(f"{shot.stem}-{theme}").write_bytes(base64.b64decode(answer["data"]))
    wrong += [f"the console has: {entry['message']}" for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
            asked = message["params"].get("request", message["params"])["url"]
            if asked != url and not asked.startswith("data:"):
                wrong.append(f"the page requested {asked}")
    wrong += [f"it loaded {name}" for name in resources if not name.startswith("data:")]
    return {"milliseconds": round(milliseconds), "colours": drawn, "hosts": data["hosts"]["count"], "bytes": page.stat().st_size}


def main():
    if not CHROMIUM or not DRIVER:
        print("skipped: no Chromium with its driver", file=sys.stderr)
        return 77
    page = pathlib.Path(sys.argv[1])
    shot = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
    wrong = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            print(json.dumps(look(browser, page, shot, wrong)))
        finally:
            browser.close()
    for what in wrong:
        print(what, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
