"""Shows the values that a JSONPath names, each with the document's own lexemes.

The only match is laid out one value a line; several are one a line. Where a value is cut, the bytes that are left of it
in the original are what to read next: blanks outside strings are all that a layout changes, so counting the other bytes
leads from what was shown back to the place in the original.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum
from itertools import chain, islice

from lrguard.errors import NO
from lrguard.inspect.excerpt import (
    BYTES_A_TOKEN,
    Count,
    Excerpt,
    Page,
    Told,
    decode,
    encode,
    everything,
    head_that_fits,
    shown,
)
from lrguard.inspect.json_tokens import Shape, Span, decoded
from lrguard.inspect.locate import locate, nearest
from lrguard.intake.source import BytesSource, Source, Spool
from lrguard.patterns import pattern

_MARK_TOKENS = 40
_BLANKS = b" \t\r\n"
_BREAK = pattern(rb'("[^"\\]*+(?:\\.[^"\\]*+)*+"?)|[ \t]*+[\r\n][ \t\r\n]*+', re.DOTALL)
_COUNTED = 100_000
"""Matches that are counted to tell how many there are; more than these are told as more."""


class As(Enum):
    """How a match is shown: as JSON, or decoded where it is a string."""

    JSON = "json"
    TEXT = "text"


def peek_path(
    text: Source,
    path: str,
    shape: Shape,
    tokens: int,
    count: Count,
    *,
    form: As = As.JSON,
    skip: int = 0,
    make_file: Callable[[], int],
) -> Excerpt:
    """The values that `path` names in `text`, in at most `tokens` (0: no bound); status 1 where there are none.

    `skip` values are left out: where not all of them fit, the options that show the rest say how many.
    `make_file` opens a file for a layout that is too long for memory, which only an unbounded one can be. Raises
    `LrguardError` as `locate` does.
    """
    spans = locate(text, path, shape)
    skipped = sum(1 for _ in islice(spans, skip))
    first = list(islice(spans, 2))
    if not first and skipped:
        return Excerpt((), (f"there are {skipped} values at {path[:200]}",), status=NO)
    if not first:
        return Excerpt((), (f"nothing is at {path[:200]}: {nearest(text, path, shape)}",), status=NO)
    if len(first) > 1 or skipped:
        return _several(text, chain(first, spans), tokens, count, form, ("--path", path), skip)
    if not tokens:
        return Excerpt(_whole(text, first[0], form, make_file))
    return _only(text, first[0], tokens, count, form)


def _whole(text: Source, span: Span, form: As, make_file: Callable[[], int]) -> Iterator[str]:
    """All of one value, laid out."""
    from lrguard.structure.layout import lay_out

    opening = text.read(span.start, span.start + 1)
    if opening == b'"' and form is As.TEXT:
        value = decoded(text.read(*span))
        yield shown(value)
        if not value.endswith("\n"):
            yield "\n"
        return
    if opening not in (b"{", b"["):
        yield from everything(text, *span)
        return
    spool = Spool(make_file)
    for chunk in text.chunks(*span):
        spool.write(chunk)
    value_text = lay_out(spool.source(), Spool(make_file))
    yield from everything(value_text, 0, value_text.size)


def _only(text: Source, span: Span, tokens: int, count: Count, form: As) -> Excerpt:
    """One value, laid out and cut where it does not fit."""
    most = tokens * BYTES_A_TOKEN + 8
    raw = text.read(span.start, min(span.end, span.start + most))
    whole = span.start + len(raw) == span.end
    decodes = form is As.TEXT and raw.startswith(b'"')
    body = decoded(raw) if decodes else decode(_laid_out(raw))
    page = Page(tokens, count)
    if whole and len(body) <= most and page.add(_ended(shown(body))):
        return Excerpt(page.lines)
    fits = head_that_fits(body[:most], max(1, tokens - _MARK_TOKENS), count)
    feed = body.rfind("\n", 0, fits) + 1
    fits = feed if feed > fits // 2 else fits
    reached = span.start + (_decoded_bytes(raw, fits) if decodes else _same_place(raw, encode(body[:fits])))
    mark = Told(f"[cut here; {span.end - reached} bytes of the value are left]\n")
    return Excerpt((_ended(shown(body[:fits])), mark), go_on=("--bytes", f"{reached}:{span.end}"))


def _laid_out(raw: bytes) -> bytes:
    from lrguard.structure.layout import lay_out

    if raw[:1] not in (b"{", b"["):
        return raw
    laid = lay_out(BytesSource(raw), Spool(_no_file))
    return laid.read()


def _no_file() -> int:
    raise AssertionError("a bounded value never leaves memory")


def _ended(body: str) -> str:
    return body if body.endswith("\n") else body + "\n"


def _same_place(raw: bytes, laid: bytes) -> int:
    """The byte of `raw` up to which it says what `laid` does, blanks aside."""
    wanted = len(laid.translate(None, _BLANKS))
    low, high = 0, len(raw)
    while low < high:
        middle = (low + high) // 2
        inside = len(raw[low:middle].translate(None, _BLANKS))
        if inside >= wanted:
            if high == middle:
                break
            high = middle
        else:
            wanted -= inside
            if low == middle:
                break
            low = middle
    return high if wanted else low


def _decoded_bytes(raw: bytes, characters: int) -> int:
    """How many bytes of a string's lexeme its first `characters` take."""
    low, high = 1, len(raw)
    while low < high:
        middle = (low + high) // 2
        if len(decoded(raw[:middle])) < characters:
            low = middle + 1
        else:
            high = middle
    return low


def _several(
    text: Source,
    spans: Iterator[Span],
    tokens: int,
    count: Count,
    form: As,
    asked: tuple[str, ...],
    skip: int,
) -> Excerpt:
    if not tokens:
        return Excerpt(_line(text, span, form) for span in spans)
    page = Page(max(1, tokens - _MARK_TOKENS), count)
    most = tokens * BYTES_A_TOKEN
    for span in spans:
        if span.end - span.start <= most and page.add(_line(text, span, form)):
            continue
        more = sum(1 for _ in islice(spans, _COUNTED))
        left = f"{more + 1} value{'s' * (more > 0)}" if more < _COUNTED else f"more than {_COUNTED} values"
        shown_count = len(page.lines)
        room = page.left
        if not shown_count or room > tokens // 4:
            body = decode(one_line(text.read(span.start, min(span.end, span.start + most))))
            page.lines.append(shown(body[: head_that_fits(body, max(1, room), count)]) + "…\n")
        done = skip + shown_count
        mark = Told(f"[cut here; {left} after the first {done} {'are' if more else 'is'} left]\n")
        if shown_count:
            go_on = (*asked, *(("--text",) if form is As.TEXT else ()), "--skip", str(done))
            return Excerpt((*page.lines, mark), go_on=go_on)
        # It alone is more than a page: what is left of it, and then those behind it.
        notes = (f"--skip {done + 1} shows the values behind it",) if more else ()
        return Excerpt((*page.lines, mark), notes, ("--bytes", f"{span.start}:{span.end}"))
    return Excerpt(page.lines)


def _line(text: Source, span: Span, form: As) -> str:
    raw = text.read(*span)
    if form is As.TEXT and raw.startswith(b'"'):
        return _ended(shown(decoded(raw)))
    return shown(decode(one_line(raw))) + "\n"


def one_line(raw: bytes) -> bytes:
    """A value on one line: line breaks and indentation outside strings become nothing, or a blank after a comma."""
    if b"\n" not in raw and b"\r" not in raw:
        return raw
    return _BREAK.sub(lambda match: match[1] or b" ", raw)
