"""Recognizes an MCP tool result, and finds its blocks as offsets in the document.

Offsets rather than values, so that whoever writes the result again keeps every lexeme but those that change.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from enum import Enum

from lrguard.intake.json_outline import NotOutlined, Plan, Value, outline
from lrguard.intake.sizes import size_text
from lrguard.intake.source import Source
from lrguard.patterns import pattern
from lrguard.records import dataclass

MEMBERS = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})

_RESOURCE: Plan = dict.fromkeys(("uri", "text", "blob"))
_BLOCK: Plan = {**dict.fromkeys(("type", "text", "data", "annotations", "_meta")), "resource": _RESOURCE}
_RESULT: dict[str, Plan] = {**dict.fromkeys(MEMBERS), "content": [_BLOCK]}
_DOCUMENT: Plan = {**_RESULT, "jsonrpc": None, "id": None, "result": _RESULT}
_ASKING: Plan = {"jsonrpc": None, "resultType": None, "result": {"resultType": None}}
_INPUT_REQUIRED = b'"input_required"'

LARGEST = 64 * 1024 * 1024
"""Bytes of a document beyond which it is read as plain JSON."""

_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=\\"
_BLANK = pattern(rb"[ \t\r\n]*+")


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


def find(
    text: Source, data: bytes, *, declared: bool, keeps_media: bool, references: Collection[int]
) -> Envelope | None:
    """The MCP result that `data`, the bytes of `text`, is; see `mcp_result.read`."""
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    at = _BLANK.match(data, at).end()  # type: ignore[union-attr]
    opening = data[at : at + 1]
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


def asks_for_input(text: Source) -> bool:
    """Whether `text` is an MCP result, or the JSON-RPC response around one, with which a server asks for more first."""
    if not 1 < text.size <= LARGEST:
        return False
    data = text.read()
    if _INPUT_REQUIRED not in data:
        return False
    try:
        whole = outline(data, _ASKING)
    except NotOutlined:
        return False
    result = whole.get("result") if whole.get("jsonrpc") else whole
    return result is not None and _is_asking(result, data)


def _is_asking(result: Value, data: bytes) -> bool:
    kind = result.get("resultType")
    return kind is not None and not result.repeated and data[kind.start : kind.end] == _INPUT_REQUIRED


def _is_result(result: Value, data: bytes, *, declared: bool) -> bool:
    members = result.members or {}
    return (
        not result.repeated
        and (declared or (not result.others and members.keys() <= MEMBERS))
        and bool(members.keys() & {"content", "structuredContent"})
        and not _is_asking(result, data)
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
