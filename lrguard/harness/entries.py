"""The entries of a batch: JSON objects that carry one tool result each, and come out with it replaced.

What an entry holds beside its result is the harness's own, so it is kept as it is written; only blanks between values
change, since each entry comes out on a line of its own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from lrguard.inspect.peek_path import one_line
from lrguard.intake.json_outline import NotOutlined, Plan, Value, outline
from lrguard.intake.source import Source

MEMBERS = ("id", "tool", "content", "is_error", "isError", "path", "lrguard")
PLAN: Plan = dict.fromkeys(MEMBERS)


@dataclass(frozen=True, slots=True)
class Entry:
    """One result of a batch.

    `content` is the text of a string, or the lexeme of an array or an object, which `shaped` then says. Without it
    `path` names a file that holds the result.
    """

    lexeme: bytes
    value: Value
    id_lexeme: bytes
    id: str | None
    tool: str | None
    content: bytes | None
    shaped: bool
    path: str | None
    is_error: bool


@dataclass(frozen=True, slots=True)
class BadEntry:
    """What cannot be guarded: the lexeme of its id, `null` where it has none, and what is wrong with it."""

    id: bytes
    why: str


def read_entries(text: Source) -> Iterator[Entry | BadEntry]:
    """The entries of a JSON array or of JSON lines, in order; raises NotOutlined for an array that is broken.

    An object may also stand between a line that is `{` and one that is `}`, as `jq .` prints it.
    """
    data = text.read()
    start = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    if data[start : start + 4096].lstrip()[:1] == b"[":
        for item in outline(data, [None], start).items or []:
            yield read_entry(data[item.start : item.end])
        return
    lines = iter(data[start:].split(b"\n"))
    for line in lines:
        if line.rstrip() == b"{":
            inside = takewhile(lambda one: one.rstrip() != b"}", lines)
            yield read_entry(b"\n".join([line, *inside, b"}"]))
        elif line.strip():
            yield read_entry(line.strip())


def read_entry(lexeme: bytes) -> Entry | BadEntry:
    """The entry that one JSON object is."""
    try:
        value = outline(lexeme, PLAN)
    except NotOutlined:
        return BadEntry(b"null", "it is no JSON object")
    if value.members is None:
        return BadEntry(b"null", "it is no JSON object")
    return _entry(lexeme, value)


def _entry(lexeme: bytes, value: Value) -> Entry | BadEntry:
    id_lexeme = _lexeme(lexeme, value.get("id")) or b"null"
    try:
        parsed = {name: _parsed(lexeme, value.get(name)) for name in MEMBERS if name not in ("content", "lrguard")}
    except ValueError:
        return BadEntry(b"null", "a member of it is no JSON")
    content, path = value.get("content"), parsed["path"]
    wrong = None
    if value.repeated:
        wrong = "a member occurs twice"
    elif (content is None) == (path is None):
        wrong = "it needs either content or path"
    elif path is not None and (not isinstance(path, str) or "\0" in path or not path):
        wrong = "path is no file's name"
    elif not isinstance(parsed["tool"], str | None):
        wrong = "tool is no string"
    raw = _lexeme(lexeme, content)
    if content is not None and raw[:1] not in (b'"', b"[", b"{"):
        wrong = wrong or "content is no string, array or object"
    shaped = raw[:1] in (b"[", b"{")
    text = None
    if content is not None and not wrong:
        try:
            text = raw if shaped else json.loads(raw, strict=False).encode("utf-8", "surrogatepass")
        except ValueError:
            wrong = "content is no JSON"
    if wrong:
        return BadEntry(one_line(id_lexeme), wrong)
    known = parsed["id"]
    name = known if isinstance(known, str | None) else id_lexeme.decode("utf-8", "replace")
    failed = parsed["is_error"] is True or parsed["isError"] is True
    return Entry(lexeme, value, one_line(id_lexeme), name, parsed["tool"], text, shaped, path, failed)  # type: ignore[arg-type]


def written(entry: Entry, content: bytes | None, details: bytes) -> bytes:
    """The entry on one line with `content` (a lexeme; None: as it was) and what lrguard tells of it."""
    lexeme, value = entry.lexeme, entry.value
    edits = []
    if (old := value.get("lrguard")) is not None:
        edits.append((*old.cut, b""))
    if content is not None:
        if (place := value.get("content")) is not None:
            edits.append((place.start, place.end, content))
        else:
            details = content + b', "lrguard": ' + details
    name = b'"lrguard": ' if content is None or value.get("content") is not None else b'"content": '
    out, at = [], 0
    for start, end, instead in sorted(edits):
        out += [lexeme[at:start], instead]
        at = end
    body = b"".join([*out, lexeme[at : value.end - 1]]).rstrip()
    separator = b"" if body.endswith(b"{") else b", "
    return one_line(body) + separator + name + details + b"}\n"


def unchanged(entry: Entry) -> bytes:
    """The entry on one line as it came."""
    return one_line(entry.lexeme) + b"\n"


def written_error(entry: BadEntry) -> bytes:
    """What stands in the place of an entry that could not be guarded."""
    return b'{"id": ' + entry.id + b', "error": ' + json.dumps(entry.why).encode() + b"}\n"


def _lexeme(data: bytes, value: Value | None) -> bytes:
    return data[value.start : value.end] if value else b""


def _parsed(data: bytes, value: Value | None) -> object:
    """A short member as a value; what is nested or long is nobody's id."""
    raw = _lexeme(data, value)
    return json.loads(raw.decode("utf-8", "replace")) if raw and raw[:1] not in (b"{", b"[") else None
