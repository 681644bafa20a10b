"""Cuts fall between grapheme clusters."""

from __future__ import annotations

import pytest
import regex

from lrguard.intake.graphemes import grapheme_cut, grapheme_start

UNITS = {
    "ascii": "word ",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
    "flags": "\U0001f1e7\U0001f1f7\U0001f1ef\U0001f1f5",
    "skin tone": "\U0001f44d\U0001f3fd",
    "combining": "e\u0323\u0301o\u0308",
    "devanagari": "\u0915\u094d\u0937\u093f",
    "keycap": "7\ufe0f\u20e3",
    "hangul jamo": "\u1112\u1161\u11ab",
    "line ends": "a\r\n",
    "chinese": "文件",
}


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("lead", [0, 1])
def test_every_cut_is_a_boundary_of_the_whole_text(name: str, lead: int) -> None:
    text = "x" * lead + UNITS[name] * (1200 // len(UNITS[name]))
    boundaries = sorted({0, *(found.end() for found in regex.finditer(r"\X", text))})
    for at in (*range(40), *range(700, 740), *range(len(text) - 20, len(text) + 1)):
        assert grapheme_cut(text, at) == max(place for place in boundaries if place <= at), at
        assert grapheme_start(text, at) == min(place for place in boundaries if place >= at), at


def test_flags_pair_from_the_beginning_of_a_long_run() -> None:
    text = "x" + "\U0001f1e7\U0001f1f7" * 12_000
    assert grapheme_cut(text, 20_000) == 19_999
    assert grapheme_start(text, 20_000) == 20_001


def test_places_outside_the_text_become_its_ends() -> None:
    assert grapheme_cut("abc", 10) == 3
    assert grapheme_start("abc", -1) == 0
    assert grapheme_cut("", 5) == 0


def test_cluster_without_end_is_cut_at_a_bounded_distance() -> None:
    text = "e" + "\u0301" * 100_000
    assert 50_000 - 300 <= grapheme_cut(text, 50_000) <= 50_000
    assert 50_000 <= grapheme_start(text, 50_000) <= 50_000 + 300
