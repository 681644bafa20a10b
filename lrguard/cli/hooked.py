"""The process of one hook: reads the payload, writes the answer, and never lets a failure of its own reach the model.

It knows nothing of Typer, so that a hook without options can be answered without it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from lrguard.cli import streams
from lrguard.errors import DONE, LrguardError
from lrguard.harness import hook
from lrguard.harness.call import Call, OtherEventError
from lrguard.harness.hosts import NAMES

BAD_OPTIONS = 1
"""The status for bad options and bad surroundings: to several hosts 2 means that the call is to be blocked."""

INTERRUPTED = 130

_CHUNK = 1024 * 1024


def begin(arguments: list[str]) -> None:
    """Answer and end the process where `arguments` are nothing but a host: what is pasted needs no parser."""
    if len(arguments) != 1 or arguments[0] not in NAMES:
        return
    streams.claim()
    if not streams.is_terminal(streams.INPUT):
        try:
            status = respond({})
        except streams.ReaderLeft:
            status = streams.PIPE_CLOSED
        except KeyboardInterrupt:
            status = INTERRUPTED
        streams.leave(status)


def respond(given: Mapping[str, object]) -> int:
    """Answer the payload on standard input with the options `given`; the exit status."""
    try:
        data = _payload()
        if os.environ.get("LRGUARD_NESTED") == "1":
            return DONE
        bad: list[LrguardError] = []

        def replace(call: Call, room: hook.Room) -> object:
            return _replacement(call, room, given, bad)

        streams.write(hook.answer(data, given, os.environ, replace))
        if bad:  # after the answer, of which there is none
            streams.note(str(bad[0]))
            return BAD_OPTIONS
    except OtherEventError as error:
        streams.note(f"the hook's input is left alone: {error}")
    except LrguardError as error:
        streams.note(str(error))
    except Exception as error:
        if os.environ.get("LRGUARD_DEBUG") == "1":
            import traceback

            traceback.print_exc()
        what = " ".join(f"{type(error).__name__}: {error}".split())
        streams.note(f"internal error: {what[:500]}; please report it")
    return DONE


def _payload() -> bytes:
    if streams.INPUT in streams.closed:
        raise OtherEventError("standard input is closed")
    pieces = []
    size = 0
    while piece := os.read(streams.INPUT, _CHUNK):
        size += len(piece)
        if size <= hook.LARGEST + _CHUNK:
            pieces.append(piece)
    return b"".join(pieces)


def _replacement(call: Call, room: hook.Room, given: Mapping[str, object], bad: list[LrguardError]) -> object:
    """The host's answer by the settings that hold for this call; None for silence."""
    from dataclasses import replace

    from lrguard.cli.place import place_for
    from lrguard.harness.replacement import replacement
    from lrguard.settings import resolve

    try:
        settings = resolve(_options(call, given), os.environ)
    except LrguardError as error:
        bad.append(error)
        return None
    if not getattr(settings, "enabled", True):
        return None
    if settings.session is None:
        settings = replace(settings, session=hook.host_session(call, os.environ))
    total = getattr(settings, "total_threshold", hook.TOTAL)
    if total == hook.TOTAL:
        total = max(total, settings.threshold)
    with place_for(settings) as place:
        return replacement(call, settings, place, room, total, os.environ)


def _options(call: Call, given: Mapping[str, object]) -> dict[str, object]:
    """The options, with what the payload says: a sub-agent has its profile, unless an option says otherwise."""
    options = dict(given)
    if call.tool:
        options.setdefault("tool", call.tool)
    if call.call_id:
        options.setdefault("call_id", call.call_id)
    if call.agent and not options.keys() & {"agent", "threshold", "context_window"}:
        options["agent"] = "subagent"
    return options
