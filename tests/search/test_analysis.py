"""The words that texts are found by."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.search.analysis import LONG_LINE, LONGEST, is_term, lines, question, words

SAME = [
    ("She bought children's books", "she buys child books"),
    ("They didn't go", "they did go"),
    ("ContextWindowManager", "context window manager"),
    ("max_result_tokens", "max result token"),
    ("Überprüfung", "überprüfung"),
    ("we\u2019re running", "we run"),
]


@pytest.mark.parametrize(("one", "two"), SAME, ids=[one for one, _ in SAME])
def test_forms_that_meet(one: str, two: str) -> None:
    """Irregular forms, endings after an apostrophe, parts of names, letters beyond ASCII."""
    drop = {"didn", "did"}
    assert [word for word in words(one) if word not in drop] == [word for word in words(two) if word not in drop]


def test_writing_without_spaces_is_cut_into_pairs() -> None:
    """So that a part of a sentence is found in it."""
    assert set(words("東京都")) <= set(words("私は東京都に住む"))


def test_stop_words_are_kept_but_are_no_terms() -> None:
    """They make phrases."""
    found = words("the house of cards")
    assert found == ["the", "hous", "of", "card"]
    assert [word for word in found if is_term(word)] == ["hous", "card"]


def test_a_question_loses_words_that_only_ask() -> None:
    """Unless nothing else is there."""
    assert question("What kind of paint is used?") == words("What of paint is used?")
    assert question("Which type?") == words("Which type?")


def test_long_lines_are_cut_at_sentences() -> None:
    """A page without line ends is not one line; short lines stay as they are."""
    page = "The gate is shut. " * 100
    assert len(lines(page)) >= len(page) // LONG_LINE
    assert lines("One two.\n\nThree four. Five.") == [["on", "two"], ["three", "four", "five"]]


@given(st.text())
def test_any_text_gives_words_without_syntax(text: str) -> None:
    """Letters and digits only, no longer than the limit: what a full-text engine takes as one word."""
    found = [word for line in lines(text) for word in line] + question(text)
    assert all(word.isalnum() and len(word) <= LONGEST for word in found)
    assert all(not character.isspace() for word in found for character in word)


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_words_do_not_depend_on_case(text: str) -> None:
    """Where no camelCase is written."""
    assert words(text.lower()) == words(text.upper().lower())
