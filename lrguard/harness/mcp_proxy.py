"""Stands between an MCP client and the server that it starts, and guards the results of the server's tools.

A thread reads each side; a result that needs a closer look goes on in a thread of its own, so that what comes after it
does not wait. Everything else is written as it came, in the order in which it came.
"""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from queue import Empty, SimpleQueue
from threading import Lock, Semaphore, Thread
from time import monotonic
from typing import TypeVar

from lrguard.errors import LrguardError
from lrguard.harness import mcp, mcp_tools
from lrguard.harness.mcp import Call, Calls, Message
from lrguard.harness.mcp_lines import Line, Output, edited, lines, read, shut
from lrguard.intake.json_outline import Buffer
from lrguard.intake.source import BytesSource, Slice, Source
from lrguard.records import dataclass

GRACE = 5.0
"""Seconds that the server has to end by itself once its input has ended."""

TERMINATED_GRACE = 1.0
"""Seconds that it has once it was told to; then it is killed. Clients give the proxy two."""

DRAINED = 1.0
"""Seconds for what others who hold the output of an ended server still write."""

GUARDED_AT_ONCE = 8
"""Results that are looked at at the same time; while there are more, no more is read."""

ENDED, CLIENT_LEFT = "ended", "client left"

Found = TypeVar("Found")

Replaced = AbstractContextManager[Source | None]
"""What stands for a result, None for the result itself; its files are gone afterwards."""


@dataclass(frozen=True, slots=True)
class Guarding:
    """What the proxy needs to know of results.

    `threshold_of` tells the threshold of a call, None where its result is to be left alone. Up to so many bytes
    `is_plain` tells quickly that there is nothing to do; `replaced` does it, and what takes it long ends after
    `interrupt`, given a signal. `note` says something to whoever watches. `session` is where the tools of
    `offers_tools` look, and `threshold` bounds what they print.
    """

    threshold_of: Callable[[Call], int | None]
    is_plain: Callable[[bytes], bool]
    replaced: Callable[[Source, Call], Replaced]
    interrupt: Callable[[int], None]
    make_file: Callable[[], int]
    note: Callable[[str], None]
    session: str
    threshold: int
    offers_tools: bool = False
    keeps_schema: bool = False


class Proxy:
    """One server, and its client on the two descriptors that are read and written for it."""

    def __init__(self, server: subprocess.Popen[bytes], guarding: Guarding, client: tuple[int, int]) -> None:
        assert server.stdin and server.stdout
        self._server, self._guarding = server, guarding
        self._events: SimpleQueue[str | int] = SimpleQueue()
        self._from_client, self._from_server = client[0], server.stdout.fileno()
        self._to_client = Output(client[1], lambda: self._events.put(CLIENT_LEFT))
        self._to_server = Output(server.stdin.fileno(), self._server_left)
        self._calls = Calls()
        self._own = mcp_tools.definitions() if guarding.offers_tools else []
        self._jobs: list[Thread] = []
        self._jobs_lock = Lock()
        self._places = Semaphore(GUARDED_AT_ONCE)
        self._is_waiting, self._chunks = False, 0

    def run(self) -> int:
        """Pass messages on until the server has ended; its exit status."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, lambda number, _: self._events.put(number))
        Thread(target=self._read_client, daemon=True).start()
        reading = Thread(target=self._read_server, daemon=True)
        reading.start()
        Thread(target=self._reap, daemon=True).start()
        self._watch()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        while reading.is_alive():
            chunks = self._chunks
            reading.join(DRAINED)
            if self._is_waiting and self._chunks == chunks:
                break
        self._finish()
        status = self._server.returncode
        return status if status >= 0 else 128 - status

    def _watch(self) -> None:
        """Wait for the server's end; see to it once the client has left or a signal has come."""
        steps: Iterator[tuple[Callable[[], None], float]] = iter(())
        until: float | None = None
        leaving = False
        while True:
            try:
                event = self._events.get(timeout=None if until is None else max(until - monotonic(), 0))
            except Empty:
                step, seconds = next(steps, (lambda: None, DRAINED))
                step()
                until = monotonic() + seconds
                continue
            if event == ENDED:
                return
            kill = [(self._server.terminate, TERMINATED_GRACE), (self._server.kill, DRAINED)]
            if event == CLIENT_LEFT and not leaving:
                self._to_server.close()
                steps, until, leaving = iter(kill), monotonic() + GRACE, True
            elif isinstance(event, int):
                self._guarding.interrupt(event)
                self._to_server.close()
                steps, until, leaving = iter(kill), monotonic(), True

    def _reap(self) -> None:
        self._server.wait()
        self._events.put(ENDED)

    def _server_left(self) -> None:
        """The server closed its input: the client is to see that as it would without the proxy."""
        shut(self._from_client)

    def _next_of_server(self) -> bytes:
        self._is_waiting = True
        chunk = read(self._from_server)
        self._is_waiting = False
        self._chunks += 1
        return chunk

    def _read_client(self) -> None:
        for line in lines(lambda: read(self._from_client), self._guarding.make_file):
            own = [] if line.torn else self._safely(self._asked, line)
            if own:
                self._start(self._answer, line, own[0])
                continue
            self._to_server.write(line.source.chunks(), torn=line.torn)
            line.close()
        self._events.put(CLIENT_LEFT)

    def _read_server(self) -> None:
        torn = False
        for line in lines(self._next_of_server, self._guarding.make_file):
            if not line.is_ended and not torn:  # of a torn one the others wait for this thread
                self._finish()  # what comes behind a message that breaks off would be taken for a part of it
            if line.torn and not torn:
                self._guarding.note(
                    "cannot keep a message of the server: no file can take it; it was passed on unchanged"
                )
            torn = line.torn
            answered = [] if line.torn else self._safely(self._answered, line)
            if any(call.method != mcp.LISTING for _, call in answered):
                self._start(self._guard, line, answered)
                continue
            edits = [edit for answer in answered for edit in self._safely(self._listing, line, *answer)]
            self._write(line, edits)
        self._finish()
        self._to_client.close()

    def _finish(self) -> None:
        """Wait until everything that is under way has been written."""
        with self._jobs_lock:
            jobs = self._jobs
        for job in jobs:
            job.join()

    def _asked(self, line: Line) -> list[Message]:
        """Note what a line of the client asks for; the message when it is a call of one of lrguard's own tools."""
        data = line.data()
        found = mcp.messages(data)
        if len(found) == 1 and self._is_own(data, found[0]):
            return found
        for message in found:
            self._calls.ask(data, message)
        return []

    def _safely(self, work: Callable[..., list[Found]], *given: object) -> list[Found]:
        """What `work` finds; nothing where it fails, since no message may be lost to a mistake of the proxy."""
        try:
            return work(*given)
        except Exception as error:
            self._guarding.note(f"internal error: {type(error).__name__}: {error}; a message was passed on")
            return []

    def _answered(self, line: Line) -> list[tuple[Message, Call]]:
        """The results in a line that are to be looked at, with the requests that they answer."""
        data = line.data()
        found = []
        for message in mcp.messages(data):
            call = self._calls.answer(data, message)
            result = message.result
            if call is None or result is None:
                continue
            if call.method != mcp.LISTING:
                threshold = self._guarding.threshold_of(call)
                if threshold is None or mcp.is_left_alone(data, result):
                    continue
                is_small = result.end - result.start <= threshold
                if is_small and self._guarding.is_plain(bytes(data[result.start : result.end])):
                    continue
            found.append((message, call))
        return found

    def _listing(self, line: Line, message: Message, call: Call) -> list[tuple[int, int, Source]]:
        result = message.result
        assert result is not None
        added = self._own if call.first_page else []
        written = line.source.read(result.start, result.end)
        edits = mcp.edited_listing(written, added, drops_schema=not self._guarding.keeps_schema)
        return [(result.start + start, result.start + end, BytesSource(instead)) for start, end, instead in edits]

    def _guard(self, line: Line, answered: list[tuple[Message, Call]]) -> None:
        """Write a line with what stands for the results in it; unchanged where that cannot be found out."""
        from contextlib import ExitStack

        with ExitStack() as stack:
            edits: list[tuple[int, int, Source]] = []
            for message, call in answered:
                if call.method == mcp.LISTING:
                    edits += self._safely(self._listing, line, message, call)
                    continue
                result = message.result
                assert result is not None
                try:
                    whole = Slice(line.source, result.start, result.end)
                    instead = stack.enter_context(self._guarding.replaced(whole, call))
                except Exception as error:
                    # Whatever is wrong here, a result is not lost to it.
                    self._guarding.note(f"internal error: {type(error).__name__}: {error}; a result was passed on")
                    continue
                if instead is not None:
                    edits.append((result.start, result.end, mcp.completed(instead, line.data(), result)))
            self._write(line, edits)

    def _write(self, line: Line, edits: Sequence[tuple[int, int, Source]]) -> None:
        self._to_client.write(edited(line.source, edits), torn=line.torn)
        line.close()

    def _is_own(self, data: Buffer, message: Message) -> bool:
        params = message.value.get("params")
        named = message.method == mcp.CALL and message.id is not None and params is not None
        return bool(self._own and named and params and mcp.text(data, params.get("name")) in mcp_tools.NAMES)

    def _answer(self, line: Line, message: Message) -> None:
        """Answer a call of one of lrguard's own tools."""
        data, value = line.data(), message.value
        params, id = value.members["params"], value.members["id"]  # type: ignore[index]
        arguments = params.get("arguments")
        written = bytes(data[arguments.start : arguments.end]).decode("utf-8", "replace") if arguments else None
        tool = mcp.text(data, params.get("name"))
        result = mcp_tools.answer(tool, written, self._guarding.session, self._guarding.threshold)
        named = bytes(data[id.start : id.end])
        self._to_client.write([b'{"jsonrpc":"2.0","id":' + named + b',"result":' + result + b"}\n"])
        line.close()

    def _start(self, work: Callable[..., None], *given: object) -> None:
        """Do `work` in a thread of its own, once there is room for one more."""
        self._places.acquire()

        def job() -> None:
            try:
                work(*given)
            finally:
                self._places.release()

        thread = Thread(target=job, daemon=True)
        thread.start()
        with self._jobs_lock:
            self._jobs = [*(one for one in self._jobs if one.is_alive()), thread]


def start(command: Sequence[str]) -> subprocess.Popen[bytes]:
    """The server, started with its input and output caught; raises LrguardError with the status that shells give."""
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, close_fds=False)
    except (OSError, ValueError) as error:
        status = 127 if isinstance(error, FileNotFoundError) else 126
        why = getattr(error, "strerror", None) or str(error)
        raise LrguardError(f"cannot start {command[0]}", why, status=status) from None
