from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.policy import spoken, vocabulary, worklog, worth


def told(*texts: str, **changes: Any) -> dict[str, Any]:
    """A session in which the assistant said this, one message each, after one prompt."""
    state = {**worklog.empty(), "prompts": [{"n": 1, "text": "Go", "re": "", "after": 0}], **changes}
    for number, text in enumerate(texts, 2):
        state["messages"] = number
        spoken.keep(state, text)
        vocabulary.said(state, text, vocabulary.OWN)
    return state


def values(state: dict[str, Any], covered: str = "") -> dict[str, float]:
    """Each statement with its worth, where `covered` is on the page."""
    pool = worth.candidates(state)
    known = worth.weights(state, pool)
    have = vocabulary.telling(covered) | worth.concepts(covered)
    return {one.said.text: worth.worth(one, known, have, 0) for one in pool}


def test_what_stands_on_the_page_is_worth_less() -> None:
    """Its names and its subject are told already."""
    text = "The importer calls loadSession before parseHeader."
    state = told(text)
    assert values(state, text)[text] < values(state)[text]


@pytest.mark.parametrize(
    ("more", "less"),
    [
        ("Verdict: we keep loadSession here.", "It may be: we keep loadSession here."),
        ("CRITICAL: loadSession is a blocker now.", "The function loadSession is a finder now."),
        ("Removed loadSession from the importer.", "Listed loadSession with the importer."),
        ("The importer calls loadSession at once.", "And it also calls loadSession at once..."),
    ],
    ids=["decision", "severe", "recap", "leaning"],
)
def test_kinds_and_signs(more: str, less: str) -> None:
    """Of two statements with the same names."""
    assert values(told(more))[more] > values(told(less))[less]


def test_recent_is_worth_more_than_old() -> None:
    """The same words with other names, far apart."""
    fill = [f"Statement number {n} tells nothing of interest." for n in range(60)]
    state = told("The store keeps firstName rows.", *fill, "The store keeps otherName rows.")
    found = values(state)
    assert found["The store keeps otherName rows."] > found["The store keeps firstName rows."]


def test_equal_statements_count_once() -> None:
    """Said again in other markup too; the newest stays."""
    pool = worth.candidates(told("The store keeps `firstName` rows.", "Yes, see.", "The store keeps firstName rows"))
    assert [one.said.n for one in pool if "store" in one.said.text] == [4]


def test_open_to_dos_are_told_elsewhere() -> None:
    """With the decisions, as long as they are open."""
    text = "TODO: port loadSession to the new API."
    notes = [{"kind": "todo", "text": text, "by": "assistant", "n": 2}]
    assert worth.candidates(told(text, notes=notes)) == []


def test_concepts() -> None:
    """Telling words and pairs by their first letters; common words speak of nothing."""
    assert worth.concepts("The migration of importers should be migrated") == {
        "migrati",
        "importe",
        "migrate",
        "migrati importe",
        "importe migrate",
    }
    assert worth.concepts("this that with from") == set()


@given(st.lists(st.text(max_size=120), max_size=6))
def test_worth_is_a_number_for_any_text(texts: list[str]) -> None:
    """Never below nothing, and no division by it."""
    assert all(value >= 0 for value in values(told(*texts)).values())
