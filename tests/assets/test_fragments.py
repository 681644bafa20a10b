"""Data in excerpts is told of, not shown, so that they pass where they come through lrguard again."""

from __future__ import annotations

import pytest

from lrguard.assets.fragments import without_data
from lrguard.assets.link import link
from lrguard.intake.source import IN_MEMORY, BytesSource, Spool
from tests import inputs

PNG = inputs.encoded(inputs.png())
RANDOM = inputs.encoded(inputs.random_bytes(900))


@pytest.mark.parametrize(
    "text",
    ["", "plain\n", "Grüße ✓ \ud83d", "A" * 5000, "ab" * 300, inputs.words(500), "data:image/png;base64," + PNG[:200]],
)
def test_excerpts_without_data_stay_as_they_are(text: str):
    assert without_data(text) == text


def test_what_does_not_fit_into_memory_stays_as_it_is():
    text = f'"{PNG}"' + " " * IN_MEMORY
    assert without_data(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a ![x](data:image/png;base64,{PNG}) b", "a ![x]([{} characters of base64]) b"),
        # The last line of an excerpt, cut inside of the string that the data stands in.
        (f'["x", "{RANDOM[:800]}', '["x", "[{} characters of base64]'),
    ],
)
def test_data_is_told_of(text: str, expected: str):
    before, _, after = expected.partition("[{}")
    shown = without_data(text)
    assert shown.startswith(before + "[") and shown.endswith(after)
    printed = BytesSource(f"{shown}\n===== end =====\n".encode())
    assert link(printed, lambda asset, content: "/x", Spool(lambda: -1)) is None
