"""What a person at a terminal sees of the reading, and nobody else."""

from __future__ import annotations

import os
import pty
import sys
from pathlib import Path

import pytest

from tests.conftest import Program

SLOW = "(seq 20000; sleep {seconds}; seq 5) | {python} -m lrguard {options} > out"


def shown(program: Program, options: str = "", *, columns: int = 80, seconds: float = 1.6) -> str:
    """What a terminal of so many columns gets on standard error."""
    pid, master = pty.fork()
    if not pid:
        os.chdir(program.home)
        environ = program.environ(PYTHONPATH=str(Path(__file__).parents[2]))
        line = SLOW.format(seconds=seconds, python=sys.executable, options=options)
        os.execve("/bin/sh", ["sh", "-c", f"stty cols {columns}; {line}"], environ)
    data = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:  # the terminal's other end is closed
            piece = b""
        if not piece:
            break
        data += piece
    os.close(master)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    return data.decode()


def test_after_a_second_of_reading_a_terminal_is_told_how_much_how_fast_and_about_how_many_tokens(lrguard: Program):
    text = shown(lrguard)
    line = text.split("\r")[2]
    assert line.startswith("lrguard: 106.3 KB, ")
    assert "KB/s, ~" in line
    assert line.endswith(" tokens so far")
    assert "tool result was replaced" in (lrguard.home / "out").read_text()


def test_the_line_is_gone_afterwards(lrguard: Program):
    *_, last, empty = shown(lrguard).split("\r")
    assert last.strip() == empty == ""


def test_the_line_fits_a_narrow_terminal(lrguard: Program):
    assert max(map(len, shown(lrguard, columns=30).split("\r"))) == 29


@pytest.mark.parametrize(("options", "seconds"), [("--quiet", 1.6), ("", 0.3)])
def test_nothing_is_shown_to_who_wants_quiet_or_waits_less_than_a_second(
    options: str, seconds: float, lrguard: Program
):
    assert shown(lrguard, options, seconds=seconds) == ""


def test_nothing_is_shown_in_a_pipe(lrguard: Program):
    process = lrguard.start()
    assert process.stdin
    process.stdin.write(b"text\n" * 10000)
    process.stdin.flush()
    with pytest.raises(Exception, match="timed out"):
        process.wait(1.5)
    assert process.communicate()[1] == b""
