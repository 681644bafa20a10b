"""The hosts whose hooks lrguard answers, and which of them a payload comes from.

The shape of the payload decides and not the name on the command line: Copilot runs the hooks of Claude's settings, and
Cursor too, each with payloads of its own. What is most particular is asked first. An adapter is a module with `read`;
only the one that is needed is imported.
"""

from __future__ import annotations

from lrguard.harness.call import Call, OtherEventError, Payload, member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAMES = ("claude-code", "codex", "gemini-cli", "opencode", "copilot-cli", "cursor")
"""What may stand on the command line."""


def _is_cursor(payload: Payload) -> bool:
    return "cursor_version" in payload or ("tool_output" in payload and "conversation_id" in payload)


def _is_opencode(payload: Payload) -> bool:
    given = member(payload, "input")
    return "sessionID" in given and "tool" in given


def _is_copilot(payload: Payload) -> bool:
    return "toolResult" in payload or "tool_result" in payload or "toolName" in payload


def _is_gemini(payload: Payload) -> bool:
    named = payload.get("hook_event_name") in ("AfterTool", "BeforeTool")
    return named or "llmContent" in member(payload, "tool_response")


def _is_codex(payload: Payload) -> bool:
    return isinstance(payload.get("turn_id"), str)


def _is_claude(payload: Payload) -> bool:
    return isinstance(payload.get("hook_event_name"), str)


HOSTS: tuple[tuple[Callable[[Payload], bool], str], ...] = (
    (_is_cursor, "cursor"),
    (_is_opencode, "opencode"),
    (_is_copilot, "copilot_cli"),
    (_is_gemini, "gemini_cli"),
    (_is_codex, "codex"),
    (_is_claude, "claude_code"),
)
"""What tells a payload, and the adapter that reads it."""


def read(payload: object, environ: Mapping[str, str]) -> Call | None:
    """The call that `payload` tells of; None where there is nothing to replace. Raises `OtherEventError`."""
    if isinstance(payload, dict):
        for recognizes, adapter in HOSTS:
            if recognizes(payload):
                # `importlib` would do the same and take longer to import than most adapters.
                module = __import__(f"lrguard.harness.{adapter}", fromlist=["read"])
                call: Call | None = module.read(payload, environ)
                return call
    raise OtherEventError("it has the form of no host that is known here")
