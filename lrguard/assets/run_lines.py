"""Reads the characters of a run through the escapes and line breaks that it is written with.

Base64 in JSON may hold escaped slashes and `u002b` escapes, in a URL `%2B`, and in mail it is broken into lines of
equal length. A line that is shorter ends a run; a longer one is not a part of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from lrguard.intake.alphabet import NARROWEST, SHORTEST, WIDEST
from lrguard.intake.source import Source
from lrguard.patterns import pattern
from lrguard.records import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """Encoded characters that belong together.

    `start` and `end` are offsets in the text, padding included. `encoded` is the characters alone, without escapes,
    line breaks and padding, of a run that is too large for memory only its ends; `padding` counts the padding
    characters. `width` is the length of the wrapped lines, 0 for a single line, and `full` says that the last of them
    is as long as the others. `percent` and `escaped` tell whether characters were written in those ways. `content` is
    what the characters stand for where that is known already.
    """

    start: int
    end: int
    encoded: bytes
    padding: int
    width: int = 0
    full: bool = False
    percent: bool = False
    escaped: bool = False
    content: Source | None = None
    characters: int | None = None
    """How many there are where `encoded` is not all of them."""

    @property
    def length(self) -> int:
        """How many encoded characters there are, without padding."""
        return len(self.encoded) if self.characters is None else self.characters


def runs_in(region: bytes, base: int, lead: int) -> Iterator[Run]:
    """The runs in `region`, which begins at `base` in the text and `lead` bytes after the beginning of its line."""
    for block in _blocks(_lines(region), lead):
        if run := block.run(region, base):
            yield run


@dataclass(frozen=True, slots=True)
class _Line:
    """Encoded characters up to a line break or to what cannot be in a run; offsets in the region."""

    start: int
    end: int
    encoded: bytes
    padding: int
    line_break: bytes
    certain: bool


_TOKEN = pattern(rb"\\++(?:u[0-9A-Fa-f]{4}|r\\++n|[^u\\])?+|%[0-9A-Fa-f]{2}|%|=|\r?\n|\r")


def _meanings() -> dict[bytes, bytes]:
    """What the escapes of JSON strings, up to three levels deep, and of URLs stand for."""
    found = {b"=": b"=", b"\n": b"\n", b"\r\n": b"\n"}
    for count in range(1, 9):
        found[b"\\" * count + b"/"] = b"/"
        found[b"\\" * count + b"n"] = b"\n"
        found[b"\\" * count + b"r" + b"\\" * count + b"n"] = b"\n"
    for meaning in b"+/-_=":
        for code in (b"%02x" % meaning, b"%02X" % meaning):
            found[b"%" + code] = bytes([meaning])
            for count in range(1, 9):
                found[b"\\" * count + b"u00" + code] = bytes([meaning])
    return found


_MEANING = _meanings()


def _lines(region: bytes) -> Iterator[_Line]:
    start = at = padding = 0
    pieces: list[bytes] = []
    for token in _TOKEN.finditer(region):
        found = token.start()
        meaning = _MEANING.get(token[0], b"")
        if padding and (found > at or meaning not in (b"=", b"\n", b"")):
            # What follows padding makes it an assignment or a query; whatever went before has no certain end.
            yield _Line(start, at, b"".join(pieces), padding, b"", False)
            start, padding = at, 0
            pieces.clear()
        if found > at:
            pieces.append(region[at:found])
        at = token.end()
        if meaning == b"=":
            padding += 1
        elif meaning in (b"", b"\n"):
            yield _Line(start, found, b"".join(pieces), padding, token[0] if meaning else b"", padding <= 2)
            start, padding = at, 0
            pieces.clear()
        else:
            pieces.append(meaning)
    if padding and at < len(region):
        yield _Line(start, at, b"".join(pieces), padding, b"", False)
        start, padding = at, 0
        pieces.clear()
    pieces.append(region[at:])
    yield _Line(start, len(region), b"".join(pieces), padding, b"", padding <= 2)


class _Block:
    """Lines that are one run: of equal length, but for the last, and broken in the same way.

    `lead` is how much of the first line stands before the run.
    """

    __slots__ = ("certain", "encoded", "end", "first", "last", "lead", "lines", "open", "start", "width")

    def __init__(self, line: _Line, lead: int) -> None:
        self.lead = lead
        self.start, self.end = line.start, line.end
        self.encoded = bytearray(line.encoded)
        self.width = len(line.encoded) + line.padding
        self.first = self.last = line
        self.lines = 1
        self.certain = line.certain
        self.open = bool(line.line_break) and not line.padding and self.width >= NARROWEST and line.certain

    def takes(self, line: _Line, following: _Line | None) -> bool:
        """Whether `line` goes on with this run."""
        length = len(line.encoded) + line.padding
        if self.lead and self.lines == 1 and length == self.width + self.lead and self.first.line_break:
            # A whole data URL was folded: its beginning takes a part of the first line.
            self.width, self.open = length, True
            return self.width <= WIDEST
        if not self.open or not 0 < length <= self.width:
            return False
        if length == self.width:
            # Long lines that begin alike are several of a kind, not one that is wrapped.
            return self.width <= WIDEST or line.encoded[:6] != self.first.encoded[:6]
        if self.lines == 1 and self.width > WIDEST:
            return False
        again = following is not None and len(following.encoded) + following.padding == length
        return not (again and length >= NARROWEST and not line.padding)

    def add(self, line: _Line) -> None:
        self.encoded += line.encoded
        self.certain &= line.certain
        self.open = not line.padding and len(line.encoded) == self.width and line.line_break == self.first.line_break
        self.last, self.end = line, line.end
        self.lines += 1

    def run(self, region: bytes, base: int) -> Run | None:
        """The run that these lines are; None when they are too few characters or have no certain end."""
        if len(self.encoded) < SHORTEST or not self.certain:
            return None
        encoded, end, full = bytes(self.encoded), self.end, len(self.last.encoded) == self.width
        padding = self.last.padding
        if self.lines > 1 and self.last.encoded[:2] == b"--":
            # A boundary of mail right after the last line of its part.
            encoded, padding, full = encoded[: -len(self.last.encoded)], 0, True
            end = self.last.start - len(self.first.line_break)
            if len(encoded) < SHORTEST:
                return None
        written = region[self.start : end]
        return Run(
            base + self.start,
            base + end,
            encoded,
            padding,
            self.width if self.lines > 1 else 0,
            full,
            b"%" in written,
            b"\\" in written,
        )


def _blocks(lines: Iterable[_Line], lead: int) -> Iterator[_Block]:
    block: _Block | None = None
    line: _Line | None = None
    for following in chain(lines, (None,)):
        if line is not None:
            if block is not None and block.takes(line, following):
                block.add(line)
            else:
                if block is not None:
                    yield block
                block = _Block(line, 0 if line.start else lead)
        line = following
    if block is not None:
        yield block
