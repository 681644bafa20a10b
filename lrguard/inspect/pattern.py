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
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from lrguard.errors import LrguardError
from lrguard.patterns import pattern as _pattern
from lrguard.records import dataclass

if TYPE_CHECKING:
    from types import ModuleType

TIME_LIMIT = 3.0
"""Seconds of processor time that a pattern which may backtrack gets for a whole search."""

_MAX_PATTERN = 100_000
_SPECIAL = _pattern(r"[\\.^$*+?{}\[\]|()\n]")
_NOT_WORD = r"[^\pL\pM\pN_]"
_FLAT = _pattern(
    r"(?:(?:[\w !\"#%&',/:;<=>@`~-]|\\d|\\[.^$*+?{}\[\]|()\\/-]|\[(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|[\w ])+\])"
    r"(?:\{[1-9]\})?)+",
    re.ASCII,
)
"""Patterns whose matches all have one length, so that `re` takes linear time for them too, and finds the same."""

_FLAT_LENGTH = 100
_FEW = 16
"""Matches in a row after which counting goes on in `re`, whose next one takes a tenth of the time."""


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
    plain = options.literal or not any(_SPECIAL.search(pattern) for pattern in patterns)
    if plain and len(patterns) == 1 and patterns[0] and not options.ignore_case and not options.whole_words:
        return _Literal(patterns[0])
    notes: list[str] = []
    if not options.literal:
        found = _Linear.of(patterns, options)
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
    def __init__(self, compiled: Any, group: int, flat: re.Pattern[bytes] | None = None) -> None:
        self._compiled, self._group, self._flat = compiled, group, flat

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
        groups = [f"(?:{pattern})" for pattern in patterns]
        either = "|".join(groups)
        try:
            for group in groups:
                re2.compile(group, settings)
            if not options.whole_words:
                return cls(re2.compile(f"(?m:{either})", settings), 0, _flat(patterns, options))
            return cls(re2.compile(f"(?m)(?:^|{_NOT_WORD})(?P<lrguard>{either})(?:$|{_NOT_WORD})", settings), 1)
        except (re2.error, UnicodeEncodeError):
            return None

    def count(self, data: bytes, at: int = 0) -> int:
        """See `Pattern.count`."""
        if self._flat is None:
            return super().count(data, at)
        few = 0
        for _, end in islice(self.spans(data, at), _FEW):
            few, at = few + 1, end
        return few + len(self._flat.findall(data, at)) if few == _FEW else few

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


def _flat(patterns: Sequence[str], options: PatternOptions) -> re.Pattern[bytes] | None:
    """The only one of `patterns` in `re`, where that finds the same in linear time."""
    if len(patterns) > 1 or options.ignore_case or len(patterns[0]) > _FLAT_LENGTH or not _FLAT.fullmatch(patterns[0]):
        return None
    return _pattern(patterns[0].encode())


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
