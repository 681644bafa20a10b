"""What the commands that look back share: a bound on what they print, and the word on how to go on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from lrguard.cli import streams
from lrguard.cli.target import Choice
from lrguard.inspect.excerpt import Excerpt
from lrguard.inspect.json_tokens import Shape
from lrguard.intake.text_kind import TextKind
from lrguard.options import OPTIONS
from lrguard.place import bound_for, counter_for, session_for
from lrguard.records import dataclass
from lrguard.settings import Settings, resolve


@dataclass(frozen=True, slots=True)
class Look:
    """One call of a command that looks back."""

    choice: Choice
    settings: Settings
    bound: int
    count: Callable[[str], int]

    def say(self, notes: Sequence[str]) -> None:
        """Put notes on standard error, unless they are not wanted."""
        streams.notes(notes, quiet=self.settings.quiet)

    def go_on(self, command: str, options: Sequence[str], targets: Sequence[str]) -> None:
        """Say which command shows the next part."""
        if options:
            from shlex import join

            named = ["-s", self.settings.session] if self.settings.session else []
            self.say([f"the next part: {join(['lrguard', command, *options, *named, *targets])}"])

    def show(self, excerpt: Excerpt, command: str, targets: Sequence[str]) -> int:
        """Print an excerpt and what there is to say about it; the exit status."""
        streams.write_all(piece.encode("utf-8", "replace") for piece in excerpt.pieces)
        self.say(excerpt.notes)
        self.go_on(command, excerpt.go_on, targets)
        return excerpt.status


@contextmanager
def looking(
    session: str | None,
    call_id: str | None,
    max_tokens: int | None,
    *,
    encoding: str | None,
    saved_only: bool,
    quiet: bool,
) -> Iterator[Look]:
    """The call that these options make."""
    given = {"session": session, "encoding": encoding, "quiet": quiet or None}
    settings = resolve(given, os.environ)
    streams.notes(settings.notes, quiet=quiet)
    with session_for(settings) as opened:
        choice = Choice(opened, _only_saved(saved_only), call_id, quiet)
        yield Look(choice, settings, bound_for(max_tokens, settings), counter_for(settings).text)


def shape_of(kind: TextKind | None) -> Shape:
    """How the documents of a text of this kind are addressed by a path."""
    return Shape.SERIES if kind in (TextKind.JSON_LINES, TextKind.JSON_SEQUENCE) else Shape.ONE


def _only_saved(option: bool) -> bool:
    """Whether only saved responses may be read: the environment says so for good, whatever the option says."""
    return option or os.environ.get(OPTIONS["saved_only"].environment, "") not in ("", "0")
