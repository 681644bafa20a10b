"""A first look for runs of base64, which rules out most of a text without looking at every byte.

What a run may hold (alphabet, escapes, line breaks) has no byte in common with what separates words, so that a look at
every fifth byte or so tells that no long run is there.
"""

from __future__ import annotations

from lrguard.intake.alphabet import ALPHABET, ESCAPES, SHORTEST

MARKED = bytes(0 if byte in ALPHABET + ESCAPES + b"\r\n" else 1 for byte in range(256))
"""Translates what a run may hold to 0 and separators to 1."""

Spans = tuple[tuple[int, int], ...]
"""Offsets, in order: where runs of base64 may begin and end."""

MOST_SPANS = 10_000
MOST_PASSED = 16
"""Pieces that are not looked at, at most, where those before them may all hold runs: there the next will as well."""

_STRIDES = (5, 7)


def may_hold_run(piece: bytes) -> bool:
    """Whether at least `SHORTEST` bytes without a separator may stand in `piece`.

    With two strides, since lines of equal length may have no separator in the columns that one of them comes by.
    """
    return all(b"\0" * (SHORTEST // stride) in piece[::stride].translate(MARKED) for stride in _STRIDES)


class RunLook:
    """Looks at what arrives piece by piece."""

    def __init__(self, passed: int) -> None:
        """What comes first, `passed` bytes, is not looked at."""
        self._size = passed
        self._tail = b""
        self._spans = [(0, passed)]
        self._hits = self._to_pass = 0

    def feed(self, piece: bytes) -> None:
        """Look at `piece`, which follows on what was fed before."""
        start, self._size = self._size, self._size + len(piece)
        looked_at = self._tail + piece
        # The byte that makes a run long enough, and each one after it, is seen with as many before it.
        if len(self._tail) < SHORTEST or self._may_hold(looked_at):
            begun, ended = self._spans[-1]
            if ended >= start - SHORTEST or len(self._spans) == MOST_SPANS:
                self._spans[-1] = (begun, self._size)
            else:
                self._spans.append((start - SHORTEST, self._size))
        self._tail = looked_at[-SHORTEST:]

    def _may_hold(self, piece: bytes) -> bool:
        if self._to_pass:
            self._to_pass -= 1
            return True
        self._hits = self._hits + 1 if may_hold_run(piece) else 0
        self._to_pass = min(2 ** (self._hits - 1), MOST_PASSED) if self._hits else 0
        return self._hits > 0

    @property
    def spans(self) -> Spans:
        """Where runs may stand, of `SHORTEST` bytes and more; none has a part outside."""
        return tuple(self._spans)
