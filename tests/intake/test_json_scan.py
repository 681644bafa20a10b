"""What JSON a text is, whatever its size, depth and cut."""

from __future__ import annotations

import json
import random
import re
import time
from typing import Any

import pytest

from lrguard.intake import json_scan
from lrguard.intake.json_scan import JsonScan, scan_json
from lrguard.intake.source import BytesSource

ONE = JsonScan(1, one_a_line=True, cut=False)


def scan(text: str | bytes) -> JsonScan | None:
    return scan_json(BytesSource(text.encode() if isinstance(text, str) else text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "word",
        '"a string"',
        "12",
        "1\n2\n3\n",
        "{'a': 1}",
        "{1: 2}",
        "{a: 1}",
        "[1, 2",
        "[01-02]",
        "[2024-01-01 12:00:00] started",
        "[INFO] started",
        "[1/3] building",
        '{"a": 1} trailing',
        '{"a": 1},\n{"b": 2}',
        '["a" "b"]',
        "[1 2]",
        "[1,]",
        "[,1]",
        '{"a"}',
        '{"a": 1,}',
        '{"a": 1, 2}',
        '["a": 1]',
        '["line\nbreak"]',
        '["\\x"]',
        '["\\u12g4"]',
        "[True, None]",
        "[1.]",
        "[--1]",
        "[1e5.5]",
        "[[]}",
        "]",
        '{"a": 1}}',
        "[\x01]",
        "[v]",
        '[\\"a\\"]',
    ],
)
def test_what_only_looks_like_json_is_not(text: str) -> None:
    found = scan(text)
    assert found is None or (text == "[1, 2" and found.cut)


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        ' {"a": [1, -2.5e-3, 0.1E+9, true, false, null, "x\\"y\\\\", "\\u00e9\\n"]} ',
        "[NaN, Infinity, -Infinity]",
        "\ufeff[1]",
        '["[{", "}]", ":,"]',
        f"[{'9' * 10_000}]",
        '["\\ud83d cut"]',
        "[[[[[[[[[[[[1]]]]]]]]]]]]",
    ],
)
def test_one_document(text: str) -> None:
    assert scan(text) == ONE


def test_invalid_utf8_inside_a_string_is_allowed() -> None:
    assert scan(b'["\xff\xfe"]') == ONE


@pytest.mark.parametrize("depth", [1000, 100_000])
def test_depth_is_no_limit(depth: int) -> None:
    assert scan("[" * depth + "]" * depth) == ONE
    assert scan('{"a":' * depth + "1" + "}" * depth) == ONE
    assert scan('{"a":' * depth) == JsonScan(0, one_a_line=True, cut=True)


def test_documents_one_a_line_and_otherwise() -> None:
    assert scan('{"a": 1}\n[2]\n\n{"b": {}}\n') == JsonScan(2, one_a_line=True, cut=False)
    assert scan('{"a": 1}{"b": 2}') == JsonScan(2, one_a_line=False, cut=False)
    assert scan('{"a": 1} {"b": 2}\n') == JsonScan(2, one_a_line=False, cut=False)
    assert scan('{\n "a": 1\n}\n{\n "b": 2\n}\n') == JsonScan(2, one_a_line=False, cut=False)
    assert scan('\x1e{"a": 1}\n\x1e{"b": 2}\n') == JsonScan(2, one_a_line=False, cut=False)


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, "b', '{"a":', '{"a": tr', '["x", "y\\', '["x", "\\u00', "[1, -", "[1, 2.", '{"a": {"b": [', "[1,"],
)
def test_document_that_ends_early_is_cut(text: str) -> None:
    assert scan(text) == JsonScan(0, one_a_line=True, cut=True)


def test_cut_line_behind_whole_ones() -> None:
    assert scan('{"a": 1}\n{"a": 2}\n{"a": ') == JsonScan(2, one_a_line=True, cut=True)


def test_limit_makes_the_rest_unread() -> None:
    assert scan_json(BytesSource(b'{"a": 1, "b": 2} garbage'), 12) == JsonScan(0, one_a_line=True, cut=True)


def _value(rng: random.Random, depth: int) -> Any:
    if depth <= 0 or rng.random() < 0.4:
        return rng.choice([1, -2.5, 1e99, None, True, "", 'x"y', "\\", "é\n", "{[", ":,]", float("nan"), 10**20])
    if rng.random() < 0.5:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice('ab"\\') + str(n): _value(rng, depth - 1) for n in range(rng.randrange(4))}


def test_agrees_with_the_json_module_for_every_window(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    for _ in range(3000):
        monkeypatch.setattr(json_scan, "_WINDOW", rng.choice([1, 2, 3, 7, 16, 1 << 17]))
        text = json.dumps([_value(rng, 5)], indent=rng.choice([None, 1]), ensure_ascii=rng.random() < 0.5)
        if rng.random() < 0.5:
            at = rng.randrange(len(text))
            text = text[:at] + rng.choice(["", *'{}[],:"\\ 1e.-t']) + text[at + rng.randrange(2) :]
        # Leading zeros are let through.
        if re.search("(?<![0-9.])0[0-9]", text):
            continue
        found = scan(text)
        try:
            json.loads(text)
        except json.JSONDecodeError:
            assert found is None or found.cut or found.documents == 2, text
        else:
            assert found == JsonScan(1, "\n" not in text, cut=False), text


def test_time_is_linear_for_hostile_text() -> None:
    for text in (
        '"' * 400_000,
        "[" * 400_000,
        "[[1]," * 100_000,
        '["' + "\\" * 400_000,
        "[" + "0" * 400_000,
        "[1,[" * 99_999,
    ):
        start = time.process_time()
        scan(text)
        assert time.process_time() - start < 3, text[:10]
