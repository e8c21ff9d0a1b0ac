"""Which sessions are still to be put away, and what is known of those before."""

from collections.abc import Callable
from typing import Any

import pytest

from holdfast.runtime import endings, memory_sessions

Make = Callable[..., Any]


@pytest.fixture
def session(event_of: Make, session_of: Make) -> Make:
    """`session("one", begin=True)`: a session of the project."""

    def build(name: str, begin: bool = False, now: float = 1_000.0) -> Any:
        event = event_of("SessionStart.startup", session_id=name)
        made = session_of(event, now)
        if begin:
            memory_sessions.begun(made)
            endings.opened(event, made)
        return made

    return build


def names(found: list[Any]) -> list[str]:
    """The sessions' names."""
    return [one.folder.rsplit("/", 1)[1] for one in found]


def test_one_that_is_gone_was_left_behind(session: Make) -> None:
    """Until it is put away; the one that asks is not."""
    one, two = session("one", begin=True), session("two", begin=True)
    assert names(memory_sessions.left_behind(two)) == ["one"]
    memory_sessions.put_away(one, "other")
    assert memory_sessions.left_behind(two) == []


def test_one_that_ended_but_was_not_put_away(session: Make) -> None:
    """Its end had no time for it."""
    endings.ended(session("one", begin=True), "other")
    assert names(memory_sessions.left_behind(session("two"))) == ["one"]


def test_one_of_another_project_is_left_alone(session: Make) -> None:
    """Where projects share a state folder."""
    session("one", begin=True)
    other = session("two")._replace(project="/elsewhere")
    assert memory_sessions.left_behind(other) == []


def test_one_whose_folder_is_gone_is_forgotten(session: Make) -> None:
    """Somebody has removed it."""
    one = session("one", begin=True)
    moved = one._replace(folder=f"{one.state}/sessions/removed")
    memory_sessions.begun(moved)
    assert names(memory_sessions.left_behind(session("two"))) == ["one"]
    assert memory_sessions.noted(moved) == {}


def test_a_few_at_once(session: Make) -> None:
    """So that a start stays short; the next one has the rest."""
    for number in range(9):
        session(f"old{number}", begin=True)
    assert len(memory_sessions.left_behind(session("new"))) == memory_sessions.AT_ONCE


def test_the_sessions_are_counted_once_each(session: Make) -> None:
    """One that is resumed and ends again is no new one, but it was the last to end."""
    one, two = session("one", begin=True), session("two", begin=True, now=2_000.0)
    memory_sessions.put_away(one, "clear")
    memory_sessions.put_away(two, "other")
    memory_sessions.put_away(one._replace(now=3_000.0), "prompt_input_exit")
    assert memory_sessions.before(two) == (2, 3_000.0, "prompt_input_exit")


@pytest.mark.parametrize("text", ["", "no line\n", "x y z\n", "3"])
def test_a_torn_log_tells_nothing(session: Make, text: str) -> None:
    """And the next line begins anew."""
    one = session("one")
    with open(f"{one.state}/sessions.log", "w", encoding="utf-8") as file:
        file.write(text)
    assert memory_sessions.before(one) == (0, 0.0, "")


def test_a_resumed_session_keeps_its_beginning(session: Make) -> None:
    """For the minutes that its summary tells."""
    memory_sessions.begun(session("one"))
    memory_sessions.begun(session("one", now=5_000.0))
    assert memory_sessions.noted(session("one"))["begun"] == 1_000.0
