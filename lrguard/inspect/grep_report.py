"""What `grep` prints, over one text or several: as much as fits, how many there are, and how to go on.

Matches are numbered over all texts in order, so that `--skip` means the same whatever fitted before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from lrguard.errors import DONE, NO
from lrguard.inspect.context import Line, lines_after, lines_before
from lrguard.inspect.excerpt import BYTES_A_TOKEN, Count, Page, decode, head_that_fits, shown
from lrguard.inspect.grep_json import OTHER, JsonQuery, JsonTotals, Unit, record_bytes, search_json, value_after
from lrguard.inspect.grep_text import Hit, Show, TextQuery, Totals, search_text
from lrguard.inspect.json_tokens import Shape
from lrguard.inspect.peek_path import one_line
from lrguard.inspect.window import CUT, window_around
from lrguard.intake.source import Source
from lrguard.records import dataclass, replace

_MARK_TOKENS = 40
_FACETS_SHOWN = 12

AnyQuery = TypeVar("AnyQuery", TextQuery, JsonQuery)


@dataclass(frozen=True, slots=True)
class Answer:
    """What to print and to say: `notes` go to standard error, `go_on` are the options for the next part."""

    text: str
    notes: tuple[str, ...]
    go_on: tuple[str, ...]
    total: int
    status: int


class Layout(NamedTuple):
    """How matches are printed: lines of context, or one JSON object a match."""

    before: int = 0
    after: int = 0
    as_json: bool = False


class Report:
    """Collects the matches of one text after the other in at most `tokens` (0: no bound), `skip` of them left out."""

    def __init__(self, tokens: int, count: Count, layout: Layout, skip: int = 0, most: int | None = None) -> None:
        self._page = Page(max(1, tokens - _MARK_TOKENS) if tokens else 0, count)
        self._count, self._layout = count, layout
        self._skip, self._most = skip, most
        self._passed = self._taken = self.total = 0
        self._complete = True
        self._notes: list[str] = []
        self._last_line = 0
        self._waiting: list[Line] = []
        self._full = False

    def text(self, text: Source, query: TextQuery, name: str = "") -> int:
        """Search a text; how many matches it has. `name` stands before each line where there are several texts."""
        prefix = f"{shown(name)}:" if name else ""
        self._last_line, self._waiting = 0, []

        def take(hit: Hit) -> bool:
            if self._layout.as_json:
                return self._add(_text_object(hit, name))
            return self._add_hit(text, query, hit, prefix)

        totals = search_text(text, self._next(query), take)
        self._add_waiting(prefix)
        self._ended(totals, name)
        if totals.pieces:
            self._notes.append("a line is longer than 16 MiB and was searched in pieces of that length")
        return totals.total

    def json(self, text: Source, shape: Shape, query: JsonQuery, name: str = "") -> int:
        """Search the keys and values of a JSON text; how many matches it has. Totals and facets come before them."""
        page, first = self._page, len(self._page.lines)
        prefix = f"{shown(name)}:" if name else ""
        head_room = page.tokens // 4 if page.tokens else 0
        page.tokens -= 0 if self._layout.as_json else head_room

        def take(unit: Unit) -> bool:
            if self._layout.as_json:
                return self._add(_json_object(text, unit, query, name, page.tokens))
            return self._add(_unit_line(text, unit, query, prefix, page.tokens))

        totals = search_json(text, shape, self._next(query), take)
        page.tokens += 0 if self._layout.as_json else head_room
        if totals.total and not self._layout.as_json:
            self._add_head(totals, first, head_room, prefix)
        self._ended(totals, name)
        if totals.stray is not None:
            self._notes.append(
                f"{name or 'the text'} is no JSON from byte {totals.stray} on, and was not searched there"
            )
        if totals.broken:
            self._notes.append(f"{_lines(totals.broken)} no JSON and not searched")
        return totals.total

    def finish(self) -> Answer:
        """What to print."""
        seen = self._skip + self._taken
        at_least = "" if self._complete else "at least "
        cut = seen < self.total and not (self._most is not None and self._taken >= self._most)
        lines = list(self._page.lines)
        go_on: tuple[str, ...] = ()
        if cut:
            go_on = ("--skip", str(seen))
            if self._layout.as_json:
                lines.append(f'{{"cut": true, "total": {self.total}, "skip": {seen}}}\n')
            else:
                lines.append(
                    f"[cut here: {at_least}{self.total} matches, {self._taken} shown; --skip {seen} shows the next]\n"
                )
        elif self.total > 1:
            self._notes.append(f"{at_least}{self.total} matches")
        if self._skip and self.total and not self._taken and not cut:
            self._notes.append(f"--skip {self._skip} leaves none of them")
        return Answer("".join(lines), tuple(self._notes), go_on, self.total, DONE if self.total else NO)

    @property
    def taken(self) -> int:
        """How many matches are shown."""
        return self._taken

    @property
    def done(self) -> bool:
        """Whether as many matches as were asked for have been taken."""
        return self._most is not None and self._taken >= self._most

    def _next(self, query: AnyQuery) -> AnyQuery:
        """The query for the next text: what is left to skip and to take, and a match each where each is an object."""
        most = None if self._most is None else max(0, self._most - self._taken)
        show = Show.EACH if self._layout.as_json and query.show is Show.WINDOW else query.show
        return replace(query, skip=max(0, self._skip - self.total), most=most, show=show)

    def _ended(self, totals: Totals, name: str) -> None:
        self.total += totals.total
        self._taken += totals.taken
        self._complete &= totals.complete
        if totals.encoded:
            self._notes.append(f"{totals.encoded} more inside base64 in {name or 'the text'} are not counted")

    def _add(self, lines: str) -> bool:
        if self._full:
            return False
        if self._page.add(lines):
            return True
        self._full = True
        if self._page.lines:
            return False
        # The first one must be shown, or there would be no going on.
        fits = head_that_fits(lines, max(1, self._page.tokens), self._count)
        self._page.lines.append(lines[:fits].rstrip("\n") + CUT + "\n")
        return True

    def _add_hit(self, text: Source, query: TextQuery, hit: Hit, prefix: str) -> bool:
        # More lines of context than there are tokens do not fit, and are not read.
        before, after = (min(lines, self._page.tokens or lines) for lines in self._layout[:2])
        line = f"{prefix}{hit.line}:{hit.column}:{hit.window.render()}{_times(hit.matches)}\n"
        if not before and not after:
            return self._add(line)
        around = [context for context in self._waiting if context.number < hit.line]
        printed = around[-1].number if around else self._last_line
        around += [context for context in lines_before(text, hit, before, query.window) if context.number > printed]
        shown_before = "".join(_context(around, self._last_line, hit.line, prefix))
        if not self._page.add(shown_before + line):
            if self._page.lines:
                self._add_waiting(prefix)
                self._full = True
                return False
            self._add_nearest(around, line, prefix)
        self._last_line = hit.line
        self._waiting = lines_after(text, hit, after, query.window)
        return True

    def _add_nearest(self, around: list[Line], line: str, prefix: str) -> None:
        """Take the first hit with as many of the lines before it as fit, the nearest ones."""
        wanted = len(around)
        while around and not self._page.add(_left_out(wanted - len(around)) + _lines_of(around, prefix) + line):
            around = around[(len(around) + 1) // 2 :]
        if not around:
            self._add(_left_out(wanted) + line)

    def _add_waiting(self, prefix: str) -> None:
        """Take the lines of context behind the last hit, as many as fit."""
        waiting, self._waiting = self._waiting, []
        for number, line in enumerate(waiting):
            if self._full or not self._page.add(_lines_of([line], prefix)):
                if not self._full:
                    self._page.lines.append(_left_out(len(waiting) - number))
                self._full = True
                return

    def _add_head(self, totals: JsonTotals, at: int, room: int, prefix: str) -> None:
        head = Page(room, self._count)
        at_least = "" if totals.complete else "at least "
        head.add(f"{prefix}{at_least}{totals.total} match{'es' * (totals.total > 1)}\n")
        facets = sorted(totals.facets.items(), key=lambda facet: (facet[0] == OTHER, -facet[1]))
        for number, (path, matches) in enumerate(facets):
            if number == _FACETS_SHOWN or not head.add(f"  {shown(path)} ×{matches}\n"):
                head.lines.append(f"  and {len(facets) - number} more paths\n")
                break
        if at < len(self._page.lines):
            head.lines.append("\n")
        self._page.lines[at:at] = head.lines
        self._page.spend("".join(head.lines))


def _context(around: list[Line], last: int, hit: int, prefix: str) -> Iterator[str]:
    """Lines of context before the line `hit`, and marks where they do not follow on line `last` or on each other."""
    for context in around:
        if last and context.number > last + 1:
            yield "--\n"
        last = context.number
        yield _lines_of([context], prefix)
    if last and hit > last + 1:
        yield "--\n"


def _lines_of(context: list[Line], prefix: str) -> str:
    return "".join(f"{prefix}{line.number}-{line.window.render()}\n" for line in context)


def _left_out(lines: int) -> str:
    return f"[cut here: {lines} line{'s' * (lines > 1)} of context left out]\n" if lines else ""


def _lines(number: int) -> str:
    return "1 line is" if number == 1 else f"{number} lines are"


def _times(matches: int) -> str:
    return f" [×{matches}]" if matches > 1 else ""


def _unit_line(text: Source, unit: Unit, query: JsonQuery, prefix: str, tokens: int) -> str:
    if query.records:
        where = unit.record_path if unit.record_path is not None else f"(too deep for a path) byte {unit.record}"
        raw, whole = record_bytes(text, unit, (tokens or 2**20) * BYTES_A_TOKEN)
        return f"{prefix}{shown(where)}{_times(unit.matches)}: {shown(decode(one_line(raw)))}{'' if whole else CUT}\n"
    where = unit.path if unit.path is not None else f"(too deep for a path) byte {unit.span.start}"
    body = unit.window.render()
    if unit.is_key:
        raw = value_after(text, unit.span, 4 * query.window + 4)
        value = window_around(raw, 0, 0, 0, len(raw), query.window)
        key = f" (key {body})" if unit.path is None or unit.window.cut_left or unit.window.cut_right else " (key)"
        body = value._replace(text=value.text.replace("\n", " "), cut_right=value.end < len(raw)).render()
        return f"{prefix}{shown(where)}{key}{_times(unit.matches)}: {body}\n"
    return f"{prefix}{shown(where)}{_times(unit.matches)}: {body}\n"


def _text_object(hit: Hit, name: str) -> str:
    import json

    fields: dict[str, object] = {"name": name} if name else {}
    fields |= {"line": hit.line, "column": hit.column, "match": valid(hit.match.text), "window": valid(hit.window.text)}
    return json.dumps(fields, ensure_ascii=False) + "\n"


def valid(text: str) -> str:
    """A window's characters as a JSON string may hold them: what is no UTF-8, and halves of pairs, as U+FFFD."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _json_object(text: Source, unit: Unit, query: JsonQuery, name: str, tokens: int) -> str:
    import json

    fields: dict[str, object] = {"name": name} if name else {}
    fields |= {"path": unit.path, "key": unit.is_key, "byte": unit.span.start}
    fields |= {"match": valid(unit.match.text), "window": valid(unit.window.text)}
    if query.records:
        raw, whole = record_bytes(text, unit, (tokens or 2**20) * BYTES_A_TOKEN)
        fields |= {
            "record_path": unit.record_path,
            "record": valid(decode(one_line(raw))),
            "record_whole": whole,
        }
    return json.dumps(fields, ensure_ascii=False) + "\n"
