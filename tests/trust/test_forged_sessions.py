"""A session directory with links and metadata that somebody else wrote, to have `purge` remove what is not ours."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from lrguard.session.retention import automatic, purge
from lrguard.session.store import Session
from tests.session.support import NOON, keep_asset, save

DATA, IMAGE = b"precious", b"precious image"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(str(tmp_path / "session"))


@pytest.mark.parametrize("place", ["long_responses", "downloads", "downloads/assets", ".lrguard"])
def test_purge_goes_through_no_linked_directory(session: Session, tmp_path: Path, place: str):
    save(
        session,
        DATA,
        assets=(keep_asset(session, IMAGE),),
        place="downloads" if place == "downloads" else "long_responses",
    )
    session.close()
    outside = tmp_path / "outside"
    linked = tmp_path / "session" / place
    linked.rename(outside)
    linked.symlink_to(outside)
    (outside / "tmp-0123456789abcdef-0").write_bytes(b"like a temporary file of ours")
    kept = {p: p.read_bytes() for p in outside.rglob("*") if p.is_file()}
    with Session(str(tmp_path / "session")) as opened:
        for work in (lambda: purge(opened, everything=True), lambda: automatic(opened, older_than=timedelta(0))):
            try:
                work()
            except OSError as error:
                assert "symbolic link" in str(error)
            except Exception as error:
                assert type(error).__name__ == "LrguardError" and "symbolic link" in str(error)
    assert {p: p.read_bytes() for p in outside.rglob("*") if p.is_file()} == kept


@pytest.mark.parametrize(
    "name",
    ["{outside}", "../victim", "long_responses/../../victim", "notes.txt", "long_responses/notes.txt", ".lrguard/lock"],
)
@pytest.mark.parametrize("kind", ["original", "reading copy", "asset"])
def test_forged_metadata_has_purge_remove_nothing_of_others(session: Session, tmp_path: Path, name: str, kind: str):
    saved = save(session, DATA, reading=b"precious copy", assets=(keep_asset(session, IMAGE),))
    session.close()
    root = tmp_path / "session"
    content = {"original": DATA, "reading copy": b"precious copy", "asset": IMAGE}[kind]
    victim = tmp_path / "victim"
    for file in (victim, root / "notes.txt", root / "long_responses" / "notes.txt"):
        file.write_bytes(content)
    record = root / ".lrguard" / f"{saved.id}.json"
    assert saved.record.reading
    file = {
        "original": saved.record.file,
        "reading copy": saved.record.reading.file,
        "asset": saved.record.assets[0].file,
    }[kind]
    assert file in record.read_text()
    record.write_text(record.read_text().replace(file, name.format(outside=victim)))
    with Session(str(root)) as opened:
        purge(opened, everything=True, now=NOON)
        automatic(opened, older_than=timedelta(0), now=NOON + timedelta(days=30))
    for file in (victim, root / "notes.txt", root / "long_responses" / "notes.txt"):
        assert file.read_bytes() == content
