"""Many processes at once on one session."""

from __future__ import annotations

import os
from datetime import timedelta
from pathlib import Path

import pytest

from lrguard.session import lock
from lrguard.session.folder import open_root
from lrguard.session.lock import Lock
from lrguard.session.retention import purge
from lrguard.session.store import Session
from tests.session.support import NOON, files, keep_asset, read, save, temporaries

WRITERS = 50


def at_once(root: Path, writers: int, same: bool) -> None:
    """Fork that many writers, which save a content of their own or all the same, with an asset that they share."""
    children = []
    for number in range(writers):
        child = os.fork()
        if child:
            children.append(child)
            continue
        try:
            with Session(str(root)) as session:
                data = b"same" if same else b"content of %d" % number
                asset = keep_asset(session, b"shared image")
                saved = save(
                    session, data, reading=b"copy of " + data, tool="worker", call_id=str(number), assets=(asset,)
                )
                assert read(saved) == data
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * writers


def test_different_contents_are_all_there(tmp_path: Path) -> None:
    root = tmp_path / "session"
    at_once(root, WRITERS, same=False)
    with Session(str(root)) as session:
        found = session.responses()
        assert {read(one) for one in found} == {b"content of %d" % number for number in range(WRITERS)}
        assert all(Path(one.reading_copy or "").read_bytes() == b"copy of " + read(one) for one in found)
    assert len(files(root)) == 2 * WRITERS + 1
    assert temporaries(root) == []
    assert (root / ".gitignore").read_text() == "*\n"


def test_runs_that_save_nothing_take_no_directory_from_those_that_save(tmp_path: Path) -> None:
    root = tmp_path / "state" / "session"
    children = []
    for number in range(8):
        child = os.fork()
        if child:
            children.append(child)
            continue
        try:
            for turn in range(30):
                with Session(str(root)) as session:
                    os.close(session.make_temporary())
                    if (number, turn) == (0, 20):
                        save(session, b"saved", assets=(keep_asset(session, b"image"),))
            os._exit(0)
        except BaseException:
            os._exit(1)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 8
    assert len(files(root)) == 2
    assert (root / ".gitignore").exists()


def test_same_content_is_one_file_and_no_sighting_is_lost(tmp_path: Path) -> None:
    root = tmp_path / "session"
    at_once(root, WRITERS, same=True)
    with Session(str(root)) as session:
        (found,) = session.responses()
    assert found.record.seen == WRITERS
    assert {seen.call_id for seen in found.record.sightings} == {str(number) for number in range(WRITERS)}
    assert len(files(root)) == 3


def test_without_locks_nothing_is_lost_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "try_lock", lambda descriptor: None)
    at_once(tmp_path / "a", 20, same=False)
    at_once(tmp_path / "b", 20, same=True)
    assert len(files(tmp_path / "a")) == 41
    with Session(str(tmp_path / "b")) as session:
        assert {read(one) for one in session.responses()} == {b"same"}


def test_purge_while_others_write_takes_nothing_that_they_need(tmp_path: Path) -> None:
    root = tmp_path / "session"
    with Session(str(root)) as session:
        for number in range(20):
            save(
                session,
                b"old %d" % number,
                now=NOON - timedelta(days=9),
                assets=(keep_asset(session, b"shared image"),),
            )
    child = os.fork()
    if not child:
        with Session(str(root)) as session:
            for _ in range(30):
                purge(session, older_than=timedelta(days=7), now=NOON)
        os._exit(0)
    at_once(root, 20, same=False)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with Session(str(root)) as session:
        purge(session, older_than=timedelta(days=7), now=NOON)
        found = session.responses()
        assert len(found) == 20
        assert all(session.tree.is_intact(a.file, a.bytes, a.sha256) for one in found for a in one.record.assets)
    assert len(files(root)) == 41


def test_writer_does_not_wait_for_ever_for_one_that_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "session"
    with Session(str(root)) as session:
        save(session, b"first")
        with Lock(open_root(str(root / ".lrguard"))) as held:
            assert held.held
            monkeypatch.setattr(lock, "PATIENCE", 0.05)
            with Lock(open_root(str(root / ".lrguard"))) as second:
                assert (second.held, second.busy) == (False, True)
            assert read(save(session, b"second")) == b"second"
            assert read(save(session, b"second")) == b"second"
