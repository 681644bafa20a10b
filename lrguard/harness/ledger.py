"""What the tool calls of one turn have put into the context: how parallel calls share the combined threshold.

Every hook is a process of its own and answers before it knows of later ones, so calls are served in the order in which
they come. A turn is what reaches the model together. No host names it, so it is told by time: a call that began when
another had hardly ended was made without asking the model in between. The file lies in the session, locked while it is
read and written, and has one line for each agent: its name, its turn, the end of its last call, the tokens of each.
"""

from __future__ import annotations

import os
import time

from lrguard.session.folder import Folder, open_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

FILE = "turns"
RECORDS = ".lrguard"

ROUND_TRIP = 1.0
"""Seconds that a model takes at the least to answer, from the end of a call to the beginning of the next."""

UNTIMED = 2.0
"""The same from the end of a call to the end of the next, where the host does not tell how long a call took."""

LIMIT = 256 * 1024
"""Bytes of the file that are read; what is kept stays well below."""

_AGENTS, _CALLS, _LETTERS = 20, 100, 100
_PATIENCE = 2.0


class _Turn:
    """One turn of one agent: the tokens of its calls by their ids."""

    __slots__ = ("calls", "end", "name")

    def __init__(self, name: str = "", end: float = 0.0, calls: dict[str, int] | None = None) -> None:
        self.name, self.end, self.calls = name, end, calls or {}


class Ledger:
    """The ledger of one session, for one call. What cannot be read or written counts nothing: a hook goes on."""

    def __init__(
        self, session: str, *, turn: str = "", agent: str = "", call: str = "", seconds: float | None = None
    ) -> None:
        """`turn`, `agent` and `call` as the host names them, `seconds` how long the tool ran.

        A call that comes again, as two hooks for one result do, counts once.
        """
        self._session, self._seconds = session, seconds
        self._turn, self._agent, self._call = _plain(turn), _plain(agent), _plain(call) or os.urandom(6).hex()

    def enter(self, tokens: int) -> int:
        """Add a call that takes about `tokens`; the tokens of the calls before it in the same turn."""
        now = time.time()

        def change(turn: _Turn) -> int:
            if not self._goes_on(turn, now):
                turn.name, turn.calls = self._turn, {}
            turn.calls.pop(self._call, None)
            before = sum(turn.calls.values())
            if len(turn.calls) >= _CALLS:
                turn.calls = {"earlier": before}
            turn.calls[self._call] = tokens
            turn.end = now
            return before

        return self._change(change)

    def settle(self, tokens: int) -> None:
        """Say how many tokens the call takes in the end."""

        def change(turn: _Turn) -> int:
            if self._call in turn.calls:
                turn.calls[self._call] = tokens
                turn.end = time.time()
            return 0

        self._change(change)

    def _goes_on(self, turn: _Turn, now: float) -> bool:
        if turn.name != self._turn or turn.end > now + 1:  # a clock that was put back
            return False
        if self._seconds is None:
            return now - turn.end < UNTIMED
        return now - self._seconds - turn.end < ROUND_TRIP

    def _change(self, change: Callable[[_Turn], int]) -> int:
        folders: list[Folder] = []
        descriptor = -1
        try:
            descriptor = _records(self._session, folders).open_lock(FILE)
            if not _locked(descriptor):
                return 0
            turns = _read(descriptor)
            turn = turns.pop(self._agent, None) or _Turn()
            answer = change(turn)
            turns[self._agent] = turn
            _write(descriptor, turns)
            return answer
        except OSError:
            return 0
        finally:
            if descriptor >= 0:
                os.close(descriptor)
            for folder in folders:
                folder.close()


def _records(session: str, opened: list[Folder]) -> Folder:
    """The folder for metadata of the session, made where it is missing; what is `opened` is the caller's to close."""
    try:
        return _open_records(session, opened)
    except FileNotFoundError:
        from lrguard.session.tree import Tree

        tree = Tree(session)
        try:
            tree.make_folder(RECORDS)
        finally:
            tree.forget()
        return _open_records(session, opened)


def _open_records(session: str, opened: list[Folder]) -> Folder:
    opened.append(open_root(session))
    opened.append(opened[-1].folder(RECORDS))
    return opened[-1]


def _locked(descriptor: int) -> bool:
    from lrguard.session.lock import try_lock

    end = time.monotonic() + _PATIENCE
    while try_lock(descriptor) is False:
        if time.monotonic() > end:
            return False
        time.sleep(0.002)
    return True


def _read(descriptor: int) -> dict[str, _Turn]:
    """The last turn of each agent; lines that are damaged are left out."""
    turns = {}
    for line in os.pread(descriptor, LIMIT, 0).decode("ascii", "replace").splitlines():
        try:
            agent, name, end, *calls = line.split("\t")
            pairs = (call.rpartition("=") for call in calls)
            turns[agent] = _Turn(name, float(end), {call: max(int(tokens), 0) for call, _, tokens in pairs})
        except ValueError:
            continue
    return turns


def _write(descriptor: int, turns: dict[str, _Turn]) -> None:
    lines = []
    for agent, turn in list(turns.items())[-_AGENTS:]:
        calls = [f"{call}={tokens}" for call, tokens in turn.calls.items()]
        lines.append("\t".join([agent, turn.name, f"{turn.end:.3f}", *calls]))
    data = ("\n".join(lines) + "\n").encode("ascii")
    os.pwrite(descriptor, data, 0)
    os.ftruncate(descriptor, len(data))


def _plain(name: str) -> str:
    """A name as it stands in the file."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "-_.:") else "_" for c in name[:_LETTERS])
