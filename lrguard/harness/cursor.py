"""Cursor: `updated_mcp_tool_output`, for MCP tools alone (documented, not measured).

It also runs Claude's hooks from the user's settings, so that one result may come twice; the second time it is lrguard's
own message.
"""

from __future__ import annotations

from lrguard.harness import blocks
from lrguard.harness.call import Call, OtherEventError, Payload, settled, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "cursor"

EVENTS = ("postToolUse", "PostToolUse")


def read(payload: Payload, environ: Mapping[str, str]) -> Call | None:
    """The call; None where its result has nothing that can be replaced. Raises `OtherEventError`."""
    event = string(payload, "hook_event_name")
    if event not in EVENTS:
        raise OtherEventError(f"{event[:80]!r} is no event in which a result can be replaced (postToolUse is)")
    output = payload.get("tool_output", payload.get("tool_response"))
    if not string(payload, "tool_name").startswith(("MCP:", "mcp__")):
        return None
    value = output
    if isinstance(output, str):
        import json

        try:
            value = json.loads(output)
        except (ValueError, RecursionError):
            value = output
    content = value.get("content") if isinstance(value, dict) else value
    text = blocks.text_of(content)
    shaped = content if isinstance(content, list) and blocks.with_blobs(content) else None
    if shaped is not None:
        text = text or ""

        def answer(replacement: Any) -> object:
            return {"updated_mcp_tool_output": {"content": replacement}}

    elif text is not None and isinstance(content, list):
        known = content

        def answer(replacement: Any) -> object:
            return {"updated_mcp_tool_output": {"content": blocks.with_text(known, replacement)}}

    elif isinstance(output, str):
        text = output

        def answer(replacement: Any) -> object:
            return {"updated_mcp_tool_output": replacement}

    else:
        return None
    common = settled(payload)
    duration = payload.get("duration")
    if isinstance(duration, int | float) and 0 <= duration < 1e9:
        common["seconds"] = duration / 1000
    common["session"] = common["session"] or string(payload, "conversation_id")
    return Call(NAME, text, answer, blocks=shaped, **common)
