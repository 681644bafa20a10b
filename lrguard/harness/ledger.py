"""What the tool calls of one turn have put into the context: how parallel calls share the combined threshold.

Every hook is a process of its own and answers before it knows of later ones, so calls are served in the order in which
they come. A turn is what reaches the model together. No host names it, so it is told by time: a call that began when
another had hardly ended was made without asking the model in between. The file lies in the session, locked while it is
read and written, and holds a few numbers for each agent.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from typing import Any

from lrguard.session.folder import Folder, open_root

FILE = "turns"
RECORDS = ".lrguard"

ROUND_TRIP = 1.0
"""Seconds that a model takes at the least to answer, from the end of a call to the beginning of the next."""

UNTIMED = 2.0
"""The same from the end of a call to the end of the next, where the host does not tell how long a call took."""

LIMIT = 64 * 1024
_AGENTS = 50
_CALLS = 200
_PATIENCE = 2.0


class Ledger:
    """The ledger of one session, for one call. What cannot be read or written counts nothing: a hook goes on."""

    def __init__(
        self, session: str, *, turn: str = "", agent: str = "", call: str = "", seconds: float | None = None
    ) -> None:
        """`turn`, `agent` and `call` as the host names them, `seconds` how long the tool ran.

        A call that comes again, as two hooks for one result do, counts once.
        """
        self._session, self._turn, self._agent, self._seconds = session, turn[:200], agent[:200], seconds
        self._call = call[:200] or os.urandom(6).hex()

    def enter(self, tokens: int) -> int:
        """Add a call that takes about `tokens`; the tokens of the calls before it in the same turn."""
        now = time.time()

        def change(turn: dict[str, Any]) -> int:
            if not self._goes_on(turn, now):
                turn.clear()
            calls = _calls(turn)
            calls.pop(self._call, None)
            before = sum(calls.values())
            if len(calls) >= _CALLS:
                calls = {"": before}
            turn.update(turn=self._turn, end=now, calls=calls | {self._call: tokens})
            return before

        return self._change(change)

    def settle(self, tokens: int) -> None:
        """Say how many tokens the call takes in the end."""

        def change(turn: dict[str, Any]) -> int:
            calls = _calls(turn)
            if self._call in calls:
                turn.update(end=time.time(), calls=calls | {self._call: tokens})
            return 0

        self._change(change)

    def _goes_on(self, turn: dict[str, Any], now: float) -> bool:
        end = turn.get("end")
        if turn.get("turn") != self._turn or not isinstance(end, int | float) or end > now + 1:
            return False
        if self._seconds is None:
            return now - end < UNTIMED
        return now - self._seconds - end < ROUND_TRIP

    def _change(self, change: Any) -> int:
        try:
            with _records(self._session) as folder:
                descriptor = folder.open_lock(FILE)
                try:
                    if not _locked(descriptor):
                        return 0
                    turns = _read(descriptor)
                    turn = turns.pop(self._agent, {})
                    answer: int = change(turn)
                    turns[self._agent] = turn
                    _write(descriptor, dict(list(turns.items())[-_AGENTS:]))
                    return answer
                finally:
                    os.close(descriptor)
        except OSError:
            return 0


class _records:  # noqa: N801
    """The folder for metadata of the session, made where it is missing; a context."""

    def __init__(self, session: str) -> None:
        self._session = session
        self._folders: list[Folder] = []

    def __enter__(self) -> Folder:
        try:
            return self._open()
        except FileNotFoundError:
            from lrguard.session.tree import Tree

            tree = Tree(self._session)
            try:
                tree.make_folder(RECORDS)
            finally:
                tree.forget()
            return self._open()

    def _open(self) -> Folder:
        root = open_root(self._session)
        self._folders.append(root)
        self._folders.append(root.folder(RECORDS))
        return self._folders[-1]

    def __exit__(self, *_: object) -> None:
        for folder in self._folders:
            folder.close()


def _locked(descriptor: int) -> bool:
    from lrguard.session.lock import try_lock

    end = time.monotonic() + _PATIENCE
    while try_lock(descriptor) is False:
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def _read(descriptor: int) -> dict[str, dict[str, Any]]:
    with suppress(ValueError, RecursionError):
        found = json.loads(os.pread(descriptor, LIMIT, 0) or b"{}")
        if isinstance(found, dict):
            return {agent: turn for agent, turn in found.items() if isinstance(turn, dict)}
    return {}


def _write(descriptor: int, turns: dict[str, dict[str, Any]]) -> None:
    data = json.dumps(turns).encode()
    if len(data) > LIMIT:
        data = b"{}"
    os.pwrite(descriptor, data, 0)
    os.ftruncate(descriptor, len(data))


def _calls(turn: dict[str, Any]) -> dict[str, int]:
    """The tokens of each call of the turn, by its id."""
    calls = turn.get("calls")
    found = calls.items() if isinstance(calls, dict) else ()
    return {call: max(tokens, 0) for call, tokens in found if isinstance(tokens, int)}
