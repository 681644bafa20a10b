"""What has to hold of a session directory whatever happened to the runs that wrote it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Container
from pathlib import Path


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def content_of(file: Path, session: Path) -> str:
    """The sha256 of a file wherever its session lies: reading copies name assets by their path."""
    return sha256(file.read_bytes().replace(str(session).encode(), b"SESSION"))


def assert_whole(session: Path, contents: Container[str]) -> None:
    """Every file under a final name is complete: an original or reading copy is one of `contents`, an asset is what its
    name says, and metadata names files that are there.
    """
    for file in (p for p in session.rglob("*") if p.is_file()):
        place, digest = str(file.parent.relative_to(session)), sha256(file.read_bytes())
        if place in ("long_responses", "downloads"):
            assert content_of(file, session) in contents, f"half a file: {file.name}"
        elif place == "downloads/assets":
            assert digest.startswith(file.name.partition(".")[0]), f"half an asset: {file.name}"
        elif place == ".lrguard" and file.suffix == ".json":
            record = json.loads(file.read_bytes())
            named = [record, *record["assets"], *([record["reading"]] if record.get("reading") else [])]
            for one in named:
                assert sha256((session / one["file"]).read_bytes()) == one["sha256"], f"{file.name} names half a file"


def temporaries(session: Path) -> list[str]:
    return sorted(p.name for p in (session / ".lrguard").glob("tmp-*"))
