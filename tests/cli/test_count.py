"""`lrguard count`: tokens of texts, in the form of `wc`."""

from __future__ import annotations

import json

import pytest

from tests import inputs
from tests.conftest import Program


def test_standard_input_is_one_number(lrguard: Program):
    assert lrguard("count", stdin=b"hello world").text == "2\n"
    assert lrguard("count", stdin=b"").text == "0\n"


def test_files_are_named_and_several_have_a_total(lrguard: Program):
    (lrguard.home / "a").write_bytes(b"hello world")
    (lrguard.home / "b").write_bytes(b"hello " * 100)
    assert lrguard("count", "a").text == "2 a\n"
    first, second, total = lrguard("count", "a", "b").text.splitlines()
    assert (first.split(), second.split()[1], total.split()[1]) == (["2", "a"], "b", "total")
    assert int(total.split()[0]) == 2 + int(second.split()[0])


def test_encodings_count_differently_and_an_estimate_says_so(lrguard: Program):
    data = "日本語のテキストです。".encode() * 40
    exact = {name: lrguard("count", "--encoding", name, stdin=data).text for name in ("o200k_base", "cl100k_base")}
    assert int(exact["o200k_base"]) < int(exact["cl100k_base"])
    assert lrguard("count", "--encoding", "estimate", stdin=data).text.startswith("~")


def test_json_has_one_object_a_file(lrguard: Program):
    (lrguard.home / "a").write_bytes(b"hello world")
    (row,) = map(json.loads, lrguard("count", "--json", "a").text.splitlines())
    assert row == {"file": "a", "tokens": 2, "exact": True, "encoding": "o200k_base"}


def test_legacy_encodings_are_decoded_and_binary_data_is_refused(lrguard: Program):
    text = "Grüße aus der Küche\n" * 20
    assert lrguard("count", stdin=text.encode("utf-16")).text == lrguard("count", stdin=text.encode()).text
    run = lrguard("count", stdin=inputs.png(), status=2)
    assert run.out == b"" and "binary" in run.err


@pytest.mark.parametrize("name", ["missing", "."])
def test_what_cannot_be_read_is_named_and_the_rest_is_counted(lrguard: Program, name: str):
    (lrguard.home / "a").write_bytes(b"hello world")
    run = lrguard("count", name, "a", status=2)
    assert "2 a\n" in run.text and run.err.startswith("lrguard: cannot read")
