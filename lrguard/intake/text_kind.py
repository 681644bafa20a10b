"""Says what kind of text a tool result is: JSON in its forms, a table, markup, or plain.

The kind gives the saved file its extension and decides what the message shows, so a kind other than plain is only named
on evidence that prose, logs and code do not give by chance. JSON is decided on the whole text up to `WHOLE` bytes; what
is beyond, and every other kind, is decided on bounded pieces.
"""

from __future__ import annotations

import re
from enum import Enum

from lrguard.intake.json_scan import JsonScan, scan_json
from lrguard.intake.source import BytesSource, Source
from lrguard.patterns import pattern
from lrguard.records import dataclass

WHOLE = 64 * 1024 * 1024
"""Bytes up to which JSON is read to its end; the contract lets larger results be judged by samples."""

_PREFIX = 2 * 1024 * 1024
_SAMPLE = 64 * 1024


class TextKind(Enum):
    """A kind of text, as its media type and the extension of its file."""

    JSON = ("application/json", "json")
    JSON_LINES = ("application/x-ndjson", "jsonl")
    JSON_SEQUENCE = ("application/json-seq", "txt")
    CSV = ("text/csv", "csv")
    TSV = ("text/tab-separated-values", "tsv")
    HTML = ("text/html", "html")
    XML = ("application/xml", "xml")
    SVG = ("image/svg+xml", "svg")
    MARKDOWN = ("text/markdown", "md")
    PLAIN = ("text/plain", "txt")

    @property
    def media_type(self) -> str:
        """The registered name, or the usual one where none is."""
        return self.value[0]

    @property
    def extension(self) -> str:
        """The file's extension, without a dot."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class KindOfText:
    """A kind; whether the last JSON document is cut short at its end; whether only pieces of the text were read."""

    kind: TextKind
    cut: bool = False
    sampled: bool = False


def kind_of(text: Source) -> KindOfText:
    """The kind of `text`, which is UTF-8 but for a few bytes; linear in time up to `WHOLE` bytes, constant beyond."""
    head = text.read(0, _SAMPLE)
    begin = head.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n\x1e")
    if begin[:1] in (b"{", b"[") or not begin:
        found = _json_kind(text)
        if found:
            return found
    tail = text.read(text.size - _SAMPLE) if text.size > len(head) else b""
    kind = _markup_kind(begin, tail or head) if begin.startswith(b"<") else _table_kind(head, tail)
    if kind is None and b"# " in head:
        from lrguard.intake.markdown import is_markdown

        kind = TextKind.MARKDOWN if is_markdown(head) else None
    kind = kind or TextKind.PLAIN
    return KindOfText(kind, sampled=text.size > WHOLE)


def _json_kind(text: Source) -> KindOfText | None:
    if text.size <= WHOLE:
        found = scan_json(text)
        return _named(found, sampled=False) if found else None
    found = scan_json(text, _PREFIX)
    if not found:
        return None
    end = text.read(text.size - _SAMPLE).rstrip(b" \t\r\n")[-1:]
    if found.documents == 0:
        # One document that goes on beyond what was read: it is whole where it ends as it begins.
        opening = text.read(0, _SAMPLE).removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        found = JsonScan(1, one_a_line=False, cut=False) if end == {b"{": b"}", b"[": b"]"}[opening] else found
        return _named(found, sampled=True)
    if found.one_a_line and not all(_is_lines(text, text.size * part // 8) for part in range(1, 8)):
        return None
    return _named(JsonScan(2, found.one_a_line, cut=end not in (b"}", b"]")), sampled=True)


def _is_lines(text: Source, at: int) -> bool:
    """Whether the first whole line behind `at` is one JSON document; True where it is longer than a sample."""
    lines = text.read(at, at + 4 * _SAMPLE).split(b"\n", 2)
    if len(lines) < 3 or not lines[1].strip():
        return True
    found = scan_json(BytesSource(lines[1] + b"\n"))
    return found is not None and found.documents == 1 and not found.cut


def _named(found: JsonScan, *, sampled: bool) -> KindOfText:
    documents = found.documents + found.cut
    if documents == 1:
        return KindOfText(TextKind.JSON, found.cut, sampled)
    return KindOfText(TextKind.JSON_LINES if found.one_a_line else TextKind.JSON_SEQUENCE, found.cut, sampled)


_PROLOG = pattern(rb"(?s)\s*(?:<!--.*?-->|<\?.*?\?>|<!doctype[^>\[]*(?:\[.*?\]\s*)?>)", re.IGNORECASE)
_ROOT = pattern(rb"\s*<([A-Za-z_][\w.-]{0,99}:)?([A-Za-z_][\w.-]{0,99})(?=[\s/>])")
_FRAGMENTS = frozenset(
    b"head body div p span table ul ol dl section article main header footer nav h1 h2 h3 h4 h5 h6 a img form".split()
)


def _markup_kind(begin: bytes, tail: bytes) -> TextKind | None:
    """The kind of a text that begins with `<`, by its root element; without a declaration that must also be closed."""
    at = 0
    while found := _PROLOG.match(begin, at):
        at = found.end()
    prolog = begin[:at].lower()
    if b"<!doctype html" in prolog:
        return TextKind.HTML
    root = _ROOT.match(begin, at)
    declared = prolog.startswith(b"<?xml") or b"<!doctype" in prolog
    if not root:
        return TextKind.XML if declared else None
    name = root[2].lower()
    if name == b"html":
        return TextKind.HTML
    end = tail.rstrip()
    closed = end.endswith((b"</" + (root[1] or b"") + root[2] + b">", b"/>"))
    if name == b"svg" and (declared or closed):
        return TextKind.SVG
    if name in _FRAGMENTS and not declared and end.endswith(b">") and (closed or end.count(b"</" + root[2]) > 0):
        return TextKind.HTML
    return TextKind.XML if declared or closed else None


def _table_kind(head: bytes, tail: bytes) -> TextKind | None:
    text = head.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = text.removesuffix("\n").split("\n")
    last = tail.decode("utf-8", "replace").removesuffix("\n").split("\n")[1:]
    for delimiter, kind in (("\t", TextKind.TSV), (",", TextKind.CSV), (";", TextKind.CSV)):
        if text.count(delimiter) < 3:
            continue
        rows = _rows(lines[:-1] if tail else lines, delimiter)
        # At the end quotes could be paired the wrong way round, and a few lines may be totals or notes.
        widths = [] if '"' in "".join(last) else [line.count(delimiter) + 1 for line in last if line.strip()]
        if _is_table(rows, delimiter) and sum(width == len(rows[0]) for width in widths) >= 0.9 * len(widths):
            return kind
    return None


def _rows(lines: list[str], delimiter: str) -> list[list[str]]:
    """The rows that are not blank; none where quotes are not as tables have them."""
    import csv

    rows: list[list[str]] = []
    try:
        for row in csv.reader([line + "\n" for line in lines], delimiter=delimiter, strict=True):
            if row:
                rows.append(row)
    except csv.Error:
        # Behind many good rows that is a quoted field that reaches beyond the sample.
        return rows if len(rows) >= 100 else []
    return rows


_HEADING = pattern(r"[\w#%$@][\w .\-/()%#$:@*+&'°\[\]]{0,79}")
_VALUE = pattern(r"(?:[-+]?[$€£]?\d[\d.,:/TZ+\- %e]*+|true|false|null|none|nan|n/a|)", re.IGNORECASE)


def _is_value(field: str) -> bool:
    return len(field) <= 64 and _VALUE.fullmatch(field.strip()) is not None


def _is_table(rows: list[list[str]], delimiter: str) -> bool:
    """Whether there are at least three rows of as many fields each, headed by names or made of values."""
    if len(rows) < 3:
        return False
    heading, width = rows[0], len(rows[0])
    if width < 2 or any(len(row) != width for row in rows):
        return False
    names = (
        len(set(heading)) == width and all(_HEADING.fullmatch(name) for name in heading) and not _is_value(heading[0])
    )
    values = [all(_is_value(row[column]) for row in rows[1:]) for column in range(width)]
    if delimiter == "\t":
        # `cat -n` pads its numbers with blanks.
        return (names or any(values)) and not all(row[0].startswith(" ") for row in rows)
    spaced = sum(field.startswith(" ") for row in rows for field in row[1:]) * 2 > len(rows) * (width - 1)
    if spaced:
        # So are commas in prose and in code.
        return width >= 3 and names and any(values)
    return names or (width >= 3 and any(values[1:]) and sum(values) * 3 >= width)
