"""Long runs of base64 in bytes, in which nobody means to search: an occurrence inside of one is no match."""

from __future__ import annotations

import re
from bisect import bisect_right

from lrguard.patterns import pattern

ENCODED_RUN = 256
"""Characters of base64 in a row from which on it is taken for data."""

_OTHER = rb"[^A-Za-z0-9+/_=-]"
_NO_RUN = re.compile(rb"(?s:.{0,%d}" % (ENCODED_RUN - 1) + _OTHER + rb")*+")
"""Goes from one byte that is none of base64 to the farthest within reach, and so looks at few of them in most texts."""

_END = pattern(_OTHER)
_KINDS = tuple(pattern(kind) for kind in (rb"[a-z]", rb"[A-Z]", rb"[0-9]"))


class EncodedRuns:
    """The long runs of base64 in some bytes: upper case, lower case and digits with nothing else between.

    `starts` is where they begin. Telling whether an occurrence lies in one does not depend on how long they are.
    """

    def __init__(self, data: bytes) -> None:
        self.starts: list[int] = []
        self._ends: list[int] = []
        at = 0
        while match := _NO_RUN.match(data, at):
            start = match.end()
            other = _END.search(data, start)
            at = other.start() if other else len(data)
            if at - start < ENCODED_RUN:
                return
            if is_mixed(data, start, at):
                self.starts.append(start)
                self._ends.append(at)

    def hold(self, start: int, end: int) -> bool:
        """Whether an occurrence lies in one of them."""
        if not self.starts:
            return False
        at = bisect_right(self.starts, start) - 1
        return at >= 0 and end <= self._ends[at] and start < end


def is_mixed(data: bytes, start: int, end: int) -> bool:
    """Whether there are letters of both cases and digits among these bytes."""
    return all(kind.search(data, start, end) for kind in _KINDS)
