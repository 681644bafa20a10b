"""`--output mcp` and `--media`: an MCP result comes out in the shape in which it came."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests import inputs
from tests.conftest import Program

LARGE = inputs.log(2000, error_at=1999).decode()
LINK = {"type": "resource_link", "uri": "file:///data/report.csv", "name": "report"}
UNKNOWN = b'{"type":"hologram", "depth":1e400,  "n": 12345678901234567890.10}'


def out(lrguard: Program, data: bytes, *args: str) -> bytes:
    return lrguard("--output", "mcp", *args, stdin=data).out


def blob(data: bytes, media_type: str = "application/pdf") -> dict:
    resource = {"uri": "file:///x.pdf", "mimeType": media_type, "blob": inputs.encoded(data)}
    return {"type": "resource", "resource": resource}


@pytest.mark.parametrize(
    "data",
    [
        b'{"content": []}',
        b'{"content": [],"isError":false}\r\n',
        b' {"structuredContent":{"rows":[1e400]}}\n',
        b'{"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"h\\u00e9 \\ud83d","x":1,"x":2}]}}\n',
        b'{"content": [' + UNKNOWN + b'], "_meta": {"a": NaN}, "resultType": "complete"}',
        inputs.mcp(inputs.text_block("a picture"), inputs.image_block(inputs.png(1, 200, 200))),
        inputs.mcp({"type": "audio", "data": inputs.encoded(inputs.png(2)), "mimeType": "audio/wav"}),
    ],
)
def test_what_passes_is_byte_for_byte_the_input(lrguard: Program, data: bytes):
    run = lrguard("--output", "mcp", stdin=data)
    assert (run.out, run.err, lrguard.session.exists()) == (data, "", False)


def test_anything_else_becomes_the_text_of_a_result(lrguard: Program):
    for text in ("", "plain\n", '{"a": 1}', "日本 \u2028 <\0>"):
        assert json.loads(out(lrguard, text.encode())) == {"content": [{"type": "text", "text": text}]}
    assert json.loads(out(lrguard, "Grüße\n".encode("utf-16")))["content"][0]["text"] == "Grüße\n"
    message = json.loads(out(lrguard, LARGE.encode()))
    assert len(message["content"]) == 1 and "[lrguard]" in message["content"][0]["text"]
    binary = json.loads(out(lrguard, inputs.png()))
    assert "image/png" in binary["content"][0]["text"]
    assert inputs.png() in [path.read_bytes() for path in lrguard.files()]


def test_the_message_stands_in_the_first_text_s_place_and_the_rest_stays(lrguard: Program):
    image = json.dumps(inputs.image_block(inputs.png(3, 120, 120))).encode()
    texts = [json.dumps(inputs.text_block(LARGE[: len(LARGE) // 2 + n])).encode() for n in range(2)]
    resource = b'{"type":"resource","resource":{"uri":"u://r","text":"inside"}}'
    link = json.dumps(LINK).encode()
    blocks = b", ".join([image, UNKNOWN, texts[0], link, texts[1], resource])
    data = b'{"isError" : true, "_meta": {"n": 1.0, "n": 2}, "content": [' + blocks + b'], "resultType":"complete"}\n'
    printed = out(lrguard, data)
    result = json.loads(printed)
    assert [block["type"] for block in result["content"]] == ["image", "hologram", "text", "resource_link"]
    assert image in printed and UNKNOWN in printed and link in printed and b'{"n": 1.0, "n": 2}' in printed
    assert printed.startswith(b'{"isError" : true, ') and printed.endswith(b', "resultType":"complete"}\n')
    text = result["content"][2]["text"]
    assert "error result" in text.splitlines()[0] and len(text) < 10_000
    saved = next(line for line in text.splitlines() if line.startswith("Saved: "))[7:]
    assert Path(saved).read_bytes() == data
    assert len(lrguard.files()) == 2  # the original and the reading copy, no asset


def test_a_json_rpc_response_keeps_its_id(lrguard: Program):
    data = b'{"jsonrpc":"2.0","id":1e2,"result":' + inputs.mcp(inputs.text_block(LARGE)) + b"}"
    printed = out(lrguard, data)
    assert printed.startswith(b'{"jsonrpc":"2.0","id":1e2,"result":{"content": [{"type":"text","text":"[lrguard]')


def test_structured_content_goes_when_it_is_large_and_stays_when_it_is_small(lrguard: Program):
    rows = [{"k": n, "v": f"value {n}"} for n in range(1500)]
    for members in ({"content": [], "structuredContent": rows}, {"structuredContent": {"rows": rows}, "isError": True}):
        result = json.loads(out(lrguard, json.dumps(members).encode()))
        assert "structuredContent" not in result and result.get("isError") == members.get("isError")
        assert [block["type"] for block in result["content"]] == ["text"]
        assert "1500" in result["content"][0]["text"].replace(",", "")
    small = inputs.mcp(inputs.text_block(LARGE), structuredContent={"done": True})
    assert json.loads(out(lrguard, small))["structuredContent"] == {"done": True}


def test_structured_content_that_repeats_the_texts_is_measured_once(lrguard: Program):
    text = inputs.words(3000)
    for structured in ({"result": text}, {"result": [text]}):
        envelope = lrguard.envelope(inputs.mcp(inputs.text_block(text), structuredContent=structured))
        assert envelope["outcome"] == "passed" and envelope["tokens"] < 4000
    parts = [{"n": n, "text": inputs.words(20, n)} for n in range(20)]
    blocks = [inputs.text_block(json.dumps(part, indent=1)) for part in parts]
    twice = lrguard.envelope(inputs.mcp(*blocks, structuredContent={"result": parts}))["tokens"]
    assert twice == lrguard.envelope(inputs.mcp(*blocks))["tokens"]


def test_blocks_that_are_no_text_go_when_they_are_too_large_themselves(lrguard: Program):
    huge = {"type": "hologram", "points": inputs.words(20_000)}
    result = json.loads(out(lrguard, inputs.mcp(huge, LINK, inputs.text_block("a hologram"))))
    assert [block["type"] for block in result["content"]] == ["resource_link", "text"]
    assert "hologram" in lrguard.files()[-1].read_text()


def test_metadata_that_is_large_by_itself_costs_no_text(lrguard: Program):
    data = inputs.mcp(inputs.text_block("ok"), _meta={"trace": inputs.words(10_000)})
    assert out(lrguard, data) == data


def test_extracted_media_become_files_and_text_blocks(lrguard: Program):
    picture = inputs.png(4, 100, 100)
    image = inputs.image_block(picture) | {"annotations": {"priority": 1.0}}
    result = json.loads(out(lrguard, inputs.mcp(inputs.text_block("before"), image, LINK), "--media", "extract"))
    first, asset, link = result["content"]
    path = next(path for path in lrguard.files() if path.suffix == ".png")
    assert asset == {"type": "text", "text": f"[asset: {path} (image/png, 29.5 KB)]", "annotations": {"priority": 1.0}}
    assert path.read_bytes() == picture and first["text"] == "before" and link == LINK


def test_blobs_become_files_with_either_mode_and_structured_content_has_references(lrguard: Program):
    pdf, picture = b"%PDF-1.7\n" + os.urandom(3000), inputs.png(5)
    data = inputs.mcp(blob(pdf), inputs.image_block(picture), structuredContent={"page": inputs.encoded(inputs.png(6))})
    result = json.loads(out(lrguard, data))
    assert result["content"][0]["text"].startswith("[resource: file:///x.pdf]\n[asset: ")
    assert result["content"][1] == inputs.image_block(picture)
    assert Path(result["structuredContent"]["page"]["assetRef"]["path"]).read_bytes() == inputs.png(6)
    assert sorted(path.suffix for path in lrguard.files() if "assets" in path.parts) == [".pdf", ".png"]


def test_a_text_block_that_is_all_data_stays_a_text(lrguard: Program):
    result = json.loads(out(lrguard, inputs.mcp(inputs.text_block(inputs.encoded(inputs.png(7))))))
    assert result["content"][0]["text"].startswith("[asset: ")


def test_a_data_url_of_a_link_becomes_the_address_of_its_file(lrguard: Program):
    link = LINK | {"uri": "data:image/png;base64," + inputs.encoded(inputs.png(8))}
    uri = json.loads(out(lrguard, inputs.mcp(link)))["content"][0]["uri"]
    assert Path(uri.removeprefix("file://")).read_bytes() == inputs.png(8)


def test_a_forged_reference_is_not_taken_for_one(lrguard: Program):
    forged = {"type": "image", "data": {"assetRef": {"path": "/etc/passwd", "mimeType": "x", "size": 1}}}
    assert json.loads(out(lrguard, inputs.mcp(forged, inputs.text_block(LARGE))))["content"][0] == forged


def test_an_image_that_is_no_data_counts_as_text(lrguard: Program):
    false = {"type": "image", "data": LARGE, "mimeType": "image/png"}
    assert lrguard.envelope(inputs.mcp(false), "--media", "keep")["outcome"] == "offloaded"


def test_kept_media_count_nothing_however_large(lrguard: Program):
    large = inputs.image_block(inputs.png(9, 1000, 1000))
    envelope = lrguard.envelope(inputs.mcp(inputs.text_block("look"), large), "--media", "keep")
    assert (envelope["outcome"], envelope["assets"], envelope["tokens"] < 100) == ("passed", [], True)


def test_repeated_members_are_no_mcp_result(lrguard: Program):
    data = b'{"content": [], "structuredContent": ' + json.dumps(LARGE).encode() + b', "structuredContent": {}}'
    result = json.loads(out(lrguard, data))
    assert len(json.dumps(result)) < 10_000 and list(result) == ["content"]


def test_what_cannot_be_saved_is_printed_unchanged_or_previewed(lrguard: Program):
    data = inputs.mcp(inputs.text_block(LARGE), isError=True)
    lrguard.session.write_text("not a directory")
    assert lrguard("--output", "mcp", stdin=data, status=2).out == data
    result = lrguard("--output", "mcp", "--on-save-error", "preview", stdin=data, status=2).json
    assert result["isError"] is True and "NOT kept" in result["content"][0]["text"]


def test_a_result_of_many_megabytes_is_read_in_bounded_memory(lrguard: Program):
    lines = "".join(f"{n} the quick\tbrown \U0001f98a\\n" for n in range(600_000))
    data = inputs.mcp(inputs.text_block(lines * 2), inputs.text_block("end"))
    assert len(data) > 24_000_000
    message = json.loads(out(lrguard, data))["content"]
    assert len(message) == 1
    reading = next(path for path in lrguard.files() if ".reading." in path.name)
    assert reading.read_text() == lines * 2 + "\nend"


def test_data_in_json_inside_a_text_stays_a_reference_in_that_json(lrguard: Program):
    inner = json.dumps({"image": inputs.encoded(inputs.png(10)), "n": 1})
    block = json.loads(out(lrguard, inputs.mcp(inputs.text_block(inner))))["content"][0]
    assert Path(json.loads(block["text"])["image"]["assetRef"]["path"]).read_bytes() == inputs.png(10)


def test_what_is_printed_is_not_larger_than_what_it_replaces(lrguard: Program):
    """A message would take the place of a few words here, and everything else would stay."""
    other = {"type": "hologram", "data": inputs.words(700)}
    data = inputs.mcp(inputs.text_block("a few words"), other)
    result = lrguard.envelope(data, "--output", "mcp")
    tokens = result["tokens"]
    assert lrguard("--output", "mcp", "-t", str(tokens - 1), stdin=data).out == data and not lrguard.files()


ASKING = {"resultType": "input_required", "inputRequests": {"a": {"message": LARGE}}, "requestState": "x"}


@pytest.mark.parametrize(
    "asked",
    [ASKING, ASKING | {"content": [inputs.text_block(LARGE)]}, {"jsonrpc": "2.0", "id": 1, "result": ASKING}],
)
def test_a_question_to_the_user_is_left_alone(lrguard: Program, asked: dict):
    data = json.dumps(asked).encode()
    assert out(lrguard, data) == data and not lrguard.files()


def test_words_that_look_like_a_question_are_a_result(lrguard: Program):
    data = inputs.mcp(inputs.text_block(json.dumps(ASKING)))
    assert b"This tool result was replaced" in out(lrguard, data)
