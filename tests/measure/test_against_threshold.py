"""The decision is right at every threshold, and a number that is an estimate says so."""

import base64
import random
import time

import pytest

from lrguard.errors import LrguardError
from lrguard.intake.source import BytesSource, Source
from lrguard.measure.estimate import estimate
from lrguard.measure.tokens import Count, Counter, Measurement, count_text

RNG = random.Random(5)
PROSE = b"The quick brown fox jumps over the lazy dog, and it isn't the first time in 2026 that it does.\n"
BASE64 = base64.b64encode(RNG.randbytes(300_000))
LOG = b"".join(
    [
        b"2026-07-%02d INFO worker-%d request %s took %d ms\n"
        % (RNG.randrange(1, 29), RNG.randrange(16), RNG.randbytes(8).hex().encode(), RNG.randrange(5000))
        for _ in range(8_000)
    ]
)
KINDS = {"prose": PROSE * 4_000, "base64": BASE64, "log": LOG, "east asian": "天地玄黄，宇宙洪荒。".encode() * 12_000}


class Repeated(Source):
    """A block of bytes over and over: a text of any size that takes no room."""

    def __init__(self, block: bytes, times: int) -> None:
        self.block, self.size = block, len(block) * times

    def read(self, start: int = 0, end: int | None = None) -> bytes:
        end = self.size if end is None else min(end, self.size)
        first, length = start % len(self.block), max(end - start, 0)
        return (self.block * (length // len(self.block) + 2))[first : first + length]


@pytest.fixture
def counter(counters):
    return counters["o200k_base"]


def test_no_more_bytes_than_the_threshold_are_not_over_whatever_they_are(cache):
    for data, threshold in ((b"a", 1), (PROSE, len(PROSE)), (b"\xff" * 6000, 6000)):
        measured = Counter("o200k_base", None).against(BytesSource(data), threshold)
        assert (measured.over, measured.exact) == (False, False)
        assert measured.tokens <= len(data)


def test_a_small_result_is_counted_exactly_when_asked_for(counter):
    measured = counter.against(BytesSource(PROSE), 6000, exact_up_to=100_000)
    assert measured == Measurement(False, counter.text(PROSE), True)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_token_over_the_threshold_decides(kind, counter):
    data = KINDS[kind][:24_000]
    exact = counter.whole(BytesSource(data)).tokens
    for threshold in (exact + 1, exact, exact - 1, exact - 2, exact // 2, 1, 0):
        assert counter.against(BytesSource(data), threshold) == Measurement(exact > threshold, exact, True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_text_is_decided_exactly_and_estimated_closely(kind, counter):
    source = BytesSource(KINDS[kind])
    exact = counter.whole(source)
    assert exact.exact
    assert counter.against(source, exact.tokens) == Measurement(False, exact.tokens, True)
    just_over = counter.against(source, exact.tokens - 1)
    assert just_over.over
    assert just_over.tokens >= exact.tokens
    far_over = counter.against(source, 6000)
    assert (far_over.over, far_over.exact) == (True, False)
    assert far_over.tokens == pytest.approx(exact.tokens, rel=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_a_measurement_is_the_same_every_time_whatever_was_counted_before(kind, cache, counter):
    for size in (200_000, 500_000):
        source = BytesSource(KINDS[kind][:size])
        fresh = Counter("o200k_base", cache)
        assert fresh.against(source, 6000) == fresh.against(source, 6000) == counter.against(source, 6000)


def test_base64_in_the_middle_of_prose_is_not_taken_for_prose(counter):
    source = BytesSource(PROSE * 3000 + BASE64 + PROSE * 3000)
    assert counter.against(source, 6000).tokens == pytest.approx(counter.whole(source).tokens, rel=0.05)
    without = Counter("estimate").against(source, 6000)
    assert without.tokens == pytest.approx(counter.whole(source).tokens, rel=0.15)


@pytest.mark.parametrize("block", [PROSE, b"^", b" ", b"\0", "天".encode(), "\u200d".encode(), BASE64[:4096]])
def test_a_gibibyte_is_decided_and_estimated_in_no_time(block, counter):
    began = time.perf_counter()
    measured = counter.against(Repeated(block, 2**30 // len(block)), 6000)
    assert time.perf_counter() - began < 2
    assert (measured.over, measured.exact) == (True, False)
    assert 2**30 // 128 <= measured.tokens <= 2**30


@pytest.mark.parametrize(
    "text",
    [
        "^" * 1_000_000,
        "A" * 1_000_000,
        " " * 1_000_000,
        "_" * 1_000_000,
        " \n" * 500_000,
        "\u200d" * 400_000,
        "A中" * 300_000,
        " '" * 500_000,
    ],
)
def test_long_runs_are_counted_in_linear_time(text, counter):
    began = time.perf_counter()
    counted = counter.whole(BytesSource(text.encode()))
    assert time.perf_counter() - began < 5
    assert counted.exact
    assert len(text.encode()) // 128 < counted.tokens <= len(text.encode())


def test_long_pieces_count_the_same_in_the_table_and_in_toktok(counter):
    toktok = Counter("o200k_base", None)
    for text in ("^" * 10_000, " " * 10_000, "ab" * 5_000, "天地" * 4_000):
        assert counter.text(text) == toktok.text(text)


def test_what_was_counted_to_the_end_is_exact(counter):
    # One piece longer than what is counted for the number's sake alone.
    assert counter.against(BytesSource(b"^" * 300_000), 6000) == Measurement(True, 37_500, True)


def test_special_tokens_are_text(counter):
    assert counter.text("<|endoftext|>" * 50) > 50
    assert count_text("<|endoftext|>" * 10, "cl100k_base") > 10


def test_an_estimate_is_never_called_exact(counter):
    guess = Counter("estimate")
    for data in (PROSE * 3, PROSE * 30_000):
        counted = guess.whole(BytesSource(data))
        assert not counted.exact
        assert counted.tokens == pytest.approx(counter.whole(BytesSource(data)).tokens, rel=0.25)
    measured = guess.against(BytesSource(PROSE * 100), 1000)
    assert (measured.over, measured.exact) == (True, False)
    assert not guess.against(BytesSource(PROSE * 100), 9000).over


def test_nothing_is_no_token():
    for name in ("estimate", "o200k_base"):
        assert Counter(name).whole(BytesSource(b"")) == Count(0, True)
        assert Counter(name).against(BytesSource(b""), 0) == Measurement(False, 0, True)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        " " * 100_000,
        "\n" * 100_000,
        " " * 100_000 + "\n",
        "\t\n" * 50_000,
        "A" * 100_000,
        "\0" * 1000,
        "天" * 1000,
        "\U0001f600" * 1000,
        "é" * 1000,
    ],
)
def test_an_estimate_stays_within_what_is_proven(text):
    for name in ("o200k_base", "cl100k_base"):
        size = len(text.encode())
        assert -(-size // 128) <= estimate(text, name) <= size


def test_an_unknown_encoding_is_an_error_that_names_the_known_ones():
    with pytest.raises(LrguardError, match="o200k_base, cl100k_base, estimate"):
        Counter("gpt2")
