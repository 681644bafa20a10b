"""A command that runs with its output caught, and everything else as if it ran by itself.

It gets this process's standard input, directory, environment, process group and terminal. Its outputs are pipes that
are read to their end whatever becomes of what arrives, so that it never sees one closed. `posix_spawn` starts it without
the modules that `subprocess` and `asyncio` cost; one thread reads both pipes and hears of signals through a descriptor.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from select import select
from time import monotonic

from lrguard.errors import LrguardError
from lrguard.intake.receive import PIPE_SIZE, Arriving, Received, Unspooled, enlarge
from lrguard.intake.source import CHUNK

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""Exit statuses of a command that could not be started, as shells have them."""

PASSED_ON = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
"""Signals that reach the command when they are sent to this process."""

FROM_KEYS = (signal.SIGINT, signal.SIGQUIT)
"""Signals that a terminal sends to the whole process group, the command included."""

GRACE = 1.0
"""Seconds after the command's end for what other processes still print (contract's issue on `run`)."""

TOLD_AFTER, TOLD_EVERY = 1.0, 0.25
"""Seconds until progress is told first, and between two times."""

RESTORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""Signals that Python ignores, which the command must not."""

SHELL = "/bin/sh"


class Output:
    """What one pipe of the command brings; `target` is the descriptor that it stands for."""

    def __init__(self, name: str, target: int, make_file: Callable[[], int]) -> None:
        """Nothing has arrived yet."""
        self.name, self.target = name, target
        self.arriving = Arriving(make_file)
        self.unkept: Unspooled | None = None
        """Why what arrived could not be kept; then it was passed on as it came."""

    def take(self, chunk: bytes, pass_on: Callable[[int, bytes], None]) -> None:
        """Keep `chunk`, or pass it on, with everything before it, where there is no room to keep it."""
        if self.unkept is None:
            try:
                self.arriving.take(chunk)
            except Unspooled as error:
                self.unkept = error
                for piece in error.spool.rescue():
                    pass_on(self.target, piece)
        else:
            pass_on(self.target, chunk)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended."""

    code: int
    """Its exit status, or the negative number of the signal that ended it."""
    held: tuple[int, ...] = ()
    """Pipes that other processes still held open when waiting for them was over; they are the caller's to close."""

    @property
    def status(self) -> int:
        """The exit status as a shell tells it."""
        return self.code if self.code >= 0 else 128 - self.code

    @property
    def failure(self) -> str:
        """How it failed, in a few words; empty where it did not."""
        if self.code >= 0:
            return f"exit status {self.code}" if self.code else ""
        try:
            return f"signal {-self.code} ({signal.Signals(-self.code).name})"
        except ValueError:
            return f"signal {-self.code}"

    def received(self, output: Output) -> Received:
        """What `output` brought; incomplete when a signal ended the command."""
        return output.arriving.received(incomplete=self.code < 0, ended=self.failure)


class Command:
    """A command from its start to its end."""

    def __init__(self, words: Sequence[str], outputs: Sequence[Output], environ: Mapping[str, str]) -> None:
        """Start it; its descriptors 1 and 2 are the pipes of `outputs`, both the only one where there is one.

        Raises LrguardError with status 127 or 126 where it cannot be started.
        """
        self._pipes: dict[int, Output] = {}
        self._code: int | None = None
        # SIGCHLD tells of the end, also where this process was started with it blocked.
        mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
        writers = []
        try:
            for output in outputs:
                reader, writer = os.pipe()
                enlarge(reader)
                self._pipes[reader] = output
                writers.append(writer)
            actions = [(os.POSIX_SPAWN_DUP2, writer, target) for writer, target in _targets(writers)]
            self._process = _spawn(words, environ, actions, mask)
        except BaseException:
            for reader in self._pipes:
                os.close(reader)
            raise
        finally:
            for writer in writers:
                os.close(writer)

    def watch(
        self, wake: int, pass_on: Callable[[int, bytes], None], tell: Callable[[int], None] | None = None
    ) -> Ended:
        """Read what it prints until it has ended and its pipes are closed, or held by others for longer than `GRACE`.

        `wake` brings numbers of signals, SIGCHLD among them. `pass_on` writes to a descriptor what cannot be kept;
        `tell` hears from time to time how many bytes have arrived.
        """
        over, telling = inf, monotonic() + TOLD_AFTER if tell else inf
        while self._pipes or self._code is None:
            now = monotonic()
            if now >= over:
                self._read_what_is_there(pass_on)
                break
            if tell and now >= telling:
                tell(sum(output.arriving.size for output in self._pipes.values()))
                telling = now + TOLD_EVERY
            until = min(over, telling)
            ready = select([*self._pipes, wake], [], [], None if until == inf else max(until - now, 0))[0]
            if wake in ready:
                self._hear(wake)
                if self._code is not None and over == inf:
                    over = monotonic() + GRACE
            self._read((pipe for pipe in ready if pipe != wake), pass_on)
        assert self._code is not None
        return Ended(self._code, tuple(self._pipes))
