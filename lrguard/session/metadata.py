"""The metadata of one saved response: `.lrguard/<id>.json`, a record and its one form on disk.

What is read back may have been edited or forged, so every value is checked, and a name of a file counts only where it
is one that lrguard itself would have given to that content. Strings from outside are cut, so that no call id makes a
record that the next reader refuses.
"""

from __future__ import annotations

import builtins
from datetime import UTC, datetime

from lrguard.records import asdict, dataclass, replace
from lrguard.session import names
from lrguard.session.record_fields import BrokenRecordError, Fields

LIMIT = 8 * 1024 * 1024
"""Bytes that a record may have; longer ones are not read."""

_VERSION = 1
_TEXT = 1024
_SIGHTINGS = 100
_ASSETS = 10_000
_SUMMARIES = 8
_SUMMARY = 12_000


@dataclass(frozen=True, slots=True)
class AssetRecord:
    """One distinct content that was taken out of a result.

    `file` is relative to the session; what is handed to `Session.save` may have the path that `save_asset` returned.
    """

    file: str
    media_type: str
    declared_media_type: str | None
    bytes: int
    sha256: str
    json_path: str | None
    source: str


@dataclass(frozen=True, slots=True)
class ReadingRecord:
    """The reading copy of a saved response; `file` is relative to the session."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class SummaryRecord:
    """A summary of the response by a model; `key` is a sha256 of what it was asked for with."""

    key: str
    text: str


@dataclass(frozen=True, slots=True)
class Sighting:
    """One time that the content came: in UTC, from which tool, in which call."""

    time: datetime
    tool: str | None
    call_id: str | None


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one saved response; `file` is relative to the session.

    `sightings` are the first and the latest ones, oldest first, never none; `seen` counts all of them. `summaries` are
    the latest ones, oldest first.
    """

    id: str
    sha256: str
    bytes: int
    file: str
    reading: ReadingRecord | None
    media_type: str
    encoding: str | None
    lines: int | None
    tokens: int | None
    tokens_exact: bool
    is_error: bool
    incomplete: bool
    seen: int
    sightings: tuple[Sighting, ...]
    assets: tuple[AssetRecord, ...]
    summaries: tuple[SummaryRecord, ...] = ()

    @property
    def first_seen(self) -> datetime:
        """When the content was saved, in UTC."""
        return self.sightings[0].time

    @property
    def last_seen(self) -> datetime:
        """When the content came last, in UTC."""
        return self.sightings[-1].time

    @property
    def files(self) -> tuple[str, ...]:
        """The files that belong to this response alone."""
        return (self.file, self.reading.file) if self.reading else (self.file,)

    def seen_again(self, sighting: Sighting) -> Record:
        """This record with one more sighting; of many the first and the latest ones are kept."""
        latest = (*self.sightings[1:], sighting)[1 - _SIGHTINGS :]
        return replace(self, seen=self.seen + 1, sightings=(self.sightings[0], *latest))

    def summary(self, key: str) -> str | None:
        """The text of the summary with that key."""
        return next((one.text for one in self.summaries if one.key == key), None)

    def summarized(self, summary: SummaryRecord) -> Record:
        """This record with one more summary; of many the latest are kept."""
        others = (one for one in self.summaries if one.key != summary.key)
        kept = SummaryRecord(summary.key, summary.text[:_SUMMARY])
        return replace(self, summaries=(*others, kept)[-_SUMMARIES:])

    def to_json(self) -> builtins.bytes:
        """The record as it is written, in at most `LIMIT` bytes; long JSONPaths are left out where that takes it."""
        import json

        document = {name: getattr(self, name) for name in self.__slots__}
        assets = [asdict(asset) for asset in self.assets]
        document |= {
            "version": _VERSION,
            "reading": asdict(self.reading) if self.reading else None,
            "sightings": [
                {"time": _write_time(one.time), "tool": _cut(one.tool), "call_id": _cut(one.call_id)}
                for one in self.sightings
            ],
            "assets": assets,
            "summaries": [asdict(one) for one in self.summaries],
        }
        for longest in (4096, 256, 0):
            for asset in assets:
                for key in ("json_path", "declared_media_type"):
                    if asset[key] is not None and len(asset[key]) > longest:
                        asset[key] = None
            data = (json.dumps(document) + "\n").encode()
            if len(data) <= LIMIT:
                break
        return data


def sighting(moment: datetime, tool: str | None, call_id: str | None) -> Sighting:
    """A sighting as it will be read back: strings cut, the time in UTC."""
    return Sighting(moment.astimezone(UTC), _cut(tool) or None, _cut(call_id))


def read_record(data: bytes, identifier: str) -> Record:
    """The record in `data`, the file named after `identifier`; raises `BrokenRecordError`."""
    import json

    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise BrokenRecordError("it is no JSON") from None
    fields = Fields(document)
    if fields.integer("version") != _VERSION:
        raise BrokenRecordError("another version of lrguard wrote it")
    sha256 = fields.sha256("sha256")
    if fields.text("id") != identifier or not sha256.startswith(identifier):
        raise BrokenRecordError("its id is not its name")
    record = Record(
        id=identifier,
        sha256=sha256,
        bytes=fields.integer("bytes"),
        file=fields.text("file"),
        reading=_read_reading(fields, identifier),
        media_type=fields.text("media_type"),
        encoding=fields.optional_text("encoding"),
        lines=fields.optional_integer("lines"),
        tokens=fields.optional_integer("tokens"),
        tokens_exact=fields.flag("tokens_exact"),
        is_error=fields.flag("is_error"),
        incomplete=fields.flag("incomplete"),
        seen=fields.integer("seen"),
        sightings=tuple(_read_sighting(one) for one in fields.objects("sightings", _SIGHTINGS)),
        assets=tuple(_read_asset(one) for one in fields.objects("assets", _ASSETS)),
        summaries=_read_summaries(fields),
    )
    if not names.is_response_file(record.file, identifier, reading=False):
        raise BrokenRecordError("its file is not one of this session")
    if not record.sightings:
        raise BrokenRecordError("'sightings' is empty")
    return record


def _read_reading(fields: Fields, identifier: str) -> ReadingRecord | None:
    if fields.value("reading") is None:
        return None
    inner = Fields(fields.value("reading"))
    reading = ReadingRecord(inner.text("file"), inner.integer("bytes"), inner.sha256("sha256"))
    if not names.is_response_file(reading.file, identifier, reading=True):
        raise BrokenRecordError("its reading copy is not one of this session")
    return reading


def _read_summaries(fields: Fields) -> tuple[SummaryRecord, ...]:
    if fields.value("summaries") is None:
        return ()
    found = fields.objects("summaries", _SUMMARIES)
    return tuple(SummaryRecord(one.sha256("key"), one.text("text")[:_SUMMARY]) for one in found)


def _read_sighting(fields: Fields) -> Sighting:
    return Sighting(fields.time("time"), fields.optional_text("tool"), fields.optional_text("call_id"))


def _read_asset(fields: Fields) -> AssetRecord:
    asset = AssetRecord(
        file=fields.text("file"),
        media_type=fields.text("media_type"),
        declared_media_type=fields.optional_text("declared_media_type"),
        bytes=fields.integer("bytes"),
        sha256=fields.sha256("sha256"),
        json_path=fields.optional_text("json_path"),
        source=fields.text("source"),
    )
    if not names.is_asset_file(asset.file, asset.sha256):
        raise BrokenRecordError("an asset is not one of this session")
    return asset


def _write_time(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _cut(text: str | None) -> str | None:
    return text if text is None else text[:_TEXT]
