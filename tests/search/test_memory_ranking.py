"""The ranking of memories: the figures of requirement J7."""

import pytest

from holdfast.search.memory_ranking import Facts, scores, standing
from holdfast.search.ranking import ask

NOW = "2026-11-30T00:00:00Z"
STANDING = {  # facts, time -> importance .25, recency .20, access .15
    "everything": (Facts(importance=10, accessed=10), NOW, 0.60),
    "thirty days halve recency": (Facts(importance=10, accessed=10), "2026-10-31T23:00:00Z", 0.50),
    "ten accesses are enough": (Facts(importance=10, accessed=99), NOW, 0.60),
    "never used, of middling importance": (Facts(importance=4), NOW, 0.30),
    "from the future is as new as can be": (Facts(importance=10), "2027-01-01", 0.45),
}


@pytest.mark.parametrize(("facts", "time", "expected"), STANDING.values(), ids=list(STANDING))
def test_what_no_question_changes(facts: Facts, time: str, expected: float) -> None:
    """Importance, recency and access with the weights of the source."""
    assert standing(facts, time, NOW) == pytest.approx(expected)


def test_an_unknown_time_is_old() -> None:
    """Recency is as good as nothing."""
    assert standing(Facts(importance=10), "", NOW) == pytest.approx(0.25, abs=1e-4)


def test_title_and_content_make_the_rest() -> None:
    """All words in the title and the best content: all of .40; half of either: half of it."""
    found = scores(ask("token refresh"), [" token refresh ", " token "], [0.4, 0.2], [0.6, 0.0])
    assert found == pytest.approx([1.0, 0.15 / 2 + 0.25 / 2])


def test_without_a_question_only_the_rest_counts() -> None:
    """No division by nothing."""
    assert scores(ask(""), [" a ", ""], [0.0, 0.0], [0.3, 0.2]) == [0.3, 0.2]
