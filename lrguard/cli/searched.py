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
from lrguard.records import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(slots=True)
class Wanted:
    """What a command line of `grep` asks for, by the names of the command's parameters."""

    words: list[str] | None = None
    patterns: list[str] | None = None
    fixed: bool = False
    ignore_case: bool = False
    whole_words: bool = False
    invert: bool = False
    count: bool = False
    names: bool = False
    only: bool = False
    most: int | None = None
    after: int = 0
    before: int = 0
    context: int = 0
    skip: int = 0
    window: int = WINDOW
    path: str | None = None
    record: bool = False
    everything: bool = False
    line_number: bool = False
    extended: bool = False
    session: str | None = None
    tool: str | None = None
    call_id: str | None = None
    max_tokens: int | None = None
    saved_only: bool = False
    json: bool = False
    encoding: str | None = None
    quiet: bool = False

    def check(self) -> None:
        """Raise LrguardError where a number is none that makes sense."""
        numbers = {
            "-m": self.most, "-A": self.after, "-B": self.before, "-C": self.context,
            "--skip": self.skip, "--window": self.window,
        }  # fmt: skip
        for name, value in numbers.items():
            if value is not None and value < 0:
                raise LrguardError(f"cannot use {name}", f"{value} is negative")

    def again(self, most: int | None) -> list[str]:
        """The options that go on searching as these did, for so many matches at most."""
        return _written({
            "-F": self.fixed, "-i": self.ignore_case, "-w": self.whole_words, "-v": self.invert, "-o": self.only,
            "--record": self.record, "--json": self.json, "--all": self.everything,
            "-A": self.after or None, "-B": self.before or None, "-C": self.context or None, "-m": most,
            "--window": None if self.window == WINDOW else self.window,
            "--path": self.path, "--tool": self.tool, "--max-tokens": self.max_tokens,
        })  # fmt: skip


def searched(wanted: Wanted) -> int:
    """Search and print what fits; the exit status."""
    patterns, targets = _patterns_and_targets(wanted.patterns, wanted.words)
    wanted.check()
    pattern = compile_patterns(patterns, PatternOptions(wanted.fixed, wanted.ignore_case, wanted.whole_words))
    with looking(
        wanted.session,
        wanted.call_id,
        wanted.max_tokens,
        encoding=wanted.encoding,
        saved_only=wanted.saved_only,
        quiet=wanted.quiet,
    ) as look:
        wanted.everything |= bool(wanted.tool and not targets)
        search = _Search(pattern, look, wanted)
        totals = search.run(list(all_responses(look.choice, wanted.tool)) if wanted.everything else targets or [None])
        answer = search.report.finish()
        look.say([*pattern.notes, *search.failures()])
        if wanted.quiet or not answer.total:
            if not answer.total and not wanted.quiet:
                searched = ", ".join(name for name, _ in totals[:5]) or "nothing"
                streams.note(f"no match for {' or '.join(patterns)[:200]} in {searched}")
            return DONE if answer.total else NO
        if wanted.names or wanted.count:
            lines = _names(totals) if wanted.names else _counts(totals)
            streams.write("".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
            return DONE
        streams.write(answer.text.encode("utf-8", "replace"))
        look.say(answer.notes)
        if answer.go_on:
            again = wanted.again(None if wanted.most is None else wanted.most - search.report.taken)
            options = [*answer.go_on, *again, *(word for one in patterns for word in ("-e", one))]
            look.go_on("grep", options, () if wanted.everything else targets or [totals[0][0]])
        return answer.status


class _Search:
    """One pattern on its way through the targets."""

    def __init__(self, pattern: Pattern, look: Look, wanted: Wanted) -> None:
        self._pattern, self._look, self._wanted = pattern, look, wanted
        self._show = Show.MATCH if wanted.only else Show.WINDOW
        self._unsearched: list[str] = []
        # What is not printed need not be kept: one match stands for all.
        bound = 1 if wanted.count or wanted.names or wanted.quiet else look.bound
        layout = Layout(wanted.before or wanted.context, wanted.after or wanted.context, wanted.json)
        self.report = Report(bound, look.count, layout, wanted.skip, 1 if wanted.quiet else wanted.most)

    def run(self, references: Sequence[str | None]) -> list[tuple[str, int]]:
        """Search these until nothing more is wanted; the name of each and the number of its matches."""
        totals = []
        for reference in references:
            try:
                totals.append(self._one(reference, named=len(references) > 1))
            except LrguardError as error:
                # Of everything, what cannot be searched, such as a picture, does not stand in the way of the rest.
                if not self._wanted.everything:
                    raise
                self._unsearched.append(f"{error.what}: {error.why}")
            if self.report.done:
                break
        return totals

    def failures(self) -> list[str]:
        """What could not be searched, the first few."""
        failed = self._unsearched
        more = [f"{len(failed) - 3} more could not be searched"] if len(failed) > 3 else []
        return [*failed[:3], *more]

    def _one(self, reference: str | None, *, named: bool) -> tuple[str, int]:
        wanted = self._wanted
        with open_target(reference, self._look.choice) as target:
            name = target.name if named else ""
            if self._is_json(target):
                return target.name, self._json(target, name)
            if wanted.path is not None or wanted.record:
                raise LrguardError(f"cannot search {target.name} by path", f"it is {target.media_type.name}, no JSON")
            query = TextQuery(self._pattern, wanted.window, self._show, wanted.invert)
            return target.name, self.report.text(target.readable(), query, name)

    def _is_json(self, target: Target) -> bool:
        wanted = self._wanted
        by_path = wanted.path is not None or wanted.record
        return target.kind in JSON and not wanted.invert and (not target.is_mcp or by_path)

    def _json(self, target: Target, name: str) -> int:
        text, shape, path = target.whole(), shape_of(target.kind), self._wanted.path
        within = None if path is None else list(locate(text, path, shape))
        if within == []:
            self._look.say([f"{target.name} has nothing at {path}"])
        wanted = self._wanted
        query = JsonQuery(self._pattern, wanted.window, self._show, within=within, records=wanted.record)
        return self.report.json(text, shape, query, name)


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


def _written(options: Mapping[str, str | int | bool | None]) -> list[str]:
    """Options as they are written on a command line; those that are None or False are not."""
    words: list[str] = []
    for flag, value in options.items():
        if value is True:
            words.append(flag)
        elif value is not None and value is not False:
            words += [flag, str(value)] if not str(value).startswith("-") else [f"{flag}={value}"]
    return words
