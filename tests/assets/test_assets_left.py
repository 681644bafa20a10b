"""What only looks like base64 stays: most of what a tool prints is this."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import uuid

import pytest

from tests.assets.asset_inputs import b64, noise, png, taken, wrapped

WORDS = [
    "Handler",
    "Factory",
    "Abstract",
    "Internal",
    "Server",
    "Client",
    "Beta",
    "Module",
    "Impl",
    "Service",
    "Proxy",
    "Bean",
    "Config",
    "Loader",
]
DIGITS = "0123456789abcdef"


def letters(alphabet: str, count: int, seed: int = 3) -> str:
    chooser = random.Random(seed)
    return "".join(chooser.choice(alphabet) for _ in range(count))


def camel(count: int, between: str = "") -> str:
    chooser = random.Random(5)
    return between.join(chooser.choice(WORDS) for _ in range(count))


def pem(kind: str, data: bytes) -> str:
    return f"-----BEGIN {kind}-----\n{wrapped(data, 64)}\n-----END {kind}-----\n"


def jwt(size: int = 900) -> str:
    parts = (b'{"alg":"RS256","typ":"JWT"}', json.dumps({"sub": "u" * size}).encode(), noise(512))
    return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts)


BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SSH = b"\0\0\0\x07ssh-rsa\0\0\0\x03\x01\0\x01\0\0\x01\x01" + noise(257)

LEFT = {
    "a sentence without blanks": camel(60),
    "camel case names in JSON": json.dumps({"name": camel(40)}),
    "paths": "\n".join(f"/usr/lib/{camel(8, '/')}/{camel(3)}" for _ in range(20)),
    "one long path": "/opt/" + camel(60, "/"),
    "a path of lower-case words": "/usr/lib/python3/dist/packages/" * 20,
    "snake case": "_".join(["alpha", "beta", "gamma"] * 40),
    "a word list": "\n".join(WORDS * 40),
    "hex": letters(DIGITS, 2048),
    "hex in upper case": letters("0123456789ABCDEF", 2048),
    "hex in wrapped lines": "\n".join(letters(DIGITS, 64, seed) for seed in range(30)),
    "hex that is declared as base64": json.dumps({"encoding": "base64", "content": letters(DIGITS, 512)}),
    "hashes, one a line": "\n".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(40)),
    "uuids": "-".join(str(uuid.UUID(int=n * 7919**9 % 2**128)) for n in range(20)),
    "digits": letters("0123456789", 3000),
    "DNA": "\n".join(letters("ACGT", 70, seed) for seed in range(30)),
    "protein": "\n".join(letters("ACDEFGHIKLMNPQRSTVWY", 60, seed) for seed in range(30)),
    "base32": letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 512),
    "base58": letters(BASE58, 512),
    "base62": json.dumps({"value": letters(BASE62, 512)}),
    "a JWT": json.dumps({"value": jwt()}),
    "a JWE": ".".join(base64.urlsafe_b64encode(noise(n, n)).decode().rstrip("=") for n in (90, 512, 12, 900, 16)),
    "a bearer token": "Authorization: Bearer " + b64(noise(600)),
    "a session cookie": "Set-Cookie: session=" + base64.urlsafe_b64encode(noise(600)).decode(),
    "an access token": json.dumps({"access_token": b64(noise(700))}),
    "a signature": json.dumps({"signature": b64(noise(256))}),
    "a token in a URL": "https://bucket.example.com/key?X-Amz-Security-Token=" + b64(noise(600)).replace("/", "%2F"),
    "a value in a query": "GET /load?v=" + base64.urlsafe_b64encode(noise(600)).decode() + " 200",
    "a path in a URL": "https://host/" + base64.urlsafe_b64encode(noise(600)).decode(),
    "a JSON Web Key": json.dumps({"kty": "RSA", "n": base64.urlsafe_b64encode(noise(256)).decode(), "e": "AQAB"}),
    "a certificate": pem("CERTIFICATE", b"\x30\x82\x03\x0c" + noise(780)),
    "a certificate of full lines": pem("CERTIFICATE", b"\x30\x82\x03\xbc" + noise(956)),
    "a private key with a header": pem("RSA PRIVATE KEY", noise(900)).replace(
        "KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n", 1
    ),
    "a PGP message": pem("PGP MESSAGE", noise(900)).replace("MESSAGE-----\n", "MESSAGE-----\nVersion: 2\n\n", 1),
    "a certificate in JSON": json.dumps({"pem": pem("CERTIFICATE", b"\x30\x82\x03\x0c" + noise(780))}),
    "a certificate chain": json.dumps({"chain": [b64(b"\x30\x82\x03\x0c" + noise(780))]}),
    "an SSH key": f"ssh-rsa {b64(SSH)} me@host",
    "an SSH key alone": json.dumps({"value": b64(SSH)}),
    "known hosts": "\n".join(f"host{n} ssh-rsa {b64(SSH)}" for n in range(5)),
    "a secret of Kubernetes": json.dumps({"data": {"tls.crt": b64(pem("CERTIFICATE", noise(900)).encode())}}),
    "text in base64": json.dumps({"value": b64(b"The quick brown fox jumps over the lazy dog. " * 20)}),
    "JSON in base64": json.dumps({"next": b64(json.dumps({"after": list(range(200))}).encode())}),
    "a PowerShell command": "powershell -EncodedCommand " + b64(("Get-ChildItem | Where x;" * 20).encode("utf-16-le")),
    "integrity values": json.dumps({f"p{n}": {"integrity": "sha512-" + b64(noise(64, n))} for n in range(100)}),
    "several digests in a value": json.dumps({"integrity": " ".join("sha512-" + b64(noise(64, n)) for n in range(9))}),
    "tokens, one a line": "\n".join(b64(noise(48, n)) for n in range(40)),
    "mappings": json.dumps({"mappings": ";".join("AAAA,SAASA,IAAIC,GAAGC" for _ in range(400))}),
    "mappings of one long line": json.dumps({"version": 3, "mappings": letters(BASE62 + "+/", 4000)}),
    "minified code": "var " + ",".join(f"a{n}=function(){{return b{n}+c/d}}" for n in range(300)),
    "separators": "\n".join(["=" * 400, "/" * 400, "-" * 400, "_" * 400, "A" * 400, "+" * 400, "AB" * 300]),
    "zeros": json.dumps({"padding": "0" * 5000}),
    "a data URL of zeros": "data:image/png;base64," + "A" * 5000,
    "a data URL that is not base64": 'url("data:image/svg+xml;utf8,<svg>' + "x" * 300 + '</svg>")',
    "a percent-encoded data URL": "data:image/svg+xml," + "%3Csvg%3E" * 60,
    "a data URL without data": "'data:application/json;base64,'; " + camel(60),
    "a short data URL": "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "an image one character short": json.dumps({"data": b64(png())[:-3]}),
    "an image cut in a quantum": json.dumps({"mimeType": "image/png", "data": b64(png())[:401]}),
    "an image before an ellipsis": json.dumps({"mimeType": "image/png", "data": b64(png())[:400] + "..."}),
    "an image before a mark": json.dumps({"mimeType": "image/png", "data": b64(png())[:400] + "[...truncated 99]"}),
    "an image before a word": "data:image/png;base64," + b64(png())[:400] + "\n(truncated)",
    "an image before a sign": "data:image/png;base64," + b64(png())[:400] + "… 300 more",
    "an image in JSON that ends": '{"mimeType": "image/png", "data": "' + b64(png())[:400],
    "an image in Markdown that ends": "![a](data:image/png;base64," + b64(png())[:400],
    "a key": json.dumps({b64(png()): 1}),
    "a key that is a data URL": json.dumps({"data:image/png;base64," + b64(png()): 1}),
    "both alphabets": "x " + b64(png()).replace("A", "-").replace("B", "+").replace("C", "/") + " y",
    "padding in the middle": "x " + b64(png(2) + b"a" * (4 - len(png(2)) % 3)) + b64(png()) + " y",
    "a name with base64 characters": json.dumps({"path": "a/b." + b64(noise(400))}),
    "escaped text": json.dumps({"text": "文件处理" * 300}),
    "url-encoded text": "%E6%96%87" * 300,
}  # fmt: skip


@pytest.mark.parametrize("name", LEFT)
def test_is_left_alone(name: str) -> None:
    outcome = taken(LEFT[name])
    assert outcome.assets == [] and outcome.linked is None


@pytest.mark.parametrize("name", LEFT)
def test_is_left_alone_in_the_string_of_a_tool_result(name: str) -> None:
    assert taken(json.dumps({"content": [{"type": "text", "text": LEFT[name]}]})).assets == []


def test_a_reference_that_is_not_shorter_is_not_used() -> None:
    assert taken(json.dumps({"data": b64(png(side=8))}), folder="/" + "long" * 200).linked is None
