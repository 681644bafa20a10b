"""`lrguard run` beside the bare command: only what is large may differ."""

from __future__ import annotations

import errno
import json
import os
import pty
import re
import resource
import select
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import COMMAND, Program

SH = "/bin/sh"


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        pytest.param(["true"], b"", id="nothing"),
        pytest.param(["false"], b"", id="a status"),
        pytest.param(["sh", "-c", "exit 255"], b"", id="the largest status"),
        pytest.param(["sh", "-c", "kill -KILL $$"], b"", id="SIGKILL"),
        pytest.param(["sh", "-c", "printf partial; kill -TERM $$"], b"", id="SIGTERM in the middle of a line"),
        pytest.param(["sh", "-c", "echo out; echo err >&2; exit 3"], b"", id="both streams"),
        pytest.param(["sh", "-c", r"printf 'torn \346\227\r\n\033[31mred'"], b"", id="odd bytes"),
        pytest.param(["cat"], b"from standard input\n", id="standard input"),
        pytest.param(["sh", "-c", "read line; echo $line; cat"], b"one\ntwo\n", id="standard input by and by"),
        pytest.param(["pwd"], b"", id="directory"),
        pytest.param(["sh", "-c", "exec 1>&- 2>&-; sleep 0.2; exit 5"], b"", id="closes its output and goes on"),
        pytest.param(["sh", "-c", "umask; ulimit -n; ulimit -c"], b"", id="umask and limits"),
        pytest.param(["printf", "%s|", "--help", "-t", "", "--", "a b", "'"], b"", id="arguments of its own"),
        pytest.param(["sh", "-c", "cat <&3 3<&-", "3"], b"", id="a descriptor that it does not have"),
        pytest.param(
            ["sed", "-nE", r"s/^(Sig(Blk|Ign)).*(.{7})$/\1 \3/p", "/proc/self/status"],
            b"",
            id="signals ignored and blocked",
        ),
        pytest.param(["sort"], b"b\nA\na\n", id="locale"),
        pytest.param(["no-such-command"], b"", id="does not exist"),
        pytest.param(["./no/such/command"], b"", id="does not exist at that path"),
        pytest.param(["/etc/passwd"], b"", id="not executable"),
        pytest.param(["/"], b"", id="a directory"),
    ],
)
def test_what_is_small_is_as_if_it_ran_by_itself(lrguard: Program, words: list[str], stdin: bytes) -> None:
    env = lrguard.environ(LC_ALL="", LANG="C")
    shell = [SH, "-c", 'exec "$@"', "sh", *words]
    bare = subprocess.run(shell, input=stdin, capture_output=True, cwd=lrguard.home, env=env)
    ours = subprocess.run([*COMMAND, "run", "--", *words], input=stdin, capture_output=True, cwd=lrguard.home, env=env)
    if bare.returncode in (126, 127):
        assert ours.stderr.startswith(b"lrguard: cannot run ") and ours.stderr.count(b"\n") == 1
        assert (ours.returncode, ours.stdout) == (bare.returncode, b"")
    else:
        assert (ours.stdout, ours.stderr) == (bare.stdout, bare.stderr)
        assert ours.returncode == (bare.returncode if bare.returncode >= 0 else 128 - bare.returncode)
    assert lrguard.files() == []


def test_the_environment_is_the_callers_own_in_the_c_locale(lrguard: Program) -> None:
    env = {"PATH": os.environ["PATH"], "LANG": "C", "ODD": "a b=\udcff", "HOME": str(lrguard.home)}
    ours = subprocess.run([*COMMAND, "run", "--", "env"], capture_output=True, cwd=lrguard.home, env=env)
    assert set(ours.stdout.splitlines()) == {os.fsencode(f"{k}={v}") for k, v in env.items()}


def test_a_script_without_an_interpreter_is_run_by_the_shell(lrguard: Program) -> None:
    script = lrguard.home / "script"
    script.write_text("echo ran $1\n")
    script.chmod(0o755)
    assert lrguard("run", "--", "./script", "it").out == b"ran it\n"
    assert lrguard("run", "--", "script", "it", env={"PATH": f".:{os.environ['PATH']}"}).out == b"ran it\n"
    script.write_text("#!/no/such/interpreter\n")
    assert "interpreter" in lrguard("run", "--", "./script", status=126).err


@pytest.mark.parametrize("env", [{}, {"LRGUARD_NESTED": "1"}])
def test_an_empty_name_is_no_commands(lrguard: Program, env: dict[str, str]) -> None:
    assert lrguard("run", "--", "", env=env, status=127).err == "lrguard: cannot run a command: its name is empty\n"


def test_a_line_for_the_shell(lrguard: Program) -> None:
    run = lrguard("run", "--shell", "cat <<'END' | tr a b # comment\naaa\nEND\n(exit 4)", status=4)
    assert run.out == b"bbb\n"


@pytest.mark.parametrize(
    "arguments", [[], ["--"], ["--shell", "true", "--", "true"], ["--threshold", "x", "--", "true"]]
)
def test_bad_usage_runs_nothing(lrguard: Program, arguments: list[str]) -> None:
    assert lrguard("run", *arguments, status=2).err.count("\n") == 1


def test_each_stream_is_guarded_by_itself(lrguard: Program) -> None:
    run = lrguard("run", "-t", "300", "--", "sh", "-c", "seq 4000; echo small >&2")
    assert run.text.startswith("[lrguard] This tool result was replaced: the result of sh stdout has ")
    assert run.err == "small\n"
    run = lrguard("run", "-t", "300", "--", "sh", "-c", "seq 4000 >&2; echo small")
    assert run.out == b"small\n" and "the result of sh stderr has " in run.err
    saved = [path.name.split("_", 1)[1] for path in lrguard.files()]
    assert [path.split("_")[:2] for path in saved] == [["sh", "stdout"]]  # the same content is saved once
    both = lrguard("run", "-t", "300", "--tool", "Bash", "--shell", "seq 4001; seq 4002 >&2")
    assert "of Bash stdout has" in both.text and "of Bash stderr has" in both.err and len(lrguard.files()) == 3


def test_merged_streams_keep_their_order(lrguard: Program) -> None:
    line = "for i in 1 2 3; do echo out $i; echo err $i >&2; done; exit 1"
    run = lrguard("run", "--merge", "--shell", line, status=1)
    assert (run.out, run.err) == (b"out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n", "")
    large = lrguard("run", "--merge", "-t", "300", "--shell", "seq 2000; seq 2000 >&2")
    assert "the result of seq has " in large.text and lrguard.files()[0].read_text().count("\n") == 4000


def test_a_failure_is_said_and_shown_from_its_end(lrguard: Program) -> None:
    run = lrguard("run", "-t", "300", "--shell", "seq 4000; echo the very end; exit 7", status=7)
    assert "The command failed: exit status 7." in run.text
    assert 0 < run.text.index("the very end") < run.text.index("\n1\n2\n3\n")
    killed = lrguard("run", "-t", "300", "--shell", "seq 4000; kill -SEGV $$", status=139)
    assert "The command failed: signal 11 (SIGSEGV)." in killed.text
    binary = lrguard("run", "--shell", r"printf '\211PNG\r\n\032\n\000\000\000\015IHDR'; exit 2", status=2)
    assert "is binary data" in binary.text and "exit status 2" in binary.text


def test_json_has_one_object_a_stream(lrguard: Program) -> None:
    run = lrguard("run", "--json", "-t", "300", "--", "sh", "-c", "seq 4000; exit 9", status=9)
    out, err = (json.loads(line) for line in run.out.splitlines())
    assert (out["stream"], out["outcome"], out["exit_status"], out["is_error"]) == ("stdout", "offloaded", 9, True)
    assert (err["stream"], err["outcome"], err["content"], err["exit_status"]) == ("stderr", "passed", "", 9)
    merged = lrguard("run", "--json", "--merge", "--shell", "echo a; echo b >&2").json
    assert (merged["stream"], merged["content"], merged["is_error"]) == ("merged", "a\nb\n", False)


def test_an_mcp_result_is_one_and_says_that_it_is_an_error(lrguard: Program) -> None:
    run = lrguard("run", "--output", "mcp", "--shell", "echo out; echo err >&2; exit 3", status=3)
    assert run.json == {"content": [{"type": "text", "text": "out\nerr\n"}], "isError": True}
    assert "isError" not in lrguard("run", "--output", "mcp", "--shell", "echo out").json
    large = lrguard("run", "--output", "mcp", "-t", "300", "--shell", "seq 4000; exit 2", status=2).json
    assert large["isError"] is True and "exit status 2" in large["content"][0]["text"]


def test_what_cannot_be_saved_is_printed_on_its_own_stream(lrguard: Program) -> None:
    lrguard.session.write_text("in the way")
    run = lrguard("run", "-t", "300", "--", "sh", "-c", "seq 1000; seq 1001 >&2; exit 3", status=3)
    assert run.out == b"".join(b"%d\n" % n for n in range(1, 1001))
    assert "\n1001\n" in run.err and "lrguard: cannot save in" in run.err


def test_bad_surroundings_do_not_cost_the_command(lrguard: Program) -> None:
    run = lrguard("run", "--", "sh", "-c", "echo ran; exit 6", env={"LRGUARD_THRESHOLD": "many"}, status=6)
    assert run.out == b"ran\n" and "LRGUARD_THRESHOLD" in run.err
    nested = lrguard("run", "-t", "1", "--merge", "--shell", "seq 1000; echo e >&2", env={"LRGUARD_NESTED": "1"})
    assert nested.out.endswith(b"1000\ne\n") and nested.err == ""


def test_a_folder_that_is_gone_does_not_cost_the_command(lrguard: Program) -> None:
    env = lrguard.environ()
    del env["LRGUARD_SESSION"]
    line = 'mkdir gone; cd gone; rmdir ../gone; exec "$@" run -- sh -c "echo ran; exit 3"'
    package = str(Path(__file__).parents[2])
    words = [SH, "-c", line, "sh", *COMMAND]
    run = subprocess.run(words, capture_output=True, cwd=lrguard.home, env=env | {"PYTHONPATH": package})
    assert (run.returncode, run.stdout) == (3, b"ran\n"), run.stderr


def test_the_command_never_sees_a_closed_pipe(lrguard: Program) -> None:
    line = "exec 3>done; seq 300000; echo $? >&3"
    process = lrguard.start("run", "--shell", line)
    assert process.stdout and process.stderr
    process.stdout.close()
    assert process.wait(30) == 0
    assert (lrguard.home / "done").read_text() == "0\n"
    assert process.stderr.read() == b""


def test_a_closed_standard_output_is_said(lrguard: Program) -> None:
    words = [SH, "-c", '"$@" >&-', "sh", *COMMAND, "run", "--shell", "echo lost; echo err >&2; exit 4"]
    run = subprocess.run(words, capture_output=True, cwd=lrguard.home, env=lrguard.environ())
    assert run.returncode == 4
    assert run.stderr == b"lrguard: cannot write the result: standard output is closed\nerr\n"


@pytest.mark.parametrize(
    ("line", "late"),
    [
        ("echo early; sleep 9 &", b""),
        ("echo early; (sleep 0.3; echo late; sleep 9) &", b"late\n"),
        ("echo early; while :; do echo y; done &", b"y\ny\n"),
    ],
)
def test_a_grandchild_does_not_hold_it_for_more_than_a_second(lrguard: Program, line: str, late: bytes) -> None:
    start = time.monotonic()
    process = lrguard.start("run", "-t", "1000000000", "--shell", f"{line}\necho $! >pid; exit 2")
    try:
        out, err = process.communicate(timeout=20)
        took = time.monotonic() - start
        assert process.returncode == 2 and out.startswith(b"early\n" + late)
        assert b"left running" in err
        assert 1 < took < 4  # one second, and what starting a program and printing take
        # It lives on, although what it prints now goes nowhere.
        os.kill(int((lrguard.home / "pid").read_text()), 0)
    finally:
        os.kill(int((lrguard.home / "pid").read_text()), signal.SIGKILL)


def test_a_grandchild_that_prints_elsewhere_holds_nothing(lrguard: Program) -> None:
    run = lrguard("run", "--shell", "sleep 9 >/dev/null 2>&1 & echo done")
    assert (run.out, run.err) == (b"done\n", "")


def test_large_output_streams_through_bounded_memory(lrguard: Program) -> None:
    # A process of its own measures: what is started from here is counted with the memory of the tests at first.
    measure = "import resource, subprocess, sys; status = subprocess.run(sys.argv[1:]).returncode\n"
    measure += "print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)"
    command = [*COMMAND, "run", "--shell", "yes 'a line of a log' | head -c 200000000; exit 3"]
    run = subprocess.run(
        [sys.executable, "-c", measure, *command],
        capture_output=True,
        cwd=lrguard.home,
        env=lrguard.environ(),
        timeout=120,
    )
    status, peak = map(int, run.stderr.split())
    [saved] = lrguard.files()
    assert (status, saved.stat().st_size) == (3, 200_000_000)
    assert len(run.stdout) < 10_000
    assert peak < (100 << 10) * (1024 if sys.platform == "darwin" else 1)


def test_what_there_is_no_room_for_is_printed_as_it_came(lrguard: Program) -> None:
    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (5 << 20, 5 << 20))

    line = "yes 0123456 | head -c 8000000; echo err >&2; exit 3"
    run = lrguard("run", "--shell", line, status=3, preexec_fn=small)
    assert run.out == b"0123456\n" * 1_000_000
    assert run.err.count("\n") == 2 and "err\n" in run.err and "it was printed unchanged" in run.err


def test_a_configuration_that_is_off_guards_nothing(lrguard: Program) -> None:
    (lrguard.home / "lrguard.toml").write_text("[large_tool_response]\nenabled = false\n")
    assert lrguard("run", "-t", "10", "--shell", "seq 1000; exit 4", status=4).out.endswith(b"\n1000\n")
    (lrguard.home / "lrguard.toml").write_text(
        '[tools.seq]\nenabled = true\nindividual_tool_response_token_threshold = 9000\n[tools."*"]\nenabled = false\n'
    )
    assert lrguard("run", "--", "seq", "3000").out.endswith(b"\n3000\n")
    assert b"over the threshold of 9,000" in lrguard("run", "--", "seq", "9000").out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGQUIT])
def test_a_signal_is_passed_on_and_what_arrived_is_guarded(lrguard: Program, number: signal.Signals) -> None:
    line = "ulimit -c 0; seq 4000; echo ready >&2; exec sleep 20"
    process = lrguard.start("run", "-t", "300", "--shell", line, stderr=None)
    _wait_for_command(process)
    process.send_signal(number)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert b"incomplete" in out and f"signal {number}".encode() in out and b"4000" in out


def test_a_signal_that_the_command_survives_does_not_end_it(lrguard: Program) -> None:
    line = "trap 'echo caught; exit 8' TERM; echo ready >&2; while :; do sleep 0.1; done"
    process = lrguard.start("run", "--shell", line)
    _wait_for_command(process)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=20)
    assert (process.returncode, out) == (8, b"caught\n")


def test_a_status_is_not_lost_where_sigchld_is_ignored_and_blocked(lrguard: Program) -> None:
    def deaf() -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])

    assert lrguard("run", "--shell", "echo x; exit 3", status=3, preexec_fn=deaf).out == b"x\n"


def test_inherited_descriptors_are_passed_on(lrguard: Program) -> None:
    reader, writer = os.pipe()
    code = f"import os; os.write({writer}, b'through\\n')"
    lrguard("run", "--", sys.executable, "-c", code, pass_fds=[writer])
    os.close(writer)
    with open(reader) as file:
        assert file.read() == "through\n"


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, program: Program, *arguments: str) -> None:
        self.process, self._master = pty.fork()
        if not self.process:
            os.chdir(program.home)
            env = program.environ(PYTHONPATH=str(Path(__file__).parents[2]))
            os.execve(COMMAND[0], [*COMMAND, *arguments], env)
        self.shown = b""

    def until(self, text: bytes | None) -> bytes:
        """What is shown until `text` is, or until the end."""
        while text is None or text not in self.shown:
            assert select.select([self._master], [], [], 20)[0], self.shown
            try:
                chunk = os.read(self._master, 65536)
            except OSError as error:
                assert error.errno == errno.EIO
                chunk = b""
            if not chunk:
                assert text is None, self.shown
                break
            self.shown += chunk
        return self.shown

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def status(self) -> int:
        self.until(None)
        os.close(self._master)
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])


def test_the_commands_standard_input_is_the_terminal(lrguard: Program) -> None:
    terminal = Terminal(lrguard, "run", "--shell", "test -t 0 && test ! -t 1 && read x </dev/tty && echo got $x")
    time.sleep(0.2)
    terminal.press(b"line\n")
    assert b"got line" in terminal.until(None)
    assert terminal.status() == 0


def test_a_key_that_interrupts_reaches_the_command_once(lrguard: Program) -> None:
    line = "trap 'echo caught >>log' INT; echo go >/dev/tty; sleep 1; sleep 1; echo end; exit 3"
    terminal = Terminal(lrguard, "run", "--shell", line)
    terminal.until(b"go")
    terminal.press(b"\x03")
    assert b"end" in terminal.until(None)
    assert terminal.status() == 3
    assert (lrguard.home / "log").read_text() == "caught\n"


def test_progress_on_a_terminal_after_a_second(lrguard: Program) -> None:
    shown = Terminal(lrguard, "run", "--shell", "head -c 3000 /dev/zero | tr '\\0' x; sleep 1.5").until(None)
    line = re.search(rb"lrguard: 2.9 KB, [0-9.]+ K?B/s so far", shown)
    assert line
    assert line.start() < shown.index(b"x" * 3000)
    assert b"\r" + b" " * len(line[0]) + b"\r" in shown


def _wait_for_command(process: subprocess.Popen[bytes]) -> None:
    """Until the command that `process` wraps has begun and set itself up."""
    deadline = time.monotonic() + 10
    while process.poll() is None and time.monotonic() < deadline:
        found = subprocess.run(["ps", "-A", "-o", "ppid="], capture_output=True).stdout.split()
        if str(process.pid).encode() in found:
            time.sleep(0.3)
            return
        time.sleep(0.02)
    raise AssertionError(f"the command never ran: {process.communicate()}")


def test_what_is_saved_is_private(lrguard: Program) -> None:
    lrguard("run", "-t", "300", "--shell", "umask 0; seq 4000")
    assert {stat.S_IMODE(path.stat().st_mode) for path in lrguard.files()} == {0o600}
