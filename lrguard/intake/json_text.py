"""Decodes a JSON string of any length in bounded pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lrguard.patterns import pattern

_PIECE = 256 * 1024

_TOKENS = pattern(
    rb'(?:[^"\\]{1,64}+[\x80-\xbf]*+|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|'
    rb"\\u[0-9a-fA-F]{4}|\\[^u]){1,8192}+",
    re.DOTALL,
)
"""A part of a string that neither an escape nor a character reaches out of."""

_REACH = 16
"""Bytes that an escape, a pair of surrogates included, and a character after it can have at most."""


def decoded(data: bytes, start: int, end: int) -> Iterator[bytes]:
    """What is written from `start` to `end`, between the quotes of a string, in UTF-8; lone surrogates are let through.

    Raises ValueError where an escape is broken.
    """
    while start < end:
        cut = _cut(data, start, end)
        piece = data[start:cut]
        start = cut
        if b"\\" in piece:
            quoted = f'"{piece.decode("utf-8", "replace")}"'
            piece = str(json.loads(quoted, strict=False)).encode("utf-8", "surrogatepass")
        yield piece


def _cut(data: bytes, start: int, end: int) -> int:
    """Where a piece that begins at `start` may end: at a place that nothing reaches over."""
    if end - start <= _PIECE:
        return end
    at = start + _PIECE
    while at > start + _PIECE // 2:
        escape = data.rfind(b"\\", at - _REACH, at)
        if escape < 0:
            while at > start and data[at] & 0xC0 == 0x80:
                at -= 1
            return at if at > start else end
        at = escape
    # Escapes all the way: they are gone through one by one.
    found = _TOKENS.match(data, start, end)
    if not found:
        raise ValueError(start)
    return found.end()
