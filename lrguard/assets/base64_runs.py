"""Finds runs of base64 in a text of any size, wherever they stand, by their characters alone.

What a run may hold (alphabet, escapes, line breaks) has no byte in common with what separates words, so long regions
without a separator are found first by looking at every 256th byte or so, and only those are read closely. No run is
judged here: `evidence.py` tells data from what only looks like it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from lrguard.assets.decoded import STEP, Alphabet, Decoded, full_lines, one_line
from lrguard.assets.run_lines import Run, runs_in
from lrguard.intake.alphabet import ALPHABET, NARROWEST, SHORTEST, WIDEST, decode
from lrguard.intake.run_look import MARKED, Spans, may_hold_run
from lrguard.intake.source import IN_MEMORY, BytesSource, Source
from lrguard.patterns import pattern
from lrguard.records import replace

LARGEST = 64 * 1024 * 1024
"""Bytes of text beyond which a region with line breaks or escapes is left alone, since it is read as a whole."""

ENDS = 4096
"""Characters at each end of a large run that are looked at."""

WINDOW = 1024 * 1024

MANY_LINES = 64
"""Lines of equal length from which on they are not looked at one by one."""

_LAST_LINES = SHORTEST // NARROWEST
"""As many are a run of their own."""

_LOOKED_AT = 8 * 1024
_FIRST_LINE = pattern(
    rb"(?:[A-Za-z0-9+/_-]{0,%d}(?:\r?\n|\\{1,4}n)){0,8}([A-Za-z0-9+/_-]{%d,%d})(\r?\n|\\{1,4}n)"
    % (NARROWEST - 1, NARROWEST, WIDEST)
)
_PADDING = pattern(rb"={0,4}[A-Za-z0-9+/_-]?")


def find_runs(text: Source, window: int = WINDOW, spans: Spans | None = None) -> Iterator[Run]:
    """Every run of at least `SHORTEST` encoded characters, in order; `window` is how many bytes are read at once.

    `spans` is where runs may stand, as far as that is known already.
    """
    regions = (_regions(text, window, *span) for span in spans or ((0, text.size),))
    for start, end in chain.from_iterable(regions):
        # With what follows the padding: a letter there makes the bounds doubtful.
        padding = _PADDING.match(text.read(end, end + 5))
        stop = end + padding.end() if padding and padding[0][:1] == b"=" else end
        if end - start > IN_MEMORY and (run := _large_run(text, start, end, stop)):
            yield run
        elif runs := _wrapped_runs(text, start, stop):
            yield from runs
        elif end - start <= LARGEST:
            region = text.read(start, stop)
            run = _plain_run(region, start)
            yield from _runs(text, start, region) if run is None else (run,) if len(run.encoded) >= SHORTEST else ()


def _runs(text: Source, start: int, region: bytes) -> Iterator[Run]:
    """The runs in a region with line breaks, escapes, or padding in its middle."""
    before = text.read(max(0, start - WIDEST), start)
    url = b"base64," in before[-32:].lower()
    for at, part in _parts(region, _FOREIGN_IN_URL if url else _FOREIGN):
        for place, lines in _long_lines(part):
            lead = 0 if at + place else _column(before, escaped=b"\n" not in lines)
            yield from runs_in(lines, start + at + place, lead)


def _wrapped_runs(text: Source, start: int, stop: int) -> list[Run] | None:
    """The runs of a region that begins with many lines of one length, which are not read as a whole; else None.

    Only the last of these lines, and what follows them, are looked at line by line.
    """
    found = _FIRST_LINE.match(text.read(start, start + 4 * WIDEST))
    if not found:
        return None
    start += found.start(1)
    width, line_break = len(found[1]), found[2]
    before = text.read(max(0, start - WIDEST), start)
    if not before.endswith(line_break) and _column(before, escaped=line_break[:1] == b"\\"):
        return None
    if width % 4:
        return None
    alphabet = Alphabet()
    lines = full_lines(text, start, stop, width, line_break, alphabet) - _LAST_LINES
    rest = start + lines * (width + len(line_break))
    if lines < MANY_LINES or stop - rest > STEP:
        return None
    last, *others = list(_runs(text, rest, text.read(rest, stop))) or (None,)
    if last is None or (last.start, last.width) != (rest, width) or not alphabet.spells(last.encoded):
        return None
    characters = lines * width + last.length
    content = Decoded(text, start, characters, width, line_break)
    ends = text.read(start, start + ENDS).replace(line_break, b"") + last.encoded
    return [replace(last, start=start, encoded=ends, characters=characters, content=content), *others]


def _plain_run(region: bytes, start: int) -> Run | None:
    """The one run that `region` is when it has nothing but the alphabet and padding at its end."""
    content = decode(region)
    rest = region[-2:] if content is not None else region.translate(None, ALPHABET)
    padding = len(rest) - len(rest.rstrip(b"="))
    if content is None and (padding < len(rest) or padding > 2 or not region.endswith(rest)):
        return None
    encoded = region[: len(region) - padding] if padding else region
    return Run(start, start + len(region), encoded, padding, content=None if content is None else BytesSource(content))


def _large_run(text: Source, start: int, end: int, stop: int) -> Run | None:
    """The one run between `start` and `end`, its padding up to `stop`, when it has nothing but the alphabet."""
    padding = text.read(end, stop)
    if padding not in (b"", b"=", b"==") or not one_line(text, start, end):
        return None
    ends = text.read(start, start + ENDS) + text.read(end - ENDS, end)
    return Run(start, stop, ends, len(padding), content=Decoded(text, start, end - start), characters=end - start)


def _regions(text: Source, window: int, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where between `start` and `end` at least `SHORTEST` bytes stand that may all belong to a run."""
    base = start
    long = near = False
    for piece in text.chunks(start, end, window):
        at = 0
        # Where one run stands there are often more, and a look would rule nothing out.
        looked, near = near, long
        while True:
            if long:
                stop = _separator(piece, at)
                if stop < 0:
                    break
                yield start, base + stop
                start, at, long = base + stop + 1, stop + 1, False
                looked = near = True
            reach = min(start + SHORTEST - base, len(piece))
            if start >= base and not looked:
                looked = True
                reach = reach if may_hold_run(piece[at:]) else len(piece)
            last = _last_separator(piece, at, reach)
            if last >= 0:
                start, at = base + last + 1, last + 1
            elif start + SHORTEST - base <= len(piece):
                long, at = True, start + SHORTEST - base
            else:
                break
        base += len(piece)
    if long:
        yield start, base


def _last_separator(piece: bytes, start: int, end: int) -> int:
    """A separator near the end of that part of `piece`; -1 when there is none in it."""
    found = piece.rfind(b" ", start, end)
    if found < 0:
        found = piece.rfind(b'"', start, end)
    if found < 0 and start < end:
        found = piece[start:end].translate(MARKED).rfind(1)
        found = start + found if found >= 0 else -1
    return found


def _separator(piece: bytes, start: int) -> int:
    """The first separator at or after `start`; -1 when there is none."""
    for at in range(start, len(piece), _LOOKED_AT):
        part = piece[at : at + _LOOKED_AT]
        if part[-1:] != b"=" and decode(part) is not None:
            continue
        found = part.translate(MARKED).find(1)
        if found >= 0:
            return at + found
    return -1


_NOT_OURS = rb"u(?!00(?:2[BbDdFf]|3[Dd]|5[Ff]))"
_ESCAPE = rb"(?<!\\)\\++(?:" + _NOT_OURS + rb"(?:[0-9A-Fa-f]{4}\\" + _NOT_OURS + rb")*+|[^u/nr\\])"
_FOREIGN = pattern(_ESCAPE + rb"|%(?:[0-9A-Fa-f]{0,2}%)*+")
_FOREIGN_IN_URL = pattern(_ESCAPE + rb"|%(?!2[BbFf]|3[Dd])")


def _parts(region: bytes, foreign: re.Pattern[bytes]) -> Iterator[tuple[int, bytes]]:
    """The parts of `region` between escapes that no run has, where they are long enough; each with its place."""
    if b"%" not in region and b"\\" not in region:
        yield 0, region
        return
    at = 0
    for found in foreign.finditer(region):
        if found.start() - at >= SHORTEST:
            yield at, region[at : found.start()]
        at = found.end()
    if len(region) - at >= SHORTEST:
        yield at, region[at:]


def _long_lines(part: bytes) -> Iterator[tuple[int, bytes]]:
    """Lines of `part` that may be those of a run: all but the last of them at least `NARROWEST` long."""
    line_break = b"\n" if b"\n" in part else b"\\n"
    at = 0
    while at + SHORTEST <= len(part):
        short = part.rfind(line_break, at, at + NARROWEST + len(line_break))
        if short >= 0:
            at = short + len(line_break)
            continue
        end = at
        while (found := part.find(line_break, end)) - end >= NARROWEST:
            end = found + len(line_break)
        end = len(part) if found < 0 else found
        yield at, part if end - at == len(part) else part[at:end]
        at = end + len(line_break)


_STRING_START = pattern(rb'"|\\n')


def _column(before: bytes, *, escaped: bool) -> int:
    """Bytes between the beginning of the line (escaped: of the line in its JSON string) and the end of `before`."""
    if not escaped:
        return len(before) - before.rfind(b"\n") - 1
    starts = [found.end() for found in _STRING_START.finditer(before)]
    return len(before) - (starts[-1] if starts else 0)
