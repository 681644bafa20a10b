"""Reads JSON as a stream of tokens that know their place, without building a tree.

One pattern matches every token together with the blanks before it, and always matches, so reading is linear; whole
subtrees that nobody asked for are skipped a bracket at a time. It is lenient where leniency costs nothing (commas are
blanks, NaN is a number), because what reads here has already been recognized as JSON. Depth costs a list entry.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import NamedTuple

from lrguard.intake.source import CHUNK, Source
from lrguard.patterns import pattern

STRING, KEY, OPEN, CLOSE, SCALAR, UNFINISHED, STRAY = 1, 2, 3, 4, 5, 6, 7
END = 0

STRING_PATTERN = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
TOKEN = pattern(
    rb"[\s,\x1e]*+(?:(" + STRING_PATTERN + rb')\s*+(:)?+|([{\[])|([}\]])|([^\s,:"{}\[\]\x1e]++)|(")|(.)|\Z)', re.DOTALL
)
_SKIPPED = pattern(rb'(?:[^"{}\[\]]++|' + STRING_PATTERN + rb")*+", re.DOTALL)
_INSIDE = pattern(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
SCALAR_STARTS = frozenset(b"-0123456789tfnNI")
_BOM = b"\xef\xbb\xbf"

LONG = 1024 * 1024
"""Bytes of a string above which it is not held while it is read, only its place."""


@contextmanager
def uncollected() -> Iterator[None]:
    """No garbage collection inside: what is read here has no cycles, and looking for them takes a third of the time."""
    import gc

    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Shape(Enum):
    """How the documents of a text stand: `ONE` is `$` itself, a `SERIES` is read as if in an array."""

    ONE = "one"
    SERIES = "series"


class Span(NamedTuple):
    """Where a value stands: bytes from `start` up to `end`."""

    start: int
    end: int


class JsonReader:
    """Steps through the tokens of `text`; `start` and `end` are the bytes of the last one.

    `unfinished` tells that the text ended inside a string.
    """

    def __init__(self, text: Source, at: int = 0) -> None:
        self.text = text
        self.unfinished = False
        self.start = self.end = at
        self._window, self._base, self._at = b"", at, 0
        if at == 0 and text.read(0, 3) == _BOM:
            self._base = self.end = 3

    def _more(self) -> bool:
        read_to = self._base + len(self._window)
        if read_to >= self.text.size:
            return False
        # Doubled where one token fills it, so that the longest one is read over only a few times.
        self._window = self._window[self._at :]
        self._window += self.text.read(read_to, read_to + max(CHUNK, len(self._window)))
        self._base += self._at
        self._at = 0
        return True

    def _move(self, to: int) -> None:
        if self._base <= to <= self._base + len(self._window):
            self._at = to - self._base
        else:
            self._window, self._base, self._at = b"", to, 0

    def token(self) -> int:
        """The kind of the next token, which `start` and `end` then frame; `KEY` is a string and its colon follows."""
        while True:
            match = TOKEN.match(self._window, self._at)
            assert match is not None
            kind = match.lastindex or END
            if match.end() == len(self._window):
                self._at = match.end() if kind == END else self._at
                if self._more():
                    continue
            if kind == UNFINISHED:
                if len(self._window) - match.end() < LONG and self._more():
                    continue
                return self._long_string(self._base + match.start(kind))
            break
        start, end = match.span(STRING if kind == KEY else kind)
        if kind == STRAY or (kind == SCALAR and self._window[start] not in SCALAR_STARTS):
            self.start = self.end = self._base + start
            return STRAY
        self.start, self.end = self._base + start, self._base + end
        self._at = match.end()
        return kind

    def _long_string(self, start: int) -> int:
        self.start = start
        self.end, whole = string_end(self.text, start)
        self.unfinished = not whole
        after = past_blanks(self.text, self.end)
        is_key = self.text.read(after, after + 1) == b":"
        self._move(after + 1 if is_key else self.end)
        return KEY if is_key else STRING

    def raw(self) -> bytes:
        """The last token's own bytes."""
        start = self.start - self._base
        if start >= 0 and self.end - self._base <= len(self._window):
            return self._window[start : self.end - self._base]
        return self.text.read(self.start, self.end)

    def skip(self, depth: int = 1) -> int:
        """Go past the end of `depth` open containers; the byte after it, or the end of the text where it is cut."""
        while True:
            match = _SKIPPED.match(self._window, self._at)
            assert match is not None
            end = match.end()
            byte = self._window[end : end + 1]
            if byte == b"":
                self._at = end
                if not self._more():
                    self.end = self.text.size
                    return self.end
            elif byte == b'"':
                self._at = end
                if len(self._window) - end >= LONG or not self._more():
                    self.end, whole = string_end(self.text, self._base + end)
                    self.unfinished |= not whole
                    self._move(self.end)
            else:
                depth += 1 if byte in b"{[" else -1
                self._at = end + 1
                if depth == 0:
                    self.end = self._base + self._at
                    return self.end

    def opens_array(self) -> bool:
        """Whether the container that the last token opened is an array."""
        return self.raw() == b"["

    def next_line(self, at: int) -> None:
        """Go on after the line with the byte `at`, so that one broken line of a series costs no other."""
        for piece in self.text.chunks(at):
            if (found := piece.find(b"\n")) >= 0:
                self._move(at + found + 1)
                return
            at += len(piece)
        self._move(self.text.size)


def string_end(text: Source, start: int) -> tuple[int, bool]:
    """The byte after the string whose opening quote stands at `start`, and whether it is closed at all."""
    at, rest = start + 1, b""
    for piece in text.chunks(start + 1):
        window = rest + piece
        match = _INSIDE.match(window)
        assert match is not None
        if window[match.end() : match.end() + 1] == b'"':
            return at + match.end() + 1, True
        rest = window[match.end() :]
        at += match.end()
    return text.size, False


def past_blanks(text: Source, at: int) -> int:
    """The first byte from `at` on that is not blank."""
    for piece in text.chunks(at):
        rest = piece.lstrip()
        at += len(piece) - len(rest)
        if rest:
            break
    return at


def value_end(text: Source, start: int) -> int:
    """The byte after the value that begins at `start`."""
    reader = JsonReader(text, start)
    kind = reader.token()
    return reader.skip() if kind == OPEN else reader.end


def decoded(raw: bytes) -> str:
    """What a key or a scalar says: a string without quotes and escapes, anything else as it is written.

    Half of a surrogate pair, and escapes that JSON does not know, stay escapes: there is no character for them.
    """
    if raw[:1] != b'"':
        return raw.decode("utf-8", "replace")
    inner = raw[1:-1] if len(raw) > 1 and raw.endswith(b'"') else raw[1:]
    text = inner.decode("utf-8", "replace")
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_unescaped, text)


_ESCAPE = pattern(
    r"\\(?:u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|(.))", re.DOTALL
)
_SIMPLE = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", '"': '"', "\\": "\\", "/": "/"}


def _unescaped(match: re.Match[str]) -> str:
    high, low, unit, simple = match.groups()
    if simple is not None:
        return _SIMPLE.get(simple, match[0])
    if unit is not None:
        code = int(unit, 16)
        return match[0] if 0xD800 <= code < 0xE000 else chr(code)
    return chr(0x10000 + ((int(high, 16) - 0xD800) << 10) + int(low, 16) - 0xDC00)
