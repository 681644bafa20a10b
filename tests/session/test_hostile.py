"""A session that others prepared, that is in the way, or full: saved rightly or refused, nothing else touched."""

from __future__ import annotations

import errno
import os
import resource
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from lrguard.errors import LrguardError, SaveError
from lrguard.session.store import Session
from tests.session.support import NOON, files, keep_asset, read, save, sha, temporaries

DATA = b"one\ntwo\n"
ID = sha(DATA)[:8]
IMAGE = b"\x89PNG picture"
ASSET = f"downloads/assets/{sha(IMAGE)[:16]}.png"
NAME = f"long_responses/2026-07-03T12-00-00Z_{ID}.txt"
READING = f"long_responses/2026-07-03T12-00-00Z_{ID}.reading.txt"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    made = tmp_path / "session"
    made.mkdir(0o700)
    return made


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    made = tmp_path / "victim"
    made.write_bytes(b"precious")
    return made


def link_to(target: Path) -> Callable[[Path], None]:
    return lambda path: path.symlink_to(target)


def obstacles(victim: Path) -> list[Callable[[Path], None]]:
    return [
        link_to(victim),
        link_to(victim.parent / "missing"),
        link_to(victim.parent),
        Path.mkdir,
        os.mkfifo,
        lambda path: path.open("x").close(),
        partial(os.link, victim),
    ]


@pytest.mark.parametrize("kind", range(7))
@pytest.mark.parametrize("name", [NAME, READING, ASSET, f".lrguard/{ID}.json", ".lrguard/lock", ".lrguard/last-purge"])
def test_what_stands_at_a_name_is_never_followed_nor_replaced(root: Path, victim: Path, name: str, kind: int) -> None:
    (root / name).parent.mkdir(0o700, parents=True)
    obstacles(victim)[kind](root / name)
    planted = os.lstat(root / name)
    with Session(str(root)) as session:
        for _ in range(2):
            asset = keep_asset(session, IMAGE)
            saved = save(session, DATA, reading=b"copy", assets=(asset,))
            assert (read(saved), Path(asset.file).read_bytes()) == (DATA, IMAGE)
            assert not any(os.path.islink(path) for path in (saved.path, saved.reading_copy or "", asset.file))
        assert session.find("last") == saved
    assert os.path.samestat(planted, os.lstat(root / name))
    assert victim.read_bytes() == b"precious"
    assert temporaries(root) == []


@pytest.mark.parametrize("place", ["long_responses", ".lrguard", "downloads", "downloads/assets"])
@pytest.mark.parametrize("kind", ["link", "file", "shared"])
def test_directory_that_is_not_ours_alone_is_refused(root: Path, tmp_path: Path, place: str, kind: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / place).parent.mkdir(exist_ok=True)
    if kind == "link":
        (root / place).symlink_to(outside)
    elif kind == "file":
        (root / place).write_bytes(b"in the way")
    else:
        (root / place).mkdir()
        (root / place).chmod(0o777)
    with Session(str(root)) as session:
        with pytest.raises(SaveError) as failure:
            save(session, DATA, assets=(keep_asset(session, IMAGE),))
        assert "\n" not in str(failure.value)
    assert list(outside.iterdir()) == []
    assert [name for name in files(root) if "2026" in name] == []


def test_directory_swapped_for_a_link_is_not_written_through(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with Session(str(root)) as session:
        save(session, DATA)
        (root / "long_responses").rename(root / "moved")
        (root / "long_responses").symlink_to(outside)
        with pytest.raises(SaveError, match="long_responses is a symbolic link"):
            save(session, b"other")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("end", ["", "/", "//", "/."])
def test_session_that_is_a_link_is_refused(tmp_path: Path, root: Path, end: str) -> None:
    (tmp_path / "link").symlink_to(root)
    with pytest.raises(SaveError, match="is a symbolic link"):
        save(Session(f"{tmp_path}/link{end}"), DATA)
    assert list(root.iterdir()) == []


def test_session_below_a_link_will_do(tmp_path: Path, root: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    with Session(f"{tmp_path}/link/session") as session:
        assert read(save(session, DATA)) == DATA


def test_link_to_nowhere_above_the_session_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(SaveError):
        save(Session(f"{tmp_path}/link/session"), DATA)


@pytest.mark.parametrize(
    ("mode", "refused"), [(0o755, False), (0o1777, False), (0o777, True), (0o775, True), (0o702, True)]
)
def test_session_that_others_may_write_to_is_refused(root: Path, mode: int, refused: bool) -> None:
    root.chmod(mode)
    with Session(str(root)) as session:
        if not refused:
            assert read(save(session, DATA)) == DATA
            return
        with pytest.raises(SaveError, match="others may write to the session directory"):
            save(session, DATA)
        with pytest.raises(LrguardError):
            session.responses()
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["new\nline", "esc\x1b[0m", "del\x7f", "c1\x85", "line\u2028", "raw\udcff", "n" * 300, "nul\0"]
)
def test_path_that_cannot_be_written_in_a_message_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(SaveError) as failure:
        save(Session(f"{tmp_path}/{name}"), DATA)
    assert str(failure.value).isprintable()
    assert list(tmp_path.iterdir()) == []


def test_path_shown_to_the_model_is_held_to_the_same(root: Path) -> None:
    with Session(str(root), shown_as="/mnt/a\nb") as session, pytest.raises(SaveError):
        save(session, DATA)
    assert list(root.iterdir()) == []


@pytest.mark.parametrize("name", ["it's", "a b", 'say "x"', "$(x)", "back\\slash", "ünï", "-rf", "👩‍👩‍👧"])
def test_path_with_any_other_characters_will_do(tmp_path: Path, name: str) -> None:
    with Session(f"{tmp_path}/{name}/s") as session:
        assert read(save(session, DATA)) == DATA


def test_path_through_a_file_is_refused(victim: Path) -> None:
    for path in (victim, victim / "below", victim / "below" / "deeper"):
        with pytest.raises(SaveError, match="not a directory"):
            save(Session(str(path)), DATA)


def test_session_without_a_path_is_refused() -> None:
    with pytest.raises(SaveError, match="no path"):
        save(Session(""), DATA)


@pytest.mark.parametrize("nth", range(8))
@pytest.mark.parametrize("call", ["write", "link"])
def test_disk_that_fills_up_leaves_nothing_of_the_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, nth: int
) -> None:
    root, real, left = tmp_path / "new" / "session", getattr(os, call), [nth]

    def fill(*args: object, **named: object) -> object:
        left[0] -= 1
        if left[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*args, **named)

    with Session(str(root)) as session:
        monkeypatch.setattr(os, call, fill)
        try:
            saved = save(session, DATA, reading=b"copy", assets=(keep_asset(session, IMAGE),))
            assert read(saved) == DATA
        except SaveError as error:
            assert "No space left on device" in str(error)
            assert "free some space" in str(error)
            assert files(root) == []
        finally:
            monkeypatch.undo()
    assert not root.exists() or temporaries(root) == []


def in_child(work: Callable[[], None]) -> int:
    """The status of a forked child: 0 when `work` returned, 1 when it raised."""
    child = os.fork()
    if not child:
        try:
            work()
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_limit_on_the_size_of_files_leaves_no_partial_file(tmp_path: Path) -> None:
    root = tmp_path / "session"

    def work() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))
        with Session(str(root)) as session, pytest.raises(SaveError, match="File too large"):
            save(session, b"x" * 420_000)

    assert in_child(work) == 0
    assert not root.exists()


def test_directory_without_permission_is_refused(tmp_path: Path, root: Path) -> None:
    root.chmod(0o500)
    for above in (tmp_path, *tmp_path.parents):
        if above.stat().st_uid == os.geteuid() and above != Path("/"):
            above.chmod(above.stat().st_mode | 0o055)

    def work() -> None:
        if os.geteuid() == 0:
            os.chown(root, 65534, 65534)
            os.setuid(65534)
        for path, why in ((root, "Permission denied"), (tmp_path / "other", "Permission denied|belongs to another")):
            with Session(str(path)) as session, pytest.raises(SaveError, match=why):
                save(session, DATA)

    (tmp_path / "other").mkdir(0o500)
    assert in_child(work) == 0
    assert list(root.iterdir()) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_directory_of_another_user_is_refused_but_for_root(tmp_path: Path, root: Path) -> None:
    os.chown(root, 12345, 12345)
    root.chmod(0o755)
    for above in (tmp_path, *tmp_path.parents):
        above.chmod(above.stat().st_mode | 0o055)

    def work() -> None:
        os.setuid(65534)
        with Session(str(root)) as session, pytest.raises(SaveError, match="belongs to another user"):
            save(session, DATA)

    assert in_child(work) == 0
    with Session(str(root)) as session:
        assert read(save(session, DATA)) == DATA


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a directory away")
def test_directory_that_another_user_planted_in_a_sticky_session_is_refused_for_root_too(root: Path) -> None:
    root.chmod(0o1777)
    (root / ".lrguard").mkdir(0o700)
    os.chown(root / ".lrguard", 12345, 12345)
    with Session(str(root)) as session, pytest.raises(SaveError, match=r"\.lrguard belongs to another user"):
        save(session, DATA)


@pytest.mark.parametrize("call", ["link", "unlink", "write", "rename"])
@pytest.mark.parametrize("nth", range(6))
def test_killed_run_leaves_only_what_purge_removes(root: Path, call: str, nth: int) -> None:
    from lrguard.session.retention import purge

    def work() -> None:
        real, left = getattr(os, call), [nth]

        def die(*args: object, **named: object) -> object:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **named)

        setattr(os, call, die)
        with Session(str(root)) as session:
            save(session, DATA, reading=b"copy", assets=(keep_asset(session, IMAGE),))
            save(session, DATA)

    assert in_child(work) in (0, -signal.SIGKILL)
    with Session(str(root)) as session:
        before = session.responses()
        purge(session, now=NOON)
        assert temporaries(root) == []
        kept = {file for one in before for file in (*one.record.files, *(a.file for a in one.record.assets))}
        assert set(files(root)) == kept
        assert all(read(one) == DATA for one in before)
        assert read(save(session, DATA)) == DATA
