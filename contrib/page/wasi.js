// Implements the part of WASI (wasi_snapshot_preview1) that the command needs. All other calls return the error ENOSYS.
// The command can read only the files that the user chose, and cannot write files.
"use strict";

const ERRNO = { badf: 8, inval: 28, io: 29, isdir: 31, noent: 44, nosys: 52, notdir: 54, rofs: 69 };
const DIRECTORY = 3, REGULAR_FILE = 4, STREAM = 6;
// The descriptor of the root directory, which contains all files that the user chose.
const ROOT = 3;
// A file is read in pieces of this many bytes. Small pieces would be slow: one request to the browser takes about as
// long as reading 100 kB.
const WINDOW = 1 << 22;

class Exit extends Error {
  constructor(status) {
    super(`exit status ${status}`);
    this.status = status;
  }
}

// Builds the tree of directories. A directory is a map from names to directories or files. A path that ends with "/" is
// a directory.
function tree(files) {
  const root = new Map();
  for (const { path, file } of files) {
    const names = path.split("/");
    const last = names.pop();
    let directory = root;
    for (const name of names) {
      if (!(directory.get(name) instanceof Map)) directory.set(name, new Map());
      directory = directory.get(name);
    }
    if (last) directory.set(last, file);
  }
  return root;
}

// Returns the system calls that the program imports. If the program writes output, the calls pass the bytes to
// `write(descriptor, bytes)`. `write` must copy the bytes, because the program reuses their memory. If the program
// reads from a file, the calls pass the number of bytes to `read(count)`.
function wasi({ args, files, write, read }, memoryOf) {
  const reader = new FileReaderSync();
  const encoder = new TextEncoder(), decoder = new TextDecoder();
  const root = tree(files);
  const open = new Map([[ROOT, { node: root }]]);
  const numbers = new Map();
  let next = ROOT + 1;
  // When the program's memory grows, WebAssembly replaces the buffer of the memory. So each access makes a new view.
  const view = () => new DataView(memoryOf().buffer);
  const bytes = (at, length) => new Uint8Array(memoryOf().buffer, at, length);
  const put32 = (at, value) => view().setUint32(at, value, true);
  const put64 = (at, value) => view().setBigUint64(at, BigInt(value), true);
  const kind = (node) => (node instanceof Map ? DIRECTORY : REGULAR_FILE);
  const inode = (node) => {
    if (!numbers.has(node)) numbers.set(node, numbers.size + 1);
    return numbers.get(node);
  };

  const find = (descriptor, at, length) => {
    let node = open.get(descriptor)?.node;
    for (const name of decoder.decode(bytes(at, length)).split("/")) {
      if (name === "" || name === ".") continue;
      if (!(node instanceof Map)) return node ? ERRNO.notdir : ERRNO.badf;
      node = node.get(name);
      if (!node) return ERRNO.noent;
    }
    return node ?? ERRNO.badf;
  };

  const status = (node, at) => {
    bytes(at, 64).fill(0);
    put64(at + 8, inode(node));
    view().setUint8(at + 16, kind(node));
    put64(at + 24, 1);
    if (node instanceof Map) return 0;
    put64(at + 32, node.size);
    for (const time of [40, 48, 56]) put64(at + time, BigInt(node.lastModified) * 1_000_000n);
    return 0;
  };

  // Copies at most `length` bytes of a file, beginning at `from`, to the program's memory at `at`. Returns the number
  // of copied bytes, which is 0 at the end of the file.
  const copy = (opened, from, at, length) => {
    const { node } = opened;
    if (from >= node.size) return 0;
    if (!opened.window || from < opened.start || from >= opened.start + opened.window.length) {
      opened.start = from;
      opened.window = new Uint8Array(reader.readAsArrayBuffer(node.slice(from, from + WINDOW)));
      read(opened.window.length);
    }
    const piece = opened.window.subarray(from - opened.start, from - opened.start + length);
    bytes(at, piece.length).set(piece);
    return piece.length;
  };

  // Reads a file into the given buffers, and stores the number of bytes at `result`. Returns 0 or an error number.
  const readInto = (descriptor, from, vectors, count, result) => {
    const opened = open.get(descriptor);
    if (opened?.node instanceof Map) return ERRNO.isdir;
    let total = 0;
    try {
      // Standard input is empty.
      for (let i = 0; opened && i < count; i++) {
        let at = view().getUint32(vectors + 8 * i, true);
        let left = view().getUint32(vectors + 8 * i + 4, true);
        while (left) {
          const copied = copy(opened, from + total, at, left);
          if (!copied) break;
          [total, at, left] = [total + copied, at + copied, left - copied];
        }
      }
    } catch {
      // The file was changed or removed after the user chose it.
      if (!total) return ERRNO.io;
    }
    put32(result, total);
    return opened || descriptor === 0 ? 0 : ERRNO.badf;
  };

  const strings = (list, pointers, buffer) => {
    for (const text of list) {
      put32(pointers, buffer);
      const encoded = encoder.encode(text + "\0");
      bytes(buffer, encoded.length).set(encoded);
      [pointers, buffer] = [pointers + 4, buffer + encoded.length];
    }
    return 0;
  };

  const calls = {
    args_sizes_get(count, size) {
      put32(count, args.length);
      put32(size, args.reduce((sum, text) => sum + encoder.encode(text).length + 1, 0));
      return 0;
    },
    args_get: (pointers, buffer) => strings(args, pointers, buffer),
    environ_sizes_get(count, size) {
      put32(count, 0);
      put32(size, 0);
      return 0;
    },
    environ_get: () => 0,
    clock_time_get(clock, _precision, at) {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      put64(at, BigInt(Math.round(milliseconds * 1000)) * 1000n);
      return 0;
    },
    random_get(at, length) {
      for (let done = 0; done < length; done += 65536) {
        crypto.getRandomValues(bytes(at + done, Math.min(65536, length - done)));
      }
      return 0;
    },
    sched_yield: () => 0,
    proc_exit(status) {
      throw new Exit(status);
    },

    fd_prestat_get(descriptor, at) {
      if (descriptor !== ROOT) return ERRNO.badf;
      put32(at, 0);
      put32(at + 4, 1);
      return 0;
    },
    fd_prestat_dir_name(_descriptor, at) {
      bytes(at, 1)[0] = ".".charCodeAt(0);
      return 0;
    },
    fd_fdstat_get(descriptor, at) {
      if (descriptor >= ROOT && !open.has(descriptor)) return ERRNO.badf;
      bytes(at, 24).fill(0);
      view().setUint8(at, descriptor < ROOT ? STREAM : kind(open.get(descriptor).node));
      // Grants all rights.
      put64(at + 8, 0x1fffffff);
      put64(at + 16, 0x1fffffff);
      return 0;
    },
    fd_fdstat_set_flags: () => 0,
    fd_filestat_get(descriptor, at) {
      if (descriptor < ROOT) {
        bytes(at, 64).fill(0);
        view().setUint8(at + 16, STREAM);
        return 0;
      }
      const opened = open.get(descriptor);
      return opened ? status(opened.node, at) : ERRNO.badf;
    },
    path_filestat_get(descriptor, _flags, path, length, at) {
      const node = find(descriptor, path, length);
      return typeof node === "number" ? node : status(node, at);
    },
    path_readlink(descriptor, path, length) {
      const node = find(descriptor, path, length);
      // readlink fails, because the browser has already followed all symbolic links.
      return typeof node === "number" ? node : ERRNO.inval;
    },
    path_open(descriptor, _lookup, path, length, flags, _rights, _inherited, _descriptorFlags, result) {
      const [create, directory, , truncate] = [1, 2, 4, 8].map((flag) => flags & flag);
      if (create || truncate) return ERRNO.rofs;
      const node = find(descriptor, path, length);
      if (typeof node === "number") return node;
      if (directory && !(node instanceof Map)) return ERRNO.notdir;
      open.set(next, { node, at: 0 });
      put32(result, next++);
      return 0;
    },
    fd_close(descriptor) {
      return open.delete(descriptor) ? 0 : ERRNO.badf;
    },
    fd_read(descriptor, vectors, count, result) {
      const opened = open.get(descriptor);
      const errno = readInto(descriptor, opened?.at ?? 0, vectors, count, result);
      if (opened && !errno) opened.at += view().getUint32(result, true);
      return errno;
    },
    fd_pread: (descriptor, vectors, count, from, result) => readInto(descriptor, Number(from), vectors, count, result),
    fd_seek(descriptor, distance, whence, result) {
      const opened = open.get(descriptor);
      if (!opened || opened.node instanceof Map) return opened ? ERRNO.isdir : ERRNO.badf;
      const to = Number(distance) + [0, opened.at, opened.node.size][whence];
      if (!(to >= 0)) return ERRNO.inval;
      opened.at = to;
      put64(result, to);
      return 0;
    },
    fd_tell: (descriptor, result) => calls.fd_seek(descriptor, 0n, 1, result),
    fd_write(descriptor, vectors, count, result) {
      if (descriptor !== 1 && descriptor !== 2) return open.has(descriptor) ? ERRNO.rofs : ERRNO.badf;
      let total = 0;
      for (let i = 0; i < count; i++) {
        const length = view().getUint32(vectors + 8 * i + 4, true);
        write(descriptor, bytes(view().getUint32(vectors + 8 * i, true), length));
        total += length;
      }
      put32(result, total);
      return 0;
    },
    fd_readdir(descriptor, buffer, length, cookie, result) {
      const opened = open.get(descriptor);
      const node = opened?.node;
      if (!(node instanceof Map)) return node ? ERRNO.notdir : ERRNO.badf;
      const names = (opened.names ??= [...node.keys()]);
      let used = 0;
      for (let i = Number(cookie); i < names.length && used < length; i++) {
        const name = encoder.encode(names[i]);
        const entry = new Uint8Array(24 + name.length);
        const fields = new DataView(entry.buffer);
        fields.setBigUint64(0, BigInt(i + 1), true);
        fields.setBigUint64(8, BigInt(inode(node.get(names[i]))), true);
        fields.setUint32(16, name.length, true);
        fields.setUint8(20, kind(node.get(names[i])));
        entry.set(name, 24);
        // If an entry does not fit into the buffer, it is truncated. The program then calls `fd_readdir` again for this
        // entry.
        const piece = entry.subarray(0, length - used);
        bytes(buffer + used, piece.length).set(piece);
        used += piece.length;
      }
      put32(result, used);
      return 0;
    },
  };
  return calls;
}

// Runs a program to its end, and returns its exit status.
function run(module, options) {
  let memory = null;
  const calls = wasi(options, () => memory);
  const missing = () => ERRNO.nosys;
  const names = WebAssembly.Module.imports(module).map(({ name }) => name);
  const imports = Object.fromEntries(names.map((name) => [name, calls[name] ?? missing]));
  const { exports } = new WebAssembly.Instance(module, { wasi_snapshot_preview1: imports });
  memory = exports.memory;
  try {
    exports._start();
    return 0;
  } catch (error) {
    if (error instanceof Exit) return error.status;
    throw error;
  }
}
