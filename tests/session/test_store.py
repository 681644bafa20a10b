from __future__ import annotations

import json
import os
import resource
import stat
from datetime import timedelta
from pathlib import Path

import pytest

from lrguard.errors import SaveError
from lrguard.intake.source import IN_MEMORY, BytesSource, Spool
from lrguard.session.store import Session
from tests.session.support import NOON, facts, files, keep_asset, read, save, sha, temporaries

DATA = b"one\ntwo\n"
ID = sha(DATA)[:8]
IMAGE = b"\x89PNG picture"
ASSET = f"downloads/assets/{sha(IMAGE)[:16]}.png"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "state" / "session"


def test_session_that_saves_nothing_leaves_nothing(root: Path) -> None:
    with Session(str(root)) as session:
        session.asset_path(sha(IMAGE), "png")
        session.foresee(facts(DATA), BytesSource(b"copy"))
        assert session.responses() == ()
        assert not root.parent.exists()
        os.close(session.make_temporary())
        keep_asset(session, IMAGE)
        assert root.exists()
    assert not root.parent.exists()


def test_session_made_by_another_is_left_when_nothing_is_saved(root: Path) -> None:
    root.mkdir(0o700, parents=True)
    with Session(str(root)) as session:
        os.close(session.make_temporary())
    assert list(root.iterdir()) == []


def test_result_is_saved_byte_for_byte_under_time_tool_and_id(root: Path) -> None:
    with Session(str(root)) as session:
        saved = save(session, DATA, tool="my tool", call_id="c1", lines=2, tokens=4)
    assert saved.id == ID
    assert saved.path == f"{root}/long_responses/2026-07-03T12-00-00Z_my_tool_{ID}.txt"
    assert read(saved) == DATA
    assert saved.reading_copy is None
    record = json.loads((root / ".lrguard" / f"{ID}.json").read_text())
    assert record["sightings"] == [{"time": "2026-07-03T12:00:00.000000Z", "tool": "my tool", "call_id": "c1"}]
    assert (record["bytes"], record["lines"], record["tokens"]) == (8, 2, 4)
    assert sorted(os.listdir(root / ".lrguard")) == [f"{ID}.json", "lock"]


def test_empty_result_can_be_saved(root: Path) -> None:
    with Session(str(root)) as session:
        assert read(save(session, b"")) == b""


@pytest.mark.parametrize("umask", [0, 0o777])
def test_what_is_made_is_private_whatever_the_umask(root: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with Session(str(root)) as session:
            save(session, DATA, reading=b"copy", assets=(keep_asset(session, IMAGE),))
    finally:
        os.umask(before)
    for path in (root.parent, root, *root.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    assert (root / ".gitignore").read_text() == "*\n"


def test_session_in_a_folder_of_the_user_has_no_gitignore(root: Path) -> None:
    root.mkdir(0o700, parents=True)
    with Session(str(root)) as session:
        save(session, DATA)
    assert not (root / ".gitignore").exists()


def test_large_source_is_published_without_a_copy(root: Path) -> None:
    data = b"x" * (IN_MEMORY + 1)
    with Session(str(root)) as session:
        spool = Spool(session.make_temporary)
        spool.write(data)
        source = spool.source()
        inode = os.fstat(source.descriptor).st_ino  # type: ignore[attr-defined]
        saved = session.save(source, facts(data), now=NOON)
        assert os.stat(saved.path).st_ino == inode
        assert source.read(0, 3) == b"xxx"
        assert len(temporaries(root)) == 1
    assert temporaries(root) == []
    assert os.stat(saved.path).st_nlink == 1


def test_reading_copy_lies_beside_the_original(root: Path) -> None:
    with Session(str(root)) as session:
        saved = save(session, DATA, reading=b"laid out", extension="json", reading_extension="md")
    assert saved.reading_copy == f"{root}/long_responses/2026-07-03T12-00-00Z_{ID}.reading.md"
    assert Path(saved.reading_copy).read_bytes() == b"laid out"


def test_reading_copy_can_be_made_later(root: Path) -> None:
    with Session(str(root)) as session:
        saved = save(session, DATA)
        later = session.save_reading_copy(saved, BytesSource(b"laid out"), "txt")
        assert session.save_reading_copy(saved, BytesSource(b"another"), "txt") == later
        assert session.find("last") == later
    assert Path(later.reading_copy or "").read_bytes() == b"laid out"


def test_same_content_is_saved_once_and_seen_again(root: Path) -> None:
    with Session(str(root)) as session:
        first = save(session, DATA, reading=b"copy", tool="a", call_id="1")
    with Session(str(root)) as session:
        again = save(session, DATA, reading=b"copy", tool="b", call_id="2", now=NOON + timedelta(hours=1))
    assert (again.id, again.path, again.reading_copy) == (first.id, first.path, first.reading_copy)
    assert again.record.first_seen == NOON
    assert [(seen.tool, seen.call_id) for seen in again.record.sightings] == [("a", "1"), ("b", "2")]
    assert len(files(root)) == 2


def test_edited_file_is_left_and_the_content_saved_anew(root: Path) -> None:
    with Session(str(root)) as session:
        first = save(session, DATA)
        Path(first.path).write_bytes(b"ONE\ntwo\n")
        again = save(session, DATA, now=NOON + timedelta(seconds=1))
        assert again.id == first.id
        assert again.path != first.path
        assert read(again) == DATA
        assert read(first) == b"ONE\ntwo\n"
        assert save(session, DATA).path == again.path


def test_edited_file_of_the_same_second_gets_a_longer_id(root: Path) -> None:
    with Session(str(root)) as session:
        first = save(session, DATA)
        Path(first.path).write_bytes(b"ONE\ntwo\n")
        again = save(session, DATA)
        assert again.id == sha(DATA)[:12]
        assert read(again) == DATA
        assert session.find(again.id) == again


def test_missing_file_is_saved_anew(root: Path) -> None:
    with Session(str(root)) as session:
        Path(save(session, DATA).path).unlink()
        assert read(save(session, DATA)) == DATA


def test_edited_or_missing_reading_copy_is_made_anew_beside_the_same_original(root: Path) -> None:
    with Session(str(root)) as session:
        first = save(session, DATA, reading=b"copy")
        Path(first.reading_copy or "").write_bytes(b"edit")
        again = save(session, DATA, reading=b"copy")
        assert again.path == first.path
        assert again.reading_copy != first.reading_copy
        assert Path(again.reading_copy or "").read_bytes() == b"copy"
        assert Path(first.reading_copy or "").read_bytes() == b"edit"
        Path(again.reading_copy or "").unlink()
        assert save(session, DATA).reading_copy is None


def test_other_content_with_the_same_beginning_gets_a_longer_id(root: Path) -> None:
    with Session(str(root)) as session:
        first = save(session, DATA)
        path = root / ".lrguard" / f"{ID}.json"
        other = ID + "0" * 56
        path.write_text(path.read_text().replace(sha(DATA), other))
        again = save(session, DATA)
    assert again.id == sha(DATA)[:12]
    assert again.path != first.path
    assert read(again) == DATA


def test_foresight_is_what_saving_returns(root: Path) -> None:
    with Session(str(root)) as session:
        for _ in range(2):
            foreseen = session.foresee(facts(DATA, tool="t"), BytesSource(b"copy"), now=NOON)
            saved = save(session, DATA, reading=b"copy", tool="t")
            assert (foreseen.id, foreseen.path, foreseen.reading_copy) == (saved.id, saved.path, saved.reading_copy)
        Path(saved.path).write_bytes(b"ONE\ntwo\n")
        foreseen = session.foresee(facts(DATA, tool="t"), now=NOON)
        assert (foreseen.id, foreseen.path) == (save(session, DATA, tool="t").id, save(session, DATA, tool="t").path)


def test_foresight_is_possible_where_saving_is_not(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    saved = Session(str(tmp_path / "file" / "below")).foresee(facts(DATA), BytesSource(b"copy"), now=NOON)
    assert saved.id == ID


def test_session_may_be_written_as_another_path(root: Path) -> None:
    with Session(str(root), shown_as="/mnt/session/") as session:
        asset = keep_asset(session, IMAGE)
        saved = save(session, DATA, assets=(asset,))
        assert asset.file == f"/mnt/session/{ASSET}"
        assert saved.path.startswith("/mnt/session/long_responses/")
        assert saved.record.assets[0].file == ASSET
        assert session.find(saved.path) == saved
        assert session.contains_path(saved.path)
    assert ASSET in files(root)


def test_asset_is_published_with_the_response_that_refers_to_it(root: Path) -> None:
    with Session(str(root)) as session:
        asset = keep_asset(session, IMAGE)
        assert asset.file == session.asset_path(sha(IMAGE), "png") == f"{root}/{ASSET}"
        assert files(root) == []
        saved = save(session, DATA, assets=(asset,))
        assert (root / ASSET).read_bytes() == IMAGE
        assert [one.file for one in saved.record.assets] == [ASSET]
        assert keep_asset(session, IMAGE) == asset
    assert temporaries(root) == []


def pictures(count: int) -> list[bytes]:
    return [IMAGE + bytes([number]) * 60_000 for number in range(count)]


def test_many_assets_are_whole_when_their_response_is_saved(root: Path) -> None:
    with Session(str(root)) as session:
        assets = tuple(keep_asset(session, data) for data in pictures(120))
        save(session, DATA, assets=assets)
        assert [Path(asset.file).read_bytes() for asset in assets] == pictures(120)
        assert len(temporaries(root)) == 1  # the marker of the run


def test_asset_that_cannot_be_written_among_many_costs_its_response_and_no_other(root: Path) -> None:
    with Session(str(root)) as session:
        assets = [keep_asset(session, data) for data in pictures(100)]
        most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, most[1]))
        try:
            with pytest.raises(SaveError, match="File too large"):
                assets.append(keep_asset(session, IMAGE + bytes(150_000)))
                save(session, DATA, assets=tuple(assets))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, most)
        with pytest.raises(SaveError):
            save(session, DATA, assets=tuple(assets))
        assert files(root) == [] and len(temporaries(root)) == 1
        again = tuple(keep_asset(session, data) for data in pictures(100))
        save(session, DATA, assets=again)
        assert [Path(asset.file).read_bytes() for asset in again] == pictures(100)


def test_discarded_assets_are_gone(root: Path) -> None:
    with Session(str(root)) as session:
        keep_asset(session, IMAGE)
        session.discard_new_assets()
        save(session, DATA)
        assert len(files(root)) == 1


def test_asset_that_another_run_relies_on_survives_its_removal(root: Path) -> None:
    with Session(str(root)) as one, Session(str(root)) as other:
        save(one, DATA, assets=(keep_asset(one, IMAGE),))
        asset = keep_asset(other, IMAGE)
        (root / ASSET).unlink()
        save(other, b"other", assets=(asset,))
    assert (root / ASSET).read_bytes() == IMAGE


def test_edited_asset_is_left_and_the_content_kept_under_a_longer_name(root: Path) -> None:
    with Session(str(root)) as session:
        save(session, DATA, assets=(keep_asset(session, IMAGE),))
        (root / ASSET).write_bytes(b"edited")
        asset = keep_asset(session, IMAGE)
        assert asset.file == f"{root}/downloads/assets/{sha(IMAGE)[:20]}.png"
        save(session, DATA, assets=(asset,))
        assert Path(asset.file).read_bytes() == IMAGE
        assert session.asset_path(sha(IMAGE), "png") == asset.file


def test_response_never_refers_to_an_asset_that_is_not_there(root: Path) -> None:
    with Session(str(root)) as session:
        asset = keep_asset(session, IMAGE)
        session.discard_new_assets()
        with pytest.raises(SaveError):
            save(session, DATA, assets=(asset,))
        assert files(root) == []


@pytest.mark.parametrize("refusal", [PermissionError(1, "Operation not permitted"), NotImplementedError("linkat")])
def test_systems_without_hard_links_will_do(root: Path, refusal: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise refusal

    monkeypatch.setattr(os, "link", refuse)
    with Session(str(root)) as session:
        for _ in range(2):
            saved = save(session, DATA, reading=b"copy", assets=(keep_asset(session, IMAGE),))
        assert (read(saved), saved.record.seen) == (DATA, 2)
        Path(saved.path).write_bytes(b"ONE\ntwo\n")
        assert read(save(session, DATA)) == DATA
        assert read(saved) == b"ONE\ntwo\n"
    assert (root / ASSET).read_bytes() == IMAGE
    assert temporaries(root) == []


def test_session_that_was_removed_meanwhile_is_made_again(root: Path) -> None:
    import shutil

    with Session(str(root)) as session:
        save(session, DATA)
        shutil.rmtree(root)
        assert read(save(session, DATA)) == DATA
        root.rename(root.parent / "moved")
        assert read(save(session, DATA)) == DATA
    assert len(files(root)) == 1
