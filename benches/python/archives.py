#!/usr/bin/env python3
"""Measures the Python package and the command on whole archives.

usage: benches/python/archives.py COMMAND PATH...

Measures two ways to run the command, with plain output and with --json, and three ways to use the package. For each
way, prints the best rate of five rounds in MB/s, and the ratio of this rate to the rate of each way to run the command.
Each round runs all five ways, so that other programs on the machine slow down all of them alike. All ways must find the
same number of URLs. Needs urlspool (a release wheel) and pyarrow.
"""

import os
import pathlib
import subprocess
import sys
import time

import pyarrow
import urlspool

ROUNDS = 5


def size(path):
    path = pathlib.Path(path)
    return path.stat().st_size if path.is_file() else sum(file.stat().st_size for file in path.rglob("*") if file.is_file())


def lines(*arguments):
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, bufsize=0) as run:
        count = 0
        while piece := run.stdout.read(1 << 20):
            count += piece.count(b"\n")
    return count


def attributes(paths, threads):
    """Reads the URL, the file name and the offset of each hit, and returns the number of hits."""
    count = 0
    for hit in urlspool.paths(paths, threads=threads):
        count += bool(hit.url and hit.file and hit.offset >= 0)
    return count


def main():
    command, paths = sys.argv[1], sys.argv[2:]
    megabytes = sum(map(size, paths)) / 1e6
    for threads in (1, os.cpu_count()):
        j = f"-j{threads}"
        # The printed ratios compare each rate with the rates of the first two entries.
        runs = {
            "command": lambda: lines(command, j, "-Hn", *paths),
            "command --json": lambda: lines(command, j, "--json", *paths),
            "iterated": lambda: sum(1 for _ in urlspool.paths(paths, threads=threads)),
            "iterated, with url, file and offset": lambda: attributes(paths, threads),
            "pyarrow.table": lambda: pyarrow.table(urlspool.paths(paths, threads=threads)).num_rows,
        }
        best, counts = {}, {}
        for _ in range(ROUNDS):
            for name, run in runs.items():
                begun = time.perf_counter()
                counts[name] = run()
                best[name] = min(best.get(name, 1e9), time.perf_counter() - begun)
        if len(set(counts.values())) != 1:
            sys.exit(f"the numbers of URLs differ: {counts}")
        load = os.getloadavg()[0]
        print(f"{threads} threads, {megabytes:.1f} MB, {counts['command']} URLs, load {load:.1f}")
        for name, seconds in best.items():
            plain, json = (best[base] / seconds for base in ("command", "command --json"))
            print(f"  {name:36} {megabytes / seconds:8.1f} MB/s {plain:6.2f} of command {json:6.2f} of --json", flush=True)


main()
