"""Content blocks of a result: their texts as one, and the same blocks with another text in that place.

Media and blocks that nobody here knows stay where they are, for the host to show.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def text_of(blocks: object) -> str | None:
    """The texts of these content blocks, one a line; None where they are no content blocks or hold no text."""
    if not isinstance(blocks, list):
        return None
    texts = []
    for block in blocks:
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            return None
        text = _text(block)
        if text is not None:
            texts.append(text)
    return "\n".join(texts) if texts else None


def with_blobs(blocks: object) -> list[Any]:
    """The embedded resources among these blocks that hold data, which no model can read."""
    held = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    resources = [(block, block.get("resource")) for block in held if block.get("type") == "resource"]
    return [block for block, one in resources if isinstance(one, dict) and isinstance(one.get("blob"), str)]


def with_text(blocks: list[Any], text: str) -> list[Any]:
    """The blocks with `text` in the place of the first text, and without the others."""
    kept: list[Any] = []
    replaced = False
    for block in blocks:
        if _text(block) is None:
            kept.append(block)
        elif not replaced:
            kept.append({**block, "text": text} if block["type"] == "text" else {"type": "text", "text": text})
            replaced = True
    return kept


def only_text(blocks: object) -> bool:
    """Whether nothing is lost of these blocks where only their texts are kept."""
    return isinstance(blocks, list) and all(isinstance(block, dict) and _text(block) is not None for block in blocks)


def _text(block: dict[str, Any]) -> str | None:
    text = block.get("text") if block["type"] == "text" else None
    if block["type"] == "resource" and isinstance(block.get("resource"), dict):
        text = block["resource"].get("text")
    return text if isinstance(text, str) else None
