import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.columns import cells, wrapped


@pytest.mark.parametrize(
    ("text", "width"), [("plain", 5), ("é", 1), ("e\u0301", 1), ("表", 2), ("→", 1), ("\U0001f600", 2), ("a\u200db", 2)]
)
def test_letters_are_as_wide_as_a_screen_shows_them(text: str, width: int) -> None:
    assert cells(text) == width


@given(st.text(st.sampled_from("ab é表→ "), max_size=200), st.integers(20, 60))
def test_no_line_is_wider_than_it_may_be_and_no_letter_is_lost(text: str, width: int) -> None:
    words = [word for word in text.split() if "表" not in word]
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    if max(map(cells, words), default=0) <= width // 2:
        assert all(cells(line) <= width or len(line.split()) == 1 for line in lines)


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("", [""]),
        ("  as it is", ["  as it is"]),
        ("  far in and long", ["  far in and", "  long"]),
        ("- one item of it", ["- one item of", "  it"]),
        ("> quoted words here", ["> quoted words", "> here"]),
        ("see /a/path/that/is/long or", ["see", "/a/path/that/is/long", "or"]),
        ("see ~/日本語の仕事/a.py or", ["see", "~/日本語の仕事/a.py", "or"]),
        ("日本語の文/長い文です", ["日本語の文/長", "い文です"]),
        ("run `a b c d e f g h` now", ["run", "`a b c d e f g h`", "now"]),
        ("/compact keep my task and the rest", ["/compact keep my task and the rest"]),
    ],
)
def test_what_stays_whole_and_how_a_line_goes_on(line: str, lines: list[str]) -> None:
    """Paths, commands and what is pasted; items and quotations go on below their beginning."""
    assert wrapped(line, 14) == lines


def test_no_mark_stands_alone() -> None:
    path = "/home/me/" + "y" * 40
    assert wrapped(f"  - {path} and more of it, so much that it is broken", 30) == [
        f"  - {path}",
        "    and more of it, so much",
        "    that it is broken",
    ]
    assert wrapped(f"> {path} x", 30) == [f"> {path}", "> x"]


@pytest.mark.parametrize(
    ("line", "lines"),
    [
        ("said" + " " * 20 + "[Holdfast: no]", ["said", "    [Holdfast:", "    no]"]),
        ("  said" + " " * 20 + "[Holdfast: no]", ["  said", "  [Holdfast:", "  no]"]),
        ("- said" + " " * 20 + "[Holdfast: no]", ["- said", "  [Holdfast:", "  no]"]),
    ],
)
def test_no_line_poses_as_one_of_somebody_elses(line: str, lines: list[str]) -> None:
    assert wrapped(line, 14, hang="    ") == lines
