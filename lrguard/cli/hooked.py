"""The process of one hook: reads the payload, writes the answer, and never lets a failure of its own reach the model.

It knows nothing of Typer, so that a hook without options can be answered without it.
"""

from __future__ import annotations

import os

from lrguard.cli import streams
from lrguard.errors import DONE, LrguardError
from lrguard.harness import hook
from lrguard.harness.call import Call, OtherEventError
from lrguard.harness.hosts import NAMES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from lrguard.settings import Settings

BAD_OPTIONS = 1
"""The status for bad options and bad surroundings: to several hosts 2 means that the call is to be blocked."""

INTERRUPTED = 130

SUMMARY_TIMEOUT = 15.0
"""Seconds that a summary may take where nobody says otherwise: the harness waits (contract, section 2)."""

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
        if os.environ.get("LRGUARD_NESTED") == "1":
            _payload()
            return DONE
        streams.write(hook.answer(_payload(), given, os.environ, replacing(given, os.environ)))
    except BadSurroundings as error:
        streams.note(str(error))
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


class BadSurroundings(Exception):
    """Options, environment or configuration that cannot be used."""


def replacing(given: Mapping[str, object], environ: Mapping[str, str]) -> hook.Replace:
    """What asks the rest of lrguard, by the settings that hold for a call. Raises `BadSurroundings`."""
    return lambda call, room: _replacement(call, room, given, environ)


def _replacement(call: Call, room: hook.Room, given: Mapping[str, object], environ: Mapping[str, str]) -> object:
    from lrguard.cli.asking import Asker
    from lrguard.harness.host_sessions import retire_ended
    from lrguard.harness.replacement import replacement
    from lrguard.place import place_for
    from lrguard.records import replace

    settings = _settings(call, given, environ)
    if not settings.quiet:
        for note in settings.notes:
            streams.note(note)
    if not settings.enabled:
        return None
    if settings.summarize and settings.args is None and isinstance(call.tool_input, dict):
        import json

        settings = replace(settings, args=json.dumps(call.tool_input))
    unnamed = settings.session is None
    if unnamed:
        settings = replace(settings, session=hook.host_session(call, environ))
    total = settings.total_threshold
    if total == hook.TOTAL:
        total = max(total, settings.threshold)
    with place_for(settings, ask=Asker()) as place:
        noted = (lambda _: None) if settings.quiet else streams.note
        answer = replacement(call, settings, place, room, total, environ, noted)
        if unnamed and place.session.has_saved:
            retire_ended(place.session.tree.path)
        return answer


def _settings(call: Call, given: Mapping[str, object], environ: Mapping[str, str]) -> Settings:
    """The settings for a call: a sub-agent has the profile of its own name where there is one, else `subagent`, unless
    an option says otherwise.
    """
    from lrguard.settings import resolve

    options = _options(call, given)
    profiles: tuple[str | None, ...] = (None,)
    if call.agent and not options.keys() & {"agent", "threshold", "context_window"}:
        profiles = tuple(name for name in (call.agent_type, "subagent") if name not in ("", "root"))
    for profile in profiles:
        try:
            return resolve(options | {"agent": profile}, environ, defaults={"summary_timeout": SUMMARY_TIMEOUT})
        except LrguardError as error:
            if profile == profiles[-1]:
                raise BadSurroundings(str(error)) from None
    raise AssertionError


def _options(call: Call, given: Mapping[str, object]) -> dict[str, object]:
    """The options, with what the payload says."""
    options = dict(given)
    if call.tool:
        options.setdefault("tool", call.tool)
    if call.call_id:
        options.setdefault("call_id", call.call_id)
    return options
