"""One call of a hook: a host's payload in, the host's answer or nothing out.

Most results are small, and a hook is started for each of them. So what is small is found to be small here, with next
to nothing imported; the rest of lrguard is asked only then.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lrguard.harness import hosts, own
from lrguard.harness.call import Call, OtherEventError
from lrguard.options import PROFILES

if TYPE_CHECKING:
    from lrguard.harness.ledger import Ledger

LARGEST = 512 * 1024 * 1024
"""Bytes of a payload beyond which it is left alone, since decoding it takes several times as much memory."""

TOTAL = 6000
"""The combined threshold where nobody sets another one."""

LEDGERED = 1024
"""Bytes from which a result counts in the ledger; a few smaller ones do no harm, and nothing is put on disk for them."""

_UNTOLD = frozenset(f"LRGUARD_{name}" for name in ("SESSION", "SHOW_SESSION", "TOOL", "SAVED_ONLY", "DEBUG", "NESTED"))
"""Variables that do not change what is small."""

_CONFIGURATION = "lrguard.toml"
_UNBROKEN = 200
"""Characters without a blank, quote or the like from which it is asked whether they are base64."""

_WORDS = bytes(b if b < 128 and chr(b).isalnum() else 0x20 for b in range(256))
_IN_RUNS = bytes(0x61 if chr(b) in "+/-_=\\%\r\n" or (b < 128 and chr(b).isalnum()) else 0x20 for b in range(256))
_DATA_URL = re.compile(r"data:[^\s\"']{0,200},", re.IGNORECASE)
_CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f]")
_SIGNATURE = re.compile(r"\s{0,64}(?:\ufeff|%PDF|BZh|GIF8|wOF|PAR1|RIFF|FORM|GGUF|ID3|PK|MZ|!<arch>|true|OTTO)")

Replace = Callable[[Call, "Room"], object]
"""What asks the rest of lrguard: the host's answer, None for silence."""


class Room:
    """How much of the combined threshold is left for a call, and the ledger in which it is told what the call took."""

    __slots__ = ("_call", "_ledger", "before", "exempt")

    def __init__(self, call: Call, *, exempt: bool) -> None:
        self._call = call
        self._ledger: Ledger | None = None
        self.before = 0
        self.exempt = exempt

    def enter(self, session: str, tokens: int) -> None:
        """Note a call of about `tokens`, unless it does not count; `before` then says what came before it."""
        if self.exempt or self._ledger is not None:
            return
        from lrguard.harness.ledger import Ledger

        call = self._call
        self._ledger = Ledger(session, turn=call.turn, agent=call.agent, seconds=call.seconds)
        self.before = self._ledger.enter(tokens)

    def settle(self, tokens: int) -> None:
        """Say what the call took in the end."""
        if self._ledger is not None:
            self._ledger.settle(tokens)


def answer(data: bytes, given: Mapping[str, object], environ: Mapping[str, str], replace: Replace) -> bytes:
    """The answer to a payload, empty for silence. Raises `OtherEventError` for what is no result of a tool."""
    call = hosts.read(_decoded(data), environ)
    if call is None:
        return b""
    size = len(call.text.encode("utf-8", "replace"))
    room = Room(call, exempt=own.is_looking_back(call.tool, call.command))
    threshold = _plain_threshold(call, given, environ)
    if threshold is not None and size <= threshold and call.file is None and not _may_hold_data(call.text):
        if size < LEDGERED:
            return b""
        room.enter(session_of(call, given, environ), about(call.text))
        if room.before + size <= max(TOTAL, threshold):
            return b""
    found = replace(call, room)
    return b"" if found is None else _encoded(found)


def about(text: str) -> int:
    """About how many tokens `text` has, at next to no cost: runs of letters and digits are about half of them."""
    data = text.encode("utf-8", "replace")
    words = len(data.translate(_WORDS).split())
    return min(max(words * 19 // 10, len(data) // 6), len(data))


def session_of(call: Call, given: Mapping[str, object], environ: Mapping[str, str]) -> str:
    """The session directory that is named, else the host's own."""
    named = given.get("session") or environ.get("LRGUARD_SESSION")
    return os.path.abspath(str(named)) if named else host_session(call, environ)


def host_session(call: Call, environ: Mapping[str, str]) -> str:
    """The session directory of the host's own session, below lrguard's state directory."""
    from lrguard.session.location import default_session, state_directory
    from lrguard.session.names import tool_part

    if not call.session:
        return default_session(environ, os.getcwd())
    name = tool_part(call.session)
    if name != call.session:
        from hashlib import sha256

        name = f"{name[:40]}-{sha256(call.session.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return os.path.join(state_directory(environ), "hosts", f"{call.host}-{name}")


def _plain_threshold(call: Call, given: Mapping[str, object], environ: Mapping[str, str]) -> int | None:
    """The threshold, where neither options nor environment nor a configuration say anything of it; else None."""
    if any(name.startswith("LRGUARD_") and name not in _UNTOLD for name in environ):
        return None
    if not given.keys() <= {"session", "show_session", "tool", "quiet"} or _is_configured(environ):
        return None
    return PROFILES["subagent" if call.agent else "root"]


def _is_configured(environ: Mapping[str, str]) -> bool:
    """Whether there may be a configuration: one at or above the working directory, or the user's own."""
    base = environ.get("XDG_CONFIG_HOME", "") or os.path.join(environ.get("HOME", ""), ".config")
    if os.path.lexists(os.path.join(base, "lrguard", "config.toml")):
        return True
    try:
        folder = os.getcwd()
    except OSError:
        return False
    while not os.path.lexists(os.path.join(folder, _CONFIGURATION)):
        parent = os.path.dirname(folder)
        if parent == folder or os.path.lexists(os.path.join(folder, ".git")):
            return False
        folder = parent
    return True


def _may_hold_data(text: str) -> bool:
    """Whether a small text has to be looked at closely: it may be a binary, or hold base64 or data URLs."""
    if _CONTROL.search(text) or _SIGNATURE.match(text) or _DATA_URL.search(text):
        return True
    data = text.encode("utf-8", "replace")
    if b"a" * _UNBROKEN not in data.translate(_IN_RUNS):
        return False
    from lrguard.assets.base64_runs import find_runs
    from lrguard.intake.source import BytesSource

    return any(True for _ in find_runs(BytesSource(data)))


def _decoded(data: bytes) -> object:
    """The JSON value that a host wrote. Raises `OtherEventError`."""
    import json

    if not data.strip():
        raise OtherEventError("standard input is empty")
    if len(data) > LARGEST:
        raise OtherEventError(f"it has more than {LARGEST >> 20} MiB")
    try:
        value: object = json.loads(data.decode("utf-8-sig"))
    except RecursionError:
        raise OtherEventError("it is nested too deeply") from None
    except ValueError as error:
        raise OtherEventError(f"it is no JSON ({str(error)[:100]})") from None
    return value


def _encoded(found: object) -> bytes:
    import json

    try:
        written = json.dumps(found, ensure_ascii=False, allow_nan=False)
    except (ValueError, RecursionError):
        raise OtherEventError("it holds a number that an answer cannot repeat") from None
    try:
        return written.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(found).encode() + b"\n"

