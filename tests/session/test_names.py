from __future__ import annotations

import pytest

from lrguard.session import names
from tests.session.support import NOON, sha

ID = sha(b"")[:8]


@pytest.mark.parametrize(
    ("tool", "part"),
    [
        ("search", "search"),
        ("mcp__srv__tool", "mcp__srv__tool"),
        ("read-file_2.v1", "read-file_2.v1"),
        ("../../outside", "_.._outside"),
        ("/etc/cron.d/x", "_etc_cron.d_x"),
        ("a/b\\c", "a_b_c"),
        ("..", ""),
        ("", ""),
        (None, ""),
        ("-rf", "-rf"),
        ("nul\0byte", "nul_byte"),
        ("new\nline", "new_line"),
        ("sp ace;rm -rf $(x) `y`", "sp_ace_rm_-rf___x___y_"),
        ("\u202egpj.exe", "_gpj.exe"),
        ("été", "_t_"),
        ("\udcff", "_"),
        ("x" * 5000, "x" * 60),
        ("." * 5000 + "x", ""),
    ],
)
def test_tool_is_written_in_letters_that_every_file_system_has(tool: str | None, part: str) -> None:
    assert names.tool_part(tool) == part


def test_response_is_named_after_time_tool_and_id() -> None:
    assert names.response_stem(NOON, "search", ID) == f"2026-07-03T12-00-00Z_search_{ID}"
    assert names.response_stem(NOON, None, ID) == f"2026-07-03T12-00-00Z_{ID}"


@pytest.mark.parametrize("extension", ["", "a.b", "../x", "x/y", "x" * 17, "é", "txt\n"])
def test_extension_that_no_file_may_have_becomes_bin(extension: str) -> None:
    assert names.extension_part(extension) == "bin"


def test_longest_name_fits_a_directory() -> None:
    name = names.response_stem(NOON, "x" * 99, "f" * 64) + ".reading." + names.extension_part("x" * 16)
    assert len(name) <= 255
    assert names.parse_response(name) == names.ResponseName("f" * 64, is_reading_copy=True)


@pytest.mark.parametrize(
    "file",
    [
        f"long_responses/{ID}.txt",
        f"long_responses/notes_{ID}.txt",
        f"../long_responses/2026-07-03T12-00-00Z_{ID}.txt",
        f"long_responses/../x/2026-07-03T12-00-00Z_{ID}.txt",
        f"/long_responses/2026-07-03T12-00-00Z_{ID}.txt",
        f"2026-07-03T12-00-00Z_{ID}.txt",
        f"long_responses/2026-07-03T12-00-00Z_{ID}.txt\n",
        f"long_responses/2026-07-03T12-00-00Z_{ID}.reading.txt",
        "long_responses/2026-07-03T12-00-00Z_00000000.txt",
        "",
    ],
)
def test_file_that_lrguard_would_not_have_written_is_none(file: str) -> None:
    assert not names.is_response_file(file, ID, reading=False)


def test_file_of_a_response_is_recognised() -> None:
    assert names.is_response_file(f"downloads/2026-07-03T12-00-00Z_a_b_{ID}.png", ID, reading=False)
    assert names.is_response_file(f"long_responses/2026-07-03T12-00-00Z_{ID}.reading.md", ID, reading=True)


def test_name_of_an_asset_must_be_that_of_its_content() -> None:
    digest = sha(b"x")
    assert names.is_asset_file(f"downloads/assets/{digest[:16]}.png", digest)
    for file in ("downloads/assets/x.png", f"downloads/assets/{sha(b'y')[:16]}.png", f"assets/{digest[:16]}.png"):
        assert not names.is_asset_file(file, digest)
