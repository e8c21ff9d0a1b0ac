"""Stems: the published examples of the algorithm, and properties."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.search.stem import stem

PUBLISHED = {  # from the paper's own tables, step by step
    "caresses": "caress",
    "ponies": "poni",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "motoring": "motor",
    "sing": "sing",
    "conflated": "conflat",
    "troubling": "troubl",
    "sized": "size",
    "hopping": "hop",
    "falling": "fall",
    "filing": "file",
    "happy": "happi",
    "sky": "sky",
    "relational": "relat",
    "conditional": "condit",
    "digitizer": "digit",
    "vietnamization": "vietnam",
    "triplicate": "triplic",
    "hopefulness": "hope",
    "goodness": "good",
    "revival": "reviv",
    "adoption": "adopt",
    "communism": "commun",
    "probate": "probat",
    "rate": "rate",
    "controlling": "control",
    "roll": "roll",
}


@pytest.mark.parametrize(("word", "expected"), PUBLISHED.items(), ids=list(PUBLISHED))
def test_the_published_examples(word: str, expected: str) -> None:
    """What the paper gives for each of its steps."""
    assert stem(word) == expected


@pytest.mark.parametrize("forms", [("camp", "camps", "camped", "camping"), ("decide", "decides", "decided")], ids=str)
def test_forms_of_one_word_meet(forms: tuple[str, ...]) -> None:
    """All have one stem."""
    assert len({stem(form) for form in forms}) == 1


@given(st.text(max_size=40))
def test_any_word_has_a_stem_that_is_no_longer_than_with_one_letter_more(word: str) -> None:
    """Never raises, never empty for a word, and adds at most the e that -ed or -ing took."""
    found = stem(word)
    assert bool(found) == bool(word)
    assert len(found) <= len(word) + 1


@pytest.mark.parametrize("word", ["3f2a9c", "größe", "東京", "ab", "x1s", "a" * 31], ids=str)
def test_what_is_not_an_english_word_stays(word: str) -> None:
    """Hashes, other scripts, two letters, and what is too long to be a word."""
    assert stem(word) == word
