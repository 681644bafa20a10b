"""Checks what is built: `python -m tests.packages DIST`, where DIST holds a wheel, a source archive, and a virtual
environment `venv` in which the wheel is installed with what it needs at run time alone.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

from tests import inputs

IN_WHEEL = (
    "lrguard/py.typed",
    "lrguard/completions/lrguard.bash",
    ".data/data/share/man/man1/lrguard.1",
    ".data/data/share/man/man1/lrguard-peek.1",
    ".data/data/share/bash-completion/completions/lrguard",
    ".data/data/share/zsh/site-functions/_lrguard",
    ".data/data/share/fish/vendor_completions.d/lrguard.fish",
    ".dist-info/licenses/LICENSE",
)
IN_SOURCE = (
    "pyproject.toml",
    "README.md",
    "LICENSE",
    "SECURITY.md",
    "man/lrguard.1",
    "tests/conftest.py",
    "lrguard/py.typed",
)


def check(dist: Path) -> None:
    """Raise AssertionError where something is missing, or the installed program does not work."""
    (wheel,) = dist.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    missing = [name for name in IN_WHEEL if not any(found.endswith(name) for found in names)]
    assert not missing, f"the wheel lacks {missing}"
    assert not [name for name in names if name.startswith("tests/")], "tests are in the wheel"
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        names = [name.partition("/")[2] for name in source.getnames()]
    missing = [name for name in IN_SOURCE if name not in names]
    assert not missing, f"the source archive lacks {missing}"
    program = dist / "venv" / "bin" / "lrguard"
    session = ("-s", str(dist / "session"))
    assert _run(program, *session, stdin=b"small\n") == b"small\n"
    assert _run(program, *session, stdin=inputs.log(2000)).startswith(b"[lrguard] ")
    assert b"handled request 7 in" in _run(program, "grep", *session, "request 7 in", "last")
    assert b"a: int" in _run(program, "schema", "-", stdin=b'[{"a": 1}]')
    assert _run(program, "completion", "bash").startswith(b"#")
    assert (dist / "venv" / "share" / "man" / "man1" / "lrguard.1").exists()


def _run(program: Path, *args: str, stdin: bytes = b"") -> bytes:
    return subprocess.run([program, *args], input=stdin, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    check(Path(sys.argv[1]))
    sys.stdout.write("the packages are whole\n")
