from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from lrguard.structure import schema
from tests.structure.documents import count, encoded_png, issue, json_schema, structure

ROWS: list[Any] = [
    {"id": at, "amount": at / 2, "owner": {"name": "n"} if at % 2 else None, "state": "open" if at % 3 else "closed"}
    | {"when": "2024-01-01T00:00:00Z", "tags": ["a"] * (at % 4)}
    | ({"extra": True} if at == 7 else {})
    for at in range(20)
]


def accepts(found: dict[str, Any], document: object) -> bool:
    Draft202012Validator.check_schema(found)
    return bool(Draft202012Validator(found).is_valid(document))


def test_a_schema_says_types_required_keys_enumerations_and_formats() -> None:
    item = json_schema(ROWS)["items"]
    assert item["required"] == ["id", "amount", "owner", "state", "when", "tags"]
    assert item["properties"] == {
        "id": {"type": "integer"},
        "amount": {"type": "number"},
        "owner": {
            "type": ["object", "null"],
            "properties": {"name": {"type": "string", "enum": ["n"]}},
            "required": ["name"],
        },
        "state": {"type": "string", "enum": ["closed", "open"]},
        "when": {"type": "string", "format": "date-time"},
        "tags": {"type": "array", "items": {"type": "string", "enum": ["a"]}},
        "extra": {"type": "boolean"},
    }


@pytest.mark.parametrize(
    "change",
    [
        {"id": "1"},
        {"id": 1.5},
        {"amount": "much"},
        {"owner": []},
        {"owner": {"name": 1}},
        {"state": "ajar"},
        {"when": 1},
        {"tags": "a"},
        {"tags": [1]},
        {"extra": None},
    ],
)
def test_a_schema_rejects_other_values(change: dict[str, object]) -> None:
    found = json_schema(ROWS)
    assert accepts(found, ROWS)
    assert not accepts(found, [ROWS[0] | change])


def test_a_schema_rejects_a_missing_key_and_another_root() -> None:
    found = json_schema(ROWS)
    assert not accepts(found, [{key: value for key, value in ROWS[0].items() if key != "state"}])
    assert not accepts(found, ROWS[0])
    assert accepts(found, [ROWS[0] | {"unheard of": 1}])


@pytest.mark.parametrize(
    "document",
    [
        {"by": {str(at): {"n": at} for at in range(2000)}},
        [issue(number) for number in range(40)],
        [1, "a", None, [[]], {"x": {}}],
        {"a": 10**40, "b": -1.5e300, "c": ""},
        {"image": encoded_png()},
        [{"kind": "a", "at": None}, {"kind": None, "at": "2024-01-01"}] * 3,
        42,
    ],
)
@pytest.mark.parametrize("tokens", [0, 400, 60, 1])
def test_the_document_is_accepted_under_every_budget(document: object, tokens: int) -> None:
    text = schema.json_schema(structure(document), tokens, count)
    assert accepts(json.loads(text), document)
    assert not tokens or count(text) <= max(tokens, 40)


def test_each_of_several_documents_is_accepted() -> None:
    text = "\n".join(map(json.dumps, ROWS))
    found = json_schema(text.encode())
    assert all(accepts(found, row) for row in ROWS)
    assert not accepts(found, ROWS)


def test_a_map_has_one_schema_for_its_values() -> None:
    found = json_schema({"by": {str(at): {"n": at} for at in range(2000)}})
    assert found["properties"]["by"] == {
        "type": "object",
        "additionalProperties": {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    }
    assert not accepts(found, {"by": {"1": {"n": "x"}}})


def test_what_cannot_be_written_is_left_out_and_the_text_is_json_for_everyone() -> None:
    text = schema.json_schema(
        structure(rb'[{"\ud83d": 1, "a": "\udc00"}, {"\ud83d": NaN, "a": "\udc00"}, {"a": "\udc00"}]'), 0, count
    )
    found = json.loads(text, parse_constant=pytest.fail)
    json.dumps(found, ensure_ascii=False).encode()
    assert found["items"] == {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def test_depth_has_an_end() -> None:
    found = json_schema(b'{"x":' * 5000 + b"[0]" + b"}" * 5000)
    Draft202012Validator.check_schema(found)


def test_rows_of_a_table_are_described_as_objects() -> None:
    found = json_schema(b"id,name,score\n1,a,1.5\n2,b,\n3,c,2\n")
    assert accepts(found, [{"id": 1, "name": "a", "score": 1.5}, {"id": 2, "name": "b", "score": None}])
    assert not accepts(found, [{"id": "x", "name": "a", "score": 1.5}])


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=6),
    max_leaves=30,
)


@settings(max_examples=80, deadline=None)
@given(documents, st.sampled_from([0, 80, 300]))
def test_any_document_is_accepted_by_its_own_schema(document: object, tokens: int) -> None:
    assert accepts(json.loads(schema.json_schema(structure(document), tokens, count)), document)
