"""One call of a hook: a host's payload in, the host's answer or nothing out.

Most results are small, and a hook is started for each of them. So what is small is found to be small here, with next
to nothing imported; the rest of lrguard is asked only then.
"""

from __future__ import annotations

import os

from lrguard.harness import hosts, own
from lrguard.harness.call import Call, OtherEventError
from lrguard.instant import is_configured, is_plain
from lrguard.options import PROFILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from lrguard.harness.ledger import Ledger

    Replace = Callable[[Call, "Room"], object]
    """What asks the rest of lrguard: the host's answer, None for silence."""

LARGEST = 512 * 1024 * 1024
"""Bytes of a payload beyond which it is left alone, since decoding it takes several times as much memory."""

TOTAL = 6000
"""The combined threshold where nobody sets another one."""

LEDGERED = 1024
"""Bytes from which a result counts in the ledger; smaller ones do no harm, and nothing is put on disk for them."""

_UNTOLD = frozenset(f"LRGUARD_{name}" for name in ("SESSION", "SHOW_SESSION", "TOOL", "SAVED_ONLY", "DEBUG", "NESTED"))
"""Variables that do not change what is small."""

_IN_NAMES = "-_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LONGEST, _KEPT = 60, 40
"""Characters of a host's session id that stand in the name of a directory as it is, and of a longer or stranger one."""

_BLANKS = " \t\r\n"
_WORDS = bytes(b if b < 128 and chr(b).isalnum() else 0x20 for b in range(256))


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
        self._ledger = Ledger(session, turn=call.turn, agent=call.agent, call=call.call_id, seconds=call.seconds)
        self.before = self._ledger.enter(tokens)

    def settle(self, tokens: int) -> None:
        """Say what the call took in the end."""
        if self._ledger is not None:
            self._ledger.settle(tokens)


def answer(data: bytes, given: Mapping[str, object], environ: Mapping[str, str], replace: Replace) -> bytes:
    """The answer to a payload, empty for silence. Raises `OtherEventError` for what is no result of a tool."""
    payload = _decoded(data)
    del data  # of a large one there are copies enough
    call = hosts.read(payload, environ)
    if call is None:
        return b""
    room = Room(call, exempt=own.is_looking_back(call.tool, call.command))
    threshold = _plain_threshold(call, given, environ)
    if threshold is not None and len(call.text) <= threshold and call.file is None and call.blocks is None:
        text = call.text.encode("utf-8", "replace")
        if len(text) <= threshold and _is_plain(text):
            if len(text) < LEDGERED:
                return b""
            room.enter(session_of(call, given, environ), about(text))
            if room.before + len(text) <= max(TOTAL, threshold):
                return b""
    found = replace(call, room)
    return b"" if found is None else _encoded(found)


def about(data: bytes) -> int:
    """About how many tokens a text has, at next to no cost: runs of letters and digits are about half of them."""
    words = len(data.translate(_WORDS).split())
    return min(max(words * 19 // 10, len(data) // 6), len(data))


def session_of(call: Call, given: Mapping[str, object], environ: Mapping[str, str]) -> str:
    """The session directory that is named, else the host's own."""
    named = given.get("session") or environ.get("LRGUARD_SESSION")
    return os.path.abspath(str(named)) if named else host_session(call, environ)


def host_session(call: Call, environ: Mapping[str, str]) -> str:
    """The session directory of the host's own session, below lrguard's state directory."""
    from lrguard.session.location import default_session, state_directory

    name = call.session
    if not name:
        return default_session(environ, os.getcwd())
    if len(name) > _LONGEST or name.strip(_IN_NAMES):
        from hashlib import sha256

        kept = "".join(c if c in _IN_NAMES else "_" for c in name[:_KEPT])
        name = f"{kept}-{sha256(name.encode('utf-8', 'replace')).hexdigest()[:12]}"
    return os.path.join(state_directory(environ), "hosts", f"{call.host}-{name}")


def _is_plain(text: bytes) -> bool:
    """Whether a small text surely stays as it is; terminal escapes, which commands print, change nothing."""
    return is_plain(text.replace(b"\x1b", b""))


def _plain_threshold(call: Call, given: Mapping[str, object], environ: Mapping[str, str]) -> int | None:
    """The threshold, where neither options nor environment nor a configuration say anything of it; else None."""
    if any(name.startswith("LRGUARD_") and name not in _UNTOLD for name in environ):
        return None
    if not given.keys() <= {"session", "show_session", "tool", "quiet"} or is_configured():
        return None
    return PROFILES["subagent" if call.agent else "root"]


def _decoded(data: bytes) -> object:
    """The JSON value that a host wrote. Raises `OtherEventError`."""
    if not data.strip():
        raise OtherEventError("standard input is empty")
    if len(data) > LARGEST:
        raise OtherEventError(f"it has more than {LARGEST >> 20} MiB")
    try:
        return _loaded(data.decode().removeprefix("\ufeff").strip(_BLANKS))
    except RecursionError:
        raise OtherEventError("it is nested too deeply") from None
    except ValueError as error:
        raise OtherEventError(f"it is no JSON ({str(error)[:100]})") from None


class _Scanning:
    """What `json` would tell its scanner; importing all of `json` takes half as long as everything else here."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, float


def _loaded(text: str) -> object:
    """The one JSON value that `text` is. Raises ValueError and RecursionError."""
    try:
        from _json import make_scanner

        scan = make_scanner(_Scanning())  # type: ignore[arg-type]
    except (ImportError, AttributeError):  # another interpreter, or one that asks for more than `_Scanning` tells
        import json

        return json.loads(text, strict=False)
    try:
        value, end = scan(text, 0)
    except StopIteration as stop:
        raise ValueError(f"no value at character {stop.value}") from None
    if end != len(text):
        raise ValueError(f"more than one value, at character {end}")
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
