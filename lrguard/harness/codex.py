"""Codex CLI, from 0.124 on: `continue: false` with the text as the reason, and no other key, or it ignores the answer.

Codex cuts the output of commands before a hook sees it and keeps the rest nowhere; the message has to say so.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from lrguard.harness import blocks
from lrguard.harness.call import Call, Payload, expect, settled

NAME = "codex"

LIMIT = 10_000
"""Bytes of a reason beyond which Codex cuts it in its turn."""

_CUT = re.compile(r"Warning: truncated output \(original token count: \d{1,15}\)\nTotal output lines: \d{1,15}\n\n")


def claims(payload: Payload) -> bool:
    """Whether this is a payload of Codex."""
    return isinstance(payload.get("turn_id"), str) and "hook_event_name" in payload


def read(payload: Payload, environ: Mapping[str, str]) -> Call | None:
    """The call; None where its result has nothing that can be replaced. Raises `OtherEventError`."""
    expect(payload, "PostToolUse")
    response = payload.get("tool_response")
    document = None
    if isinstance(response, str):
        text = response
    elif isinstance(response, dict):
        content = response.get("content")
        if response.get("structuredContent") is not None:
            # The model gets this alone, whatever the blocks say.
            text = json.dumps(response["structuredContent"], ensure_ascii=False, separators=(",", ":"))
        else:
            text = blocks.text_of(content) or ""
            if not blocks.only_text(content):
                document = lambda: json.dumps({"content": content}, ensure_ascii=False)  # noqa: E731
    else:
        return None
    cut = _CUT.match(text)
    return Call(
        NAME,
        text,
        answer,
        limit=LIMIT,
        partial="partial: Codex had cut it before it got here, and nothing keeps the rest" if cut else "",
        document=document,
        **settled(payload),
    )


def answer(replacement: str) -> object:
    """What puts `replacement` in the place of a result."""
    return {"continue": False, "stopReason": "lrguard saved a large tool result", "reason": replacement}
