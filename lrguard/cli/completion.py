"""`lrguard completion SHELL`: the completion script for a shell, which the wheel also puts where shells look.

The scripts are generated and kept beside the program, so that a shell that asks for one as it starts gets it at once.
"""

from __future__ import annotations

import os
from enum import StrEnum
from typing import Annotated

import typer

from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.errors import DONE, LrguardError


class Shell(StrEnum):
    """A shell that there is a script for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


FILES = {Shell.BASH: "lrguard.bash", Shell.ZSH: "_lrguard", Shell.FISH: "lrguard.fish"}
"""The scripts' names in the folder of completions."""

HELP = """Print the completion script for a shell. It completes commands, options and their values, files, and the ids
of the session's saved responses."""

app = application()


@app.command(help=HELP)
def completion(shell: Annotated[Shell, typer.Argument(metavar="SHELL", help="The shell.")]) -> int:
    """Print one script."""
    streams.write(_script(FILES[shell]))
    return DONE


def _script(name: str) -> bytes:
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for folder in (package, os.path.dirname(package)):  # as installed, and in a checkout
        try:
            with open(os.path.join(folder, "completions", name), "rb") as file:
                return file.read()
        except OSError:
            continue
    raise LrguardError(f"cannot find {name}", "this installation came without its completions", "install it again")
