import pytest

from holdfast.search import ranking
from holdfast.search.facts import TextFacts
from holdfast.search.ranking import ask, competing, encode, scores, standing

FILLER = "The garden was quiet. Nobody spoke of it."


def order(question: str, *texts: str) -> list[int]:
    found = scores(ask(question), [encode("", text, "") for text in texts])
    return sorted(range(len(texts)), key=lambda i: -found[i])


PREFERRED = {  # question: (better, worse)
    "rare words count more": ("Which of the servers has postgres?", "The postgres machine.", "The server."),
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
def test_the_better_answer_comes_first(question: str, better: str, worse: str) -> None:
    others = [FILLER, *["A server.", "It runs."] * 5]
    for texts, first in (((better, worse), 0), ((worse, better), 1)):
        found = order(question, *texts, *others)
        assert found.index(first) < found.index(1 - first)


def test_a_long_text_is_not_better_for_being_long() -> None:
    answer = "The cache is kept for five minutes."
    long = "\n".join([answer, *[f"Another note, number {i}, on tea and weather." for i in range(200)]])
    assert order("How long is the cache kept?", long, answer)[0] == 1


def test_the_day_of_a_text_is_found_as_people_write_it() -> None:
    """The texts being the same; a time that is none adds nothing."""
    bodies = [encode("", "Met the team.", time) for time in ("2023-06-20", "2023-05-08T10:00:00Z", "soon")]
    found = scores(ask("Who met the team on 8 May 2023?"), bodies)
    assert found[1] > found[0] > found[2]


def test_a_very_long_question_is_trimmed_to_its_rarest_words() -> None:
    """Those that nobody has are left out; order and the words beside them stay."""
    question = ask(" ".join(f"word{i}" for i in range(500)))
    kept = ranking.trimmed(question, {f"word{i}": 500 - i for i in range(400)})
    assert kept.terms == tuple(f"word{i}" for i in range(400 - 32, 400))
    assert ranking.trimmed(ask("two words"), {}) == ask("two words")


NOW = "2026-11-30T00:00:00Z"
STANDING = {  # facts, time -> importance .25, recency .20, access .15
    "everything": (TextFacts(importance=10, accessed=10), NOW, 0.60),
    "thirty days halve recency": (TextFacts(importance=10, accessed=10), "2026-10-31T23:00:00Z", 0.50),
    "ten accesses are enough": (TextFacts(importance=10, accessed=99), NOW, 0.60),
    "never used, of middling importance": (TextFacts(importance=4), NOW, 0.30),
    "from the future is as new as can be": (TextFacts(importance=10), "2027-01-01", 0.45),
    "an unknown time is old": (TextFacts(importance=10), "", 0.25),
}


@pytest.mark.parametrize(("facts", "time", "expected"), STANDING.values(), ids=list(STANDING))
def test_importance_recency_and_access_have_the_weights_of_the_source(
    facts: TextFacts, time: str, expected: float
) -> None:
    assert standing(facts, time, NOW) == pytest.approx(expected, abs=1e-4)


def test_title_and_content_make_the_rest() -> None:
    """All words in the title and the best content: all of .40; half of either: half of it; no question: nothing."""
    bodies = [" token refresh ", " token "]
    found = ranking.worth(ask("tokens refresh"), bodies, [0.4, 0.2], [0.6, 0.0])
    assert found == pytest.approx([1.0, 0.15 / 2 + 0.25 / 2])
    assert ranking.worth(ask(""), [" a ", ""], [0.0, 0.0], [0.3, 0.2]) == [0.3, 0.2]


def test_letters_answer_only_where_no_word_does() -> None:
    """Else they would win by their importance or age."""
    bodies = [" token here ", " tokenizer ", " tea "]
    assert competing(ask("token"), bodies, [1.0, 0.9, 0.0]) == [0]
    assert competing(ask("tokeni"), bodies, [0.5, 0.9, 0.0]) == [0, 1]
    assert competing(ask(""), bodies, [0.0, 0.0, 0.0]) == [0, 1, 2]
