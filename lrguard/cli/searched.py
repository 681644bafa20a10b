"""The work of `grep`: searches saved responses and prints what fits.

It knows nothing of Typer, so that the plain forms of the command can be answered without it.
"""

from __future__ import annotations

from lrguard.cli import streams
from lrguard.cli.grep_options import WINDOW
from lrguard.cli.looking import Look, looking, shape_of
from lrguard.cli.target import Target, all_responses, open_target
from lrguard.errors import DONE, NO, LrguardError
from lrguard.inspect.grep_json import JsonQuery
from lrguard.inspect.grep_report import Layout, Report
from lrguard.inspect.grep_text import Show, TextQuery
from lrguard.inspect.locate import locate
from lrguard.inspect.pattern import Pattern, PatternOptions, compile_patterns
from lrguard.reading import JSON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def searched(
    words: list[str] | None = None,
    patterns: list[str] | None = None,
    *,
    fixed: bool = False,
    ignore_case: bool = False,
    whole_words: bool = False,
    invert: bool = False,
    count: bool = False,
    names: bool = False,
    only: bool = False,
    most: int | None = None,
    after: int = 0,
    before: int = 0,
    context: int = 0,
    skip: int = 0,
    window: int = WINDOW,
    path: str | None = None,
    record: bool = False,
    everything: bool = False,
    line_number: bool = False,
    extended: bool = False,
    session: str | None = None,
    tool: str | None = None,
    call_id: str | None = None,
    max_tokens: int | None = None,
    saved_only: bool = False,
    json: bool = False,
    encoding: str | None = None,
    quiet: bool = False,
) -> int:
    """Search with the command's parameters; the exit status."""
    wanted, targets = _patterns_and_targets(patterns, words)
    for name, value in (
        ("-m", most),
        ("-A", after),
        ("-B", before),
        ("-C", context),
        ("--skip", skip),
        ("--window", window),
    ):
        if value is not None and value < 0:
            raise LrguardError(f"cannot use {name}", f"{value} is negative")
    pattern = compile_patterns(wanted, PatternOptions(fixed, ignore_case, whole_words))
    show = Show.MATCH if only else Show.WINDOW
    layout = Layout(before or context, after or context, json)
    with looking(session, call_id, max_tokens, encoding=encoding, saved_only=saved_only, quiet=quiet) as look:
        everything = everything or bool(tool and not targets)
        references: list[str | None] = list(targets) or [None]
        if everything:
            references = list(all_responses(look.choice, tool))
        # What is not printed need not be kept: one match stands for all.
        report = Report(1 if count or names or quiet else look.bound, look.count, layout, skip, 1 if quiet else most)
        search = _Search(pattern, look, report, path, window, show, invert=invert, records=record)
        totals: list[tuple[str, int]] = []
        unsearched: list[str] = []
        for reference in references:
            try:
                totals.append(search.run(reference, named=len(references) > 1))
            except LrguardError as error:
                # Of everything, what cannot be searched, such as a picture, does not stand in the way of the rest.
                if not everything:
                    raise
                unsearched.append(f"{error.what}: {error.why}")
            if report.done:
                break
        answer = report.finish()
        look.say([*pattern.notes, *_unsearched(unsearched)])
        if quiet or not answer.total:
            if not answer.total and not quiet:
                searched = ", ".join(name for name, _ in totals[:5]) or "nothing"
                streams.note(f"no match for {' or '.join(wanted)[:200]} in {searched}")
            return DONE if answer.total else NO
        if names or count:
            lines = _names(totals) if names else _counts(totals)
            streams.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
            return DONE
        streams.write(answer.text.encode("utf-8", "replace"))
        look.say(answer.notes)
        if answer.go_on:
            again = {
                "-F": fixed, "-i": ignore_case, "-w": whole_words, "-v": invert, "-o": only, "--record": record,
                "--json": json, "--all": everything,
                "-A": after or None, "-B": before or None, "-C": context or None,
                "-m": None if most is None else most - report.taken,
                "--window": None if window == WINDOW else window,
                "--path": path, "--tool": tool, "--max-tokens": max_tokens,
            }  # fmt: skip
            options = [*answer.go_on, *_written(again), *(word for one in wanted for word in ("-e", one))]
            look.go_on("grep", options, () if everything else targets or [totals[0][0]])
        return answer.status


class _Search:
    """One pattern on its way through the targets."""

    def __init__(
        self,
        pattern: Pattern,
        look: Look,
        report: Report,
        path: str | None,
        window: int,
        show: Show,
        *,
        invert: bool,
        records: bool,
    ) -> None:
        self._pattern, self._look, self._report = pattern, look, report
        self._path, self._window, self._show = path, window, show
        self._invert, self._records = invert, records

    def run(self, reference: str | None, *, named: bool) -> tuple[str, int]:
        """Search one target; its name and the number of its matches."""
        with open_target(reference, self._look.choice) as target:
            name = target.name if named else ""
            if self._is_json(target):
                return target.name, self._json(target, name)
            if self._path is not None or self._records:
                raise LrguardError(f"cannot search {target.name} by path", f"it is {target.media_type.name}, no JSON")
            query = TextQuery(self._pattern, self._window, self._show, self._invert)
            return target.name, self._report.text(target.readable(), query, name)

    def _is_json(self, target: Target) -> bool:
        return (
            target.kind in JSON and not self._invert and (not target.is_mcp or self._path is not None or self._records)
        )

    def _json(self, target: Target, name: str) -> int:
        text, shape = target.whole(), shape_of(target.kind)
        within = None if self._path is None else list(locate(text, self._path, shape))
        if within == []:
            self._look.say([f"{target.name} has nothing at {self._path}"])
        query = JsonQuery(self._pattern, self._window, self._show, within=within, records=self._records)
        return self._report.json(text, shape, query, name)


def _patterns_and_targets(patterns: list[str] | None, words: list[str] | None) -> tuple[list[str], list[str]]:
    if patterns:
        return patterns, words or []
    if not words:
        raise LrguardError("there is no pattern", remedy="lrguard grep PATTERN [ID]..")
    return [words[0]], words[1:]


def _names(totals: list[tuple[str, int]]) -> list[str]:
    return [name for name, total in totals if total]


def _counts(totals: list[tuple[str, int]]) -> list[str]:
    return [str(totals[0][1])] if len(totals) == 1 else [f"{name}:{total}" for name, total in totals]


def _unsearched(errors: list[str]) -> list[str]:
    more = [f"{len(errors) - 3} more could not be searched"] if len(errors) > 3 else []
    return [*errors[:3], *more]


def _written(options: Mapping[str, str | int | bool | None]) -> list[str]:
    """Options as they are written on a command line; those that are None or False are not."""
    words: list[str] = []
    for flag, value in options.items():
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, str(value)] if not str(value).startswith("-") else [f"{flag}={value}"]
    return words
