"""The `--json` form of an outcome: version 1 of the contract's section 5, to which keys are only ever added."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator

from lrguard.assets.link import StoredAsset
from lrguard.outcome import Outcome
from lrguard.settings import Settings

VERSION = 1


def pieces(outcome: Outcome, settings: Settings, **extra: object) -> Iterator[bytes]:
    """One JSON object on one line, `extra` keys at its end; in pieces, since what passes may be of any size."""
    begun = {"version": VERSION, "outcome": outcome.kind.value}
    rest = {"content_exact": outcome.content_exact, **details(outcome, settings), **extra}
    yield json.dumps(begun)[:-1].encode() + b', "content": "'
    decoder = codecs.getincrementaldecoder(outcome.content_encoding)("replace")
    for chunk in outcome.content.chunks():
        yield json.dumps(decoder.decode(chunk))[1:-1].encode()
    yield json.dumps(decoder.decode(b"", True))[1:-1].encode() + b'", ' + json.dumps(rest)[1:].encode() + b"\n"


def details(outcome: Outcome, settings: Settings) -> dict[str, object]:
    """Everything but the content."""
    return {
        "id": outcome.id,
        "saved": outcome.saved,
        "reading_copy": outcome.reading_copy,
        "tool": settings.tool,
        "call_id": settings.call_id,
        "media_type": outcome.media_type,
        "encoding": outcome.encoding,
        "bytes": outcome.size,
        "lines": outcome.lines,
        "sha256": outcome.sha256,
        "tokens": outcome.tokens,
        "tokens_exact": outcome.tokens_exact,
        "content_tokens": outcome.content_tokens,
        "threshold": settings.threshold,
        "is_error": outcome.is_error,
        "assets": [_asset(asset) for asset in outcome.assets],
        "summary": outcome.summary,
        "incomplete": outcome.incomplete,
    }


def _asset(stored: StoredAsset) -> dict[str, object]:
    asset = stored.asset
    return {
        "path": stored.path,
        "media_type": asset.media_type,
        "declared_media_type": asset.declared_media_type,
        "bytes": asset.size,
        "sha256": asset.sha256,
        "json_path": asset.json_path,
        "source": asset.origin,
    }
