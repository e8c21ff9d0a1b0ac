import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import prompt_list, standing, story
from holdfast.compaction.overlap import Summary
from holdfast.transcript.rows import Chunk
from holdfast.worklog import fold
from holdfast.worklog import statements as spoken
from tests.worklog.states import SESSIONS, after, did, told, user

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


def session(turns: list[tuple[str, list[str]]]) -> Any:
    """The state after these turns."""
    rows: list[dict[str, Any]] = []
    for prompt, answers in turns:
        rows.append({"type": "user", "message": {"content": prompt}})
        rows += [{"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}} for text in answers]
    return fold.fold(fold.empty(), Chunk(rows, 0, 0))


def lines(state: dict[str, Any], chars: int, page: str = "") -> list[str]:
    """The story."""
    asked = prompt_list.lines(prompt_list.need(state, page, NONE), chars // 2)
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
    assert lines(state, 130, shown)[-1:] == [f"  - {other}"]
    assert lines(state, 130, other)[-1:] == [f"  - {shown}"]


def test_nothing_said() -> None:
    """No story."""
    assert lines(fold.empty(), 500) == []


@given(SESSIONS, st.integers(0, 4_000))
def test_never_above_the_room(work: dict[str, Any], chars: int) -> None:
    """For any session; the requests and the count of those left out may need more alone."""
    asked = prompt_list.lines(prompt_list.need(work, "", NONE), chars // 2)
    needed = sum(len(line) + 1 for line in asked.values())
    assert sum(len(line) + 1 for line in story.lines(work, asked, chars, "", NONE)) <= max(chars, needed + 40)


@given(st.integers(1, 60), st.booleans(), st.integers(100, 3_000))
def test_many_short_statements_keep_to_the_room(count: int, headed: bool, chars: int) -> None:
    """Each costs its line as it is shown."""
    head = "## Layout\n" if headed else ""
    work = session([("Go", [f"{head}- The part_{n}_of calls part_{n + 1}_of" for n in range(count)]), ("yes", [])])
    assert sum(len(line) + 1 for line in lines(work, chars)) <= chars


@given(SESSIONS, st.integers(200, 4_000))
def test_what_stands_in_another_section_is_not_repeated(work: dict[str, Any], chars: int) -> None:
    """The half of the statements that the page has already do not come again."""
    told = [line.removeprefix("  - ") for line in lines(work, chars) if line.startswith("  - ")]
    page = "\n".join(told[::2])
    again = [line.removeprefix("  - ") for line in lines(work, chars, page) if line.startswith("  - ")]
    assert not set(told[::2]) & set(again)


@pytest.mark.parametrize(
    "text",
    [
        "The **cache** is bounded to `maxOpen` entries and evicts the oldest.",
        "The [cache](https://docs.example/cache) is bounded — it evicts the oldest of maxOpen.",
        "- The cache is bounded to maxOpen entries.\n- The pool evicts oldest_first from it.",
    ],
    ids=["bold", "link and dash", "list"],
)
def test_the_last_words_are_told_once(text: str) -> None:
    """They stand where the work stands, in the markup in which they were said."""
    work = session([("Bound the cache", [text]), ("Go on", [text])])
    page = "\n".join(standing.now(work, 2_000))
    assert "evicts" in page
    assert [line for line in lines(work, 2_000, page) if line.startswith("  - ")] == []


@given(st.permutations(range(8)), st.integers(100, 3_000))
def test_in_the_order_in_which_it_was_said(weights: list[int], chars: int) -> None:
    """Whatever is worth most, the story goes on in time."""
    turns = [
        (f"Do part {number}", [f"Step {number}: " + " ".join(f"name_{number}_{n}" for n in range(weight + 1))])
        for number, weight in enumerate(weights)
    ]
    found = lines(session(turns), chars)
    steps = [int(line.split("Step ")[1][0]) for line in found if "Step " in line]
    assert steps == sorted(steps)
    assert steps or chars < 500


def test_sub_agents_statements_are_labelled() -> None:
    """So that nobody takes them for the assistant's own; without the reports they are not told."""
    work = after(
        user("Look at the importer"),
        did("Agent", "## Layout\n- src/store/files.py has the rows_per_block.\n\nThe loop never ends.", prompt="look"),
        told("I have read the report of loadSession."),
        user("Go on"),
    )
    found = [line for line in lines(work, 1_000) if "rows_per_block" in line]
    assert found
    assert all(line.startswith("  - (sub-agent) ") for line in found)
    assert "rows_per_block" not in "\n".join(lines(spoken.without_reports(work), 1_000))
    assert "loadSession" in "\n".join(lines(spoken.without_reports(work), 1_000))
