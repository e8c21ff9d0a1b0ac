import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction.overlap import FLOOR, LEAST, Summary
from tests.worklog.states import PHRASES, PROSE

TEXT = (
    "The user asked to replace the session cookie by a signed token. The limit was raised to 45 seconds in "
    "src/limits.py, because loadSession timed out. Next: document the header. "
) * 4


@pytest.mark.parametrize(
    ("line", "held"),
    [
        pytest.param("- replace the session cookie by a signed token", True, id="same words"),
        pytest.param("- The limit was raised to 45 seconds", True, id="same number"),
        pytest.param("- The limit was raised to 30 seconds", False, id="another number"),
        pytest.param("- loadSession timed out in src/limits.py", True, id="same names"),
        pytest.param("- saveSession timed out", False, id="another name"),
        pytest.param("- the archive is rebuilt every night", False, id="something else"),
        pytest.param("- a b c", False, id="no words"),
    ],
)
def test_what_a_summary_says_already(line: str, held: bool) -> None:
    """Nearly all words, and every name and number."""
    summary = Summary(TEXT)
    assert summary.holds(line) is held
    assert summary.without([line]) == ([] if held else [line])


@given(st.lists(st.text(max_size=60), max_size=5), st.text(max_size=LEAST - 1))
def test_a_text_that_says_nothing_holds_nothing(lines: list[str], text: str) -> None:
    """Such as "OK done.": the whole packet is needed."""
    summary = Summary(text)
    assert summary.without(lines) == lines
    assert summary.missing == 1


def test_the_more_it_holds_the_less_room_is_needed() -> None:
    """Between all of it and FLOOR."""
    held, other = "- replace the session cookie by a signed token", "- the archive is rebuilt every night"
    rooms = []
    for lines in ([other], [other, other, held], [held, other], [held]):
        summary = Summary(TEXT)
        summary.without(lines)
        rooms.append(summary.missing)
    assert rooms == sorted(rooms, reverse=True)
    assert [rooms[0], rooms[-1]] == [1, FLOOR]
    assert Summary(TEXT).missing == 1


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("- The limit was raised to 4 seconds", False),
        ("- The limit was raised to 45s", False),
        ("- session timed out in src/limit.py", False),
        ("", False),
    ],
    ids=["part of a number", "other unit", "other file", "nothing"],
)
def test_a_name_or_number_is_held_as_a_whole(line: str, held: bool) -> None:
    """All the words alone do not do, nor a longer number that begins with it."""
    assert Summary(TEXT).holds(line) is held


def test_the_length_from_which_a_text_is_a_summary() -> None:
    """Below it none, from it on one."""
    words = ("connection " * LEAST)[:LEAST]
    assert Summary(words).holds("- connection")
    assert not Summary(words[:-1]).holds("- connection")


@given(PROSE | st.just(TEXT), st.lists(st.lists(PHRASES, max_size=4), max_size=4))
def test_what_is_missing_stays_between_the_floor_and_all(text: str, asked: list[list[str]]) -> None:
    """Whatever is asked, in whatever portions; and what comes back is of what was given, in its order."""
    summary = Summary(text)
    for lines in asked:
        assert summary.without(lines) == [line for line in lines if not summary.holds(line)]
        assert FLOOR - 1e-9 <= summary.missing <= 1
