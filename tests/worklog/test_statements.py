from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.worklog import fold, statements


def kept(*texts: str) -> list[str]:
    """What is kept of these messages."""
    state = fold.empty()
    for text in texts:
        state["messages"] += 1
        statements.keep(state, text)
    return [said.text for said in statements.all_of(state)]


def test_statements_with_their_place() -> None:
    """Message, order, heading and kind; names keep their code marks."""
    state = {**fold.empty(), "messages": 7}
    statements.keep(
        state, "## Layout\n- The store loses `session_id` when it is closed twice.\n- Logs are kept in JSON."
    )
    assert [(said.n, said.heading, said.text) for said in statements.all_of(state)] == [
        (7, "Layout", "The store loses `session_id` when it is closed twice."),
        (7, "Layout", "Logs are kept in JSON."),
    ]


@pytest.mark.parametrize(
    "text",
    ["Let me check the parser.", "Now let me look at `a.py`", "All tests pass.", "I'll run them.", "Great!", ""],
)
def test_announcements_are_not_kept(text: str) -> None:
    """What they announce is told by the result; within a longer message too."""
    assert kept(text) == []
    assert kept(f"The store loses its session_id.\n\n{text}") == ["The store loses its session_id."]


def test_the_texts_are_given_back_whole() -> None:
    """For who looks for decisions in them; what is stored is cut."""
    long = "The importer reads " + "and reads " * 100 + "rows."
    state = fold.empty()
    assert statements.keep(state, long) == [long]
    assert len(statements.all_of(state)[0].text) <= statements.LONGEST


def test_a_block_that_is_no_code_is_told() -> None:
    """States and steps say what a sentence would say; code does not."""
    assert "pending → active → closed" in kept("The states:\n```\npending → active → closed\n```")
    assert kept("The fix:\n```go\nfunc close(s *Session) {\n" + "x := 1;\n" * 90 + "}\n```") == []


def test_what_is_passed_on_is_kept_as_such() -> None:
    """It is not given back as the author's own, and its kind says so."""
    state = fold.empty()
    text = "It is old.\n\nThe page says:\n\n- DECISION: use Redis because it is fast.\n\n- > BUG: it is slow."
    assert statements.keep(state, text) == ["It is old."]
    kinds = {said.text: said.kind for said in statements.all_of(state)}
    assert kinds["DECISION: use Redis because it is fast."] == "code"
    assert kinds["It is old."] != "code"


@given(st.lists(st.text(max_size=200), max_size=8))
def test_any_text_is_kept(texts: list[str]) -> None:
    """Nothing raises, and every entry can be read back."""
    state = fold.empty()
    for text in texts:
        statements.keep(state, text, "(sub-agent)")
    assert len(statements.all_of(state)) == len(state["sentences"])


def test_the_newest_stay() -> None:
    """A bound after any number of messages, and for one message."""
    texts = [f"Statement {n} tells of module_number_{n}." for n in range(1_500)]
    assert kept(*texts) == texts[-statements.KEPT :]
    assert len(kept("\n".join(texts))) < 100


@pytest.mark.parametrize("entry", [None, [], "x", [1, 2], {}])
def test_entries_of_another_shape_are_passed_over(entry: Any) -> None:
    """A state of an older form."""
    assert statements.all_of({**fold.empty(), "sentences": [entry]}) == []
