from __future__ import annotations

import dataclasses

import pytest

from lrguard.records import MANY, asdict, dataclass, field, replace


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
