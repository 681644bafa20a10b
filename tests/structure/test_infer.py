from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrguard.intake.source import BytesSource
from lrguard.structure import schema
from tests.structure.documents import compact, count, encoded_png, is_nothing, structure

LOG = "2024-01-01 10:00:00 INFO start {cfg}\n[INFO] done [3/4] {}\n" * 20


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n\n",
        "hello world\n",
        LOG,
        "[2024-01-01] INFO {cfg} started\n" * 9,
        "[1] first\n[2] second\n",
        "{see docs}\n",
        "notice: {see docs}\ncfg: {a}\n",
        "1\n2\n3\n",
        "{'a': 1}",
        "{a: 1}",
        "int main(a, b)\n{\n  return a, b;\n}\n",
        "Hello, world\nthis is, well\nfoo, bar\n",
        "body {\n  color: red;\n}\n",
        "x" * 5000,
    ],
)
def test_text_that_is_no_json_and_no_table_has_no_structure(text: str) -> None:
    assert is_nothing(text)


@pytest.mark.parametrize(
    ("text", "kind", "documents", "expected"),
    [
        ("42", "json", 1, "int"),
        ("{}", "json", 1, "{}"),
        ("[]", "json", 1, "[]"),
        ('\ufeff{"a": [1, 2]}', "json", 1, "{a: int(1..2)[2]}"),
        ('{"a": 1}\n{"a": null}\n\n{"b": true}', "json-lines", 3, "3 JSON lines, each: {a?: int|null, b?: boolean}"),
        ('{"a":1}{"a":2} {"a":3}', "json-sequence", 3, "3 JSON documents, each: {a: int(1..3)}"),
        ('{\n "a": 1\n}\n{\n "a": 2\n}\n', "json-sequence", 2, "2 JSON documents, each: {a: int(1..2)}"),
        ('\x1e{"a":1}\n\x1e{"a":1}\n', "json-lines", 2, "2 JSON lines, each: {a: int}"),
        (
            'event: x\ndata: {"delta": "a"}\n\ndata: {"delta": "b"}\n',
            "json-lines",
            2,
            "2 JSON lines, each: {delta: string}",
        ),
        ('{"n": [NaN, -Infinity, 1e999]}', "json", 1, "{n: number[3]}"),
        ('{"id": ' + "9" * 5000 + "}", "json", 1, "{id: int}"),
        ('{"a": "tab\there", "b": "line\nbreak"}', "json", 1, "{a: string, b: string}"),
        (r'{"\ud83d": "\udc00"}', "json", 1, '{"\\ud83d": string}'),
        ('{"a": 1, "a": "x"}', "json", 1, "{a: string}"),
    ],
)
def test_documents_are_recognised(text: str, kind: str, documents: int, expected: str) -> None:
    found = structure(text.encode())
    assert (found.kind, found.documents) == (kind, documents)
    assert schema.compact(found, 0, count) == expected


def test_text_around_json_is_told_and_not_taken_for_json() -> None:
    payload = json.dumps({f"pkg-{at}": {"current": "1.0", "latest": "2.0"} for at in range(20)}, indent=2)
    found = structure(f" WARN slow reply {{cfg}}: https://x\n{payload}\nnotice: update {{see docs}}\n".encode())
    assert schema.compact(found, 0, count) == '{[key]: {current: "1.0", latest: "2.0"}} ×20'
    assert found.notes == ("2 lines of text around the JSON, not described (line 1, 84)",)


def test_documents_within_log_lines_are_read_where_they_are_most_of_it() -> None:
    found = structure("".join(f'INFO sent {{"id": {at}, "name": "someone"}}\n' for at in range(9)).encode())
    assert (found.documents, found.notes) == (9, ("9 lines of text around the JSON, not described (line 1-9)",))
    assert is_nothing(f'{"word " * 30}{{"id": 1}}\n' * 5)


@pytest.mark.parametrize(
    ("cut", "expected"),
    [
        (-1, "{a: int(0..9), c: {d: int}}[10+]"),
        (-4, "{a: int(0..9), c: {d: int}}[10+]"),
        (40, "{a: int(0..1), c: {d: int}}[2+]"),
    ],
)
def test_a_document_cut_short_says_what_is_there(cut: int, expected: str) -> None:
    text = json.dumps([{"a": at, "c": {"d": 1}} for at in range(10)])
    found = structure(text[:cut].encode())
    assert found.notes == ("the document is cut short; this is the structure of what is there",)
    assert schema.compact(found, 0, count) == expected


def test_a_torn_line_between_json_lines_costs_that_line_alone() -> None:
    found = structure(b'{"a":1}\n{"a":2,"m":"abc\n{"a":3}\n{"a":4}\n')
    assert (found.documents, found.notes) == (3, ("1 line of text around the JSON, not described (line 2)",))


def test_a_mistake_in_a_document_keeps_what_came_before_it() -> None:
    found = structure(b'{"items": [{"a": 1},\n {"a": 2},\n oops\n]}\n')
    assert schema.compact(found, 0, count) == "{items: {a: int(1..2)}[2+]}"
    assert found.notes[-1] == "a document is not valid JSON from line 3 on"


def test_json_in_strings_is_described_and_said() -> None:
    found = structure({"content": [{"type": "text", "text": json.dumps({"rows": [{"id": 1}, {"id": 2}]})}]})
    assert "text: json<{rows: {id: int(1..2)}[2]}>" in schema.compact(found, 0, count)
    assert found.notes == ("strings that hold JSON themselves are shown as json<…>",)


def test_a_bounded_part_is_said() -> None:
    text = json.dumps([{"a": at} for at in range(5000)]).encode()
    found = schema.infer(BytesSource(text), limit_bytes=1024)
    assert found is not None
    assert found.notes == ("from the first 1.0 KB of 62.4 KB",)
    assert "+]" in schema.compact(found, 0, count)


def test_every_element_counts_and_the_order_does_not() -> None:
    rows: list[dict[str, object]] = [
        {"id": at, "amount": 1.5, "owner": {"name": f"n{at}"}, "note": None} for at in range(60)
    ]
    rows.append({"id": "x60", "amount": 2, "owner": None, "note": "late", "extra": True})
    expected = "id: int(0..59)|string, amount: number, owner: {name: string}|null, note: string|null, extra?: boolean"
    written = {compact(rows), compact(rows[::-1]), compact(random.Random(1).sample(rows, len(rows)))}
    assert {" ".join(text.split()) for text in written} == {"{ " + expected.replace(", ", " ") + " }[61]"}


def test_the_order_does_not_matter_past_the_bounds() -> None:
    rows = [{f"k{at}": {"v": at % 7, f"j{at % 11}": "x"}} for at in range(3000)]
    assert sorted(compact(rows).splitlines()) == sorted(compact(rows[::-1]).splitlines())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"[" * 100_000 + b"0" + b"]" * 100_000, "…"),
        (b'{"x":' * 100_000 + b"0" + b"}" * 100_000, "{…}"),
        (b"[" * 3_000_000, "…"),
        (b'[{"a":' * 100_000, "…"),
        (b"[\n" * 300_000, "…"),
        (b"[" + b",".join([b"[" * 1200 + b"]" * 1200] * 100) + b"]", "[100]"),
    ],
)
def test_depth_is_bounded_and_said(text: bytes, expected: str) -> None:
    found = structure(text)
    assert expected in schema.compact(found, 2000, count)
    assert "what lies more than 64 levels deep is left out" in found.notes


def test_containers_larger_than_the_window_are_read_like_small_ones() -> None:
    rows = [{"id": at, "text": "x" * 400, "tags": ["a"] * (at % 3)} for at in range(6000)]
    large = {"meta": {"total": 6000}, "items": rows, "by": {f"{at:032x}": at for at in range(60_000)}, "last": None}
    assert compact(large) == (
        "{\n  meta: {total: int}\n"
        '  items: {id: int(0..5999), text: string, tags: "a"[0..2]}[6000]\n'
        "  by: {[hash]: int(0..59999)} ×60000\n  last: null\n}"
    ).replace("[hash]", "[key]")


def test_a_string_longer_than_any_window_is_told_by_its_length() -> None:
    text = b'{"a": "' + b"x" * 20_000_000 + b'", "b": 1}'
    assert compact(text) == "{a: string(≤20000000 chars), b: int}"


def test_base64_of_a_known_type_is_named_by_type_and_size() -> None:
    image = encoded_png()
    assert compact({"data": image, "text": "x"}) == "{data: <image/png 5.9 KB>, text: string}"
    assert compact({"src": f"data:image/png;base64,{image}"}) == "{src: <image/png 5.9 KB>}"
    assert compact([{"data": image}, {"data": "none"}]) == "{data: string(≤8092 chars)}[2]"


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["2024-02-28T10:00:00Z", "2024-12-31T23:59:59.123+02:00"], "date-time"),
        (["2024-02-28", "1999-01-01"], "date"),
        (["10:00:00", "23:59:59"], "time"),
        (["123e4567-e89b-12d3-a456-426614174000"], "uuid"),
        (["someone@example.com", "a.b+c@sub.example.org"], "email"),
        (["https://example.com/a?b=%20c", "ftp://host"], "uri"),
        (["2024-02-28", "2024-02-30"], "string"),
        (["2024-02-28", ""], "string"),
        (["https://example.com/a b"], "string"),
        (["user@localhost"], "string"),
    ],
)
def test_a_format_is_named_only_where_every_value_has_it(values: list[str], expected: str) -> None:
    assert compact(values) == f"{expected}[{len(values)}]"


def test_an_enumeration_is_few_values_repeated() -> None:
    assert compact(["open", "closed", "open", "open"]) == '("closed"|"open")[4]'
    assert compact(["open", "closed", "open"]) == "string[3]"
    assert compact([f"v{at}" for at in range(9)] * 9) == "string[81]"


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(values, min_size=2, max_size=8), st.randoms())
def test_any_order_of_any_values_gives_the_same_paths(items: list[object], shuffle: random.Random) -> None:
    other = list(items)
    shuffle.shuffle(other)
    written = [schema.paths(structure(order), 0, count) for order in (items, other)]
    assert sorted(written[0].splitlines()) == sorted(written[1].splitlines())


def test_many_elements_read_at_once_are_those_of_the_document() -> None:
    nested = [{"id": at, "sub": [{"id": -1}, {"id": -2}] * (at % 3)} for at in range(5000)]
    assert compact(nested) == "{id: int(0..4999), sub: {id: int(-2..-1)}[0..4]}[5000]"
    assert compact(b"[" + b",\n  ".join(json.dumps(row).encode() for row in nested) + b"\n]") == compact(nested)
    lines = b"\n".join(json.dumps(row).encode() for row in nested)
    assert compact(lines) == "5000 JSON lines, each: {id: int(0..4999), sub: {id: int(-2..-1)}[0..4]}"
    assert compact(lines.replace(b"\n", b"\r\n")) == compact(lines)
    assert compact(lines.replace(b"\n", b"\n\n")) == compact(lines)


def test_a_missing_comma_is_not_made_up_for() -> None:
    lines = b'{"a":1}\n' * 9
    found = structure(lines + b'[{"b":1}\n{"b":2}]\n' + lines)
    assert found.notes[-1] == "a document is not valid JSON from line 11 on"


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}\n' * 5 + '[,{}\n{"a": 2}\n' * 2, "[" + '{"a": 1},' * 9 + '{"a": [,]},' + '{"a": 2},' * 9 + '{"a": 3}]'],
)
def test_what_no_parser_can_begin_with_costs_what_lies_around_it_nothing(text: str):
    assert "a: int" in compact(text.encode()) or "a: (int" in compact(text.encode())


def test_long_stretches_of_text_around_documents_are_counted_by_lines():
    text = "\nstart\n\n" + "12:00:01 INFO x=[1] y\n" * 50 + '\n{"a": 1}\n' + "done {b}\n\n" * 3 + '{"a": 2}\n' * 40
    found = structure(text.encode())
    assert found.documents == 41
    assert found.notes == ("54 lines of text around the JSON, not described (line 2-53, 56-60)",)
