"""Codex CLI, from 0.124 on: `continue: false` with the text as the reason, and no other key, or it ignores the answer.

Codex cuts the output of commands before a hook sees it and keeps the rest nowhere; the message has to say so.
"""

from __future__ import annotations

from lrguard.harness import blocks
from lrguard.harness.call import Call, Payload, expect, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "codex"

LIMIT = 10_000
"""Bytes of a reason beyond which Codex cuts it in its turn."""

_CUT = "Warning: truncated output (original token count: "


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
            text = _written(response["structuredContent"])
        else:
            texts = [blocks.text_of(content) or "", *map(_written, blocks.with_blobs(content))]
            text = "\n".join(filter(None, texts))
            if not blocks.only_text(content):
                document = lambda: _written({"content": content})  # noqa: E731
    else:
        return None
    return Call(
        NAME,
        text,
        answer,
        limit=LIMIT,
        partial="partial: Codex had cut it before it got here, and nothing keeps the rest"
        if text.startswith(_CUT)
        else "",
        document=document,
        **settled(payload),
    )


def answer(replacement: str) -> object:
    """What puts `replacement` in the place of a result."""
    return {"continue": False, "stopReason": "lrguard saved a large tool result", "reason": replacement}


def _written(value: object) -> str:
    import json

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
