r"""Finds a pattern in bytes, in linear time whatever the pattern and the bytes are.

RE2 does it for nearly everything. What it refuses because it cannot be linear (look-around, back-references) runs in
`regex`, line by line, under a time limit; what neither takes is searched literally. A match never spans lines.

An empty occurrence (`x*`, `^`) ends the search of its line, and counts only as the first one there: so a pattern that
matches nothing in particular matches each line once, as in `grep`, and costs one step a line.
"""

from __future__ import annotations

import re
import time
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lrguard.errors import LrguardError

if TYPE_CHECKING:
    from types import ModuleType

TIME_LIMIT = 3.0
"""Seconds of processor time that a pattern which may backtrack gets for a whole search."""

_MAX_PATTERN = 100_000
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()\n]")
_NOT_WORD = r"[^\pL\pM\pN_]"


@dataclass(frozen=True, slots=True)
class PatternOptions:
    """How patterns are read: `-F`, `-i` and `-w`."""

    literal: bool = False
    ignore_case: bool = False
    whole_words: bool = False


class Pattern(ABC):
    """A compiled pattern. `notes` say where it is not read as it was written; `gave_up` that the time was over."""

    notes: tuple[str, ...] = ()
    gave_up = False

    @abstractmethod
    def spans(self, data: bytes, at: int = 0) -> Iterator[tuple[int, int]]:
        """Where the occurrences are in `data`, which holds whole lines, in order and not overlapping; from `at` on."""

    def count(self, data: bytes, at: int = 0) -> int:
        """How many there are from `at` on, which is the end of an occurrence or the beginning."""
        return sum(1 for _ in self.spans(data, at))


def compile_patterns(patterns: Sequence[str], options: PatternOptions) -> Pattern:
    """What finds any of `patterns`. Raises `LrguardError` where there is none or they are too long."""
    if not patterns:
        raise LrguardError("there is no pattern", remedy="give one, or several with -e")
    if sum(map(len, patterns)) > _MAX_PATTERN:
        raise LrguardError("the pattern is too long", f"it has more than {_MAX_PATTERN} characters")
    plain = options.literal or not any(map(_SPECIAL.search, patterns))
    if plain and len(patterns) == 1 and patterns[0] and not options.ignore_case and not options.whole_words:
        return _Literal(patterns[0])
    notes: list[str] = []
    if not options.literal:
        found = _Linear.of([f"(?:{pattern})" for pattern in patterns], options)
        if found is not None:
            return found
        backtracking = _Backtracking.of(patterns, options)
        if backtracking is not None:
            return backtracking
        notes.append(f"{patterns[0][:80]} is no regular expression, and is searched as it stands (as -F does)")
    import re2

    found = _Linear.of([re2.escape(pattern) for pattern in patterns], options)
    if found is None:
        raise LrguardError("the pattern cannot be searched", "it is too complex", "search a part of it")
    found.notes = tuple(notes)
    return found


class _Literal(Pattern):
    def __init__(self, text: str) -> None:
        self._needle = text.encode("utf-8", "surrogateescape")

    def count(self, data: bytes, at: int = 0) -> int:
        """See `Pattern.count`."""
        return 0 if b"\n" in self._needle else data.count(self._needle, at)

    def spans(self, data: bytes, at: int = 0) -> Iterator[tuple[int, int]]:
        """See `Pattern.spans`."""
        needle, size = self._needle, len(self._needle)
        if b"\n" in needle:
            return
        at = data.find(needle, at)
        while at >= 0:
            yield at, at + size
            at = data.find(needle, at + size)


class _Linear(Pattern):
    def __init__(self, compiled: Any, group: int) -> None:
        self._compiled, self._group = compiled, group

    @classmethod
    def of(cls, patterns: Sequence[str], options: PatternOptions) -> _Linear | None:
        """The pattern in RE2; None where RE2 does not take it."""
        import re2

        settings = re2.Options()
        settings.log_errors, settings.never_nl = False, True
        settings.case_sensitive = not options.ignore_case
        settings.max_mem = 64 * 1024 * 1024
        # What is between words takes part in the match, in place of the look-around that RE2 does not have.
        settings.never_capture = not options.whole_words
        either = "|".join(patterns)
        try:
            for pattern in patterns:
                re2.compile(pattern, settings)
            if not options.whole_words:
                return cls(re2.compile(f"(?m:{either})", settings), 0)
            return cls(re2.compile(f"(?m)(?:^|{_NOT_WORD})(?P<lrguard>{either})(?:$|{_NOT_WORD})", settings), 1)
        except (re2.error, UnicodeEncodeError):
            return None

    def spans(self, data: bytes, at: int = 0) -> Iterator[tuple[int, int]]:
        """See `Pattern.spans`."""
        last, size = at - 1, len(data)
        while at <= size:
            for match in self._compiled.finditer(data, at):
                start, end = match.span(self._group)
                if start == end or (self._group and match.end() > end):
                    break
                last = start
                yield start, end
            else:
                return
            if start < end:
                # The character after a word may begin the next match too.
                last = start
                yield start, end
                at = end
                continue
            begins = data.rfind(b"\n", 0, start) + 1
            if begins > last and (start < size or data[-1:] != b"\n"):
                yield start, start
            feed = data.find(b"\n", start)
            if feed < 0:
                return
            at = feed + 1


class _Backtracking(Pattern):
    def __init__(self, compiled: Any, module: ModuleType) -> None:
        self._compiled = compiled
        self._left = TIME_LIMIT
        self.notes = (f"this pattern may take long: it is given {TIME_LIMIT:.0f} seconds",)

    @classmethod
    def of(cls, patterns: Sequence[str], options: PatternOptions) -> _Backtracking | None:
        """The pattern in `regex`; None where that does not take it either."""
        import regex

        either = "|".join(f"(?:{pattern})" for pattern in patterns)
        if options.whole_words:
            either = rf"(?<!\w)(?:{either})(?!\w)"
        try:
            compiled = regex.compile(either, regex.IGNORECASE if options.ignore_case else 0)
        except (regex.error, RecursionError, OverflowError, MemoryError):
            return None
        return cls(compiled, regex)

    def spans(self, data: bytes, at: int = 0) -> Iterator[tuple[int, int]]:
        """See `Pattern.spans`."""
        begins = at
        for line in data[at:].split(b"\n"):
            if self.gave_up or (begins >= len(data) > 0):
                return
            yield from ((begins + start, begins + end) for start, end in self._line(line))
            begins += len(line) + 1

    def _line(self, line: bytes) -> list[tuple[int, int]]:
        text = line.decode("utf-8", "surrogateescape")
        found: list[tuple[int, int]] = []
        began, last, byte = time.monotonic(), 0, 0
        try:
            for match in self._compiled.finditer(text, timeout=max(self._left, 0.001)):
                start, end = match.span()
                if start == end and found:
                    break
                byte += len(text[last:start].encode("utf-8", "surrogateescape"))
                size = len(text[start:end].encode("utf-8", "surrogateescape"))
                found.append((byte, byte + size))
                byte, last = byte + size, end
                if start == end:
                    break
        except TimeoutError:
            self.gave_up = True
        self._left -= time.monotonic() - began
        self.gave_up |= self._left <= 0
        return found


_ENCODED = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_="
_LOWER, _UPPER, _DIGITS = (re.compile(chars) for chars in (rb"[a-z]", rb"[A-Z]", rb"[0-9]"))
_MARKS = bytes(byte in _ENCODED for byte in range(256))
ENCODED_RUN = 256
"""Characters of base64 in a row from which on it is taken for data, in which nobody means to search."""

_RUN = re.compile(rb"\x01{%d,}+" % ENCODED_RUN)
_STRIDE = 5


class EncodedRuns:
    """The long runs of base64 in some bytes: upper case, lower case and digits with nothing else between.

    A look at every fifth byte rules them out in most texts, and telling whether an occurrence lies in one does not
    depend on how long they are.
    """

    def __init__(self, data: bytes) -> None:
        some = data[::_STRIDE].translate(_MARKS)
        marks = data.translate(_MARKS) if b"\x01" * (ENCODED_RUN // _STRIDE) in some else b""
        found = _RUN.finditer(marks) if b"\x01" * ENCODED_RUN in marks else ()
        runs = [match.span() for match in found if _is_mixed(data[match.start() : match.end()])]
        self._starts, self._ends = [run[0] for run in runs], [run[1] for run in runs]

    def __bool__(self) -> bool:
        return bool(self._starts)

    def hold(self, start: int, end: int) -> bool:
        """Whether an occurrence lies in one of them."""
        at = bisect_right(self._starts, start) - 1
        return at >= 0 and end <= self._ends[at] and start < end


def _is_mixed(run: bytes) -> bool:
    return all(kind.search(run) for kind in (_LOWER, _UPPER, _DIGITS))
