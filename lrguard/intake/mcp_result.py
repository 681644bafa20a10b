"""Recognizes an MCP tool result and tells its text from its envelope.

The members of the envelope are cut out of the document as they are written, so that what is shown of them keeps its
numbers and escapes; only strings of text are decoded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from lrguard.intake.source import Source

MEMBERS = frozenset({"content", "structuredContent", "isError", "_meta", "resultType"})
LARGEST = 16 * 1024 * 1024
"""Bytes of a document beyond which it is read as plain JSON, since decoding it needs several times its size."""

Lexemes = dict[str, str]
"""The members of one object: decoded names, values as they are written."""


@dataclass(frozen=True, slots=True)
class McpResult:
    """What an MCP tool result says."""

    parts: tuple[str, ...]
    """Its texts in the order of the blocks, other blocks and structured content as the JSON they are."""
    rest: str
    """Everything else that stays in the output: metadata and annotations, as JSON."""
    is_error: bool

    @property
    def text(self) -> str:
        """All of it as one text, a part beginning on a line of its own."""
        return "\n".join(self.parts)


def read(text: Source) -> McpResult | None:
    """The MCP result that `text` is, the JSON-RPC response around it included; None when it is something else."""
    if text.size > LARGEST:
        return None
    data = text.read()
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or b'ontent"' not in data:
        return None
    try:
        document = data.decode("utf-8-sig")
        members = _members(document)
        if members is not None and members.keys() >= {"jsonrpc", "id", "result"} and len(members) == 3:
            members = _members(members["result"])
        return _result(members) if members is not None else None
    except (ValueError, RecursionError):
        return None


def _result(members: Lexemes) -> McpResult | None:
    if not members.keys() <= MEMBERS or not members.keys() & {"content", "structuredContent"}:
        return None
    blocks = _items(members.get("content", "[]"))
    if blocks is None or members.get("resultType") == '"input_required"':
        return None
    parts: list[str] = []
    rest = [members["_meta"]] if "_meta" in members else []
    for lexeme in blocks:
        block = _members(lexeme)
        if block is None or not isinstance(json.loads(block.get("type", "null")), str):
            return None
        part, extra = _block(lexeme, block)
        parts.append(part)
        rest += extra
    if "structuredContent" in members and not _said(members["structuredContent"], parts):
        parts.append(members["structuredContent"])
    return McpResult(tuple(parts), "\n".join(rest), members.get("isError") == "true")


def _block(lexeme: str, block: Lexemes) -> tuple[str, list[str]]:
    """What one content block says, and what else it carries."""
    extra = [block[name] for name in ("annotations", "_meta") if name in block]
    kind = json.loads(block["type"])
    if kind == "text" and isinstance(text := json.loads(block.get("text", "null")), str):
        return text, extra
    if kind in ("image", "audio") and (reference := _reference(block.get("data"))):
        return reference, extra
    if kind == "resource" and (resource := _members(block.get("resource", "null"))) is not None:
        uri = json.loads(resource.get("uri", '""'))
        if isinstance(text := json.loads(resource.get("text", "null")), str):
            return f"[resource: {uri}]\n{text}", extra
        if reference := _reference(resource.get("blob")):
            return f"[resource: {uri}]\n{reference}", extra
    return lexeme, []


def _reference(lexeme: str | None) -> str | None:
    """The reference in text form for a value that was replaced by an asset reference."""
    value = json.loads(lexeme or "null")
    asset = value.get("assetRef") if isinstance(value, dict) else None
    if not isinstance(asset, dict):
        return None
    return f"[asset: {asset.get('path')} ({asset.get('mimeType')}, {asset.get('size')} bytes)]"


def _said(structured: str, parts: list[str]) -> bool:
    """Whether one of the texts is the same JSON value."""
    if structured == "null":
        return True
    value = json.loads(structured)
    for part in parts:
        if part.lstrip()[:1] in ("{", "["):
            try:
                if json.loads(part) == value:
                    return True
            except (ValueError, RecursionError):
                continue
    return False


def _members(lexeme: str) -> Lexemes | None:
    """The members of the object that `lexeme` is, of a repeated name the last; None when it is no object.

    Raises ValueError where it is no valid JSON.
    """
    at = _skip(lexeme, 0)
    if lexeme[at : at + 1] != "{":
        return None
    members: Lexemes = {}
    at = _skip(lexeme, at + 1)
    while lexeme[at : at + 1] != "}":
        name, at = _DECODER.raw_decode(lexeme, at)
        at = _skip(lexeme, at)
        if not isinstance(name, str) or lexeme[at : at + 1] != ":":
            raise ValueError(at)
        start = _skip(lexeme, at + 1)
        _, at = _DECODER.raw_decode(lexeme, start)
        members[name] = lexeme[start:at]
        at = _separator(lexeme, at, "}")
    if lexeme[at + 1 :].strip():
        raise ValueError(at)
    return members


def _items(lexeme: str) -> list[str] | None:
    """The items of the array that `lexeme` is; None when it is no array."""
    at = _skip(lexeme, 0)
    if lexeme[at : at + 1] != "[":
        return None
    items: list[str] = []
    at = _skip(lexeme, at + 1)
    while lexeme[at : at + 1] != "]":
        start = at
        _, at = _DECODER.raw_decode(lexeme, start)
        items.append(lexeme[start:at])
        at = _separator(lexeme, at, "]")
    return items


def _separator(lexeme: str, at: int, closing: str) -> int:
    """Where the next member or the closing bracket stands."""
    at = _skip(lexeme, at)
    if lexeme[at : at + 1] == ",":
        return _skip(lexeme, at + 1)
    if lexeme[at : at + 1] != closing:
        raise ValueError(at)
    return at


def _skip(lexeme: str, at: int) -> int:
    while lexeme[at : at + 1] in (" ", "\t", "\n", "\r"):
        at += 1
    return at


_DECODER = json.JSONDecoder(strict=False)
