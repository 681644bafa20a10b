"""A working tree with a repository, a home, and the settings that hold in it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from lrguard.settings import Settings, Sources, gather


@dataclass
class Tree:
    """The root of a repository, and an environment with nothing in it but a home."""

    root: Path
    home: Path

    @property
    def environ(self) -> dict[str, str]:
        return {"HOME": str(self.home)}

    def write(self, text: str, name: str = "lrguard.toml") -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def write_own(self, text: str) -> Path:
        path = self.home / ".config/lrguard/config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def sources(self, *, cwd: Path | None = None, env: dict[str, str] | None = None, **options: object) -> Sources:
        return gather(options, self.environ | (env or {}), cwd=str(cwd or self.root))

    def settings(
        self, *, cwd: Path | None = None, env: dict[str, str] | None = None, of: str | None = None, **options: object
    ) -> Settings:
        return self.sources(cwd=cwd, env=env, **options).settings(tool=of)


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    root, home = tmp_path / "tree", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    home.mkdir()
    return Tree(root, home)
