"""One way into the memory for whoever stores a record: what stands for it, what gives way, what stands beside it."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.memory import derived, upsert
from holdfast.memory.record import Record
from holdfast.memory.upsert import Put, Shelf
from holdfast.text.dates import iso
from tests.memory.memories import record

NOW = 1_800_000_000.0
MONGO, POSTGRES = ({"decision": f"Use {name} as the database"} for name in ("MongoDB", "PostgreSQL"))


@pytest.fixture
def shelf(project: Path) -> Shelf:
    """The project's memory, which is empty."""
    return upsert.opened(derived.memory_at(str(project)), NOW, iso(NOW))


def made(kind: str, number: int, age: float = 0, **more: Any) -> Record:
    """A record that is so many seconds old."""
    return record(kind, number, time=iso(NOW - age), **more)


def on_disk(shelf: Shelf, name: str) -> Record:
    """The record as its file says it; what the shelf knows of it is the same."""
    read = shelf.memory.get(name)
    assert shelf.records[name] == read
    return read


def test_what_is_new_is_stored(shelf: Shelf) -> None:
    """And known to the shelf at once, a decision with its code."""
    done = upsert.put(shelf, made("decision", 1))
    assert done == Put(on_disk(shelf, done.record.id), True)
    assert done.record.code.startswith("DEC-")


def test_a_record_of_the_same_words_stands_for_it(shelf: Shelf) -> None:
    """Nothing is stored; a weightier one is, and the old one is set aside."""
    old = upsert.put(shelf, made("learning", 1, 9, content={"lesson": "Use NTP"})).record
    assert upsert.put(shelf, made("learning", 2, content={"lesson": "use NTP."})) == Put(old)
    new = upsert.put(shelf, made("learning", 3, importance=9, content={"lesson": "Use NTP"}))
    assert (new.stored, new.over) == (True, (old,))
    assert on_disk(shelf, old.id).superseded_by == new.record.id
    assert len(shelf.memory.all()) == 2


def test_what_is_asked_for_expressly_is_stored(shelf: Shelf) -> None:
    """In the place of the record that was named, and of what else gives way to it."""
    named = upsert.put(shelf, made("learning", 1, 9)).record
    old = upsert.put(shelf, made("decision", 2, 9, content=MONGO)).record
    done = upsert.put(shelf, made("decision", 3, content=POSTGRES), named)
    assert done.over == (named, old)
    assert on_disk(shelf, named.id).superseded_by == on_disk(shelf, old.id).superseded_by == done.record.id
    again = upsert.put(shelf, made("decision", 4, content=POSTGRES), done.record)
    assert (again.stored, [one.id for one in again.over]) == (True, [done.record.id])


def test_one_that_comes_late_is_archived_at_once(shelf: Shelf) -> None:
    """In favour of the newer one, which also takes the place of what the late one replaces."""
    new = upsert.put(shelf, made("decision", 1, 9, content=POSTGRES)).record
    late = upsert.put(shelf, made("decision", 2, 99, content=MONGO))
    assert late.under == new
    assert (on_disk(shelf, late.record.id).superseded_by, late.record.archived) == (new.id, iso(NOW))


def test_the_users_word_stands_beside_it(shelf: Shelf) -> None:
    """It is told of, and not set aside."""
    own = upsert.put(shelf, made("decision", 1, 9, trust="trusted", content=MONGO)).record
    done = upsert.put(shelf, made("decision", 2, content=POSTGRES))
    assert (done.over, done.beside) == ((), (own,))
    assert on_disk(shelf, own.id).archived == ""
    assert upsert.put(shelf, made("decision", 3, content=POSTGRES), own).beside == ()


def test_an_issue_of_the_same_command_becomes_graver(shelf: Shelf) -> None:
    """One record, in its own words."""
    content = {"description": "slow", "severity": "low", "reproduction_steps": "pytest -q"}
    old = upsert.put(shelf, made("issue", 1, 9, content=content)).record
    done = upsert.put(shelf, made("issue", 2, content={**content, "description": "fails", "severity": "high"}))
    assert (done.record.id, done.stored, done.record.content["severity"]) == (old.id, False, "high")
    assert on_disk(shelf, old.id).content["description"] == "slow"
    assert len(shelf.memory.all()) == 1
