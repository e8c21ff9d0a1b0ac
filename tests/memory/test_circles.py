"""What holds where records say of each other that they are superseded."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.memory import briefing, circles
from tests.memory.memories import record


def one(number: int, by: int | None, day: int = 1, **more: Any) -> Any:
    """Decision `number` of a day, superseded by another one."""
    other = "" if by is None else record("decision", by).id
    return record("decision", number, time=f"2026-11-{day:02}T00:00:00Z", superseded_by=other, **more)


def alive(*records: Any) -> list[int]:
    """Numbers of the records that are told."""
    now = 1_800_000_000.0
    return [int(one.id[:8], 16) for one in circles.mended(records) if briefing.is_alive(one, now)]


def test_the_newest_of_a_circle_holds() -> None:
    """Also where each has been archived, as the other superseded it."""
    since = "2026-11-30T00:00:00Z"
    assert alive(one(1, 2, 3, archived=since), one(2, 1, 2, archived=since)) == [1]
    assert alive(one(1, 2, 1), one(2, 3, 2), one(3, 1, 3)) == [3]


def test_who_gives_way_to_a_circle_stays_out() -> None:
    """It leads into the circle and is none of it."""
    assert alive(one(9, 1, 20), one(1, 2, 1), one(2, 1, 2)) == [2]


def test_a_record_in_its_own_place() -> None:
    """The shortest circle, as a hand makes it."""
    assert alive(one(1, 1)) == [1]


def test_a_chain_is_no_circle() -> None:
    """Its end holds, also where the end is gone."""
    assert alive(one(1, 2), one(2, 3), one(3, None)) == [3]
    assert alive(one(1, 2), one(2, 3)) == []


def test_what_is_marked_for_deletion_holds_nothing() -> None:
    """The next one does; of a circle that goes altogether none."""
    assert alive(one(1, 2, 9, delete=True), one(2, 1, 1)) == [2]
    assert alive(one(1, 1, delete=True)) == []


@given(st.lists(st.one_of(st.none(), st.integers(0, 7)), min_size=1, max_size=8))
def test_any_web_ends_somewhere(to: list[int | None]) -> None:
    """Whoever follows the marks of what was mended comes to an end, each circle holds one, and nobody else changes."""
    given_records = [one(number, by, number + 1) for number, by in enumerate(to)]
    found = circles.mended(given_records)
    changed = [new for old, new in zip(given_records, found, strict=True) if old != new]
    assert len(changed) == len(circles.circles(given_records))
    assert circles.circles(found) == []


@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_order_of_reading_changes_nothing(number: int) -> None:
    """The same one holds, whichever file comes first."""
    ring = [one(1, 2, 1), one(2, 3, 3), one(3, 1, 2)]
    assert alive(*ring[number:], *ring[:number]) == [2]
