"""Reads the messages between an MCP client and its server as far as is needed to know which of them hold tool results.

A message that is not the answer to a call that is waited for is nobody's business here. Which it is depends on the id
alone: `1` and `"1"` are two ids.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from threading import Lock

from lrguard.intake.json_outline import Buffer, NotOutlined, Plan, Value, outline
from lrguard.intake.source import BytesSource, Source
from lrguard.records import dataclass

CALL, TASK, LISTING = "tools/call", "tasks/result", "tools/list"

KEPT_TASKS = 1000
"""Tasks of which the tool is remembered, the latest."""

LONGEST_ID, LONGEST_NAME = 1024, 4096
"""Bytes of an id, and of a name, that are read; a longer one is followed by no one."""

LONGEST_ARGUMENTS = 64 * 1024
"""Bytes of a call's arguments that are remembered."""

_PARAMS: Plan = dict.fromkeys(("name", "arguments", "requestId", "taskId", "cursor"))
_RESULT: Plan = {
    **dict.fromkeys(("content", "structuredContent", "toolResult", "resultType", "isError", "_meta")),
    "task": {"taskId": None},
}
_MESSAGE: Plan = {"id": None, "method": None, "error": None, "params": _PARAMS, "result": _RESULT}
_TOOLS: Plan = {"tools": [{"name": None, "outputSchema": None}]}

LONGEST_MADE = 256 * 1024
"""Bytes of what was made in the place of a result; a longer one is a result that was written again."""

Id = tuple[str, object]
Edit = tuple[int, int, bytes]


@dataclass(frozen=True, slots=True)
class Call:
    """A request whose answer is waited for."""

    method: str
    tool: str | None = None
    arguments: str | None = None
    """As they are written; None where there are none, or too many to remember."""
    first_page: bool = True
    """Of a listing: whether it asks for the beginning."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a line."""

    value: Value
    id: Id | None
    method: str

    @property
    def result(self) -> Value | None:
        """The result of a response; None in any other message."""
        return None if self.method else self.value.get("result")

    @property
    def is_response(self) -> bool:
        """Whether it answers a request."""
        return not self.method and (self.value.get("result") or self.value.get("error")) is not None


def messages(data: Buffer) -> list[Message]:
    """The messages in one line, several where it is a batch; none where it is no JSON."""
    start = bytes(data[:64]).lstrip()[:1]
    if start not in (b"{", b"["):
        return []
    try:
        whole = outline(data, _MESSAGE if start == b"{" else [_MESSAGE])
    except NotOutlined:
        return []
    values = whole.items if whole.items is not None else [whole]
    return [Message(value, _id(data, value.get("id")), text(data, value.get("method"))) for value in values]


def text(data: Buffer, value: Value | None, longest: int = LONGEST_NAME) -> str:
    """The string at `value`; empty where there is none, or a longer one."""
    found = _scalar(data, value, longest)
    return found if isinstance(found, str) else ""


def is_left_alone(data: Buffer, result: Value) -> bool:
    """Whether a result is none that a model reads: a task that goes on, a question to the user, an unknown shape."""
    said = any(result.get(name) for name in ("content", "structuredContent", "toolResult"))
    return not said or text(data, result.get("resultType")) == "input_required"


class Calls:
    """The requests that are waited for, by id; for several threads."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting: dict[Id, Call] = {}
        self._tasks: dict[str, Call] = {}

    def ask(self, data: Buffer, message: Message) -> Call | None:
        """Note what a message of the client asks for or takes back; the request when its answer is waited for."""
        params = message.value.get("params")
        if message.method == "notifications/cancelled" and params:
            with self._lock:
                self._waiting.pop(_id(data, params.get("requestId")) or ("", None), None)
        call = _call(data, message.method, params)
        if call is None or message.id is None:
            return None
        with self._lock:
            if call.method == TASK and params:
                call = self._tasks.get(text(data, params.get("taskId")), call)
            self._waiting[message.id] = call
        return call

    def answer(self, data: Buffer, message: Message) -> Call | None:
        """The request that a message of the server answers with a result; it is not waited for any more."""
        if not message.is_response or message.id is None:
            return None
        with self._lock:
            call = self._waiting.pop(message.id, None)
            result = message.result
            if call is None or result is None:
                return None
            task = result.get("task")
            name = text(data, task.get("taskId")) if task else ""
            if name and call.method == CALL:
                self._tasks[name] = call
                if len(self._tasks) > KEPT_TASKS:
                    del self._tasks[next(iter(self._tasks))]
            return call


def edited_listing(result: bytes, added: Iterable[bytes], *, drops_schema: bool) -> list[Edit]:
    """What changes in the result of a `tools/list`: output schemas go, and tools with other names are added."""
    try:
        listing = outline(result, _TOOLS).get("tools")
    except NotOutlined:
        return []
    if listing is None or listing.items is None:
        return []
    edits: list[Edit] = []
    names = {text(result, tool.get("name")) for tool in listing.items}
    for tool in listing.items:
        schema = tool.get("outputSchema")
        if schema and drops_schema:
            edits.append((*schema.cut, b""))
    more = [tool for tool in added if json.loads(tool)["name"] not in names]
    if more:
        edits.append((listing.end - 1, listing.end - 1, (b"," if listing.items else b"") + b",".join(more)))
    return edits


def completed(instead: Source, data: Buffer, result: Value) -> Source:
    """What stands for a result that was no MCP result, with the members that every result keeps."""
    if instead.size > LONGEST_MADE:
        return instead
    written = instead.read()
    try:
        made = outline(written, _RESULT)
    except NotOutlined:
        return instead
    more = []
    for name in ("isError", "resultType", "_meta"):
        member = result.get(name)
        if member and made.members is not None and name not in made.members:
            more.append(b"," + bytes(data[member.name_at : member.end]))
    return BytesSource(written[: made.end - 1] + b"".join(more) + written[made.end - 1 :]) if more else instead


def _call(data: Buffer, method: str, params: Value | None) -> Call | None:
    if method == LISTING:
        return Call(method, first_page=not (params and params.get("cursor")))
    if method == TASK:
        return Call(method)
    if method != CALL or params is None:
        return None
    arguments = params.get("arguments")
    if arguments and arguments.end - arguments.start > LONGEST_ARGUMENTS:
        arguments = None
    written = bytes(data[arguments.start : arguments.end]).decode("utf-8", "replace") if arguments else None
    return Call(method, text(data, params.get("name")) or None, written)


def _id(data: Buffer, value: Value | None) -> Id | None:
    """An id that tells strings from numbers; None where it is neither."""
    found = _scalar(data, value, LONGEST_ID)
    if isinstance(found, str):
        return "string", found
    return ("number", found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _scalar(data: Buffer, value: Value | None, longest: int) -> object:
    if value is None or value.end - value.start > longest:
        return None
    lexeme = bytes(data[value.start : value.end])
    if lexeme[:1] in (b"{", b"["):
        return None
    try:
        return json.loads(lexeme.decode("utf-8", "replace"), strict=False)
    except ValueError:
        return None
