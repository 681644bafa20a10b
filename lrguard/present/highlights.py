"""The lines of a log that most look like errors.

A cheap search for a handful of words finds candidates; only those are looked at closely, since a word such as "error"
stands in many lines that report none ("0 errors", "error_rate=0.0"). The text is gone through from its end, where a log
tells what made it end, so that looking can stop early in one that is all errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice

from lrguard.intake.graphemes import grapheme_cut
from lrguard.intake.sanitize import visible
from lrguard.intake.source import CHUNK, Source

MOST = 5
WIDTH = 200
"""Characters shown of a line."""
SCANNED = 64 * 1024 * 1024
"""Bytes beyond which only both ends are looked at."""
SAMPLE = 8 * 1024 * 1024
LONG_LINE = 64 * 1024
"""Bytes of a line that are looked at around a word."""
CANDIDATES = 20_000
"""Lines looked at closely."""

WORDS = re.compile(
    rb"error|fail|fatal|panic|exception|traceback|critical|segfault|segmentation fault|core dumped|out of memory"
    rb"|assert|denied|abort|could not|unable to|not found"
)
HARMLESS = re.compile(
    r"\b(?:no|0|zero|without|ignor\w+) (?:\w+ )?(?:errors?|failures?|exceptions?|failed)\b"
    r"|\b(?:errors?|fail(?:ed|ures?)?|exceptions?)[\"']?\s*[=:]\s*[\"']?"
    r"(?:0(?![.\d])|0\.0+\b|none|null|false|nil|\[\]|\"\")",
    re.IGNORECASE,
)
END_OF_IT_ALL = 5
SEVERITIES = (
    (END_OF_IT_ALL, re.compile(r"(?i)\b(?:fatal|panic(?:ked)?|critical|emerg(?:ency)?|segfault|oom-kill(?:er)?)\b")),
    (END_OF_IT_ALL, re.compile(r"(?i)\b(?:segmentation fault|core dumped|out of memory)\b")),
    (4, re.compile(r"^Traceback |\b\w*(?:Error|Exception)\b(?=:|$)")),
    (4, re.compile(r"(?i)\b(?:uncaught|unhandled|assertion failed)\b|<error>|\blevel[\"']?[=:]\s*[\"']?err(?:or)?\b")),
    (4, re.compile(r"^\s*(?i:error)(?:\[\w+\])?:|\b(?:E[0-9]{3,5}|ERR(?:OR)?)\b")),
    (3, re.compile(r"(?i)\b(?:errors?|aborted|denied)\b")),
    (2, re.compile(r"(?i)\b(?:fail(?:s|ed|ure|ures|ing)?|abort(?:ing)?|exceptions?|assert(?:ion)?)\b")),
    (2, re.compile(r"(?i)\b(?:could not|cannot|unable to|not found)\b")),
)


@dataclass(frozen=True, slots=True)
class Highlight:
    """A line that looks like an error: its number from 1, how severe it is, and the part of it to show."""

    line: int
    severity: int
    text: str


def highlights(text: Source) -> list[Highlight]:
    """At most `MOST` lines, in the order of the text: the severest, of equals the last.

    Of a text over `SCANNED` bytes only both ends are searched.
    """
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
        severity, shown = _judge(line, at)
        if severity:
            found.append(Highlight(number, severity, shown))
            found.sort(key=lambda h: -h.severity)  # stable: of equals the one nearer to the end stays first
            del found[MOST:]
            if len(found) == MOST and found[-1].severity == END_OF_IT_ALL:
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
        newlines -= part.count(b"\n")
        for found in reversed(list(_in_block(part))):
            yield (1 + newlines + part.count(b"\n", 0, found[0]), *found[1:])
        end = begin


def _in_block(block: bytes) -> Iterator[tuple[int, bytes, int]]:
    """Of each line with one of the words: where it begins, its bytes around the word, and where in them that stands."""
    low, at = block.lower(), 0
    while found := WORDS.search(low, at):
        begin = max(block.rfind(b"\n", 0, found.start()) + 1, found.start() - LONG_LINE)
        at = block.find(b"\n", found.end())
        at = len(block) if at < 0 else at
        yield begin, block[begin : min(at, found.end() + LONG_LINE)], found.start() - begin


def _judge(line: bytes, at: int) -> tuple[int, str]:
    """How severe a line is (0: not at all) and the part of it around its first telling word."""
    window = line[max(at - 400, 0) : at + 800].decode("utf-8", "replace")
    text = HARMLESS.sub("", window)
    for severity, pattern in SEVERITIES:
        if pattern.search(text):
            shown = visible(window.rpartition("\r")[2].strip() or window.strip())
            place = next((m.start() for _, p in SEVERITIES if (m := p.search(shown))), 0)
            return severity, _around(shown, place)
    return 0, ""


def _around(shown: str, place: int) -> str:
    start = max(place - WIDTH // 4, 0) if len(shown) > WIDTH and place > WIDTH // 2 else 0
    stop = grapheme_cut(shown, min(start + WIDTH, len(shown)))
    return ("…" if start else "") + shown[start:stop] + ("…" if stop < len(shown) else "")
