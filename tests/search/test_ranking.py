"""What ranks before what."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.search import ranking
from holdfast.search.ranking import Text, ask, encode, scores

FILLER = "The garden was quiet. Nobody spoke of it."


def order(question: str, *texts: tuple[str, str, str]) -> list[int]:
    """Places of (title, text, time), best first."""
    found = scores(ask(question), [Text(encode(*text), text[2]) for text in texts])
    return sorted(range(len(texts)), key=lambda i: -found[i])


PREFERRED = {  # question: (better, worse)
    "rare words count more": ("Which server runs postgres?", "The postgres machine.", "The server runs."),
    "words in one line beat words far apart": (
        "Who fixed the login timeout?",
        f"Ada fixed the login timeout.\n{FILLER}\n{FILLER}",
        f"Ada fixed tea.\n{FILLER}\nThe login is blue.\n{FILLER}\nA timeout came.",
    ),
    "neighbours beat the same words in another order": (
        "the release branch of march",
        "We cut the release branch today, in the morning, after tea",
        "We cut a branch today, in the morning, for release after tea",
    ),
    "a misspelt word is still found": ("kuberntes cluster", "kubernetes it is", "tea it is, again"),
    "forms of a word meet": ("When did she go running?", "She ran.", "She sat."),
    "the parts of a name are words": ("window manager", "Use ContextWindowManager here.", "Use the manager of shops."),
}


@pytest.mark.parametrize(("question", "better", "worse"), PREFERRED.values(), ids=list(PREFERRED))
def test_preferences(question: str, better: str, worse: str) -> None:
    """Whichever stands first."""
    others = [("", text, "") for text in (FILLER, *["A server.", "It runs."] * 5)]
    for texts, first in (((better, worse), 0), ((worse, better), 1)):
        found = order(question, *[("", text, "") for text in texts], *others)
        assert found.index(first) < found.index(1 - first)


def test_a_long_text_is_not_better_for_being_long() -> None:
    """The same answer in a tenth of the text."""
    answer = "The cache is kept for five minutes."
    long = "\n".join([answer, *[f"Another note, number {i}, on tea and weather." for i in range(200)]])
    assert order("How long is the cache kept?", ("", long, ""), ("", answer, ""))[0] == 1


def test_the_named_day_decides_between_equals() -> None:
    """Text and title being the same."""
    same = ("", "Met the team.", "2023-06-20"), ("", "Met the team.", "2023-05-09")
    assert order("Who met the team around 8 May 2023?", *same)[0] == 1


def test_nothing_in_common_is_nothing() -> None:
    """And something is something, also by letters alone."""
    found = scores(ask("zebra"), [Text(encode("", text, ""), "") for text in ("tea", "zebrafish")])
    assert found[0] == 0
    assert found[1] > 0


@given(st.text(), st.lists(st.tuples(st.text(), st.text(), st.text()), max_size=4))
def test_any_texts_and_questions(question: str, texts: list[tuple[str, str, str]]) -> None:
    """One finite score each, never below 0, nor far above 1; the same again."""
    rows = [Text(encode(*text), text[2]) for text in texts]
    found = scores(ask(question), rows)
    assert len(found) == len(texts)
    assert all(0 <= score <= 1.5 for score in found)
    assert scores(ask(question), rows) == found


def test_a_very_long_question_is_trimmed_to_its_rarest_words() -> None:
    """Those that nobody has are left out; order and the words beside them stay."""
    question = ask(" ".join(f"word{i}" for i in range(500)))
    kept = ranking.trimmed(question, {f"word{i}": 500 - i for i in range(400)})
    assert kept.terms == tuple(f"word{i}" for i in range(400 - ranking.MOST_TERMS, 400))
    assert ranking.trimmed(ask("two words"), {}) == ask("two words")
