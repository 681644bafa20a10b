"""What is known of a result that is to be saved, and the record and the names that follow from it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from lrguard.records import dataclass
from lrguard.session import names
from lrguard.session.metadata import AssetRecord, Record, Sighting

_READING_NAMES = 60
_ASSETS = 10_000


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a result that is to be saved; `place` is `names.LONG_RESPONSES` or `names.DOWNLOADS`.

    Extensions have no dot; the reading copy's is the same where it is None. `assets` are all that the printed text
    refers to.
    """

    place: str
    sha256: str
    bytes: int
    extension: str
    media_type: str
    encoding: str | None = None
    lines: int | None = None
    tokens: int | None = None
    tokens_exact: bool = False
    tool: str | None = None
    call_id: str | None = None
    is_error: bool = False
    incomplete: bool = False
    assets: tuple[AssetRecord, ...] = ()
    reading_extension: str | None = None


def new_record(identifier: str, file: str, facts: Facts, seen: Sighting) -> Record:
    """The record of a response that is saved as `file` for the first time."""
    return Record(
        id=identifier,
        sha256=facts.sha256,
        bytes=facts.bytes,
        file=file,
        reading=None,
        media_type=facts.media_type,
        encoding=facts.encoding,
        lines=facts.lines,
        tokens=facts.tokens,
        tokens_exact=facts.tokens_exact,
        is_error=facts.is_error,
        incomplete=facts.incomplete,
        seen=1,
        sightings=(seen,),
        assets=merged_assets((), facts.assets),
    )


def merged_assets(old: tuple[AssetRecord, ...], new: tuple[AssetRecord, ...]) -> tuple[AssetRecord, ...]:
    """The assets of both, those of the latest result first: its own are the ones that its message lists."""
    files = {asset.file for asset in new}
    return (*new, *(asset for asset in old if asset.file not in files))[:_ASSETS]


def reading_extension(facts: Facts) -> str:
    """The extension of the reading copy."""
    return facts.reading_extension or facts.extension


def original_file(facts: Facts, identifier: str, seen: Sighting) -> str:
    """Where, relative to the session, the result is saved under that id."""
    stem = names.response_stem(seen.time, facts.tool, identifier)
    return f"{facts.place}/{stem}.{names.extension_part(facts.extension)}"


def reading_files(record: Record, extension: str, seen: Sighting) -> Iterator[str]:
    """The reading copy's name beside the original, then others, for where an edited reading copy has that one."""
    place, _, name = record.file.rpartition("/")
    end = f".reading.{names.extension_part(extension)}"
    yield f"{place}/{name.rpartition('.')[0]}{end}"
    for later in range(_READING_NAMES):
        yield f"{place}/{names.response_stem(seen.time + timedelta(seconds=later), seen.tool, record.id)}{end}"
