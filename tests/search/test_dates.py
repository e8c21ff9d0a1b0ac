"""Days in questions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.search.dates import Span, named, near, spelled

NAMED = {
    "What happened on 8 May 2023?": [Span(2023, 5, 8)],
    "on May 8th, 2023": [Span(2023, 5, 8)],
    "the 3rd of June": [Span(0, 6, 3)],
    "in October 2023 or December 2024": [Span(2023, 10, 0), Span(2024, 12, 0)],
    "since 2026-11-04": [Span(2026, 11, 4)],
    "in Sept.": [Span(0, 9, 0)],
    "may I march on?": [],
    "version 1.2 of 2023": [],
}


@pytest.mark.parametrize(("text", "spans"), NAMED.items(), ids=list(NAMED))
def test_days_that_are_named(text: str, spans: list[Span]) -> None:
    """Days and months in the usual ways; verbs and numbers are none."""
    assert named(text) == spans


def test_the_day_itself_is_nearest_and_after_is_nearer_than_before() -> None:
    """People tell of a thing when it has happened."""
    span = named("on 8 May 2023")
    exact, after, before, far = (
        near(span, time) for time in ("2023-05-08T10:00:00Z", "2023-05-11", "2023-05-05", "2022-05-08")
    )
    assert exact == 1.0
    assert exact > after > before > far
    assert far < 1e-9


def test_a_day_without_a_year_is_looked_for_around_the_text() -> None:
    """Also over the turn of the year."""
    assert near(named("on 30 December"), "2024-01-02") > 0.5


def test_a_month_holds_for_all_its_days_and_fades_after() -> None:
    """December, too, whose next month is in the next year."""
    span = named("in December 2023")
    first, last, soon, before = (
        near(span, f"{day}") for day in ("2023-12-01", "2023-12-31", "2024-01-05", "2023-11-30")
    )
    assert first == last > soon > 0
    assert before == 0


@pytest.mark.parametrize("time", ["", "yesterday", "2023-13-45", "0000-00-00"], ids=repr)
def test_a_time_that_is_none_is_near_to_nothing(time: str) -> None:
    """And no error."""
    assert near(named("on 8 May 2023"), time) == 0


def test_times_as_people_write_them() -> None:
    """To be found by their words; nothing for no time."""
    assert spelled("2023-05-08T13:56:00Z") == "8 may 2023"
    assert (spelled(""), spelled("2023-19-01"), spelled("soon")) == ("", "", "")


@given(st.text(), st.text())
def test_any_texts_are_taken(question: str, time: str) -> None:
    """Between 0 and 1 always."""
    assert 0 <= near(named(question), time) <= 1


@given(st.integers(0, 9999), st.integers(0, 99), st.integers(0, 99), st.dates())
def test_any_numbers_are_taken(year: int, month: int, day: int, when: object) -> None:
    """Days that do not exist, too."""
    assert 0 <= near(named(f"{year:04}-{month:02}-{day:02}"), f"{when}") <= 1
