import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import phrasing


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("**Bold** `code` and [a link](https://x.org/y)", "Bold code and a link"),
        ("see `a.go:99-101` (lines 12-40)", "see a.go:99"),
        ("\u2705 done \u2192 next -> end", "done \u2192 next -> end"),
        ("Perfect! It works.", "It works."),
        ("snake_case * 2 and __init__", "snake_case * 2 and __init__"),
    ],
)
def test_plain(text: str, short: str) -> None:
    """Markup and line spans go, names stay as they are."""
    assert phrasing.plain(text) == short


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("**Bold** `code_here` and [a link](https://x.org/y)", "Bold `code_here` and a link"),
        ("Great! `run_all` \u2192 done", "`run_all` \u2192 done"),
        ("[[a link](https://x.org)", "[a link"),
        ("[text] (not a link)", "[text] (not a link)"),
    ],
)
def test_marked(text: str, short: str) -> None:
    """As plain, but names keep their code marks."""
    assert phrasing.marked(text) == short


@pytest.mark.parametrize("piece", ["[", "*", "**a", "a -> ", "(lines 1,", "<br "], ids=repr)
def test_a_long_run_of_signs_is_read_once(piece: str) -> None:
    """40,000 characters of it: a pattern that looks at each of them from each start would take minutes."""
    text = phrasing.marked(piece * (40_000 // len(piece)))
    assert len(text) <= 60_000


@pytest.mark.parametrize(
    ("text", "leaning"), [("It works.", True), ("This is so.", True), ("The store leaks.", False), ("Items", False)]
)
def test_leaning(text: str, leaning: bool) -> None:
    """Sentences that say little without the one before."""
    assert phrasing.leans(text) is leaning


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
    assert phrasing.heading(text) == label


@pytest.mark.parametrize(
    ("text", "filler"),
    [("Let me compile the findings:", True), ("Now I have a complete picture.", True), ("The store leaks.", False)],
)
def test_filler(text: str, filler: bool) -> None:
    """Sentences that only announce are told from those that say something."""
    assert phrasing.is_filler(text) is filler


@given(st.text(max_size=300), st.integers(1, 100))
def test_clip(text: str, chars: int) -> None:
    """Never longer than asked, and what fits is untouched."""
    short = phrasing.clip(text, chars)
    assert len(short) <= chars
    assert (short == text) or len(text) > chars
