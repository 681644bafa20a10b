"""Recognizes an MCP tool result and tells its text from its envelope.

Its blocks are found as offsets in the document, and what they say is decoded into one spool in pieces: so memory holds
the document once, whatever it says, and whoever writes the result again keeps every lexeme but those that change.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import Enum

from lrguard.intake.json_outline import NotOutlined, Plan, Value, outline
from lrguard.intake.sizes import size_text
from lrguard.intake.source import Slice, Source, Spool

LARGEST = 64 * 1024 * 1024
"""Bytes of a document beyond which it is read as plain JSON."""

COMPARED = 8 * 1024 * 1024
"""Bytes of structured content beyond which it is not compared with the texts, since that takes many times its size."""

ENVELOPE = 120
"""Bytes that the names and brackets around a text may have and count nothing."""

MEMBERS = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})

_RESOURCE: Plan = dict.fromkeys(("uri", "text", "blob"))
_BLOCK: Plan = {**dict.fromkeys(("type", "text", "data", "annotations", "_meta")), "resource": _RESOURCE}
_RESULT: Plan = {**dict.fromkeys(MEMBERS), "content": [_BLOCK]}
_DOCUMENT: Plan = {**_RESULT, "jsonrpc": None, "id": None, "result": _RESULT}

_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=\\"
_PIECE = re.compile(
    rb'(?:[^"\\]{1,64}+[\x80-\xbf]*+|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|'
    rb"\\u[0-9a-fA-F]{4}|\\[^u]){1,8192}+",
    re.DOTALL,
)
"""A part of a string that neither an escape nor a character reaches out of."""


class Role(Enum):
    """What a block is to whoever reads the result as text."""

    TEXT = "text"
    """A text, or data that was taken out, for which its reference stands."""
    MEDIA = "media"
    """An image or audio that stays for the host to show."""
    OTHER = "other"
    """Anything else, which is its own text."""


@dataclass(frozen=True, slots=True)
class Block:
    """One content block; `says` is the string that is its text, `reference` what stands for data taken out of it."""

    value: Value
    role: Role
    says: Value | None = None
    reference: str = ""
    uri: str = ""
    """Of an embedded resource."""

    @property
    def lead(self) -> str:
        """What is told before its text."""
        return f"[resource: {self.uri}]\n" if self.uri else ""


@dataclass(frozen=True, slots=True)
class Envelope:
    """An MCP result as it is written: `document` holds it, `result` is the object, or a bare array of blocks."""

    document: Source
    whole: Value
    result: Value
    content: Value | None
    blocks: tuple[Block, ...]

    def lexeme(self, value: Value) -> bytes:
        """The bytes of a value."""
        return self.document.read(value.start, value.end)

    @property
    def structured(self) -> Value | None:
        """The structured content; None without any, `null` being one."""
        return self.result.get("structuredContent")


@dataclass(frozen=True, slots=True)
class McpResult:
    """What an MCP tool result says."""

    envelope: Envelope
    parts: tuple[Source, ...]
    """Its texts in the order of the blocks, other blocks and structured content as the JSON they are."""
    text: Source
    """All of it as one text, a part beginning on a line of its own."""
    measured: Source
    """The text and everything else that stays in the output but for media: metadata and annotations, as JSON."""
    is_error: bool


def read(
    text: Source,
    spool: Callable[[], Spool],
    *,
    declared: bool = False,
    keeps_media: bool = False,
    references: Collection[int] = (),
) -> McpResult | None:
    """The MCP result that `text` is, the JSON-RPC response around it included; None when it is something else.

    `declared`: it was said to be one, so that a bare array of blocks is one too, and unknown members are no doubt.
    `keeps_media`: images and audio stay as they are and say nothing. `references` are the offsets of the values that
    are references of lrguard; any others in the text are what someone else wrote.
    """
    if not 1 < text.size <= LARGEST:
        return None
    data = text.read()
    envelope = _envelope(text, data, declared=declared, keeps_media=keeps_media, references=references)
    return _said(envelope, data, spool) if envelope else None


def media(text: Source, *, declared: bool = False) -> list[tuple[int, int]]:
    """The offsets, in order, of the images and audio of the MCP result that `text` is; empty when it is none."""
    if not 1 < text.size <= LARGEST:
        return []
    envelope = _envelope(text, text.read(), declared=declared, keeps_media=True, references=())
    kept = [block.value for block in envelope.blocks if block.role is Role.MEDIA] if envelope else []
    return [(value.start, value.end) for value in kept]


def _envelope(
    text: Source, data: bytes, *, declared: bool, keeps_media: bool, references: Collection[int]
) -> Envelope | None:
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    opening = data[at : at + 64].lstrip(b" \t\r\n")[:1]
    if opening == b"[" and declared:
        plan: Plan = [_BLOCK]
    elif opening == b"{" and b'ontent"' in data:
        plan = _DOCUMENT
    else:
        return None
    try:
        whole = outline(data, plan, at)
    except NotOutlined:
        return None
    result = whole
    inner = whole.get("result")
    if inner is not None and whole.members is not None and "content" not in whole.members:
        if whole.members.keys() != {"jsonrpc", "id", "result"} or whole.others or whole.repeated:
            return None
        result = inner
    content = result if result.items is not None else result.get("content")
    if result.members is not None and not _is_result(result, data, declared=declared):
        return None
    if (content is not None and content.items is None) or (result.members is None and result.items is None):
        return None
    blocks = []
    for value in content.items or () if content else ():
        block = _block(value, data, keeps_media=keeps_media, references=references)
        if block is None:
            return None
        blocks.append(block)
    return Envelope(text, whole, result, content, tuple(blocks))


def _is_result(result: Value, data: bytes, *, declared: bool) -> bool:
    members = result.members or {}
    kind = members.get("resultType")
    return (
        not result.repeated
        and (declared or (not result.others and members.keys() <= MEMBERS))
        and bool(members.keys() & {"content", "structuredContent"})
        and not (kind and data[kind.start : kind.end] == b'"input_required"')
    )


def _block(value: Value, data: bytes, *, keeps_media: bool, references: Collection[int]) -> Block | None:
    """One block; None when it is none, so that the document is no MCP result."""
    kind = value.get("type")
    if value.members is None or value.repeated or kind is None or not (name := _short(data, kind)):
        return None
    uri = ""
    if name == "text":
        says = value.get("text")
    elif name in ("image", "audio"):
        says = value.get("data")
        if says and keeps_media and _is_encoded(data, says):
            return Block(value, Role.MEDIA, says)
    elif name == "resource" and (resource := value.get("resource")) and not resource.repeated:
        named = resource.get("uri")
        uri = _short(data, named) if named else ""
        says = resource.get("text") or resource.get("blob")
    else:
        says = None
    if says is None:
        return Block(value, Role.OTHER)
    if says.start in references:
        return Block(value, Role.TEXT, says, reference_of(data[says.start : says.end]), uri)
    is_text = name == "text" or (name == "resource" and value.members["resource"].get("text") is says)
    if is_text and data[says.start : says.start + 1] == b'"':
        return Block(value, Role.TEXT, says, uri=uri)
    return Block(value, Role.OTHER)


def _said(envelope: Envelope, data: bytes, spool: Callable[[], Spool]) -> McpResult | None:
    """What the blocks say, all of it in one spool."""
    whole, ends = spool(), []
    rest: list[bytes] = []
    try:
        for block in envelope.blocks:
            if block.role is not Role.MEDIA:
                _begin(whole, ends)
                for piece in _told(block, data):
                    whole.write(piece)
                ends.append(whole.size)
            if block.role is not Role.OTHER:
                rest += _around(data, block.value, [block.says])
    except (ValueError, RecursionError):
        return None
    structured = envelope.structured
    spoken = _slices(whole, ends)
    if structured and not _repeats(data[structured.start : structured.end], spoken):
        _begin(whole, ends)
        whole.write(data[structured.start : structured.end])
        ends.append(whole.size)
        spoken = _slices(whole, ends)
    if envelope.result.items is None:
        rest += _around(data, Value(0, len(data), envelope.result.members), [envelope.content, structured])
    text = whole.source()
    error = envelope.result.get("isError")
    is_error = error is not None and data[error.start : error.end] == b"true"
    return McpResult(envelope, spoken, text, _with_rest(text, rest, spool), is_error)


def _begin(whole: Spool, ends: list[int]) -> None:
    if ends:
        whole.write(b"\n")


def _slices(whole: Spool, ends: list[int]) -> tuple[Source, ...]:
    text = whole.source()
    starts = [0, *(end + 1 for end in ends)]
    return tuple(Slice(text, start, end) for start, end in zip(starts, ends, strict=False))


def _with_rest(text: Source, rest: list[bytes], spool: Callable[[], Spool]) -> Source:
    if not rest:
        return text
    measured = spool()
    for piece in (*text.chunks(), *(b"\n" + one for one in rest)):
        measured.write(piece)
    return measured.source()


def _told(block: Block, data: bytes) -> Iterator[bytes]:
    """The text of one block in pieces; raises ValueError where its string is broken."""
    yield block.lead.encode("utf-8", "surrogatepass")
    if block.says is None:
        yield data[block.value.start : block.value.end]
    elif block.reference:
        yield block.reference.encode("utf-8", "surrogatepass")
    else:
        yield from decoded(data, block.says)


def decoded(data: bytes, string: Value) -> Iterator[bytes]:
    """What the JSON string at `string` says, in UTF-8 with lone surrogates; raises ValueError where it is broken."""
    at, end = string.start + 1, string.end - 1
    while at < end:
        found = _PIECE.match(data, at, end)
        if not found:
            raise ValueError(at)
        at = found.end()
        piece = found[0]
        if b"\\" in piece:
            quoted = f'"{piece.decode("utf-8", "replace")}"'
            piece = str(json.loads(quoted, strict=False)).encode("utf-8", "surrogatepass")
        yield piece


def _around(data: bytes, value: Value, inside: list[Value | None]) -> list[bytes]:
    """What stands in `value` outside of `inside`, where it is more than an envelope."""
    pieces, at = [], value.start
    for one in sorted((one for one in inside if one), key=lambda one: one.start):
        pieces.append(data[at : one.start])
        at = one.end
    pieces.append(data[at : value.end])
    noted = value.get("annotations") or value.get("_meta")
    return [b"".join(pieces)] if noted or sum(map(len, pieces)) > ENVELOPE else []


def _repeats(structured: bytes, parts: tuple[Source, ...]) -> bool:
    """Whether the texts say the same; servers wrap other values as `{"result": ...}`, and give each item a block."""
    if structured == b"null":
        return True
    if len(structured) > COMPARED or sum(part.size for part in parts) > 4 * COMPARED:
        return False
    try:
        value = json.loads(structured.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return False
    inner = value["result"] if isinstance(value, dict) and value.keys() == {"result"} else value
    if isinstance(inner, list) and len(inner) == len(parts) and all(map(_says, parts, inner)):
        return True
    return any(_says(part, value) or (inner is not value and _says(part, inner)) for part in parts)


def _says(part: Source, value: object) -> bool:
    try:
        text = part.read().decode("utf-8", "surrogatepass")
        return text == value or bool(json.loads(text, strict=False) == value)
    except (ValueError, RecursionError):
        return False


def _is_encoded(data: bytes, value: Value) -> bool:
    """Whether the string may be base64, a `data:` prefix allowed: what is not, no host can show."""
    encoded = data[value.start + 1 : value.end - 1]
    if encoded.startswith(b"data:"):
        encoded = encoded.partition(b",")[2]
    return data[value.start : value.start + 1] == b'"' and encoded != b"" and not encoded.translate(None, _BASE64)


def reference_of(lexeme: bytes) -> str:
    """The text form of a reference that is a value."""
    asset = json.loads(lexeme)["assetRef"]
    return f"[asset: {asset['path']} ({asset['mimeType']}, {size_text(asset['size'])})]"


def _short(data: bytes, value: Value) -> str:
    """The string at `value`; empty where it is none, or longer than any name or address."""
    if data[value.start : value.start + 1] != b'"' or value.end - value.start > 8192:
        return ""
    try:
        return str(json.loads(data[value.start : value.end].decode("utf-8", "replace"), strict=False))
    except ValueError:
        return ""
