"""A command that runs with its output caught, and everything else as if it ran by itself.

It gets this process's standard input, directory, environment, process group and terminal. Its outputs are pipes that
are read to their end whatever becomes of what arrives, so that it never sees one closed. `posix_spawn` starts it
without the modules that `subprocess` and `asyncio` cost; one thread reads both pipes and hears of signals through a
descriptor.
"""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from select import select
from time import monotonic
from typing import Any, NoReturn

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

Action = tuple[Any, ...]
"""One file action of `posix_spawn`."""


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
        """Start it; its descriptors 1 and 2 are the pipes of `outputs`, both the same one where there is but one.

        The caller catches SIGCHLD by then. Raises LrguardError with status 127 or 126 where it cannot be started.
        """
        self._outputs = outputs
        self._pipes: dict[int, Output] = {}
        self._code: int | None = None
        # SIGCHLD tells of the end, also where this process was started with it blocked.
        mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))
        writers: list[int] = []
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
                tell(sum(output.arriving.size for output in self._outputs))
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

    def _read(self, pipes: Iterable[int], pass_on: Callable[[int, bytes], None]) -> None:
        for pipe in pipes:
            if chunk := os.read(pipe, CHUNK):
                self._pipes[pipe].take(chunk, pass_on)
            else:
                del self._pipes[pipe]
                os.close(pipe)

    def _read_what_is_there(self, pass_on: Callable[[int, bytes], None]) -> None:
        """As much as pipes can hold: what was printed in time, and not all that an endless writer has to say."""
        for _ in range(PIPE_SIZE // CHUNK):
            self._read(select([*self._pipes], [], [], 0)[0], pass_on)

    def _hear(self, wake: int) -> None:
        for number in os.read(wake, 4096):
            if self._code is not None:
                return
            if number == signal.SIGCHLD:
                process, status = os.waitpid(self._process, os.WNOHANG)
                if process:
                    self._code = os.waitstatus_to_exitcode(status)
            elif number not in FROM_KEYS or not _in_foreground():
                with suppress(OSError):  # it may run as somebody else, as under sudo
                    os.kill(self._process, number)


def replace_by(words: Sequence[str], environ: Mapping[str, str]) -> NoReturn:
    """Become the command itself. Raises LrguardError with status 127 or 126 where it cannot be started."""
    _check_named(words)
    for number in RESTORED:
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvpe(words[0], list(words), environ)
    except OSError as error:
        script = _found(words[0], environ) if error.errno == errno.ENOEXEC else None
        if script is None:
            raise _not_started(words[0], error, environ) from None
    os.execve(SHELL, ["sh", script, *words[1:]], environ)


def environment() -> dict[str, str]:
    """The environment that this process was started with.

    Python sets LC_CTYPE for itself where the locale is C (PEP 538), which the command is none the wiser for.
    """
    environ = dict(os.environ)
    if environ.get("LC_CTYPE") in ("C.UTF-8", "C.utf8", "UTF-8"):
        with suppress(OSError), open("/proc/self/environ", "rb") as file:
            if not any(entry.startswith(b"LC_CTYPE=") for entry in file.read().split(b"\0")):
                del environ["LC_CTYPE"]
    return environ


def leave_readers(pipes: Iterable[int], environ: Mapping[str, str]) -> None:
    """Close pipes whose writers live on, with a `cat` behind each that reads until they end.

    A server that the command started in the background would otherwise be ended by its next line of log.
    """
    for pipe in pipes:
        actions = [
            (os.POSIX_SPAWN_DUP2, pipe, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        with suppress(OSError):  # then the writers see a closed pipe
            os.posix_spawnp("cat", ["cat"], environ, file_actions=actions, setpgroup=0)
        os.close(pipe)


def _targets(writers: list[int]) -> Iterable[tuple[int, int]]:
    return zip(writers * 2 if len(writers) == 1 else writers, (1, 2), strict=True)


def _spawn(words: Sequence[str], environ: Mapping[str, str], actions: Sequence[Action], mask: Iterable[int]) -> int:
    """The process that runs `words`; a script that names no interpreter is run by the shell, as shells do."""
    _check_named(words)

    def spawn(program: str, arguments: list[str]) -> int:
        return os.posix_spawnp(program, arguments, environ, file_actions=actions, setsigmask=mask, setsigdef=RESTORED)

    try:
        try:
            return spawn(words[0], list(words))
        except OSError as error:
            script = _found(words[0], environ) if error.errno == errno.ENOEXEC else None
            if script is None:
                raise
            return spawn(SHELL, ["sh", script, *words[1:]])
    except OSError as error:
        raise _not_started(words[0], error, environ) from None


def _check_named(words: Sequence[str]) -> None:
    """An empty name is no command's; `posix_spawn` and `exec` are not to be asked for it."""
    if not words[0]:
        raise LrguardError("cannot run a command", "its name is empty", status=NOT_FOUND)


def _not_started(name: str, error: OSError, environ: Mapping[str, str]) -> LrguardError:
    why, status = error.strerror or str(error), NOT_EXECUTABLE
    if error.errno == errno.ENOENT:
        if _found(name, environ):
            why = "the interpreter that it names does not exist"
        else:
            why, status = "there is no such command", NOT_FOUND
    return LrguardError(f"cannot run {name}", why, status=status)


def _found(name: str, environ: Mapping[str, str]) -> str | None:
    """The file that a command's name stands for."""
    folders = [""] if "/" in name else environ.get("PATH", os.defpath).split(os.pathsep)
    files = (os.path.join(folder, name) for folder in folders)
    return next((file for file in files if os.path.isfile(file) and os.access(file, os.X_OK)), None)


def _in_foreground() -> bool:
    """Whether keys pressed at a terminal send signals to this process's group."""
    try:
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
