"""Notes that make sense on their own."""

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from holdfast.engine import notes
from holdfast.engine.notes import CATEGORIES, IMPORTANCE, Note
from holdfast.errors import BadInput
from holdfast.text.tokens import estimate

GOOD = "503 on /api/v2/users at about 200 requests at once; the pool is suspected"


@pytest.mark.parametrize(
    ("category", "text", "importance", "why"),
    [
        ("bugs", "pool bug", "high", "text: the note has too few words"),
        ("bugs", "Pool überläuft", "high", "text: the note has too few words"),
        ("bugs", "word " * 200, "high", "600 are allowed"),
        ("bugs", None, "high", "text: the note has too few words"),
        ("bug", GOOD, "high", "category: 'bug' cannot be. Allowed: progress"),
        ("bugs", GOOD, "urgent", "importance: 'urgent' cannot be. Allowed: critical"),
    ],
)
def test_a_note_that_nobody_will_understand_fails(category: str, text: str, importance: str, why: str) -> None:
    """With the reason; one that stands on its own passes, in any language."""
    with pytest.raises(BadInput, match=why):
        notes.checked(category, text, importance)
    assert notes.checked("bugs", f" {GOOD}\n", "high", 3) == Note("bugs", GOOD, "high", 3)
    assert notes.checked("bugs", "連接池泄漏").text == "連接池泄漏"


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


_words = st.lists(st.sampled_from(["src/a.py", "login_user", "42", "fails", "because"]), min_size=3, max_size=9)
_texts = _words.map(" ".join)
_notes = st.builds(Note, st.sampled_from(CATEGORIES), _texts, st.sampled_from(IMPORTANCE), st.integers(0, 99))


@over(st.lists(_notes, max_size=12), st.integers(0, 200))
def test_the_bound_holds(taken: list[Note], tokens: int) -> None:
    assert estimate(notes.rendered(taken, estimate, tokens)) <= tokens
