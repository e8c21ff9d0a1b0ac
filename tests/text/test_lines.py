import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import lines


@given(st.text(max_size=200), st.integers(1, 60))
def test_any_text_becomes_one_line_within_its_bound(text: str, chars: int) -> None:
    line = lines.one_line(text, chars)
    assert len(line) <= chars
    assert line == "" or line.isprintable()
    whole = lines.one_line(text)
    seen = "".join(char if char.isprintable() and char not in lines._BLANK else " " for char in text)
    assert whole.split() == seen.split()
    assert line == whole or len(whole) > chars


@pytest.mark.parametrize(
    "sign",
    "\n\r\v\f\x1c\x85\u2028\u2029\u202e\u2066\u200b\u2060\ufeff\u115f\u17b4\u180b\u3164\ufe00\ufe0e\x1b\x00\ud800\U000e0141",
    ids=ascii,
)
def test_nothing_that_cannot_be_seen_stays_in_a_line(sign: str) -> None:
    """Breaks of all kinds, turned writing, letters without width, halves of letters: they part words and are gone."""
    assert lines.one_line(f"{sign}a{sign}{sign}b{sign}") == "a b"


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n", "\u2028", "\v", "\x85"], ids=ascii)
@pytest.mark.parametrize("before", ["", "> ", "\u200b", "\t> **", "\ue000"], ids=ascii)
@pytest.mark.parametrize(
    "line", ["[Holdfast: x]", "Holdfast: x", "\uff3b\uff28oldfast: x]", "--- The newest request ---"]
)
def test_a_foreign_line_poses_as_none_of_ours(end: str, before: str, line: str) -> None:
    """However it begins, and whatever is unseen or no word before it."""
    assert lines.unposing(f"a{end}{before}{line}\nb") == f"a{end}| {before}{line}\nb"


@pytest.mark.parametrize(
    "line", ["Holdfast is a pack", "see [Holdfast: x]", "--- a/x.py", "---", "-- x --", "| a | --- |"]
)
def test_another_line_stays_as_it_is(line: str) -> None:
    assert lines.unposing(f"{line}\u2028{line}") == f"{line}\u2028{line}"


@pytest.mark.parametrize(
    ("text", "chars", "short"),
    [
        ("word and more", 20, "word and more"),
        ("word and more", 9, "word and…"),
        ("word, (and more", 7, "word…"),
        ("a" * 20, 5, "aaaa…"),
        ("", 0, ""),
    ],
)
def test_clipped_between_words(text: str, chars: int, short: str) -> None:
    assert lines.clip(text, chars) == short


def test_an_end_and_two_ends() -> None:
    assert lines.ending("which of the two?", 20) == "which of the two?"
    assert lines.ending("which of the two?", 12) == "…the two?"
    assert lines.ending("x" * 20, 5) == "…xxxx"
    assert lines.both_ends("abcd", 4) == "abcd"
    assert lines.both_ends("ab" + "-" * 1_000 + "cd", 4) == "ab […1,000 more characters…] cd"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        *((-5, "0 s"), (59, "59 s"), (60, "1 min"), (3_600, "1 h"), (90_000, "25 h"), (172_800, "2 days")),
        (1e9, "11574 days"),
    ],
)
def test_spans_of_time(seconds: float, told: str) -> None:
    assert lines.age(seconds) == told
