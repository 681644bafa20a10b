from __future__ import annotations

from pathlib import Path

import pytest

from lrguard.session.location import default_session, state_directory


@pytest.mark.parametrize(
    ("environ", "directory"),
    [
        ({"XDG_STATE_HOME": "/state", "HOME": "/home/me"}, "/state/lrguard"),
        ({"XDG_STATE_HOME": "", "HOME": "/home/me"}, "/home/me/.local/state/lrguard"),
        ({"XDG_STATE_HOME": "relative", "HOME": "/home/me"}, "/home/me/.local/state/lrguard"),
        ({"HOME": "/home/me"}, "/home/me/.local/state/lrguard"),
    ],
)
def test_state_lies_where_the_xdg_specification_has_it(environ: dict[str, str], directory: str) -> None:
    assert state_directory(environ) == directory


def test_state_has_a_place_without_a_home() -> None:
    assert state_directory({}).startswith("/")


def test_session_is_that_of_the_repository(tmp_path: Path) -> None:
    (tmp_path / "my repo" / ".git").mkdir(parents=True)
    (tmp_path / "my repo" / "a" / "b").mkdir(parents=True)
    environ = {"XDG_STATE_HOME": str(tmp_path)}
    found = default_session(environ, str(tmp_path / "my repo" / "a" / "b"))
    assert found == default_session(environ, str(tmp_path / "my repo"))
    assert Path(found).parent == tmp_path / "lrguard"
    assert Path(found).name.startswith("my_repo-")
    assert not Path(found).exists()


def test_worktree_has_a_session_of_its_own(tmp_path: Path) -> None:
    for name in ("repo", "repo/tree"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text("gitdir: elsewhere\n")
    environ = {"HOME": str(tmp_path)}
    assert default_session(environ, str(tmp_path / "repo")) != default_session(environ, str(tmp_path / "repo/tree"))


def test_folders_of_the_same_name_have_different_sessions() -> None:
    environ = {"HOME": "/home/me"}
    assert default_session(environ, "/nowhere/a/x") != default_session(environ, "/nowhere/b/x")


@pytest.mark.parametrize("cwd", ["/", "/nowhere/...", "/nowhere/new\nline", "/nowhere/\udcff", "/nowhere/" + "x" * 255])
def test_any_folder_has_a_session_that_messages_can_name(cwd: str) -> None:
    found = default_session({"HOME": "/home/me"}, cwd)
    assert found.startswith("/home/me/.local/state/lrguard/")
    assert found.isascii()
    assert found.isprintable()
    assert len(found) < 120
