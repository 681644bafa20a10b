"""What the tests of a session share: results to save, and what lies on disk."""

from __future__ import annotations

import hashlib
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lrguard.intake.source import BytesSource
from lrguard.session import names
from lrguard.session.metadata import AssetRecord
from lrguard.session.reader import Saved
from lrguard.session.store import Facts, Session

NOON = datetime(2026, 7, 3, 12, 0, 0, tzinfo=UTC)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def facts(data: bytes, **more: Any) -> Facts:
    known: dict[str, Any] = {"place": names.LONG_RESPONSES, "extension": "txt", "media_type": "text/plain"}
    return Facts(sha256=sha(data), bytes=len(data), **(known | more))


def save(session: Session, data: bytes, *, reading: bytes | None = None, now: datetime = NOON, **more: Any) -> Saved:
    copy = None if reading is None else BytesSource(reading)
    return session.save(BytesSource(data), facts(data, **more), copy, now=now)


def keep_asset(session: Session, data: bytes) -> AssetRecord:
    path = session.save_asset(BytesSource(data), sha(data), "png")
    return AssetRecord(path, "image/png", None, len(data), sha(data), "$.image", "data-url")


def files(root: Path) -> list[str]:
    """Every file but metadata and what git needs, relative to the session."""
    found = (path.relative_to(root) for path in root.rglob("*") if not path.is_dir() or path.is_symlink())
    return sorted(str(path) for path in found if path.parts[0] != ".lrguard" and path.name != ".gitignore")


def temporaries(root: Path) -> list[str]:
    return sorted(name for name in os.listdir(root / ".lrguard") if name.startswith("tmp-"))


def read(saved: Saved) -> bytes:
    return Path(saved.path).read_bytes()
