"""Types that share a container: what a ZIP, RIFF, ISO base media, Ogg, Matroska or OLE file holds.

Only the head, and where a reader is given a bounded piece at the end, is looked at; members are never unpacked.
"""

from __future__ import annotations

from collections.abc import Callable

from lrguard.records import dataclass

Read = Callable[[int, int], bytes]
"""Reads the bytes from a start up to an end."""

_LOOK = 64 * 1024
"""Bytes looked at, at each end, for the names of a container's members."""


@dataclass(frozen=True, slots=True)
class MediaType:
    """What a file holds: its registered name, and the usual extension without a dot."""

    name: str
    extension: str


_TEXT_BYTES = bytes(range(32, 127)) + b"\t\n\r\f\x1b" + bytes(range(0x80, 0x100))


def has_text_only(data: bytes) -> bool:
    """Whether `data` has no NUL and no other control byte that text has no use for; bytes above 127 prove nothing."""
    return not data.translate(None, _TEXT_BYTES)


def little(data: bytes, at: int, length: int) -> int:
    """The little-endian number of `length` bytes at `at`; as many as there are."""
    return int.from_bytes(data[at : at + length], "little")


def zip_archive(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """A ZIP archive, or what is packed as one, told apart by its members' names."""
    if head[2:4] == b"\x05\x06":
        return MediaType("application/zip", "zip") if size >= 22 and not any(head[4:20]) else None
    start = 4 if head[2:8] in (b"\x07\x08PK\x03\x04", b"00PK\x03\x04") else 0
    if head[start + 2 : start + 4] != b"\x03\x04" or len(head) < start + 30:
        return None
    if head[start + 4] > 99 or not 1 <= little(head, start + 26, 2) <= 4096:
        return None
    if head[start + 30 : start + 38] == b"mimetype" and little(head, start + 8, 2) == 0:
        declared = head[start + 38 + little(head, start + 28, 2) :][: min(little(head, start + 18, 4), 100)]
        if found := _DECLARED.get(declared.strip()):
            return found
    names = _member_names(head[start : start + _LOOK], b"PK\x03\x04", 26, 30)
    if read and size > len(head):
        names += _member_names(read(max(0, size - _LOOK), size), b"PK\x01\x02", 28, 46)
    elif len(head) > _LOOK:
        names += _member_names(head[-_LOOK:], b"PK\x01\x02", 28, 46)
    for part, found in _PACKED:
        if any(name.startswith(part) if part.endswith(b"/") else part == name for name in names):
            return found
    if any(name.endswith(b".dist-info/WHEEL") or b".dist-info/" in name for name in names):
        return MediaType("application/x-wheel+zip", "whl")
    if b"META-INF/MANIFEST.MF" in names or b"META-INF/" in names:
        return MediaType("application/java-archive", "jar")
    if names and all(name.endswith(b".npy") for name in names):
        return MediaType("application/x-npz", "npz")
    return MediaType("application/zip", "zip")


_OFFICE = "application/vnd.openxmlformats-officedocument."
_OPEN = "application/vnd.oasis.opendocument."
_DECLARED = {
    b"application/epub+zip": MediaType("application/epub+zip", "epub"),
    **{
        (_OPEN + kind).encode(): MediaType(_OPEN + kind, extension)
        for kind, extension in (("text", "odt"), ("spreadsheet", "ods"), ("presentation", "odp"), ("graphics", "odg"))
    },
}
_PACKED = (
    (b"word/", MediaType(_OFFICE + "wordprocessingml.document", "docx")),
    (b"xl/", MediaType(_OFFICE + "spreadsheetml.sheet", "xlsx")),
    (b"ppt/", MediaType(_OFFICE + "presentationml.presentation", "pptx")),
    (b"AndroidManifest.xml", MediaType("application/vnd.android.package-archive", "apk")),
    (b"extension.vsixmanifest", MediaType("application/vsix", "vsix")),
)


def _member_names(data: bytes, mark: bytes, length_at: int, name_at: int) -> list[bytes]:
    names: list[bytes] = []
    at = data.find(mark)
    while at >= 0 and len(names) < 2000:
        length = little(data, at + length_at, 2)
        names.append(data[at + name_at : at + name_at + length])
        at = data.find(mark, at + name_at)
    return names


def chunked(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """A file in RIFF or IFF chunks: WebP, WAV, AVI, AIFF."""
    form, first = head[8:12], head[12:16]
    if form == b"WEBP" and first in (b"VP8 ", b"VP8L", b"VP8X"):
        return MediaType("image/webp", "webp")
    if head[:4] == b"FORM":
        return MediaType("audio/aiff", "aiff") if form in (b"AIFF", b"AIFC") and len(head) >= 20 else None
    if form == b"WAVE" and first.strip().isalnum():
        return MediaType("audio/wav", "wav")
    return MediaType("video/x-msvideo", "avi") if form == b"AVI " and first == b"LIST" else None


_BRANDS = {
    b"avif": MediaType("image/avif", "avif"),
    b"avis": MediaType("image/avif", "avif"),
    b"heic": MediaType("image/heic", "heic"),
    b"heix": MediaType("image/heic", "heic"),
    b"hevc": MediaType("image/heic", "heic"),
    b"mif1": MediaType("image/heif", "heif"),
    b"msf1": MediaType("image/heif", "heif"),
    b"M4A ": MediaType("audio/mp4", "m4a"),
    b"M4B ": MediaType("audio/mp4", "m4a"),
    b"qt  ": MediaType("video/quicktime", "mov"),
    b"crx ": MediaType("image/x-canon-cr3", "cr3"),
    b"jxl ": MediaType("image/jxl", "jxl"),
}


def base_media(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """MP4 and its relatives, and the AVIF and HEIC pictures, by the brands in their first box."""
    length = int.from_bytes(head[:4], "big")
    box = head[4:8]
    if box == b"ftyp" and 16 <= length <= 4096 and length % 4 == 0:
        brands = [head[8:12], *(head[at : at + 4] for at in range(16, min(length, len(head)), 4))]
        if brands[0] in (b"mif1", b"msf1"):
            brands = [*brands[1:], brands[0]]
        found = _BRANDS.get(brands[0])
        if found is None and brands[0][:3] in (b"3gp", b"3g2"):
            return MediaType("video/3gpp", "3gp")
        if found is None or found.extension == "heif":
            found = next((_BRANDS[brand] for brand in brands if _BRANDS.get(brand, found) != found), found)
        return found or MediaType("video/mp4", "mp4")
    inner = head[12:16]
    if (box, inner) in ((b"moov", b"mvhd"), (b"wide", b"mdat"), (b"free", b"mdat"), (b"skip", b"mdat")) and length >= 8:
        return MediaType("video/quicktime", "mov")
    return None


def ogg(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """What the first page of an Ogg stream begins with."""
    packet = head[27 + head[26] :] if len(head) > 27 else b""
    if packet.startswith(b"OpusHead"):
        return MediaType("audio/ogg", "opus")
    return MediaType("video/ogg", "ogv") if packet.startswith(b"\x80theora") else MediaType("audio/ogg", "ogg")


def matroska(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """WebM or Matroska, by the document type in the header."""
    if b"webm" in head[4:128]:
        return MediaType("video/webm", "webm")
    return MediaType("video/matroska", "mkv")


_STREAMS = (
    ("WordDocument", MediaType("application/msword", "doc")),
    ("Workbook", MediaType("application/vnd.ms-excel", "xls")),
    ("Book", MediaType("application/vnd.ms-excel", "xls")),
    ("PowerPoint Document", MediaType("application/vnd.ms-powerpoint", "ppt")),
    ("__substg1.0_", MediaType("application/vnd.ms-outlook", "msg")),
)


def compound(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """An OLE compound file: an old Office document or a mail message, by the names in its first directory sector."""
    shift, sector = little(head, 30, 2), little(head, 48, 4)
    place = (sector + 1) << shift if shift in (9, 12) else 0
    piece = head[place : place + 4096]
    if read and place and place + 4096 > len(head) and place < size:
        piece = read(place, min(size, place + 4096))
    for name, found in _STREAMS:
        if name.encode("utf-16-le") in (piece or head[:_LOOK]):
            return found
    return MediaType("application/x-ole-storage", "ole")


def tagged_audio(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """MP3 behind an ID3 tag: version 2 to 4, and a size in four bytes below 128."""
    fits = len(head) >= 10 and 2 <= head[3] <= 4 and not head[5] & 0x0F and max(head[6:10]) < 128
    return MediaType("audio/mpeg", "mp3") if fits else None


_KBITS = {
    (3, 1): (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    (3, 2): (32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384),
    (2, 1): (8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_RATES = {3: (44100, 48000, 32000), 2: (22050, 24000, 16000), 0: (11025, 12000, 8000)}


def _frame_length(data: bytes, at: int) -> int:
    """Bytes in the MPEG audio frame at `at` (layer II or III, or ADTS), 0 where there is none."""
    if at + 6 > len(data) or data[at] != 0xFF or data[at + 1] & 0xE0 != 0xE0:
        return 0
    second, third = data[at + 1], data[at + 2]
    if second & 0xF6 == 0xF0:
        return (data[at + 3] & 3) << 11 | data[at + 4] << 3 | data[at + 5] >> 5
    version, layer, bits, rate = second >> 3 & 3, second >> 1 & 3, third >> 4, third >> 2 & 3
    if version == 1 or layer in (0, 3) or bits in (0, 15) or rate == 3:
        return 0
    kbits = _KBITS[(3, layer) if version == 3 else (2, 1)][bits - 1]
    samples = 72 if layer == 1 and version != 3 else 144
    return samples * kbits * 1000 // _RATES[version][rate] + (third >> 1 & 1)


def mpeg_audio(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """MP3 or AAC frames without a tag; two lengths must lead to the next frame, since the mark is eleven bits."""
    if head[0] != 0xFF or (first := _frame_length(head, 0)) < 7:
        return None
    at, frames = first, 1
    while frames < 4 and (length := _frame_length(head, at)) >= 7:
        at, frames = at + length, frames + 1
    if frames < 3:
        return None
    return MediaType("audio/aac", "aac") if head[1] & 0xF6 == 0xF0 else MediaType("audio/mpeg", "mp3")


def transport_stream(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """MPEG-TS: packets of 188 bytes that each begin with the same byte."""
    packets = min(len(head) // 188, 16)
    fits = packets >= 4 and all(head[188 * packet] == 0x47 for packet in range(packets))
    return MediaType("video/mp2t", "ts") if fits and not has_text_only(head[: 188 * packets]) else None
