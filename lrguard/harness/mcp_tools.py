"""Tools of lrguard's own for clients that have no file system: what `lrguard peek`, `schema` and `grep` do.

Each call is a process of its own, confined to one session: it cannot take the proxy down, and holds it up for no one.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping

from lrguard.present.mcp_shape import json_string

SECONDS = 60
"""After which a call is given up; the commands bound themselves to less."""

LONGEST = 256 * 1024
"""Bytes of an answer that are passed on; the commands bound themselves to a few thousand tokens."""

_ID = {"type": "string", "description": "Id of the saved response, as its message names it. Default: the newest."}
_PATH = {"type": "string", "description": "JSONPath (RFC 9535), such as $.items[0].name."}
_RANGE = "1-based, both inclusive, such as 1:100, 200:+50 or -20:"

_STRING, _NUMBER, _FLAG = "string", "integer", "boolean"
_PYTHON_TYPES: dict[str, type] = {_STRING: str, _NUMBER: int, _FLAG: bool}

_OPTIONS: dict[str, dict[str, tuple[str, dict[str, str]]]] = {
    "peek": {
        "id": ("", _ID),
        "lines": ("--lines", {"type": _STRING, "description": f"Lines A:B, {_RANGE}."}),
        "chars": ("--chars", {"type": _STRING, "description": "Characters A:B, 0-based, end excluded, or A:+N."}),
        "head": ("--head", {"type": _NUMBER, "description": "The first N lines."}),
        "tail": ("--tail", {"type": _NUMBER, "description": "The last N lines."}),
        "path": ("--path", _PATH),
        "text": ("--text", {"type": _FLAG, "description": "With path: print strings decoded."}),
    },
    "schema": {
        "id": ("", _ID),
        "path": ("--path", _PATH),
        "format": ("--format", {"type": _STRING, "description": "compact (default), json-schema or paths."}),
    },
    "grep": {
        "pattern": ("-e", {"type": _STRING, "description": "Regular expression; in JSON it finds keys and values."}),
        "id": ("", _ID),
        "fixed": ("--fixed-strings", {"type": _FLAG, "description": "The pattern is text, not an expression."}),
        "ignore_case": ("--ignore-case", {"type": _FLAG, "description": "Upper and lower case are the same."}),
        "path": ("--path", _PATH),
        "context": ("--context", {"type": _NUMBER, "description": "Lines shown around each match."}),
        "max_count": ("--max-count", {"type": _NUMBER, "description": "At most N matches."}),
        "skip": ("--skip", {"type": _NUMBER, "description": "Leave out the first N matches."}),
        "record": ("--record", {"type": _FLAG, "description": "In JSON: print the enclosing array element."}),
    },
}
"""The arguments of each tool, and the options of the command that they become."""

_PURPOSE = {
    "peek": "Read a part of a tool result that was saved because it was too large.",
    "schema": "Show the structure of a saved tool result (JSON, JSON lines, CSV).",
    "grep": "Search a saved tool result for a pattern.",
}

NAMES = {f"lrguard_{command}": command for command in _OPTIONS}
"""The tools, and the command that each stands for."""


def definitions() -> list[bytes]:
    """The tools as a listing has them."""
    found = []
    for name, command in NAMES.items():
        schema: dict[str, object] = {
            "type": "object",
            "properties": {key: described for key, (_, described) in _OPTIONS[command].items()},
            "additionalProperties": False,
        }
        if command == "grep":
            schema["required"] = ["pattern"]
        tool = {
            "name": name,
            "description": _PURPOSE[command],
            "inputSchema": schema,
            "annotations": {"readOnlyHint": True, "openWorldHint": False},
        }
        found.append(json.dumps(tool, separators=(",", ":")).encode())
    return found


def answer(tool: str, arguments: str | None, session: str, threshold: int) -> bytes:
    """The result of a call: what the command prints, and its notes."""
    command = NAMES[tool]
    try:
        words = _words(command, json.loads(arguments or "{}"))
    except ValueError as error:
        return _result([f"lrguard: cannot use the arguments: {error}"], is_error=True)
    program = [sys.executable, "-P", "-m", "lrguard", command, "-s", session]
    environ = {name: value for name, value in os.environ.items() if not name.startswith("LRGUARD_")}
    environ |= {"LRGUARD_SAVED_ONLY": "1", "LRGUARD_THRESHOLD": str(threshold), "NO_COLOR": "1"}
    try:
        done = subprocess.run(
            [*program, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            cwd="/",  # where no configuration of a project has anything to say
            env=environ,
            timeout=SECONDS,
            check=False,
        )
    except (subprocess.TimeoutExpired, OSError, ValueError) as error:
        return _result([f"lrguard: the {command} failed: {type(error).__name__}"], is_error=True)
    texts = [written[:LONGEST].decode("utf-8", "replace") for written in (done.stdout, done.stderr) if written]
    return _result(texts or ["(nothing)"], is_error=done.returncode not in (0, 1))


def _words(command: str, arguments: object) -> list[str]:
    """The words of the command line; raises ValueError for arguments that the tool does not have."""
    if not isinstance(arguments, Mapping):
        raise ValueError("they are no object")
    words: list[str] = []
    target: list[str] = []
    for name, value in arguments.items():
        if name not in _OPTIONS[command]:
            raise ValueError(f"there is no {name!r}; there is {', '.join(_OPTIONS[command])}")
        flag, described = _OPTIONS[command][name]
        if value is None:
            continue
        if type(value) is not _PYTHON_TYPES[described["type"]]:
            raise ValueError(f"{name} has to be of type {described['type']}")
        if flag == "":
            target = [str(value)]
        elif value is True:
            words.append(flag)
        elif value is not False:
            # A value that begins with a dash is no option.
            words += [f"{flag}={value}"] if flag.startswith("--") else [f"{flag}{value}"]
    if command == "grep" and not any(word.startswith("-e") for word in words):
        raise ValueError("there is no pattern")
    return [*words, "--", *target]


def _result(texts: list[str], *, is_error: bool) -> bytes:
    blocks = b",".join(b'{"type":"text","text":' + json_string(text) + b"}" for text in texts)
    # The revision of 2026 wants the type of the result, which earlier ones do not know and let pass.
    told = b'],"isError":' + (b"true" if is_error else b"false") + b',"resultType":"complete"}'
    return b'{"content":[' + blocks + told
