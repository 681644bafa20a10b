"""OpenCode: a plugin passes `{input, output}` of `tool.execute.after` on, and takes the answer's `output` over.

A built-in tool's result is cut to its tail and kept whole in a file of OpenCode's own; an MCP result comes as it is.
"""

from __future__ import annotations

import os

from lrguard.harness import blocks
from lrguard.harness.call import Call, OtherEventError, Payload, ended, member, string
from lrguard.harness.host_file import HostFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

NAME = "opencode"

MCP_LIMIT = 50 * 1024
"""Bytes of an MCP result beyond which OpenCode cuts it in its turn; built-in results are cut before the plugin runs."""

_CUT = "...output truncated..."


def read(payload: Payload, environ: Mapping[str, str]) -> Call | None:
    """The call; None where its result has nothing that can be replaced. Raises `OtherEventError`."""
    given, output = member(payload, "input"), member(payload, "output")
    if "content" not in output and "output" not in output:
        raise OtherEventError("there is no result of a tool in it (tool.execute.after has one)")
    metadata = member(output, "metadata")
    text = blocks.text_of(output.get("content"))
    file = None
    shaped = output["content"] if blocks.with_blobs(output.get("content")) else None
    if shaped is not None:
        text = text or ""

        def answer(replacement: Any) -> object:
            return {"output": {"content": replacement}}

    elif text is not None:

        def answer(replacement: Any) -> object:
            return {"output": {"content": blocks.with_text(output["content"], replacement)}}

    elif isinstance(output.get("output"), str):
        text = output["output"]
        file = _file(text, metadata, environ)

        def answer(replacement: Any) -> object:
            return {"output": {"output": replacement}}

    else:
        return None
    return Call(
        NAME,
        text,
        answer,
        session=string(given, "sessionID"),
        tool=string(given, "tool"),
        tool_input=given.get("args"),
        call_id=string(given, "callID"),
        ended=ended(metadata.get("exit")),
        limit=MCP_LIMIT if "content" in output else 0,
        partial="partial: OpenCode had cut it before it got here" if metadata.get("truncated") is True else "",
        blocks=shaped,
        file=file,
    )


def _file(text: str, metadata: Payload, environ: Mapping[str, str]) -> HostFile | None:
    path = string(metadata, "outputPath")
    begin = f"{_CUT}\n\nFull output saved to: {path}\n\n"
    if not path or metadata.get("truncated") is not True or not text.startswith(begin):
        return None
    data = environ.get("XDG_DATA_HOME", "")
    home = os.path.join(environ.get("HOME", ""), ".local", "share")
    places = [os.path.join(base, "opencode", "tool-output") for base in (data, home) if os.path.isabs(base)]
    return HostFile(path, places, lambda parts: len(parts) == 1, ends=text[len(begin) :])
