"""Reads a part of a text: its ends, some lines, some characters, some bytes.

A part that does not fit the bound is cut after whole lines where it has some, and between grapheme clusters where not;
the options that show the rest come with it.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from lrguard.assets.fragments import without_data
from lrguard.errors import NO, LrguardError
from lrguard.inspect.excerpt import (
    BYTES_A_TOKEN,
    Count,
    Excerpt,
    Told,
    encode,
    everything,
    head_that_fits,
    read_characters,
    read_last_characters,
    shown,
    tail_that_fits,
)
from lrguard.inspect.lines import (
    byte_of_character,
    character_count,
    line_count,
    line_start,
    tail_start,
    whole_characters,
)
from lrguard.intake.source import Source
from lrguard.patterns import pattern

_FAR = 10**18
"""Stands for every number that no text reaches, so that absurd ones cost nothing."""

_MARK_TOKENS = 40
"""Kept free for the line that marks a cut."""

_RANGE = pattern(r"\s*(-?[0-9]+)?\s*(?:(:)\s*(?:(\+)?(-?[0-9]+))?)?\s*\Z")


class Unit(Enum):
    """What a range counts, and the option that takes it."""

    LINES = "lines"
    CHARS = "chars"
    BYTES = "bytes"


class Range(NamedTuple):
    """A range as it was asked for: `last` is included for lines and excluded otherwise; `span` is the N of `A:+N`."""

    first: int | None
    last: int | None
    span: int | None = None


def parse_range(given: str, unit: Unit) -> Range:
    """The range that `A:B`, `A:+N`, `A:`, `:B` or `A` means. Raises `LrguardError` for anything else."""
    match = _RANGE.match(given)
    if match is None or not given.strip() or (match[3] and match[4].startswith("-")):
        raise _bad_range(given, unit, "it is no range")
    first, colon, plus, second = match.groups()
    start = _number(first) if first else None
    if unit is Unit.LINES and start == 0:
        raise _bad_range(given, unit, "lines count from 1")
    if plus:
        return Range(start, None, _number(second))
    stop = _number(second) if second else None
    if not colon:
        return Range(start, None, 1)
    if start is not None and stop is not None and (start < 0) == (stop < 0) and stop < start:
        raise _bad_range(given, unit, "it ends before it begins")
    return Range(start, stop)


def _bad_range(given: str, unit: Unit, why: str) -> LrguardError:
    shown_range = given if len(given) <= 60 else given[:60] + "…"
    example = "120:160, 120:+40 or -20:" if unit is Unit.LINES else "1000:2000 or 1000:+1000"
    return LrguardError(f"--{unit.value} {shown_range}", why, f"for example --{unit.value} {example}")


def _number(digits: str) -> int:
    value = int(digits) if len(digits) <= 18 else _FAR
    return max(-_FAR, value if len(digits) <= 18 or not digits.startswith("-") else -_FAR)


def peek(text: Source, wanted: Range, unit: Unit, tokens: int, count: Count) -> Excerpt:
    """The part of `text` that `wanted` names, in at most `tokens` (0: no bound); status 1 where it lies outside."""
    if unit is Unit.LINES:
        return _lines(text, wanted, tokens, count)
    total = text.size if unit is Unit.BYTES else None
    if total is None and any(value is not None and value < 0 for value in wanted[:2]):
        total = character_count(text)
    first = _resolved(wanted.first, total, 0)
    last = first + wanted.span if wanted.span is not None else _resolved(wanted.last, total, _FAR)
    if unit is Unit.BYTES:
        start, end = min(first, text.size), min(last, text.size)
        seen = start
    else:
        start, seen = byte_of_character(text, first)
        end = text.size if last >= _FAR else byte_of_character(text, last)[0]
    if (seen < first or start >= text.size) and last > first:
        total = text.size if unit is Unit.BYTES else seen if seen < first else character_count(text)
        return _outside(f"there are {total} {'bytes' if unit is Unit.BYTES else 'characters'}, from 0")
    if unit is Unit.BYTES:
        start, end = whole_characters(text, start, end)
    return _bounded(text, start, max(start, end), unit, tokens, count, first)


def _resolved(value: int | None, total: int | None, default: int) -> int:
    if value is None:
        return default
    return value if value >= 0 else max(0, (total or 0) + value)


def _outside(what: str) -> Excerpt:
    return Excerpt((), (what,), status=NO)


def _lines(text: Source, wanted: Range, tokens: int, count: Count) -> Excerpt:
    total = None
    first, last = wanted.first, wanted.last
    if (first is not None and first < 0) or (last is not None and last < 0):
        total = line_count(text)
        first = max(1, total + 1 + first) if first is not None and first < 0 else first
        last = total + 1 + last if last is not None and last < 0 else last
    first = 1 if first is None else first
    if wanted.span is not None:
        last = first + wanted.span - 1
    start = line_start(text, first)
    if start >= text.size:
        total = line_count(text)
        return _outside(f"there {'is' if total == 1 else 'are'} {total} line{'s' * (total != 1)}")
    if last is not None and last < first:
        return Excerpt((), (f"no line is in {first}:{last}",), status=NO)
    # Counted from the first line wanted on, so that a part at the end is not scanned for twice from the beginning.
    end = text.size if last is None or last >= _FAR else start + line_start(_From(text, start), last - first + 2)
    return _bounded(text, start, end, Unit.LINES, tokens, count, first, last)


class _From(Source):
    """A text from one byte on."""

    def __init__(self, text: Source, start: int) -> None:
        self._text, self._start = text, start
        self.size = text.size - start

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        """See `Source.read`."""
        return self._text.read(self._start + start, self._start + (self.size if end is None else end))


def _bounded(
    text: Source, start: int, end: int, unit: Unit, tokens: int, count: Count, first: int, last: int | None = None
) -> Excerpt:
    """The bytes from `start` up to `end`, cut where they do not fit; `first` is the place of `start` in `unit`."""
    if not tokens:
        return Excerpt(everything(text, start, end))
    raw = read_characters(text, start, end, tokens * BYTES_A_TOKEN + 4)
    fits = len(raw)
    whole = len(encode(raw)) == end - start
    if not whole or count_over(raw, tokens, count):
        fits = head_that_fits(raw, max(1, tokens - _MARK_TOKENS), count)
    if whole and fits == len(raw):
        return Excerpt((_ended(shown(raw)),))
    feed = raw.rfind("\n", 0, fits) + 1
    if unit is Unit.LINES and feed:
        body = shown(raw[:feed])
        next_line = first + raw.count("\n", 0, feed)
        rest = f"{next_line}:{last if last is not None and last < _FAR else ''}"
        return Excerpt((_ended(body), Told(f"[cut here; line {next_line} comes next]\n")), go_on=("--lines", rest))
    cut = start + len(encode(raw[:fits]))
    if unit is Unit.BYTES:
        option = ("--bytes", f"{cut}:{end}")
    else:
        at = character_count(text, 0, start) + fits if unit is Unit.LINES else first + fits
        option = ("--chars", f"{at}:{at + character_count(text, cut, end)}")
    where = f"[cut here, inside line {first}" if unit is Unit.LINES else "[cut here"
    mark = Told(f"{where}; {end - cut} bytes are left]\n")
    return Excerpt((_ended(shown(raw[:fits])), mark), go_on=option)


def count_over(raw: str, tokens: int, count: Count) -> bool:
    """Whether a text takes more than `tokens` when shown, with its last line ended."""
    text = _ended(shown(raw))
    return len(text.encode("utf-8", "replace")) > tokens and count(text) > tokens


def _ended(body: str) -> str:
    return body if body.endswith("\n") or not body else body + "\n"


def head(text: Source, lines: int, tokens: int, count: Count) -> Excerpt:
    """The first `lines` lines. Raises `LrguardError` where the number is negative."""
    if lines < 0:
        raise LrguardError(f"--head {lines}", "there is no such number of lines", "for example --head 40")
    if lines == 0 or text.size == 0:
        return Excerpt((), () if lines == 0 else ("it is empty: 0 lines",))
    return _lines(text, Range(1, min(lines, _FAR)), tokens, count)


def tail(text: Source, lines: int, tokens: int, count: Count) -> Excerpt:
    """The last `lines` lines; where they do not fit, the last of them that do."""
    if lines < 0:
        raise LrguardError(f"--tail {lines}", "there is no such number of lines", "for example --tail 40")
    start = tail_start(text, min(lines, _FAR))
    if start >= text.size:
        return Excerpt((), ("it is empty: 0 lines",) if text.size == 0 else ())
    if not tokens:
        return Excerpt(everything(text, start, text.size))
    raw = read_last_characters(text, start, text.size, tokens * BYTES_A_TOKEN + 4)
    if len(encode(raw)) == text.size - start and not count_over(raw, tokens, count):
        return Excerpt((_ended(shown(raw)),))
    begin = tail_that_fits(raw, max(1, tokens - _MARK_TOKENS), count)
    feed = raw.find("\n", max(0, begin - 1), len(raw) - 1) + 1
    if feed:
        first = line_count(text) - (raw.count("\n", feed) + (not raw.endswith("\n"))) + 1
        from_line = max(1, first - lines + (line_count(text) - first + 1))
        mark = Told(f"[cut here; line {first} comes first]\n")
        return Excerpt((mark, _ended(shown(raw[feed:]))), go_on=("--lines", f"{from_line}:{first - 1}"))
    cut = text.size - len(encode(raw[begin:]))
    at = character_count(text, 0, cut)
    mark = Told(f"[cut here, inside a line; {cut - start} bytes of it come before]\n")
    return Excerpt((mark, _ended(shown(raw[begin:]))), go_on=("--chars", f"{character_count(text, 0, start)}:{at}"))


def overview(text: Source, tokens: int, count: Count, about: str = "") -> Excerpt:
    """What a text is like at a glance: its lines and bytes, then all of it if that fits, else its head and its tail.

    `about` is put before the numbers, on the same line: what else is known of the text. Embedded data is told of, not
    shown, unless there is no bound: at a glance nobody reads it.
    """
    total = line_count(text)
    facts = Told(f"{about}{', ' if about else ''}{total} line{'s' * (total != 1)}, {text.size} bytes\n")
    if not tokens:
        return Excerpt(part for parts in ((facts,), everything(text, 0, text.size)) for part in parts)
    if text.size == 0:
        return Excerpt((facts,), ("it is empty",))
    room = max(2, tokens - count(facts) - 2 * _MARK_TOKENS)
    raw = read_characters(text, 0, text.size, tokens * BYTES_A_TOKEN + 4)
    if len(encode(raw)) == text.size and not count_over(raw, room, count):
        return Excerpt((facts, "\n", without_data(_ended(shown(raw)))))
    fits = head_that_fits(raw, room // 2, count)
    feed = raw.rfind("\n", 0, fits) + 1
    top = raw[: feed if feed > fits // 2 else fits]
    left_from = len(encode(top))
    end = read_last_characters(text, left_from, text.size, room // 2 * BYTES_A_TOKEN + 4)
    begin = tail_that_fits(end, room // 2, count)
    feed = end.find("\n", begin, len(end) - 1) + 1
    bottom = end[feed if 0 < feed < begin + (len(end) - begin) // 2 else begin :]
    left_to = text.size - len(encode(bottom))
    mark, option = _left_out(text, left_from, left_to, top, bottom, total)
    both = [without_data(_ended(shown(part))) for part in (top, bottom)]
    return Excerpt((facts, "\n", both[0], Told(mark), both[1]), go_on=option)


def _left_out(text: Source, start: int, end: int, top: str, bottom: str, total: int) -> tuple[str, tuple[str, ...]]:
    first = top.count("\n") + 1
    last = total - bottom.count("\n") - (not bottom.endswith("\n"))
    if top.endswith("\n") and first <= last and (text.read(end - 1, end) == b"\n"):
        return f"[lines {first} to {last} of {total} are left out]\n", ("--lines", f"{first}:{last}")
    at = character_count(text, 0, start)
    to = at + character_count(text, start, end)
    return f"[characters {at} to {to} are left out, {end - start} bytes]\n", ("--chars", f"{at}:{to}")
