from __future__ import annotations

from typing import Any

import pytest

from lrguard.measure.tokens import count_text
from lrguard.structure import schema
from tests.structure.documents import compact, count, issue, paths, structure

PACKAGES = [{"name": f"package-{at}", "version": f"1.{at}"} for at in range(30)]
LOCK = {
    "name": "app",
    "lockfileVersion": 3,
    "packages": {
        f"node_modules/p{at}": {"version": f"1.0.{at}", "resolved": f"https://registry.example.com/p{at}.tgz"}
        | ({"dev": True} if at % 2 else {})
        | ({"dependencies": {f"p{at + 1}": "^1", f"p{at * 7 + 2}": "^2"}} if at % 3 else {})
        for at in range(90)
    },
}
PLACES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "geometry": {"type": "Point", "coordinates": [at * 0.5, 60.25]},
            "properties": {"name": f"Place {at}", "population": at * 1000},
        }
        for at in range(12)
    ],
}
API = {
    "openapi": "3.1.0",
    "paths": {
        f"/things/{at}": {"get": {"operationId": f"get{at}", "responses": {"200": {"description": "OK"}}}}
        for at in range(4)
    },
}
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "id": "a1", "metadata": {}, "source": ["# Title"]},
        {"cell_type": "code", "id": "b2", "metadata": {}, "source": ["1 + 1"], "execution_count": 1, "outputs": []},
    ]
    * 2,
    "nbformat": 4,
}
TREE: dict[str, Any] = {"name": "root", "kind": "dir", "size": 1, "children": []}
TREE["children"] = [TREE | {"name": f"n{at}", "children": [TREE | {"children": []}] * at} for at in range(3)]
METADATA = {
    "packages": [
        {"name": f"crate{at}", "id": f"crate{at} 1.0", "license": None if at else "MIT", "targets": [{"kind": ["lib"]}]}
        for at in range(3)
    ],
    "resolve": {"nodes": [{"id": "crate0 1.0", "deps": []}], "root": None},
}


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (PACKAGES, "{name: string, version: string}[30]"),
        ([], "[]"),
        ([1, 2.5], "number[2]"),
        ([[1], [2, 3], []], "int(1..3)[0..2][3]"),
        ([None, {"a": None}], "({a: null}|null)[2]"),
        ([1, "x", None, True, [], {}], "({}|[]|int|boolean|string|null)[6]"),
        (
            LOCK,
            (
                "{\n  name: string\n  lockfileVersion: int\n"
                "  packages: {[path]: {version: string, resolved: uri, dev?: boolean, "
                'dependencies?: {[key]: "^1"|"^2"} ×2}} ×90\n}'
            ),
        ),
        (
            PLACES,
            (
                '{\n  type: string\n  features: {\n    type: "Feature"\n'
                '    geometry: {type: "Point", coordinates: number[2]}\n'
                "    properties: {name: string, population: int(0..11000)}\n  }[12]\n}"
            ),
        ),
        (
            API,
            (
                "{\n  openapi: string\n"
                '  paths: {[path]: {get: {operationId: string, responses: {"200": {description: "OK"}}}}} ×4\n}'
            ),
        ),
        (
            NOTEBOOK,
            (
                '{\n  cells: {\n    cell_type: "code"|"markdown"\n    id: "a1"|"b2"\n    metadata: {}\n'
                '    source: ("# Title"|"1 + 1")[1]\n    execution_count?: int\n'
                "    outputs?: []\n  }[4]\n  nbformat: int\n}"
            ),
        ),
        (
            TREE,
            'Children\nChildren = {name: string, kind: "dir", size: int, children: Children[0..3]}',
        ),
        (
            METADATA,
            (
                "{\n"
                '  packages: {name: string, id: string, license: string|null, targets: {kind: "lib"[1]}[1]}[3]\n'
                "  resolve: {nodes: {id: string, deps: []}[1], root: null}\n}"
            ),
        ),
    ],
)
def test_the_structure_of_real_kinds_of_documents(document: object, expected: str) -> None:
    assert compact(document) == expected


@pytest.mark.parametrize(
    "document",
    [
        {"id": 1, "name": "x", "state": "y"},
        [{f"column{chr(97 + at // 26)}{chr(97 + at % 26)}": "text" for at in range(60)}] * 9,
        {f"setting_{name}": name for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")},
    ],
)
def test_records_are_no_maps(document: object) -> None:
    assert "×" not in compact(document)


@pytest.mark.parametrize(
    ("keys", "label"),
    [
        ([f"{at}" for at in range(5)], "id"),
        ([f"2024-01-{at:02}" for at in range(1, 6)], "date"),
        ([f"4580711b-64d9-48ab-ae60-dce6b54807b{at}" for at in range(5)], "uuid"),
        ([f"src/file{at}.py" for at in range(5)], "path"),
        ([f"deadbeef{at}" for at in range(5)], "hash"),
        ([f"https://example.com/{at}" for at in range(5)], "uri"),
        ([f"user{at}" for at in range(5)], "key"),
        ([f"someone with a name {chr(97 + at)}" for at in range(12)], "key"),
        ([f"k{at}" for at in range(3000)], "key"),
    ],
)
def test_objects_used_as_maps_are_one_entry(keys: list[str], label: str) -> None:
    document = {"by": {key: {"name": key, "n": 1, "tags": ["t"]} for key in keys}}
    assert f"{{by: {{[{label}]: {{name: " in compact(document)
    assert f"×{len(keys)}" in compact(document)


def test_a_shape_that_recurs_is_named_once() -> None:
    person = {"login": "x", "id": 1, "url": "https://example.com/x"}
    text = compact(
        [{"user": person, "assignee": person if at else None, "reviewers": [person] * at} for at in range(3)]
    )
    assert text == '{user: User, assignee: User|null, reviewers: User[0..2]}[3]\nUser = {login: "x", id: int, url: uri}'


def test_issues_take_at_most_400_tokens_with_every_key_named() -> None:
    issues = [issue(number) for number in range(300)]
    text = schema.compact(structure(issues), 400, count_text)
    assert count_text(text) <= 400
    for key in {*issues[0], *issues[0]["user"], *issues[1]["labels"][0], *issues[0]["milestone"]}:
        assert key in text, key


@pytest.mark.parametrize("tokens", [1, 5, 20, 60, 200, 400])
@pytest.mark.parametrize(
    "document",
    [[issue(number) for number in range(60)], LOCK, API, {"k" * 9000: [{"x" * 500: 1}] * 3}, TREE],
)
def test_every_budget_is_kept(document: object, tokens: int) -> None:
    for form in (schema.compact, schema.paths):
        text = form(structure(document), tokens, count)
        assert text
        assert count(text) <= tokens or count(text) <= 8, text


def test_hostile_keys_and_values_cannot_leave_their_place() -> None:
    keys = ["\x1b[31mred", "a\nb", "\u202eevil", "x" * 5000, "\ud83d", "", 'q"uote', "a|b?"]
    text = compact({key: ["\x1b]0;t\x07", "x\ny"] * 2 for key in keys})
    assert len(text.splitlines()) == len(keys) + 2
    assert not set(text) & set("\x1b\x07\u202e\ud83d")
    assert '"a\\nb": ' in text and '"q\\"uote": ' in text
    assert len(max(text.splitlines(), key=len)) < 200


def test_paths_are_one_a_line_and_can_be_queried() -> None:
    document = {"items": [{"name": "a", "odd key": 1}, {"name": None}], "by": {str(at): {"x": at} for at in range(5)}}
    assert paths(document) == [
        "$: object",
        "$.items: array[2]",
        "$.items[*]: object",
        "$.items[*].name: string|null",
        '$.items[*]["odd key"]: int (optional)',
        "$.by: map[id] ×5",
        "$.by.*: object",
        "$.by.*.x: int(0..4)",
    ]


def test_paths_that_do_not_fit_are_counted() -> None:
    document = {f"name_{'abcdefgh'[at % 8]}{at}": {f"x{chr(97 + at)}": at} for at in range(20)}
    lines = paths(document, 100)
    assert lines[0] == "$: object"
    assert lines[-1].startswith("… ") and lines[-1].endswith(" more paths")
