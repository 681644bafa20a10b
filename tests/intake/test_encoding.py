"""Which bytes are text, in which encoding, and that they come back from UTF-8 as they were."""

from __future__ import annotations

import random
import tempfile
import zlib
from pathlib import Path

import pytest

from lrguard.intake.encoding import byte_order_mark, detect, from_utf8, round_trips, to_utf8
from lrguard.intake.source import BytesSource, Spool
from lrguard.intake.utf8_scan import Utf8Scan, scan

SENTENCES = {
    "french": ("Le système n'a pas pu démarrer : échec de la connexion à la base.\n", ["cp1252", "cp850"]),
    "german": (
        "Größe der Datei überschritten, bitte prüfen Sie die Einstellungen für Übertragung.\n",
        ["cp1252", "cp850"],
    ),
    "icelandic": ("Það er ekki hægt að opna skrána því hún er ekki til á þessum stað.\n", ["cp1252"]),
    "signs": ("Volume 12 m³ at 21 °C, ± 3 µm, it’s “quoted” – §5 costs €3…\n", ["cp1252"]),
    "polish": ("Błąd połączenia z serwerem: nie można otworzyć pliku źródłowego.\n", ["cp1250"]),
    "czech": ("Příliš žluťoučký kůň úpěl ďábelské ódy, chyba připojení k databázi.\n", ["cp1250"]),
    "turkish": ("Sunucuya bağlanılamadı: dosya bulunamadı. İşlem başarısız.\n", ["cp1254"]),
    "russian": (
        "Ошибка подключения к серверу: файл не найден, проверьте настройки сети.\n",
        ["cp1251", "koi8_r", "cp866", "utf-16-le", "utf-16-be"],
    ),
    "russian log": ("12:00:00 ERROR [main] Server: Не удается найти указанный файл (code=2)\n", ["cp1251", "koi8_r"]),
    "greek": ("Σφάλμα σύνδεσης με τον διακομιστή: το αρχείο δεν βρέθηκε.\n", ["cp1253", "utf-16-le"]),
    "hebrew": ("שגיאה בהתחברות לשרת: הקובץ לא נמצא\n", ["cp1255", "utf-16-be"]),
    "arabic": ("خطأ في الاتصال بالخادم: الملف غير موجود\n", ["cp1256", "utf-16-le"]),
    "thai": ("การเชื่อมต่อกับเซิร์ฟเวอร์ล้มเหลว: ไม่พบไฟล์ error 404\n", ["cp874"]),
    "chinese": ("连接服务器失败：找不到文件，请检查网络设置。\n", ["gb18030", "utf-16-le", "utf-16-be"]),
    "taiwanese": ("連線伺服器失敗：找不到檔案，請檢查網路設定。\n", ["big5"]),
    "japanese": ("サーバーへの接続に失敗しました：ファイルが見つかりません。\n", ["cp932", "euc_jp", "utf-16-le"]),
    "korean": ("서버에 연결하지 못했습니다: 파일을 찾을 수 없습니다. 설정을 확인하세요.\n", ["cp949", "utf-16-be"]),
    "tree": ("C:.\n├───src\n│   └───main\n└───docs\n", ["cp437"]),
    "english": ("The quick brown fox.\n", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]),
}


def _spool() -> Spool:
    def make_file() -> int:
        descriptor, path = tempfile.mkstemp()
        Path(path).unlink()
        return descriptor

    return Spool(make_file)


@pytest.mark.parametrize("times", [1, 3, 60])
@pytest.mark.parametrize(("name", "encoding"), [(name, code) for name in SENTENCES for code in SENTENCES[name][1]])
def test_legacy_and_wide_encodings_are_read(name: str, encoding: str, times: int) -> None:
    text = SENTENCES[name][0] * times
    source = BytesSource(text.encode(encoding))
    found = detect(source)
    assert found is not None
    assert to_utf8(source, found, _spool()).read().decode() == text
    assert round_trips(source, found)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"!!",
        b"a\0b",
        b"./a\0./b b\0./c\0",
        b"const a = 1;\n" * 50 + b"\0" + b"const b = 2;\n" * 50,
        b"\0" * 1000 + b"the log was truncated while it was written\n",
        b"\x1b[31mred\x1b[0m \x07 \x08 \x0c",
        b"\xef\xbb\xbftext with a mark",
        "→ up".encode(),
        "Grüße".encode(),
        ("日本語" * 100).encode()[:-1],
        ("日本語" * 100).encode()[1:],
        "\n".join(("日本語" * 12)[:20] for _ in range(50)).encode().replace("語".encode(), "語".encode()[:2], 30),
        b"plain line\n" * 300 + b"\xff\n",
    ],
)
def test_utf8_wins(data: bytes) -> None:
    assert detect(BytesSource(data)) == "utf-8"


@pytest.mark.parametrize("script", ["文件系统", "привет мир", "ไฟล์ระบบ", "👍🏽"])
@pytest.mark.parametrize("lead", range(4))
def test_characters_across_the_edges_of_pieces_are_whole(script: str, lead: int) -> None:
    data = b"x" * lead + (script * 200_000).encode()
    found = Utf8Scan()
    for start in range(0, len(data), 65_536):
        found.feed(data[start : start + 65_536])
    found.end()
    assert (found.size, found.valid, found.torn) == (len(data), True, 0)
    assert detect(BytesSource(data), found) == "utf-8"


@pytest.mark.parametrize("encoding", ["cp1250", "iso8859-2", "cp737", "cp855"])
def test_words_without_a_control_byte_are_text_in_whatever_encoding(encoding: str) -> None:
    text = {"cp737": "Χθες το βράδυ έπεσε.\n", "cp855": "Вчера сервер перестал отвечать.\n"}
    data = (text.get(encoding) or "Zażółć gęślą jaźń, łąką ćmę żółtą.\n").encode(encoding)
    assert detect(BytesSource(data)) is not None


def test_random_and_compressed_bytes_are_no_text() -> None:
    rng = random.Random(1)
    for size in (64, 300, 5000, 70_000, 1_000_000):
        assert detect(BytesSource(rng.randbytes(size))) is None
    assert detect(BytesSource(zlib.compress(rng.randbytes(3000)))) is None
    assert detect(BytesSource(bytes(range(256)) * 20)) is None
    assert detect(BytesSource(bytes(5000))) is None
    assert detect(BytesSource(b"\xff\xfe" + rng.randbytes(4000))) is None


def test_scan_counts() -> None:
    found = scan(BytesSource(b"ab\0" + "é".encode() + b"\xff\xfe " + "€".encode()[:2]))
    assert (found.invalid, found.nuls, found.continuations, found.torn, found.ascii) == (2, 1, 1, 2, False)
    assert scan(BytesSource(b"plain")).ascii


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-be", "gb18030", "cp1252"])
def test_text_returns_to_its_encoding(encoding: str) -> None:
    text = "Größe 12 µm\r\n" * 30_000
    source = BytesSource(text.encode(encoding))
    found = detect(source)
    assert found is not None
    mark = byte_order_mark(source, found)
    assert bool(mark) == (encoding in ("utf-16", "utf-32"))
    assert from_utf8(to_utf8(source, found, _spool()), found, _spool(), mark).read() == source.read()


def test_utf8_is_not_copied() -> None:
    source = BytesSource("naïve \xff".encode() + b"\xff")
    assert to_utf8(source, "utf-8", _spool()) is source
    assert from_utf8(source, "utf-8", _spool()) is source
    assert round_trips(source, "utf-8")


def test_what_does_not_come_back_is_said() -> None:
    assert not round_trips(BytesSource("half".encode("utf-16-le") + b"\0"), "utf-16-le")
    assert not round_trips(BytesSource(b"\x81"), "cp1252")


def test_wide_text_with_a_torn_unit_is_text() -> None:
    assert detect(BytesSource(b"\xff\xfe" + "report\n".encode("utf-16-le") * 50 + b"r")) == "utf-16-le"
