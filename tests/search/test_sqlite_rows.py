"""The texts of an index that are asked for."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from holdfast.search.sqlite import Index
from holdfast.search.sqlite_rows import Row, joined, split

TAGS = ("auth", "api")
ONE = Row("a", "2026-11-01T10:00:00Z", " tea ", b"", "decision", 7, 0, joined(TAGS), False, "2026-12-01T00:00:00Z")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """With one decision."""
    made = Index(str(tmp_path / "index"))
    list(made.put([ONE]))
    yield made
    made.close()


ASKED = {
    "anything": ({}, True),
    "nothing in particular": ({"kind": "", "tags": (), "importance": 0, "archived": None, "alive": ""}, True),
    "kind": ({"kind": "decision"}, True),
    "another kind": ({"kind": "issue"}, False),
    "tags": ({"tags": ("api", "auth")}, True),
    "a tag that it lacks": ({"tags": ("api", "db")}, False),
    "the beginning of a tag": ({"tags": ("aut",)}, False),
    "importance": ({"importance": 7}, True),
    "more importance": ({"importance": 8}, False),
    "after": ({"after": "2026-11-01"}, True),
    "after its time": ({"after": "2026-11-02"}, False),
    "before": ({"before": "2026-11-02"}, True),
    "before its time": ({"before": "2026-11-01T10:00:00Z"}, False),
    "archived": ({"archived": True}, False),
    "not archived": ({"archived": False}, True),
    "before it expires": ({"alive": "2026-11-30T00:00:00Z"}, True),
    "when it has expired": ({"alive": "2026-12-01T00:00:00Z"}, False),
    "two at once": ({"kind": "decision", "tags": ("db",)}, False),
}


@pytest.mark.parametrize(("asked", "expected"), ASKED.values(), ids=list(ASKED))
def test_who_is_asked_for(index: Index, asked: dict[str, Any], expected: bool) -> None:
    """Field by field, by a word and without one."""
    among = index.among(asked)
    assert [bool(among.holding("tea", 9)), bool(among.newest(9))] == [expected, expected]
    assert among.holding("milk", 9) == []


def test_the_others_take_no_place(index: Index) -> None:
    """Of those that are asked for there are as many as are wanted, however many newer ones stand before them."""
    list(index.put(Row(f"n{i}", "", " tea milk ", archived=True) for i in range(50)))
    among = index.among({"archived": False})
    assert among.holding("tea", 1) == among.newest(1) == [1]
    assert among.holding("tea", 1, ["milk"]) == []
    assert len(index.among({}).holding("tea", 99, ["milk"])) == 50


@pytest.mark.parametrize("tags", [(), ("one",), ("two words", "ümlaut", "%_")], ids=repr)
def test_tags_come_back(tags: tuple[str, ...]) -> None:
    """As they were."""
    assert split(joined(tags)) == tags
