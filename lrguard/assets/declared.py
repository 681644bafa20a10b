"""Media types as texts declare them: which names mean the same, and which declaration the bytes confirm."""

from __future__ import annotations

from lrguard.intake.media_type import MediaType

_SAME = (
    {"image/jpeg", "image/jpg", "image/pjpeg"},
    {"image/png", "image/x-png", "image/apng"},
    {"image/bmp", "image/x-bmp", "image/x-ms-bmp"},
    {"image/vnd.microsoft.icon", "image/x-icon", "image/ico"},
    {"image/tiff", "image/tif"},
    {"audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/x-pn-wav"},
    {"audio/mpeg", "audio/mp3", "audio/mpeg3", "audio/x-mp3", "audio/x-mpeg-3"},
    {"audio/mp4", "audio/m4a", "audio/x-m4a", "audio/aac-mp4"},
    {"audio/flac", "audio/x-flac"},
    {"audio/aac", "audio/x-aac", "audio/aacp"},
    {"audio/aiff", "audio/x-aiff"},
    {"audio/midi", "audio/x-midi", "audio/mid"},
    {"audio/ogg", "application/ogg", "audio/opus", "audio/vorbis", "video/ogg"},
    {"video/x-msvideo", "video/avi", "video/vnd.avi", "video/msvideo"},
    {"application/pdf", "application/x-pdf"},
    {"application/zip", "application/x-zip-compressed", "application/x-zip"},
    {"application/gzip", "application/x-gzip"},
    {"application/x-tar", "application/tar"},
    {"application/vnd.rar", "application/x-rar-compressed", "application/x-rar"},
    {"application/zstd", "application/x-zstd"},
    {"application/vnd.sqlite3", "application/x-sqlite3"},
    {"application/wasm", "application/x-wasm"},
    {"font/woff", "application/font-woff", "application/x-font-woff"},
    {"font/woff2", "application/font-woff2", "application/x-font-woff2"},
    {"font/ttf", "application/x-font-ttf", "application/font-ttf", "application/x-font-truetype", "font/sfnt"},
    {"font/otf", "application/x-font-otf", "application/font-otf", "font/opentype", "application/x-font-opentype"},
    {"application/xml", "text/xml"},
    {"application/javascript", "text/javascript", "application/x-javascript"},
    {"application/rtf", "text/rtf"},
)  # fmt: skip


_BEGINNINGS = (
    (b"\xff\xd8\xff", "image/jpeg", "jpg"), (b"GIF8", "image/gif", "gif"), (b"BM", "image/bmp", "bmp"),
    (b"wOFF", "font/woff", "woff"), (b"wOF2", "font/woff2", "woff2"), (b"OTTO", "font/otf", "otf"),
    (b"\0\1\0\0", "font/ttf", "ttf"), (b"ID3", "audio/mpeg", "mp3"), (b"\xff\xfb", "audio/mpeg", "mp3"),
    (b"fLaC", "audio/flac", "flac"), (b"OggS", "audio/ogg", "ogg"), (b"%PDF-", "application/pdf", "pdf"),
    (b"PK\3\4", "application/zip", "zip"), (b"\x1f\x8b", "application/gzip", "gz"),
)  # fmt: skip

_TEXTS = {
    "text/css": "css", "text/csv": "csv", "text/html": "html", "text/javascript": "js", "text/markdown": "md",
    "application/javascript": "js", "text/x-python": "py", "text/yaml": "yaml", "application/yaml": "yaml",
    "text/calendar": "ics", "text/vcard": "vcf", "application/json": "json", "application/xml": "xml",
    "text/xml": "xml", "text/tab-separated-values": "tsv", "application/toml": "toml", "text/vtt": "vtt",
    "application/x-ndjson": "jsonl",
}  # fmt: skip


def confirmed(declared: str | None, content: bytes) -> MediaType | None:
    """The declared type where `content` begins as that type does, though it may be damaged further on."""
    for beginning, name, extension in _BEGINNINGS:
        if content.startswith(beginning) and declared and not differing(declared, name):
            return MediaType(name, extension)
    return None


def text_type(declared: str | None, found: MediaType) -> MediaType:
    """The declared type where `found` is plain text, of which it is a kind; else `found`."""
    if declared in _TEXTS and found.name == "text/plain":
        return MediaType(declared, _TEXTS[declared])
    return found


def differing(declared: str | None, found: str) -> str | None:
    """What was declared, unless it is the type that was found, or another name for it."""
    if not declared or declared == found or any(declared in names and found in names for names in _SAME):
        return None
    return declared
