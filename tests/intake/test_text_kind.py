"""The kind of a text, named on evidence only."""

from __future__ import annotations

import pytest

from lrguard.intake.source import BytesSource, Source
from lrguard.intake.text_kind import WHOLE, KindOfText, TextKind, kind_of


def kind(text: str) -> TextKind:
    return kind_of(BytesSource(text.encode())).kind


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n",
        '"just a string"',
        "1\n2\n3\n",
        "Dear John,\nthanks, bye\nregards, me\n",
        "Roses are red, violets are blue\nSugar is sweet, and so are you\nThis is a rhyme, of course\n",
        "2024-01-01 12:00:00,123 INFO a\n2024-01-01 12:00:00,124 INFO b\n2024-01-01 12:00:00,125 INFO c\n",
        "foo(a, b);\nbar(c, d);\nbaz(e, f);\n",
        "int a, b;\nint c, d;\nint e, f;\n",
        "     1\tfirst\n     2\tsecond\n     3\tthird\n",
        "header,only\n",
        "a,b\n1,2,3\n4\n",
        "<stdin>:1: error\n<stdin>:2: error\n",
        "<a@example.org> wrote:\n> hello\n",
        "<template>\n</template>\n<script>\n</script>\n",
        "#!/bin/sh\n# Setup\n\n## Part\n- a\n- b\n",
        "# settings\n\nname: x\nlist:\n- a\n- b\n",
        "# Helper.\n\nimport os\nx = fun[a](b)\ndef f(**a):\n    return f(**a)\n",
        "WARN old lockfile\n" + '{"a": 1}\n',
        '{"a": 1}\nnot json\n{"b": 2}\n',
    ],
)
def test_prose_logs_and_code_are_plain(text: str) -> None:
    assert kind(text) is TextKind.PLAIN


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', TextKind.JSON),
        ("\ufeff[1, 2]\n", TextKind.JSON),
        ('{"a": 1}\n{"a": 2}\n', TextKind.JSON_LINES),
        ('{\n"a": 1}\n{\n"a": 2}\n', TextKind.JSON_SEQUENCE),
        ("id,name\n1,x\n2,y\n", TextKind.CSV),
        ('name,note\nBob,"a, b"\nEve,"line\nbreak"\n', TextKind.CSV),
        ("a;b;c\n1;2;3\n4;5;6\n", TextKind.CSV),
        ("1.5,2,3\n4,5,6\n7,8,9\n", TextKind.CSV),
        ("id\tname\n1\tx\n2\ty\n", TextKind.TSV),
        ("<!DOCTYPE html>\n<p>x", TextKind.HTML),
        ("<html lang=en><body>x</body></html>", TextKind.HTML),
        ("<div class=a>x</div>\n", TextKind.HTML),
        ("<?xml version='1.0'?>\n<feed/>", TextKind.XML),
        ("<project><name>x</name></project>\n", TextKind.XML),
        ("<?xml version='1.0'?><!-- drawn --><svg/>", TextKind.SVG),
        ("<svg xmlns='http://www.w3.org/2000/svg'></svg>", TextKind.SVG),
        ("# Title\n\nSee [the page](https://example.org/).\n", TextKind.MARKDOWN),
        ("## Usage\n\n```sh\nimport os\n```\n", TextKind.MARKDOWN),
    ],
)
def test_kinds_are_recognized(text: str, expected: TextKind) -> None:
    assert kind(text) is expected


def test_cut_json_is_json_and_says_so() -> None:
    assert kind_of(BytesSource(b'{"a": [1, 2')) == KindOfText(TextKind.JSON, cut=True)
    assert kind_of(BytesSource(b'{"a": 1}\n{"a": ')) == KindOfText(TextKind.JSON_LINES, cut=True)


def test_table_is_judged_by_its_end_too() -> None:
    rows = "id,name\n" + "".join(f"{n},name {n}\n" for n in range(10_000))
    assert kind(rows) is TextKind.CSV
    assert kind(rows + "and then, it went on, as prose does\n" * 3000) is TextKind.PLAIN


class Repeated(Source):
    """A huge text made of a head, one unit many times over, and a tail."""

    def __init__(self, head: bytes, unit: bytes, tail: bytes) -> None:
        self._head, self._tail = head, tail
        self._body = unit * (1 << 20)
        self._unit = len(self._body)
        self._end = len(head) + self._unit * (2 * WHOLE // self._unit)
        self.size = self._end + len(tail)

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        end = self.size if end is None else min(end, self.size)
        pieces = []
        while start < end:
            if start < len(self._head):
                piece = self._head[start:end]
            elif start < self._end:
                at = (start - len(self._head)) % self._unit
                piece = self._body[at : at + min(end, self._end) - start]
            else:
                piece = self._tail[start - self._end : end - self._end]
            pieces.append(piece)
            start += len(piece)
        return b"".join(pieces)


def test_huge_texts_are_sampled() -> None:
    line = b'{"n": 1}\n'
    assert kind_of(Repeated(b"", line, b"")) == KindOfText(TextKind.JSON_LINES, sampled=True)
    assert kind_of(Repeated(b"", line, b'{"n": ')) == KindOfText(TextKind.JSON_LINES, cut=True, sampled=True)
    assert kind_of(Repeated(b"[1", b", [2]", b"]")) == KindOfText(TextKind.JSON, sampled=True)
    assert kind_of(Repeated(b"[1", b", [2]", b", [3")) == KindOfText(TextKind.JSON, cut=True, sampled=True)
    assert kind_of(Repeated(b"", b"a line of a log\n", b"")) == KindOfText(TextKind.PLAIN, sampled=True)
