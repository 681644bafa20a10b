"""Data in all the ways that tools embed it is taken out, and what is left still is what it was."""

from __future__ import annotations

import base64
import json
from email.message import EmailMessage

import pytest

from tests.assets.asset_inputs import b64, noise, pdf, png, taken, wav, wrapped

IMAGE = png()
URL = "data:image/png;base64," + b64(IMAGE)
SLASHES = b"\x89PNG\r\n\x1a\n" + b"\xff" * 30 + png()[8:] + b"\xfb\xef\xbe" * 40


def spell(data: bytes, **escapes: str) -> str:
    text = b64(data)
    for character, escape in (("/", escapes.get("slash")), ("+", escapes.get("plus")), ("=", escapes.get("equals"))):
        text = text.replace(character, escape) if escape else text
    return text


IN_A_VALUE = {
    "plain": b64(SLASHES),
    "url-safe": base64.urlsafe_b64encode(SLASHES).decode(),
    "without padding": b64(SLASHES + b"ab"[: 1 - len(SLASHES) % 3]).rstrip("="),
    "escaped slashes": spell(SLASHES, slash="\\/"),
    "escaped plus signs": spell(SLASHES, plus="\\u002B"),
    "everything escaped": spell(SLASHES, slash="\\u002f", plus="\\u002b", equals="\\u003d"),
    "in upper case": spell(SLASHES, slash="\\u002F", plus="\\u002B", equals="\\u003D"),
    "wrapped at 60": wrapped(SLASHES, 60, "\\n") + "\\n",
    "wrapped at 64": wrapped(SLASHES, 64, "\\n"),
    "wrapped at 76 with CRLF": wrapped(SLASHES, 76, "\\r\\n") + "\\r\\n",
    "wrapped and escaped": wrapped(SLASHES, 76, "\\r\\n").replace("/", "\\/"),
    "a data URL": "data:image/png;base64," + b64(SLASHES),
    "a data URL with parameters": "data:image/png;name=a.png;charset=utf-8;base64," + b64(SLASHES),
    "a data URL with escaped slashes": ("data:image/png;base64," + b64(SLASHES)).replace("/", "\\/"),
}


@pytest.mark.parametrize("levels", [0, 1, 2])
@pytest.mark.parametrize("way", IN_A_VALUE)
def test_a_json_value_becomes_an_object(way: str, levels: int) -> None:
    document = '{"a": 1e400, "a": 2, "image": "' + IN_A_VALUE[way] + '", "name": "x\\"y"}'
    for _ in range(levels):
        document = json.dumps({"n": [1.10], "text": document})
    outcome = taken(document)
    content = outcome.contents[0]
    assert content.startswith(SLASHES) and len(content) - len(SLASHES) < 3 and len(outcome.contents) == 1
    assert outcome.assets[0].json_path == ("$.text" if levels else "$.image")
    value = outcome.text
    for _ in range(levels):
        assert '"n": [1.1]' in value
        value = json.loads(value)["text"]
    assert value.startswith('{"a": 1e400, "a": 2, "image": {"assetRef"') and value.endswith(', "name": "x\\"y"}')
    reference = json.loads(value)["image"]["assetRef"]
    path = f"/s/downloads/assets/{outcome.assets[0].sha256[:16]}.png"
    assert reference == {"path": path, "mimeType": "image/png", "size": len(content)}


def test_escapes_of_several_levels() -> None:
    inner = '{"image": "' + spell(SLASHES, slash="\\/", plus="\\u002b") + '"}'
    document = '{"text": ' + json.dumps(inner).replace("/", "\\/") + "}"
    outcome = taken(document)
    assert outcome.contents == [SLASHES]
    assert "assetRef" in json.loads(json.loads(outcome.text)["text"])["image"]


@pytest.mark.parametrize("folder", ['/a "b"', "/back\\slash", "/blank  s", "/ünï/文", "/a\udcffb", "/it's <b>&"])
def test_a_path_is_escaped_as_its_place_needs(folder: str) -> None:
    inner = json.dumps({"image": b64(IMAGE), "html": f'<img src="{URL}">'})
    document = json.dumps({"text": inner, "page": f'<img src="{URL}">', "image": b64(IMAGE), "cut": f"see {URL} there"})
    outcome = taken(document, folder=folder)
    value = json.loads(outcome.text)
    path = value["image"]["assetRef"]["path"]
    assert path.startswith(folder + "/")
    text = f"[asset: {path} (image/png, {len(IMAGE)} B)]"
    assert (value["page"], value["cut"]) == (f'<img src="{text}">', f"see {text} there")
    assert json.loads(value["text"]) == {"image": value["image"], "html": f'<img src="{text}">'}
    assert taken(f"see {URL} there", folder=folder).text == f"see {text} there"


IN_TEXT = {
    "Markdown": "# A\n\n![chart]({})\n\nmore",
    "Markdown with a title": '![chart]({} "title")\n',
    "a Markdown reference": "[1]: {}\n[2]: http://x\n",
    "HTML": '<p><img alt="a" src="{}"></p>',
    "HTML with single quotes": "<img src='{}'/>",
    "HTML without quotes": "<img src={}>",
    "a source set": '<img srcset="{} 1x, b.png 2x">',
    "CSS": "a{{background:url({})}}",
    "CSS with quotes": "a{{background:url('{}') no-repeat}}",
    "JavaScript": "const icon = `{}`;\nx(icon)\n",
    "JavaScript in an object": "const a = {{icon: \"{}\", b: 1}};\n",
    "a log line": "2026-01-01 INFO body={} status=200\n",
    "a sentence": "The image is {}, and that is it.",
    "its own line": "first\n{}\nlast\n",
    "the whole text": "{}",
    "a CSV field": 'id,icon\n1,"{}"\n2,x\n',
}  # fmt: skip


@pytest.mark.parametrize("where", IN_TEXT)
def test_a_data_url_in_text(where: str) -> None:
    outcome = taken(IN_TEXT[where].format(URL))
    path = f"/s/downloads/assets/{outcome.assets[0].sha256[:16]}.png"
    assert outcome.text == IN_TEXT[where].format(f"[asset: {path} (image/png, {len(IMAGE)} B)]")
    assert (outcome.contents, outcome.assets[0].origin, outcome.assets[0].json_path) == ([IMAGE], "data-url", None)


@pytest.mark.parametrize("where", IN_TEXT)
def test_an_image_in_text_without_a_prefix(where: str) -> None:
    outcome = taken(IN_TEXT[where].format(b64(IMAGE)))
    assert outcome.contents == [IMAGE] and outcome.assets[0].origin == "base64"


def test_percent_encoded_characters_of_a_data_url() -> None:
    url = "data:image/png;base64," + spell(SLASHES, slash="%2F", plus="%2b", equals="%3D")
    assert taken(f"<a href='{url}'>").contents == [SLASHES]


def test_a_data_url_that_was_folded_as_a_whole() -> None:
    lines = [URL[at : at + 76] for at in range(0, len(URL), 76)]
    assert taken("x\n" + "\n".join(lines) + "\n\ny").contents == [IMAGE]


def test_lines_around_wrapped_data_are_kept() -> None:
    text = "attachment\n" + wrapped(IMAGE) + "\ndone\n"
    outcome = taken(text)
    assert (
        outcome.contents == [IMAGE]
        and outcome.text.startswith("attachment\n[asset")
        and outcome.text.endswith("\ndone\n")
    )


def test_images_one_a_line_are_not_one_run() -> None:
    images = [png(n, side=12) for n in range(4)]
    assert taken("\n".join(map(b64, images)) + "\n").contents == images


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_mail_with_attachments(line_end: str) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Report"
    mail.set_content("See the files.\n")
    rows = ("id,name\n" + "1,größer\n" * 60).encode()
    mail.add_attachment(IMAGE, maintype="image", subtype="png", filename="a.png")
    mail.add_attachment(rows, maintype="text", subtype="csv", filename="a.csv")
    mail.add_attachment(noise(900), maintype="application", subtype="x-thing", filename="a.bin")
    text = mail.as_bytes().replace(b"\n", line_end.encode())
    for document in (text, json.dumps({"raw": text.decode()}).encode()):
        outcome = taken(document)
        assert outcome.contents == [IMAGE, rows, noise(900)]
        assert [asset.extension for asset in outcome.assets] == ["png", "csv", "bin"]
        assert outcome.assets[2].declared_media_type == "application/x-thing"
        assert 'filename="a.csv"' in outcome.text.replace("\\", "") and "See the files." in outcome.text


def test_a_notebook() -> None:
    book = {
        "cells": [{"outputs": [{"data": {"image/png": wrapped(IMAGE) + "\n", "text/plain": ["<Figure>"]}}]}],
        "nbformat": 4,
    }
    outcome = taken(json.dumps(book, indent=1))
    assert outcome.contents == [IMAGE]
    assert outcome.assets[0].json_path == "$.cells[0].outputs[0].data['image/png']"
    assert json.loads(outcome.text)["cells"][0]["outputs"][0]["data"]["text/plain"] == ["<Figure>"]


def test_a_source_map_in_a_comment() -> None:
    source_map = json.dumps({"version": 3, "sources": ["a.ts"], "mappings": "AAAA;" * 90}).encode()
    outcome = taken("run();\n//# sourceMappingURL=data:application/json;charset=utf-8;base64," + b64(source_map))
    assert outcome.contents == [source_map] and outcome.assets[0].media_type == "application/json"


def test_json_lines_tell_the_place_in_their_document() -> None:
    lines = [{"n": 1}, {"n": 2, "a b": [0, {"image": b64(IMAGE)}]}]
    outcome = taken("\n".join(map(json.dumps, lines)) + "\n")
    assert (outcome.assets[0].json_path, outcome.assets[0].document) == ("$['a b'][1].image", 1)
    assert "assetRef" in json.loads(outcome.text.splitlines()[1])["a b"][1]["image"]


DECLARED = [
    ({"type": "image", "mimeType": "image/png"}, "data"),
    ({"type": "base64", "media_type": "image/png"}, "data"),
    ({"uri": "file:///a", "mimeType": "application/x-thing"}, "blob"),
    ({"encoding": "base64", "path": "a.dat"}, "content"),
    ({"isBase64Encoded": True, "statusCode": 200}, "body"),
    ({"base64Encoded": True}, "body"),
    ({"contentType": "application/x-thing"}, "content"),
    ({"created": 1}, "b64_json"),
    ({"revised": None}, "fileBase64"),
]


@pytest.mark.parametrize(("beside", "key"), DECLARED)
@pytest.mark.parametrize("data", [IMAGE, noise(400), b"plain text, many times\n" * 30], ids=["image", "noise", "text"])
@pytest.mark.parametrize("first", [True, False], ids=["data first", "data last"])
@pytest.mark.parametrize("nested", [True, False], ids=["nested", "plain"])
def test_a_declaration_beside_the_data(beside: dict, key: str, data: bytes, first: bool, nested: bool) -> None:
    members = (
        {key: b64(data), "meta": {"type": "text"}, **beside} if first else {**beside, "tags": ["a]"], key: b64(data)}
    )
    document = json.dumps([members])
    outcome = taken(json.dumps({"text": document}) if nested else document)
    assert outcome.contents == [data]
    value = json.loads(json.loads(outcome.text)["text"] if nested else outcome.text)[0]
    assert value.pop(key)["assetRef"]["size"] == len(data)
    members.pop(key)
    assert value == members


def test_the_type_follows_the_bytes() -> None:
    outcome = taken(json.dumps({"type": "image", "mimeType": "image/png", "data": b64(wav())}))
    assert (outcome.assets[0].media_type, outcome.assets[0].declared_media_type) == ("audio/wav", "image/png")
    assert json.loads(outcome.text)["data"]["assetRef"]["declaredMimeType"] == "image/png"


@pytest.mark.parametrize("name", ["audio/x-wav", "audio/wave", "AUDIO/WAV; rate=8000"])
def test_other_names_of_the_same_type_are_no_difference(name: str) -> None:
    assert taken(json.dumps({"mimeType": name, "data": b64(wav())})).assets[0].declared_media_type is None


def test_noise_that_nothing_declares() -> None:
    outcome = taken(json.dumps({"embedding": b64(noise(400))}))
    assert outcome.contents == [noise(400)] and outcome.assets[0].media_type == "application/octet-stream"
    assert taken("state:\n\n" + wrapped(noise(1000)) + "\n\nend").contents == [noise(1000)]


def test_an_image_encoded_twice_is_decoded_twice() -> None:
    twice = base64.b64encode(base64.b64encode(IMAGE))
    assert taken(json.dumps({"value": twice.decode()})).contents == [IMAGE]
    assert taken(json.dumps({"value": b64(URL.encode())})).contents == [IMAGE]


def test_every_place_of_a_content_is_replaced_and_it_is_stored_once() -> None:
    rows = [{"id": n, "thumb": URL if n % 2 else b64(IMAGE)} for n in range(40)]
    outcome = taken(json.dumps(rows))
    assert len(outcome.stored) == 1 and outcome.text.count("assetRef") == 40
    assert outcome.assets[0].json_path == "$[0].thumb"


def test_neighbors_in_one_object_and_one_array() -> None:
    inner = json.dumps(
        {"small": b64(png(2)), "list": [b64(png(3)), b64(png(4))], "mimeType": "image/png", "pdf": b64(pdf())}
    )
    outcome = taken(json.dumps({"text": inner}))
    assert outcome.contents == [png(2), png(3), png(4), pdf()]
    value = json.loads(json.loads(outcome.text)["text"])
    assert all("assetRef" in each for each in (value["small"], *value["list"], value["pdf"]))


def test_json_in_a_log_line_stays_json() -> None:
    line = json.dumps({"level": "info", "image": b64(IMAGE), "icons": [URL]})
    outcome = taken(f"2026-01-01 12:00 got {line} ok\n" * 3)
    value = json.loads(outcome.text.split("got ")[1].split(" ok")[0])
    assert "assetRef" in value["image"] and len(outcome.stored) == 1
