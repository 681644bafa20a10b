"""What real programs print and real files hold, from end to end."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import inputs
from tests.conftest import Program

REPOSITORY = Path(__file__).resolve().parents[2]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def printed_by(*command: str) -> bytes:
    if not shutil.which(command[0]):
        pytest.skip(f"no {command[0]} here")
    return subprocess.run(command, capture_output=True, cwd=REPOSITORY, check=False).stdout


def offloaded(lrguard: Program, data: bytes, *args: str) -> dict:
    envelope = lrguard.envelope(data, *args)
    assert envelope["outcome"] == "offloaded"
    assert Path(envelope["saved"]).read_bytes() == data
    assert envelope["saved"] in envelope["content"]
    assert envelope["content_tokens"] <= 1500 and len(envelope["content"].encode()) < 10_000
    assert lrguard(*args, stdin=data).text == envelope["content"]
    return envelope


def test_a_manual_page_is_offloaded_with_its_head_and_tail(lrguard: Program):
    data = printed_by("man", "bash")
    if len(data) < 40_000:
        pytest.skip("no manual of bash here")
    envelope = offloaded(lrguard, data)
    assert envelope["media_type"] == "text/plain"
    assert "BASH(1)" in envelope["content"]


def test_pip_list_as_json_passes_when_small_and_is_offloaded_when_not(lrguard: Program):
    data = printed_by(sys.executable, "-m", "pip", "list", "--format", "json")
    assert lrguard(stdin=data, env={"LRGUARD_THRESHOLD": "100000"}).out == data
    envelope = offloaded(lrguard, data * 1, "-t", "300", "--preview-chars", "100")
    assert envelope["media_type"] == "application/json"


def test_a_log_of_patches_is_offloaded(lrguard: Program):
    data = printed_by("git", "log", "-p", "-3")
    if len(data) < 60_000:
        data = b"".join(path.read_bytes() for path in sorted((REPOSITORY / "lrguard").rglob("*.py")))
    envelope = offloaded(lrguard, data)
    assert envelope["encoding"] == "utf-8"


def test_a_recursive_listing_is_offloaded(lrguard: Program):
    data = printed_by("ls", "-lR", str(Path(sys.executable).parents[1]))
    envelope = offloaded(lrguard, data)
    assert envelope["assets"] == []


def test_a_picture_is_saved_with_its_type(lrguard: Program):
    data = inputs.png()
    envelope = lrguard.envelope(data)
    assert (envelope["outcome"], envelope["media_type"]) == ("binary", "image/png")
    assert envelope["saved"].endswith(".png") and Path(envelope["saved"]).read_bytes() == data
    assert envelope["saved"] in lrguard(stdin=data).text


def test_a_wheel_is_saved_whole(lrguard: Program):
    data = inputs.wheel()
    envelope = lrguard.envelope(data)
    assert envelope["outcome"] == "binary" and Path(envelope["saved"]).read_bytes() == data
    assert envelope["saved"].endswith((".whl", ".zip"))


def test_the_plots_of_a_notebook_become_files(lrguard: Program):
    plots = [inputs.png(1), inputs.png(2)]
    envelope = lrguard.envelope(inputs.notebook(*plots))
    assert envelope["outcome"] == "extracted"
    assert {asset["sha256"] for asset in envelope["assets"]} == {sha256(plot) for plot in plots}
    book = json.loads(envelope["content"])
    reference = book["cells"][1]["outputs"][1]["data"]["image/png"]["assetRef"]
    assert Path(reference["path"]).read_bytes() == plots[1]
    assert book["cells"][0]["outputs"][0]["text"] == ["mean=1.25\n"]


def test_the_pictures_of_a_page_become_files(lrguard: Program):
    picture = inputs.png(3)
    data = inputs.page(picture, picture)
    envelope = lrguard.envelope(data)
    assert envelope["outcome"] == "extracted" and len(envelope["assets"]) == 1
    path = envelope["assets"][0]["path"]
    reference = f"[asset: {path} (image/png, "
    assert envelope["content"].count(f'src="{reference}') == 2
    assert Path(envelope["saved"]).read_bytes() == data


def test_an_mcp_result_with_text_and_picture_is_measured_by_its_text(lrguard: Program):
    picture = inputs.png(4, 200, 200)
    small = inputs.mcp(inputs.text_block("a picture of the totals"), inputs.image_block(picture))
    envelope = lrguard.envelope(small)
    assert envelope["outcome"] == "extracted" and envelope["tokens"] < 200
    large = inputs.mcp(inputs.text_block(inputs.log(2000).decode()), inputs.image_block(picture))
    envelope = offloaded(lrguard, large)
    assert [asset["media_type"] for asset in envelope["assets"]] == ["image/png"]
    reading = Path(envelope["reading_copy"]).read_text()
    assert "handled request 1999 in" in reading and reading.count("\n") >= 2000
