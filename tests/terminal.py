"""A terminal for the program to run on."""

from __future__ import annotations

import os
import pty
import termios

from tests.conftest import COMMAND, Program


def on_a_terminal(program: Program, *command: str, columns: int = 200, **environ: str) -> str:
    """Everything that the command prints on a terminal of so many columns, its sequences included."""
    child, master = pty.fork()
    if not child:
        termios.tcsetwinsize(1, (24, columns))
        os.chdir(program.home)
        os.execvpe(COMMAND[0], [*COMMAND, *command], program.environ(TERM="xterm", PAGER="cat", **environ))
    shown = b""
    try:
        while piece := os.read(master, 65536):
            shown += piece
    except OSError:  # the terminal's other end is closed
        pass
    os.waitpid(child, 0)
    os.close(master)
    return shown.decode("utf-8", "replace")
