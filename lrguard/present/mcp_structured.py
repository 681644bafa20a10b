"""Structured content made small leaf by leaf, for clients that hold it to the schema that its tool declares.

Every value keeps its type, objects their members and numbers their lexemes; long strings end early and long arrays have
their first items alone. It is tried gently first.
"""

from __future__ import annotations

import json

CUT = "… [cut by lrguard, see the text]"

LEVELS = ((1000, 100, 12), (400, 50, 12), (200, 20, 12), (100, 10, 8), (60, 5, 8), (40, 2, 6), (40, 1, 4), (40, 0, 3))
"""Characters of a string, items of an array, and levels that are kept: a date or a UUID fits in the least of them."""

MEMBERS = 200
"""Members of an object that are kept: one with more is a map, of which no schema names the keys."""


class _Number(str):
    """A number or a constant as it is written."""

    __slots__ = ()


def shrunk(lexeme: bytes, room: int) -> bytes:
    """The value in about `room` bytes; empty but of its type where nothing of it fits, or where it cannot be read."""
    written = lexeme.decode("utf-8", "replace")
    try:
        value = json.loads(written, strict=False, parse_int=_Number, parse_float=_Number, parse_constant=_Number)
    except (ValueError, RecursionError):
        return b"[]" if written[:1] == "[" else b"{}"
    for characters, items, levels in LEVELS:
        pieces: list[str] = []
        if _write(value, pieces, [room], (characters, items), levels):
            # Lone surrogates, which JSON can spell, can be written as escapes only.
            found = "".join(pieces)
            try:
                return found.encode()
            except UnicodeEncodeError:
                return json.dumps(json.loads(found, strict=False)).encode()
    return b"[]" if isinstance(value, list) else b"{}" if isinstance(value, dict) else b'""'


def _write(value: object, pieces: list[str], left: list[int], kept: tuple[int, int], levels: int) -> bool:
    """Add `value` to `pieces`, at most `levels` deep; False where there is no room left for it."""
    characters, items = kept
    if isinstance(value, dict):
        members = list(value.items())[: MEMBERS if levels else 0]
        written = [(json.dumps(name, ensure_ascii=False) + ":", member) for name, member in members]
        opening, closing = "{", "}"
    elif isinstance(value, list):
        written = [("", item) for item in value[: items if levels else 0]]
        opening, closing = "[", "]"
    else:
        if isinstance(value, _Number):
            text = str(value)
        elif isinstance(value, str) and len(value) > characters + len(CUT):
            text = json.dumps(value[:characters] + CUT, ensure_ascii=False)
        else:
            text = json.dumps(value, ensure_ascii=False)
        pieces.append(text)
        left[0] -= len(text.encode("utf-8", "surrogatepass"))
        return left[0] >= 0
    pieces.append(opening)
    for number, (name, member) in enumerate(written):
        lead = "," + name if number else name
        pieces.append(lead)
        left[0] -= len(lead.encode("utf-8", "surrogatepass"))
        if not _write(member, pieces, left, kept, levels - 1):
            return False
    pieces.append(closing)
    left[0] -= 2
    return left[0] >= 0
