"""`lrguard mcp` between a client and servers that do as they like: what it touches, what it leaves, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests import inputs
from tests.conftest import Program

LARGE = inputs.log(2000).decode()


def request(id: object, method: str = "tools/call", **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).encode() + b"\n"


def response(id: object, result: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result}, ensure_ascii=False).encode() + b"\n"


def text_result(text: str, **members: object) -> dict[str, object]:
    return {"content": [inputs.text_block(text)], **members}


def through(
    program: Program, asked: bytes, answers: bytes, *options: str, ends: str = "", status: int = 0
) -> list[bytes]:
    """The lines that come to the client of a server which reads all that is `asked` and then prints `answers`."""
    file = program.home / "answers"
    file.write_bytes(answers)
    server = ["sh", "-c", f'cat > asked; cat "$0"; {ends}', str(file)]
    printed = program("mcp", *options, "--", *server, stdin=asked, status=status).out
    assert (program.home / "asked").read_bytes() == asked
    return printed.splitlines(keepends=True)


def first_text(line: bytes) -> str:
    return json.loads(line)["result"]["content"][0]["text"]


def is_message(line: bytes) -> bool:
    return line.endswith(b"\n") and "[lrguard] This tool result was replaced" in first_text(line)


NOISE = [
    b"",
    b"\n\n  \n",
    b"starting up...\n",
    b"\xff\xfe\0\x1b[31m no text\r\n",
    b'{"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": "\\ud83d"}}\n',
    b'{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n',
    b'{"id": 1, "result": \n{"cut": [\n',
    b'[{"jsonrpc":"2.0","id":7,"method":"ping"},1,[],"x"]\n',
    b"[" * 5000 + b"\n",
    b'{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}\n',
    b'{"id":"no end of line"}',
    b'{"long": "' + b"x" * 5_000_000 + b'"}\n',
]


@pytest.mark.parametrize("noise", NOISE, ids=range(len(NOISE)))
def test_what_is_no_tool_result_passes_both_ways_byte_for_byte(lrguard: Program, noise: bytes):
    assert b"".join(through(lrguard, noise, noise)) == noise
    assert b"".join(through(lrguard, request(1, name="t"), noise)) == noise


def test_a_result_nobody_asked_for_passes_and_so_does_one_that_was_not_a_tool_s(lrguard: Program):
    answers = response(1, text_result(LARGE)) + response(2, text_result(LARGE))
    assert b"".join(through(lrguard, request(2, "resources/read", uri="u"), answers)) == answers


def test_ids_tell_strings_from_numbers_and_answers_may_come_in_any_order(lrguard: Program):
    asked = request(1, name="a") + request("1", name="b") + request(2, name="c")
    answers = [response(2, text_result(LARGE)), response("1", text_result("small")), response(1, text_result(LARGE))]
    got = {json.dumps(json.loads(line)["id"]): line for line in through(lrguard, asked, b"".join(answers))}
    assert is_message(got["1"]) and "result of a " in first_text(got["1"])
    assert is_message(got["2"]) and "result of c " in first_text(got["2"])
    assert got['"1"'] == answers[1]


def test_the_second_answer_to_a_call_is_none(lrguard: Program):
    twice = response(1, text_result(LARGE)) * 2
    lines = through(lrguard, request(1, name="t"), twice)
    assert sorted(map(is_message, lines)) == [False, True] and response(1, text_result(LARGE)) in lines


def test_a_call_that_was_taken_back_is_forgotten(lrguard: Program):
    cancelled = b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\n'
    answer = response(1, text_result(LARGE))
    assert b"".join(through(lrguard, request(1, name="t") + cancelled, answer)) == answer


def test_what_is_not_for_the_model_is_left_alone(lrguard: Program):
    asked = b"".join(request(n, name="t") for n in range(3))
    question = {"resultType": "input_required", "content": [], "requestState": LARGE, "inputRequests": {}}
    answers = response(0, question) + response(1, {"task": {"taskId": "x", "note": LARGE}}) + response(2, {"x": LARGE})
    assert b"".join(through(lrguard, asked, answers)) == answers


def test_the_result_of_a_task_is_that_of_its_tool(lrguard: Program):
    """The request for it comes once the task is known, so this client and this server take turns."""
    handle = response(1, {"task": {"taskId": "t-1", "status": "working"}})
    (lrguard.home / "handle").write_bytes(handle)
    (lrguard.home / "final").write_bytes(response(2, text_result(LARGE, isError=True)))
    process = lrguard.start("mcp", "--", "sh", "-c", "read a; cat handle; read b; cat final; cat")
    assert process.stdin and process.stdout
    process.stdin.write(request(1, name="crawl", task={}))
    process.stdin.flush()
    assert process.stdout.readline() == handle
    out, _ = process.communicate(request(2, "tasks/result", taskId="t-1"), timeout=30)
    assert is_message(out) and "the error result of crawl" in first_text(out) and json.loads(out)["result"]["isError"]


def test_the_results_in_a_batch_are_guarded(lrguard: Program):
    asked = b"[" + request(1, name="a").strip() + b"," + request(2, name="b").strip() + b"]\n"
    small = response(2, text_result("ok")).strip()
    lines = through(lrguard, asked, b"[" + response(1, text_result(LARGE)).strip() + b" , " + small + b"]\n")
    assert len(lines) == 1 and lines[0].endswith(b" , " + small + b"]\n")
    assert "[lrguard]" in json.loads(lines[0])[0]["result"]["content"][0]["text"]


def test_everything_around_what_changes_keeps_its_lexemes(lrguard: Program):
    answer = (
        b'{ "id" : 1.0 ,"jsonrpc":"2.0", "x":1e999, "result":{"n":1e999,"content":[{"type":"text","text":"%s"}],'
        % (b"word " * 20_000)
    )
    (line,) = through(lrguard, request(1, name="t"), answer + b'"_meta":{"n":2.50}} , "y" : [ ] }\r\n')
    before, _, after = line.partition(b'[{"type":"text"')
    assert before == b'{ "id" : 1.0 ,"jsonrpc":"2.0", "x":1e999, "result":{"n":1e999,"content":'
    assert after.endswith(b'}],"_meta":{"n":2.50}} , "y" : [ ] }\r\n')


def test_results_of_other_shapes_become_valid_ones(lrguard: Program):
    asked = request(1, name="t") + request(2, name="t")
    odd = {"content": [{"no": "type", "text": LARGE}], "isError": True, "resultType": "complete"}
    lines = through(lrguard, asked, response(1, odd) + response(2, {"toolResult": {"rows": [LARGE] * 2}}))
    results = {message["id"]: message["result"] for message in map(json.loads, lines)}
    assert results[1]["isError"] and results[1]["resultType"] == "complete"
    assert all("[lrguard]" in result["content"][0]["text"] for result in results.values())


def test_output_schemas_go_and_listings_stay_as_they_are_otherwise(lrguard: Program):
    declared = b'{"name":"a","outputSchema":{"type":"object"}},{"outputSchema" : {},"name":"b"}'
    tools = b'{"tools":[' + declared + b',{"name":"c"}],"n":1.0}'
    answers = [b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (n, tools) for n in range(2)]
    asked = request(0, "tools/list") + request(1, "tools/list", cursor="p2")
    plain = b'{"tools":[{"name":"a"},{"name":"b"},{"name":"c"}],"n":1.0}'
    lines = through(lrguard, asked, b"".join(answers))
    assert lines == [b'{"jsonrpc":"2.0","id":%d,"result":%s}\n' % (n, plain) for n in range(2)]
    assert through(lrguard, asked, b"".join(answers), "--keep-output-schema") == answers
    first, second = through(lrguard, asked, b"".join(answers), "--tools")
    assert [tool["name"] for tool in json.loads(first)["result"]["tools"]][3:] == [
        "lrguard_peek",
        "lrguard_schema",
        "lrguard_grep",
    ]
    assert second == lines[1]


def test_a_line_of_fifty_megabytes_is_guarded_and_one_of_noise_passes(lrguard: Program):
    text = "the quick brown fox, \\n" * 2_300_000
    answer = b'{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"%s"}]}}\n' % text.encode()
    noise = b"# " + b"noise " * 8_000_000 + b"\n"
    assert len(answer) > 50_000_000
    lines = through(lrguard, request(1, name="t"), noise + answer)
    assert lines[0] == noise and is_message(lines[1]) and len(lines[1]) < 12_000
    reading = next(path for path in lrguard.files() if ".reading." in path.name)
    assert reading.stat().st_size == len(text.replace("\\n", "\n"))


def test_a_server_that_dies_in_the_middle_of_a_message_ends_it_with_its_status(lrguard: Program):
    cut = response(1, text_result("small")) + response(2, text_result(LARGE))[:-40]
    asked = request(1, name="t") + request(2, name="t")
    assert b"".join(through(lrguard, asked, cut, ends="exit 3", status=3)) == cut
    assert b"".join(through(lrguard, asked, b"", ends="kill -9 $$", status=137)) == b""


def test_a_server_that_cannot_be_started_is_told_as_a_shell_does(lrguard: Program):
    assert "no-such-server" in lrguard("mcp", "--", "no-such-server", status=127).err
    (lrguard.home / "file").write_text("")
    lrguard("mcp", "--", "./file", status=126)
    lrguard("mcp", status=2)


def test_what_cannot_be_saved_is_shown_in_part(lrguard: Program):
    lrguard.session.write_text("not a directory")
    (line,) = through(lrguard, request(1, name="t"), response(1, text_result(LARGE, isError=True)))
    assert "NOT kept" in first_text(line) and json.loads(line)["result"]["isError"] is True
    answer = response(1, text_result(LARGE))
    assert through(lrguard, request(1, name="t"), answer, "--on-save-error", "pass") == [answer]


def test_a_summarizer_s_own_servers_are_not_guarded(lrguard: Program):
    answer = response(1, text_result(LARGE))
    (lrguard.home / "answers").write_bytes(answer)
    run = lrguard("mcp", "--", "cat", "answers", env={"LRGUARD_NESTED": "1"})
    assert run.out == answer


def test_a_process_left_running_does_not_hold_it(lrguard: Program):
    began = time.monotonic()
    assert lrguard("mcp", "--", "sh", "-c", "echo hello; sleep 20 2>&- & exit 4", status=4).out == b"hello\n"
    assert time.monotonic() - began < 10


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_the_server_too(lrguard: Program, number: int):
    process = lrguard.start("mcp", "--", "sh", "-c", 'echo $$; trap "" HUP INT; while :; do sleep 0.1; done')
    assert process.stdout
    server = int(process.stdout.readline())
    process.send_signal(number)
    assert process.wait(10) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(server, 0)


def test_a_server_that_does_not_end_with_its_input_is_ended(lrguard: Program):
    server = [sys.executable, "-c", "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"]
    code = (
        "import sys; from lrguard.harness import mcp_proxy; mcp_proxy.GRACE = mcp_proxy.TERMINATED_GRACE = 0.3\n"
        f"sys.argv = ['lrguard', 'mcp', '--', *{server!r}]; from lrguard.__main__ import main; main()"
    )
    began = time.monotonic()
    done = subprocess.run([sys.executable, "-c", code], stdin=subprocess.DEVNULL, env=lrguard.environ(), timeout=30)
    assert done.returncode == 137 and time.monotonic() - began < 10


def test_messages_come_as_they_are_sent_and_not_when_more_follows(lrguard: Program):
    process = lrguard.start("mcp", "--", "cat")
    assert process.stdin and process.stdout
    for number in range(20):
        line = request(number, "ping")
        process.stdin.write(line)
        process.stdin.flush()
        assert process.stdout.readline() == line
    process.stdin.close()
    assert process.wait(10) == 0


def test_a_large_result_does_not_hold_up_what_comes_after_it(lrguard: Program):
    huge = response(1, text_result(LARGE * 40))
    asked = request(1, name="t") + request(2, name="t")
    lines = through(lrguard, asked, huge + response(2, text_result("ok")))
    assert lines[0] == response(2, text_result("ok")) and is_message(lines[1])


def test_nothing_is_left_open_after_many_results(lrguard: Program):
    picture = inputs.encoded(inputs.png(1))
    answers = b"".join(response(n, text_result(f"{n} {LARGE} {picture}")) for n in range(40))
    asked = b"".join(request(n, name="t") for n in range(40))
    file = Path(lrguard.home / "answers")
    file.write_bytes(answers)
    count = "; cat; ls /proc/$PPID/fd | wc -l"
    if not os.path.exists("/proc/self/fd"):
        pytest.skip("no /proc here")
    process = lrguard.start(
        "mcp", "--", "sh", "-c", f"for i in $(seq 40); do read x; done; cat answers; read x {count}"
    )
    assert process.stdin and process.stdout
    process.stdin.write(asked)
    process.stdin.flush()
    got: list[Any] = [process.stdout.readline() for _ in range(40)]
    time.sleep(0.3)
    out, _ = process.communicate(b"go on\n", timeout=30)
    assert all(map(is_message, got)) and int(out) < 20


def test_a_summary_takes_the_preview_s_place_and_holds_up_no_one(lrguard: Program):
    asked = request(1, name="t") + request(2, name="t")
    answers = response(1, text_result(LARGE)) + response(2, text_result("ok"))
    command = "cat > /dev/null; sleep 0.5; echo All requests were handled."
    lines = through(lrguard, asked, answers, "--summarize", command)
    assert lines[0] == response(2, text_result("ok"))
    assert "All requests were handled." in first_text(lines[1]) and "handled request 7 in" not in first_text(lines[1])


def test_a_signal_does_not_wait_for_a_summary(lrguard: Program):
    (lrguard.home / "answer").write_bytes(response(1, text_result(LARGE)))
    command = "cat > /dev/null; sleep 30"
    process = lrguard.start("mcp", "--summarize", command, "--", "sh", "-c", "read a; cat answer; cat")
    assert process.stdin
    process.stdin.write(request(1, name="t"))
    process.stdin.flush()
    time.sleep(1.5)
    process.send_signal(signal.SIGTERM)
    began = time.monotonic()
    out, _ = process.communicate(timeout=20)
    assert time.monotonic() - began < 6 and is_message(out)


def test_a_message_that_breaks_off_comes_after_the_results_before_it(lrguard: Program):
    torn = b'{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"te'
    asked = request(1, name="t") + request(2, name="t")
    lines = through(lrguard, asked, response(1, text_result(LARGE * 10)) + torn, ends="exit 3", status=3)
    assert is_message(lines[0]) and lines[1:] == [torn]
