// Runs the command in a worker, with the files that the page sends. Sends the output to the page in pieces that end at
// the end of a line.
"use strict";

// The worker sends the waiting output to the page when it has at least PIECE bytes, or when the worker sent the
// previous output more than MILLISECONDS ago.
const PIECE = 1 << 20, MILLISECONDS = 250;

onmessage = ({ data: { module, files, options } }) => {
  const decoder = new TextDecoder();
  let waiting = [], size = 0, sent = performance.now(), searched = 0, problems = "";

  // The output up to the end of the last line becomes a blob, which the browser can keep outside of the page's memory.
  const send = (isLast) => {
    sent = performance.now();
    let rest = new Uint8Array(0);
    const last = waiting.at(-1);
    if (!isLast && last) {
      const end = last.lastIndexOf(10) + 1;
      // The last line is not complete yet, so nothing is sent.
      if (!end) return;
      rest = last.slice(end);
      waiting[waiting.length - 1] = last.subarray(0, end);
    }
    const lines = waiting.reduce((sum, bytes) => sum + newlines(bytes), 0);
    postMessage({ blob: new Blob(waiting), lines, searched });
    [waiting, size] = [rest.length ? [rest] : [], rest.length];
  };

  const write = (descriptor, bytes) => {
    if (descriptor === 2) {
      problems += decoder.decode(bytes, { stream: true });
      const lines = problems.split("\n");
      problems = lines.pop();
      if (lines.length) postMessage({ problems: lines });
      return;
    }
    waiting.push(bytes.slice());
    size += bytes.length;
    if (size >= PIECE || performance.now() - sent > MILLISECONDS) send(false);
  };

  const read = (count) => {
    searched += count;
    if (performance.now() - sent > MILLISECONDS) send(false);
  };

  // The arguments of the command are the names of the chosen files and folders.
  const names = [...new Set(files.map(({ path }) => path.split("/")[0]))];
  const args = ["urlspool", "--json", "--threads=1", ...options, "--", ...names.map((name) => (name === "-" ? "./-" : name))];
  try {
    const status = run(module, { args, files, write, read });
    send(true);
    postMessage({ status, problems: problems ? [problems] : [] });
  } catch (error) {
    send(true);
    postMessage({ status: 3, problems: [problems, `urlspool: an error in urlspool itself: ${error.message}`].filter(Boolean) });
  }
};

function newlines(bytes) {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}
