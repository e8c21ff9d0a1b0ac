import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.policy import wording


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("**Bold** `code` and [a link](https://x.org/y)", "Bold code and a link"),
        ("see `a.go:99-101` (lines 12-40)", "see a.go:99"),
        ("\u2705 done \u2192 next", "done -> next"),
        ("Perfect! It works.", "It works."),
        ("snake_case * 2 and __init__", "snake_case * 2 and __init__"),
    ],
)
def test_plain(text: str, short: str) -> None:
    """Markup and line spans go, names stay as they are."""
    assert wording.plain(text) == short


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("### Step 3: Parse", "Parse"),
        ("4.2 Layout:", "Layout"),
        ("Summary", " "),
        ("Comprehensive report on hooks", " "),
        ("x" * 80, "x" * 60),
    ],
)
def test_heading(text: str, label: str) -> None:
    """A label without its number; a generic one shows nothing."""
    assert wording.heading(text) == label


@pytest.mark.parametrize(
    ("text", "filler"),
    [("Let me compile the findings:", True), ("Now I have a complete picture.", True), ("The store leaks.", False)],
)
def test_filler(text: str, filler: bool) -> None:
    """Sentences that only announce are told from those that say something."""
    assert wording.is_filler(text) is filler


@given(st.text(max_size=300), st.integers(1, 100))
def test_clip(text: str, chars: int) -> None:
    """Never longer than asked, and what fits is untouched."""
    short = wording.clip(text, chars)
    assert len(short) <= chars
    assert (short == text) or len(text) > chars
