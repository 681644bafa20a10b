"""Makes data of known types, and links a text with assets that are kept in memory."""

from __future__ import annotations

import base64
import hashlib
import os
import random
import struct
import tempfile
import zlib

from lrguard.assets.link import Asset, Linked, link
from lrguard.intake.source import BytesSource, Source, Spool
from lrguard.intake.text_kind import TextKind


def noise(size: int, seed: int = 1) -> bytes:
    return random.Random(seed).randbytes(size)


def png(seed: int = 1, side: int = 16) -> bytes:
    rows = b"".join(b"\0" + noise(3 * side, seed * 1000 + row) for row in range(side))
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(rows)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def pdf(size: int = 900) -> bytes:
    return b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n1 0 obj\n<<>>\nendobj\nstream\n" + noise(size, 7) + b"\nendstream\n%%EOF\n"


def wav(samples: int = 600) -> bytes:
    data = noise(2 * samples, 9)
    form = (
        b"WAVEfmt "
        + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )
    return b"RIFF" + struct.pack("<I", len(form)) + form


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def wrapped(data: bytes, width: int = 76, line_break: str = "\n") -> str:
    text = b64(data)
    return line_break.join(text[at : at + width] for at in range(0, len(text), width))


class Outcome:
    """What linking a text gave: the linked text, and what was stored, by path."""

    def __init__(self, linked: Linked | None, text: bytes, stored: dict[str, tuple[Asset, bytes]]) -> None:
        self.linked, self.stored = linked, stored
        self.text = (
            linked.text.read().decode("utf-8", "surrogateescape") if linked else text.decode("utf-8", "surrogateescape")
        )
        self.assets = [each.asset for each in linked.assets] if linked else []
        self.contents = [stored[each.path][1] for each in linked.assets] if linked else []


class Pieces(BytesSource):
    """A source that is not to be read at once."""

    @property
    def in_memory(self) -> bool:
        return False


def spool() -> Spool:
    def make() -> int:
        descriptor, name = tempfile.mkstemp()
        os.unlink(name)
        return descriptor

    return Spool(make)


def taken(
    text: str | bytes, *, kind: TextKind | None = None, folder: str = "/s/downloads/assets", window: int | None = None
) -> Outcome:
    """Link `text`, and check that what was not replaced is as it was."""
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    stored: dict[str, tuple[Asset, bytes]] = {}

    def store(asset: Asset, data: Source) -> str:
        content = data.read()
        assert asset.sha256 == hashlib.sha256(content).hexdigest() and asset.size == len(content)
        path = f"{folder}/{asset.sha256[:16]}.{asset.extension}"
        assert path not in stored, "stored twice"
        stored[path] = (asset, content)
        return path

    source: Source = BytesSource(data) if window is None else Pieces(data)
    linked = link(source, store, spool(), kind=kind, **({} if window is None else {"window": window}))
    if linked:
        assert b"".join(linked.restored(source)) == data
        assert len(linked.assets) == len(stored)
    return Outcome(linked, data, stored)
