"""What the instant path lets pass is what the whole filter would let pass, and it imports next to nothing."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lrguard.assets.link import link
from lrguard.instant import BINARY_BEGINNINGS, is_plain
from lrguard.intake.encoding import detect
from lrguard.intake.media_type import sniff
from lrguard.intake.source import BytesSource, Spool
from tests import inputs
from tests.conftest import Program

BEGINNINGS = (*BINARY_BEGINNINGS, b"%PDF-1.7\n", b"RIFF", b"II*", b"OggS", b"ID3", b"ustar", b"{\\rtf", b"<svg", b"#!")
PIECES = st.one_of(
    st.binary(max_size=40),
    st.text(max_size=40).map(str.encode),
    st.sampled_from([b"A" * 300, b"QUJD" * 80, b"0123abcd" * 40, b"data:image/png;base64,", b"\n", b"%PDF-", b'"']),
    st.binary(min_size=192, max_size=400).map(inputs.encoded).map(str.encode),
    st.binary(min_size=192, max_size=400)
    .map(lambda d: "\n".join(inputs.encoded(d)[i : i + 40] for i in range(0, 500, 40)))
    .map(str.encode),
)


@settings(max_examples=500, deadline=None)
@given(st.sampled_from((b"", *BEGINNINGS)), st.lists(PIECES, max_size=4))
def test_what_is_plain_is_text_without_assets(beginning: bytes, pieces: list[bytes]):
    data = beginning + b"".join(pieces)
    if is_plain(data):
        source = BytesSource(data)
        assert sniff(data, len(data)) is None and detect(source) == "utf-8"
        assert link(source, lambda asset, content: "/x", Spool(lambda: -1)) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"hello\n", "Grüße ✓\n".encode(), b"a path/of/some/length.py\n" * 50, b'{"a": [1, 2]}', b"x" * 200],
)
def test_ordinary_results_are_plain(data: bytes):
    assert is_plain(data)


@pytest.mark.parametrize(
    "data", [b"\0", b"\x1b[1m", b"\xff", b"%PDF-1.4", b"A" * 256, inputs.encoded(bytes(300)).encode()]
)
def test_what_asks_for_a_closer_look_is_not(data: bytes):
    assert not is_plain(data)


def test_the_instant_path_imports_nothing_but_what_it_needs(lrguard: Program):
    code = (
        "import sys; before = set(sys.modules); sys.argv = ['lrguard', '-s', '/x', '--tool', 'y']\n"
        "import lrguard.__main__ as entry, os\n"
        "os._exit = lambda status: sys.exit(' '.join(sorted(set(sys.modules) - before)))\n"
        "entry.main()"
    )
    environ = lrguard.environ(LRGUARD_SESSION="")
    run = subprocess.run(
        [sys.executable, "-c", code], input=b"small\n", capture_output=True, cwd=lrguard.home, env=environ
    )
    assert run.stdout == b"small\n"
    imported = set(run.stderr.decode().split())
    ours = {name for name in imported if name.startswith("lrguard")}
    assert ours == {
        "lrguard",
        "lrguard.__main__",
        "lrguard.instant",
        "lrguard.options",
        "lrguard.intake",
        "lrguard.intake.alphabet",
        "lrguard.configuration",
        "lrguard.configuration.discovery",
    }
    assert imported - ours <= {"select", "__future__", "_signal"}


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("-t", "3"), {}),
        (("--json",), {}),
        ((), {"LRGUARD_THRESHOLD": "3"}),
        (("--threshold=3",), {}),
        (("-n", "x", "--check"), {}),
    ],
)
def test_options_that_matter_are_left_to_the_filter(lrguard: Program, args: tuple[str, ...], env: dict[str, str]):
    run = lrguard(*args, stdin=b"four little words here, no more\n", env=env)
    assert run.status == 0 and (
        run.out.startswith(b"{") if args == ("--json",) else run.out in (b"", b"four little words here, no more\n")
    )


@pytest.mark.parametrize("args", [("-s",), ("--session",), ("-q", "-n"), ("--call-id",), ("-t",), ("--quiet=1",)])
def test_an_option_without_its_value_is_bad_usage_and_nothing_passes(lrguard: Program, args: tuple[str, ...]):
    run = lrguard(*args, stdin=b"small\n", status=2)
    assert run.out == b"" and run.err.count("\n") == 1


def _shrink(descriptor: int) -> None:
    """Make a pipe as small as it can be, where the system lets it (F_SETPIPE_SZ)."""
    if sys.platform == "linux":
        fcntl.fcntl(descriptor, 1031, 4096)


def test_an_output_that_takes_a_part_at_a_time_gets_all_of_it(lrguard: Program):
    read, write = os.pipe()
    os.set_blocking(write, False)
    _shrink(write)
    data = b"a line of text\n" * 2000
    process = lrguard.start("-t", "60000", stdout=write)
    os.close(write)
    assert process.stdin
    process.stdin.write(data)
    process.stdin.close()
    out = b""
    while piece := os.read(read, 1000):
        out += piece
    os.close(read)
    assert (process.wait(60), out) == (0, data)


def test_a_reader_that_leaves_in_the_middle_ends_it_quietly(lrguard: Program):
    read, write = os.pipe()
    _shrink(write)
    process = lrguard.start("-t", "60000", stdout=write)
    os.close(write)
    assert process.stdin and process.stderr
    process.stdin.write(b"a line of text\n" * 2000)
    process.stdin.close()
    os.read(read, 10)
    os.close(read)
    assert (process.wait(60), process.stderr.read()) == (141, b"")
