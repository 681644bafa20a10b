"""Whatever the text is, linking takes linear time, and changes nothing but what it replaces."""

from __future__ import annotations

import json
import random
import time

import pytest

from lrguard.assets.json_path import JsonPaths
from lrguard.intake.sizes import size_text
from lrguard.intake.source import BytesSource
from lrguard.intake.text_kind import TextKind
from tests.assets.asset_inputs import b64, noise, pdf, png, taken, wrapped

DOCUMENT = (
    b'{"a": 1e400, "a": -0.0, "bad": "\xff\xfe", "e": "\\ud83d", "url": "data:image/png;base64,'
    + b64(png()).encode()
    + b'", "s": "'
    + wrapped(pdf(), 60, "\\n").encode()
    + b'\\n", "t": "'
    + json.dumps(json.dumps({"k": b64(png(2)).replace("/", "\\/")}))[1:-1].encode()
    + b'", "n": NaN}'
)


@pytest.mark.parametrize("window", [1, 2, 3, 7, 64, 255, 256, 257, 300, 1000])
def test_the_size_of_what_is_read_at_once_does_not_matter(window: int) -> None:
    whole, pieces = taken(DOCUMENT, kind=TextKind.JSON), taken(DOCUMENT, kind=TextKind.JSON, window=window)
    assert len(whole.assets) == 3 and pieces.text == whole.text and pieces.assets == whole.assets


def test_every_place_where_a_piece_may_end() -> None:
    text = b"say " + b64(png(side=8)).encode() + b' \\" \r\n end ' + b"x" * 300
    expected = taken(text).text
    assert "[asset: " in expected
    for window in range(1, len(text) + 1, 3):
        assert taken(text, window=window).text == expected


HOSTILE = {
    "letters": "A" * 1_000_000,
    "letters and a sign": "A" * 1_000_000 + "!",
    "data URLs without data": "data:image/png;base64," * 50_000,
    "parameters": "data:image/png;" + "a=" * 300_000,
    "quotes": '"' * 1_000_000,
    "backslashes": "\\" * 1_000_000,
    "backslashes and quotes": '\\"' * 500_000,
    "escaped slashes": "\\/" * 300_000,
    "equals signs": "=" * 1_000_000,
    "percents": "%" * 1_000_000,
    "percent escapes": "%2B%41" * 100_000,
    "unicode escapes": "\\u4f60" * 100_000,
    "line breaks": "\n" * 1_000_000,
    "lines of one letter": "y\n" * 500_000,
    "escaped line breaks": "y\\n" * 300_000,
    "deep JSON": "[" * 100_000 + '"' + b64(noise(300)) + '"' + "]" * 100_000,
    "brackets": "{[" * 300_000,
    "near misses": ("x " + b64(noise(300))[:-3] + " ") * 1000,
    "tokens": "".join(json.dumps({"token": b64(noise(300, n))}) + "\n" for n in range(1000)),
    "openings": ('{"a":"' * 300 + b64(noise(300))) * 100,
    "lines that grow": "\n".join("aB3/" * n for n in range(1, 400)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_read_in_little_time(name: str) -> None:
    began = time.process_time()
    taken(HOSTILE[name], kind=TextKind.JSON)
    taken(HOSTILE[name], kind=TextKind.PLAIN)
    assert time.process_time() - began < 2


def test_a_long_log_costs_little() -> None:
    text = (
        b"2026-05-01T12:00:00Z INFO worker[12]: path=/usr/lib/python3/x.py took 12ms id=5f2a9c user='bob'\n" * 100_000
    )
    began = time.process_time()
    assert taken(text, kind=TextKind.PLAIN).linked is None
    assert time.process_time() - began < 0.3


def test_random_documents_come_back_and_stay_json() -> None:
    chooser = random.Random(11)

    def value(depth: int) -> object:
        roll = chooser.random()
        if depth and roll < 0.5:
            return {chooser.choice(["a", "mimeType", "ü \"'", "data", "x\n"]): value(depth - 1) for _ in range(3)}
        if depth and roll < 0.7:
            return [value(depth - 1) for _ in range(3)]
        if roll < 0.8:
            return json.dumps(value(depth - 1)) if depth else "image/png"
        data = chooser.choice([png(chooser.randrange(5)), pdf(), noise(300), b"text " * 80])
        return chooser.choice(["", "data:image/png;base64,", "see "]) + chooser.choice([b64(data), wrapped(data)])

    def shape(found: object, linked: object) -> None:
        if isinstance(linked, dict) and "assetRef" in linked:
            assert isinstance(found, str)
        elif isinstance(found, dict):
            assert isinstance(linked, dict) and list(found) == list(linked)
            for name in found:
                shape(found[name], linked[name])
        elif isinstance(found, list):
            assert isinstance(linked, list) and len(found) == len(linked)
            for pair in zip(found, linked, strict=True):
                shape(*pair)

    for _ in range(100):
        document = {"root": value(4)}
        text = json.dumps(document, ensure_ascii=chooser.random() < 0.5, indent=chooser.choice([None, 1]))
        shape(document, json.loads(taken(text).text))


PATHS = {
    '{"a": {"b": [1, "x,]}", {"c d": @}]}}': "$.a.b[2]['c d']",
    '[[], {}, [@]]': "$[2][0]",
    '{"a\\"b": @}': "$['a\"b']",
    "{\"it's\\n\": @}": "$['it\\'s\\n']",
    '{"\\u00fc": @}': "$['ü']",
    '{"a": 1, "b": {"x": "\\\\"}, "c": @}': "$.c",
    '{"": @}': "$['']",
    "@": "$",
}  # fmt: skip


@pytest.mark.parametrize("document", PATHS)
def test_the_path_of_a_place(document: str) -> None:
    place = document.encode().index(b"@")
    for window in (1, 2, 5, 1000):
        assert JsonPaths(BytesSource(document.encode()), window).path_at(place)[0] == PATHS[document]


@pytest.mark.parametrize("length", [510, 512, 1000])
def test_the_path_of_a_place_after_long_strings(length: int) -> None:
    document = json.dumps({"s": "\\" * length, "t": ["x" * length, '"', {"n" * length: {"m": "@"}}]}).encode()
    name = "n" * length
    expected = f"$.t[2].{name}.m" if length <= 512 else None
    for window in (1, 3, 1024, 4096):
        paths = JsonPaths(BytesSource(document), window)
        assert paths.path_at(document.index(b"xx"))[0] == "$.t[0]"
        assert paths.path_at(document.index(b"@") - 1)[0] == expected


def test_sizes_read_well() -> None:
    assert [size_text(size) for size in (0, 1023, 1024, 10928, 1048575, 1048576, 5 * 1024**3)] == [
        "0 B", "1023 B", "1.0 KB", "10.7 KB", "1.0 MB", "1.0 MB", "5.0 GB",
    ]  # fmt: skip
