"""The commands that look back, as a person or an agent calls them one after the other."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from tests import inputs
from tests.conftest import COMMAND, Program

NEXT = re.compile(r"the next part: lrguard (.+)")


def pages(lrguard: Program, *command: str, most: int = 30) -> list[str]:
    """What a command prints, and then each command that it says shows the next part."""
    run = lrguard(*command)
    printed = [run.text]
    while (on := NEXT.search(run.err)) and len(printed) < most:
        line = subprocess.run(["sh", "-c", f"printf '%s\\0' {on[1]}"], capture_output=True, check=True).stdout
        run = lrguard(*line.decode().split("\0")[:-1])
        printed.append(run.text)
    return printed


@pytest.mark.parametrize(
    "options",
    [
        ["-w", "foo|fo"],
        ["-i", "--window", "30", "foo"],
        ["-v", "[02468] f"],
        ["-o", "-e", "foo", "-e", "it's"],
        ["-F", "-B", "1", "d F"],
        ["-m", "700", "fo"],
    ],
)
def test_the_pages_of_a_search_have_every_match_once(lrguard: Program, options: list[str]):
    (lrguard.home / "text").write_text("\n".join(f"{n} foo food Foo it's" for n in range(900)))
    whole = lrguard("grep", *options, "--max-tokens", "0", "./text").text
    printed = pages(lrguard, "grep", *options, "./text")
    assert len(printed) > 1
    hit = re.compile(r"(?m)^\d+:.*")
    assert hit.findall("".join(printed)) == hit.findall(whole)


def test_the_pages_of_several_values_have_every_value_once(lrguard: Program):
    (lrguard.home / "list.json").write_text(json.dumps([{"n": n, "text": inputs.words(20, n)} for n in range(200)]))
    printed = pages(lrguard, "peek", "--path", "$[*]", "./list.json")
    rows = [line for page in printed for line in page.splitlines() if line.endswith("}")]
    assert len(printed) > 1 and [json.loads(row)["n"] for row in rows] == list(range(200))
    past = lrguard("peek", "--path", "$[*]", "--skip", "200", "./list.json", status=1)
    assert past.err == "lrguard: there are 200 values at $[*]\n"


def test_a_value_that_is_more_than_a_page_says_how_to_get_past_it(lrguard: Program):
    (lrguard.home / "list.json").write_text(json.dumps(["x " * 9000, "z"]))
    run = lrguard("peek", "--path", "$[*]", "./list.json")
    assert "--skip 1 shows the values behind it" in run.err and "--bytes 1:18003" in run.err
    assert lrguard("peek", "--path", "$[*]", "--skip", "1", "./list.json").text == '"z"\n'


def test_a_match_is_shown_however_many_lines_of_context_are_asked_for(lrguard: Program):
    (lrguard.home / "numbers").write_text("".join(f"{n}\n" for n in range(1, 20_001)))
    for options in (["-B", "999999999999"], ["-A", "5000"], ["-C", "3000"]):
        run = lrguard("grep", *options, "^7777$", "./numbers")
        assert "7777:1:7777\n" in run.text and "of context left out]" in run.text
        assert lrguard("--check", "-t", "2000", stdin=run.out).status == 0
    assert "7776-7776\n7777:1:7777\n7778-7778\n" in lrguard("grep", "-C", "1", "^7777$", "./numbers").text


def test_all_is_searched_although_some_of_it_is_no_text(lrguard: Program):
    lrguard("-n", "a", stdin=inputs.log(900, error_at=5))
    lrguard("-n", "b", stdin=inputs.png())
    run = lrguard("grep", "--all", "ERROR")
    assert run.text.startswith(":".join((run.text.split(":")[0], "5:"))) and "image/png" in run.err
    assert lrguard("grep", "--all", "--tool", "zz", "ERROR", status=1).err == "lrguard: no match for ERROR in nothing\n"
    assert "5:" in lrguard("grep", "--tool", "a", "ERROR").text


def test_lines_without_a_match_are_shown_without_their_carriage_return(lrguard: Program):
    (lrguard.home / "text").write_bytes(b"a\r\nb\r\n")
    assert lrguard("grep", "-v", "a", "./text").text == "2:1:b\n"


def test_a_response_of_another_session_is_named_so_that_it_is_found_again(lrguard: Program):
    lrguard("-s", str(lrguard.home / "other"), stdin=inputs.log(2000))
    (saved,) = (lrguard.home / "other" / "long_responses").iterdir()
    printed = pages(lrguard, "peek", "--lines", "1:", str(saved), most=2)
    assert len(printed) == 2 and " handled request " in printed[1]


def test_a_range_of_raw_bytes_that_lies_outside_says_what_there_is(lrguard: Program):
    (lrguard.home / "text").write_bytes(b"12345\n")
    run = lrguard("peek", "--raw", "--bytes", "6:9", "./text", status=1)
    assert (run.out, run.err) == (b"", "lrguard: there are 6 bytes, from 0\n")


@pytest.mark.parametrize("command", [["peek", "-"], ["grep", "x", "-"], ["schema", "-"], ["count"], ["-t", "9"], []])
def test_closed_standard_input_is_an_error(lrguard: Program, command: list[str]):
    line = ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, *command]
    done = subprocess.run(line, capture_output=True, env=lrguard.environ(), cwd=lrguard.home, timeout=60)
    assert (done.returncode, done.stdout) == (2, b"") and b"closed" in done.stderr


def test_more_files_are_counted_than_may_be_open(lrguard: Program):
    names = [f"./f{number}" for number in range(80)]
    for name in names:
        (lrguard.home / name).write_text("one\n")
    line = ["sh", "-c", 'ulimit -n 60; exec "$@"', "sh", *COMMAND, "count", *names]
    done = subprocess.run(line, capture_output=True, env=lrguard.environ(), cwd=lrguard.home, timeout=60)
    assert done.stdout.endswith(b"160 total\n"), done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full here")
def test_help_on_a_full_disk_is_one_line(lrguard: Program):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([*COMMAND, "-h"], stdout=full, stderr=subprocess.PIPE, env=lrguard.environ(), timeout=60)
    assert (done.returncode, done.stderr.count(b"\n"), b"internal" in done.stderr) == (2, 1, False)


def test_the_overview_of_a_file_with_pictures_passes_when_guarded(lrguard: Program):
    (lrguard.home / "page.html").write_bytes(inputs.page(inputs.png(1), inputs.png(2)))
    (lrguard.home / "small.html").write_bytes(inputs.page(inputs.png(3, 12, 12)))
    for name in ("./page.html", "./small.html"):
        shown = lrguard("peek", name)
        assert lrguard("-t", "2000", stdin=shown.out).out == shown.out
    assert re.search(r'src="\[\d+ characters of base64\]">', lrguard("peek", "./small.html").text)


def test_the_next_part_of_standard_input_is_read_from_there_again(lrguard: Program):
    run = lrguard("peek", "-", stdin=inputs.log(2000))
    assert re.search(r"the next part: lrguard peek --lines \d+:\d+ .*-\n", run.err)


@pytest.mark.parametrize("text", ["日志第一行错误\n" * 3000, "\x01\x02" * 9000, '\\"' * 9000, inputs.words(5000)])
@pytest.mark.parametrize("options", [[], ["--lines", "1:"], ["--max-tokens", "90"]])
def test_a_part_as_json_is_one_object_within_the_bound(lrguard: Program, text: str, options: list[str]):
    (lrguard.home / "text").write_text(text)
    run = lrguard("peek", "--json", *options, "./text")
    bound = 90 if "90" in options else 2000
    assert run.json["text"] and int(lrguard("count", stdin=run.out).text.split()[0]) <= bound


def test_an_edited_reading_copy_is_told_and_the_original_read(lrguard: Program):
    saved = lrguard.envelope(inputs.orders())
    with open(saved["reading_copy"], "a") as copy:
        copy.write("forged\n")
    run = lrguard("peek", "--path", "$.orders[3995].customer.name", saved["id"])
    assert run.text == '"Customer 395"\n'
    assert "was changed since it was saved" in run.err and "the original is read instead" in run.err
    assert "forged" not in lrguard("peek", "--tail", "5", saved["id"]).text
