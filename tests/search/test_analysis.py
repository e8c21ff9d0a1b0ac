import importlib
import sys
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.search import analysis
from holdfast.search.analysis import lines, words

SAME = [
    ("camping camped camps", "camp camp camp"),
    ("She bought children's books", "she buys child books"),
    ("ContextWindowManager", "context window manager"),
    ("max_result_tokens", "max result token"),
    ("Überprüfung", "überprüfung"),
    ("we\u2019re running", "we run"),
]


@pytest.mark.parametrize(("one", "two"), SAME, ids=[one for one, _ in SAME])
def test_forms_of_a_word_are_one_word(one: str, two: str) -> None:
    assert words(one) == words(two)


def test_writing_without_spaces_is_cut_into_pairs() -> None:
    assert set(words("東京都")) <= set(words("私は東京都に住む"))


def test_long_lines_are_cut_at_sentences() -> None:
    page = "The gate is shut. " * 100
    assert len(lines(page)) >= len(page) // 250
    assert lines("One two.\n\nThree four. Five.") == [["one", "two"], ["three", "four", "five"]]


@given(st.text())
def test_any_text_gives_words_without_syntax(text: str) -> None:
    """Letters and digits only, no longer than the limit: what a full-text engine takes as one word."""
    found = [word for line in lines(text) for word in line]
    assert all(word.isalnum() and len(word) <= 64 for word in found)


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "snowballstemmer", None)
        importlib.reload(analysis)
        yield
    importlib.reload(analysis)


@pytest.mark.usefixtures("bare")
def test_without_the_package_words_stand_as_they_are() -> None:
    assert not analysis.STEMMED
    assert analysis.words("Running CamelCases") == ["running", "camel", "cases"]
