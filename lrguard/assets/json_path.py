"""The RFC 9535 path of a place in a JSON text, read once from the front, without building the document.

Only brackets, commas and strings are looked at; inside of a long string only its end is searched for, so that embedded
data costs next to nothing. What is no JSON gives paths that mean nothing: who asks has to know that it is.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from lrguard.intake.source import Source
from lrguard.patterns import pattern

TOKENS = 4_000_000
"""Brackets, commas and strings read before no more paths are told: about a second and a half."""

DEEPEST = 256
"""Levels below which no path is told."""

_WINDOW = 256 * 1024
# A longer string is not tried as a whole: its end is searched for, which is far quicker.
_TOKEN = pattern(rb'"(?:[^"\\]|\\.){0,512}+"|["{}\[\],]', re.DOTALL)
_LONGEST_TOKEN = 1026
_PLAIN_NAME = pattern(r"[A-Za-z_][A-Za-z0-9_]*")


class JsonPaths:
    """Tells the paths of places in `text`, asked for in rising order."""

    def __init__(self, text: Source, window: int = _WINDOW) -> None:
        """At the beginning of `text`, of which `window` bytes are read at once."""
        self._text, self._window = text, window
        self._at = 0
        self._tokens = 0
        # One entry a container that is open: the index in an array, the name (raw, quotes included) in an object.
        self._stack: list[int | bytes] = []
        self._name_next = self._named = False
        self._in_string = False
        self._odd_slashes = False
        self._documents = 0

    def path_at(self, offset: int) -> tuple[str | None, int]:
        """The path of the value that begins at, or is a string around, `offset`, and how many documents came before."""
        size = self._window
        while self._at < offset and self._tokens < TOKENS:
            piece = self._text.read(self._at, min(self._at + size, offset))
            if not piece:
                break
            read = self._read(piece, whole=self._at + len(piece) >= offset)
            # A short string that does not end in the piece is read again with more of what follows.
            size = self._window if read else size * 2
            self._at += read
        if self._at < offset or len(self._stack) > DEEPEST or b"" in self._stack:
            return None, max(0, self._documents - 1)
        return "$" + "".join(map(_segment, self._stack)), max(0, self._documents - 1)

    def _read(self, piece: bytes, *, whole: bool) -> int:
        """Read `piece`; how much of it was read."""
        at = 0
        while at < len(piece):
            if self._in_string:
                at = self._string_end(piece, at)
                continue
            at = self._structure(piece, at)
            if self._in_string and not whole and len(piece) - at < _LONGEST_TOKEN:
                self._in_string = False
                self._name_next = self._named
                return at - 1
        return at

    def _string_end(self, piece: bytes, at: int) -> int:
        """Read on in a string; where it ends, or the end of `piece`."""
        start = at
        while (found := piece.find(b'"', at)) >= 0:
            slashes = found - len(piece[start:found].rstrip(b"\\")) - start if piece[found - 1 : found] == b"\\" else 0
            if slashes == found - start and self._odd_slashes and found <= start + slashes:
                slashes += 1
            if slashes % 2 == 0:
                self._in_string = self._odd_slashes = False
                return found + 1
            at = start = found + 1
            self._odd_slashes = False
        rest = piece[start:]
        slashes = len(rest) - len(rest.rstrip(b"\\"))
        self._odd_slashes = (slashes % 2 == 1) != (self._odd_slashes and slashes == len(rest))
        return len(piece)

    def _structure(self, piece: bytes, at: int) -> int:
        """Read brackets, commas and whole strings; where a string begins that does not end in `piece`, or its end."""
        stack = self._stack
        name_next = self._name_next
        count = 0
        for token in _TOKEN.finditer(piece, at):
            count += 1
            mark = token[0]
            if mark == b",":
                if stack and isinstance(stack[-1], int):
                    stack[-1] += 1
                else:
                    name_next = bool(stack)
            elif mark in (b"{", b"["):
                if not stack:
                    self._documents += 1
                name_next = mark == b"{"
                stack.append(b'""' if name_next else 0)
            elif mark in (b"}", b"]"):
                name_next = False
                if stack:
                    stack.pop()
            elif mark == b'"':
                self._in_string, self._odd_slashes = True, False
                self._named = name_next
                if name_next and stack:
                    stack[-1] = b""
                self._name_next = False
                self._tokens += count
                return token.end()
            elif name_next:
                stack[-1] = mark
                name_next = False
        self._name_next = name_next
        self._tokens += count
        return len(piece)


@lru_cache(256)
def _segment(step: int | bytes) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    try:
        name = json.loads(step.decode("utf-8", "replace"), strict=False)
    except ValueError:
        name = step[1:-1].decode("utf-8", "replace")
    if _PLAIN_NAME.fullmatch(name):
        return f".{name}"
    return "['" + "".join(map(_escaped, name)) + "']"


def _escaped(character: str) -> str:
    """A character of a name as section 2.7 of RFC 9535 writes it."""
    if character in "'\\":
        return "\\" + character
    if character < " " or "\ud800" <= character <= "\udfff":
        return {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}.get(
            character, f"\\u{ord(character):04x}"
        )
    return character


_CONTROLS = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
