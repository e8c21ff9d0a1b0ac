import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.transcript import Chunk
from holdfast.policy import requests, story, worklog
from holdfast.policy.summary import Summary

NONE = Summary("")
TURN = st.tuples(
    st.sampled_from(["Fix the importer", "Now the docs please", "Why is loadSession slow?", "yes"]),
    st.lists(
        st.sampled_from(
            [
                "The importer reads rows_per_block twice.",
                "`loadSession` is slow because it parses every header.",
                "Decision: keep parseHeader in the store.",
                "## Layout\n- src/store/files.py has the store.\n- src/main_loop.py runs it.",
                "Removed parseHeader from the importer. The tests failed with KeyError: 'x' in test_rows.py.",
                "Let me look.",
            ]
        ),
        max_size=4,
    ),
)


def session(turns: list[tuple[str, list[str]]]) -> dict[str, Any]:
    """The state after these turns."""
    rows: list[dict[str, Any]] = []
    for prompt, answers in turns:
        rows.append({"type": "user", "message": {"content": prompt}})
        rows += [{"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}} for text in answers]
    return worklog.fold(worklog.empty(), Chunk(rows, 0, 0))


def lines(state: dict[str, Any], chars: int, page: str = "") -> list[str]:
    """The story."""
    asked = requests.lines(requests.need(state, page, NONE), chars // 2)
    return story.lines(state, asked, chars, page, NONE)


@given(st.lists(TURN, max_size=6), st.integers(0, 2_000))
def test_no_statement_twice_and_within_the_room(turns: list[tuple[str, list[str]]], chars: int) -> None:
    """However often it was said; requests have the room that they were given."""
    state = session(turns)
    found = lines(state, chars)
    said = [line.removeprefix("  - ") for line in found if line.startswith("  - ")]
    statements = [part for line in said for part in re.split(r"(?<=\.) ", line.split("Layout: ")[-1])]
    assert len(statements) == len(set(statements))
    asked = sum(len(line) + 1 for line in found if not line.startswith("  - "))
    assert sum(len(line) + 1 for line in found) <= max(chars, asked)


def test_told_under_its_request_in_order() -> None:
    """A line per heading, with the request that it answers before it."""
    state = session(
        [
            ("Fix the importer", ["The importer reads rows_per_block twice."]),
            ("Now the docs please", ["## Layout\n- src/store/files.py has the store.\n- src/main_loop.py runs it"]),
            ("yes", []),
        ]
    )
    assert lines(state, 1_000) == [
        "- user: (quoted above)",
        "  - The importer reads rows_per_block twice.",
        '- user: "Now the docs please"',
        "  - Layout: src/store/files.py has the store. src/main_loop.py runs it.",
    ]


def test_what_is_on_the_page_leaves_its_room_to_the_rest() -> None:
    """With room for one statement, the one is taken that the page does not have."""
    shown, other = "loadSession parses every header.", "saveSession writes every footer."
    state = session([("Fix the importer", [shown, other]), ("yes", [])])
    assert lines(state, 80, shown)[-1:] == [f"  - {other}"]
    assert lines(state, 80, other)[-1:] == [f"  - {shown}"]


def test_nothing_said() -> None:
    """No story."""
    assert lines(worklog.empty(), 500) == []
