"""What every test has at hand: the real program, run in a clean environment with a session of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "lrguard"]
COLORS = ("NO_COLOR", "FORCE_COLOR")

# The programs that tests start compile the package once, and not each anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that starts the tests in the background has these ignored, which every program they start would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)


@dataclass
class Run:
    """One finished process."""

    status: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return self.out.decode("utf-8")

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Program:
    """Runs `lrguard` as a user would, in the folder `home`, with the session directory `session`."""

    home: Path
    session: Path

    def environ(self, **extra: str) -> dict[str, str]:
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("LRGUARD_", "XDG_")) and k not in COLORS}
        # The vocabulary's table is built once for all tests.
        cache = os.environ.get("XDG_CACHE_HOME") or str(Path(os.environ.get("HOME", "/")) / ".cache")
        return clean | {"HOME": str(self.home), "XDG_CACHE_HOME": cache, "LRGUARD_SESSION": str(self.session)} | extra

    def __call__(
        self, *args: str, stdin: bytes = b"", env: dict[str, str] | None = None, status: int = 0, **kw: Any
    ) -> Run:
        done = subprocess.run(
            [*COMMAND, *args],
            input=stdin,
            capture_output=True,
            cwd=self.home,
            env=self.environ(**(env or {})),
            timeout=120,
            **kw,
        )
        run = Run(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))
        assert "Traceback" not in run.err, run.err
        assert run.status == status, f"status {run.status}: {run.err}"
        return run

    def envelope(self, stdin: bytes, *args: str, **kw: Any) -> Any:
        return self("--json", *args, stdin=stdin, **kw).json

    def start(self, *args: str, **kw: Any) -> subprocess.Popen[bytes]:
        kw = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | kw
        return subprocess.Popen([*COMMAND, *args], cwd=self.home, env=self.environ(), **kw)

    def files(self) -> list[Path]:
        """Every file in the session directory but metadata."""
        if not self.session.exists():
            return []
        found = (p for p in self.session.rglob("*") if p.is_file() and ".lrguard" not in p.parts)
        return sorted(p for p in found if p.name != ".gitignore")


@pytest.fixture
def lrguard(tmp_path: Path) -> Program:
    home = tmp_path / "home"
    home.mkdir()
    return Program(home, tmp_path / "session")


@pytest.fixture
def make_file(tmp_path: Path) -> Callable[[], int]:
    """Opens a new file for reading and writing, as a spool needs it."""

    def make() -> int:
        return os.open(tmp_path / f"spool{len(list(tmp_path.iterdir()))}", os.O_RDWR | os.O_CREAT | os.O_EXCL)

    return make
