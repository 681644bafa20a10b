"""Excerpts on a terminal: highlighted by rich, and paged when they are long and the user has a pager.

What is shown has been made visible before, so that no sequence from a tool result reaches the terminal.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from itertools import groupby

from lrguard.cli import streams
from lrguard.cli.looking import Look
from lrguard.cli.target import Target
from lrguard.inspect.excerpt import Excerpt, Told

LEXERS = {
    "application/json": "json",
    "application/x-ndjson": "json",
    "application/json-seq": "json",
    "text/html": "html",
    "application/xml": "xml",
    "image/svg+xml": "xml",
    "text/markdown": "markdown",
}
STYLES = {
    "Comment": "italic",
    "Generic.Emph": "italic",
    "Generic.Heading": "bold",
    "Generic.Strong": "bold",
    "Generic.Subheading": "bold",
    "Keyword": "magenta",
    "Literal.Number": "cyan",
    "Literal.String": "green",
    "Name.Attribute": "cyan",
    "Name.Builtin": "cyan",
    "Name.Class": "bold",
    "Name.Decorator": "cyan",
    "Name.Function": "bold",
    "Name.Tag": "bold",
    "Operator.Word": "magenta",
}
"""How tokens of Pygments are shown. A terminal's background is not known: of its own colors these three alone have a
contrast of 2 or more on black and on white with the palettes of xterm, PuTTY, VGA, Windows, macOS, Tango and VS Code;
blue and red vanish on black, yellow and whatever is bright on white."""

HIGHLIGHTED = 1 << 18
"""Characters of one stretch that are highlighted at most: colors take about a second for this many."""

CODE = {".py": "python", ".js": "javascript", ".ts": "typescript", ".sh": "bash", ".c": "c", ".rs": "rust", ".go": "go"}


def lexer_of(target: Target) -> str | None:
    """The name of the lexer for what a target holds, where there is one."""
    return LEXERS.get(target.media_type.name) or CODE.get(os.path.splitext(target.name)[1])


def show_excerpt(found: Excerpt, lexer: str | None, target: Target, look: Look) -> int:
    """Print an excerpt, highlighted by `lexer`, and what there is to say about it; the exit status."""
    text = "".join(_colored(found, lexer) if lexer else found.pieces)
    if not _paged(text):
        streams.write(text.encode("utf-8", "replace"))
    look.say(found.notes)
    look.go_on("peek", found.go_on, [target.argument])
    return found.status


def _colored(found: Excerpt, lexer: str) -> Iterator[str]:
    """The pieces with what is the text's own highlighted, each stretch of it as one."""
    from rich.console import Console
    from rich.style import Style
    from rich.syntax import ANSISyntaxTheme, Syntax

    console = Console(force_terminal=True, soft_wrap=True)
    theme = ANSISyntaxTheme({tuple(token.split(".")): Style.parse(style) for token, style in STYLES.items()})
    for told, pieces in groupby(found.pieces, lambda piece: isinstance(piece, Told)):
        text = "".join(pieces)
        if told or console.no_color or len(text) > HIGHLIGHTED:
            yield text
        else:
            with console.capture() as capture:
                console.print(Syntax(text, lexer, theme=theme).highlight(text), end="")
            yield capture.get()


def _paged(text: str) -> bool:
    """Show a long text in the user's pager; False where there is none or no need of it."""
    pager = os.environ.get("PAGER")
    if not pager or not (streams.is_terminal(streams.INPUT) and streams.is_terminal(streams.OUTPUT)):
        return False
    if text.count("\n") < shutil.get_terminal_size().lines:
        return False
    environ = {"LESS": "FRX", **os.environ}
    done = subprocess.run(pager, shell=True, input=text.encode("utf-8", "replace"), env=environ, check=False)
    return done.returncode not in (126, 127)
