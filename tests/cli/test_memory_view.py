import argparse
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli import memory_view as view
from holdfast.memory.location import Use
from holdfast.memory.search import Hit
from holdfast.memory.store import Memory
from holdfast.text.dates import iso, seconds
from tests.memory.memories import record

NOW = seconds("2026-12-01T00:00:00Z")


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """Five records, one of them archived, one used twice."""
    made = Memory(str(tmp_path / "memory"))
    for one in (
        record("decision", 1, importance=9, tags=["db"], time="2026-11-20T00:00:00Z"),
        record("decision", 2, importance=4, time="2026-06-01T00:00:00Z"),
        record("issue", 3, content={"description": "The login page is slow", "severity": "low"}),
        record("issue", 4, content={"description": "The login page fails", "severity": "critical"}),
        record("learning", 5, archived="2026-11-20T00:00:00Z", content={"lesson": "Login needs a clock"}),
    ):
        made.add(one)
    made.used([record("issue", 3).id] * 2, NOW)
    return made


def numbers(memory: Memory, query: str = "", **options: Any) -> list[int]:
    given = {"type": "", "tag": [], "importance": 0, "since": "", "until": "", "archived": False, "sort": "rank"}
    given["limit"] = 10
    found = view.chosen([memory], argparse.Namespace(**{**given, "query": query, **options}), NOW).found
    return [int(one.record.id[:8], 16) for one in found]


def test_an_old_record_behind_many_that_are_not_asked_for(memory: Memory) -> None:
    """Archived, expired or newer ones with the same words take no place of its."""
    said = {"lesson": "The walrus cache has a limit"}
    memory.add(record("learning", 50, content=said, time="2026-01-01T00:00:00+02:00"))
    for number in range(120):
        memory.add(record("learning", 100 + number, content=said, archived="2026-11-20T00:00:00Z"))
        memory.add(record("learning", 300 + number, content=said, expires="2026-11-20T00:00:00Z"))
    assert numbers(memory, "walrus cache") == [50]
    for number in range(120):
        memory.add(record("learning", 500 + number, content=said))
    for sort in ("rank", "relevance", "time"):
        assert numbers(memory, "walrus cache", until="2026-02-01", sort=sort) == [50]
        assert len(numbers(memory, "walrus cache", limit=400, sort=sort)) == 121


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [1, 3, 4, 2]),
        ({"archived": True}, [1, 3, 4, 5, 2]),
        ({"type": "decision"}, [1, 2]),
        ({"tag": ["DB"]}, [1]),
        ({"importance": 5}, [1, 3, 4]),
        ({"since": "2026-11-05"}, [1]),
        ({"since": "15d"}, [1]),
        ({"until": "2026-11-01T00:00:00+01:00"}, [2]),
        ({"sort": "importance"}, [1, 3, 4, 2]),
        ({"sort": "severity", "type": "issue"}, [4, 3]),
        ({"sort": "access"}, [3, 1, 4, 2]),
    ],
)
def test_filters_and_orders(memory: Memory, options: dict[str, Any], expected: list[int]) -> None:
    assert numbers(memory, **options) == expected


def test_a_question_finds_what_answers_it(memory: Memory) -> None:
    """In either mode, with filters; nothing for what nothing answers, however important the rest is."""
    assert set(numbers(memory, "login page")) == {3, 4}
    assert numbers(memory, "login page", sort="severity") == [4, 3]
    assert numbers(memory, "login clock", archived=True, sort="relevance")[0] == 5
    assert numbers(memory, "login page", type="decision") == numbers(memory, "zebra") == []


def test_a_record_for_people_and_for_programs(memory: Memory) -> None:
    """Secrets that stand in a file are taken out at recall."""
    one = record(title="password=hunter2x is old", archived=iso(NOW), superseded_by=record(number=9).id, paths=["a.py"])
    (found,) = view.believed([Hit("/x.md", one, Use(3, 1_000), 0.123456)], memory)
    shown = view.as_json(found)
    assert (shown["access_count"], shown["last_accessed"], shown["score"]) == (3, "1970-01-01T00:16:40Z", 0.1235)
    assert "hunter2x" not in repr((shown, view.as_row(found), view.quoted(found)))
    marks = ("importance 5", "archived 2026-12-01", "superseded by 00000009", "about a.py")
    assert view.quoted(found).marks == marks
    assert len(view.quoted(found, 40).text) <= 45


def test_without_a_question_rank_is_importance_age_and_use(memory: Memory) -> None:
    memory.add(record("learning", 8, importance=10, time="2026-11-18T00:00:00Z"))
    memory.add(record("learning", 9, importance=1, time="2026-11-30T00:00:00Z"))
    assert [numbers(memory, "", sort=sort)[0] for sort in ("rank", "time")] == [8, 9]


def test_what_only_looks_alike_does_not_come_first(memory: Memory) -> None:
    """Another order is one of answers, not of everything that shares a few letters."""
    for number, lesson in enumerate(("The connection pool leaks", "The controller names it", "The content goes left")):
        memory.add(record("learning", 20 + number, title=lesson, content={"lesson": lesson}, importance=5 + number))
    assert numbers(memory, "connection", sort="time") == numbers(memory, "connection", sort="importance") == [20]


def test_what_a_hand_or_a_merge_has_set_aside_is_not_listed(memory: Memory) -> None:
    """Marked for removal, or replaced without being archived: as at a start."""
    memory.add(record("learning", 30, delete=True))
    memory.add(record("learning", 31, superseded_by=record(number=32).id))
    memory.add(record("learning", 32, tags=["Two Words"]))
    assert numbers(memory, type="learning") == [32]
    assert numbers(memory, "PostgreSQL", type="learning") == [32]
    assert numbers(memory, tag=["Two Words"]) == [32]
    assert set(numbers(memory, type="learning", archived=True)) == {5, 30, 31, 32}
