"""What is looked at while it arrives: no run is missed, and ordinary text is not read again."""

from __future__ import annotations

import base64
import random
from itertools import pairwise

import pytest

from lrguard.assets.base64_runs import find_runs
from lrguard.intake.run_look import RunLook
from lrguard.intake.source import BytesSource
from tests import inputs


def spans_of(text: bytes, passed: int, most: int, noise: random.Random) -> tuple[tuple[int, int], ...]:
    """Where runs may stand in `text`, of which pieces of up to `most` bytes arrive."""
    look, at = RunLook(passed), passed
    while at < len(text):
        size = noise.randint(1, most)
        look.feed(text[at : at + size])
        at += size
    return look.spans


def runs_of(text: bytes, spans: tuple[tuple[int, int], ...] | None = None) -> list[tuple[int, int, bytes]]:
    return [(run.start, run.end, run.encoded) for run in find_runs(BytesSource(text), spans=spans)]


def mixed(noise: random.Random) -> bytes:
    """Runs of base64, just long enough or much longer, wrapped or not, between words."""
    parts = []
    for _ in range(noise.randint(1, 12)):
        parts.append(b" word" * noise.randint(0, 300))
        data = base64.b64encode(noise.randbytes(noise.choice([150, 192, 193, 400, 5000])))
        width = noise.choice([0, 64, 76])
        lines = [data[at : at + width] for at in range(0, len(data), width)] if width else [data]
        parts.append(b' "' + b"\n".join(lines) + b'"')
    return b"".join(parts)


@pytest.mark.parametrize("seed", range(200))
def test_no_run_is_missed(seed: int):
    noise = random.Random(seed)
    text = mixed(noise)
    spans = spans_of(text, noise.randint(0, len(text)), noise.choice([40, 300, 4000]), noise)
    assert runs_of(text, spans) == runs_of(text)


@pytest.mark.parametrize("text", [inputs.log(20_000), inputs.words(60_000).encode()], ids=["log", "words"])
def test_ordinary_text_is_ruled_out(text: bytes):
    spans = spans_of(text, 4096, 256 * 1024, random.Random(1))
    assert sum(end - start for start, end in spans) < len(text) // 4


def test_spans_are_in_order_and_apart():
    noise = random.Random(3)
    text = b"".join(mixed(noise) + inputs.log(200) for _ in range(20))
    spans = spans_of(text, 100, 2000, noise)
    assert all(ended < begun for (_, ended), (begun, _) in pairwise(spans))
    assert spans[0][0] == 0 and spans[-1][1] <= len(text)
