from __future__ import annotations

import copy
import dataclasses
import pickle
import re
import sys
from pathlib import Path

import pytest

from lrguard.records import MANY, asdict, dataclass, field, replace

PACKAGE = Path(__file__).parents[1] / "lrguard"


@dataclass(frozen=True, slots=True)
class Point:
    x: int
    y: int = 2


@dataclass(slots=True)
class Counted:
    count: int = 0


def record_class():
    @dataclass(frozen=True, slots=True)
    class Record:
        name: str
        size: int = 7
        parts: list[int] = field(default_factory=list)

    return Record


@pytest.mark.parametrize("made_before", [0, MANY + 1], ids=["first", "later"])
class TestEveryRecord:
    """The `__init__` that all classes share and the one that is written for a class of many records do the same."""

    @pytest.fixture
    def kind(self, made_before: int):
        kind = record_class()
        for _ in range(made_before):
            kind("earlier")
        return kind

    def test_takes_values_by_place_and_by_name(self, kind):
        one = kind("a", 2, [3])
        assert one == kind(parts=[3], size=2, name="a")
        assert asdict(one) == {"name": "a", "size": 2, "parts": [3]}
        assert repr(one).endswith("Record(name='a', size=2, parts=[3])")

    def test_has_defaults_of_its_own(self, kind):
        one, other = kind("a"), kind("a")
        one.parts.append(1)
        assert (one.size, other.parts) == (7, [])
        assert replace(one, size=8).parts is one.parts

    @pytest.mark.parametrize(
        ("values", "named"), [((), {}), (("a", 1, [], 2), {}), (("a",), {"nme": 1}), (("a",), {"name": "b"})]
    )
    def test_refuses_what_it_has_no_field_for(self, kind, values, named):
        with pytest.raises(TypeError):
            kind(*values, **named)

    def test_stays_as_it_was_made(self, kind):
        with pytest.raises(AttributeError):
            kind("a").name = "b"

    def test_is_a_dataclass_to_others(self, kind):
        assert [one.name for one in dataclasses.fields(kind)] == ["name", "size", "parts"]


def test_records_are_slotted_equal_by_value_and_hashed_where_frozen():
    assert not hasattr(Point(1), "__dict__")
    assert Point(1) == Point(1) != Point(2)
    assert Point(1) != (1, 2)
    assert hash(Point(1)) == hash(Point(1, 2))
    with pytest.raises(TypeError):
        hash(Counted())


def test_a_record_that_is_not_frozen_changes():
    counted = Counted()
    counted.count += 1
    assert counted == Counted(1)


def test_records_can_be_matched_copied_and_pickled():
    match Point(1):
        case Point(x, y):
            assert (x, y) == (1, 2)
    assert pickle.loads(pickle.dumps(Point(1))) == copy.deepcopy(Point(1)) == Point(1)
    if sys.version_info >= (3, 13):
        assert copy.replace(Point(1), y=3) == Point(1, 3)


def test_annotations_stay_text_so_that_making_a_record_evaluates_none():
    """From Python 3.14 on they are evaluated when they are read, unless the module says otherwise."""
    users = [path.read_text() for path in PACKAGE.rglob("*.py") if "lrguard.records import" in path.read_text()]
    assert len(users) > 20
    assert all(re.search(r"^from __future__ import annotations$", text, re.MULTILINE) for text in users)
