"""Asks the configured command for a summary, with what a person and a signal expect of a program that waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from lrguard.cli import streams
from lrguard.settings import Settings

TOLD_AFTER = 1.0
"""Seconds until a terminal tells that there is something to wait for."""


class Asker:
    """Gives prompts to the command that the settings name. `signal` is the number of one that came meanwhile, or 0."""

    def __init__(self) -> None:
        """Nobody has been asked yet."""
        self.signal = 0

    def __call__(self, settings: Settings, prompt: str) -> bytes:
        """The command's answer; raises Unsummarized, at once where a signal has come before."""
        from lrguard.harness.summarizer import Interrupted, answer
        from lrguard.present.summary import Unsummarized

        assert isinstance(settings.summarize, str)
        if self.signal:
            raise Unsummarized("a signal has come before")
        with _told(settings) as tell, _signals() as wake:
            try:
                return answer(settings.summarize, prompt, settings.summary_timeout, wake=wake, tell=tell)
            except Interrupted as interrupted:
                self.signal = interrupted.signal
                raise


@contextmanager
def _told(settings: Settings) -> Iterator[Callable[[float], None] | None]:
    """What tells a person how long it has taken so far."""
    if settings.quiet or not streams.is_terminal(streams.ERRORS):
        yield None
        return
    from lrguard.cli.progress import Line

    line = Line()

    def tell(seconds: float) -> None:
        if seconds >= TOLD_AFTER:
            line.show(f"lrguard: waiting for a summary, {seconds:.0f} s of at most {settings.summary_timeout:g} s")

    try:
        yield tell
    finally:
        line.erase()


@contextmanager
def _signals() -> Iterator[int | None]:
    """A descriptor that brings signals; none in a thread that they do not reach."""
    from threading import current_thread, main_thread

    if current_thread() is not main_thread():
        yield None
        return
    from lrguard.cli.signals import waking

    with waking() as wake:
        yield wake
