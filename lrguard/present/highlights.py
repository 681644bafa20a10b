"""The lines of a log that most look like errors.

A cheap search for a handful of words finds candidates; only those are looked at closely, since a word such as "error"
stands in many lines that report none ("0 errors", "error_rate=0.0"). The text is gone through from its end, where a log
tells what made it end, so that looking can stop early in one that is all errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, islice

from lrguard.intake.graphemes import grapheme_cut
from lrguard.intake.sanitize import visible
from lrguard.intake.source import CHUNK, Source
from lrguard.patterns import pattern
from lrguard.records import dataclass

TYPE_CHECKING = False  # `typing` takes 4 ms to import
if TYPE_CHECKING:
    from typing import Any

MOST = 5
WIDTH = 200
"""Characters shown of a line."""
SCANNED = 64 * 1024 * 1024
"""Bytes beyond which only both ends are looked at."""
SAMPLE = 8 * 1024 * 1024
LONG_LINE = 64 * 1024
"""Bytes of a line that are looked at around a word."""
BEFORE, BEHIND = 400, 800
"""Bytes of a long line that are shown from before and behind a word, at most."""
CANDIDATES = 20_000
"""Lines looked at closely."""

WORDS = (
    *(
        b"err",
        b"fail",
        b"fatal",
        b"panic",
        b"critical",
        b"emerg",
        b"exception",
        b"traceback",
        b"uncaught",
        b"unhandled",
    ),
    *(b"segmentation fault", b"core dumped", b"out of memory", b"oom-kill", b"denied", b"abort", b"could not"),
    *(
        b"unable to",
        b"not found",
        b"no such file",
        b"refused",
        b"timed out",
        b"exit status",
        b"exit code",
        b"exited with",
    ),
)
"""What a line must hold, in either case, to be looked at closely; `SEVERITIES` ask for more."""

HARMLESS = pattern(
    r"(?i)\b(?:no|0|zero|without|ignor\w+) (?:\w+ )?(?:errors?|failures?|exceptions?|failed)\b"
    r"|\b(?:errors?|fail(?:ed|ures?)?|exceptions?)[\"']?\s*[=:]\s*[\"']?"
    r"(?:0(?![.\d])|0\.0+\b|none|null|false|nil|\[\]|\"\")"
)
CODE = pattern(
    r"\s*(?:except|raise|catch|throws?|class|def|import|from|return|if|elif|func|fn|public|private|#|//|\*)\b"
)
"""Lines that speak of errors because they are source code."""

THE_END = 5
SEVERITIES = (
    (THE_END, pattern(r"\b(?:FATAL|PANIC|CRITICAL|EMERG(?:ENCY)?)\b|^\W*(?:fatal|panic)\b|\b(?:fatal|panic):")),
    (THE_END, pattern(r"(?i)\b(?:fatal error|kernel panic|panicked at|segmentation fault|core dumped|oom-kill)")),
    (THE_END, pattern(r"(?i)\bout of memory\b|\blevel[\"']?[=:]\s*[\"']?(?:fatal|panic|crit|emerg)")),
    (4, pattern(r"^Traceback \(|(?:^|[\s:\[(])[\w.$]*(?:Error|Exception):\s|^[\w.$]*(?:Error|Exception)$")),
    (4, pattern(r"(?i)\b(?:uncaught|unhandled) \w*(?:exception|rejection|error)|\bassertion failed\b")),
    (4, pattern(r"\bERR(?:OR)?\b|(?i:(?:^|[\s\[(<|\"'])error(?:\[\w+\])?\s*[:\]>])")),
    (4, pattern(r"(?i)\blevel[\"']?[=:]\s*[\"']?err")),
    (3, pattern(r"\bFAIL(?:ED|URE)?\b|(?i:\b[1-9]\d* (?:errors?|failures?|failed)\b)")),
    (3, pattern(r"(?i)\b(?:failed (?:to|with)|failure:|could not|unable to|(?:permission|access) denied)\b")),
    (3, pattern(r"(?i)\b(?:no such file|connection refused|timed out|command not found|aborted)\b")),
    (3, pattern(r"(?i)\b(?:exit (?:status|code)|exited with(?: (?:status|code))?):? [1-9]")),
)
"""How severe a line is that matches, the severest first: marks that programs put there, not words that prose uses."""


@dataclass(frozen=True, slots=True)
class Highlight:
    """A line that looks like an error: its number from 1, how severe it is, and the part of it to show."""

    line: int
    severity: int
    text: str


def highlights(text: Source, newlines: int | None = None) -> list[Highlight]:
    """At most `MOST` lines, in the order of the text: the severest, of equals the last.

    `newlines` is how many line feeds the text has, where that is known. Of a text over `SCANNED` bytes only both ends
    are searched.
    """
    if newlines is None:
        newlines = sum(chunk.count(b"\n") for chunk in text.chunks())
    if text.size <= SCANNED:
        return _strongest(_backwards(text, 0, text.size, newlines))
    head = sum(chunk.count(b"\n") for chunk in text.chunks(0, SAMPLE))
    return _strongest(
        chain(_backwards(text, text.size - SAMPLE, text.size, newlines), _backwards(text, 0, SAMPLE, head))
    )


def _strongest(candidates: Iterator[tuple[int, bytes, int]]) -> list[Highlight]:
    found: list[Highlight] = []
    for number, line, at in islice(candidates, CANDIDATES):
        severity, shown = _judge(line, at, found[-1].severity if len(found) == MOST else 0)
        if severity:
            found.append(Highlight(number, severity, shown))
            found.sort(key=lambda h: -h.severity)  # stable: of equals the one nearer to the end stays first
            del found[MOST:]
            if len(found) == MOST and found[-1].severity == THE_END:
                break
    return sorted(found, key=lambda h: h.line)


def _backwards(text: Source, start: int, end: int, newlines: int) -> Iterator[tuple[int, bytes, int]]:
    """Lines with one of the words, the last first: their numbers, their bytes around it, and where in them it stands.

    `newlines` is how many of them there are before `end`.
    """
    rest = b""
    while end > start:
        begin = max(end - CHUNK, start)
        block = text.read(begin, end) + rest
        first = 0 if begin == start or len(block) > CHUNK + LONG_LINE else block.find(b"\n") + 1
        if not first and begin > start and len(block) <= CHUNK + LONG_LINE:
            first = len(block)
        part, rest = block[first:], block[:first]
        behind = len(part)
        for at, line, word in reversed(_in_block(part)):
            newlines -= part.count(b"\n", at, behind)
            behind = at
            yield 1 + newlines, line, word
        newlines -= part.count(b"\n", 0, behind)
        end = begin


def _in_block(block: bytes) -> list[tuple[int, bytes, int]]:
    """Of each line with one of the words: where it begins, its bytes around the word, and where in them that stands."""
    found = []
    for match in _words().finditer(block):
        at, end = match.span()
        line = block.rfind(b"\n", 0, at) + 1
        begin = max(line, at - LONG_LINE)
        found.append((line, block[begin : min(end, at + LONG_LINE)], at - begin))
    return found


@cache
def _words() -> Any:
    """Finds a word and the rest of its line; with RE2, since for many words at once `re` takes fifty times as long."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.case_sensitive = False
    return re2.compile(b"(?:" + b"|".join(WORDS) + b").*", options)


def _judge(line: bytes, at: int, above: int) -> tuple[int, str]:
    """How severe a line is (0: not at all, or no more than `above`) and the part of it around what tells so."""
    window = line[max(at - BEFORE, 0) : at + BEHIND].decode("utf-8", "replace")
    shown = visible(window.rstrip("\r").rpartition("\r")[2]).strip()
    if CODE.match(shown):
        return 0, ""
    text = HARMLESS.sub("", shown)
    for severity, marks in SEVERITIES:
        if severity <= above:
            break
        if marks.search(text):
            found = marks.search(shown)
            return severity, _around(shown, found.start() if found else 0)
    return 0, ""


def _around(shown: str, place: int) -> str:
    start = max(place - WIDTH // 4, 0) if len(shown) > WIDTH and place > WIDTH // 2 else 0
    stop = grapheme_cut(shown, min(start + WIDTH, len(shown)))
    return ("…" if start else "") + shown[start:stop] + ("…" if stop < len(shown) else "")
