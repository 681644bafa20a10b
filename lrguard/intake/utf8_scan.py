"""Tells whether bytes are UTF-8, and what else of them is cheap to know, while they are read piece by piece.

For most tool results that is one `isascii` a piece.
"""

from __future__ import annotations

import codecs
import sys

from lrguard.intake.source import Source

NOISE = bytes(byte for byte in range(32) if byte not in b"\t\n\r\x07\x08\x0b\x0c\x1b") + b"\x7f"
"""Control bytes that text has only by accident."""

_SAMPLED, _SHORT = 127, 16


class Utf8Scan:
    """What is to be known of bytes to judge whether they are UTF-8, gathered piece by piece.

    `invalid` counts bytes that no UTF-8 has at their place, `torn` those of a last character that the input cuts short
    (known after `end`). `continuations` counts the further bytes of valid characters, a measure of how much there is
    that only UTF-8 explains. `newlines` counts line feeds, `nuls` NULs. `first_high` is the offset of the first byte
    above 127 (-1: none; the piece's beginning is meant, not the byte).
    """

    __slots__ = (
        "_counts_lines",
        "_pending",
        "continuations",
        "first_high",
        "invalid",
        "newlines",
        "noise",
        "nuls",
        "size",
        "torn",
    )

    def __init__(self, *, counts_lines: bool = True) -> None:
        """Nothing has been read yet; without `counts_lines` there is no number of newlines."""
        self._counts_lines = counts_lines
        self.size = self.invalid = self.torn = self.continuations = self.nuls = self.newlines = self.noise = 0
        self.first_high = -1
        self._pending = b""

    @property
    def ascii(self) -> bool:
        """Whether no byte above 127 has been read."""
        return self.first_high < 0

    @property
    def valid(self) -> bool:
        """Whether all of it is UTF-8, but for a last character that is cut short."""
        return self.invalid == 0

    def feed(self, piece: bytes) -> None:
        """Take `piece` into account, which follows on what was fed before."""
        start, self.size = self.size, self.size + len(piece)
        if self._counts_lines:
            self.newlines += newlines(piece)
        if 0 in piece:  # to look for one is fifty times as fast as to count them
            self.nuls += piece.count(0)
        if piece.isascii() and not self._pending:
            return
        if self.first_high < 0:
            self.first_high = start
        if self.invalid > 65536 and self.invalid > max(self.continuations, start // 100):
            # A gibibyte that is no UTF-8 is not worth counting to its end.
            return
        data = self._pending + piece
        try:
            text, read = codecs.utf_8_decode(data, "strict", False)
        except UnicodeDecodeError:
            text, read = codecs.utf_8_decode(data, "surrogateescape", False)
            # Escaped bytes are the surrogates, which cannot be encoded.
            self.invalid += read - len(text.encode("utf-8", "ignore"))
            self.noise += len(data) - len(data.translate(None, NOISE))
        self.continuations += read - len(text)
        self._pending = data[read:]

    def end(self) -> None:
        """Say that nothing follows."""
        self.torn, self._pending = len(self._pending), b""


def newlines(piece: bytes) -> int:
    """The line feeds in `piece`.

    Before Python 3.13 `bytes.count` looks at one byte after the other, and `bytes.replace` for the next one at once,
    which makes it the faster of the two where lines are not short.
    """
    if sys.version_info >= (3, 13) or piece[::_SAMPLED].count(b"\n") * _SHORT * _SAMPLED > len(piece):
        return piece.count(b"\n")
    return len(piece) - len(piece.replace(b"\n", b""))


def scan(source: Source) -> Utf8Scan:
    """A finished scan of the whole of `source`; its lines are not counted."""
    found = Utf8Scan(counts_lines=False)
    for piece in source.chunks():
        found.feed(piece)
    found.end()
    return found
