"""The inputs that are measured: the same bytes on every machine and in every run."""

from __future__ import annotations

import base64
import json
import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

MB = 1000 * 1000
BLOCK = 16 * 1024 * 1024
"""Bytes of lines that are made; a larger file repeats them, which nothing that is measured could take advantage of."""

_COMMON = (
    "the of and to in is that it was for on are with as his they at be this have from or one had by word but not what "
    "all were we when your can said there use an each which she do how their if will up other about out many then them "
    "these so some her would make like him into time has look two more write go see number no way could people my than "
    "government information community different president international important political children problem history "
    "research university program question interest general water business company system school market policy service "
    "health economic national industry education experience technology environment production performance"
).split()


def prose(noise: random.Random) -> Iterator[str]:
    """Sentences in paragraphs."""
    while True:
        words = " ".join(noise.choices(_COMMON, k=noise.randint(6, 18)))
        yield words.capitalize() + noise.choice([".\n\n", *[". "] * 8])


def log(noise: random.Random) -> Iterator[str]:
    """Lines of a server's log, some of them errors."""
    second = 0
    while True:
        second += noise.randint(0, 2)
        clock = f"{second // 3600 % 24:02d}:{second // 60 % 60:02d}:{second % 60:02d}.{noise.randrange(1000):03d}"
        level = noise.choices(["INFO", "DEBUG", "WARN", "ERROR"], [80, 12, 6, 2])[0]
        path = f"/api/v1/{noise.choice(['orders', 'users', 'items'])}/{noise.randrange(10**6)}"
        what = f"{noise.choice(['GET', 'POST'])} {path} status={noise.choice([200, 201, 404, 500])}"
        yield (
            f"2026-03-02T{clock}Z {level} [worker-{noise.randrange(16)}] {what}"
            f" duration={noise.randrange(900)}ms trace={noise.getrandbits(64):016x}\n"
        )


def objects(noise: random.Random) -> Iterator[str]:
    """Objects as an API returns them, each a JSON text."""
    number = 0
    while True:
        number += 1
        record = {
            "id": number,
            "name": f"user {noise.randrange(9999)}",
            "email": f"u{number}@example.org",
            "active": noise.random() < 0.5,
            "score": round(noise.random() * 100, 3),
            "tags": noise.sample(_COMMON, noise.randrange(5)),
            "address": {"city": noise.choice(["Oslo", "Rome", "Lima"]), "zip": f"{noise.randrange(10**5):05d}"},
            "note": None if noise.random() < 0.3 else " ".join(noise.choices(_COMMON, k=8)),
        }
        yield json.dumps(record)


def image(noise: random.Random, size: int = 75_000) -> bytes:
    """A picture of about `size` bytes, as far as its type tells."""
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", 640, 480, 8, 2, 0, 0, 0)),
        (b"IDAT", noise.randbytes(size)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def text(size: int, pieces: Iterator[str], encoding: str = "utf-8") -> Iterator[bytes]:
    """`size` bytes of `pieces`; what is beyond a block repeats it."""
    made, length = [], 0
    while length < min(size, BLOCK):
        made.append(next(pieces).encode(encoding))
        length += len(made[-1])
    block = b"".join(made)
    for at in range(0, size, length):
        yield block[: size - at]


def array(size: int, pieces: Iterator[str]) -> Iterator[bytes]:
    """A JSON array on one line."""
    length, between = 1, b"["
    while length < size:
        piece = between + next(pieces).encode()
        length, between = length + len(piece), b", "
        yield piece
    yield b"]"


def lines(size: int, pieces: Iterator[str]) -> Iterator[bytes]:
    """One piece a line."""
    return text(size, (f"{piece}\n" for piece in pieces))


def pictures(count: int, noise: random.Random) -> Iterator[bytes]:
    """A JSON document with so many different pictures."""
    for number in range(count):
        data = base64.b64encode(image(noise)).decode()
        item = {"id": number, "caption": " ".join(noise.choices(_COMMON, k=6)), "mimeType": "image/png", "data": data}
        yield (b'{"results": [' if number == 0 else b", ") + json.dumps(item).encode()
    yield b"]}\n"


def table(noise: random.Random) -> Iterator[str]:
    """Rows of a CSV file."""
    yield "id,name,city,amount,when\n"
    number = 0
    while True:
        number += 1
        city = noise.choice(["Oslo", "Rome"])
        yield f"{number},user {noise.randrange(9999)},{city},{noise.random():.4f},2026-03-02\n"


def web_page(noise: random.Random) -> Iterator[str]:
    """An HTML page without an end."""
    yield "<!DOCTYPE html>\n<html><head><title>Report</title></head><body>\n"
    while True:
        words = " ".join(noise.choices(_COMMON, k=20))
        yield f'<p class="note">{words} <a href="/item/{noise.randrange(9999)}">more</a></p>\n'


def redrawn(noise: random.Random) -> Iterator[str]:
    """What a progress bar prints."""
    while True:
        bars = (f"\r\x1b[32m{done:3d}%\x1b[0m {'#' * (done // 4):25s}" for done in range(0, 101, 5))
        yield f"layer {noise.getrandbits(48):012x}: " + "".join(bars) + "\n"


def words_without_end(noise: random.Random) -> Iterator[str]:
    """One line of letters and digits that is not base64."""
    while True:
        yield "".join(noise.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=997)) + "."


def hook_payload(noise: random.Random) -> bytes:
    """What Claude Code hands to a hook after a command that printed little."""
    printed = next(text(1500, log(noise))).decode()
    return json.dumps(
        {
            "session_id": "0b9e0a7e-6f2c-4a57-9c53-6d0c0f6f5d11",
            "transcript_path": "/tmp/transcript.jsonl",
            "cwd": "/tmp",
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": "tail server.log"},
            "tool_response": {"stdout": printed, "stderr": "", "interrupted": False, "isImage": False},
            "tool_use_id": "toolu_01",
        }
    ).encode()


KINDS: dict[str, Callable[[int, random.Random], Iterator[bytes]]] = {
    "prose": lambda size, noise: text(size, prose(noise)),
    "log": lambda size, noise: text(size, log(noise)),
    "json": lambda size, noise: array(size, objects(noise)),
    "ndjson": lambda size, noise: lines(size, objects(noise)),
    "documents": lambda size, noise: text(size, objects(noise)),
    "pictures": lambda size, noise: pictures(size // 100_000, noise),
    "csv": lambda size, noise: text(size, table(noise)),
    "html": lambda size, noise: text(size, web_page(noise)),
    "redrawn": lambda size, noise: text(size, redrawn(noise)),
    "one-line": lambda size, noise: text(size, words_without_end(noise)),
    "utf-16": lambda size, noise: text(size, log(noise), "utf-16-le"),
    "latin-1": lambda size, noise: text(size, (piece.replace("e", "é") for piece in prose(noise)), "latin-1"),
    "binary": lambda size, noise: iter([noise.randbytes(size)]),
}
"""What is made of a size and a seed, by the name of its kind."""


def made(folder: Path, kind: str, size: int) -> Path:
    """The file of that kind and about that size, which is made when it is not there.

    By a process of its own, since what is measured begins as a copy of this one and would count its memory.
    """
    path = folder / f"{kind}-{size}"
    if not path.exists():
        subprocess.run([sys.executable, "-m", __name__, str(path), kind, str(size)], check=True)
    return path


def main(path: str, kind: str, size: str) -> None:
    """Make one file."""
    partly = Path(f"{path}.part")
    with partly.open("wb") as file:
        file.writelines(KINDS[kind](int(size), random.Random(f"{kind} {size}")))
    partly.rename(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
