"""JSON strings decoded in pieces say what they say as a whole."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrguard.intake import json_text
from lrguard.intake.json_text import decoded


@pytest.fixture(autouse=True, scope="module")
def small_pieces():
    before, json_text._PIECE = json_text._PIECE, 64
    yield
    json_text._PIECE = before


def said(written: str) -> bytes:
    data = written.encode("utf-8", "surrogatepass")
    return b"".join(decoded(data, 1, len(data) - 1))


PARTS = st.sampled_from(
    ['\\"', "\\\\", "\\n", "\\/", "\\u00e9", "\\ud83e\\udd8a", "\\ud800", "\\udc00", "é", "\U0001f98a", "x", "ab cd"]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=200).map("".join))
def test_pieces_add_up(inside: str):
    assert said(f'"{inside}"') == json.loads(f'"{inside}"').encode("utf-8", "surrogatepass")


@pytest.mark.parametrize("part", ["\\\\", "\\ud83e\\udd8a", "\\n", "\U0001f98a", "\\\\é", "aaaaaaaaaaaaaaaaa\\u00e9"])
def test_the_same_part_again_and_again(part: str):
    for lead in ("", "x", "xx", "xxx", "é"):
        inside = lead + part * 300
        assert said(f'"{inside}"') == json.loads(f'"{inside}"').encode("utf-8", "surrogatepass")


def test_a_broken_escape_is_an_error():
    for inside in ("\\x", "\\u12", "y" * 200 + "\\q" + "\\n" * 200, "\\n" * 100 + "\\u00g0" * 50):
        with pytest.raises(ValueError):
            said(f'"{inside}"')
