"""Which configuration holds in a folder, and what is read of what lies there."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest

from lrguard.configuration.discovery import project_file, user_file
from lrguard.errors import ConfigurationError
from tests.configuration.conftest import Tree

THRESHOLD = "[large_tool_response]\nindividual_tool_response_token_threshold = {}\n"
NOBODY = 54321
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")


def test_outside_a_repository_only_the_folder_itself_counts(tmp_path: Path):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "lrguard.toml").touch()
    assert project_file(str(inner)) is None
    assert project_file(str(tmp_path)) == str(tmp_path / "lrguard.toml")


def test_in_a_repository_the_nearest_one_up_to_its_root(tree: Tree):
    deep = tree.root / "a/b/c"
    deep.mkdir(parents=True)
    (tree.root.parent / "lrguard.toml").touch()
    assert project_file(str(deep)) is None
    at_root = tree.write("")
    assert project_file(str(deep)) == str(at_root)
    nearer = tree.write("", "a/b/lrguard.toml")
    assert project_file(str(deep)) == str(nearer)
    assert project_file(str(tree.root / "a")) == str(at_root)


def test_a_repository_in_a_repository_is_its_own(tree: Tree):
    tree.write("")
    tree.write("gitdir: elsewhere", "module/.git")
    assert project_file(str(tree.root / "module")) is None


@pytest.mark.parametrize(
    ("environ", "place"),
    [
        ({"XDG_CONFIG_HOME": "{}/xdg", "HOME": "{}/home"}, "xdg"),
        ({"XDG_CONFIG_HOME": "xdg", "HOME": "{}/home"}, "home/.config"),
        ({"HOME": "{}/home"}, "home/.config"),
        ({"HOME": "home"}, None),
        ({}, None),
    ],
)
def test_the_users_own(tmp_path: Path, environ: dict[str, str], place: str | None):
    for base in ("xdg", "home/.config"):
        (tmp_path / base / "lrguard").mkdir(parents=True)
        (tmp_path / base / "lrguard/config.toml").touch()
    environ = {name: value.format(tmp_path) for name, value in environ.items()}
    assert user_file(environ) == (str(tmp_path / place / "lrguard/config.toml") if place else None)


def test_a_named_one_is_read_alone(tree: Tree):
    tree.write('encoding = "estimate"')
    tree.write_own('encoding = "estimate"')
    named = tree.write(THRESHOLD.format(77), "named.toml")
    for settings in (tree.settings(config=str(named)), tree.settings(env={"LRGUARD_CONFIG": str(named)})):
        assert (settings.threshold, settings.encoding) == (77, "o200k_base")
    assert tree.settings(config=os.devnull).encoding == "o200k_base"
    assert tree.settings(config=str(named), env={"LRGUARD_CONFIG": "/no/such"}).threshold == 77


def test_a_named_one_may_come_from_a_pipe(tree: Tree):
    reader, writer = os.pipe()
    os.write(writer, THRESHOLD.format(77).encode())
    os.close(writer)
    assert tree.settings(config=f"/dev/fd/{reader}").threshold == 77
    os.close(reader)


def test_the_users_own_may_be_a_link(tree: Tree):
    real = tree.write(THRESHOLD.format(77), "dotfiles.toml")
    tree.write_own("").unlink()
    (tree.home / ".config/lrguard/config.toml").symlink_to(real)
    assert tree.settings(cwd=tree.home).threshold == 77


def plant_link(path: Path) -> None:
    real = path.with_name("real.toml")
    real.write_text(THRESHOLD.format(1))
    path.symlink_to(real)


def plant_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as planted:
        planted.bind(os.path.relpath(path))


def plant_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2**30)


PLANTED = {
    "symbolic link": plant_link,
    "link to nowhere": lambda path: path.symlink_to("/no/such/file"),
    "link to itself": lambda path: path.symlink_to(path),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "folder": lambda path: path.mkdir(),
    "FIFO": os.mkfifo,
    "socket": plant_socket,
    "a gigabyte": plant_large,
}


@pytest.mark.parametrize("kind", PLANTED)
def test_what_is_planted_in_its_place_is_an_error_at_once(tree: Tree, kind: str):
    PLANTED[kind](tree.root / "lrguard.toml")
    start = time.monotonic()
    with pytest.raises(ConfigurationError, match=r"lrguard\.toml"):
        tree.settings()
    assert time.monotonic() - start < 1


@as_root
def test_one_of_another_user_is_not_read(tree: Tree):
    os.chown(tree.write("not even TOML"), NOBODY, NOBODY)
    tree.write_own(THRESHOLD.format(77))
    settings = tree.settings()
    assert settings.threshold == 77
    assert len(settings.notes) == 1 and "another user" in settings.notes[0] and str(tree.root) in settings.notes[0]


@as_root
@pytest.mark.parametrize("kind", [kind for kind in PLANTED if kind != "a gigabyte"])
def test_nor_is_whatever_else_of_another_user(tree: Tree, kind: str):
    path = tree.root / "lrguard.toml"
    PLANTED[kind](path)
    os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    assert "another user" in tree.settings().notes[0]


def test_a_working_directory_that_is_gone_has_no_configuration(tree: Tree, monkeypatch: pytest.MonkeyPatch):
    from lrguard.settings import resolve

    gone = tree.root / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    tree.write("broken")
    tree.write_own(THRESHOLD.format(77))
    assert resolve({}, tree.environ).threshold == 77
    named = tree.write('session = "s"', "named.toml")
    assert resolve({"config": str(named)}, tree.environ).session == str(tree.root / "s")
