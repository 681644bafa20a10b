"""Reads comma- and tab-separated tables into the same nodes as JSON: an array of objects, one a row.

A cell has no type of its own. A column is a number or a boolean only where every cell that is not empty is one, so one
stray word makes it a string column; an empty cell is null.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterator, Sequence

from lrguard.intake.source import Source
from lrguard.records import dataclass
from lrguard.structure.infer import Inference
from lrguard.structure.node import KEYS, Node

_SAMPLE = 64 * 1024
_SAMPLE_ROWS = 200
_FEWEST_ROWS = 3
_BATCH = 4096
_LONGEST_LINE = 1024 * 1024
_DELIMITERS = (",", "\t", ";", "|")

_INT = re.compile(r"-?(?:0|[1-9][0-9]{0,60})").fullmatch
_NUMBER = re.compile(
    r"[+-]?(?:(?:0|[1-9][0-9]{0,60})(?:\.[0-9]{0,60})?|\.[0-9]{1,60})(?:[eE][+-]?[0-9]{1,4})?|NaN|nan|-?[Ii]nf"
).fullmatch
_BOOLEANS = frozenset({"true", "false", "True", "False", "TRUE", "FALSE"})


@dataclass(slots=True)
class Table:
    """A table: its rows as nodes, how many there are, and what could not be read."""

    root: Node
    delimiter: str
    rows: int = 0
    uneven: int = 0
    """Rows that have more or fewer cells than the header."""
    unreadable: int = 0
    """Rows with a cell longer than the reader takes, or an unclosed quote."""


class _Column:
    """The cells of one column. A kind is kept while every cell that is not empty is of that kind."""

    def __init__(self, inference: Inference) -> None:
        self.inference = inference
        self.texts = Node()
        self.kinds = {"int", "number", "boolean"}
        self.filled = self.empty = 0

    def add(self, cells: Sequence[str]) -> None:
        filled = [cell for cell in cells if cell] if "" in cells else cells
        self.empty += len(cells) - len(filled)
        if not filled:
            return
        self.filled += len(filled)
        self.inference.add(self.texts, filled, 1)
        if "boolean" in self.kinds and not _BOOLEANS.issuperset(filled):
            self.kinds.discard("boolean")
        if "int" in self.kinds:
            if all(map(_INT, filled)):
                numbers = list(map(int, filled))
                self.texts.count_ints(min(numbers), max(numbers), len(numbers))
            else:
                self.kinds.discard("int")
        if "number" in self.kinds and not all(map(_NUMBER, filled)):
            self.kinds.discard("number")

    def finish(self) -> Node:
        """The node of the column, once no more cells come."""
        node = self.texts
        node.nulls = self.empty
        if "int" not in self.kinds:
            node.ints = 0
        if self.kinds:
            node.strings, node.inner = None, None
        if self.kinds == {"number"}:
            node.floats = self.filled
        elif self.kinds == {"boolean"}:
            node.bools = self.filled
        return node


def read_table(source: Source, end: int | None = None) -> Table | None:
    """The table in the first `end` bytes of `source`; None where they are no table with a header.

    A table has two columns or more, three lines or more, names that differ and are no numbers, and as many cells in
    nearly every row as there are names.
    """
    end = source.size if end is None else min(end, source.size)
    head = source.read(0, min(_SAMPLE, end))
    delimiter = _delimiter(head.decode("utf-8", "replace").removeprefix("\ufeff"), whole=len(head) == source.size)
    if delimiter is None:
        return None
    inference = Inference()
    table = Table(inference.root, delimiter)
    rows = _rows(source, end, delimiter, table)
    names = next(rows, [])
    columns = [_Column(inference) for _ in names]
    batch: list[list[str]] = []
    for row in rows:
        if len(row) != len(names):
            if not row:
                continue
            table.uneven += 1
        batch.append((row + [""] * (len(names) - len(row)))[: len(names)])
        if len(batch) == _BATCH:
            _take(table, columns, batch)
            batch = []
    _take(table, columns, batch)
    _assemble(inference, table, names, columns)
    return table


def _take(table: Table, columns: list[_Column], batch: list[list[str]]) -> None:
    table.rows += len(batch)
    for column, cells in zip(columns, zip(*batch, strict=True), strict=False):
        column.add(cells)


def _assemble(inference: Inference, table: Table, names: list[str], columns: list[_Column]) -> None:
    root = table.root
    root.count_arrays(table.rows, table.rows)
    row = inference.element_of(root)
    row.count_objects(len(names), len(names), table.rows)
    for name, column in zip(names, columns, strict=True):
        node = inference.member_of(row, name)
        node.merge(column.finish())
        if row.values is None:
            row.members[name].present = table.rows


def _rows(source: Source, end: int, delimiter: str, table: Table) -> Iterator[list[str]]:
    reader = csv.reader(_lines(source, end), delimiter=delimiter)
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            table.unreadable += 1
        else:
            yield row


def _lines(source: Source, end: int) -> Iterator[str]:
    """Lines with their ends; one that is too long for memory comes in pieces."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    rest = ""
    for chunk in source.chunks(0, end):
        rest += decoder.decode(chunk)
        lines = rest.split("\n")
        rest = lines.pop()
        for line in lines:
            yield line.removeprefix("\ufeff") + "\n"
        if len(rest) > _LONGEST_LINE:
            yield rest
            rest = ""
    if rest:
        yield rest


def _delimiter(sample: str, *, whole: bool) -> str | None:
    if not whole:
        sample = sample[: sample.rfind("\n") + 1]
    for delimiter in sorted(_DELIMITERS, key=sample.partition("\n")[0].count, reverse=True):
        if delimiter in sample.partition("\n")[0] and _fits(sample, delimiter, whole=whole):
            return delimiter
    return None


def _fits(sample: str, delimiter: str, *, whole: bool) -> bool:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(sample.splitlines(keepends=True), delimiter=delimiter):
            if row:
                rows.append(row)
            if len(rows) > _SAMPLE_ROWS:
                break
    except csv.Error:
        return False
    if not whole and 1 < len(rows) <= _SAMPLE_ROWS:
        rows.pop()
    if len(rows) < _FEWEST_ROWS:
        return False
    names, body = rows[0], rows[1:]
    if len(names) < 2 or len(names) > 20 * KEYS or len(set(names)) < len(names):
        return False
    if any(not _is_name(name) for name in names[1:]) or (names[0] and not _is_name(names[0])):
        return False
    even = sum(len(row) == len(names) for row in body)
    return even >= 0.95 * len(body) and (not any(name[:1] == " " for name in names) or _has_numbers(body))


def _has_numbers(body: list[list[str]]) -> bool:
    """Whether a column is numbers throughout; blanks behind the delimiter make a table only then."""
    return any(all(map(_NUMBER, map(str.strip, column))) for column in zip(*body, strict=False))


def _is_name(cell: str) -> bool:
    name = cell.strip()
    return 0 < len(name) <= 120 and not _NUMBER(name) and name[0] not in "[(/" and not set(name) & set("{}<>;=\\")
