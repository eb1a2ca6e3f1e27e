"use strict";
(async () => {
  const $ = (id) => document.getElementById(id);
  const number = (n) => n.toLocaleString("en-US");
  const several = (n, one) => `${number(n)} ${one}${n === 1 ? "" : "s"}`;
  const megabytes = (bytes) => `${number(Math.round(bytes / 1e5) / 10)} MB`;

  // Other people's mail is always inserted as text, never as markup. Invisible characters, such as those that change
  // the direction of writing, become escapes.
  const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  const make = (tag, ...content) => {
    const element = document.createElement(tag);
    for (const piece of content) if (piece) element.append(piece instanceof Node ? piece : visible(piece));
    return element;
  };

  // The program is stored compressed and in base64.
  const unpack = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  };
  const program = unpack($("program").textContent).then((bytes) => WebAssembly.compile(bytes));
  const workerUrl = URL.createObjectURL(new Blob([$("worker").textContent], { type: "text/javascript" }));

  // The state of the search. `pieces` has the output: blobs of whole lines, each with the number of its lines.
  let worker = null, pieces = [], total = 0, begun = 0, searched = 0, problems = 0;
  const MOST_PROBLEMS = 1000, STOPPED = "Stopped";

  const report = (end) => {
    const seconds = (performance.now() - begun) / 1000;
    // Parts of archives are read twice, so `searched` can be larger than `total`.
    const shown = end && end !== STOPPED ? total : Math.min(searched, total);
    $("progress").value = total ? shown / total : 1;
    const rows = pieces.reduce((sum, piece) => sum + piece.lines, 0);
    const speed = end && seconds > 0.5 ? `, ${megabytes(shown / seconds)}/s` : "";
    $("status").textContent = end
      ? `${end}: ${several(rows, "URL")} in ${megabytes(shown)}. It took ${seconds.toFixed(1)} s${speed}.`
      : `Searching: ${several(rows, "URL")} in ${megabytes(shown)} of ${megabytes(total)}`;
  };

  const addProblems = (lines) => {
    const list = $("problems").querySelector("ul");
    for (const line of lines) if (problems++ < MOST_PROBLEMS) list.append(make("li", line.replace(/^urlspool: /, "")));
    $("problems").hidden = !problems;
    const first = problems > MOST_PROBLEMS ? `; the first ${number(MOST_PROBLEMS)} are shown` : "";
    $("problems").querySelector("summary").textContent = several(problems, "problem") + first;
  };

  const finish = (end) => {
    worker?.terminate();
    worker = null;
    $("stop").hidden = true;
    document.body.dataset.state = "done";
    report(end);
  };

  const search = async (files) => {
    if (!files.length) return;
    worker?.terminate();
    [pieces, searched, problems] = [[], 0, 0];
    total = files.reduce((sum, { file }) => sum + file.size, 0);
    begun = performance.now();
    document.body.dataset.state = "searching";
    $("problems").querySelector("ul").replaceChildren();
    addProblems([]);
    $("work").hidden = $("results").hidden = $("stop").hidden = false;
    $("filter").value = "";
    restart(ROWS);
    report();
    const started = (worker = new Worker(workerUrl));
    started.onmessage = ({ data }) => {
      if (started !== worker) return;
      if (data.blob?.size) pieces.push(data);
      if (data.searched) searched = data.searched;
      if (data.problems?.length) addProblems(data.problems);
      if (data.status !== undefined) finish(data.status < 2 ? "Done" : "Done, with problems");
      else report();
      advance();
    };
    started.onerror = (event) => {
      addProblems([event.message]);
      finish(STOPPED);
    };
    const options = $("defanged").checked ? ["--defanged"] : [];
    const module = await program;
    if (started === worker) started.postMessage({ module, files, options });
  };

  // At first, the table shows at most this many of the rows that pass the filter. Each click on "Show more" adds at
  // most this many rows.
  const ROWS = 200;
  let view = null;

  const words = () => $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const passes = (row, wanted) => {
    const fields = [row.url, row.target, row.subject, row.from, row.file, row.member, row.date];
    const text = fields.filter(Boolean).join("\n").toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  // Returns the lines of `text` that pass the filter. To save time, a line without the words of the filter is not
  // parsed.
  const matching = (text, wanted) => {
    const lines = text.split("\n");
    lines.pop();
    if (!wanted.length) return lines;
    const plain = wanted.filter((word) => !/["\\\p{C}]/u.test(word));
    return lines.filter((line) => {
      const lower = line.toLowerCase();
      return plain.every((word) => lower.includes(word)) && passes(JSON.parse(line), wanted);
    });
  };

  const restart = (limit, shown = 0) => {
    view = { wanted: words(), limit, shown, at: 0, found: 0, busy: false };
    if (!shown) $("results").querySelector("tbody").replaceChildren();
    $("found").textContent = "";
    $("more").hidden = true;
    advance();
  };

  // Reads the blobs that the current view has not read yet, and adds their rows to the table.
  const advance = async () => {
    const mine = view;
    if (!mine || mine.busy) return;
    mine.busy = true;
    while (mine === view && mine.at < pieces.length) {
      const { blob, lines } = pieces[mine.at++];
      // Without a filter, each line of a blob is a row. So if the table does not need the rows of this blob, the page
      // counts them without reading the blob.
      const isCounted = !mine.wanted.length && (mine.found >= mine.limit || mine.found + lines <= mine.shown);
      if (isCounted) {
        mine.found += lines;
        continue;
      }
      const rows = matching(await blob.text(), mine.wanted);
      if (mine !== view) return;
      const from = Math.max(mine.shown - mine.found, 0), to = Math.max(mine.limit - mine.found, 0);
      mine.found += rows.length;
      $("results").querySelector("tbody").append(...rows.slice(from, to).map((line) => tableRow(JSON.parse(line))));
      tell(mine);
    }
    mine.busy = false;
    if (mine === view) tell(mine);
  };

  const tell = ({ found, limit, wanted }) => {
    const shown = found > limit ? `; the first ${number(limit)} are shown` : "";
    $("found").textContent = several(found, wanted.length ? "matching URL" : "URL") + shown;
    $("more").hidden = found <= limit;
    for (const id of ["copy-urls", "copy-lines", "download"]) $(id).disabled = !found;
  };

  const tableRow = (row) => {
    const notes = [
      row.rejoined && `rejoined${row.confidence === null ? "" : ` (${row.confidence} %)`}`,
      row.defanged && "was defanged",
      row.recovered && "recovered from malformed mail",
      row.target && `leads to ${row.target}`,
      ...(row.warnings ?? []),
    ];
    const place = [
      row.message && `message ${number(row.message)}`,
      row.line && `line ${number(row.line)}`,
      `byte ${number(row.offset)}`,
      !row.exact && "in this part",
    ];
    const joined = (texts) => make("small", texts.filter(Boolean).join(", "));
    return make("tr",
      make("td", make("code", row.url), opener(row.url), joined(notes)),
      make("td", row.subject ?? "", make("small", row.from), make("small", row.date?.slice(0, 10))),
      make("td", [row.file, row.member].filter(Boolean).join("!"), joined(place)));
  };

  // Makes the button "Open". A click on the button replaces it with a link that names the host. Opening a URL therefore
  // takes two clicks, and the user sees the host first.
  const opener = (url) => {
    let host = "";
    try {
      const parsed = new URL(url);
      if (["http:", "https:"].includes(parsed.protocol)) host = parsed.host;
    } catch {
      // The browser cannot parse the URL, so the URL gets no button.
    }
    if (!host) return null;
    const button = make("button", "Open\u2026");
    button.setAttribute("aria-label", `Open ${visible(url)}`);
    button.onclick = () => {
      const link = make("a", `Go to ${host} in a new tab`);
      link.href = url;
      link.target = "_blank";
      link.rel = "noreferrer noopener";
      button.replaceWith(link);
      link.focus();
    };
    return button;
  };

  // Returns the JSON lines that pass the filter, as parts of a blob.
  const selected = async () => {
    const wanted = words();
    if (!wanted.length) return pieces.map(({ blob }) => blob);
    const parts = [];
    for (const { blob } of pieces) {
      const lines = matching(await blob.text(), wanted);
      // The matching lines become a blob, because the browser can move the content of blobs from memory to disk.
      if (lines.length) parts.push(new Blob([lines.join("\n"), "\n"]));
    }
    return parts;
  };

  const MOST_COPIED = 50_000_000;
  const copy = async (button, convert) => {
    const name = button.textContent;
    const all = new Blob(await selected());
    try {
      if (all.size > MOST_COPIED) throw new Error("Too large for the clipboard: use Download");
      await navigator.clipboard.writeText(convert(await all.text()));
      button.textContent = "Copied";
    } catch (error) {
      button.textContent = error.message;
    }
    setTimeout(() => (button.textContent = name), 2000);
  };
  $("copy-lines").onclick = ({ target }) => copy(target, (text) => text);
  $("copy-urls").onclick = ({ target }) =>
    copy(target, (text) => text.replace(/.+/g, (line) => JSON.parse(line).url));
  $("download").onclick = async () => {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob(await selected(), { type: "application/jsonl" }));
    link.download = "urls.jsonl";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };

  let typing = 0;
  $("filter").oninput = () => {
    clearTimeout(typing);
    typing = setTimeout(() => restart(ROWS), 150);
  };
  $("more").onclick = () => restart(view.limit + ROWS, view.limit);
  $("stop").onclick = () => finish(STOPPED);

  // The two buttons below let the user choose files or a folder.
  const chosen = ({ target }) => {
    search([...target.files].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
    target.value = "";
  };
  for (const [button, input] of [["choose-files", "files"], ["choose-folder", "folder"]]) {
    $(button).onclick = () => $(input).click();
    $(input).onchange = chosen;
  }

  // These functions list the files in a dropped folder. In Chromium, `listHandle` uses the folder's FileSystemHandle,
  // which also works if the page is a local file. In other browsers, `listEntry` uses the folder's FileSystemEntry.
  // Each call of `readEntries` returns only some of the files in a folder.
  const emptyFolder = (path) => ({ path: `${path}/`, file: new File([], "") });
  const listHandle = async (handle, path, into) => {
    if (handle.kind === "file") return void into.push({ path, file: await handle.getFile() });
    into.push(emptyFolder(path));
    for await (const [name, inner] of handle) await listHandle(inner, `${path}/${name}`, into);
  };
  const listEntry = async (entry, path, into) => {
    if (entry.isFile) return void into.push({ path, file: await new Promise((done, fail) => entry.file(done, fail)) });
    into.push(emptyFolder(path));
    const reader = entry.createReader();
    for (;;) {
      const entries = await new Promise((done, fail) => reader.readEntries(done, fail));
      if (!entries.length) return;
      for (const inner of entries) await listEntry(inner, `${path}/${inner.name}`, into);
    }
  };
  const drop = $("drop");
  document.ondragover = (event) => {
    event.preventDefault();
    drop.classList.add("over");
  };
  document.ondragleave = (event) => {
    if (!event.relatedTarget) drop.classList.remove("over");
  };
  document.ondrop = async (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    // The items must be read now, because `event.dataTransfer` is empty after the first `await`.
    const items = [...event.dataTransfer.items].filter(({ kind }) => kind === "file");
    const dropped = items.map((item) => [item.getAsFileSystemHandle?.(), item.webkitGetAsEntry(), item.getAsFile()]);
    const files = [], failed = [];
    for (const [promise, entry, file] of dropped) {
      try {
        const handle = await promise;
        if (handle) await listHandle(handle, handle.name, files);
        else if (entry?.isDirectory) await listEntry(entry, entry.name, files);
        else files.push({ path: file.name, file });
      } catch (error) {
        failed.push(`${file?.name ?? "a folder"}: ${error.message}`);
      }
    }
    await search(files);
    $("work").hidden = false;
    if (failed.length) addProblems(failed);
  };

  try {
    await program;
    $("choose-files").disabled = $("choose-folder").disabled = false;
    document.body.dataset.state = "ready";
  } catch (error) {
    drop.replaceChildren(make("p", `This browser cannot run the search: ${error.message}`));
  }
})();
