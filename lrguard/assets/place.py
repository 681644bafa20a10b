"""Where a run of base64 stands: what would be replaced with it, and what the text around it says about it.

Only a bounded piece of text on either side is read, never the document as a whole, so that the answer costs the same in
a gigabyte, in a log line or in JSON that is broken elsewhere. Where the bounds of a run are in doubt it has no place.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from lrguard.assets.run_lines import Run
from lrguard.intake.alphabet import ALPHABET
from lrguard.patterns import pattern
from lrguard.records import dataclass

LOOK = 2048
"""Bytes looked at on either side of a run."""

_LEVELS = {0: 1, 1: 2, 3: 3, 7: 4}
"""How many JSON strings, one inside the other, a quote with so many backslashes before it opens."""

_URL = pattern(rb"data:([^\s\"'()<>,]*);base64,(?:\s|\\{1,8}[rn]){0,4}\Z", re.IGNORECASE)
_BREAKS = pattern(rb"(?:(?:\\{1,8}r)?\\{1,8}n){0,2}")
_CUT = pattern(
    rb"(?:\s|\\{1,8}[nrt]){0,4}[\[(<{*#-]{0,4}\s?(?:\.{2,}|\xe2\x80\xa6|\\{1,8}u2026|"
    rb"(?:[a-z]{1,12} ){0,2}(?:truncat|omitted|elided|snip|clipped|(?:\d{1,12} )?(?:more )?(?:char|byte)))",
    re.IGNORECASE,
)
_BEGINS = pattern(rb"(?:\A|[\s\"'`(\[{<>=:,;|\x80-\xff]|\\[nrt]|\\u[0-9A-Fa-f]{4})\Z")
_ENDS = pattern(rb"[\s\"'`)\]}<>,;|&\\\x80-\xff]|[.:!?](?:[\s\"'<\\]|\Z)|\Z")
_NAME = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-"
_MEDIA_TYPE = pattern(r"[a-z0-9][a-z0-9.+_-]{0,80}/[a-z0-9][a-z0-9.+_-]{0,80}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """What is replaced, and where it stands.

    `start` and `end` are offsets in the text. `whole`: a whole JSON string value, its quotes included. `level` is the
    number of JSON strings around it, for which a replacement has to be escaped. `data_url` and `declared` are what a
    `data:` prefix says. `before` and `after` are the text outside (of a whole value: unescaped as far as it is inside
    of a string), and `name` is the key or the name that the value goes by.
    """

    start: int
    end: int
    whole: bool
    level: int
    data_url: bool
    declared: str | None
    before: bytes
    after: bytes
    name: bytes

    def siblings(self) -> dict[bytes, bytes]:
        """The other members of the JSON object that a whole value is in, scalars only, names in lower case."""
        return {**_members_before(self.before)[0], **_members_after(self.after)} if self.whole else {}


def place_of(run: Run, before: bytes, after: bytes, *, json: bool) -> Place | None:
    """The place of `run`; None where its bounds are in doubt, where it was cut short, or where it is a key.

    `before` and `after` are the bytes on either side, `LOOK` or as many as there are. `json`: the document is JSON.
    """
    if _CUT.match(after):
        return None
    url, declared, lead = _data_url(before)
    outside = before[: len(before) - lead]
    if outside.endswith(b"=") and not outside[-64:-1].translate(None, ALPHABET + b"="):
        # Another run, and its padding.
        return None
    if not _BEGINS.search(outside[-6:]) or not _ENDS.match(after[:8]):
        return None
    if outside.endswith(b'"'):
        ahead = outside[:-1].rstrip(b"\\")
        slashes = len(outside) - 1 - len(ahead)
        level, closed = _LEVELS.get(slashes, 0), _closing(after, slashes)
        if level and closed:
            plain, rest = unescaped(ahead, level - 1), unescaped(after[closed:], level - 1)
            if rest.lstrip().startswith(b":"):
                return None
            if (json and level == 1) or _is_value(plain, json=json):
                return Place(
                    run.start - lead - slashes - 1, run.end + closed, True, level - 1, url, declared,
                    plain, rest, _name(plain),
                )  # fmt: skip
    if _is_unclosed(outside, after, json=json):
        return None
    level = _level(outside, json=json)
    return Place(run.start - lead, run.end, False, level, url, declared, outside, after, _name(outside))


def _name(before: bytes) -> bytes:
    """The key or name at the end of `before` that a value goes by; empty where it has none."""
    ahead = before[-120:].rstrip(b" \t\"'`\\")
    if ahead[-1:] not in (b":", b"="):
        return b""
    ahead = ahead[:-1].rstrip(b" \t\"'\\")
    return ahead[len(ahead.rstrip(_NAME)) :]


def media_type_in(text: bytes) -> str | None:
    """The media type that `text` begins with, in lower case and without parameters; None where it is none."""
    found = _MEDIA_TYPE.match(text[:200].decode("latin-1").replace("\\", "").strip())
    return found[0].lower() if found else None


def _data_url(before: bytes) -> tuple[bool, str | None, int]:
    """Whether a `data:` prefix stands at the end of `before`, the type it declares, and its length."""
    head = before[-400:]
    if b"base64," not in head[-48:].lower():
        return False, None, 0
    at = head.lower().rfind(b"data:")
    found = _URL.match(head, at) if at >= 0 else None
    if not found or head[at - 1 : at].isalnum() or head[at - 1 : at] in (b"_", b"-"):
        return False, None, 0
    return True, media_type_in(found[1].replace(b"%2F", b"/").replace(b"%2f", b"/").partition(b";")[0]), len(head) - at


def _closing(after: bytes, slashes: int) -> int:
    """Where a string that opened with so many backslashes is closed, trailing line breaks allowed; 0 if it is not."""
    found = _BREAKS.match(after)
    at = found.end() if found else 0
    return at + slashes + 1 if after.startswith(b"\\" * slashes + b'"', at) else 0


def _is_unclosed(before: bytes, after: bytes, *, json: bool) -> bool:
    """Whether what opens right before a run is not closed, so that the run may have been cut."""
    opening = before[-1:]
    if not after:
        return json or (opening in _OPENINGS)
    if opening == b'"':
        slashes = len(before) - 1 - len(before[:-1].rstrip(b"\\"))
        closing = _SLASHES_AND_QUOTE.match(after)
        return closing is not None and len(closing[0]) <= slashes
    return after[:1] in b'"\\' and after[:2] != b'\\"' and opening in (b"(", b"<")


_OPENINGS = (b'"', b"'", b"`", b"(", b"<", b">", b"[", b"{")
_SLASHES_AND_QUOTE = pattern(rb'\\*"')


def _is_value(ahead: bytes, *, json: bool) -> bool:
    """Whether what opens after `ahead` is a value of a JSON object or array."""
    ahead = ahead.rstrip()
    if ahead.endswith(b":"):
        return ahead[:-1].rstrip().endswith(b'"')
    return json and ahead[-1:] in (b"[", b",") and _members_before(ahead)[1] == b"["


def _level(before: bytes, *, json: bool) -> int:
    """How many JSON strings are around the end of `before`."""
    for quote in reversed(list(_QUOTE.finditer(before[-1024:]))):
        level = _LEVELS.get(len(quote[1]), 0)
        ahead = _ESCAPED_BLANKS.sub(b" ", before[-1024:][: quote.start()][-40:]).rstrip()
        if level and ahead[-1:] in (b":", b"[", b",", b"{"):
            return level
        if not json:
            return 0
    return 1 if json else 0


_QUOTE = pattern(rb'(?<!\\)(\\*+)"')
_ESCAPED_BLANKS = pattern(rb"\\{1,8}[nrt]")
_ESCAPE = pattern(rb"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_BLANK = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def unescaped(text: bytes, levels: int) -> bytes:
    """`text` as it is outside of so many JSON strings; characters beyond ASCII are not restored."""
    for _ in range(levels):
        text = _ESCAPE.sub(_character, text)
    return text


def _character(found: re.Match[bytes]) -> bytes:
    if found[1]:
        code = int(found[1], 16)
        return bytes([code]) if code < 128 else b"?"
    return _BLANK.get(found[2], found[2])


_AHEAD = pattern(rb'"((?:[^"\\]|\\.)*+)"|([{}\[\],:])|"|[^\s"{}\[\],:]+', re.DOTALL)
_BACK = pattern(rb'"((?:[^"]|"(?=\\))*)"(?!\\)|([{}\[\],:])|"|[^\s"{}\[\],:]+')


def _members_after(text: bytes) -> dict[bytes, bytes]:
    """The scalar members up to the end of the object that `text` begins in."""
    found: dict[bytes, bytes] = {}
    last: list[bytes] = []

    def add(scalar: bytes) -> None:
        if len(last) > 1 and last[-1] == b":":
            found.setdefault(last[-2].lower(), scalar)

    _walk(_AHEAD, text, b"{[", b"}]", last, add)
    return found


def _members_before(text: bytes) -> tuple[dict[bytes, bytes], bytes]:
    """The scalar members from the beginning of the object that `text` ends in, and the bracket that opens it."""
    found: dict[bytes, bytes] = {}
    last: list[bytes] = []

    def add(scalar: bytes) -> None:
        if len(last) > 1 and last[-1] == b":":
            found.setdefault(scalar[::-1].lower(), last[-2][::-1])

    return found, _walk(_BACK, text[::-1], b"}]", b"{[", last, add)


def _walk(
    tokens: re.Pattern[bytes],
    text: bytes,
    deeper: bytes,
    closing: bytes,
    last: list[bytes],
    add: Callable[[bytes], None],
) -> bytes:
    """Tell `add` each scalar outside of nested brackets, the tokens before it in `last`; the bracket at the end."""
    depth = 0
    for token in tokens.finditer(text):
        mark = token[2]
        if token[0] == b'"':
            return b""
        if mark and mark in closing:
            if not depth:
                return mark
            depth -= 1
        elif mark and mark in deeper:
            depth += 1
        if depth or (mark and mark in closing):
            continue
        if mark:
            last.append(mark)
        else:
            scalar = token[1] if token[1] is not None else token[0]
            add(scalar)
            last.append(scalar)
    return b""
