"""The signatures of binary types at a file's beginning, and what else must fit where a signature proves too little.

Either a signature holds bytes that text never has, or the fields around it must fit each other and the size.
"""

from __future__ import annotations

from collections.abc import Callable

from lrguard.intake import containers
from lrguard.intake.containers import MediaType, Read, has_text_only, little
from lrguard.patterns import pattern

Check = Callable[[bytes, int, Read | None], MediaType | None]

_SIGNATURES: tuple[tuple[bytes, str, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "image/png", "png"),
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n", "image/jxl", "jxl"),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", "image/jp2", "jp2"),
    (b"8BPS\x00\x01\x00\x00\x00\x00\x00\x00", "image/vnd.adobe.photoshop", "psd"),
    (b"8BPS\x00\x02\x00\x00\x00\x00\x00\x00", "image/vnd.adobe.photoshop", "psb"),
    (b"v/1\x01", "image/x-exr", "exr"),
    (b"DDS |\x00\x00\x00", "image/vnd-ms.dds", "dds"),
    (b"BZh", "application/x-bzip2", "bz2"),
    (b"\xfd7zXZ\x00", "application/x-xz", "xz"),
    (b"\x28\xb5\x2f\xfd", "application/zstd", "zst"),
    (b"\x04\x22\x4d\x18", "application/x-lz4", "lz4"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed", "7z"),
    (b"Rar!\x1a\x07\x00", "application/vnd.rar", "rar"),
    (b"Rar!\x1a\x07\x01\x00", "application/vnd.rar", "rar"),
    (b"LZIP\x01", "application/x-lzip", "lz"),
    (b"MSCF\x00\x00\x00\x00", "application/vnd.ms-cab-compressed", "cab"),
    (b"\xff\x06\x00\x00sNaPpY", "application/x-snappy-framed", "sz"),
    (b"\x00asm\x01\x00\x00\x00", "application/wasm", "wasm"),
    (b"dex\n03", "application/vnd.android.dex", "dex"),
    (b"SQLite format 3\x00", "application/vnd.sqlite3", "sqlite"),
    (b"ARROW1\x00\x00", "application/vnd.apache.arrow.file", "arrow"),
    (b"Obj\x01", "application/avro", "avro"),
    (b"\x89HDF\r\n\x1a\n", "application/x-hdf5", "h5"),
    (b"CDF\x01", "application/x-netcdf", "nc"),
    (b"CDF\x02", "application/x-netcdf", "nc"),
    (b"\x93NUMPY", "application/x-npy", "npy"),
    (b"bplist00", "application/x-bplist", "plist"),
    (b"PACK\x00\x00\x00\x02", "application/x-git-packfile", "pack"),
    (b"\xac\xed\x00\x05", "application/x-java-serialized-object", "ser"),
    (b"\xde\x12\x04\x95\x00\x00", "application/x-gettext-translation", "mo"),
    (b"fLaC\x00\x00\x00\x22", "audio/flac", "flac"),
    (b"fLaC\x80\x00\x00\x22", "audio/flac", "flac"),
    (b"MThd\x00\x00\x00\x06", "audio/midi", "mid"),
    (b"FLV\x01", "video/x-flv", "flv"),
    (b"\x00\x00\x01\xba", "video/mpeg", "mpg"),
    (b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf", "asf"),
    (b"wOFF\x00\x01\x00\x00", "font/woff", "woff"),
    (b"wOFFOTTO", "font/woff", "woff"),
    (b"wOFFtrue", "font/woff", "woff"),
    (b"wOF2\x00\x01\x00\x00", "font/woff2", "woff2"),
    (b"wOF2OTTO", "font/woff2", "woff2"),
    (b"wOF2true", "font/woff2", "woff2"),
    (b"ttcf\x00\x01\x00\x00", "font/collection", "ttc"),
    (b"ttcf\x00\x02\x00\x00", "font/collection", "ttc"),
    (b"\xed\xab\xee\xdb", "application/x-rpm", "rpm"),
    (b"\xd4\xc3\xb2\xa1", "application/vnd.tcpdump.pcap", "pcap"),
    (b"\xa1\xb2\xc3\xd4", "application/vnd.tcpdump.pcap", "pcap"),
    (b"\x4d\x3c\xb2\xa1", "application/vnd.tcpdump.pcap", "pcap"),
    (b"\xa1\xb2\x3c\x4d", "application/vnd.tcpdump.pcap", "pcap"),
    (b"\x00\x00\x00\x01Bud1", "application/x-ds-store", "ds_store"),
    (b"L\x00\x00\x00\x01\x14\x02\x00", "application/x-ms-shortcut", "lnk"),
)


def confirmed(head: bytes, found: MediaType) -> MediaType | None:
    """`found`, unless its signature could stand at the beginning of a text and text is what follows."""
    if found.extension == "bz2":
        block = head[4:10]
        fits = head[3:4] in b"123456789" and (b"1AY&SY".startswith(block) or b"\x17rE8P\x90".startswith(block))
        return found if fits and block else None
    if found.extension == "plist":
        return None if has_text_only(head[8:64]) else found
    return found


def _gif(head: bytes, size: int, read: Read | None) -> MediaType | None:
    screen = head[6:13]
    if head[3:6] not in (b"87a", b"89a") or len(screen) < 7 or has_text_only(screen):
        return None
    blocks = 13 + (3 << (screen[4] & 7) + 1 if screen[4] & 0x80 else 0)
    if blocks < len(head) and head[blocks] not in b"!,;":
        return None
    return MediaType("image/gif", "gif")


def _jpeg(head: bytes, size: int, read: Read | None) -> MediaType | None:
    # The first marker after the start of the image: application data, tables, a frame, a comment.
    fits = len(head) > 3 and (0xE0 <= head[3] <= 0xEF or head[3] in b"\xc0\xc1\xc2\xc4\xdb\xdd\xfe")
    return MediaType("image/jpeg", "jpg") if fits else None


def _bmp(head: bytes, size: int, read: Read | None) -> MediaType | None:
    header = little(head, 14, 4)
    planes, bits = (
        (little(head, 22, 2), little(head, 24, 2)) if header == 12 else (little(head, 26, 2), little(head, 28, 2))
    )
    fits = (
        len(head) >= 26
        and header in (12, 40, 52, 56, 64, 108, 124)
        and 14 + header <= little(head, 10, 4)
        and planes == 1
        and bits in (0, 1, 2, 4, 8, 16, 24, 32)
    )
    return MediaType("image/bmp", "bmp") if fits else None


def _icon(head: bytes, size: int, read: Read | None) -> MediaType | None:
    images = little(head, 4, 2)
    length, offset = little(head, 14, 4), little(head, 18, 4)
    fits = len(head) >= 22 and 1 <= images <= 256 and head[9] in (0, 255) and offset >= 6 + 16 * images and length >= 16
    if not fits or offset + length > max(size, len(head)):
        return None
    return MediaType("image/vnd.microsoft.icon", "ico") if head[2] == 1 else MediaType("image/x-win-bitmap", "cur")


def _tiff(head: bytes, size: int, read: Read | None) -> MediaType | None:
    order = "little" if head[0] == 0x49 else "big"
    version = int.from_bytes(head[2:4], "little" if order == "little" else "big")
    first = int.from_bytes(head[4:8], "little" if order == "little" else "big")
    fits = (version == 42 and 8 <= first < size) or (version == 43 and head[4:8] in (b"\x08\0\0\0", b"\0\x08\0\0"))
    return MediaType("image/tiff", "tiff") if fits else None


def _icns(head: bytes, size: int, read: Read | None) -> MediaType | None:
    return MediaType("image/icns", "icns") if int.from_bytes(head[4:8], "big") == size else None


_PDF = pattern(rb"(?:\xef\xbb\xbf)?[ \t\r\n]{0,64}%PDF-[0-9]\.[0-9]")


def _pdf(head: bytes, size: int, read: Read | None) -> MediaType | None:
    found = _PDF.match(head)
    if not found:
        return None
    rest = head[found.end() : found.end() + 4096]
    # A sentence about the format goes on in its line; a file may be ASCII throughout, and then it has objects.
    sentence = has_text_only(rest) and rest.strip(b" \t")[:1] not in (b"", b"\r", b"\n", b"%") and b" obj" not in rest
    return None if sentence else MediaType("application/pdf", "pdf")


def _gzip(head: bytes, size: int, read: Read | None) -> MediaType | None:
    return MediaType("application/gzip", "gz") if len(head) >= 4 and not head[3] & 0xE0 else None


def _elf(head: bytes, size: int, read: Read | None) -> MediaType | None:
    fits = head[4:5] in (b"\1", b"\2") and head[5:6] in (b"\1", b"\2") and head[6:7] == b"\1"
    return MediaType("application/x-elf", "elf") if fits else None


def _mach(head: bytes, size: int, read: Read | None) -> MediaType | None:
    return MediaType("application/x-mach-binary", "macho") if len(head) >= 16 else None


def _babe(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """A Java class, or a Mach-O file for several processors: they share a signature."""
    number = int.from_bytes(head[4:8], "big")
    if 0 < number < 40:
        return MediaType("application/x-mach-binary", "macho")
    return MediaType("application/java-vm", "class") if 45 <= number & 0xFFFF < 100 else None


def _windows(head: bytes, size: int, read: Read | None) -> MediaType | None:
    at = little(head, 60, 4)
    if len(head) < 64 or not 64 <= at < size or has_text_only(head[:64]):
        return None
    header = head[at : at + 24] if at + 24 <= len(head) else read(at, at + 24) if read else b"PE\0\0"
    if header[:4] == b"PE\0\0":
        library = little(header, 22, 2) & 0x2000
        return MediaType("application/vnd.microsoft.portable-executable", "dll" if library else "exe")
    return None


def _pickle(head: bytes, size: int, read: Read | None) -> MediaType | None:
    framed = head[1:3] in (b"\4\x95", b"\5\x95") and little(head, 3, 8) <= size
    plain = head[1:2] in (b"\2", b"\3") and head[2:3] in b"]}(ccXKNGJ\x8a" and len(head) == size and head[-1:] == b"."
    return MediaType("application/x-pickle", "pickle") if framed or plain else None


def _parquet(head: bytes, size: int, read: Read | None) -> MediaType | None:
    tail = head[-4:] if len(head) == size else read(size - 4, size) if read else b""
    fits = tail == b"PAR1" if tail else not has_text_only(head[4:32])
    return MediaType("application/vnd.apache.parquet", "parquet") if fits and size > 12 else None


def _gguf(head: bytes, size: int, read: Read | None) -> MediaType | None:
    return MediaType("application/x-gguf", "gguf") if 1 <= little(head, 4, 4) <= 16 else None


def _font(head: bytes, size: int, read: Read | None) -> MediaType | None:
    tables = int.from_bytes(head[4:6], "big")
    # The search range of a font's directory: 16 times the largest power of two that is not above the number of tables.
    fits = 1 <= tables <= 128 and int.from_bytes(head[6:8], "big") == 16 << tables.bit_length() - 1
    if not fits:
        return None
    return MediaType("font/otf", "otf") if head[:4] == b"OTTO" else MediaType("font/ttf", "ttf")


def _archive(head: bytes, size: int, read: Read | None) -> MediaType | None:
    if size != 8 and head[66:68] != b"`\n":
        return None
    debian = head[8:21] == b"debian-binary"
    return (
        MediaType("application/vnd.debian.binary-package", "deb") if debian else MediaType("application/x-archive", "a")
    )


def _packet_capture(head: bytes, size: int, read: Read | None) -> MediaType | None:
    fits = head[8:12] in (b"\x1a\x2b\x3c\x4d", b"\x4d\x3c\x2b\x1a")
    return MediaType("application/x-pcapng", "pcapng") if fits else None


def _jpeg_xl(head: bytes, size: int, read: Read | None) -> MediaType | None:
    # Two bytes are no proof; text in a legacy encoding has no control bytes and a codestream has many.
    controls = sum(byte < 9 or 13 < byte < 27 for byte in head[2:258])
    return MediaType("image/jxl", "jxl") if size > 32 and controls >= len(head[2:258]) // 32 + 1 else None


def _tar(head: bytes, size: int, read: Read | None) -> MediaType | None:
    """A tar archive: the sum of its first header is right, or the whole signature stands at its place."""
    if size < 512 or len(head) < 512 or head[0] == 0 or not any(head[257:265]):
        return None
    signed = head[257:265] in (b"ustar\x0000", b"ustar  \x00") and b"\0" in head[:100]
    written = head[148:156].strip(b" \0")
    if not signed and written.isdigit() and len(written) <= 7:
        total = sum(head[:148]) + 8 * 32 + sum(head[156:512])
        signed = all(digit in b"01234567" for digit in written) and int(written, 8) == total
    return MediaType("application/x-tar", "tar") if signed else None


def _python_code(head: bytes, size: int, read: Read | None) -> MediaType | None:
    fits = head[2:4] == b"\r\n" and little(head, 4, 4) <= 3 and head[16:17] in (b"\xe3", b"\x63") and b"\0" in head[:16]
    return MediaType("application/x-python-code", "pyc") if fits else None


def _dicom(head: bytes, size: int, read: Read | None) -> MediaType | None:
    fits = head[128:132] == b"DICM" and not has_text_only(head[:128])
    return MediaType("application/dicom", "dcm") if fits else None


def _safetensors(head: bytes, size: int, read: Read | None) -> MediaType | None:
    fits = head[8:10] == b'{"' and head[7:8] == b"\0" and 2 <= little(head, 0, 8) <= size - 8
    return MediaType("application/x-safetensors", "safetensors") if fits else None


def _disc(head: bytes, size: int, read: Read | None) -> MediaType | None:
    place = slice(32769, 32774)
    if size < 34816 or head[0] not in b"\0\x33\xeb\xfa\x45" or (len(head) < place.stop and not read):
        return None
    found = head[place] if len(head) >= place.stop or not read else read(place.start, place.stop)
    return MediaType("application/x-iso9660-image", "iso") if found == b"CD001" else None


ELSEWHERE: tuple[Check, ...] = (
    _tar, _python_code, _dicom, _safetensors, _disc,
    containers.base_media, containers.mpeg_audio, containers.transport_stream,
)  # fmt: skip


def _by_first() -> tuple[dict[int, list[tuple[bytes, str, str]]], dict[int, list[tuple[bytes, Check]]]]:
    plain: dict[int, list[tuple[bytes, str, str]]] = {}
    for entry in _SIGNATURES:
        plain.setdefault(entry[0][0], []).append(entry)
    checked: dict[int, list[tuple[bytes, Check]]] = {}
    for magics, check in (
        ((b"GIF8",), _gif), ((b"\xff\xd8\xff",), _jpeg), ((b"BM",), _bmp), ((b"II", b"MM"), _tiff), ((b"icns",), _icns),
        ((b"\0\0\1\0", b"\0\0\2\0"), _icon), ((b"%PDF-", b"\xef\xbb\xbf", b" ", b"\r", b"\n", b"\t"), _pdf),
        ((b"\x1f\x8b\x08",), _gzip), ((b"\x7fELF",), _elf), ((b"\xca\xfe\xba\xbe",), _babe), ((b"MZ",), _windows),
        ((b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"), _mach),
        ((b"\x80",), _pickle), ((b"PAR1",), _parquet), ((b"GGUF",), _gguf), ((b"!<arch>\n",), _archive),
        ((b"\0\1\0\0", b"OTTO", b"true"), _font), ((b"\n\r\r\n",), _packet_capture), ((b"\xff\n",), _jpeg_xl),
        ((b"PK",), containers.zip_archive), ((b"RIFF", b"RF64", b"FORM"), containers.chunked),
        ((b"OggS\0",), containers.ogg), ((b"\x1a\x45\xdf\xa3",), containers.matroska),
        ((b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",), containers.compound), ((b"ID3",), containers.tagged_audio),
    ):  # fmt: skip
        for magic in magics:
            checked.setdefault(magic[0], []).append((magic, check))
    return plain, checked


BY_FIRST, CHECKED = _by_first()
