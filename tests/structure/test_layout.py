from __future__ import annotations

import json
import os
import re
import tempfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrguard.intake.source import BytesSource, Spool
from lrguard.structure.layout import lay_out


def make_file() -> int:
    descriptor, path = tempfile.mkstemp()
    os.unlink(path)
    return descriptor


def laid_out(text: bytes) -> bytes:
    return lay_out(BytesSource(text), Spool(make_file)).read()


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{}",
        b"[]",
        b"  \n",
        b"plain words, with [brackets] and {braces}\n",
        b"notice: {see docs}\n{see docs}\n[INFO done]\n",
        b'{"a": "cut in the mid',
        b"\xff\xfe\n",
    ],
)
def test_what_is_laid_out_already_or_no_json_stays(text: bytes) -> None:
    assert laid_out(text) == (b'{\n  "a": "cut in the mid' if text.startswith(b'{"a"') else text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            b'{"a":[1,{"b":null}],"c":{}, "d" : [ ]}',
            b'{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {},\n  "d": []\n}',
        ),
        (b'{"a":1}\n\n{"a":2}\n', b'{\n  "a": 1\n}\n\n{\n  "a": 2\n}\n'),
        (b'{"a":1}{"a":2}', b'{\n  "a": 1\n}\n{\n  "a": 2\n}'),
        (b'WARN {x}\n{"a":1}\ndone {see docs}\n', b'WARN {x}\n{\n  "a": 1\n}\ndone {see docs}\n'),
        (b"\xef\xbb\xbf[1]\r\n", b"\xef\xbb\xbf[\n  1\n]\r\n"),
        (
            b"[NaN,-Infinity,1.0,1e5,12345678901234567890123]",
            b"[\n  NaN,\n  -Infinity,\n  1.0,\n  1e5,\n  12345678901234567890123\n]",
        ),
        (rb'{"a":"x\"{[,:]}\\","a":"\u00f6\/"}', b'{\n  "a": "x\\"{[,:]}\\\\",\n  "a": "\\u00f6\\/"\n}'),
        (b'[1,[2,{"k', b'[\n  1,\n  [\n    2,\n    {"k'),
        (b"[1,tru", b"[\n  1,\n  tru"),
        (b"[1 2, x y]", b"[\n  1 2,\n  x y\n]"),
    ],
)
def test_one_value_a_line(text: bytes, expected: bytes) -> None:
    assert laid_out(text) == expected


def test_a_hundred_thousand_levels_cost_what_they_weigh() -> None:
    text = b'{"x":' + b"[" * 100_000 + b"0" + b"]" * 100_000 + b"}"
    assert len(laid_out(text)) < len(text) + 2000


def test_strings_longer_than_a_window_stay_whole() -> None:
    text = b'{"a":"' + rb"\\\"" * 700_000 + b'","b":[1]}'
    out = laid_out(text)
    assert json.loads(out) == json.loads(text)
    assert out.startswith(b'{\n  "a": "') and out.endswith(b'",\n  "b": [\n    1\n  ]\n}')


def test_large_documents_keep_every_lexeme() -> None:
    rows = [{"id": at, "f": at / 7, "s": 'é"\\\n' * (at % 5), "l": [None, True, []], "o": {}} for at in range(8000)]
    text = json.dumps(rows).encode()
    assert lexemes(laid_out(text)) == lexemes(text)


def lexemes(text: bytes) -> list[bytes]:
    return re.findall(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+', text)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
    max_leaves=30,
)


@settings(max_examples=80, deadline=None)
@given(values.filter(lambda value: isinstance(value, list | dict)), st.sampled_from([None, 1, 4]))
def test_any_document_keeps_its_lexemes(document: object, indent: int | None) -> None:
    text = json.dumps(document, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    assert lexemes(laid_out(text)) == lexemes(text)


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet='{}[]",:\\ \n1a\t'))
def test_nothing_but_blanks_changes_whatever_the_text(text: str) -> None:
    def solid(data: bytes) -> bytes:
        return re.sub(rb"\s", b"", data)

    assert solid(laid_out(text.encode())) == solid(text.encode())
