"""Tells data in base64 from what only looks like it.

A run counts as data where the text declares it or where its bytes prove it. What neither does is left alone, since a
word list taken for data is lost to the reader, while an image left in place only costs room. Names, hashes, keys and
tokens are made of the same characters as random data, so a run that nothing declares must have no name of that kind
either, and must be distributed over the alphabet as encoded bytes are.
"""

from __future__ import annotations

import re

from lrguard.assets.base64_runs import ENDS, LARGEST
from lrguard.assets.declared import confirmed, text_type
from lrguard.assets.decoded import decoded, is_whole
from lrguard.assets.place import Place, media_type_in
from lrguard.assets.run_lines import Run
from lrguard.intake.alphabet import ALPHABET, SHORTEST
from lrguard.intake.media_type import OCTET_STREAM, MediaType, sniff, text_media_type
from lrguard.intake.source import BytesSource, Source
from lrguard.patterns import pattern
from lrguard.records import dataclass

HEAD = 64 * 1024
"""Bytes of the head that are compared with signatures."""

NESTED = 3
"""How often base64 inside base64 is decoded."""

_UPPER, _LOWER, _DIGIT = ALPHABET[:26], ALPHABET[26:52], ALPHABET[52:62]
_HEX = b"0123456789abcdefABCDEF-"

_TYPE_KEYS = (
    b"mimetype", b"mime_type", b"mime-type", b"mime", b"mediatype", b"media_type", b"media-type",
    b"contenttype", b"content_type", b"content-type", b"filetype", b"type", b"format",
)  # fmt: skip
_ENCODING_KEYS = (
    b"encoding", b"contentencoding", b"content_encoding", b"transferencoding", b"transfer_encoding",
    b"content-transfer-encoding", b"contenttransferencoding", b"type", b"format",
)  # fmt: skip
_FLAG_KEYS = (b"isbase64encoded", b"base64encoded", b"isbase64", b"is_base64", b"base64", b"base64_encoded")
_DATA_NAME = pattern(
    rb"(?:data|blob|body|bytes|content|contents|payload|raw|binary|file|image|img|audio|video|picture|photo|thumb(?:nail)?|"
    rb"attachment|icon|avatar|logo|screenshot|text|value|source|src|font|document|pdf|embedding)s?",
    re.IGNORECASE,
)
_SECRET_NAME = pattern(
    rb"token|secret|signature|\bsig\b|cookie|sess(?:ion)?|password|passwd|auth|bearer|api[-_]?key|\bkeys?\b|_key\b|Key\b|"
    rb"hash|digest|checksum|integrity|etag|csrf|xsrf|nonce|jwt|jwe|credential|licen[cs]e|public|private|fingerprint|cert|"
    rb"x5c|ssh|cursor|continuation|next_?page|\bstate\b|viewstate|saml|cipher|ticket|\bhmac\b|\bmac\b|salt|\bmappings\b",
    re.IGNORECASE,
)
_KEY_BEFORE = pattern(rb"(?:ssh-[a-z0-9]+|ecdsa-sha2-[a-z0-9-]+|sk-[a-z0-9@.-]+|sha(?:1|224|256|384|512)[-:])\s*\Z")
_MAIL = pattern(rb"^content-transfer-encoding:[ \t]*\"?base64", re.IGNORECASE | re.MULTILINE)
_MAIL_TYPE = pattern(rb"^content-type:[ \t]*([\w.+/-]{3,160})", re.IGNORECASE | re.MULTILINE)
_ATTRIBUTE = pattern(rb"encoding=\\{0,7}[\"']?base64\\{0,7}[\"']?[^<>]{0,200}>\s*\Z", re.IGNORECASE)
_SVG = pattern(
    rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,400}>\s*|<!DOCTYPE[^>]{0,400}>\s*)?<svg[\s>]", re.IGNORECASE
)
_CONTROLS = pattern(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_MAIL_WIDTHS = (60, 64, 72, 76, 80)


@dataclass(frozen=True, slots=True)
class Data:
    """What a run stands for: its bytes, the type they have, and the type that was declared, in lower case."""

    content: Source
    media_type: MediaType
    declared: str | None


@dataclass(frozen=True, slots=True)
class _Declaration:
    media_type: str | None = None
    base64: bool = False


def plausible(run: Run) -> bool:
    """Whether the characters of `run` can be data, without a look at its surroundings.

    Not hex, whose pairs a reader may need, nor words and paths, nor a separator line or zeros.
    """
    encoded, sample = run.encoded, _sample(run)
    if run.length % 4 == 1:
        return False
    few = len(set(sample[:512])) < 3
    if few and encoded.count(encoded[:1]) + encoded.count(encoded[-1:]) >= len(encoded):
        return False
    return bool(sample[:64].translate(None, _HEX) or sample.translate(None, _HEX)) and not _wordlike(sample)


def _sample(run: Run) -> bytes:
    return run.encoded if len(run.encoded) <= 2 * ENDS else run.encoded[:ENDS] + run.encoded[-ENDS:]


def data_of(run: Run, place: Place) -> Data | None:
    """What `run` stands for; None where it is not valid base64, or where there is no evidence that it is data."""
    if place.data_url:
        content = _content(run)
        return _typed(content, place.declared) if content else None
    if run.percent or _in_armor(place) or _KEY_BEFORE.search(place.before[-40:]):
        return None
    content = _content(run)
    if not content or content.read(0, 7) in (b"\0\0\0\7ssh", b"\0\0\0\x0bss", b"\0\0\0\x13ec"):
        return None
    return _declared(place, content) or _proved(run, place, content)


def _content(run: Run) -> Source | None:
    """The bytes that `run` stands for; None where there are none, and where it is no valid or no whole base64."""
    if not is_whole(run.encoded[-1:], run.length, run.padding):
        return None
    if run.content is not None:
        return run.content
    content = decoded(run.encoded)
    return BytesSource(content) if content else None


def _typed(content: Source, declared: str | None) -> Data:
    """`content` with the type that its bytes have; a declared type only tells kinds of text apart."""
    found = _known(content) or confirmed(declared, content.read(0, HEAD))
    # The whole of a large one is only read where it begins as text does.
    if not found and (content.in_memory or _is_text(content)) and (text := text_media_type(content.read(0, LARGEST))):
        found = text_type(declared, text)
    return Data(content, found or OCTET_STREAM, declared)


def _known(content: Source) -> MediaType | None:
    return sniff(content.read(0, HEAD), content.size, content.read)


def _declared(place: Place, content: Source) -> Data | None:
    """What `content` is by what stands beside it."""
    declaration = _declaration(place)
    if not declaration.base64:
        if not declaration.media_type:
            return None
        if not _known(content) and (_SECRET_NAME.search(place.name) or not _data_name(place.name)):
            return None
    inner = _unwrapped(content)
    return _typed(inner or content, declaration.media_type)


def _data_name(name: bytes) -> bool:
    return not name or bool(_DATA_NAME.search(name))


def _proved(run: Run, place: Place, content: Source) -> Data | None:
    """What `run` is by its own bytes."""
    if found := _known(content):
        return Data(content, found, None)
    if inner := _unwrapped(content):
        return _typed(inner, None)
    if _SVG.match(content.read(0, 1024)):
        return _typed(content, None)
    if _is_secret(place) or _is_text(content) or _is_key(content) or not _scattered(_sample(run)):
        return None
    # A list of tokens has lines of equal length as well, but all of them are full.
    if run.width and (run.width not in _MAIL_WIDTHS or (run.full and not run.padding)):
        return None
    return Data(content, OCTET_STREAM, None)


def _is_secret(place: Place) -> bool:
    """Whether the text calls the value a key, a token or the like, or has it in the query of a URL."""
    if _SECRET_NAME.search(place.name) or b"kty" in place.siblings():
        return True
    if place.name:
        return place.before[: -len(place.name) - 1][-1:] in (b"?", b"&", b";")
    line = _LINE_BREAK.sub(b"\n", place.before[-48:]).rpartition(b"\n")[2]
    return not place.whole and bool(_SECRET_NAME.search(line))


def _declaration(place: Place) -> _Declaration:
    """What the text beside a run says about it."""
    if place.whole:
        siblings = place.siblings()
        kind = next((found for key in _TYPE_KEYS if (found := media_type_in(siblings.get(key, b"")))), None)
        name = place.name.lower()
        own = _own_type(place.before)
        explicit = (
            own is not None
            or any(siblings.get(key, b"").lower() == b"base64" for key in _ENCODING_KEYS)
            or any(siblings.get(key, b"").lower() == b"true" for key in _FLAG_KEYS)
            or (siblings.get(b"type", b"").lower() in (b"image", b"audio", b"video") and name == b"data")
            or (name == b"blob" and (kind is not None or b"uri" in siblings))
            or b"base64" in name
            or b"b64" in name
        )
        return _Declaration(own or kind, explicit)
    if _ATTRIBUTE.search(place.before[-300:]):
        return _Declaration(None, True)
    text = place.before[-2048:]
    if b"ncoding" in text or b"NCODING" in text:
        return _mail(text)
    return _Declaration()


_OWN_TYPE = pattern(rb'"([^"\\\s]{3,160})"\s*:\s*(?:\[\s*)?\Z')


def _own_type(before: bytes) -> str | None:
    """The type that a key itself is, as in the outputs of a notebook."""
    found = _OWN_TYPE.search(before[-200:])
    kind = media_type_in(found[1]) if found else None
    return kind if kind and kind.partition("/")[0] in ("image", "audio", "video", "application", "font") else None


_LINE_BREAK = pattern(rb"(?:\\{1,8}r)?\\{1,8}n|\r\n")


def _mail(before: bytes) -> _Declaration:
    """What the header says that ends with an empty line right before a run."""
    lines = _LINE_BREAK.sub(b"\n", before)
    if not lines.endswith(b"\n\n"):
        return _Declaration()
    header = lines[:-2].rpartition(b"\n\n")[2]
    if not _MAIL.search(header):
        return _Declaration()
    kind = _MAIL_TYPE.search(header)
    return _Declaration(media_type_in(kind[1]) if kind else None, True)


def _in_armor(place: Place) -> bool:
    """Whether the run is in a PEM or PGP block that began before it."""
    begun = place.before.rfind(b"-----BEGIN ")
    return (begun >= 0 and b"-----END " not in place.before[begun:]) or place.after[:16].lstrip().startswith(
        b"-----END"
    )


def _unwrapped(content: Source) -> Source | None:
    """The data of a known type that `content` is the base64 of, once or twice; None where it is not."""
    for _ in range(NESTED - 1):
        head = content.read(0, HEAD).lstrip()
        url = head[:5].lower() == b"data:" and b";base64," in head[:300].lower()
        if url:
            head = head[head.index(b",") + 1 :]
        if head[:64].translate(None, ALPHABET + b"=\r\n") or content.size > LARGEST:
            return None
        text = content.read().strip()
        text = (text[text.index(b",") + 1 :] if url else text).translate(None, b"\r\n")
        body = text.rstrip(b"=")
        if len(text) < SHORTEST // 4 or body.translate(None, ALPHABET):
            return None
        inner = decoded(body) if is_whole(body[-1:], len(body), len(text) - len(body)) else None
        if not inner:
            return None
        content = BytesSource(inner)
        if _known(content):
            return content
    return None


def _is_text(content: Source) -> bool:
    """Whether the bytes are text, UTF-8 or the UTF-16 that PowerShell takes."""
    head = content.read(0, 4096)
    if head[1::2].count(0) * 10 > len(head) * 4 and not _CONTROLS.search(head[::2]):
        return True
    try:
        head[: -4 if content.size > len(head) else None].decode()
    except UnicodeDecodeError as error:
        if error.start < len(head) - 8:
            return False
    return not _CONTROLS.search(head)


def _is_key(content: Source) -> bool:
    """Whether the bytes are a certificate, a key or a signature in DER."""
    head = content.read(0, 4)
    return head[:2] == b"\x30\x82" and int.from_bytes(head[2:], "big") + 4 == content.size


def _count(sample: bytes, characters: bytes) -> float:
    return (len(sample) - len(sample.translate(None, characters))) / len(sample)


def _wordlike(sample: bytes) -> bool:
    """Whether the characters are spread as in names, paths and sentences: lower case, and few digits."""
    return _count(sample, _LOWER) > 0.62 and _count(sample, _DIGIT) < 0.09


def _scattered(sample: bytes) -> bool:
    """Whether the characters are spread as in encoded bytes.

    Of random bytes 41 % are upper case, as many lower case, 16 % digits and 3 % the two others. A run without any of
    those two is more likely an identifier in base 62 or base 58, and one with many is a path.
    """
    upper, lower, digits = _count(sample, _UPPER), _count(sample, _LOWER), _count(sample, _DIGIT)
    others = 1 - upper - lower - digits
    return 0.1 < upper < 0.8 and 0.1 < lower < 0.62 and 0.03 < digits < 0.5 and 0 < others - 1e-9 < 0.1
