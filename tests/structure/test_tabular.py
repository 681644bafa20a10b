from __future__ import annotations

import pytest

from tests.structure.documents import compact, is_nothing, structure


@pytest.mark.parametrize(
    "text",
    [
        "one line, with commas\n",
        "Hello, world\nthis is, well\nfoo, bar\n",
        "a,b\n1,2\n",
        "1,2,3\n4,5,6\n7,8,9\n",
        "x = foo(a, b)\ny = bar(c, d)\nz = baz(e, f)\n",
        "drwxr-xr-x 2 root root 4096 Nov 30 .\n" * 5,
        "a,b\n1,2,3\nx\n1,2,3,4\n",
    ],
)
def test_prose_code_and_listings_are_no_tables(text: str) -> None:
    assert is_nothing(text)


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("id,name\n1,a\n2,b\n3,c\n", "csv", "CSV: {id: int(1..3), name: string}[3]"),
        ("id\tok\n1\ttrue\n2\t\n", "tsv", "TSV: {id: int(1..2), ok: boolean|null}[2]"),
        ("a;b\n1,5;x\n2,5;y\n", "csv", "CSV: {a: string, b: string}[2]"),
        ('n,text\n1,"two\nlines, and ""quotes"""\n2,x\n', "csv", "CSV: {n: int(1..2), text: string}[2]"),
        ("\ufeffid,when\n1,2024-01-01\n2,2024-02-01\n", "csv", "CSV: {id: int(1..2), when: date}[2]"),
        ("zip,score\n00501,1e3\n10001,-.5\n", "csv", "CSV: {zip: string, score: number}[2]"),
        ("a,empty\n1,\n2,\n", "csv", "CSV: {a: int(1..2), empty: null}[2]"),
        ("code,n\n1,1\nx,2\n", "csv", "CSV: {code: string, n: int(1..2)}[2]"),
        ("s,n\n" + "up,1\ndown,2\n" * 4, "csv", 'CSV: {s: "down"|"up", n: int(1..2)}[8]'),
    ],
)
def test_columns_have_the_type_of_all_their_cells(text: str, kind: str, expected: str) -> None:
    found = structure(text.encode())
    assert found.kind == kind
    assert compact(text.encode()) == expected


def test_uneven_rows_are_counted_and_said() -> None:
    text = "a,b\n" + "1,2\n" * 99 + "1\n" + "1,2,3\n"
    assert structure(text.encode()).notes == ("2 rows have more or fewer cells than the header",)


def test_a_large_table_counts_every_row() -> None:
    text = "id,name\n" + "".join(f'{at},"name, {at}"\n' for at in range(9000)) + "x,late\n"
    assert compact(text.encode()) == "CSV: {id: string, name: string}[9001]"


def test_an_unclosed_quote_does_not_swallow_the_rest() -> None:
    text = "a,b\n" + "1,2\n" * 20_000 + '3,"open\n' + "4,5\n" * 60_000
    found = structure(text.encode())
    assert found.notes and "cannot be read" in found.notes[-1]
