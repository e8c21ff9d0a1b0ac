"""Notes that make sense on their own."""

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from holdfast.engine import notes
from holdfast.engine.notes import CATEGORIES, IMPORTANCE, Note
from holdfast.errors import BadInput
from holdfast.text.tokens import estimate

GOOD = "503 on /api/v2/users at about 200 requests at once; the pool is suspected"


@pytest.mark.parametrize(("text", "why"), [("pool bug", "too few words"), ("word " * 200, "600 are allowed")])
def test_a_note_that_nobody_will_understand_fails(text: str, why: str) -> None:
    """With the reason; one that stands on its own passes, in any language."""
    with pytest.raises(BadInput, match=why):
        notes.checked("bugs", text)
    assert notes.checked("bugs", f" {GOOD}\n", "high", 3) == Note("bugs", GOOD, "high", 3)
    assert notes.cold_start("連接池泄漏") == ""


@pytest.mark.parametrize(
    ("category", "importance", "key"), [("bug", "high", "category"), ("bugs", "urgent", "importance")]
)
def test_unknown_words_name_the_known_ones(category: str, importance: str, key: str) -> None:
    """The key and what is allowed."""
    with pytest.raises(BadInput) as caught:
        notes.checked(category, GOOD, importance)
    assert str(caught.value).startswith(f"{key}: ")
    assert "critical" in str(caught.value) or "progress" in str(caught.value)


def test_categories_stand_in_their_order_and_the_gravest_first() -> None:
    """In each the newest before the older."""
    taken = [
        Note("bugs", "login_user raises KeyError at night", "low", 1),
        Note("progress", "12 of 23 files are ported now", "normal", 2),
        Note("bugs", "open_pool leaks one socket a call", "critical", 3),
        Note("bugs", "close_pool hangs for 30 seconds", "critical", 4),
    ]
    assert notes.rendered(taken, estimate).splitlines() == [
        "## Progress",
        "- [NORMAL] 12 of 23 files are ported now (turn 2)",
        "## Bugs",
        "- [CRITICAL] close_pool hangs for 30 seconds (turn 4)",
        "- [CRITICAL] open_pool leaks one socket a call (turn 3)",
        "- [LOW] login_user raises KeyError at night (turn 1)",
    ]


SAID = ("src/a.py", "port", "login_user", "42", "fails", "because", "of", "the", "pool")
_words = st.lists(st.sampled_from(SAID), min_size=3, max_size=9)
_notes = st.builds(
    Note,
    st.sampled_from(CATEGORIES),
    _words.map(lambda found: "open_pool " + " ".join(found)),
    st.sampled_from(IMPORTANCE),
    st.integers(0, 99),
)


@over(st.lists(_notes, max_size=12), st.integers(0, 200))
def test_the_bound_holds(taken: list[Note], tokens: int) -> None:
    """Whatever the notes."""
    assert estimate(notes.rendered(taken, estimate, tokens)) <= tokens
