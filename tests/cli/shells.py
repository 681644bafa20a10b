"""Real shells at a terminal of their own, in which TAB is pressed."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

COMPLETIONS = Path(__file__).resolve().parents[2] / "completions"

BASH = f"""PS1=''; bind 'set enable-bracketed-paste off'; source {COMPLETIONS}/lrguard.bash; echo REA''DY"""

ZSH = f"""PS1=''; PS2=''; unset zle_bracketed_paste; fpath=({COMPLETIONS} $fpath); autoload -Uz compinit; compinit -u -D
compadd() {{ if [[ ${{@[1,(i)(-|--)]}} == *-[OAD]\\ * ]]; then builtin compadd "$@"; return; fi
  local -a found; builtin compadd -A found "$@"; print -rl -- $found >> proposed; builtin compadd "$@"; }}
propose() {{ zle list-choices; print END >> proposed; }}
zle -N propose; bindkey '^I' propose; unsetopt list_beep; echo REA''DY"""
ZSH_READ = ZSH.replace(f"fpath=({COMPLETIONS} $fpath); ", "").replace(
    "echo REA", 'eval "$(lrguard completion zsh)"; echo REA'
)
"""What zsh proposes passes through `compadd`, from where it is taken."""


class _Terminal:
    """A shell at a terminal of its own."""

    def __init__(self, words: list[str], setup: str, folder: Path, environ: dict[str, str]) -> None:
        self.process, self.master = pty.fork()
        if not self.process:
            os.chdir(folder)
            os.execvpe(words[0], words, environ | {"TERM": "dumb"})
        self.shown = b""
        for line in setup.split("\n"):
            os.write(self.master, line.encode() + b"\n")
        self.until(b"READY\r\n")

    def until(self, mark: bytes) -> bytes:
        """What is shown from now on until `mark` is."""
        start, deadline = len(self.shown), time.monotonic() + 20
        while mark not in self.shown[start:]:
            assert time.monotonic() < deadline, self.shown[start:]
            if select.select([self.master], [], [], 0.2)[0]:
                self.shown += os.read(self.master, 65536)
        return self.shown[start:]

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def close(self) -> None:
        os.close(self.master)
        os.waitpid(self.process, 0)


class Bash(_Terminal):
    """`ESC *` puts everything that is proposed in the place of the word; the line is then printed instead of run."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        super().__init__(["bash", "--norc", "--noprofile", "-i"], BASH, folder, environ)

    def proposed(self, line: str) -> list[str]:
        self.press(f"{line}\x1b*\x01printf '<%s>' \x05; echo; echo DO''NE\n")
        shown = self.until(b"DONE\r\n").split(b"\n<")[-1].decode()
        words = re.findall("<([^<>]*)>", f"<{shown}")
        typed = len(line.split())
        return words[typed if line.endswith(" ") else typed - 1 :]


class Zsh(_Terminal):
    """A listing of the choices, of which what was handed to zsh is taken down."""

    def __init__(self, folder: Path, environ: dict[str, str], setup: str = ZSH) -> None:
        self.file = folder / "proposed"
        super().__init__(["zsh", "-f", "-i"], setup, folder, environ)

    def proposed(self, line: str) -> list[str]:
        self.file.write_text("")
        self.press(f"{line}\t")
        deadline = time.monotonic() + 20
        while not self.file.read_text().endswith("END\n"):
            assert time.monotonic() < deadline, self.shown
            time.sleep(0.02)
        self.press("\x15echo DO''NE\n")
        self.until(b"DONE\r\n")
        return [word for word in self.file.read_text().split("\n")[:-2] if word and word != self.file.name]


class Fish:
    """fish tells by itself what it would propose."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        self.folder, self.environ = folder, environ

    def proposed(self, line: str) -> list[str]:
        script = "source $argv[1]; complete -C $argv[2]"
        words = ["fish", "--no-config", "-c", script, str(COMPLETIONS / "lrguard.fish"), line]
        done = subprocess.run(words, cwd=self.folder, env=self.environ, capture_output=True, text=True)
        assert not done.stderr
        return [row.split("\t")[0] for row in done.stdout.splitlines()]

    def close(self) -> None:
        pass
