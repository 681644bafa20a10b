from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from lrguard.errors import LrguardError
from lrguard.session import lock, names
from lrguard.session.retention import automatic, purge
from lrguard.session.store import Session
from tests.session.support import NOON, files, keep_asset, read, save, temporaries

DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(str(tmp_path / "session")) as made:
        yield made


def root(session: Session) -> Path:
    return Path(session.tree.path)


def test_session_that_does_not_exist_is_purged_without_being_made(session: Session) -> None:
    assert purge(session, everything=True).responses == ()
    assert automatic(session) is None
    assert not root(session).exists()


def test_purge_without_a_limit_removes_no_response(session: Session) -> None:
    save(session, b"old", now=NOON - 900 * DAY)
    assert purge(session, now=NOON).files == ()
    assert len(session.responses()) == 1


def test_files_that_lrguard_did_not_write_stay(session: Session) -> None:
    saved = save(session, b"saved", assets=(keep_asset(session, b"image"),))
    mine = {
        "notes.txt",
        "long_responses/notes.txt",
        f"long_responses/2026-07-03T12-00-01Z_{saved.id}.txt",
        "downloads/photo.png",
        "downloads/assets/0123456789abcdef.png",
        ".lrguard/notes.json",
        ".lrguard/0000000a.json",
        ".lrguard/tmp-notes",
    }
    for name in mine:
        (root(session) / name).write_bytes(b"mine")
    session.discard_temporaries()
    report = purge(session, everything=True, now=NOON)
    assert sorted(report.files) == sorted([saved.record.file, saved.record.assets[0].file])
    assert report.bytes == 10
    assert report.left == ((".lrguard/0000000a.json", "it is no JSON"),)
    assert session.responses() == ()
    assert {str(path.relative_to(root(session))) for path in root(session).rglob("*") if path.is_file()} == mine | {
        ".gitignore",
        ".lrguard/lock",
    }


def test_edited_file_stays_and_is_told(session: Session, tmp_path: Path) -> None:
    edited, linked, gone = (save(session, data) for data in (b"edited", b"linked", b"gone"))
    Path(edited.path).write_bytes(b"EDITED")
    (tmp_path / "victim").write_bytes(b"linked")
    Path(linked.path).unlink()
    Path(linked.path).symlink_to(tmp_path / "victim")
    Path(gone.path).unlink()
    report = purge(session, everything=True, now=NOON)
    assert report.files == ()
    assert {file for file, _ in report.left} == {edited.record.file, linked.record.file}
    assert files(root(session)) == sorted([edited.record.file, linked.record.file])
    assert (tmp_path / "victim").read_bytes() == b"linked"
    assert session.responses() == ()


def test_dry_run_removes_nothing_and_tells_the_same(session: Session) -> None:
    save(session, b"saved", reading=b"copy", assets=(keep_asset(session, b"image"),))
    before = files(root(session))
    told = purge(session, everything=True, dry_run=True, now=NOON)
    assert files(root(session)) == before
    assert purge(session, everything=True, now=NOON) == told
    assert (told.bytes, len(told.files)) == (14, 3)
    assert files(root(session)) == []


def test_age_is_that_of_the_last_sighting(session: Session) -> None:
    for data, age in ((b"old", 8), (b"seen again", 8), (b"new", 6)):
        save(session, data, now=NOON - age * DAY)
    save(session, b"seen again", now=NOON - DAY)
    purge(session, older_than=7 * DAY, now=NOON)
    assert {read(one) for one in session.responses()} == {b"seen again", b"new"}
    assert purge(session, older_than=timedelta.max, now=NOON).responses == ()


@pytest.mark.parametrize(("keep", "left"), [(10_000, 4), (39, 3), (30, 3), (29, 2), (10, 1), (9, 0), (0, 0)])
def test_oldest_go_until_the_rest_fits(session: Session, keep: int, left: int) -> None:
    for number in range(4):
        save(session, b"%010d" % number, now=NOON + number * HOUR)
    purge(session, keep_bytes=keep, now=NOON + DAY)
    assert [read(one) for one in session.responses()] == [b"%010d" % number for number in (3, 2, 1, 0)][:left]


def test_asset_goes_with_the_last_response_that_refers_to_it(session: Session) -> None:
    shared, own = keep_asset(session, b"x" * 100), keep_asset(session, b"y" * 100)
    save(session, b"one", now=NOON - 2 * DAY, assets=(shared, own))
    save(session, b"two", now=NOON - DAY, assets=(keep_asset(session, b"x" * 100),))
    report = purge(session, keep_bytes=150, now=NOON)
    assert len(report.responses) == 1
    assert not Path(own.file).exists()
    assert Path(shared.file).exists()
    assert purge(session, everything=True, now=NOON).bytes == 103
    assert files(root(session)) == []


def test_binary_in_downloads_goes_too(session: Session) -> None:
    save(session, b"\0binary", place=names.DOWNLOADS, extension="bin")
    assert purge(session, everything=True, now=NOON).bytes == 7


def test_recent_ones_are_protected_where_that_is_asked(session: Session) -> None:
    save(session, b"recent", now=NOON - HOUR / 2)
    save(session, b"older", now=NOON - 2 * HOUR)
    purge(session, everything=True, keep_bytes=0, protect_recent=HOUR, now=NOON)
    assert [read(one) for one in session.responses()] == [b"recent"]
    purge(session, everything=True, now=NOON)
    assert session.responses() == ()


def test_running_writer_keeps_its_temporary_files_and_a_crashed_one_does_not(session: Session) -> None:
    save(session, b"saved")
    session.discard_temporaries()
    with Session(session.tree.path) as writer:
        os.close(writer.make_temporary())
        assert len(temporaries(root(session))) == 2
        assert purge(session, everything=True, now=NOON + 900 * DAY).bytes == 5
        assert len(temporaries(root(session))) == 2
        os.close(writer._temporaries._marker)
        writer._temporaries._marker = -1
        assert len(purge(session, now=NOON).files) == 2
        assert temporaries(root(session)) == []


def test_without_locks_a_temporary_file_counts_as_crashed_after_a_day(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lrguard.session import temporaries as module

    save(session, b"saved")
    session.discard_temporaries()
    monkeypatch.setattr(lock, "try_lock", lambda descriptor: None)
    monkeypatch.setattr(module, "try_lock", lambda descriptor: None)
    with Session(session.tree.path) as writer:
        os.close(writer.make_temporary())
        for name in temporaries(root(session)):
            os.utime(root(session) / ".lrguard" / name, (NOON.timestamp(), NOON.timestamp()))
        assert purge(session, now=NOON + 0.9 * DAY).files == ()
        assert len(purge(session, now=NOON + 1.1 * DAY).files) == 2


def test_session_in_use_is_not_purged(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    from lrguard.session.folder import open_root

    save(session, b"saved")
    monkeypatch.setattr(lock, "PATIENCE", 0.01)
    with lock.Lock(open_root(f"{root(session)}/.lrguard")), pytest.raises(LrguardError, match="another lrguard"):
        purge(session, everything=True)
    assert len(session.responses()) == 1


def test_automatic_purge_keeps_a_week_and_what_is_recent(session: Session) -> None:
    for age in (8 * DAY, 6 * DAY, HOUR / 2):
        save(session, str(age).encode(), now=NOON - age)
    report = automatic(session, now=NOON)
    assert report is not None
    assert len(report.responses) == 1
    assert len(session.responses()) == 2
    report = automatic(session, keep_bytes=0, now=NOON + 2 * DAY)
    assert report is not None
    assert session.responses() == ()


def test_automatic_purge_never_drops_what_was_seen_within_the_hour(session: Session) -> None:
    save(session, b"recent", now=NOON - HOUR / 2)
    assert automatic(session, older_than=timedelta(0), keep_bytes=0, now=NOON) is not None
    assert len(session.responses()) == 1


def test_automatic_purge_runs_once_a_day(session: Session) -> None:
    save(session, b"old", now=NOON - 18 * DAY)
    assert automatic(session, now=NOON - DAY) is not None
    assert session.responses() == ()
    save(session, b"older", now=NOON - 18 * DAY)
    assert automatic(session, now=NOON - HOUR) is None
    assert len(session.responses()) == 1
    assert automatic(session, now=NOON + HOUR) is not None
    assert session.responses() == ()


def test_automatic_purge_that_cannot_work_is_silent(session: Session, tmp_path: Path) -> None:
    save(session, b"old", now=NOON - 8 * DAY)
    (root(session) / ".lrguard" / "last-purge").symlink_to(tmp_path / "victim")
    assert automatic(session, now=NOON) is None
    assert not (tmp_path / "victim").exists()
