"""Copilot CLI: `modifiedResult`, the result with another `textResultForLlm`.

It also runs the hooks of a project's Claude settings, with a payload in Claude's naming but for `tool_result`; the
answer has Copilot's own names there too. A result over 20 KB comes as a notice that names a file with all of it; as
the notice is text like any other, a tool may have forged it.
"""

from __future__ import annotations

import os

from lrguard.harness.call import Call, OtherEventError, Payload, ended, member, settled, string
from lrguard.harness.host_file import HostFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

NAME = "copilot-cli"

_SPILLED = (
    r"Output too large to read at once \(\d{1,12}(?:\.\d{1,3})? [KMGT]?B\)\. Saved to: (?P<path>/[^\n\0]{1,4000})\n"
    r"Consider using tools like [^\n]{0,1000}\n\nPreview \(first \d{1,6} chars\):\n"
)
_STATUS = r"\n?(<shellId: \d{1,9} completed with exit code (-?\d{1,9})>)\n?\Z"
_FILE = r"\d{1,20}-copilot-tool-output-[A-Za-z0-9_-]{1,100}\.txt"
_STATUS_LENGTH = 80
_PREVIEW = 500
"""Characters of the result in a notice: what lets a forged one put no more than itself into the context."""


def read(payload: Payload, environ: Mapping[str, str]) -> Call | None:
    """The call; None where its result has nothing that can be replaced. Raises `OtherEventError`."""
    import re

    result = member(payload, "toolResult") or member(payload, "tool_result")
    if not result:
        what = "a failed call, whose result" if "error" in payload else "an event in which a result"
        raise OtherEventError(f"it is {what} cannot be replaced (postToolUse is one)")
    text = string(result, "textResultForLlm", "text_result_for_llm")
    kept = {name: value for name, value in result.items() if name not in _NAMES}
    kept |= {own: result[name] for name, own in _NAMES.items() if name in result}

    def answer(replacement: str) -> object:
        return {"modifiedResult": {**kept, "textResultForLlm": replacement}}

    named = {
        "session": string(payload, "sessionId"),
        "tool": string(payload, "toolName"),
        "tool_input": payload.get("toolArgs"),
        "call_id": string(payload, "toolCallId"),
    }
    status = re.search(_STATUS, text[-_STATUS_LENGTH:])
    file = _file(text, len(text) - len(status[0]) if status else len(text), environ)
    return Call(
        NAME,
        text,
        answer,
        ended=ended(status[2]) if status else "",
        tail=status[1] if status and file else "",
        file=file,
        **(settled(payload) if "tool_name" in payload else named),
    )


_NAMES = {"result_type": "resultType", "text_result_for_llm": "textResultForLlm"}


def _file(text: str, end: int, environ: Mapping[str, str]) -> HostFile | None:
    """The file with the whole result where `text` up to `end` is nothing but the notice of it."""
    import re

    notice = re.match(_SPILLED, text)
    if not notice or end - notice.end() > _PREVIEW + 1:
        return None
    places = [place for place in (environ.get("TMPDIR", ""), "/tmp") if os.path.isabs(place)]
    return HostFile(
        notice["path"],
        places,
        lambda parts: len(parts) == 1 and re.fullmatch(_FILE, parts[0]) is not None,
        begins=text[notice.end() : end],
    )
