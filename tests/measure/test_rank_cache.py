"""The cache folder: whatever lies in it or happens to it, counts stay exact and nothing outside it is touched."""

import os
import shutil
import stat
import subprocess
import sys

import pytest

from lrguard.measure import rank_table, vocabulary
from lrguard.measure.tokens import Counter

NAME = "cl100k_base"
TEXT = "Whatever lies in the cache: 12345, naïve, 天地玄黄, unbelievableness."


@pytest.fixture(scope="module")
def table_bytes(cache):
    with open(os.path.join(cache, f"{NAME}.ranks"), "rb") as file:
        return file.read()


@pytest.fixture(scope="module")
def tokens(references):
    return len(references[NAME].encode_ordinary(TEXT))


@pytest.fixture
def folder(tmp_path):
    return str(tmp_path / "a" / "lrguard")


@pytest.fixture
def no_child(monkeypatch, cache):
    """The table is "made" by copying a good one, so that a test need not wait for toktok."""

    def copy(encoding, folder):
        with open(os.path.join(cache, f"{encoding}.ranks"), "rb") as file:
            vocabulary._publish(os.path.join(folder, f"{encoding}.ranks"), file.read())

    monkeypatch.setattr(vocabulary, "_keep_elsewhere", copy)


def put(folder, data):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, f"{NAME}.ranks")
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(data)
    return path


def test_a_good_table_is_read_and_not_written_again(cache, monkeypatch, tokens):
    monkeypatch.setattr(vocabulary, "_fill", pytest.fail)
    monkeypatch.setattr(vocabulary, "_load", pytest.fail)
    assert Counter(NAME, cache).text(TEXT) == tokens


def test_the_first_count_fills_a_missing_folder_for_this_user_alone(cache):
    assert stat.S_IMODE(os.stat(cache).st_mode) == 0o700
    assert sorted(os.listdir(cache)) == ["cl100k_base.ranks", "o200k_base.ranks"]
    for name in os.listdir(cache):
        assert stat.S_IMODE(os.stat(os.path.join(cache, name)).st_mode) == 0o600


def spoilt(data):
    return {
        "empty": b"",
        "cut short": data[:-1],
        "longer": data + b"\0",
        "one bit": data[:5000] + bytes([data[5000] ^ 1]) + data[5001:],
        "zeros": bytes(len(data)),
        "another version": data.replace(b"ranks-1", b"ranks-0", 1),
        "text": b"hello\n" * 1000,
    }


@pytest.mark.parametrize("kind", spoilt(bytes(6000)))
def test_a_spoilt_table_is_not_used_but_replaced(kind, folder, table_bytes, no_child, tokens):
    path = put(folder, spoilt(table_bytes)[kind])
    assert rank_table.read(path, NAME, vocabulary.VOCABULARIES[NAME][0]) is None
    assert Counter(NAME, folder).text(TEXT) == tokens
    with open(path, "rb") as file:
        assert file.read() == table_bytes


def test_the_table_of_another_encoding_is_not_used(cache):
    path = os.path.join(cache, "o200k_base.ranks")
    assert rank_table.read(path, NAME, vocabulary.VOCABULARIES[NAME][0]) is None


def test_a_table_that_others_may_write_to_is_replaced(folder, table_bytes, no_child, tokens):
    path = put(folder, table_bytes)
    os.chmod(path, 0o666)
    assert Counter(NAME, folder).text(TEXT) == tokens
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_a_planted_link_is_neither_read_nor_written_through(folder, tmp_path, table_bytes, no_child, tokens):
    path = put(folder, b"")
    target = tmp_path / "target"
    target.write_bytes(table_bytes)
    os.unlink(path)
    os.symlink(target, path)
    assert rank_table.read(path, NAME, vocabulary.VOCABULARIES[NAME][0]) is None
    target.write_bytes(b"mine")
    assert Counter(NAME, folder).text(TEXT) == tokens
    assert target.read_bytes() == b"mine"
    assert not os.path.islink(path)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_file_at_the_tables_place_delays_nothing(make, folder, no_child, tokens):
    os.makedirs(folder)
    make(os.path.join(folder, f"{NAME}.ranks"))
    assert Counter(NAME, folder).text(TEXT) == tokens


@pytest.mark.parametrize("place", ["file", "file/below", "nul\0", "/proc/nowhere", "/dev/null", ""])
def test_where_nothing_can_be_kept_toktok_counts(place, tmp_path, tokens):
    (tmp_path / "file").write_text("")
    folder = place if place.startswith("/") or not place else str(tmp_path / place)
    assert vocabulary.ranks(NAME, folder) is None
    assert (tmp_path / "file").read_text() == ""


def test_a_full_disk_leaves_no_remains_and_toktok_counts(folder, monkeypatch, tokens):
    def fails(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(vocabulary.os, "fsync", fails)
    monkeypatch.setattr(vocabulary, "_keep_elsewhere", vocabulary.keep)
    assert Counter(NAME, folder).text(TEXT) == tokens
    assert os.listdir(folder) == []


def test_what_a_writer_that_died_left_is_removed(folder, no_child, tokens):
    os.makedirs(folder)
    for name in (f"{NAME}.ranks.1.tmp", "o200k_base.ranks.1.tmp", "other"):
        with open(os.path.join(folder, name), "wb"):
            pass
    assert Counter(NAME, folder).text(TEXT) == tokens
    assert sorted(os.listdir(folder)) == [f"{NAME}.ranks", "o200k_base.ranks.1.tmp", "other"]


def test_many_processes_fill_one_folder(folder, tokens):
    program = f"from lrguard.measure.tokens import Counter; print(Counter({NAME!r}, {folder!r}).text({TEXT!r}))"
    running = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert [int(process.communicate()[0]) for process in running] == [tokens] * 4
    assert os.listdir(folder) == [f"{NAME}.ranks"]


def test_nothing_is_imported_from_the_working_directory(folder, tmp_path):
    for name in ("toktok.py", "zlib.py", "hashlib.py", "lrguard.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    program = f"from lrguard.measure.tokens import Counter; Counter({NAME!r}, {folder!r}).text('a b')"
    subprocess.run([sys.executable, "-P", "-c", program], cwd=tmp_path, check=True)
    assert not (tmp_path / "ran").exists()
    assert os.listdir(folder) == [f"{NAME}.ranks"]


def test_a_vocabulary_with_another_hash_is_not_used(folder, monkeypatch):
    monkeypatch.setitem(vocabulary.VOCABULARIES, NAME, (vocabulary.VOCABULARIES[NAME][0], "0" * 44))
    monkeypatch.setattr(vocabulary, "_keep_elsewhere", vocabulary.keep)
    counter = Counter(NAME, folder)
    assert counter.text(TEXT) > 0
    assert not counter.has_vocabulary
    assert os.listdir(folder) == []


def test_without_toktok_a_kept_table_still_counts_exactly(cache, folder, monkeypatch, tokens):
    monkeypatch.setitem(sys.modules, "toktok._toktok", None)
    os.makedirs(folder)
    shutil.copy(os.path.join(cache, f"{NAME}.ranks"), folder)
    assert Counter(NAME, folder).text(TEXT) == tokens
    assert Counter(NAME, folder).text("^" * 50_000) == 12_500


def test_every_token_has_its_rank_and_nothing_else_has_one(cache, references):
    table = vocabulary.ranks(NAME, cache)
    known = references[NAME]._mergeable_ranks
    assert all(table.rank(token) == rank for token, rank in known.items())
    others = [token + b"\x00q" for token in list(known)[:20_000]] + [b"", b"\xff" * 200]
    assert {table.rank(token) for token in others if token not in known} == {-1}
