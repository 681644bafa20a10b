"""Text from a tool made safe and honest to show: what cannot be seen is written out, what a terminal obeys is gone.

A sequence is dropped only when it is whole. One that never ends is shown from its introducer on, so that it neither
swallows the text behind it nor lets its payload pass for text. Joiners and selectors are invisible too, but emoji and
many scripts are spelled with them: they stay where they have something to join or to select, once in each place.
"""

from __future__ import annotations

import re
import unicodedata

from lrguard.intake.graphemes import grapheme_cut, grapheme_start
from lrguard.patterns import pattern

__all__ = ["escaped", "fold_redraws", "grapheme_cut", "grapheme_start", "visible"]

_SEQUENCE_REST = (
    r"(?:(?<=\x1b)(?:\[[0-?]*+[ -/]*+[@-~]"  # control sequences
    r"|\][^\x00-\x07\n-\x1f\x7f-\x9f]*+(?:\x07|\x1b\\|\x9c)"  # operating system commands
    r"|[PX^_][^\x00-\x06\x0e-\x1f\x7f-\x9f]*+(?:\x1b\\|\x9c)"  # device and other strings
    r"|[ -/]*+[0-OQ-WYZ\\`-~])"  # two characters, or more with intermediates
    r"|(?<=\x9b)[0-?]*+[ -/]*+[@-~]"
    r"|(?<=\x9d)[^\x00-\x07\n-\x1f\x7f-\x9f]*+(?:\x07|\x1b\\|\x9c)"
    r"|(?<=[\x90\x98\x9e\x9f])[^\x00-\x06\x0e-\x1f\x7f-\x9f]*+(?:\x1b\\|\x9c)"
)
_SEQUENCE = pattern(f"[\x1b\x90\x98\x9b\x9d-\x9f]{_SEQUENCE_REST})")
_ODD = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17))
)
_BLACK_FLAG = "\U0001f3f4"
_FLAG_REST = "(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
# One set of characters in front lets the search skip to them; what the character introduces is optional.
_SHOWN = pattern(f"[{_ODD}{_BLACK_FLAG}](?:{_SEQUENCE_REST}|{_FLAG_REST}))?")

_LINES = {ord("\n"): None, ord("\t"): None}


def visible(text: str) -> str:
    r"""`text` as it may be shown: nothing a terminal obeys, nothing that is there but cannot be seen.

    Terminal sequences are dropped whole. Other control characters, bidi controls, invisible characters, noncharacters
    and lone surrogates become `\x07`, `\u202e` or `\U000e0041`. Line breaks and tabs stay, `\r\n` becomes `\n`, and
    neither is a byte order mark at the very beginning shown. Linear in the length of `text`.
    """
    if text.isascii() and text.translate(_LINES).isprintable():
        return text
    return _SHOWN.sub(_show, text)


def _show(found: re.Match[str]) -> str:
    odd = found[0]
    if odd[0] == _BLACK_FLAG:
        return odd
    if len(odd) > 1:
        return ""
    text, at = found.string, found.start()
    if odd == "\r" and _breaks_line(text, at):
        return ""
    if at == 0:
        return "" if odd == "\ufeff" else escaped(odd)
    after = text[at + 1 : at + 2]
    if odd >= "\u180b" and _belongs(text[at - 1], odd, after):
        return odd
    return escaped(odd)


def _breaks_line(text: str, at: int) -> bool:
    # Some programs write more than one carriage return in front of a line feed.
    return text[at + 1 : at + 2] == "\n" or text[at + 1 : at + 3] == "\r\n"


def escaped(character: str) -> str:
    r"""`character` written out: `\x1b`, `\u202e` or `\U000e0041`."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


_JOINING_SCRIPTS = pattern(
    "[\u0600-\u0dff\u0f00-\u109f\u1780-\u180a\u1810-\u18af\u1a20-\u1aaf\u1b00-\u1c4f\ua800-\ua82f\ua880-\ua8ff"
    "\ua930-\ua9df\uaa00-\uaadf\uabc0-\uabff\ufb50-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010a00-\U00010aff\U00010d00-\U00010fff"
    "\U00011000-\U00011fff\U0001e900-\U0001e95f]"
)
_IDEOGRAPH = pattern("[\u2e80-\u2fdf\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def _belongs(before: str, odd: str, after: str) -> bool:
    """Whether `odd` joins or selects something where it stands."""
    if odd in "\u200c\u200d":
        if _JOINING_SCRIPTS.match(before) and unicodedata.category(before)[0] in "LM":
            return True
        return odd == "\u200d" and (_pictures(before) or before == "\ufe0f") and _pictures(after)
    if odd in "\ufe0e\ufe0f":
        if before in "0123456789#*":
            return odd == "\ufe0f" and after == "\u20e3"
        return before == "\u2139" or (
            before > "\x7f" and unicodedata.category(before) in ("So", "Sm", "Po", "Pd", "Cn")
        )
    if "\ufe00" <= odd <= "\ufe0d":
        return before > "\x7f" and unicodedata.category(before) in ("Lo", "So", "Sm", "Po")
    if "\u180b" <= odd <= "\u180f":
        return "\u1810" <= before <= "\u18af"
    return "\U000e0100" <= odd <= "\U000e01ef" and _IDEOGRAPH.match(before) is not None


def _pictures(character: str) -> bool:
    # Skin tones are modifier symbols; an emoji newer than this Python's tables is unassigned.
    return character > "\x7f" and (
        unicodedata.category(character) in ("So", "Sm", "Cn") or "\U0001f3fb" <= character <= "\U0001f3ff"
    )


_HOME = pattern(r"\x1b\[[01]?G")
_ERASED = pattern(r"\x1b\[[12]K")
_CLEARED = pattern(r"\x1b\[[012]?K")
_UP = pattern(r"\x1b\[(\d{0,3})([AF])")


def fold_redraws(text: str) -> str:
    r"""`text` with every line that was drawn several times in its last state only.

    What a carriage return, a move to the first column or an erased line throws away is gone, and so are characters that
    a backspace lets others overwrite, and the lines that a cursor moved up comes back to. A shorter state replaces a
    longer one whole: programs that redraw clear the rest or mean to. `\r\n` is a line end. Linear in the text's length.
    """
    if "\r" not in text and "\b" not in text and "\x1b[" not in text:
        return text
    lines = text.split("\n")
    if _UP.search(text):
        lines = _rows(lines)
    return "\n".join(_last_state(line) if "\r" in line or "\b" in line or "\x1b[" in line else line for line in lines)


def _last_state(line: str) -> str:
    ended = line.endswith("\r")
    states = _HOME.sub("\r", line).rstrip("\r").split("\r")
    state = ""
    for later in states:
        kept = _ERASED.split(later)[-1] if "\x1b[" in later else later
        shown = _SEQUENCE.sub("", kept) if "\x1b" in kept else kept
        if shown.strip(" ") or (shown and not state):
            state = kept
        elif shown or _CLEARED.search(later):
            state = ""
    if "\b" in state:
        state = _overstruck(_SEQUENCE.sub("", state))
    return state + "\r" if ended else state


def _overstruck(state: str) -> str:
    cells: list[str] = []
    column = 0
    for character in state:
        if character == "\b":
            column = max(0, column - 1)
        elif column == len(cells):
            cells.append(character)
            column += 1
        else:
            # An underscore over a character underlines it.
            if character != "_" or cells[column] == " ":
                cells[column] = character
            column += 1
    return "".join(cells)


def _rows(lines: list[str]) -> list[str]:
    """The lines in the rows where a cursor that moves up leaves them; each row has all its states in turn."""
    rows: list[list[str]] = []
    row = 0
    for line in lines:
        at = 0
        for move in _UP.finditer(line):
            _draw(rows, row, line[at : move.start()])
            row = max(0, row - int(move[1] or 1))
            at = move.end()
        _draw(rows, row, line[at:])
        row += 1
    return ["\r".join(states) for states in rows]


def _draw(rows: list[list[str]], row: int, state: str) -> None:
    if row == len(rows):
        rows.append([state])
    elif state:
        rows[row].append(state)
