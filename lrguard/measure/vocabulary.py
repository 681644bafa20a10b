"""The vocabulary of an encoding: toktok's tokenizer, or a table of ranks kept in a cache folder.

toktok has the vocabularies compiled in, but takes 0.6 s and 60 MB to set one up, too much for every call of a filter.
So the first call has them written into the cache folder as a table that needs no setting up (`rank_table`). Another
process does that, whose memory goes with it. A vocabulary counts as the real one only when the `.tiktoken` file made
of it has the sha256 that tiktoken pins, so that no release of toktok can change a count unnoticed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress

from lrguard.measure import rank_table
from lrguard.measure.rank_table import RankTable

VOCABULARIES = {
    "o200k_base": (199_998, "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
    "cl100k_base": (100_256, "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
}
"""Number of tokens and sha256 of the `.tiktoken` file, from tiktoken_ext/openai_public.py."""

_LOCK_TRIES, _LOCK_PAUSE = 500, 0.02
"""Ten seconds: on two cores, fifty calls that find the folder empty at once are through in three."""

_PROGRAM = "import sys; sys.path[:] = sys.argv[3:]; from lrguard.measure.vocabulary import keep; keep(*sys.argv[1:3])"


def ranks(encoding: str, folder: str | None) -> RankTable | None:
    """The ranks of `encoding` from the cache `folder`, where they are put first if they are not there yet.

    None where they cannot be had that way: there is no folder, nothing can be written to it, or toktok is missing.
    """
    if folder is None:
        return None
    return _read(folder, encoding) or _fill(folder, encoding)


def tokenizer(encoding: str) -> Callable[[str], int] | None:
    """toktok's count of tokens for `encoding`; None where it is missing or its vocabulary is not the real one."""
    loaded = _load(encoding)
    return loaded and loaded[0]


def keep(encoding: str, folder: str) -> None:
    """Write the table for `encoding` into `folder`, which exists; raises OSError where that fails."""
    loaded = _load(encoding)
    if loaded is None:
        return
    tokens = loaded[1]
    del loaded  # the tokenizer's 30 MB are not needed for what follows
    _publish(_path(folder, encoding), rank_table.pack(encoding, tokens))


def _load(encoding: str) -> tuple[Callable[[str], int], list[bytes]] | None:
    try:
        from toktok._toktok import Tokenizer

        loaded = Tokenizer(encoding, "")
        tokens = loaded.token_byte_values()
    except (ImportError, AttributeError, LookupError, TypeError, ValueError, OSError):
        return None
    return (loaded.count, tokens) if _is_real(encoding, tokens) else None


def _is_real(encoding: str, tokens: list[bytes]) -> bool:
    import hashlib
    from binascii import b2a_base64

    digest = hashlib.sha256()
    for first in range(0, len(tokens), 4096):
        lines = enumerate(tokens[first : first + 4096], first)
        digest.update(b"".join([b"%b %d\n" % (b2a_base64(token, newline=False), rank) for rank, token in lines]))
    return (len(tokens), digest.hexdigest()) == VOCABULARIES[encoding]


def _path(folder: str, encoding: str) -> str:
    return os.path.join(folder, f"{encoding}.ranks")


def _read(folder: str, encoding: str) -> RankTable | None:
    return rank_table.read(_path(folder, encoding), encoding, VOCABULARIES[encoding][0])


def _fill(folder: str, encoding: str) -> RankTable | None:
    """The table that this process, or another that was quicker, puts into the folder."""
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        # Under sudo the folder may be another user's, who could not read what is put there.
        ours = os.fstat(descriptor).st_uid == os.geteuid() and os.access(folder, os.W_OK | os.X_OK)
        if not ours or not _lock(descriptor):
            return None
        found = _read(folder, encoding)
        if found is None:
            _remove_remains(folder, encoding)
            _keep_elsewhere(encoding, folder)
            found = _read(folder, encoding)
        return found
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _lock(descriptor: int) -> bool:
    import fcntl
    import time

    for _ in range(_LOCK_TRIES):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            time.sleep(_LOCK_PAUSE)
        except OSError:  # a file system without locks: publishing is atomic without them too
            return True
    return False


def _keep_elsewhere(encoding: str, folder: str) -> None:
    """Run `keep` in a process of its own, in this one where none can be started."""
    if not sys.executable or getattr(sys, "frozen", False):
        return keep(encoding, folder)
    # Isolated and with this process's own path: nothing in the working directory is imported.
    command = [sys.executable, "-I", "-S", "-c", _PROGRAM, encoding, os.path.abspath(folder), *filter(None, sys.path)]
    null = [(os.POSIX_SPAWN_OPEN, stream, os.devnull, os.O_RDWR, 0) for stream in (0, 1, 2)]
    try:
        child = os.posix_spawn(sys.executable, command, os.environ, file_actions=null)
    except OSError:
        return keep(encoding, folder)
    # Where whoever started this process ignores SIGCHLD there is no status to be had, but the wait ends all the same.
    with suppress(ChildProcessError):
        os.waitpid(child, 0)


def _publish(path: str, data: bytes) -> None:
    temporary = f"{path}.{os.getpid()}.tmp"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            os.fchmod(descriptor, 0o600)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
    except BaseException:
        _remove(temporary)
        raise


def _remove_remains(folder: str, encoding: str) -> None:
    """Remove what writers that died left; the lock says that no other one is at work."""
    for name in os.listdir(folder):
        if name.startswith(f"{encoding}.ranks.") and name.endswith(".tmp"):
            _remove(os.path.join(folder, name))


def _remove(path: str) -> None:
    with suppress(OSError):  # gone already, or not ours to remove: neither hinders the next writer
        os.unlink(path)
