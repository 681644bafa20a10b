"""Names the type of bytes that are a file of a known binary type, by the signature at its place.

What is found here is taken out of a model's sight, so a signature must be one that text cannot have by accident. Types
that are read as text (SVG, RTF, PostScript, XML, scripts) are not named by `sniff`, whatever they begin with.
"""

from __future__ import annotations

from lrguard.intake.containers import MediaType, Read, little
from lrguard.intake.signatures import BY_FIRST, CHECKED, ELSEWHERE, confirmed
from lrguard.patterns import pattern

__all__ = ["OCTET_STREAM", "MediaType", "image_size", "sniff", "text_media_type"]

OCTET_STREAM = MediaType("application/octet-stream", "bin")
"""Bytes that are no text and of no known type."""


def sniff(head: bytes, size: int, read: Read | None = None) -> MediaType | None:
    """The type of the binary file that begins with `head`, or None where no signature fits.

    `head` is all there is, or at least the first 4 KiB of it; `size` is the number of bytes in all. `read(start, end)`,
    where given, lets types be told apart that only differ further on (an Office document is a ZIP by its beginning).
    """
    if not head:
        return None
    for magic, name, extension in BY_FIRST.get(head[0], ()):
        if head.startswith(magic):
            return confirmed(head, MediaType(name, extension))
    for magic, check in CHECKED.get(head[0], ()):
        if head.startswith(magic) and (found := check(head, size, read)):
            return found
    for check in ELSEWHERE:
        if found := check(head, size, read):
            return found
    return None


def text_media_type(data: bytes) -> MediaType | None:
    """The type of `data` where it is text that could stand in a file of its own, None where it is not text.

    Stricter than what makes a whole result text, since the bytes were found inside another text: UTF-8 throughout, or
    UTF-16 with a byte order mark, and no control characters that files of text do not have.
    """
    from lrguard.intake.source import BytesSource
    from lrguard.intake.text_kind import TextKind, kind_of

    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            return None
    if _CONTROLS.search(data):
        return None
    try:
        data.decode()
    except UnicodeDecodeError:
        return None
    if data.startswith(b"{\\rtf"):
        return MediaType("application/rtf", "rtf")
    kind = kind_of(BytesSource(data)).kind
    if kind is TextKind.PLAIN and _STYLES.match(data):
        return MediaType("text/css", "css")
    return MediaType(kind.media_type, kind.extension)


_CONTROLS = pattern(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
_STYLES = pattern(
    rb"\s{0,99}(?:@(?:charset|import|font-face|media|keyframes)\b|[.#:]?[\w-]{1,64}\s?\{\s{0,99}[\w-]{1,40}\s?:)"
)


def image_size(head: bytes) -> tuple[int, int] | None:
    """Width and height in pixels of the PNG, GIF, JPEG, WebP or BMP that begins with `head`; None where unsaid."""
    if head.startswith(b"\x89PNG\r\n\x1a\n") and head[12:16] == b"IHDR":
        return _sized(int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big"))
    if head.startswith((b"GIF87a", b"GIF89a")):
        return _sized(little(head, 6, 2), little(head, 8, 2))
    if head.startswith(b"BM") and little(head, 14, 4) == 12:
        return _sized(little(head, 18, 2), little(head, 20, 2))
    if head.startswith(b"BM"):
        # A negative height says that the rows run from top to bottom.
        return _sized(little(head, 18, 4), abs(int.from_bytes(head[22:26], "little", signed=True)))
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return _webp_size(head)
    return _jpeg_size(head) if head.startswith(b"\xff\xd8\xff") else None


def _sized(width: int, height: int) -> tuple[int, int] | None:
    return (width, height) if width and height else None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    if head[12:16] == b"VP8X":
        return _sized(little(head, 24, 3) + 1, little(head, 27, 3) + 1) if len(head) >= 30 else None
    if head[12:16] == b"VP8L" and head[20:21] == b"\x2f":
        bits = little(head, 21, 4)
        return _sized((bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1) if len(head) >= 25 else None
    if head[12:16] == b"VP8 " and head[23:26] == b"\x9d\x01\x2a":
        return _sized(little(head, 26, 2) & 0x3FFF, little(head, 28, 2) & 0x3FFF)
    return None


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:
            at += 1
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _sized(int.from_bytes(head[at + 7 : at + 9], "big"), int.from_bytes(head[at + 5 : at + 7], "big"))
        else:
            at += 2 + int.from_bytes(head[at + 2 : at + 4], "big")
    return None
