"""Everything that is generated."""

from __future__ import annotations

from lrguard.cli.completion import FILES, Shell
from lrguard.cli.tree import all_commands
from tests.pages import bash, fish, zsh
from tests.pages.man import page

SCRIPTS = {Shell.BASH: bash.script, Shell.ZSH: zsh.script, Shell.FISH: fish.script}


def written() -> dict[str, str]:
    """The text of every generated file, by its name from the top of the repository."""
    commands = all_commands()
    man = {f"man/{command.program.replace(' ', '-')}.1": page(command, commands) for command in commands}
    return man | {f"completions/{FILES[shell]}": script(commands) for shell, script in SCRIPTS.items()}
