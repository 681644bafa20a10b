"""What stands in a linked document in place of data: an object in JSON, a bracketed text elsewhere."""

from __future__ import annotations

import json

from lrguard.intake.sizes import size_text


def reference_object(path: str, media_type: str, size: int, declared: str | None, level: int) -> bytes:
    """The JSON object that stands for a whole string value, inside of `level` JSON strings; `size` in bytes."""
    value: dict[str, object] = {"path": path, "mimeType": media_type, "size": size}
    reference: dict[str, object] = {"assetRef": value}
    if declared:
        value["declaredMimeType"] = declared
    return _inside(json.dumps(reference, ensure_ascii=not _encodes(path)), level)


def reference_text(path: str, media_type: str, size: int, level: int) -> bytes:
    """The text that stands for a run, inside of `level` JSON strings; `size` in bytes."""
    return _inside(f"[asset: {path} ({media_type}, {size_text(size)})]", level)


def _inside(text: str, level: int) -> bytes:
    for _ in range(level):
        text = json.dumps(text, ensure_ascii=not _encodes(text))[1:-1]
    return text.encode("utf-8", "surrogateescape")


def _encodes(text: str) -> bool:
    """Whether `text` is free of the surrogates that stand for undecodable bytes of a path."""
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)
