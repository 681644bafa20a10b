"""Claude Code, from 2.1.121 on: `updatedToolOutput` in the shape of the tool's own result.

Results of built-in tools are checked against the tool's schema, and one of another shape is dropped without a word. So
the result is copied and only its text changed. The keys of a saved output go, or the host shows its own preview.
"""

from __future__ import annotations

import os

from lrguard.harness import blocks
from lrguard.harness.call import Call, OtherEventError, Payload, expect, member, settled, string
from lrguard.harness.host_file import HostFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NAME = "claude-code"

BUILT_IN_LIMIT, MCP_LIMIT = 30_000, 50_000
"""Characters of a replacement beyond which it is spilled in its turn; taken as bytes, which are no fewer."""

FAILED = "PostToolUseFailure"
PERSISTED = ("persistedOutputPath", "persistedOutputSize")


def read(payload: Payload, environ: Mapping[str, str]) -> Call | None:
    """The call; None where its result has nothing that can be replaced. Raises `OtherEventError`."""
    if payload.get("hook_event_name") == FAILED:
        raise OtherEventError(f"{FAILED}: the result of a failed call cannot be replaced by a hook")
    expect(payload, "PostToolUse")
    response = payload.get("tool_response")
    found = _text_of(response)
    if found is None:
        return None
    text, changed = found
    file = _file(response, text, environ) if isinstance(response, dict) else None

    def answer(replacement: str) -> object:
        output = {"hookEventName": "PostToolUse", "updatedToolOutput": changed(replacement)}
        return {"hookSpecificOutput": output}

    return Call(
        NAME,
        text,
        answer,
        limit=BUILT_IN_LIMIT if isinstance(response, dict) else MCP_LIMIT,
        partial="partial: the beginning, as far as Claude Code passed it on" if file else "",
        file=file,
        **settled(payload),
    )


def _text_of(response: object) -> tuple[str, Callable[[str], object]] | None:
    """The text of a tool's result, and what makes a result of the same shape from another one."""
    if isinstance(response, str):
        return response, lambda text: text
    if isinstance(response, list):
        text = blocks.text_of(response)
        return None if text is None else (text, lambda new: blocks.with_text(response, new))
    if not isinstance(response, dict):
        return None
    if isinstance(response.get("stdout"), str):
        return None if response.get("isImage") is True else _of_command(response)
    file = member(response, "file")
    if response.get("type") == "text" and isinstance(file.get("content"), str):
        return file["content"], lambda new: {**response, "file": {**file, "content": new}}
    text = blocks.text_of(response.get("content"))
    if text is not None:
        return text, lambda new: {**response, "content": blocks.with_text(response["content"], new)}
    for name in ("result", "content"):
        if isinstance(response.get(name), str):
            return response[name], lambda new, name=name: {**response, name: new}
    return None


def _of_command(response: Payload) -> tuple[str, Callable[[str], object]]:
    kept = {name: value for name, value in response.items() if name not in PERSISTED}
    streams = [response["stdout"], string(response, "stderr")]
    if isinstance(response.get("stderr"), str):
        kept["stderr"] = ""
    return "\n".join(filter(None, streams)), lambda new: {**kept, "stdout": new}


def _file(response: Payload, text: str, environ: Mapping[str, str]) -> HostFile | None:
    path = string(response, PERSISTED[0])
    if not path:
        return None
    size = response.get(PERSISTED[1])
    homes = (environ.get("CLAUDE_CONFIG_DIR", ""), os.path.join(environ.get("HOME", ""), ".claude"))
    return HostFile(
        path,
        [os.path.join(home, "projects") for home in homes if os.path.isabs(home)],
        lambda parts: len(parts) == 4 and parts[2] == "tool-results",
        begins=text,
        size=size if isinstance(size, int) else None,
    )
