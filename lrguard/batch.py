"""Results that came back together, under one combined threshold.

Each is weighed first, so that the largest are offloaded before any message is written; then the messages share what
room there is. A message is written again, shorter, only where the sum asks for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress

from lrguard.errors import SaveError
from lrguard.guarding import binary, identify, inline, is_to_stay, unsaved, weigh
from lrguard.intake.media_type import OCTET_STREAM
from lrguard.intake.receive import Received
from lrguard.offload import LINE, Offload
from lrguard.outcome import Outcome
from lrguard.present.message import MAX_TOKENS
from lrguard.settings import Settings
from lrguard.workplace import Workplace

LEAST_MESSAGE = 150
"""Tokens of a message without a preview, about: with less room a line takes its place at once."""

SHORTEST_PREVIEW = 100
"""Characters below which a preview is not halved but left out."""

TOKENS_A_CHARACTER = 0.5
"""Tokens that a character of a preview takes, at both ends together, about."""


class _Candidate:
    """One result on its way: what it would print now, in tokens, and what can be done about it."""

    def __init__(self, received: Received, settings: Settings) -> None:
        self.received, self.settings = received, settings
        self.encoding: str | None = None
        self.outcome: Outcome | None = None
        self.offload: Offload | None = None
        self.offloaded = False
        self.preview = settings.preview_chars
        self.tokens = 0


def guard_all(
    results: Sequence[tuple[Received, Settings]], total_threshold: int | None, place: Workplace
) -> list[Outcome]:
    """What becomes of each of `results`, in their order.

    Those over their own threshold are offloaded; then, while what would be printed adds up to more than
    `total_threshold` tokens (None: no such bound), the largest of the others, of equals the earlier; then messages get
    shorter, at last one line each.
    """
    candidates = [_Candidate(received, settings) for received, settings in results]
    for candidate in candidates:
        _weigh(candidate, place)
    _offload_what_is_over(candidates, total_threshold)
    if total_threshold is not None and _sum(candidates) > total_threshold:
        _offload_largest(candidates, total_threshold)
        _shorten(candidates, total_threshold)
    return [_settled(candidate, place) for candidate in candidates]


def _weigh(candidate: _Candidate, place: Workplace) -> None:
    """Find out what the result is and what it would print by itself."""
    received, settings = candidate.received, candidate.settings
    media, candidate.encoding = identify(received)
    if is_to_stay(received, settings):
        return _keep(candidate, None, place)
    try:
        if candidate.encoding is None:
            candidate.outcome = binary(received, media or OCTET_STREAM, settings, place)
            candidate.tokens = candidate.outcome.content_tokens
            return
        text, measurement = weigh(received, candidate.encoding, settings, place)
        candidate.offload = Offload(text, measurement, settings, place)
        candidate.tokens = measurement.tokens
    except SaveError as error:
        _keep(candidate, error, place)


def _keep(candidate: _Candidate, error: SaveError | None, place: Workplace) -> None:
    """Print the result unchanged, since it cannot be saved, or is not to be."""
    candidate.outcome = unsaved(candidate.received, candidate.encoding, error, candidate.settings, place)
    candidate.tokens, candidate.offload = candidate.outcome.content_tokens, None


def _sum(candidates: Sequence[_Candidate]) -> int:
    return sum(candidate.tokens for candidate in candidates)


def _offload_what_is_over(candidates: Sequence[_Candidate], threshold: int | None) -> None:
    """Offload what is over its own threshold, with previews for which there may be room."""
    over = [candidate for candidate in candidates if candidate.offload and candidate.offload.measurement.over]
    room = threshold - _sum(candidates) + _sum(over) if threshold is not None else MAX_TOKENS * len(over)
    for candidate in over:
        if room < MAX_TOKENS * len(over):
            candidate.preview = _preview_for(max(room, 0) // len(over), candidate.settings)
        _offload(candidate, (candidate.preview,))


def _offload(candidate: _Candidate, previews: Iterable[int]) -> None:
    """Offload with the first of these previews with which the message is shorter than the result, if there is one."""
    assert candidate.offload is not None
    for preview in previews:
        if candidate.offload.is_worthwhile(preview):
            candidate.offloaded, candidate.preview = True, preview
            with suppress(SaveError):  # met again, and told, when the result is saved without a summary
                candidate.offload.summarize(preview)
            candidate.tokens = candidate.offload.message_tokens(preview)
            return


def _offload_largest(candidates: Sequence[_Candidate], threshold: int) -> None:
    """Offload the largest results still printed whole, while everything is too much and a message is shorter."""
    printed = [candidate for candidate in candidates if candidate.offload and not candidate.offloaded]
    printed.sort(key=lambda candidate: -candidate.tokens)  # stable: of equals the earlier comes first
    total, room = _sum(candidates), threshold // max(len(candidates), 1)
    for candidate in printed:
        if total <= threshold:
            return
        assert candidate.offload is not None
        candidate.offload.for_combined(threshold)
        before = candidate.tokens
        _offload(candidate, dict.fromkeys((_preview_for(room, candidate.settings), 0, LINE)))
        total += candidate.tokens - before


def _shorten(candidates: Sequence[_Candidate], threshold: int) -> None:
    """Write shorter messages while everything is too much, all of them by the same measure."""
    messages = [candidate for candidate in candidates if candidate.offloaded]
    room = threshold - _sum(candidates) + _sum(messages)
    while messages and _sum(messages) > room:
        longest = max(candidate.preview for candidate in messages)
        if longest == LINE:
            return
        halved = longest // 2 if longest > SHORTEST_PREVIEW else LINE if longest == 0 else 0
        for candidate in messages:
            fitting = min(halved, _preview_for(max(room, 0) // len(messages), candidate.settings))
            if candidate.preview > fitting and candidate.offload:
                candidate.preview = fitting
                candidate.tokens = candidate.offload.message_tokens(fitting)


def _preview_for(room: int, settings: Settings) -> int:
    """The length of preview with which a message takes about `room` tokens."""
    if room < LEAST_MESSAGE:
        return LINE
    return min(int((room - LEAST_MESSAGE) / TOKENS_A_CHARACTER), settings.preview_chars)


def _settled(candidate: _Candidate, place: Workplace) -> Outcome:
    """The result saved where it has to be, and what is printed of it."""
    if candidate.outcome is not None:
        return candidate.outcome
    offload = candidate.offload
    assert offload is not None
    try:
        if candidate.offloaded:
            return offload.outcome(candidate.preview)
        return inline(offload.text, offload.measurement, candidate.settings, place)
    except SaveError as error:
        _keep(candidate, error, place)
        assert candidate.outcome is not None
        return candidate.outcome
