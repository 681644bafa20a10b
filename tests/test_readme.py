"""What the README says to type is what the checks run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests import inputs
from tests.conftest import COMMAND, Program

ROOT = Path(__file__).resolve().parents[1]


def test_the_checks_run_the_readmes_test_command():
    if not (ROOT / ".ci" / "run").exists():
        pytest.skip("not a checkout")
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    command = next(line for block in blocks for line in block.splitlines() if line.endswith("-m pytest"))
    assert command in (ROOT / ".ci" / "run").read_text().splitlines()


def test_the_console_block_shows_true_output(lrguard: Program):
    (lrguard.home / "orders.json").write_bytes(inputs.orders())
    (block,) = re.findall(r"```console\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    shim = lrguard.home / "bin" / "lrguard"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.join(COMMAND)} "$@"\n')
    shim.chmod(0o755)
    environ = lrguard.environ(PATH=f"{shim.parent}:{os.environ['PATH']}", LRGUARD_SESSION="")
    shown = ""
    for command in re.findall(r"(?m)^\$ (.*)$", block):
        run = subprocess.run(["sh", "-c", command], capture_output=True, cwd=lrguard.home, env=environ)
        shown += f"$ {command}\n{run.stdout.decode()}"
    shown = shown.replace(str(lrguard.home), "/home/me")
    assert re.sub(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ", "2026-07-03T14-05-09Z", shown) == block
