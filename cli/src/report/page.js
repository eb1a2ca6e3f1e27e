"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const $ = (id) => document.getElementById(id);
  const number = (n) => n.toLocaleString("en-US");
  const percent = (a, b) => (b ? (100 * a / b).toFixed(1) + " %" : "none");
  const several = (n, one, many) => `${number(n)} ${n === 1 ? one : many || one + "s"}`;
  const sum = (rows, at) => rows.reduce((all, row) => all + row[at], 0);

  // Text is never inserted as markup, because it comes from mail.
  const make = (tag, text, kind) => {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (kind) element.className = kind;
    return element;
  };
  const size = (bytes) => {
    const units = ["bytes", "kB", "MB", "GB", "TB"];
    let unit = 0;
    while (bytes >= 1000 && unit < units.length - 1) { bytes /= 1000; unit++; }
    return `${unit && bytes < 100 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
  };

  const labels = data.years.labels;
  $("title").textContent = data.title;
  const years = (first, last) => (first === last ? String(first) : `${first}\u2013${last}`);
  const span = labels.length ? `, in messages of ${years(labels[0], labels[labels.length - 1])}` : "";
  $("summary").textContent = `${several(data.urls, "URL")} on ${several(data.hosts.count, "host")}${span}`;
  for (const [value, name] of [
    [number(data.urls), "URLs"], [number(data.hosts.count), "hosts"], [number(data.messages), "messages"],
    [number(data.files), "files"], [size(data.bytes), "read"], [number(sum(data.rejects, 1)), "rejects"],
  ]) {
    const tile = make("div");
    tile.append(make("b", value), make("span", name));
    $("tiles").append(tile);
  }

  const wrapped = sum(data.wrappers, 1), broken = sum(data.wrappers, 2);
  const { undated, future } = data.years;
  $("years-note").textContent = "By the dates of their messages."
    + (undated ? ` ${several(undated, "URL")} in no message with a date.` : "")
    + (future ? ` ${several(future, "URL")} in messages dated in the future.` : "");
  $("wrappers-note").textContent =
    `Of ${several(wrapped, "URL")} in brackets, ${number(broken)} were broken over lines: ${percent(broken, wrapped)}. By year, in per cent.`;
  const rejects = sum(data.rejects, 1), damage = sum(data.notes, 1);
  $("rejects-note").textContent = `${several(rejects, "text")} that ${rejects === 1 ? "looks" : "look"} like a URL but ${rejects === 1 ? "is" : "are"} invalid, by reason.`;
  $("notes-note").textContent = `${several(damage, "place")} with malformed input, by kind.`;

  // The charts use the colours of the page.
  let charts = [];
  let shares = false;
  // The 1 avoids a division by zero for a year without URLs.
  const totals = labels.map((_, year) => data.years.series.reduce((all, [, counts]) => all + counts[year], 0) || 1);
  const draw = () => {
    charts.forEach((chart) => chart.destroy());
    charts = [];
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue("--" + name).trim();
    Chart.defaults.color = colour("faint");
    Chart.defaults.borderColor = colour("line");
    Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
    Chart.defaults.animation = false;
    Chart.defaults.maintainAspectRatio = false;
    const chart = (id, count, config) => {
      $(id).parentElement.classList.toggle("none", !count);
      if (count) charts.push(new Chart($(id), config));
    };
    const grid = { grid: { display: false }, ticks: { autoSkip: false } };
    const bars = (id, rows, fill, logarithmic) => chart(id, rows.length, {
      type: "bar",
      data: { labels: rows.map((row) => row[0]), datasets: [{ data: rows.map((row) => row[1]), backgroundColor: fill, borderRadius: 4, maxBarThickness: 22 }] },
      options: {
        indexAxis: "y",
        plugins: { legend: { display: false } },
        scales: { y: grid, x: logarithmic ? { type: "logarithmic", min: 0.5, ticks: { maxTicksLimit: 6, callback: (n) => (Number.isInteger(Math.log10(n)) ? number(n) : "") } } : { ticks: { precision: 0, maxTicksLimit: 6 } } },
      },
    });

    chart("years", labels.length, {
      type: "bar",
      data: { labels, datasets: data.years.series.map(([label, counts], i) => ({ label, data: shares ? counts.map((n, year) => 100 * n / totals[year]) : counts, backgroundColor: colour(label === "other" ? "s6" : "s" + i), maxBarThickness: 64 })) },
      options: {
        interaction: { mode: "index", intersect: false },
        plugins: {
          legend: { position: "bottom", labels: { boxWidth: 12, boxHeight: 12 } },
          tooltip: { callbacks: { label: (item) => `${item.dataset.label}: ${number(data.years.series[item.datasetIndex][1][item.dataIndex])}` } },
        },
        scales: {
          x: { stacked: true, grid: { display: false } },
          y: { stacked: true, max: shares ? 100 : undefined, ticks: { precision: 0, callback: (n) => (shares ? n + " %" : number(n)) } },
        },
      },
    });
    bars("schemes", data.schemes.slice(0, 10), colour("s0"), true);
    chart("forms", data.forms.length, {
      type: "bar",
      data: {
        labels: data.forms.map((row) => row[0]),
        datasets: [
          { label: "whole", data: data.forms.map((row) => row[1] - row[2]), backgroundColor: colour("s2"), maxBarThickness: 22 },
          { label: "rejoined", data: data.forms.map((row) => row[2]), backgroundColor: colour("s1"), maxBarThickness: 22 },
        ],
      },
      options: {
        indexAxis: "y",
        plugins: { legend: { position: "bottom", labels: { boxWidth: 12, boxHeight: 12 } } },
        scales: { x: { stacked: true, ticks: { precision: 0, maxTicksLimit: 6 } }, y: { ...grid, stacked: true } },
      },
    });
    const dated = data.wrappers.filter((row) => row[0] !== null && row[0] <= labels[labels.length - 1]);
    chart("wrappers", dated.length, {
      type: "bar",
      data: { labels: dated.map((row) => row[0]), datasets: [{ data: dated.map((row) => 100 * row[2] / row[1]), backgroundColor: colour("s1"), borderRadius: 4, maxBarThickness: 40 }] },
      options: {
        plugins: { legend: { display: false }, tooltip: { callbacks: { label: (item) => { const row = dated[item.dataIndex]; return `${number(row[2])} of ${number(row[1])}: ${percent(row[2], row[1])}`; } } } },
        scales: { x: { grid: { display: false } }, y: { beginAtZero: true, ticks: { callback: (n) => n + " %", maxTicksLimit: 6 } } },
      },
    });
    bars("tiers", data.tiers, colour("s3"), false);
    bars("rejects", data.rejects.slice(0, 10), colour("bad"), false);
    bars("notes", data.notes.slice(0, 10), colour("s4"), false);
  };
  draw();
  $("shares").addEventListener("click", () => {
    shares = !shares;
    $("shares").setAttribute("aria-pressed", shares);
    draw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

  // Tables.
  const link = (file, words) => {
    const [name, path] = data.paths[file];
    const element = make(path === null ? "span" : "a", words || name);
    if (path !== null) element.href = "file://" + path;
    element.title = name;
    return element;
  };
  const place = ([file, message, line, text]) => {
    const item = make("li");
    const where = [data.paths[file][0], line === null ? null : "line " + line, message === null ? null : "message " + message];
    item.append(make("code", text), " ", link(file, where.filter((word) => word !== null).join(", ")));
    return item;
  };
  const row = (...cells) => {
    const line = make("tr");
    line.append(...cells);
    return line;
  };

  const STEP = 100;
  const most = data.hosts.rows.length ? data.hosts.rows[0][1] : 1;
  let limit = STEP;
  const host = ([name, urls, schemes, when, places]) => {
    const bar = make("td", undefined, "bar");
    const fill = make("i");
    fill.style.width = 100 * urls / most + "%";
    bar.append(fill);
    const links = make("td", undefined, "places");
    const details = make("details");
    details.append(make("summary", places.length < urls ? `first ${places.length}` : `all ${places.length}`));
    let below = null;
    details.addEventListener("toggle", () => {
      if (below === null) {
        const cell = make("td");
        cell.colSpan = 6;
        const list = make("ul");
        list.append(...places.map(place));
        cell.append(list);
        below = row(cell);
      }
      if (details.open) line.after(below);
      else below.remove();
    });
    links.append(details);
    const line = row(make("td", name), make("td", number(urls), "n"), bar, make("td", schemes.join(", ")), make("td", when === null ? "" : years(...when), "faint"), links);
    return line;
  };
  const wanted = () => {
    const text = $("search").value.trim().toLowerCase();
    const pattern = /^\/(.+)\/$/.exec(text);
    if (pattern) {
      try {
        const expression = new RegExp(pattern[1]);
        return (name) => expression.test(name);
      } catch {
        return () => false;
      }
    }
    return (name) => name.includes(text);
  };
  const show = () => {
    const test = wanted();
    const rows = data.hosts.rows.filter((host) => test(host[0].toLowerCase()));
    $("hosts").tBodies[0].replaceChildren(...rows.slice(0, limit).map(host));
    const rest = data.hosts.count - data.hosts.rows.length;
    const beyond = rest ? ` The table has the ${number(data.hosts.rows.length)} with most URLs; ${several(rest, "host")} with ${several(data.hosts.urls - data.hosts.shown, "URL")} are not in it.` : "";
    $("found").textContent = `${several(rows.length, "host")}, ${several(sum(rows, 1), "URL")}.${beyond}`;
    $("more").hidden = rows.length <= limit;
  };
  $("search").addEventListener("input", () => { limit = STEP; show(); });
  $("more").addEventListener("click", () => { limit += 4 * STEP; show(); });
  show();

  const trouble = data.trouble.rows.slice(0, 200);
  $("trouble-note").textContent = `In ${several(data.trouble.count, "file")}` + (trouble.length < data.trouble.count ? `; the ${trouble.length} with most are shown.` : ".");
  $("trouble").tBodies[0].append(...trouble.map(([file, rejects, notes]) => {
    const name = make("td");
    name.append(link(file));
    return row(name, make("td", number(rejects), "n"), make("td", number(notes), "n"));
  }));
  $("rejected-note").textContent = data.rejected.length < rejects ? `The first ${data.rejected.length} rejects` : `All ${data.rejected.length} rejects`;
  $("rejected").tBodies[0].append(...data.rejected.map(([why, [file, message, line, text]]) => {
    const cell = make("td");
    cell.append(make("code", text));
    const where = make("td");
    where.append(link(file, line === null ? undefined : `${data.paths[file][0]}, line ${line}`));
    return row(cell, make("td", why), where);
  }));
  $("footer").textContent = `Made by urlspool ${data.version}.`;
})();
