"""Inputs that tests make for themselves: small files of real formats, and texts of a size."""

from __future__ import annotations

import base64
import io
import json
import random
import struct
import zipfile
import zlib


def png(seed: int = 0, width: int = 60, height: int = 40) -> bytes:
    """A picture that hardly compresses."""
    noise = random.Random(seed)
    rows = b"".join(b"\0" + noise.randbytes(width * 3) for _ in range(height))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def encoded(data: bytes) -> str:
    """Standard base64 on one line."""
    return base64.b64encode(data).decode()


def random_bytes(size: int, seed: int = 0) -> bytes:
    """Bytes of no known type."""
    return random.Random(seed).randbytes(size)


def wheel() -> bytes:
    """A wheel with one module and its metadata."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sample/__init__.py", "VALUE = 1\n" * 200)
        archive.writestr("sample-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: sample\nVersion: 1.0\n")
        archive.writestr("sample-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
    return file.getvalue()


def notebook(*plots: bytes) -> bytes:
    """A Jupyter notebook with a plot in the output of each cell."""
    cells = [
        {
            "cell_type": "code",
            "execution_count": number,
            "metadata": {},
            "source": ["plt.plot(x)\n", "plt.show()"],
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": [f"mean={number}.25\n"]},
                {
                    "output_type": "display_data",
                    "metadata": {},
                    "data": {"image/png": encoded(plot) + "\n", "text/plain": ["<Figure size 640x480>"]},
                },
            ],
        }
        for number, plot in enumerate(plots, 1)
    ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1).encode()


def page(*pictures: bytes) -> bytes:
    """An HTML page with pictures in data URLs."""
    body = "".join(f'<p>Figure</p><img alt="x" src="data:image/png;base64,{encoded(p)}">\n' for p in pictures)
    return f"<!DOCTYPE html>\n<html><head><title>Report</title></head><body>\n{body}</body></html>\n".encode()


def mcp(*blocks: dict[str, object], **members: object) -> bytes:
    """An MCP tool result."""
    return json.dumps({"content": list(blocks), **members}).encode()


def text_block(text: str) -> dict[str, object]:
    return {"type": "text", "text": text}


def image_block(data: bytes, media_type: str = "image/png") -> dict[str, object]:
    return {"type": "image", "data": encoded(data), "mimeType": media_type}


def log(lines: int, error_at: int | None = None) -> bytes:
    """A log of a service; line `error_at` (from 1) reports an error."""
    rows = []
    for number in range(1, lines + 1):
        text = f"INFO worker-{number % 7} handled request {number} in {number % 97} ms"
        if number == error_at:
            text = f"ERROR worker-3 could not open /var/data/part-{number}: EIO"
        rows.append(f"2026-07-03T14:05:{number % 60:02d}Z {text}")
    return ("\n".join(rows) + "\n").encode()


def words(count: int, seed: int = 0) -> str:
    """English-like prose of so many words."""
    pool = "the tool result was read and saved while every other line went to its place in order".split()
    choose = random.Random(seed)
    return " ".join(choose.choice(pool) for _ in range(count))


def orders() -> bytes:
    """What an API answers on one line: 4,000 orders, as in the README."""
    rows = [
        {
            "id": 10_000 + n,
            "status": ("open", "paid", "shipped")[n % 3],
            "total": round(19.9 * (n % 7 + 1), 2),
            "customer": {"id": n % 400, "name": f"Customer {n % 400}"},
            "note": None if n % 5 else f"call before delivery {n}",
        }
        for n in range(4000)
    ]
    return json.dumps({"orders": rows, "next": None}).encode() + b"\n"
