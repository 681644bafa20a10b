"""What a host is to be told in place of a result: the call's whole text guarded, and the answer that fits the host."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping

from lrguard.errors import LrguardError
from lrguard.guarding import guard
from lrguard.harness import own
from lrguard.harness.blocks import text_of
from lrguard.harness.call import Call
from lrguard.harness.hook import Room, about
from lrguard.intake.receive import Arriving, Received, Unspooled, receive
from lrguard.intake.source import CHUNK, BytesSource
from lrguard.outcome import Kind, Outcome
from lrguard.records import replace
from lrguard.settings import Settings
from lrguard.workplace import Workplace

MESSAGE = 1000
"""Tokens that a message is expected to take, until it is written."""

_ESTIMATED = 256 * 1024
"""Characters beyond which a text is taken for larger than any threshold until it is counted."""

_LEAST = 1
_ALWAYS = 500
"""Tokens that a result may have whatever came before it: a message would hardly be shorter."""

_BESIDE_PREVIEW, _CHARACTERS_A_TOKEN = 400, 2
"""Tokens of a message beside its preview; characters at each end of a preview that take about one token."""


class Unsaved(LrguardError):
    """A result that should have been replaced and could not be saved: the host keeps the original."""


def replacement(
    call: Call,
    settings: Settings,
    place: Workplace,
    room: Room,
    total: int,
    environ: Mapping[str, str],
    note: Callable[[str], None],
) -> object:
    """The host's answer, None where the result stays as it is; `note` is told what else there is to say.

    Raises `Unsaved`.
    """
    if own.is_message(call.text.removeprefix(call.opening), place.session.tree.path, place.session.shown, environ):
        return None
    expected = (
        about(_bytes(call.text)) if len(call.text) <= _ESTIMATED and call.file is None else settings.threshold + 1
    )
    room.enter(place.session.tree.path, expected if expected <= settings.threshold else MESSAGE)
    left = total - room.before
    if call.blocks is None:
        settings = replace(settings, output="text", media="extract")
    else:
        settings = replace(settings, output="mcp", media="keep", declared_mcp=True)
    if not room.exempt:
        fitting = max(left - _BESIDE_PREVIEW, 0)
        settings = replace(
            settings,
            preview_chars=min(settings.preview_chars, fitting * _CHARACTERS_A_TOKEN),
            summary_tokens=min(settings.summary_tokens, fitting),
        )
    try:
        outcome = _guarded(call, settings, place)
        if not room.exempt and _stays(call, outcome) > max(left, _ALWAYS):
            fits = min(max(left, _ALWAYS), settings.threshold)
            outcome = _guarded(call, replace(settings, threshold=fits, combined=total), place)
    except Unspooled as error:
        raise Unsaved("cannot keep the result", error.why, "it stays as it was") from None
    room.settle(_stays(call, outcome) if outcome is None or outcome.kind is Kind.PASSED else outcome.content_tokens)
    if outcome is None:
        return None
    for one in outcome.notes:
        note(one)
    if outcome.kind is Kind.PASSED and not (outcome.failure and settings.on_save_error == "preview"):
        if outcome.failure:
            raise Unsaved(outcome.failure.what, outcome.failure.why, "the result stays as it was")
        return None
    text = outcome.content.read().decode(outcome.content_encoding, "replace")
    return call.answer(_around(call, text) if call.blocks is None else json.loads(text))


def _stays(call: Call, outcome: Outcome | None) -> int:
    """The tokens of a result that go into the context as they are, 0 where a message stands for it."""
    if outcome is None or (call.file and outcome.kind is Kind.PASSED):
        # What the model sees is the host's own notice, or a text that was found to fit.
        return min(about(_bytes(call.text[:_ESTIMATED])), MESSAGE if call.file else _ESTIMATED)
    return 0 if outcome.kind in (Kind.OFFLOADED, Kind.BINARY) or outcome.failure else outcome.content_tokens


def _guarded(call: Call, settings: Settings, place: Workplace) -> Outcome | None:
    """What becomes of the whole result; None where it passes as it is."""
    if call.document is not None:
        # An answer can only be text here, so media would go with it: only what is too large is replaced at all.
        if not place.counter.against(BytesSource(_bytes(call.text)), settings.threshold).over:
            return None
        received = _arrived(call.document(), call, place)
    elif call.blocks is not None:
        received = _arrived(json.dumps(call.blocks, ensure_ascii=False), call, place)
    else:
        whole = _whole(call, place)
        if whole is None:
            return None
        received = whole
    outcome = guard(received, settings, place)
    if _too_long(call, outcome) and settings.threshold > _LEAST:
        outcome = guard(received, replace(settings, threshold=_LEAST), place)
        return None if _too_long(call, outcome) else outcome
    return outcome


def _whole(call: Call, place: Workplace) -> Received | None:
    """The result from the file in which the host keeps all of it, else as far as the host passed it on.

    None where that is nothing but a notice, which is best left as it is.
    """
    descriptor = call.file.open() if call.file else None
    if descriptor is None:
        if call.file and not call.partial:
            return None
        return _arrived(call.text, call, place, partial=call.partial)
    try:
        received = receive(descriptor, place.make_file)
        return replace(received, ended=call.ended, declared_error=call.is_error)
    finally:
        os.close(descriptor)


def _arrived(text: str, call: Call, place: Workplace, partial: str = "") -> Received:
    arriving = Arriving(place.make_file)
    for start in range(0, len(text), CHUNK):
        arriving.take(_bytes(text[start : start + CHUNK]))
    return replace(arriving.received(ended=call.ended), partial=partial, declared_error=call.is_error)


def _too_long(call: Call, outcome: Outcome) -> bool:
    """Whether the host would cut this answer."""
    if outcome.kind is Kind.PASSED or not call.limit:
        return False
    if call.blocks is not None:  # the limit is one of texts, and beside them there may be images
        return len(_bytes(text_of(json.loads(outcome.content.read())) or "")) > call.limit
    return outcome.content.size + len(_around(call, "").encode("utf-8", "replace")) > call.limit


def _around(call: Call, text: str) -> str:
    """An answer with what the host had put around the text."""
    tail = f"\n{call.tail}" if call.tail and not text.endswith("\n") else call.tail
    return f"{call.opening}{text}{tail}"


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
