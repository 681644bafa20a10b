"""The structure of a text: what `lrguard schema` prints, and what a message says about JSON and tables."""

from __future__ import annotations

from collections.abc import Callable

from lrguard.intake.sizes import size_text
from lrguard.intake.source import Source
from lrguard.records import dataclass
from lrguard.structure.compact import render
from lrguard.structure.documents import Documents, read_documents
from lrguard.structure.json_schema import to_json_schema
from lrguard.structure.node import Node
from lrguard.structure.paths import to_paths
from lrguard.structure.shapes import fold_maps
from lrguard.structure.tabular import Table, read_table

Count = Callable[[str], int]
"""Counts the tokens of a text."""

JSON, JSON_LINES, JSON_SEQUENCE, CSV, TSV = "json", "json-lines", "json-sequence", "csv", "tsv"
_NAMES = {JSON_LINES: "JSON lines", JSON_SEQUENCE: "JSON documents", CSV: "CSV", TSV: "TSV"}


@dataclass(frozen=True, slots=True)
class Structure:
    """What every value of a text has in common.

    `kind` is one of json, json-lines, json-sequence, csv and tsv; `documents` counts the documents (1 for a table).
    `notes` are sentences for the reader: what of the text is not described, and why.
    """

    node: Node
    kind: str
    documents: int
    notes: tuple[str, ...] = ()


def infer(text: Source, *, limit_bytes: int | None = None) -> Structure | None:
    """The structure of the UTF-8 `text`; None where it is neither JSON nor a table.

    With `limit_bytes` no more than the first so many bytes are looked at, and a note says so.
    """
    end = None if limit_bytes is None or limit_bytes >= text.size else limit_bytes
    sampled = () if end is None else (f"from the first {size_text(end)} of {size_text(text.size)}",)
    documents = read_documents(text, end)
    if documents is not None:
        root = documents.inference.root
        fold_maps(root)
        kind = JSON if documents.count == 1 else JSON_LINES if documents.one_a_line else JSON_SEQUENCE
        return Structure(root, kind, documents.count, sampled + _notes(documents, sampled=end is not None))
    table = read_table(text, end)
    if table is None:
        return None
    return Structure(table.root, TSV if table.delimiter == "\t" else CSV, 1, sampled + _table_notes(table))


def compact(structure: Structure, max_tokens: int, count: Count) -> str:
    """The compact notation in at most `max_tokens` tokens (0: no bound)."""
    head = ""
    if structure.kind in (JSON_LINES, JSON_SEQUENCE):
        more = "+" if structure.notes and structure.notes[0].startswith("from the first") else ""
        head = f"{structure.documents}{more} {_NAMES[structure.kind]}, each: "
    elif structure.kind in (CSV, TSV):
        head = f"{_NAMES[structure.kind]}: "
    room = max(1, max_tokens - count(head)) if max_tokens else 0
    return head + render(structure.node, room, count)


def json_schema(structure: Structure, max_tokens: int, count: Count) -> str:
    """JSON Schema 2020-12 of the document, or of each of several, in at most `max_tokens` tokens (0: no bound)."""
    comment = ""
    if structure.kind in (CSV, TSV):
        comment = "Rows as objects; columns of numbers or booleans alone are read as such, empty cells as null."
    return to_json_schema(structure.node, max_tokens, count, comment=comment)


def paths(structure: Structure, max_tokens: int, count: Count) -> str:
    """One `path: type` a line in at most `max_tokens` tokens (0: no bound)."""
    return to_paths(structure.node, max_tokens, count)


def _notes(documents: Documents, *, sampled: bool) -> tuple[str, ...]:
    notes = []
    if documents.text_lines:
        places = ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in documents.text_places[:3])
        lines = "line" if documents.text_lines == 1 else "lines"
        more = ", …" if len(documents.text_places) > 3 else ""
        notes.append(f"{documents.text_lines} {lines} of text around the JSON, not described (line {places}{more})")
    if documents.stopped == "cut" and not sampled:
        notes.append("the document is cut short; this is the structure of what is there")
    elif documents.stopped == "broken":
        notes.append(f"a document is not valid JSON from line {documents.stopped_line} on")
    if documents.inference.cut:
        notes.append(f"what lies more than {documents.inference.depth} levels deep is left out")
    if documents.inference.inner:
        notes.append("strings that hold JSON themselves are shown as json<…>")
    return tuple(notes)


def _table_notes(table: Table) -> tuple[str, ...]:
    notes = []
    if table.uneven:
        notes.append(f"{table.uneven} rows have more or fewer cells than the header")
    if table.unreadable:
        notes.append(f"{table.unreadable} rows cannot be read")
    return tuple(notes)
