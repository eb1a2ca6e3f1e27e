#!/usr/bin/env python3
"""Tests in headless Chromium that the page finds the same URLs as the command, and that nothing leaves the browser.

    contrib/page/test.py PAGE COMMAND [--large MEGABYTES MAILBOX] [--pictures DIRECTORY]

Chooses files and folders of corpus/, downloads the JSON lines, and compares them with the output of COMMAND. With
--large, also searches a file of MEGABYTES that repeats MAILBOX. Then prints the speed of the search, and the peak
memory of the largest Chromium process. With --pictures, writes screenshots to DIRECTORY. The exit status is 0 if the
page passes, 1 if it fails, and 77 if Chromium is not installed.
"""

import argparse
import gzip
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cli/tests"))
import report_browser  # noqa: E402

# Tries every way in which a script could send data. The page's policy must refuse every attempt.
LEAVE = """(async () => {
  const refused = [];
  addEventListener("securitypolicyviolation", (event) => refused.push(event.effectiveDirective));
  const url = "http://127.0.0.1:9/";
  await fetch(url).catch(() => {});
  navigator.sendBeacon(url, "x");
  try { new WebSocket("ws://127.0.0.1:9/"); } catch {}
  try { new EventSource(url); } catch {}
  const add = (tag, set) => { const element = Object.assign(document.createElement(tag), set); document.body.append(element); return element; };
  add("img", { src: url }), add("script", { src: url }), add("iframe", { src: url }), add("link", { rel: "stylesheet", href: url });
  add("video", { src: url }), add("object", { data: url });
  const form = add("form", { action: url });
  form.submit();
  await new Promise((done) => setTimeout(done, 300));
  return refused.sort();
})()"""
REFUSED = [
    *["connect-src"] * 4, "form-action", "frame-src", "img-src", "media-src", "object-src", "script-src-elem", "style-src-elem",
]

READ = """(() => ({
  state: document.body.dataset.state, status: document.getElementById("status").textContent,
  found: document.getElementById("found").textContent, more: !document.getElementById("more").hidden,
  urls: [...document.querySelectorAll("td code")].map((code) => code.textContent),
  problems: [...document.querySelectorAll("#problems li")].map((item) => item.textContent),
  links: document.querySelectorAll("a").length,
  width: document.documentElement.scrollWidth,
  unnamed: [...document.querySelectorAll("button, input:not([hidden])")].filter((element) => !element.labels?.length && !element.textContent && !element.ariaLabel).length,
}))()"""

FILTER = """(async (text) => {
  const filter = document.getElementById("filter"), found = document.getElementById("found");
  filter.value = text;
  filter.dispatchEvent(new Event("input"));
  await new Promise((done) => setTimeout(done, 600));
  return found.textContent;
})"""


class Page(report_browser.Browser):
    def __init__(self, profile, downloads):
        super().__init__(profile)
        self.downloads = downloads
        session, self.session = self.session, None
        self.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(downloads), eventsEnabled=True)
        self.session = session

    def wait(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"{script} after {seconds} s: {self.run(READ)}")
            time.sleep(0.05)
        return value

    def later(self, script, *arguments):
        """Runs a script that returns a promise, and returns the value of the promise."""
        expression = f"{script}({', '.join(map(json.dumps, arguments))})" if arguments else script
        answer = self.command("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def choose(self, selector, paths, seconds=60):
        document = self.command("DOM.getDocument")["root"]["nodeId"]
        node = self.command("DOM.querySelector", nodeId=document, selector=selector)["nodeId"]
        self.run('document.body.dataset.state = "waiting"')
        self.command("DOM.setFileInputFiles", nodeId=node, files=[str(path) for path in paths])
        self.finished(seconds)

    def drop(self, paths):
        self.run('document.body.dataset.state = "waiting"')
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            self.command("Input.dispatchDragEvent", type=kind, x=300, y=250, data=data)
        self.finished()

    def finished(self, seconds=60):
        self.wait('document.body.dataset.state === "done"', seconds)
        # Waits until the page has filled the table and counted the rows.
        self.later("new Promise((done) => setTimeout(done, 300))")

    def download(self):
        """Returns the file that the button "Download JSON lines" makes."""
        file = self.downloads / "urls.jsonl"
        file.unlink(missing_ok=True)
        self.later('document.getElementById("download").click()')
        end = time.monotonic() + 60
        while not file.exists():
            if time.monotonic() > end:
                raise TimeoutError("no download")
            time.sleep(0.05)
        return file.read_bytes()


def command_lines(command, folder, names):
    """Runs the command with the files `names`. Returns its output, and its lines on standard error."""
    arguments = [command, "--json", "-j1", "--", *names]
    run = subprocess.run(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return run.stdout, run.stderr.decode(errors="replace").splitlines()


def first_difference(got, want):
    for number, (a, b) in enumerate(zip(got.splitlines(), want.splitlines()), 1):
        if a != b:
            return f"line {number}: {a[:300]} for {b[:300]}"
    return f"{got.count(10)} lines for {want.count(10)}"


def compare(name, page, command, folder, names, wrong):
    want, problems = command_lines(command, folder, names)
    got = page.download() if want else b""
    read = page.run(READ)
    if got != want:
        wrong.append(f"{name}: {first_difference(got, want)}")
    if [line.removeprefix("urlspool: ") for line in problems] != read["problems"]:
        wrong.append(f"{name}: the messages are {read['problems']} for {problems}")
    if int(read["found"].split()[0].replace(",", "")) != want.count(b"\n"):
        wrong.append(f"{name}: the table has {read['found']} for {want.count(10)}")
    return want


def samples(folder):
    """Fills a folder with parts of the corpus and other kinds of files. Returns the files at its top level."""
    for name in ("mail", "mbox", "maildir", "mh", "spool", "rnews"):
        shutil.copytree(ROOT / "corpus" / name, folder / name)
    boxes = sorted((ROOT / "corpus/mbox").glob("*.mbox"))
    (folder / "box.mbox.gz").write_bytes(gzip.compress(b"\n".join(box.read_bytes() for box in boxes)))
    (folder / "cut.gz").write_bytes(gzip.compress(boxes[0].read_bytes())[:-20])
    shutil.make_archive(str(folder / "all"), "zip", ROOT / "corpus", "mail")
    shutil.make_archive(str(folder / "all"), "gztar", ROOT / "corpus", "mh")
    (folder / "-").write_text("http://dash.example/ hxxp://evil[.]example/\n")
    (folder / "K\u00f6ln \u202e.txt").write_text("http://name.example/\u202ecod.exe\n")
    (folder / "empty").write_bytes(b"")
    for path in folder.rglob("*"):
        # The browser follows symbolic links, but the command does not. So the test removes the symbolic links.
        if path.is_symlink():
            path.unlink()
    return sorted(path for path in folder.iterdir() if path.is_file())


def check(page, url, command, folder, wrong):
    page.show(1280, 900)
    page.open(url)
    page.wait('document.body.dataset.state === "ready"')
    files = samples(folder)
    names = [path.name for path in files]

    page.choose("#files", files)
    given = ["./-" if name == "-" else name for name in names]
    want = compare("files", page, command, folder, given, wrong)
    rows = [json.loads(line) for line in want.splitlines()]
    shown = page.run(READ)
    if shown["links"] or "\u202e" in json.dumps(shown, ensure_ascii=False):
        wrong.append(f"{shown['links']} links before a click, or a character that turns the direction of writing")

    # The filter.
    for text in ("example", "BIG5 zip!", "no such text", '"', "a.b\\"):
        passing = [
            row for row in rows
            if all(word in "\n".join(row[key] for key in ("url", "target", "subject", "from", "file", "member", "date") if row[key]).lower()
                   for word in text.lower().split())
        ]
        found = page.later(FILTER, text)
        if int(found.split()[0].replace(",", "")) != len(passing):
            wrong.append(f"the filter {text!r} finds {found!r}, not {len(passing)}")
        if passing and [json.loads(line) for line in page.download().splitlines()] != passing:
            wrong.append(f"the download of the filter {text!r} has other rows")
    page.later(FILTER, "")
    while page.run(READ)["more"]:
        page.later('(document.getElementById("more").click(), new Promise((done) => setTimeout(done, 300)))')
    visible = page.run(READ)["urls"]
    if len(visible) != len(rows) or any(url != row["url"] for url, row in zip(visible, rows) if row["url"].isascii()):
        wrong.append(f"after Show more, the table has {len(visible)} rows of {len(rows)}")

    # Opening a URL takes two clicks.
    host, rel, count = page.later("""(async () => {
      [...document.querySelectorAll("td button")][0].click();
      const [link] = document.querySelectorAll("td a");
      return [link.textContent, link.rel, document.querySelectorAll("a").length];
    })()""")
    if count != 1 or "example" not in host or rel != "noreferrer noopener":
        wrong.append(f"the first click makes {count} links: {host!r} with {rel!r}")

    inner = folder / "mbox"
    page.choose("#folder", [inner])
    compare("a folder", page, command, folder, ["mbox"], wrong)
    # Chromium's automation can drop folders, too.
    page.drop([folder / "maildir", folder / "mh", folder / "box.mbox.gz", folder / "mail"])
    compare("dropped", page, command, folder, ["maildir", "mh", "box.mbox.gz", "mail"], wrong)
    page.run('document.getElementById("defanged").click()')
    page.choose("#files", [folder / "-"])
    if "http://evil.example/" not in page.run(READ)["urls"]:
        wrong.append("the option for defanged URLs has no effect")
    page.run('document.getElementById("defanged").click()')
    page.choose("#files", [folder / "empty"])
    if page.run(READ)["found"] != "0 URLs":
        wrong.append(f"an empty file: {page.run(READ)}")

    for width in (390, 1280):
        page.show(width, 900)
        needed = page.run(READ)["width"]
        if needed > width:
            wrong.append(f"it is {needed} pixels wide on a screen of {width}")
    if page.run(READ)["unnamed"]:
        wrong.append("a button or input has no name")
    check_requests(page, url, wrong)
    refused = page.later(LEAVE)
    if refused != REFUSED:
        wrong.append(f"the policy refuses {refused}, not {REFUSED}")


def check_requests(page, url, wrong):
    for event in page.events:
        params = event.get("params", {})
        match event["method"]:
            case "Network.requestWillBeSent" if params["request"]["url"] != url and not params["request"]["url"].startswith(("data:", "blob:")):
                wrong.append(f"the page requested {params['request']['url']}")
            case "Log.entryAdded" if params["entry"]["level"] in ("error", "warning"):
                wrong.append(f"the log has: {params['entry']['text']}")
            case "Runtime.exceptionThrown":
                wrong.append(f"the script failed: {params['exceptionDetails']}")


def processes(parent):
    """Returns the process number and the peak memory in kB of each descendant of the process `parent`."""
    sizes = {}
    children = {}
    for status in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines())
        except OSError:
            continue
        children.setdefault(int(fields["PPid"]), []).append((int(status.parent.name), fields))
    todo = [parent]
    while todo:
        for number, fields in children.get(todo.pop(), []):
            todo.append(number)
            sizes[number] = int(fields.get("VmHWM", "0 kB").split()[0])
    return sizes


def large(page, url, command, folder, megabytes, mailbox, wrong):
    data = pathlib.Path(mailbox).read_bytes().rstrip(b"\n") + b"\n\n"
    box = folder / "large.mbox"
    with open(box, "wb") as file:
        for _ in range(max(1, megabytes * 1_000_000 // len(data))):
            file.write(data)
    page.open(url)
    page.wait('document.body.dataset.state === "ready"')
    page.choose("#files", [box], 600)
    print("page:", page.run(READ)["status"])
    print("memory: the largest process had at most", max(processes(page.process.pid).values()) // 1000, "MB")
    begun = time.perf_counter()
    with open(folder / "native.jsonl", "wb") as output:
        subprocess.run([command, "--json", "-j1", box.name], cwd=folder, stdout=output, check=True)
    seconds = time.perf_counter() - begun
    print(f"command: {box.stat().st_size / seconds / 1e6:.1f} MB/s with one thread")
    if page.download() != (folder / "native.jsonl").read_bytes():
        wrong.append("large: the download differs from the output of the command")


def pictures(page, url, folder, into):
    into.mkdir(exist_ok=True)
    page.show(1280, 900)
    page.open(url)
    page.wait('document.body.dataset.state === "ready"')
    for theme in ("light", "dark"):
        page.show(1280, 600, theme)
        page.picture(into / f"empty-{theme}.png", 1280, 600)
    page.choose("#files", [path for path in folder.iterdir() if path.is_file() and path.name != "large.mbox"])
    for theme in ("light", "dark"):
        for width in (390, 1280):
            page.show(width, 900, theme)
            page.picture(into / f"results-{theme}-{width}.png", width, 1200)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("command")
    parser.add_argument("--large", nargs=2)
    parser.add_argument("--pictures", type=pathlib.Path)
    options = parser.parse_args()
    if not report_browser.CHROMIUM:
        print("skipped: no Chromium", file=sys.stderr)
        return 77
    wrong = []
    url, command = options.page.resolve().as_uri(), os.path.abspath(options.command)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as top:
        folder, downloads = pathlib.Path(top, "files"), pathlib.Path(top, "downloads")
        folder.mkdir(), downloads.mkdir()
        page = Page(pathlib.Path(top, "profile"), downloads)
        try:
            check(page, url, command, folder, wrong)
            if options.large:
                large(page, url, command, folder, int(options.large[0]), options.large[1], wrong)
            if options.pictures:
                pictures(page, url, folder, options.pictures)
        finally:
            page.close()
    for what in wrong:
        print(what, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
