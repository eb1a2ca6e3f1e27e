"""The rows of `labels.jsonl`. README.md describes their keys."""
import base64
import gzip
import hashlib
import itertools
import json
import os
import subprocess
import zlib

GITHUB = "https://github.com"
HERE = os.path.dirname(os.path.abspath(__file__))


class Unavailable(Exception):
    """Why a message cannot be had."""


def read(path):
    """Returns the rows of a file that has one JSON object per line."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def with_messages(rows, source, cache):
    """Yields each row with the id of its blob and its message, or with `None` and an `Unavailable`.

    `source` is the address or the directory that has the repositories, as OWNER/NAME. `cache` is a directory for
    clones, which have only the named commits, and only the blobs that are read.
    """
    source = os.path.abspath(source) if os.path.isdir(source) else source
    place = lambda row: (row["repository"], row["commit"])
    for (repository, commit), group in itertools.groupby(sorted(rows, key=place), place):
        clone = os.path.join(cache, *repository.split("/"))
        failure = None
        try:
            os.makedirs(clone, exist_ok=True)
            git(clone, "init", "--quiet", "--bare")
            git(clone, "config", "remote.origin.url", f"{source}/{repository}")
            git(clone, "fetch", "--quiet", "--no-tags", "--depth=1", "--filter=blob:none", "origin", commit)
        except Unavailable as error:
            failure = error
        for row in group:
            try:
                if failure:
                    raise failure
                blob = git(clone, "rev-parse", "--verify", f"{commit}:{row['path']}").decode().strip()
                message = git(clone, "cat-file", "blob", blob)
                if row.get("gzip"):
                    message = gzip.decompress(message)
                yield row, blob, message[slice(*row.get("range", [None]))]
            except (Unavailable, OSError, EOFError, zlib.error) as error:
                yield row, None, Unavailable(error)


def git(directory, *arguments):
    """Runs git, and returns its output. A repository that does not exist is an error, not a question for a password."""
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_DIR": directory}
    run = subprocess.run(["git", *arguments], capture_output=True, env=environment)
    if run.returncode:
        raise Unavailable("; ".join(filter(None, run.stderr.decode("utf-8", "replace").splitlines())))
    return run.stdout


def check(message):
    """Returns the hash that identifies a message but does not unlock its labels."""
    return hashlib.sha256(key(message)).hexdigest()


def lock(message, labels):
    text = json.dumps(labels, ensure_ascii=False).encode()
    return base64.b64encode(xor(key(message), zlib.compress(text, 9))).decode()


def unlock(message, locked):
    return json.loads(zlib.decompress(xor(key(message), base64.b64decode(locked))))


def key(message):
    return hashlib.sha256(message).digest()


def xor(key, data):
    stream = (hashlib.sha256(key + block.to_bytes(4, "big")).digest() for block in itertools.count())
    return bytes(a ^ b for a, b in zip(data, itertools.chain.from_iterable(stream)))
