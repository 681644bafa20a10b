"""The reading copy: the same result laid out for line-oriented readers.

There is one where the original would not do: one long line of JSON, text inside an envelope, assets that were linked,
another encoding, or NULs, at which `grep` takes a file for binary.
"""

from __future__ import annotations

from collections.abc import Callable

from lrguard.intake.source import Source, Spool
from lrguard.intake.text_kind import TextKind, kind_of
from lrguard.records import dataclass
from lrguard.structure.layout import lay_out
from lrguard.text import Text

LONG_LINE = 2000
"""Bytes of a line beyond which JSON is laid out (contract, section 4, says characters: of JSON nearly the same)."""

LARGEST = 64 * 1024 * 1024
"""Bytes beyond which JSON is laid out only when it is first read."""

JSON = (TextKind.JSON, TextKind.JSON_LINES, TextKind.JSON_SEQUENCE)
NUL_SHOWN = "␀".encode()


@dataclass(frozen=True, slots=True)
class ReadingCopy:
    """A text to be saved beside the original, and the extension of its file."""

    source: Source
    extension: str


def reading_copy(text: Text, spool: Callable[[], Spool]) -> ReadingCopy | None:
    """The reading copy of `text`, None where the original can be read as well."""
    if text.mcp is not None:
        return _of_mcp_texts(text.mcp.parts, spool)
    shown, kind = text.shown, text.kind.kind
    if kind in JSON and shown.size <= LARGEST and (laid := laid_out(shown, spool)):
        return ReadingCopy(laid, kind.extension)
    as_it_came = shown is text.received.source
    nuls = text.received.scan.nuls if as_it_came else _count(shown, b"\0")
    if nuls:
        return ReadingCopy(_without_nuls(shown, nuls, spool()), kind.extension)
    if text.linked or text.encoding != "utf-8":
        return ReadingCopy(shown, kind.extension)
    return None


def laid_out(json: Source, spool: Callable[[], Spool]) -> Source | None:
    """JSON one value a line, None where its lines are short as they are."""
    return lay_out(json, spool()) if _has_long_line(json) else None


def _of_mcp_texts(parts: tuple[Source, ...], spool: Callable[[], Spool]) -> ReadingCopy:
    whole = spool()
    kind = TextKind.PLAIN
    for number, part in enumerate(parts):
        kind = kind_of(part).kind
        source = (laid_out(part, spool) if kind in JSON else None) or part
        if number:
            whole.write(b"\n")
        for chunk in source.chunks():
            whole.write(chunk)
    source = whole.source()
    if nuls := _count(source, b"\0"):
        source = _without_nuls(source, nuls, spool())
    return ReadingCopy(source, kind.extension if len(parts) == 1 else TextKind.PLAIN.extension)


def _has_long_line(source: Source) -> bool:
    carried = 0
    for chunk in source.chunks():
        first, *rest = chunk.split(b"\n")
        if carried + len(first) > LONG_LINE or any(len(line) > LONG_LINE for line in rest):
            return True
        carried = len(rest[-1]) if rest else carried + len(first)
    return False


def _count(source: Source, byte: bytes) -> int:
    return sum(chunk.count(byte) for chunk in source.chunks() if byte in chunk)


def _without_nuls(source: Source, nuls: int, spool: Spool) -> Source:
    """NULs that end records, as of `find -print0`, become line ends; others a sign, so that lines stay the same."""
    shown = b"\n" if nuls > _count(source, b"\n") else NUL_SHOWN
    for chunk in source.chunks():
        spool.write(chunk.replace(b"\0", shown))
    return spool.source()
