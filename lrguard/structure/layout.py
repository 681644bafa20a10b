"""Lays JSON out one value a line, for readers that work line by line.

Only blanks outside of strings are added or dropped; every lexeme stays as it is, so numbers, escapes, duplicate keys
and NaN survive, and what is no JSON passes as it stands. Indentation grows with depth up to a bound, past which
containers open and close on the line they are on: a hundred thousand levels cost what they weigh.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lrguard.intake.source import Source, Spool, gathered
from lrguard.patterns import pattern

_DEEPEST = 12
"""Levels that are indented."""

_WINDOW = 1024 * 1024

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_PART = pattern(
    rb"[ \t\r\n]*+(?:(" + _STRING + rb")[ \t\r\n]*+:[ \t\r\n]*+)?+"
    rb"(?:(" + _STRING + rb'|[^ \t\r\n"{}\[\],:]++(?:[ \t]++[^ \t\r\n"{}\[\],:]++)*+)[ \t\r\n]*+)?+'
    rb"([{}\[\],:])?+",
    re.DOTALL,
)
"""A key, a value that is no container, and the mark that follows; any of them may be missing."""

_IN_STRING = pattern(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_START = pattern(
    rb"((?:\xef\xbb\xbf)?[ \t\r\n\x1e]*+(?:data: ?)?)"
    rb"(?=\{[ \t\r\n]*+[\"}]|\[[ \t\r\n]*+(?:[\"{\[\]\-0-9]|true|false|null|NaN|Inf))"
)
_REST = pattern(rb"[ \t\r\x1e]*+,?[ \t\r]*+(\n?)")
_LOOK_AHEAD = 4096
_BLANKS = pattern(rb"[ \t\r\n]*+")
_BREAKS = [b"\n" + b"  " * depth for depth in range(_DEEPEST + 1)]


def lay_out(text: Source, spool: Spool) -> Source:
    """`text`, which is JSON or JSON lines, possibly cut short or with text around, one value a line."""
    for piece in gathered(_Layout(text).pieces()):
        spool.write(piece)
    return spool.source()


class _Layout:
    """A text on its way through; `buffer` from `at` on is not written yet."""

    def __init__(self, text: Source) -> None:
        self.chunks = text.chunks(size=_WINDOW)
        self.buffer = b""
        self.at = 0
        self.inside = False
        """Within a document."""
        self.depth = 0
        self.opened = False
        """The last part opened a container, which may turn out to be empty."""
        self.loose = False
        """The last part was a value with nothing behind it yet."""

    def pieces(self) -> Iterator[bytes]:
        """The layout, in pieces of bounded size."""
        while self.at < len(self.buffer) or self._more():
            if not self.inside:
                yield from self._line()
                continue
            yield self._run()
            if not self.inside:
                yield from self._rest_of_line()
            elif self._holds_long_string():
                yield from self._string()
            elif not self._more():
                yield self.buffer[self.at :]
                return

    def _more(self) -> bool:
        """Read on; False at the end."""
        chunk = next(self.chunks, b"")
        self.buffer, self.at = self.buffer[self.at :] + chunk, 0
        return bool(chunk)

    def _line(self) -> Iterator[bytes]:
        """Come to the document that begins here, or leave the line as it is."""
        while len(self.buffer) - self.at < _LOOK_AHEAD and self._more():
            pass
        if start := _START.match(self.buffer, self.at):
            yield start.group(1)
            self.at = start.end()
            self.inside, self.depth, self.opened, self.loose = True, 0, False, False
            return
        while (end := self.buffer.find(b"\n", self.at)) < 0:
            yield self.buffer[self.at :]
            self.at = len(self.buffer)
            if not self._more():
                return
        yield self.buffer[self.at : end + 1]
        self.at = end + 1

    def _rest_of_line(self) -> Iterator[bytes]:
        """What stands behind a document on its last line; another document goes on a line of its own."""
        while len(self.buffer) - self.at < _LOOK_AHEAD and self._more():
            pass
        rest = _REST.match(self.buffer, self.at)
        assert rest is not None
        yield rest.group()
        self.at = rest.end()
        if not rest.group(1) and self.buffer[self.at : self.at + 1] in (b"{", b"["):
            yield b"\n"

    def _holds_long_string(self) -> bool:
        return len(self.buffer) - self.at >= _WINDOW and self.buffer[self.at : self.at + 1] == b'"'

    def _string(self) -> Iterator[bytes]:
        """A string that is longer than the window."""
        yield (_BREAKS[min(self.depth, _DEEPEST)] if self.opened else b" " if self.loose else b"") + b'"'
        self.opened, self.loose = False, True
        self.at += 1
        while True:
            found = _IN_STRING.match(self.buffer, self.at)
            assert found is not None
            yield found.group()
            self.at = found.end()
            if self.buffer[self.at : self.at + 1] == b'"':
                self.at += 1
                yield b'"'
                return
            if not self._more():
                return

    def _run(self) -> bytes:
        """The parts that stand whole in the buffer, up to the end of the document; `at` moves behind them."""
        out: list[bytes] = []
        put = out.append
        depth, opened, loose, at, size = self.depth, self.opened, self.loose, self.at, len(self.buffer)
        line = _BREAKS[min(depth, _DEEPEST)]
        for found in _PART.finditer(self.buffer, at):
            end = found.end()
            key, value, mark = found.groups()
            if end == at or (mark is None and end == size):
                break
            if opened and (key or value or mark == b"{" or mark == b"["):
                if depth <= _DEEPEST:
                    put(line)
                opened = False
            elif loose and (key or value):
                put(b" ")
            if key:
                put(key + b": " + value if value else key + b": ")
            elif value:
                put(value)
            loose = mark is None and value is not None
            if mark == b",":
                put(b"," + line)
            elif mark == b"{" or mark == b"[":
                put(mark)
                depth += 1
                line = _BREAKS[depth if depth < _DEEPEST else _DEEPEST]
                opened = True
            elif mark == b":":
                put(b": ")
            elif mark is not None:
                depth -= 1
                line = _BREAKS[depth if depth < _DEEPEST else _DEEPEST]
                if not opened and depth < _DEEPEST:
                    put(line)
                opened = False
                put(mark)
                if not depth:
                    at = end
                    self.inside = False
                    break
            at = end
        self.depth, self.opened, self.loose, self.at = depth, opened, loose, at
        self._skip_blanks()
        return b"".join(out)

    def _skip_blanks(self) -> None:
        if self.inside and (blanks := _BLANKS.match(self.buffer, self.at)):
            self.at = blanks.end()
