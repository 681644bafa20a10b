"""Where this process keeps things: the session, the cache of vocabularies, and files that nobody else sees."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from lrguard.errors import LrguardError, SaveError
from lrguard.measure.tokens import Counter
from lrguard.session.location import default_session
from lrguard.session.store import Session
from lrguard.settings import Settings
from lrguard.workplace import Ask, Workplace

LOOKED_AT = 2000
"""Tokens that a command which looks back prints by itself (contract, section 9)."""


@contextmanager
def place_for(settings: Settings, *, keeps: bool = True, ask: Ask | None = None) -> Iterator[Workplace]:
    """The workplace that `settings` name; temporary files of it are gone afterwards.

    Summaries are asked for with `ask`, not at all without it.
    """
    session = session_for(settings)
    make_file = _spooling(session) if keeps else temporary_file
    try:
        yield Workplace(session, counter_for(settings), make_file, keeps, ask)
        retire(session, settings)
    finally:
        session.close()


def retire(session: Session, settings: Settings) -> None:
    """After a save, at most once a day, drop from a session what the settings do not keep."""
    if session.has_saved and settings.retention:
        from lrguard.session.retention import automatic

        automatic(session, older_than=settings.retention.older_than, keep_bytes=settings.retention.keep_bytes)


def session_for(settings: Settings) -> Session:
    """The session that `settings` name, else the default one of the working directory."""
    path = settings.session or default_session(os.environ, os.getcwd())
    return Session(os.path.abspath(path), shown_as=settings.show_session)


def counter_for(settings: Settings) -> Counter:
    """A counter in the encoding that `settings` name."""
    return Counter(settings.encoding, cache_folder(os.environ))


def bound_for(max_tokens: int | None, settings: Settings) -> int:
    """The tokens that a command which looks back may print, 0 for no bound: no more than would be offloaded again."""
    if max_tokens is None:
        return min(LOOKED_AT, settings.threshold)
    if max_tokens < 0:
        raise LrguardError("cannot use --max-tokens", f"{max_tokens} is negative", "give 0 for no bound")
    return max_tokens


def cache_folder(environ: Mapping[str, str]) -> str | None:
    """The folder for vocabularies, as the XDG base directories have it; None without a home."""
    base = environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(base):
        home = environ.get("HOME", "")
        base = os.path.join(home, ".cache") if os.path.isabs(home) else ""
    return os.path.join(base, "lrguard") if base else None


def temporary_file() -> int:
    """A new file without a name, open for reading and writing."""
    from tempfile import TemporaryFile

    with TemporaryFile(prefix="lrguard-") as file:
        return os.dup(file.fileno())


def _spooling(session: Session) -> Callable[[], int]:
    """Makes files in the session, which can be published without a copy; elsewhere where that is not possible."""

    def make_file() -> int:
        try:
            return session.make_temporary()
        except SaveError:
            return temporary_file()

    return make_file
