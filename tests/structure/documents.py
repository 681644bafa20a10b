"""Documents of the kinds that tools return, made on the spot."""

from __future__ import annotations

import base64
import json
import random
import struct
import zlib
from typing import Any

from lrguard.intake.source import BytesSource
from lrguard.structure import schema
from lrguard.structure.schema import Structure


def count(text: str) -> int:
    """More tokens than any text here has."""
    return -(-len(text.encode()) // 3)


def structure(document: object) -> Structure:
    """The structure of a value, or of bytes as they stand."""
    text = document if isinstance(document, bytes) else json.dumps(document).encode()
    found = schema.infer(BytesSource(text))
    assert found is not None
    return found


def compact(document: object, max_tokens: int = 0) -> str:
    """The compact notation of a value or of bytes."""
    return schema.compact(structure(document), max_tokens, count)


def is_nothing(text: str) -> bool:
    """Whether `text` is neither JSON nor a table."""
    return schema.infer(BytesSource(text.encode())) is None


def json_schema(document: object, max_tokens: int = 0) -> dict[str, Any]:
    """The JSON Schema of a value or of bytes, parsed."""
    parsed = json.loads(schema.json_schema(structure(document), max_tokens, count))
    assert isinstance(parsed, dict)
    return parsed


def paths(document: object, max_tokens: int = 0) -> list[str]:
    """The lines of the `paths` form."""
    return schema.paths(structure(document), max_tokens, count).splitlines()


def png(size: int = 6000) -> bytes:
    """A PNG image whose pixels do not compress."""
    noise = random.Random(size).randbytes(size)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    body = zlib.compress(noise, 1)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def encoded_png(size: int = 6000) -> str:
    """The image in base64."""
    return base64.b64encode(png(size)).decode()


def issue(number: int) -> dict[str, Any]:
    """One issue as code hosts return it: three kinds of objects, one of them in four places."""
    url = f"https://api.example.com/repos/o/r/issues/{number}"
    day = f"2024-{number % 12 + 1:02}-{number % 28 + 1:02}T10:00:00Z"

    def user(of: int) -> dict[str, Any]:
        own = f"https://api.example.com/users/user{of}"
        links = {
            f"{name}_url": f"{own}/{name}"
            for name in ("html", "followers", "subscriptions", "organizations", "repos", "received_events")
        }
        templates = {f"{name}_url": own + f"/{name}{{/{name}}}" for name in ("following", "gists", "starred", "events")}
        flags = {"type": "User", "user_view_type": "public", "site_admin": of == 7}
        return {"login": f"user{of}", "id": of, "node_id": f"U_{of}", "url": own, **links, **templates, **flags}

    labels = [
        {"id": at, "node_id": f"L_{at}", "url": f"{url}/{at}", "name": f"area {at}", "color": f"{at:06x}"}
        | {"default": at == 1, "description": None if at % 2 else "About it"}
        for at in range(number % 4)
    ]
    milestone = {
        "url": url,
        "id": number,
        "node_id": "M",
        "number": number % 9,
        "title": f"v{number}",
        "description": "",
        "creator": user(1),
        "open_issues": 2,
        "closed_issues": 5,
        "created_at": day,
        "updated_at": day,
        "due_on": None,
    }
    return {
        "url": url,
        "repository_url": "https://api.example.com/repos/o/r",
        "labels_url": url + "/labels{/name}",
        "comments_url": url + "/comments",
        "html_url": f"https://example.com/o/r/issues/{number}",
        "id": number * 1000,
        "node_id": f"I_{number}",
        "number": number,
        "title": f"The title of issue {number}",
        "user": user(number % 50),
        "labels": labels,
        "state": "open" if number % 3 else "closed",
        "locked": False,
        "assignee": user(3) if number % 3 == 0 else None,
        "assignees": [user(3)] if number % 3 == 0 else [],
        "milestone": None if number % 5 else milestone,
        "comments": number % 7,
        "created_at": day,
        "updated_at": day,
        "closed_at": day if number % 2 else None,
        "body": "Words of a report. " * (number % 30),
        "reactions": {"url": url, "total_count": 0, "+1": 0, "-1": 0, "laugh": 0, "heart": 0, "rocket": 0, "eyes": 0},
    }
