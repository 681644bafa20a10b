"""Gemini CLI: `decision: deny` with the text as the reason, which the model gets as an error.

So the text begins by saying that the call was none. A tail call to `read_file` would be a clean result, but reads only
inside the workspace, where lrguard keeps nothing. What a tail call of another hook returned is that hook's answer.
"""

from __future__ import annotations

from lrguard.harness.call import Call, Payload, ended, expect, member, settled, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "gemini-cli"

OPENING = "The tool ran; what follows is its result, shortened by lrguard, and not an error of the call.\n"

_BEGIN, _END = "<untrusted_context>\n", "\n</untrusted_context>"
_EXIT_CODE = "Exit Code: "
_AROUND = 1000
"""Characters that the host may have put around the output of a command."""


def read(payload: Payload, environ: Mapping[str, str]) -> Call | None:
    """The call; None where its result has nothing that can be replaced. Raises `OtherEventError`."""
    expect(payload, "AfterTool")
    response = member(payload, "tool_response")
    content = response.get("llmContent")
    parts = content if isinstance(content, list) else [content]
    texts = [_unwrapped(text) for part in parts if (text := _text(part)) is not None]
    if not texts or isinstance(payload.get("original_request_name"), str):
        return None
    text, tail = "\n".join(texts), ""
    if isinstance(content, str):
        text, tail = _output(text, string(response, "returnDisplay"))
    failed = bool(response.get("error"))
    lossless = all(_text(part) is not None for part in parts)
    return Call(
        NAME,
        text,
        answer,
        opening="" if failed else OPENING,
        tail=tail,
        is_error=failed,
        ended="" if failed else ended(_status(text, tail)),
        document=None if lossless else lambda: _document(parts),
        **settled(payload),
    )


def answer(replacement: str) -> object:
    """What puts `replacement` in the place of a result."""
    return {"decision": "deny", "reason": replacement}


def _text(part: object) -> str | None:
    text = part.get("text") if isinstance(part, dict) else part
    return text if isinstance(text, str) else None


def _unwrapped(text: str) -> str:
    inside = text.startswith(_BEGIN) and text.endswith(_END) and len(text) >= len(_BEGIN) + len(_END)
    return text[len(_BEGIN) : -len(_END)] if inside else text


def _output(text: str, display: str) -> tuple[str, str]:
    """The output of a command without the lines that the host put around it, and those behind it."""
    at = text.find(display, 0, _AROUND + len(display)) if display else -1
    behind = text[at + len(display) :] if at >= 0 else ""
    if at < 0 or len(behind) > _AROUND:
        return text, ""
    return display, behind.strip("\n")


def _status(text: str, tail: str) -> str:
    """The exit status that the host wrote behind the output; empty where it wrote none."""
    for line in (tail or text)[-_AROUND:].splitlines():
        if line.startswith(_EXIT_CODE):
            return line[len(_EXIT_CODE) :]
    return ""


def _document(parts: list[object]) -> str:
    """A CallToolResult with all parts."""
    import json

    content: list[object] = []
    for part in parts:
        text = _text(part)
        media = member(part, "inlineData") if isinstance(part, dict) else {}
        if text is not None:
            content.append({"type": "text", "text": _unwrapped(text)})
        elif isinstance(media.get("data"), str):
            kind = "audio" if string(media, "mimeType").startswith("audio/") else "image"
            content.append({"type": kind, "data": media["data"], "mimeType": string(media, "mimeType")})
        else:
            content.append({"type": "text", "text": json.dumps(part, ensure_ascii=False)})
    return json.dumps({"content": content}, ensure_ascii=False)
