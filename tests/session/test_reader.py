from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from lrguard.errors import LrguardError
from lrguard.intake.source import FileSource
from lrguard.session.reader import Part
from lrguard.session.store import Session
from tests.session.support import NOON, keep_asset, save, sha

ONE, TWO = b"first result", b"second result"
MINUTE = timedelta(minutes=1)


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with Session(str(tmp_path / "session")) as made:
        yield made


def content(source: FileSource) -> bytes:
    data = source.read()
    os.close(source.descriptor)
    return data


def fails(session: Session, reference: str | None, call_id: str | None = None) -> str:
    with pytest.raises(LrguardError) as failure:
        session.find(reference, call_id=call_id)
    assert str(failure.value).isprintable()
    return str(failure.value)


def test_session_that_does_not_exist_holds_nothing(session: Session) -> None:
    assert session.responses() == ()
    assert session.find_reading_copy(sha(ONE), len(ONE)) is None
    assert not session.contains_path("/etc/passwd")
    assert "nothing is saved in" in fails(session, "last")
    assert not os.path.exists(session.tree.path)


def test_last_is_the_one_that_came_last(session: Session) -> None:
    one = save(session, ONE)
    two = save(session, TWO, now=NOON + MINUTE)
    assert session.find() == session.find("last") == two
    again = save(session, ONE, now=NOON + 2 * MINUTE)
    assert session.find() == again
    assert (again.id, again.path) == (one.id, one.path)
    assert [found.id for found in session.responses()] == [one.id, two.id]


def test_id_prefix_name_and_path_find_a_response(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    one = save(session, ONE, tool="search", reading=b"copy")
    save(session, TWO, now=NOON + MINUTE)
    monkeypatch.chdir(session.tree.path)
    for reference in (
        one.id,
        one.id.upper(),
        one.id[:4],
        os.path.basename(one.path),
        os.path.basename(one.reading_copy or ""),
        one.path,
        one.reading_copy or "",
        os.path.relpath(one.path),
    ):
        assert session.find(reference) == one, reference


@pytest.mark.parametrize(
    "reference", ["abc", "00000000", "", ".", "../x", "/etc/passwd", "nul\0", "esc\x1b[31m", "x" * 9999]
)
def test_unknown_reference_lists_what_there_is(session: Session, reference: str) -> None:
    one = save(session, ONE, tool="search")
    if not reference:
        assert session.find(reference) == one
    else:
        assert f"{one.id} (search)" in fails(session, reference)


def test_prefix_of_three_characters_is_none(session: Session) -> None:
    one = save(session, ONE)
    assert one.id in fails(session, one.id[:3])


def test_ambiguous_prefix_lists_the_candidates_and_an_exact_id_wins(session: Session) -> None:
    one = save(session, ONE)
    Path(one.path).write_bytes(b"edited resul")
    longer = save(session, ONE)
    assert longer.id == sha(ONE)[:12]
    assert session.find(one.id).id == one.id
    message = fails(session, one.id[:5])
    assert "ambiguous" in message
    assert one.id in message
    assert longer.id in message


def test_candidates_are_bounded(session: Session) -> None:
    for number in range(25):
        save(session, b"%d" % number, tool="t" * 500)
    message = fails(session, "zzzz")
    assert "and 15 more" in message
    assert len(message) < 1500


def test_call_id_finds_what_came_in_that_call(session: Session) -> None:
    one = save(session, ONE, call_id="c1")
    save(session, TWO, call_id="c2", now=NOON + MINUTE)
    save(session, TWO, call_id="c3" * 5000, now=NOON + MINUTE)
    assert session.find(call_id="c1") == one
    assert session.find(one.id, call_id="c1") == one
    assert session.find(call_id="c3" * 5000).record.sha256 == sha(TWO)
    fails(session, None, "c9")
    fails(session, one.id, "c2")


def test_call_id_of_two_responses_is_ambiguous_but_has_a_last_one(session: Session) -> None:
    save(session, ONE, call_id="c")
    two = save(session, TWO, call_id="c", now=NOON + MINUTE)
    assert "ambiguous" in fails(session, None, "c")
    assert session.find("last", call_id="c") == two


@pytest.mark.parametrize("name", ["00000000.json", "notes.json", "abc.json", "tmp-0123456789abcdef-0", "lock"])
def test_what_is_no_metadata_is_skipped_with_a_reason(session: Session, name: str) -> None:
    one = save(session, ONE)
    Path(session.tree.path, ".lrguard", name).write_bytes(b"{}")
    survey = session.survey()
    assert survey.responses == (one,)
    assert [broken for broken, _ in survey.broken] == (["00000000.json"] if name == "00000000.json" else [])


def test_forged_metadata_opens_nothing_outside(session: Session, tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_bytes(ONE)
    one = save(session, ONE)
    record = Path(session.tree.path, ".lrguard", f"{one.id}.json")
    text = record.read_text()
    for file in ("../victim.txt", str(victim), "long_responses/../../victim.txt"):
        record.write_text(text.replace(one.record.file, file))
        assert session.responses() == ()
        assert "its metadata cannot be used" in fails(session, one.id)
    record.write_bytes(b" " * (9 * 1024 * 1024))
    assert "has more than" in fails(session, one.id)
    record.unlink()
    record.symlink_to(victim)
    assert "is a symbolic link" in fails(session, one.id)
    assert session.survey().broken == ((record.name, f"{record.name} is a symbolic link"),)


def test_both_texts_can_be_opened(session: Session) -> None:
    one = save(session, ONE, reading=b"copy")
    assert content(session.open(one)) == ONE
    assert content(session.open(one, Part.READING_COPY)) == b"copy"
    with pytest.raises(LrguardError, match="has no reading copy"):
        session.open(save(session, TWO), Part.READING_COPY)


def test_text_that_was_removed_or_changed_is_not_opened(session: Session, tmp_path: Path) -> None:
    one = save(session, ONE, reading=b"copy")
    Path(one.path).write_bytes(ONE.upper())
    with pytest.raises(LrguardError, match=f"was changed since it was saved .*{sha(ONE)}"):
        session.open(one)
    Path(one.path).unlink()
    with pytest.raises(LrguardError, match="was removed since it was saved"):
        session.open(one)
    (tmp_path / "victim").write_bytes(ONE)
    Path(one.path).symlink_to(tmp_path / "victim")
    with pytest.raises(LrguardError, match="is a symbolic link"):
        session.open(one)
    Path(one.path).unlink()
    os.mkfifo(one.path)
    with pytest.raises(LrguardError, match="is not a regular file"):
        session.open(one)
    assert content(session.open(one, Part.READING_COPY)) == b"copy"


def test_content_of_a_reading_copy_is_recognised(session: Session) -> None:
    one = save(session, ONE, reading=b"copy")
    save(session, TWO)
    assert session.find_reading_copy(sha(b"copy"), 4) == one
    assert session.find_reading_copy(sha(ONE), len(ONE)) is None
    assert session.find_reading_copy(sha(b"copy"), 5) is None
    Path(one.reading_copy or "").write_bytes(b"edit")
    assert session.find_reading_copy(sha(b"copy"), 4) is None
    assert session.find_reading_copy(sha(b"edit"), 4) is None


def test_only_paths_of_responses_and_assets_are_inside(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asset = keep_asset(session, b"image")
    one = save(session, ONE, assets=(asset,))
    root = Path(session.tree.path)
    (tmp_path / "alias").symlink_to(root)
    (tmp_path / "victim").write_bytes(b"secret")
    (root / "long_responses" / "link").symlink_to(tmp_path / "victim")
    (root / "long_responses" / "folder").mkdir()
    os.mkfifo(root / "long_responses" / "fifo")
    monkeypatch.chdir(tmp_path)
    for path in (one.path, asset.file, os.path.relpath(one.path), one.path.replace("/session/", "/alias/")):
        assert session.contains_path(path), path
        assert content(session.open_path(path)) in (ONE, b"image")
    for path in (
        str(tmp_path / "victim"),
        f"{root}/long_responses/link",
        f"{root}/long_responses/folder",
        f"{root}/long_responses/fifo",
        f"{root}/long_responses/../../victim",
        f"{root}/long_responses/..",
        f"{root}/long_responses/",
        f"{root}/long_responses/missing",
        f"{root}/.lrguard/{one.id}.json",
        f"{root}/.gitignore",
        "/etc/passwd",
        "",
        "nul\0",
    ):
        assert not session.contains_path(path), path
        with pytest.raises(LrguardError):
            session.open_path(path)


def test_place_that_is_a_link_has_nothing_inside(session: Session, tmp_path: Path) -> None:
    save(session, ONE)
    root = Path(session.tree.path)
    (tmp_path / "secret").write_bytes(b"secret")
    (root / "downloads").symlink_to(tmp_path)
    assert not session.contains_path(f"{root}/downloads/secret")
