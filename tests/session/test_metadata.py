from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from lrguard.session import metadata
from lrguard.session.metadata import AssetRecord, ReadingRecord, Record, read_record, sighting
from lrguard.session.record_fields import BrokenRecordError
from tests.session.support import NOON, sha

DIGEST = sha(b"text")
ID = DIGEST[:8]
STEM = f"long_responses/2026-07-03T12-00-00Z_search_{ID}"
IMAGE = sha(b"image")
RECORD = Record(
    id=ID,
    sha256=DIGEST,
    bytes=4,
    file=f"{STEM}.json",
    reading=ReadingRecord(f"{STEM}.reading.json", 9, sha(b"reading")),
    media_type="application/json",
    encoding="utf-8",
    lines=None,
    tokens=84213,
    tokens_exact=True,
    is_error=False,
    incomplete=True,
    seen=1,
    sightings=(sighting(NOON, "sear\x1bch", "call\udcff"),),
    assets=(AssetRecord(f"downloads/assets/{IMAGE[:16]}.png", "image/png", None, 5, IMAGE, "$.a", "data-url"),),
)


def test_record_is_read_back_as_it_was_written() -> None:
    assert read_record(RECORD.to_json(), ID) == RECORD


def edited(**members: Any) -> bytes:
    return json.dumps(json.loads(RECORD.to_json()) | members).encode()


@pytest.mark.parametrize(
    "members",
    [
        {"version": 2},
        {"version": True},
        {"id": "00000000"},
        {"sha256": sha(b"other")},
        {"sha256": DIGEST.upper()},
        {"bytes": -1},
        {"bytes": 4.0},
        {"bytes": True},
        {"bytes": 10**30},
        {"lines": "7"},
        {"file": "../../etc/passwd"},
        {"file": "/etc/passwd"},
        {"file": "long_responses/../../x"},
        {"file": f"{STEM}.reading.json"},
        {"file": None},
        {"reading": {"file": f"{STEM}.json", "bytes": 9, "sha256": DIGEST}},
        {"reading": {"file": "../x.reading.txt", "bytes": 9, "sha256": DIGEST}},
        {"reading": []},
        {"is_error": "no"},
        {"sightings": []},
        {"sightings": [{"time": "2026-07-03", "tool": None, "call_id": None}]},
        {"sightings": [{"time": "never", "tool": None, "call_id": None}]},
        {"sightings": [{"time": "0001-01-01T00:00:00+23:00", "tool": None, "call_id": None}]},
        {"sightings": [{"time": "2026-07-03T12:00:00Z", "tool": 7, "call_id": None}]},
        {"sightings": [1]},
        {"assets": None},
        {"assets": [{}]},
        {"assets": [{}] * 10_001},
    ],
)
def test_edited_record_is_broken(members: dict[str, Any]) -> None:
    with pytest.raises(BrokenRecordError):
        read_record(edited(**members), ID)


def test_asset_outside_the_session_breaks_a_record() -> None:
    asset = json.loads(RECORD.to_json())["assets"][0]
    for file in ("../victim.png", "downloads/assets/../../victim.png", f"downloads/assets/{DIGEST[:16]}.png"):
        with pytest.raises(BrokenRecordError):
            read_record(edited(assets=[asset | {"file": file}]), ID)


@pytest.mark.parametrize("data", [b"", b"{", b"\xff\xfe", b"[]", b"[" * 200_000, b'{"version": 1' + b"0" * 9000 + b"}"])
def test_what_is_no_record_is_broken(data: bytes) -> None:
    with pytest.raises(BrokenRecordError):
        read_record(data, ID)


def test_unknown_members_are_ignored() -> None:
    assert read_record(edited(later="yes"), ID) == RECORD


def test_sightings_are_bounded_and_keep_the_first_and_the_latest() -> None:
    record = RECORD
    for minute in range(1, 500):
        record = record.seen_again(sighting(NOON + timedelta(minutes=minute), None, str(minute)))
    record = read_record(record.to_json(), ID)
    assert record.seen == 500
    assert len(record.sightings) == 100
    assert record.first_seen == NOON
    assert [one.call_id for one in record.sightings[-2:]] == ["498", "499"]


def test_strings_from_outside_never_make_a_record_too_large_to_read() -> None:
    huge = "\u0007" * 50_000
    asset = replace(RECORD.assets[0], json_path=huge, declared_media_type=huge)
    record = replace(RECORD, sightings=(sighting(NOON, huge, huge),), assets=(asset,) * 10_000)
    data = record.to_json()
    assert len(data) <= metadata.LIMIT
    assert len(read_record(data, ID).assets) == 10_000
