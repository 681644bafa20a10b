"""Excerpts on a terminal: highlighted by rich, and paged when they are long and the user has a pager.

What is shown has been made visible before, so that no sequence from a tool result reaches the terminal.
"""

from __future__ import annotations

import os
import shutil
import subprocess

from lrguard.cli import streams
from lrguard.cli.looking import Look
from lrguard.cli.target import Target
from lrguard.inspect.excerpt import Excerpt

LEXERS = {
    "application/json": "json",
    "application/x-ndjson": "json",
    "application/json-seq": "json",
    "text/html": "html",
    "application/xml": "xml",
    "image/svg+xml": "xml",
    "text/markdown": "markdown",
}
CODE = {".py": "python", ".js": "javascript", ".ts": "typescript", ".sh": "bash", ".c": "c", ".rs": "rust", ".go": "go"}


def show_excerpt(found: Excerpt, target: Target, look: Look) -> int:
    """Print an excerpt on the terminal, and what there is to say about it; the exit status."""
    text = "".join(found.pieces)
    lexer = LEXERS.get(target.media_type.name) or CODE.get(os.path.splitext(target.name)[1])
    colored = _highlighted(text, lexer) if lexer else text
    if not _paged(colored):
        streams.write(colored.encode("utf-8", "replace"))
    look.say(found.notes)
    look.go_on("peek", found.go_on, [target.argument])
    return found.status


def _highlighted(text: str, lexer: str) -> str:
    from rich.console import Console
    from rich.syntax import Syntax

    console = Console(force_terminal=True, soft_wrap=True)
    if console.no_color:
        return text
    with console.capture() as capture:
        console.print(Syntax(text, lexer, theme="ansi_dark", background_color="default").highlight(text), end="")
    return capture.get()


def _paged(text: str) -> bool:
    """Show a long text in the user's pager; False where there is none or no need of it."""
    pager = os.environ.get("PAGER")
    if not pager or not streams.is_terminal(streams.INPUT) or text.count("\n") < shutil.get_terminal_size().lines:
        return False
    environ = {"LESS": "FRX", **os.environ}
    done = subprocess.run(pager, shell=True, input=text.encode("utf-8", "replace"), env=environ, check=False)
    return done.returncode not in (126, 127)
