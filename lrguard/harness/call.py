"""One tool result as a host's payload has it, and how that host takes another text in its place.

An adapter turns a payload into a `Call`; nothing behind it knows the host any more. What is needed to find a small
result small is all that is imported here: a hook is started for every tool call.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` takes longer to import than all that is done for a small result
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from lrguard.harness.host_file import HostFile

    Payload = dict[str, Any]
else:
    Payload = dict
"""A decoded JSON object of a host."""


class OtherEventError(Exception):
    """A payload that no result can be replaced in; the text says what it is."""


class Call:
    """A finished tool call whose result may be replaced.

    `text` is what the model would read of the result and `answer` makes what the host is to be told from the text in
    its place. `document` is set where the answer can only be text although the result has media: a CallToolResult
    with all of it. `blocks` are set where some of them hold data that is to become files: `answer` then makes the
    answer from the blocks in their place. `opening` stands before an answer, `tail` behind it: what the host had put
    around the text. `ended` says how a command failed, `is_error` that the tool reports an error, `partial` that the
    host cut the text. `limit` is how many bytes of an answer the host takes without cutting it, 0 for any number;
    `seconds` how long the tool ran.
    """

    __slots__ = (
        "agent", "agent_type", "answer", "blocks", "call_id", "document", "ended", "file", "host", "is_error", "limit",
        "opening", "partial", "seconds", "session", "tail", "text", "tool", "tool_input", "turn",
    )  # fmt: skip

    def __init__(
        self,
        host: str,
        text: str,
        answer: Callable[[Any], object],
        *,
        session: str = "",
        turn: str = "",
        agent: str = "",
        agent_type: str = "",
        tool: str = "",
        tool_input: object = None,
        call_id: str = "",
        ended: str = "",
        is_error: bool = False,
        limit: int = 0,
        opening: str = "",
        tail: str = "",
        partial: str = "",
        seconds: float | None = None,
        document: Callable[[], str] | None = None,
        blocks: list[Any] | None = None,
        file: HostFile | None = None,
    ) -> None:
        self.host, self.text, self.answer = host, text, answer
        self.session, self.turn, self.agent, self.agent_type = session, turn, agent, agent_type
        self.tool, self.tool_input, self.call_id, self.ended = tool, tool_input, call_id, ended
        self.is_error = is_error
        self.limit, self.opening, self.tail, self.partial = limit, opening, tail, partial
        self.seconds, self.document, self.blocks, self.file = seconds, document, blocks, file

    @property
    def command(self) -> str:
        """The shell command that was run; empty where it was none."""
        given = self.tool_input
        return string(given, "command") if isinstance(given, dict) else ""


def string(payload: Payload, *names: str) -> str:
    """The first of these members that is a string; empty where none is."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str):
            return value
    return ""


def member(payload: Payload, name: str) -> Payload:
    """That member where it is an object, else an empty one."""
    value = payload.get(name)
    return value if isinstance(value, dict) else {}


def expect(payload: Payload, event: str) -> None:
    """Raise `OtherEventError` where the payload names another event."""
    named = payload.get("hook_event_name")
    if named != event:
        shown = named if isinstance(named, str) else "no event"
        raise OtherEventError(f"{shown[:80]!r} is no event in which a result can be replaced ({event} is)")


def settled(payload: Payload) -> dict[str, Any]:
    """What payloads in Claude's naming have in common, as arguments of `Call`."""
    duration = payload.get("duration_ms")
    return {
        "session": string(payload, "session_id"),
        "turn": string(payload, "prompt_id", "turn_id", "generation_id"),
        "agent": string(payload, "agent_id"),
        "agent_type": string(payload, "agent_type"),
        "tool": string(payload, "tool_name"),
        "tool_input": payload.get("tool_input"),
        "call_id": string(payload, "tool_use_id"),
        "seconds": duration / 1000 if isinstance(duration, int | float) and 0 <= duration < 1e9 else None,
    }


def ended(status: object) -> str:
    """How a command with this exit status failed; empty where it did not."""
    try:
        number = int(status) if isinstance(status, int | str) else 0
    except ValueError:
        return ""
    return f"exit status {number}" if number else ""
