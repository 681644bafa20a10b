"""`lrguard count [FILE..]`: the tokens of texts, as `wc` counts words."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated

import typer

from lrguard.cli import parameters as p
from lrguard.cli import streams
from lrguard.cli.app import application
from lrguard.errors import DONE, LrguardError
from lrguard.intake.encoding import detect, to_utf8
from lrguard.intake.receive import Unspooled, receive
from lrguard.intake.sanitize import visible
from lrguard.intake.source import Spool
from lrguard.measure.tokens import Count, Counter
from lrguard.place import cache_folder, temporary_file
from lrguard.settings import resolve

HELP = """Print the number of tokens of each FILE (standard input without one) and, of several, their total."""

app = application()


@app.command(help=HELP)
def count(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE].."),
    ] = None,
    encoding: p.Encoding = None,
    json: p.AsJson = False,
) -> int:
    """Count the tokens of texts."""
    settings = resolve({"encoding": encoding}, os.environ)
    counter = Counter(settings.encoding, cache_folder(os.environ))
    counts: list[tuple[str | None, Count]] = []
    failed: LrguardError | None = None
    for name in files or ("-",):
        try:
            counts.append((name if files else None, _count(name, counter)))
        except LrguardError as error:
            failed = error
            streams.note(str(error))
    if len(files or []) > 1:
        total = Count(sum(c.tokens for _, c in counts), all(c.exact for _, c in counts))
        counts.append(("total", total))
    streams.write(
        (_as_json(counts, settings.encoding) if json else _as_columns(counts)).encode("utf-8", "surrogateescape")
    )
    return failed.status if failed else DONE


def _count(name: str, counter: Counter) -> Count:
    opened: list[int] = []

    def make_file() -> int:
        opened.append(temporary_file())
        return opened[-1]

    try:
        return _tokens(name, counter, make_file, opened)
    finally:
        # There may be more files than a process may have open.
        for descriptor in opened:
            os.close(descriptor)


def _tokens(name: str, counter: Counter, make_file: Callable[[], int], opened: list[int]) -> Count:
    shown = "standard input" if name == "-" else name
    try:
        received = receive(streams.readable(name, opened), make_file)
    except Unspooled as error:
        raise LrguardError(f"cannot count {shown}", error.why) from None
    if received.failure:
        raise LrguardError(f"cannot read {shown}", received.failure)
    encoding = detect(received.source, received.scan)
    if encoding is None:
        raise LrguardError(f"cannot count {shown}", "it is binary data")
    return counter.whole(to_utf8(received.source, encoding, Spool(make_file)))


def _as_columns(counts: list[tuple[str | None, Count]]) -> str:
    numbers = [f"{'' if count.exact else '~'}{count.tokens}" for _, count in counts]
    width = max((len(number) for number in numbers), default=0)
    return "".join(
        f"{number:>{width}} {_on_a_line(name)}\n" if name is not None else f"{number}\n"
        for number, (name, _) in zip(numbers, counts, strict=True)
    )


def _on_a_line(name: str) -> str:
    """A file's name as a person may see it: whoever named it may have meant to drive a terminal."""
    return visible(name).replace("\n", "\\n").replace("\t", "\\t")


def _as_json(counts: list[tuple[str | None, Count]], encoding: str) -> str:
    import json

    return "".join(
        json.dumps({"file": name, "tokens": count.tokens, "exact": count.exact, "encoding": encoding}) + "\n"
        for name, count in counts
    )
