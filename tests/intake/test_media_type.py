"""Binary types by signature, and as many texts that only begin like one."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import marshal
import pickle
import sqlite3
import struct
import sys
import tarfile
import wave
import zipfile
import zlib

import pytest

from lrguard.intake.media_type import image_size, sniff, text_media_type

TAIL = bytes(range(256)) * 8


def named(data: bytes) -> str | None:
    found = sniff(data[:4096], len(data), lambda start, end: data[start:end])
    assert found == sniff(data, len(data)) or len(data) > 4096
    return found.extension if found else None


def png(width: int = 3, height: int = 2) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress(b"".join(b"\0" + b"abc" * width for _ in range(height)))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def archive(*members: str, first: tuple[str, bytes] | None = None) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        if first:
            file.writestr(zipfile.ZipInfo(first[0]), first[1])
        for member in members:
            file.writestr(member, TAIL)
    return out.getvalue()


def tar() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as file:
        info = tarfile.TarInfo("notes.txt")
        info.size = 5
        file.addfile(info, io.BytesIO(b"hello"))
    return out.getvalue()


def sound() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(TAIL)
    return out.getvalue()


def database() -> bytes:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("create table t (n)")
        return connection.serialize()


def bitmap() -> bytes:
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 54 + 16, 0, 0, 54, 40, 2, -2, 1, 24, 0, 16, 0, 0, 0, 0) + bytes(16)


def icon() -> bytes:
    picture = png()
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, 3, 2, 0, 0, 1, 32, len(picture), 22) + picture


MP3_FRAME = b"\xff\xfb\x90\x00" + bytes(413)
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xc0\x00\x11\x08\x00\x02\x00\x03\x03" + TAIL
GIF = b"GIF89a\x03\x00\x02\x00\x80\x00\x00\0\0\0\xff\xff\xff,\0\0\0\0\x03\0\x02\0\0\x02\x02\x84\x11\0;"
WEBP = b"RIFF\x24\0\0\0WEBPVP8L\x18\0\0\0\x2f\x02\x40\0\0" + bytes(20)
ISO_BOX = struct.pack(">I4s4sI4s4s", 24, b"ftyp", b"isom", 512, b"isom", b"mp41")

BINARIES = {
    "png": [png()],
    "jpg": [JPEG],
    "gif": [GIF],
    "webp": [WEBP],
    "bmp": [bitmap()],
    "ico": [icon()],
    "tiff": [b"II*\0\x08\0\0\0" + TAIL, b"MM\0*\0\0\0\x08" + TAIL],
    "avif": [ISO_BOX.replace(b"isom", b"avif", 1) + TAIL],
    "heic": [ISO_BOX.replace(b"isom", b"mif1", 1).replace(b"mp41", b"heic") + TAIL],
    "mp4": [ISO_BOX + TAIL],
    "m4a": [ISO_BOX.replace(b"isom", b"M4A ", 1) + TAIL],
    "mov": [ISO_BOX.replace(b"isom", b"qt  ", 1) + TAIL],
    "pdf": [b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n" + TAIL, b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n", b"\n%PDF-1.5\r" + TAIL],
    "zip": [archive("a.txt"), b"PK\x05\x06" + bytes(18)],
    "docx": [archive("[Content_Types].xml", "word/document.xml")],
    "xlsx": [archive("[Content_Types].xml", *(f"docProps/{n}.xml" for n in range(9)), "xl/workbook.xml")],
    "pptx": [archive("[Content_Types].xml", "ppt/presentation.xml")],
    "epub": [archive("META-INF/container.xml", first=("mimetype", b"application/epub+zip"))],
    "odt": [archive("content.xml", first=("mimetype", b"application/vnd.oasis.opendocument.text"))],
    "jar": [archive("META-INF/MANIFEST.MF", "A.class")],
    "apk": [archive("AndroidManifest.xml", "classes.dex")],
    "whl": [archive("pkg/__init__.py", "pkg-1.0.dist-info/WHEEL")],
    "npz": [archive("a.npy", "b.npy")],
    "gz": [gzip.compress(TAIL)],
    "bz2": [bz2.compress(TAIL)],
    "xz": [lzma.compress(TAIL)],
    "zst": [b"\x28\xb5\x2f\xfd\x24" + TAIL],
    "7z": [b"7z\xbc\xaf\x27\x1c\0\4" + TAIL],
    "rar": [b"Rar!\x1a\x07\x01\0" + TAIL],
    "tar": [tar()],
    "elf": [b"\x7fELF\2\1\1\0" + TAIL],
    "macho": [b"\xcf\xfa\xed\xfe\x07\0\0\1" + TAIL],
    "exe": [b"MZ\x90\0" + bytes(56) + b"\x80\0\0\0" + bytes(64) + b"PE\0\0" + TAIL],
    "class": [b"\xca\xfe\xba\xbe\0\0\0\x41" + TAIL],
    "wasm": [b"\0asm\1\0\0\0" + TAIL],
    "sqlite": [database()],
    "parquet": [b"PAR1\x15\x04" + TAIL + b"PAR1"],
    "arrow": [b"ARROW1\0\0" + TAIL],
    "avro": [b"Obj\1\x04" + TAIL],
    "npy": [b"\x93NUMPY\1\0" + TAIL],
    "h5": [b"\x89HDF\r\n\x1a\n" + TAIL],
    "pickle": [pickle.dumps(list(range(300)), protocol=4), pickle.dumps({"a": 1}, protocol=2)],
    "pyc": [b"\xa7\r\r\n\0\0\0\0" + bytes(8) + marshal.dumps(compile("1", "", "exec"))],
    "mp3": [b"ID3\4\0\0\0\0\x02\x01" + TAIL, MP3_FRAME * 5],
    "wav": [sound()],
    "flac": [b"fLaC\0\0\0\x22" + TAIL],
    "opus": [b"OggS\0\2" + bytes(20) + b"\1\x13OpusHead\1" + TAIL],
    "webm": [b"\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm" + TAIL],
    "mkv": [b"\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska" + TAIL],
    "woff2": [b"wOF2\0\1\0\0" + TAIL],
    "ttf": [b"\0\1\0\0\0\x0a\0\x80\0\3\0\x20" + TAIL],
    "deb": [b"!<arch>\ndebian-binary   1700000000  0     0     100644  4         `\n2.0\n" + TAIL],
    "rpm": [b"\xed\xab\xee\xdb\3\0" + TAIL],
    "pcap": [b"\xd4\xc3\xb2\xa1\2\0\4\0" + TAIL],
    "ole": [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)],
    "safetensors": [struct.pack("<Q", 20) + b'{"a": {"dtype": "F"}' + TAIL],
}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"G",
        b"GIF89a is a format from 1989, and it still moves.",
        b"GIF89a, GIF87a; two versions!",
        b"BM rocks, says everyone in the room who was asked about it",
        b"MZ marks an executable, and these are more than sixty-four characters of text about that very fact.",
        b"PK is short for Phil Katz",
        b"%PDF is how such a file begins",
        b"%PDF-1.4 is the version that most printers like",
        b"%PDF-1.7 and later are described in ISO 32000, with % as the comment sign.\n",
        b"ID3 tags hold the artist's name",
        b"II* is no TIFF",
        b"MM is a unit of length",
        b"PAR1 is the magic number of Parquet files, at both ends",
        b"RIFF, WEBP and WAVE are four letters each",
        b"OggS is the capture pattern",
        b"fLaC and wOFF and wOF2 and OTTO and true",
        b"Rar! is what the cat said; 7z too",
        b"SQLite format 3 is the newest one",
        b"BZh91 is a road; BZh9",
        b"!<arch>\nthe line is all there is of an archive here\n",
        b"\0\1\0\0 and text",
        b"x" * 257 + b"ustar is the name of a format" + b"x" * 400,
        b"{\\rtf1\\ansi Text}",
        b"%!PS-Adobe-3.0\n%%Title: a page\n",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"<?xml version='1.0'?><a/>",
        b"#!/bin/sh\necho hello\n",
        b"GGUF models are large",
        b"true or false",
        b"\xff\xfe" + "UTF-16 text begins with a mark\n".encode("utf-16-le") * 100,
        b"\xfe\xff" + "UTF-16 text begins with a mark\n".encode("utf-16-be") * 100,
        b"\xef\xbb\xbftext",
        b"\xff\xfb is how Latin-1 would write \xff\xfb" * 30,
        bytes(range(256)) * 20,
        b"bplist00 is a header",
        b"L" * 3000,
    ],
)
def test_text_that_begins_like_a_binary_is_left_alone(data: bytes) -> None:
    assert named(data) is None


@pytest.mark.parametrize(("extension", "data"), [(key, data) for key, many in BINARIES.items() for data in many])
def test_binaries_are_named(extension: str, data: bytes) -> None:
    assert named(data) == extension


def test_this_interpreter_is_an_executable() -> None:
    with open(sys.executable, "rb") as file:
        found = sniff(file.read(4096), 1 << 20)
    assert found is not None
    assert found.extension in ("elf", "macho")


def test_short_heads_never_fail() -> None:
    for many in BINARIES.values():
        for data in many:
            for length in range(64):
                sniff(data[:length], length)
                image_size(data[:length])


@pytest.mark.parametrize(
    ("data", "size"),
    [(png(640, 480), (640, 480)), (GIF, (3, 2)), (JPEG, (3, 2)), (WEBP, (3, 2)), (bitmap(), (2, 2)), (b"text", None)],
)
def test_pixels_of_images(data: bytes, size: tuple[int, int] | None) -> None:
    assert image_size(data) == size


@pytest.mark.parametrize(
    ("data", "extension"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'></svg>", "svg"),
        (b"<!DOCTYPE html><p>x</p>", "html"),
        (b"<?xml version='1.0'?><a/>", "xml"),
        (b'{"version": 3, "mappings": "AAAA"}', "json"),
        (b"a,b\n1,2\n3,4\n", "csv"),
        (b"body { color: red }\n", "css"),
        (b"{\\rtf1\\ansi Text}", "rtf"),
        ("Grüße\n".encode(), "txt"),
        ("Grüße\n".encode("utf-16"), "txt"),
        (b"", "txt"),
        (b"Gr\xfc\xdfe", None),
        (b"a\0b", None),
        (b"\x01\x02", None),
        (png(), None),
    ],
)
def test_text_that_was_found_inside_text(data: bytes, extension: str | None) -> None:
    found = text_media_type(data)
    assert (found.extension if found else None) == extension
