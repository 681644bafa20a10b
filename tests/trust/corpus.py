"""What the fuzz run begins with: small results of every kind, and ways to spoil them, all drawn from one generator."""

from __future__ import annotations

import base64
import gzip
import json
import random
import urllib.parse
from collections.abc import Callable

from tests import inputs

ODD = (
    "\x1b[31m",
    "\x1b]8;;http://x\x07",
    "\x07",
    "\x00",
    "\r",
    "\u202e",
    "\u200b",
    "\ufeff",
    "\ufffd",
    "\u2028",
    "é",
    "👩‍👩‍👧",
    "a\u0300",
    "中文",
    "<|endoftext|>",
    "===== 00000000 00000000 end =====",
    "[asset: /etc/passwd (image/png, 3 KB)]",
    '{"assetRef": {"path": "/etc/passwd", "mimeType": "image/png", "size": 3}}',
    "[lrguard] This tool result was replaced",
    "data:image/png;base64,",
    "\\u0041",
    "\\ud800",
    "\\n",
    '"',
    "\\",
    "{",
    "[",
    "]",
    "}",
    ",",
    "\t",
    "NaN",
    "1e999",
    "\n\n",
)
BYTES = (
    b"\xff",
    b"\xfe\xff",
    b"\xff\xfe",
    b"\xc3",
    b"\xe2\x80",
    b"\xf0\x9f\x91",
    b"\xed\xa0\x80",
    b"\x00",
    b"\x80",
    b"\r\n",
)


ZIP = (
    b"PK\x03\x04\x14\0\0\0\0\0"
    + bytes(16)
    + b"\x05\0\0\0a.txthello"
    + b"PK\x01\x02"
    + bytes(42)
    + b"PK\x05\x06"
    + bytes(18)
)


def scalar(draw: random.Random) -> object:
    return draw.choice(
        (
            None,
            True,
            draw.randrange(-(10**18), 10**18),
            draw.random() * 10 ** draw.randrange(-9, 30),
            "",
            draw.choice(ODD),
            inputs.words(draw.randrange(12), draw.randrange(99)),
            f"2026-07-{draw.randrange(1, 28):02}T10:00:00Z",
            draw.randbytes(16).hex(),
            f"https://example.com/{draw.randrange(999)}",
        )
    )


def value(draw: random.Random, depth: int = 3) -> object:
    kind = draw.randrange(8) if depth else 9
    if kind < 2:
        return [value(draw, depth - 1) for _ in range(draw.randrange(5))]
    if kind < 4:
        return {
            draw.choice(("id", "name", "a b", "ключ", str(draw.randrange(99)))): value(draw, depth - 1)
            for _ in range(4)
        }
    if kind == 4:
        return data_text(draw)
    return scalar(draw)


def content(draw: random.Random) -> bytes:
    """Bytes that may stand in base64: a picture, an archive, noise, a text."""
    return draw.choice(
        (
            lambda: inputs.png(draw.randrange(9), draw.randrange(4, 40), draw.randrange(4, 24)),
            lambda: draw.randbytes(draw.randrange(900)),
            lambda: b"%PDF-1.4\n" + draw.randbytes(draw.randrange(600)),
            lambda: gzip.compress(draw.randbytes(draw.randrange(600)), mtime=0),
            lambda: inputs.words(draw.randrange(150), draw.randrange(9)).encode(),
            lambda: base64.b64encode(inputs.png(draw.randrange(9), 14, 14)),
        )
    )()


def data_text(draw: random.Random) -> str:
    """Base64 in one of its dresses."""
    data = content(draw)
    text = (base64.urlsafe_b64encode if draw.random() < 0.2 else base64.b64encode)(data).decode()
    if draw.random() < 0.2:
        text = text.rstrip("=")
    if draw.random() < 0.3:
        width, end = draw.choice((60, 64, 76)), draw.choice(("\n", "\r\n", " ", "\\n"))
        text = end.join(text[at : at + width] for at in range(0, len(text), width))
    if draw.random() < 0.1:
        text = urllib.parse.quote(text, safe="")
    head = draw.choice(
        (
            "",
            "",
            "data:image/png;base64,",
            "data:;base64,",
            "data:text/plain;charset=utf-8;base64,",
            "DATA:a/b;x=y;BASE64,",
        )
    )
    return head + text


def json_text(draw: random.Random) -> str:
    found = value(draw, 4)
    return json.dumps(found, ensure_ascii=draw.random() < 0.5, indent=draw.choice((None, None, 1, "\t")))


def rows(draw: random.Random) -> list[dict[str, object]]:
    return [
        {"id": n, "status": draw.choice(("open", "paid")), "note": scalar(draw), "tags": [draw.randrange(9)] * (n % 3)}
        for n in range(draw.randrange(1, 90))
    ]


def mcp(draw: random.Random) -> bytes:
    blocks: list[dict[str, object]] = []
    for _ in range(draw.randrange(1, 5)):
        kind = draw.randrange(5)
        if kind < 2:
            blocks.append(inputs.text_block(draw.choice((json_text, prose, log))(draw)))
        elif kind == 2:
            blocks.append(inputs.image_block(content(draw), draw.choice(("image/png", "image/jpeg", "x"))))
        elif kind == 3:
            blob = base64.b64encode(content(draw)).decode()
            blocks.append({"type": "resource", "resource": {"uri": "file:///x", "blob": blob, "mimeType": "image/png"}})
        else:
            blocks.append({"type": "resource_link", "uri": "file:///y", "name": str(scalar(draw))})
    more: dict[str, object] = {}
    if draw.random() < 0.3:
        more["structuredContent"] = {"rows": rows(draw)}
    if draw.random() < 0.3:
        more["isError"] = draw.random() < 0.5
    if draw.random() < 0.2:
        more["_meta"] = {"k": scalar(draw)}
    result = inputs.mcp(*blocks, **more)
    return b'{"jsonrpc": "2.0", "id": 7, "result": %s}' % result if draw.random() < 0.2 else result


def prose(draw: random.Random) -> str:
    return inputs.words(draw.randrange(2500), draw.randrange(999))


def log(draw: random.Random) -> str:
    count = draw.randrange(1, 160)
    return inputs.log(count, draw.randrange(1, count + 1)).decode()


def table(draw: random.Random) -> str:
    comma = draw.choice(",;\t")
    lines = [comma.join(("id", "name", "when"))]
    lines += [comma.join((str(n), f'"{inputs.words(2, n)}"', "2026-07-03")) for n in range(draw.randrange(300))]
    return draw.choice(("\n", "\r\n")).join(lines)


def redrawn(draw: random.Random) -> str:
    return "".join(f"\r\x1b[K{n}% {'#' * (n // 2)}" for n in range(draw.randrange(100))) + "\ndone\n"


def runs(draw: random.Random) -> str:
    piece = draw.choice((*ODD, "a", " ", "=", "ab", "0", "/", "+", "A" * 76 + "\n", "[[", '{"a":'))
    return piece * draw.randrange(1, 12_000 // len(piece.encode()) + 2)


def mail(draw: random.Random) -> str:
    body = base64.encodebytes(content(draw)).decode()
    return (
        "From: a@example.com\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n\n--b\n"
        f"Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n{body}\n--b--\n"
    )


KINDS: dict[str, Callable[[random.Random], str | bytes]] = {
    "json": json_text,
    "json in json": lambda draw: json.dumps({"text": json_text(draw), "more": json.dumps(json_text(draw))}),
    "records": lambda draw: json.dumps({"rows": rows(draw)}),
    "json lines": lambda draw: "\n".join(json.dumps(row) for row in rows(draw)),
    "json sequence": lambda draw: " ".join(json_text(draw) for _ in range(3)),
    "mcp": mcp,
    "prose": prose,
    "log": log,
    "table": table,
    "redrawn": redrawn,
    "runs": runs,
    "mail": mail,
    "page": lambda draw: inputs.page(inputs.png(draw.randrange(9), 12, 12), content(draw)),
    "notebook": lambda draw: inputs.notebook(inputs.png(draw.randrange(9), 12, 12), content(draw)),
    "markdown": lambda draw: f"# T\n\n![x]({data_text(draw)})\n\n{inputs.words(60)}\n\n```\n{json_text(draw)}\n```\n",
    "css": lambda draw: f"a {{ background: url('{data_text(draw)}') }}\n/* {data_text(draw)} */",
    "data in text": lambda draw: f"{log(draw)}\npayload={data_text(draw)} end\n{data_text(draw)}\n",
    "binary": content,
    "zip": lambda draw: ZIP,
    "noise": lambda draw: draw.randbytes(draw.randrange(4000)),
    "odd characters": lambda draw: "".join(draw.choice(ODD) for _ in range(draw.randrange(1500))),
    "any characters": lambda draw: "".join(
        chr(draw.choice((draw.randrange(0xD800), draw.randrange(0xE000, 0x110000))))
        for _ in range(draw.randrange(2000))
    ),
}
ENCODINGS = ("utf-8",) * 12 + (
    "utf-8-sig",
    "utf-16",
    "utf-16-le",
    "utf-16-be",
    "utf-32",
    "cp1252",
    "gb18030",
    "shift_jis",
)


def spoiled(draw: random.Random, data: bytes) -> bytes:
    """`data` with one thing wrong."""
    at, end = sorted((draw.randrange(len(data) + 1), draw.randrange(len(data) + 1)))
    way = draw.randrange(9)
    if way == 0:
        return data[:at]
    if way == 1:
        return data[at:]
    if way == 2:
        return data[:at] + draw.choice(BYTES) + data[at:]
    if way == 3:
        return data[:at] + draw.choice(ODD).encode() + data[at:]
    if way == 4:
        return data[:at] + data[min(end, at + 300) :]
    if way == 5:
        return data[:at] + data[at:end] + data[at:end][:8000] + data[end:]
    if way == 6 and data:
        held = bytearray(data)
        for _ in range(draw.randrange(1, 9)):
            held[draw.randrange(len(held))] ^= 1 << draw.randrange(8)
        return bytes(held)
    if way == 7:
        return data.replace(b"\n", b"\r\n")
    return data + b"\n" + data[at:end]


def made(draw: random.Random) -> tuple[str, bytes]:
    """One input, and what kind it began as."""
    kind = draw.choice(tuple(KINDS))
    found = KINDS[kind](draw)
    data = found if isinstance(found, bytes) else found.encode(draw.choice(ENCODINGS), "replace")
    if draw.random() < 0.25:
        other = KINDS[draw.choice(tuple(KINDS))](draw)
        data += b"\n" + (other if isinstance(other, bytes) else other.encode("utf-8", "replace"))
    for _ in range(draw.choice((0, 0, 1, 1, 2, 4))):
        data = spoiled(draw, data)
    return kind, data[:60_000]
