"""What a command that looks back is to look into: a saved response, any other file, or standard input."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from lrguard.cli import streams
from lrguard.errors import LrguardError, SaveError
from lrguard.intake import mcp_result
from lrguard.intake.encoding import detect, to_utf8
from lrguard.intake.media_type import OCTET_STREAM, MediaType, sniff
from lrguard.intake.receive import Unspooled, receive
from lrguard.intake.source import FileSource, Source, Spool
from lrguard.intake.text_kind import TextKind, kind_of
from lrguard.place import temporary_file
from lrguard.reading import JSON, laid_out
from lrguard.records import dataclass, replace
from lrguard.session.reader import Part, Saved
from lrguard.session.store import Session

SNIFFED = 64 * 1024
INPUT_NAME = "standard input"


@dataclass(frozen=True, slots=True)
class Target:
    """One thing to look into. `text` and `kind` are None for binary data, `saved` for what is no saved response.

    `text` is the original in UTF-8, `reading` what is read by lines and searched: the reading copy where there is one.
    """

    name: str
    saved: Saved | None
    original: Source
    text: Source | None
    reading: Source | None
    kind: TextKind | None
    media_type: MediaType
    is_mcp: bool = False

    @property
    def argument(self) -> str:
        """How a command line names it."""
        return "-" if self.name is INPUT_NAME else self.name

    def readable(self) -> Source:
        """What is read by lines; raises LrguardError for binary data."""
        if self.reading is None:
            raise self.binary()
        return self.reading

    def whole(self) -> Source:
        """The original as UTF-8; raises LrguardError for binary data."""
        if self.text is None:
            raise self.binary()
        return self.text

    def binary(self) -> LrguardError:
        """The error for a command that reads text."""
        kind = f"{self.media_type.name}, {self.original.size:,} bytes"
        return LrguardError(f"cannot read {self.name}", f"it is binary data ({kind})", "peek shows its beginning")


@dataclass(frozen=True, slots=True)
class Choice:
    """How the command line names targets."""

    session: Session
    saved_only: bool
    call_id: str | None
    quiet: bool = False


@contextmanager
def open_target(reference: str | None, choice: Choice) -> Iterator[Target]:
    """The target that `reference` names (None: the last response); raises LrguardError where there is none."""
    opened: list[int] = []
    try:
        yield _target(reference, choice, opened)
    finally:
        for descriptor in opened:
            os.close(descriptor)


def all_responses(choice: Choice, tool: str | None = None) -> list[str]:
    """The ids of everything that the session holds, or of one tool, the oldest first."""
    found = reversed(choice.session.responses())
    return [saved.id for saved in found if tool is None or any(seen.tool == tool for seen in saved.record.sightings)]


def _target(reference: str | None, choice: Choice, opened: list[int]) -> Target:
    if reference == "-":
        if choice.saved_only:
            raise LrguardError("cannot read standard input", "only saved responses may be read")
        return _described(INPUT_NAME, None, _from_input(streams.readable("-", opened)), opened)
    given, choice = choice, _session_of(reference, choice)
    saved = _saved(reference, choice)
    if saved is not None:
        if reference is None and not choice.quiet:
            tool = saved.record.sightings[-1].tool
            streams.note(f"reading {saved.id}{f' of {tool}' if tool else ''}, the last response")
        # In another session than the one that was chosen an id would not be found again, but the path is.
        name = reference if reference and choice is not given else saved.id
        return _of_response(saved, name, choice, opened)
    assert reference is not None
    return _described(reference, None, _of_file(reference, choice, opened), opened)


def _saved(reference: str | None, choice: Choice) -> Saved | None:
    """The saved response that is meant, None where a file is; raises LrguardError where neither is there."""
    if reference is not None and "/" in reference:
        if choice.session.contains_path(reference):
            return _at_path(reference, choice.session)
        if choice.saved_only:
            raise LrguardError(f"cannot read {reference}", "only saved responses may be read")
        return None
    try:
        return choice.session.find(reference, call_id=choice.call_id)
    except LrguardError:
        if reference is None or choice.saved_only or not os.path.isfile(reference):
            raise
        return None


def _at_path(path: str, session: Session) -> Saved | None:
    """The response whose original lies at `path`; None for its other files and for assets."""
    name = os.path.basename(path)
    try:
        saved = session.find(name)
    except LrguardError:
        return None
    return saved if os.path.basename(saved.record.file) == name else None


def _session_of(reference: str | None, choice: Choice) -> Choice:
    """The session that a path lies in, where it is another than the chosen one."""
    if reference is None or "/" not in reference or choice.saved_only or choice.session.contains_path(reference):
        return choice
    other = Session(os.path.dirname(os.path.dirname(os.path.abspath(reference))))
    return replace(choice, session=other) if other.contains_path(reference) else choice


def _of_file(path: str, choice: Choice, opened: list[int]) -> Source:
    if choice.saved_only:
        source = choice.session.open_path(path)
        opened.append(source.descriptor)
        return source
    descriptor = streams.readable(path, opened)
    import stat

    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise LrguardError(f"cannot read {path}", "it is a directory", "name a file in it")
    return FileSource(descriptor) if stat.S_ISREG(mode) else _from_input(descriptor)


def _from_input(descriptor: int) -> Source:
    try:
        received = receive(descriptor, temporary_file)
    except Unspooled as error:
        raise LrguardError("cannot keep what was read", error.why) from None
    if received.failure:
        raise LrguardError("cannot read all of it", received.failure)
    return received.source


def _of_response(saved: Saved, name: str, choice: Choice, opened: list[int]) -> Target:
    original = choice.session.open(saved)
    opened.append(original.descriptor)
    target = _described(name, saved, original, opened)
    if saved.record.reading is None and target.text is not None:
        saved = _with_reading_copy(saved, target, choice)
    if saved.record.reading is None:
        return target
    try:
        reading = choice.session.open(saved, Part.READING_COPY)
    except LrguardError as error:
        # The original is whole, which is what counts.
        streams.notes([f"{error.what}: {error.why}; the original is read instead"], quiet=choice.quiet)
        return target
    opened.append(reading.descriptor)
    # What was said to be an MCP result, such as an array of blocks, is known by its copy, which is no JSON.
    declared = saved.record.reading is not None and not saved.record.reading.file.endswith(".json")
    mcp = mcp_result.read(original, lambda: Spool(temporary_file), declared=declared)
    is_mcp = target.kind is TextKind.JSON and mcp is not None
    return Target(target.name, saved, original, target.text, reading, target.kind, target.media_type, is_mcp)


def _with_reading_copy(saved: Saved, target: Target, choice: Choice) -> Saved:
    """The response with the copy that large JSON gets when it is first read, where one can be kept."""
    if target.kind not in JSON or target.text is None:
        return saved
    reading = laid_out(target.text, lambda: Spool(choice.session.make_temporary))
    if reading is None:
        return saved
    try:
        return choice.session.save_reading_copy(saved, reading, target.kind.extension)
    except SaveError:
        return saved


def _described(name: str, saved: Saved | None, original: Source, opened: list[int]) -> Target:
    media = sniff(original.read(0, SNIFFED), original.size, original.read)
    encoding = None if media else detect(original)
    if encoding is None:
        return Target(name, saved, original, None, None, None, media or OCTET_STREAM)

    def make_file() -> int:
        descriptor = temporary_file()
        opened.append(descriptor)
        return descriptor

    text = to_utf8(original, encoding, Spool(make_file))
    kind = kind_of(text).kind
    return Target(name, saved, original, text, text, kind, MediaType(kind.media_type, kind.extension))
