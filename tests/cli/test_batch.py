"""Results that came back together: order, shapes, budgets, and what becomes of bad entries."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from tests import inputs
from tests.conftest import Program


def lines(*entries: object) -> bytes:
    return "".join(json.dumps(entry) + "\n" for entry in entries).encode()


def rows(lrguard: Program, data: bytes, *args: str, status: int = 0) -> list[dict[str, Any]]:
    run = lrguard("batch", *args, stdin=data, status=status)
    return [json.loads(line) for line in run.text.splitlines()]


def test_small_results_come_back_as_they_were(lrguard: Program):
    entries = [
        {"id": 1, "tool": "a", "content": "one"},
        {"id": "x", "content": [inputs.text_block("two")], "extra": {"k": [1]}},
    ]
    for data in (lines(*entries), json.dumps(entries, indent=2).encode()):
        answers = rows(lrguard, data)
        assert [answer.pop("lrguard")["outcome"] for answer in answers] == ["passed", "passed"]
        assert answers == entries
    assert not lrguard.files()


def test_lexemes_of_unknown_keys_are_kept(lrguard: Program):
    data = b'{"id": 12345678901234567890, "cost": 1.50e+02, "note": "\\u00e9\\/", "content": "x"}\n'
    out = lrguard("batch", stdin=data).out
    assert out.startswith(
        b'{"id": 12345678901234567890, "cost": 1.50e+02, "note": "\\u00e9\\/", "content": "x", "lrguard": {'
    )


def test_what_is_over_its_own_threshold_is_offloaded_whatever_the_sum(lrguard: Program):
    text = inputs.log(2000).decode()
    (answer,) = rows(lrguard, lines({"id": "a", "tool": "sh", "content": text}), "--total-threshold", "1000000")
    assert answer["lrguard"]["outcome"] == "offloaded" and answer["lrguard"]["saved"] in answer["content"]
    assert Path(answer["lrguard"]["saved"]).read_text() == text


def test_the_largest_go_first_and_of_equals_the_earlier(lrguard: Program):
    entries = [{"id": n, "content": inputs.words(size, n)} for n, size in enumerate((900, 2000, 2000, 400))]
    answers = rows(lrguard, lines(*entries), "--total-threshold", "4500", "--preview-chars", "100")
    assert [answer["lrguard"]["outcome"] for answer in answers] == ["passed", "offloaded", "passed", "passed"]
    assert "4,500 in all" in answers[1]["content"]


def test_each_shape_comes_out_as_it_came_in(lrguard: Program):
    text = inputs.log(2000).decode()
    blocks = [inputs.text_block(text), {"type": "resource_link", "uri": "file:///x", "name": "x"}]
    entries = [
        {"id": "s", "content": text},
        {"id": "a", "content": blocks},
        {"id": "r", "content": {"content": blocks, "isError": True, "_meta": {"k": 1}}},
    ]
    string, array, result = rows(lrguard, lines(*entries))
    assert isinstance(string["content"], str)
    assert [block["type"] for block in array["content"]] == ["text", "resource_link"] and array["content"][1] == blocks[
        1
    ]
    assert result["content"]["isError"] is True and result["content"]["_meta"] == {"k": 1}
    assert result["lrguard"]["is_error"] is True and array["lrguard"]["is_error"] is False
    for answer in (array, result):
        assert Path(answer["lrguard"]["reading_copy"]).read_text().startswith(text[:1000])


def test_pictures_in_blocks_become_files(lrguard: Program):
    picture = inputs.png(7)
    (answer,) = rows(lrguard, lines({"id": 1, "content": [inputs.text_block("see"), inputs.image_block(picture)]}))
    (asset,) = answer["lrguard"]["assets"]
    assert Path(asset["path"]).read_bytes() == picture
    assert [block["type"] for block in answer["content"]] == ["text", "text"] and asset["path"] in answer["content"][1][
        "text"
    ]


def test_files_and_paths_are_results(lrguard: Program):
    (lrguard.home / "log.txt").write_bytes(inputs.log(2000))
    (lrguard.home / "small.txt").write_bytes(b"small\n")
    (lrguard.home / "picture.png").write_bytes(inputs.png())
    answers = rows(lrguard, b"", "log.txt", "small.txt", "picture.png")
    assert [answer["lrguard"]["outcome"] for answer in answers] == ["offloaded", "passed", "binary"]
    assert [answer["path"] for answer in answers] == ["log.txt", "small.txt", "picture.png"]
    assert answers[1]["content"] == "small\n"
    (answer,) = rows(lrguard, lines({"id": 5, "path": "small.txt", "is_error": True}))
    assert (answer["id"], answer["content"], answer["lrguard"]["is_error"]) == (5, "small\n", True)


def test_entries_can_come_from_a_file(lrguard: Program):
    (lrguard.home / "results.json").write_bytes(json.dumps([{"id": 1, "content": "x"}]).encode())
    assert [answer["id"] for answer in rows(lrguard, b"", "--from", "results.json")] == [1]


@pytest.mark.parametrize(
    ("entry", "id", "why"),
    [
        ('{"id": 7}', 7, "content or path"),
        ('{"id": 7, "content": "x", "path": "y"}', 7, "content or path"),
        ('{"id": 7, "content": 5}', 7, "no string"),
        ('{"id": 7, "content": null}', 7, "no string"),
        ('{"id": 7, "content": "a", "content": "b"}', 7, "twice"),
        ('{"id": 7, "tool": 1, "content": "a"}', 7, "tool"),
        ('{"id": 7, "path": "missing.txt"}', 7, "missing.txt"),
        ('{"id": 7, "path": "a\\u0000b"}', 7, "path"),
        ('"text"', None, "no JSON object"),
        ("not json", None, "no JSON object"),
        ('{"id": 7, "content": "cut', None, "no JSON object"),
    ],
)
def test_a_bad_entry_is_an_error_in_its_place(lrguard: Program, entry: str, id: object, why: str):
    data = b'{"id": 1, "content": "a"}\n' + entry.encode() + b'\n{"id": 2, "content": "b"}\n'
    first, bad, last = rows(lrguard, data, status=2)
    assert (first["content"], last["content"]) == ("a", "b")
    assert bad["id"] == id and why in bad["error"] and "content" not in bad


@pytest.mark.parametrize("data", [b"", b"\n\n", b"[]", b" [ ] \n"])
def test_a_batch_of_nothing_is_nothing(lrguard: Program, data: bytes):
    assert lrguard("batch", stdin=data).out == b""


def test_a_broken_array_is_one_error(lrguard: Program):
    run = lrguard("batch", stdin=b'[{"id": 1, "content": "x"},', status=2)
    assert run.out == b"" and run.err.startswith("lrguard: cannot read the batch") and run.err.count("\n") == 1


def test_a_result_that_cannot_be_saved_stays_and_is_told(lrguard: Program, tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    text = inputs.log(2000).decode()
    data = lines({"id": 1, "content": text}, {"id": 2, "content": "small"})
    large, small = rows(lrguard, data, "-s", str(tmp_path / "file"), status=2)
    assert large["content"] == text and large["lrguard"]["saved"] is None and small["content"] == "small"


def test_a_coprocess_answers_each_line_as_it_comes(lrguard: Program):
    process = lrguard.start("batch", "--each")
    assert process.stdin and process.stdout
    for number in range(3):
        process.stdin.write(lines({"id": number, "content": f"result {number}"}))
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == number
    process.stdin.close()
    assert process.wait(60) == 0


def test_random_batches_keep_order_lose_nothing_and_fit(lrguard: Program):
    choose = random.Random(11)
    for total in (300, 2000, 6000, 40_000):
        texts = [inputs.words(choose.choice((1, 20, 300, 1500, 4000, 9000)), seed) for seed in range(25)]
        data = lines(*({"id": n, "content": text} for n, text in enumerate(texts)))
        answers = rows(lrguard, data, "--total-threshold", str(total))
        assert [answer["id"] for answer in answers] == list(range(25))
        printed = 0
        smallest = True
        for text, answer in zip(texts, answers, strict=True):
            told = answer["lrguard"]
            printed += told["content_tokens"]
            if told["outcome"] == "passed":
                assert answer["content"] == text
                smallest = smallest and told["tokens"] <= 150
            else:
                assert Path(told["saved"]).read_text() == text
                smallest = smallest and answer["content"].count("\n") == 1
        assert printed <= total or smallest


def test_what_stays_beside_a_message_counts_and_goes_when_there_is_no_room_for_it(lrguard: Program):
    blocks = [inputs.text_block(inputs.words(400)), {"type": "hologram", "data": inputs.words(1500, 1)}]
    entries = [{"id": n, "content": [*blocks, inputs.text_block(f"result {n}")]} for n in range(20)]
    entries += [{"id": n, "content": {"content": blocks, "structuredContent": {"n": n}}} for n in range(20, 30)]
    answers = rows(lrguard, lines(*entries), "--total-threshold", "3000")
    assert sum(answer["lrguard"]["content_tokens"] for answer in answers) <= 3000
    for entry, answer in zip(entries, answers, strict=True):
        content = answer["content"] if isinstance(answer["content"], list) else answer["content"]["content"]
        assert [block["type"] for block in content] == ["text"]
        assert json.loads(Path(answer["lrguard"]["saved"]).read_text()) == entry["content"]


def test_a_question_to_the_user_is_no_result_and_stays(lrguard: Program):
    asked = {"resultType": "input_required", "inputRequests": {"a": {"message": inputs.words(9000)}}}
    (answer,) = rows(lrguard, lines({"id": 1, "content": asked}))
    assert answer["content"] == asked and answer["lrguard"]["outcome"] == "passed" and not lrguard.files()


@pytest.mark.parametrize("each", [(), ("--each",)])
@pytest.mark.parametrize(
    ("env", "status"),
    [({"LRGUARD_NESTED": "1"}, 0), ({"LRGUARD_THRESHOLD": "many"}, 2), ({"LRGUARD_CONFIG": "/no/such/file"}, 2)],
)
def test_bad_surroundings_cost_no_result(lrguard: Program, each: tuple[str, ...], env: dict[str, str], status: int):
    entries = [{"id": n, "content": inputs.words(7000, n)} for n in range(2)]
    run = lrguard("batch", *each, stdin=lines(*entries), env=env, status=status)
    assert [json.loads(line)["content"] for line in run.text.splitlines()] == [entry["content"] for entry in entries]
    assert run.err.count("\n") == (1 if status else 0) and not lrguard.files()


@pytest.mark.parametrize("words", [("--from", "a", "b"), ("--each", "a"), ("--each", "--from", "a")])
def test_one_place_to_read_from(lrguard: Program, words: tuple[str, ...]):
    run = lrguard("batch", *words, status=2)
    assert run.out == b"" and run.err == "lrguard: FILE, --from and --each exclude each other; give one of them\n"


def test_a_dash_is_standard_input_but_not_in_an_entry(lrguard: Program):
    (lrguard.home / "b").write_bytes(b"second")
    answers = rows(lrguard, b"first\n", "-", "b")
    assert [(answer["path"], answer["content"]) for answer in answers] == [("-", "first\n"), ("b", "second")]
    (answer,) = rows(lrguard, lines({"id": 1, "path": "-"}), status=2)
    assert "No such file" in answer["error"]


def test_a_coprocess_reads_lines_of_any_length(lrguard: Program):
    data = (
        b"\n"
        + lines({"id": 1, "content": "word " * 2_000_000}, {"id": 2, "content": "x"})
        + b'{"id": 3, "content": ""}'
    )
    assert [answer["id"] for answer in rows(lrguard, data, "--each")] == [1, 2, 3]


def test_standard_error_says_why_the_status_is_2(lrguard: Program):
    run = lrguard("batch", stdin=lines({"id": 1, "content": "x"}, {"id": 2}), status=2)
    assert run.err == "lrguard: 1 of 2 entries could not be guarded; an error stands in the place of each\n"


def test_a_mistake_of_ours_costs_no_result(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]):
    from lrguard.cli import batch
    from lrguard.harness.entries import read_entry
    from lrguard.place import place_for

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(batch, "guard_all", fail)
    whole, bad = b'{"id": 1, "content": "a", "n": 1.50}', b'{"id": 2}'
    with place_for(batch.PASSING) as place, pytest.raises(ZeroDivisionError):
        batch._guarded([read_entry(whole), read_entry(bad)], None, None, place)
    first, second = capfdbinary.readouterr().out.splitlines()
    assert first == whole and json.loads(second)["id"] == 2


def test_objects_over_several_lines_are_entries_too(lrguard: Program):
    entries = [{"id": 1, "content": "a\n}\nb"}, {"id": 2, "content": "c", "more": {"k": [1]}}]
    data = "".join(json.dumps(entry, indent=2) + "\n" for entry in entries).encode()
    assert [(row["id"], row["content"]) for row in rows(lrguard, data)] == [(1, "a\n}\nb"), (2, "c")]
    first, bad = rows(lrguard, data[: data.rindex(b'"c"')], status=2)
    assert first["id"] == 1 and "no JSON object" in bad["error"]
