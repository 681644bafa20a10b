"""The shell command that summarizes: a prompt on its standard input, a summary on its standard output.

It has a session and so a process group of its own, which is ended whatever happens: when it has answered, at the time
limit, on a signal. It can neither hold lrguard nor outlive it, but for a process that leaves the group, whose pipes
are not waited for. Nothing of the result is in its arguments or its environment.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
from collections.abc import Callable
from contextlib import suppress
from math import inf
from time import monotonic

from lrguard.harness.command import SHELL, environment
from lrguard.intake.sanitize import visible
from lrguard.present.summary import LONGEST_ANSWER, Unsummarized

NESTED = "LRGUARD_NESTED"
"""Set for the command, which may itself run commands behind lrguard: there everything passes."""

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end the wait for a summary."""

GRACE = 0.5
"""Seconds in which what the command left running may still print, and in which its group may end by itself."""

POLL = 0.02
"""Seconds between two looks at whether the command has ended: what it left running may hold its pipes."""

_PIECE = 64 * 1024
_COMPLAINT = 2048
_SHOWN = 200


class Interrupted(Unsummarized):
    """A signal came while the command ran; `signal` is its number."""

    def __init__(self, number: int) -> None:
        super().__init__(f"interrupted by {signal.Signals(number).name}")
        self.signal = number


def answer(
    command: str, prompt: str, seconds: float, *, wake: int | None = None, tell: Callable[[float], None] | None = None
) -> bytes:
    """What `command` prints, given `prompt`, in at most `seconds`; of more than `LONGEST_ANSWER` bytes one too many.

    `wake` is a descriptor that brings numbers of signals; `tell` hears from time to time how many seconds have passed.
    Raises Unsummarized where the command cannot be started, fails or is late, and Interrupted on a signal.
    """
    try:
        process = subprocess.Popen(
            [SHELL, "-c", command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment(), NESTED: "1"},
            bufsize=0,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise Unsummarized(f"the command cannot be started ({getattr(error, 'strerror', None) or error})") from None
    talk = _Talk(process, prompt.encode("utf-8", "replace"))
    try:
        code = talk.until_ended(seconds, wake, tell)
    finally:
        talk.end()
    if code or not talk.answer.strip():  # of a pipeline that failed the last command may have been content
        raise Unsummarized(_failure(code, bytes(talk.complaint)))
    return bytes(talk.answer)


class _Talk:
    """What is said to the command and what it says, until it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], prompt: bytes) -> None:
        assert process.stdin and process.stdout and process.stderr
        self._process = process
        self._unsent = memoryview(prompt)
        self._input, self._output, self._errors = process.stdin, process.stdout, process.stderr
        self._selector = selectors.DefaultSelector()
        self._open = {self._output.fileno(), self._errors.fileno()}
        self.answer, self.complaint = bytearray(), bytearray()
        os.set_blocking(self._input.fileno(), False)
        self._selector.register(self._input.fileno(), selectors.EVENT_WRITE)
        for descriptor in self._open:
            self._selector.register(descriptor, selectors.EVENT_READ)

    def until_ended(self, seconds: float, wake: int | None, tell: Callable[[float], None] | None) -> int:
        """The exit status, or the negative number of a signal; raises Unsummarized."""
        if wake is not None:
            self._selector.register(wake, selectors.EVENT_READ)
        begun = monotonic()
        over = inf
        while self._process.poll() is None or (self._open and monotonic() < over):
            passed = monotonic() - begun
            if self._process.returncode is not None:
                over = min(over, begun + passed + GRACE)
            elif passed >= seconds:
                raise Unsummarized(f"it took longer than {seconds:g} s")
            if tell:
                tell(passed)
            for key, _ in self._selector.select(POLL):
                if key.fd == wake:
                    self._hear(wake)
                elif key.fd in self._open:
                    self._read(key.fd)
                else:
                    self._send()
        self._read_what_is_there()
        return self._process.wait()

    def end(self) -> None:
        """End everything that is left of the command's group, first politely, and close the pipes.

        That nobody holds the pipes any more tells that it has ended: where no parent waits for them, dead processes
        stay members of their group.
        """
        if self._reach(signal.SIGTERM):
            until = monotonic() + GRACE
            while (self._process.poll() is None or self._open) and self._reach(0) and monotonic() < until:
                self._discard()
            self._reach(signal.SIGKILL)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(GRACE)
        self._selector.close()
        for pipe in (self._input, self._output, self._errors):
            with suppress(OSError):
                pipe.close()

    def _send(self) -> None:
        try:
            self._unsent = self._unsent[os.write(self._input.fileno(), self._unsent[:_PIECE]) :]
        except BlockingIOError:
            return
        except OSError:
            self._unsent = self._unsent[:0]  # it has read all that it wants
        if not self._unsent:
            self._selector.unregister(self._input.fileno())
            self._input.close()

    def _read(self, descriptor: int) -> None:
        piece = os.read(descriptor, _PIECE)
        if not piece:
            self._open.discard(descriptor)
            self._selector.unregister(descriptor)
        elif descriptor == self._errors.fileno():
            self.complaint = (self.complaint + piece)[-_COMPLAINT:]
        else:
            self.answer += piece
            if len(self.answer) > LONGEST_ANSWER:
                raise Unsummarized(f"the answer is longer than {LONGEST_ANSWER // 1024} KiB")

    def _read_what_is_there(self) -> None:
        """Once more where somebody else holds a pipe: what was printed in time counts."""
        for key, _ in self._selector.select(0):
            if key.fd in self._open:
                self._read(key.fd)

    def _discard(self) -> None:
        for key, _ in self._selector.select(POLL / 2):
            if key.fd not in self._open:
                self._selector.unregister(key.fd)
            elif not os.read(key.fd, _PIECE):
                self._open.discard(key.fd)
                self._selector.unregister(key.fd)

    def _reach(self, number: int) -> bool:
        """Send a signal, or 0 for none, to the group; whether there was anybody to get it."""
        try:
            os.killpg(self._process.pid, number)
        except OSError:
            return False  # nobody is left, or only what has become somebody else's
        return True

    def _hear(self, wake: int) -> None:
        for number in os.read(wake, 4096):
            if number in ENDING:
                raise Interrupted(number)


def _failure(code: int, complaint: bytes) -> str:
    """How the command failed, with the last thing that it said."""
    how = f"the command failed: exit status {code}" if code else "the answer is empty"
    if code < 0:
        with suppress(ValueError):
            how = f"the command failed: {signal.Signals(-code).name}"
    lines = visible(complaint.decode("utf-8", "replace")).split("\n")
    last = next((" ".join(line.split()) for line in reversed(lines) if line.strip()), "")
    return f"{how}{': ' if last else ''}{last[:_SHOWN]}"
