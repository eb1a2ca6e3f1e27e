"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const data = JSON.parse($("data").textContent);
  const number = (n) => n.toLocaleString("en-US");
  const percent = (part, all) => (all ? (100 * part / all).toFixed(1) + "\u00a0%" : "");
  const several = (n, one) => `${number(n)} ${one}${n === 1 ? "" : "s"}`;
  const sum = (rows, at) => rows.reduce((all, row) => all + row[at], 0);

  // Mail can contain HTML, so the page inserts text from mail only as text nodes. Invisible characters, such as those
  // that change the direction of writing, are shown as escapes.
  const visible = (text) => String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  const make = (tag, content, kind) => {
    const element = document.createElement(tag);
    for (const piece of [content ?? []].flat()) element.append(piece instanceof Node ? piece : visible(piece));
    if (kind) element.className = kind;
    return element;
  };
  const say = (id, text) => $(id).replaceChildren(visible(text));
  // Converts text between backticks to code elements.
  const words = (text) => text.split("`").map((piece, i) => (i % 2 ? make("code", piece) : piece));
  const size = (bytes) => {
    const units = ["bytes", "kB", "MB", "GB", "TB"];
    let unit = 0;
    while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1000; unit++; }
    return `${unit && bytes < 100 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
  };

  const file = (at, more) => {
    const [name, path] = data.paths[at];
    const element = make(path === null ? "span" : "a", more ? `${name}, ${more}` : name);
    if (path !== null) element.href = "file://" + path;
    return element;
  };
  const place = (at, message, line) =>
    file(at, [line && `line ${line}`, message && `message ${message}`].filter(Boolean).join(", "));
  // Returns a link to a copy of the URL in the Wayback Machine. The copy is from about the date of the message.
  const copy = (url, date) => {
    if (!/^(https?|ftp):/i.test(url) || url.includes("\ufffd")) return "";
    const link = make("a", "archived copy");
    link.href = `https://web.archive.org/web/${date ?? "*"}/${url}`;
    link.rel = "noreferrer noopener";
    return link;
  };
  // Returns the command that prints a message. There is none if the name is not exact, or if standard input was read.
  const show = (at, message) => {
    const [name] = data.paths[at];
    if (!message || name === "-" || /[\p{Cc}\ufffd]/u.test(name)) return "";
    const operand = `${name.startsWith("-") ? "./" : ""}${name}:${message}`;
    return make("code", "urlspool show " + (/^[\w\/.][\w\/.:@%+=-]*$/.test(operand) ? operand : `'${operand.replaceAll("'", "'\\''")}'`));
  };
  const first = ([url, , at, message, line, date]) => {
    const more = [copy(url, date), show(at, message)].filter(Boolean);
    return [place(at, message, line), ...more.flatMap((part) => [" \u00b7 ", part])];
  };

  // Tables. Each column has a name, and a function `value` that returns the value by which rows are sorted. The cell
  // shows this value, unless the column has a function `cell` that returns something else. `kind` is a CSS class: `n`
  // for numbers, `long` for text that can break anywhere, and `roomy` for columns that narrow screens do not show. A
  // table shows ROWS rows at first, and MORE additional rows after each click on "Show more".
  const ROWS = 10, MORE = 100;
  const bar = (value, kind = "roomy bar") => {
    const width = (row, most) => (most ? 100 * value(row) / most : 0) + "%";
    return { kind, value: null, cell: (row, most) => { const fill = make("i"); fill.style.width = width(row, most); return fill; }, most: value };
  };
  const count = (name, at) => ({ name, kind: "n", value: (row) => row[at], cell: (row) => number(row[at]) });
  const text = (name, at, kind) => ({ name, kind, value: (row) => row[at] ?? "" });
  const table = (id, columns, all, { search, below, own } = {}) => {
    const body = make("tbody"), found = make("span", [], "faint"), more = make("button", "Show more"), input = make("input");
    found.setAttribute("role", "status");
    const most = columns.map(({ most }) => (most ? Math.max(0, ...all.map(most)) : 0));
    let counted = all, rows = all, limit = ROWS, sorted = null, up = false;
    const line = (row) => {
      const cells = columns.map(({ cell, value, kind }, i) => make("td", cell ? cell(row, most[i]) : value(row), kind));
      const line = make("tr", cells);
      if (below) {
        const button = make("button", [...cells[0].childNodes], "opener");
        cells[0].replaceChildren(button);
        button.setAttribute("aria-expanded", false);
        let opened = null;
        button.addEventListener("click", () => {
          if (opened) { opened.remove(); opened = null; } else {
            const cell = make("td", below(row));
            cell.colSpan = columns.length;
            opened = make("tr", cell);
            line.after(opened);
          }
          button.setAttribute("aria-expanded", opened !== null);
        });
      }
      return line;
    };
    const show = () => {
      const [key] = sorted ? [sorted.value] : [];
      const order = (a, b) => { const [x, y] = [key(a), key(b)]; return (x < y ? -1 : x > y ? 1 : 0) * (up ? 1 : -1); };
      const shown = key ? [...rows].sort(order) : rows;
      body.replaceChildren(...shown.slice(0, limit).map(line));
      more.hidden = rows.length <= limit;
    };
    const heads = columns.map((column) => {
      const head = make("th", [], column.kind);
      head.scope = "col";
      if (column.value) {
        const button = make("button", column.name);
        button.addEventListener("click", () => {
          // The first click sorts numbers in descending order, and names in ascending order.
          up = sorted === column ? !up : column.kind !== "n";
          sorted = column;
          heads.forEach((other) => other.removeAttribute("aria-sort"));
          head.setAttribute("aria-sort", up ? "ascending" : "descending");
          show();
        });
        head.append(button);
      }
      return head;
    });
    // Searches the first column for the typed text, or for a regular expression between slashes.
    const look = () => {
      const typed = input.value.trim(), pattern = /^\/(.+)\/$/.exec(typed);
      const name = columns[0].value;
      input.removeAttribute("aria-invalid");
      try {
        const expression = pattern && new RegExp(pattern[1], "iu");
        rows = counted.filter((row) => (expression ? expression.test(name(row)) : name(row).toLowerCase().includes(typed.toLowerCase())));
      } catch (error) {
        input.setAttribute("aria-invalid", true);
        found.replaceChildren(visible(`${error.message}. The table shows the previous search.`));
        return;
      }
      limit = ROWS;
      found.replaceChildren(`${several(rows.length, search)}, found ${several(sum(rows, 1), "time")}`);
      show();
    };
    more.addEventListener("click", () => { limit += MORE; show(); });
    input.addEventListener("input", look);
    if (search) {
      Object.assign(input, { type: "search", placeholder: `Search ${search}s, or /pattern/`, autocomplete: "off", spellcheck: false });
      input.setAttribute("aria-label", `Search ${search}s`);
      $(id).append(make("p", [input, " ", found]));
      if (own) {
        const box = make("input");
        box.type = "checkbox";
        box.addEventListener("change", () => { counted = box.checked ? own : all; look(); });
        $(id).append(make("label", [box, " without list footers and without pictures"]));
      }
      look();
    } else show();
    $(id).append(all.length || search ? make("table", [make("thead", make("tr", heads)), body]) : make("p", "None.", "none"), more);
  };

  // Charts have a column for each month or year. Below each chart is a table of the same numbers.
  const svg = (tag, attributes, ...content) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...content);
    return element;
  };
  const { labels, unit, series, wrappers, undated, future, outside } = data.time;
  // In a stacked chart, each colour is an element of `layers`. Each element has a name, a CSS class `kind`, and a
  // height for each label of the axis. `title` returns the description of a column.
  const chart = (id, layers, axis, title, height) => {
    const draw = () => {
      const width = Math.max(240, $(id).clientWidth), left = 52, bottom = height - 40, top = 22;
      const totals = labels.map((_, at) => layers.reduce((all, layer) => all + layer.heights[at], 0));
      const most = Math.max(...totals, 1e-9), rough = most / 4, power = 10 ** Math.floor(Math.log10(rough));
      const step = Math.max(axis === "URLs" ? 1 : 0, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough));
      const ceiling = Math.ceil(most / step - 1e-9) * step, y = (n) => bottom - (bottom - top) * n / ceiling;
      const slot = (width - left) / labels.length, skip = Math.ceil((unit === "month" ? 58 : 40) / slot);
      const drawing = svg("svg", { width, height, role: "img", "aria-label": `${axis} by ${unit}, ${labels[0]} to ${labels.at(-1)}. The table below has the numbers.` });
      drawing.append(svg("text", { x: 0, y: 10 }, axis), svg("text", { x: width, y: height - 5, "text-anchor": "end" }, `${unit} of the message`));
      for (let n = 0; n <= ceiling + step / 2; n += step) {
        drawing.append(svg("line", { x1: left, x2: width, y1: y(n), y2: y(n) }),
          svg("text", { x: left - 8, y: y(n) + 4, "text-anchor": "end" }, number(+n.toPrecision(6))));
      }
      labels.forEach((label, at) => {
        const x = left + at * slot, group = svg("g", {}, svg("title", {}, title(at)), svg("rect", { x, y: top, width: slot, height: bottom - top, class: "back" }));
        let base = 0;
        const wide = Math.min(slot * 0.8, 64);
        for (const { kind, heights } of layers) {
          if (heights[at]) group.append(svg("rect", { x: x + (slot - wide) / 2, width: wide, y: y(base + heights[at]), height: y(base) - y(base + heights[at]), class: kind }));
          base += heights[at];
        }
        drawing.append(group);
        if (at % skip === 0) drawing.append(svg("text", { x: Math.min(x + slot / 2, width - 4 * label.length), y: bottom + 16, "text-anchor": "middle" }, label));
      });
      const legend = layers.length > 1 ? [make("p", layers.map(({ name, kind }) => make("span", [make("i", [], kind), name])), "legend")] : [];
      $(id).firstChild.replaceChildren(drawing, ...legend);
    };
    if (!$(id).hasChildNodes()) $(id).append(make("div"));
    if (!labels.length) return $(id).replaceChildren(make("p", "None.", "none"));
    draw();
    return draw;
  };
  const numbers = (id, columns, rows) => {
    if (!rows.length) return;
    const details = make("details", [make("summary", "Show the numbers"), make("div")]);
    details.lastChild.id = id + "-numbers";
    $(id).append(details);
    table(id + "-numbers", columns, rows);
  };

  say("title", data.title);
  const span = labels.length ? `, in messages of ${labels[0]}${labels.length > 1 ? " to " + labels.at(-1) : ""}` : "";
  say("summary", `${several(data.urls, "URL")}, ${number(data.distinct)} of them distinct, on ${several(data.hosts.count, "host")}${span}`);
  $("made").append(`Made on ${data.made} by urlspool ${data.version}, `, ...(data.options.length ? ["with ", make("code", data.options.join(" "))] : ["without filters"]), ".");
  if (data.inputs.length > 3) $("made").append(make("details", [make("summary", `All ${data.inputs.length} inputs`), make("ul", data.inputs.map((name) => make("li", name)))]));
  const rejects = sum(data.rejects, 2);
  for (const [value, name, target] of [
    [number(data.urls), "URLs"], [number(data.distinct), "distinct URLs"], [number(data.hosts.count), "hosts"], [number(data.messages), "messages"],
    [number(data.files), "files"], [size(data.bytes), "read"], [number(rejects), "rejects"], [number(data.unread.count), "files not read", "#not-read"],
  ]) {
    if (target && !data.unread.count) continue;
    const tile = make(target ? "a" : "div", [make("b", value), make("span", name)]);
    if (target) tile.href = target;
    $("tiles").append(tile);
  }

  const beside = [
    undated && `${several(undated, "URL")} in messages without a date`,
    future && `${several(future, "URL")} in messages dated in the future`,
    outside.length && `years with few URLs, far from the other years (${outside.map(([year, urls]) => `${year}: ${several(urls, "URL")}`).join(", ")})`,
  ].filter(Boolean);
  say("time-note", `The number of URLs by the ${unit} of their messages.${beside.length ? ` Not shown: ${beside.join("; ")}.` : ""}`);
  const totals = labels.map((_, at) => series.reduce((all, [, counts]) => all + counts[at], 0));
  const details = (at) => `${labels[at]}: ${several(totals[at], "URL")}\n` + series.filter(([, counts]) => counts[at]).map(([name, counts]) => `${name}: ${number(counts[at])}`).join("\n");
  let shares = false;
  const overTime = () => chart("time", series.map(([name, counts], i) => ({
    name, kind: name === "other" ? "s6" : "s" + i, heights: shares ? counts.map((n, at) => 100 * n / (totals[at] || 1)) : counts,
  })), shares ? "per cent of URLs" : "URLs", details, 300)?.();
  overTime();
  numbers("time", [text(unit, 0), count("URLs", 1), ...series.map(([name], i) => count(name, i + 2))],
    labels.map((label, at) => [label, totals[at], ...series.map(([, counts]) => counts[at])]));
  const wrapped = sum(wrappers, 0), broken = sum(wrappers, 1);
  say("wrappers-note", `Messages with a date have ${several(wrapped, "URL")} in brackets. Broken over lines: ${number(broken)}${wrapped ? ` (${percent(broken, wrapped)})` : ""}.`);
  const overWrappers = () => chart("wrappers", [{ kind: "s1", heights: wrappers.map(([all, cut]) => (all ? 100 * cut / all : 0)) }],
    "per cent", (at) => `${labels[at]}: ${number(wrappers[at][1])} of ${number(wrappers[at][0])}`, 230)?.();
  overWrappers();
  numbers("wrappers", [text(unit, 0), count("In brackets", 1), count("Broken", 2)], labels.map((label, at) => [label, ...wrappers[at]]));
  $("shares").hidden = !labels.length;
  $("shares").addEventListener("click", () => {
    shares = !shares;
    $("shares").setAttribute("aria-pressed", shares);
    overTime();
  });
  let wide = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== wide) { wide = innerWidth; overTime(); overWrappers(); } });

  const when = (month) => (month === null ? "" : unit === "year" ? month.slice(0, 4) : month);
  table("top", [
    { name: "URL", kind: "long", value: (row) => row[0], cell: (row) => [make("code", row[0]), make("small", first(row))] },
    count("Times", 1), bar((row) => row[1]),
    { name: "First date", kind: "n", value: (row) => row[5] ?? "", cell: (row) => (row[5] ?? "").replace(/(....)(..)(..).*/, "$1-$2-$3") },
  ], data.top, { search: "URL", own: data.own_top });
  table("hosts", [
    text("Host", 0, "long"), count("URLs", 1), { ...count("Distinct", 2), kind: "n roomy" }, bar((row) => row[1]),
    { name: "Schemes", kind: "roomy", value: (row) => row[3].join(", ") },
    { name: "First", kind: "n", value: (row) => when(row[4]) }, { name: "Last", kind: "n", value: (row) => when(row[5]) },
  ], data.hosts.rows, {
    search: "host",
    own: data.own_hosts.rows,
    below: (row) => {
      const rest = row[2] - row[6].length;
      const items = row[6].map((url) => make("li", [`${number(url[1])} × `, make("code", url[0]), make("small", first(url))]));
      return [make("ul", items), rest ? `and ${several(rest, "other URL")}` : ""];
    },
  });
  const rest = data.hosts.count - data.hosts.rows.length;
  if (rest) $("hosts-note").append(` The table has the ${number(data.hosts.rows.length)} hosts with the most URLs. It omits ${several(rest, "host")} with ${several(data.hosts.urls - data.hosts.shown, "URL")}.`);

  const about = { name: "Meaning", value: (row) => row[1], cell: (row) => words(row[1]) };
  for (const [id, name] of [["senders", "sender"], ["lists", "list"]]) {
    const { count: all, rows } = data[id];
    if (rows.length < all) $(id).before(make("p", `The table has the ${number(rows.length)} of ${several(all, name)} with the most URLs.`));
    table(id, [text("Name", 0, "long"), count("URLs", 1), bar((row) => row[1])], rows, { search: rows.length && name });
  }
  table("schemes", [text("Scheme", 0), count("URLs", 1), bar((row) => row[1], "bar")], data.schemes);
  table("forms", [text("Form", 0), about, count("URLs", 2), count("Broken", 3), bar((row) => row[2])], data.forms);
  table("tiers", [text("Tier", 0), about, count("URLs", 2), bar((row) => row[2])], data.tiers);
  say("rejects-note", `${several(rejects, "text")} ${rejects === 1 ? "looks like a URL but is" : "look like a URL but are"} invalid. The table counts ${rejects === 1 ? "it" : "them"} by reason.`);
  table("rejects", [text("Reason", 0), about, count("Texts", 2), bar((row) => row[2])], data.rejects);
  say("notes-note", `Malformed input in ${several(sum(data.notes, 2), "place")}. The table counts the places by kind.`);
  table("notes", [text("Kind", 0), about, count("Places", 2), bar((row) => row[2])], data.notes);

  const name = { name: "File", kind: "long", value: (row) => data.paths[row[0]][0], cell: (row) => file(row[0]) };
  say("trouble-note", `Files with rejects or malformed input: ${number(data.trouble.count)}.`
    + (data.trouble.rows.length < data.trouble.count ? ` The table has the ${number(data.trouble.rows.length)} files with the most rejects and malformed input.` : ""));
  table("trouble", [name, count("Rejects", 1), count("Malformed", 2)], data.trouble.rows);
  say("rejected-note", data.rejected.length < rejects ? `The first ${data.rejected.length} rejects` : `All ${rejects} rejects`);
  table("rejected", [
    { name: "Text", kind: "long", value: (row) => row[0], cell: (row) => make("code", row[0]) }, text("Reason", 1),
    { name: "Place", kind: "long", value: (row) => data.paths[row[2]][0], cell: (row) => place(row[2], row[3], row[4]) },
  ], data.rejected);
  say("unsearched-note", `${several(sum(data.unsearched, 1), "attachment")}. The option --problems lists them.`);
  table("unsearched", [text("What", 0), count("Attachments", 1), bar((row) => row[1])], data.unsearched);
  $("not-read").hidden = !data.unread.count;
  say("unread-note", several(data.unread.count, "file") + " could not be read completely."
    + (data.unread.rows.length < data.unread.count ? ` The table has the first ${number(data.unread.rows.length)} reasons.` : ""));
  table("unread", [name, text("Reason", 1)], data.unread.rows);
  say("footer", "Links to archived copies open web.archive.org. The page itself loads nothing from the network.");
})();
