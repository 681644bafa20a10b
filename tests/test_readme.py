"""What the README says to type is what the checks run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_the_checks_run_the_readmes_test_command():
    if not (ROOT / ".ci" / "run").exists():
        pytest.skip("not a checkout")
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    command = next(line for block in blocks for line in block.splitlines() if line.endswith("-m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()
