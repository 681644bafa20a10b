"""Large data is decoded piece by piece, on one line or on many, in either alphabet, and comes out whole."""

from __future__ import annotations

import base64
import json
import random

import pytest

from lrguard.assets.base64_runs import LARGEST, MANY_LINES, find_runs
from lrguard.assets.decoded import STEP, Decoded, decoded, one_line
from lrguard.intake.source import IN_MEMORY, BytesSource
from tests import inputs
from tests.assets.asset_inputs import b64, taken, wrapped
from tests.conftest import Program

PDF = b"%PDF-1.7\n" + inputs.random_bytes(IN_MEMORY)
BREAKS = {"LF": "\n", "CRLF": "\r\n", "escaped": "\\n"}


@pytest.mark.parametrize("width", [0, 76])
def test_any_part_is_what_a_decoder_makes_of_the_whole(width: int):
    data = inputs.random_bytes(2 * STEP + 1)
    text = b"xx" + (wrapped(data, width, "\r\n") if width else b64(data)).encode()
    source = Decoded(BytesSource(text), 2, len(b64(data).rstrip("=")), width, b"\r\n" if width else b"")
    noise = random.Random(width)
    assert source.size == len(data) and source.read() == data
    for _ in range(300):
        start = noise.randrange(len(data))
        end = min(start + noise.choice([0, 1, 2, 3, 1000, STEP]), len(data))
        assert source.read(start, end) == data[start:end]


def test_the_two_alphabets_are_not_mixed():
    one, other = b"A+" * STEP, b"A-" * STEP
    assert one_line(BytesSource(one), 0, len(one)) and one_line(BytesSource(other), 0, len(other))
    assert not one_line(BytesSource(one + other), 0, len(one + other))
    assert decoded(b"A+A-") is None


@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_large_data_on_one_line_is_taken_out(encode):
    text = json.dumps({"contentType": "application/pdf", "data": encode(PDF).decode(), "n": 1})
    outcome = taken(text)
    assert outcome.contents == [PDF] and outcome.linked.assets[0].asset.media_type == "application/pdf"
    assert json.loads(outcome.text)["n"] == 1


@pytest.mark.parametrize("line_break", BREAKS.values(), ids=BREAKS)
@pytest.mark.parametrize("width", [60, 64, 72, 76])
def test_data_on_many_lines_is_taken_out_with_what_follows_left(width: int, line_break: str):
    lines = wrapped(PDF[:200_000], width, line_break)
    mail = line_break.join(["Content-Transfer-Encoding: base64", "", lines, "--boundary", "end"])
    outcome = taken(mail if line_break != BREAKS["escaped"] else f'{{"mail": "{mail}"}}')
    assert outcome.contents == [PDF[:200_000]]
    assert outcome.text.rstrip('"}').endswith(f"{line_break}--boundary{line_break}end")


@pytest.mark.parametrize("at", [0, 1, MANY_LINES, 2000, -3, -1])
def test_one_line_of_another_length_ends_the_run(at: int):
    lines = wrapped(PDF[:200_000], 76).encode().split(b"\n")
    lines[at] = lines[at][:33]
    text = b"\n".join(lines)
    end = len(b"\n".join(lines[: at % len(lines) + 1]))
    runs = list(find_runs(BytesSource(text)))
    assert any(run.length > 400 * 76 for run in runs)
    assert not any(run.start < end < run.end for run in runs)


def test_data_beyond_any_bound_of_memory_is_taken_out_of_a_result(lrguard: Program):
    film = b"\0\0\0\x18ftypmp42" + inputs.random_bytes(1 << 20) * (LARGEST * 3 // 4 // (1 << 20) + 1)
    data = b'{"name": "film", "data": "' + base64.b64encode(film) + b'"}'
    assert len(data) > LARGEST
    told = lrguard.envelope(data)
    assert [one["media_type"] for one in told["assets"]] == ["video/mp4"]
    with open(told["assets"][0]["path"], "rb") as file:
        assert file.read() == film
