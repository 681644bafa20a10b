"""What holds for every result, whatever it is: nothing is lost, nothing grows, and a second look changes nothing."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lrguard import Kind, Outcome, Settings, guard
from lrguard.measure.tokens import Counter
from tests import inputs

COUNTER = Counter("o200k_base", None)
HELD = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

ENCODED = st.builds(
    lambda data, width, end: end.join(data[at : at + width] for at in range(0, len(data), width)),
    st.one_of(
        st.builds(inputs.png, st.integers(0, 9), st.integers(5, 40), st.integers(5, 30)),
        st.builds(inputs.random_bytes, st.integers(200, 2000), st.integers(0, 9)),
    ).map(inputs.encoded),
    st.sampled_from([76, 64, 10**9]),
    st.sampled_from(["\n", "\r\n", "\\n"]),
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=40), ENCODED)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
JSON = st.builds(json.dumps, VALUES, ensure_ascii=st.booleans(), indent=st.sampled_from([None, 1]))
TEXTS = st.one_of(
    JSON,
    JSON.map(json.dumps),
    st.lists(JSON, max_size=4).map("\n".join),
    st.builds(inputs.words, st.integers(0, 3000)),
    st.builds(lambda lines: inputs.log(lines, 3).decode(), st.integers(1, 300)),
    st.text(max_size=300),
    st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=3), st.integers(1, 30_000)),
    ENCODED.map(lambda data: f"before ![x](data:image/png;base64,{data}) after"),
    st.builds(
        lambda text, data: inputs.mcp(inputs.text_block(text), inputs.image_block(data.encode())).decode(),
        JSON,
        ENCODED,
    ),
)
CODECS = st.sampled_from(["utf-8", "utf-8", "utf-8", "utf-16", "utf-16-be", "utf-32-le", "cp1252"])


@st.composite
def results(draw: st.DrawFn) -> bytes:
    """Several texts in one, in some encoding, perhaps with bytes put in or cut off."""
    data = "\n".join(draw(st.lists(TEXTS, min_size=1, max_size=3))).encode(draw(CODECS), "replace")
    at = draw(st.integers(0, len(data)))
    change = draw(st.sampled_from(["none", "none", "put in", "cut", "repeat", "CRLF"]))
    if change == "put in":
        return data[:at] + draw(st.binary(max_size=4)) + data[at:]
    if change == "CRLF":
        return data.replace(b"\n", b"\r\n")
    return data[:at] if change == "cut" else data * 3 if change == "repeat" else data


def guarded(data: bytes, folder: str, threshold: int = 1500, **more: str) -> Outcome:
    return guard(data, Settings(session=f"{folder}/session", threshold=threshold, **more))


@HELD
@given(results(), st.sampled_from([1500, 6000]))
def test_nothing_is_lost_and_what_replaces_it_is_small(data: bytes, threshold: int):
    with tempfile.TemporaryDirectory() as folder:
        outcome = guarded(data, folder, threshold)
        assert (outcome.sha256, outcome.size) == (hashlib.sha256(data).hexdigest(), len(data))
        if outcome.kind is Kind.PASSED:
            assert outcome.data == data and not Path(folder, "session").exists()
            return
        assert outcome.saved and Path(outcome.saved).read_bytes() == data
        for stored in outcome.assets:
            assert hashlib.sha256(Path(stored.path).read_bytes()).hexdigest() == stored.asset.sha256
        if outcome.kind is not Kind.EXTRACTED:
            tokens = COUNTER.text(outcome.data.decode())
            assert tokens <= 1500 and len(outcome.data) < 10_000
            assert outcome.kind is Kind.BINARY or tokens == outcome.content_tokens


@HELD
@given(results(), st.sampled_from([1500, 6000]))
def test_a_message_that_is_guarded_again_passes(data: bytes, threshold: int):
    with tempfile.TemporaryDirectory() as folder:
        outcome = guarded(data, folder, threshold)
        if outcome.kind in (Kind.OFFLOADED, Kind.BINARY):
            again = guard(outcome.data, Settings(session=f"{folder}/other", threshold=1500))
            assert (again.kind, again.data) == (Kind.PASSED, outcome.data)


@HELD
@given(results())
def test_guarding_twice_saves_once_and_says_the_same(data: bytes):
    with tempfile.TemporaryDirectory() as folder:
        first, second = guarded(data, folder), guarded(data, folder)
        assert (first.kind, first.data, first.saved) == (second.kind, second.data, second.saved)
