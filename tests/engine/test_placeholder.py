"""What stands where a block was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.blocks import RESULT, Block
from holdfast.engine.placeholder import START, TOKENS, Left, text
from holdfast.text import tokens

BLOCK = Block("result:c1", RESULT, "", 2_345, 7, pair="c1", about="Read src/api/users.py")


def test_it_says_what_it_was_when_it_came_and_where_the_whole_is() -> None:
    """And the names that stand nowhere else, as far as there is room."""
    shown = text(BLOCK, Left("a12", names=["parseHeader", "retry_pool"]))
    assert shown == "[Evicted: Read users.py, turn 7: parseHeader, retry_pool; whole: a12]"
    assert shown.startswith(START)


@pytest.mark.parametrize(
    ("about", "shown"),
    [
        ("Bash cat /etc/hosts | sort", "Bash cat /etc/hosts | sort"),
        ("Grep parse_(\\w+)", "Grep parse_(\\w+)"),
        ("Bash " + "make test " * 9, "Bash make test make test make test …"),
    ],
)
def test_only_of_a_path_its_last_part_is_enough(about: str, shown: str) -> None:
    """The call before it says the whole path; of another argument its beginning stands."""
    assert text(BLOCK._replace(about=about), Left("")) == f"[Evicted: {shown}, turn 7]"


def test_a_finding_goes_before_the_names() -> None:
    """Its line, and the kind where nothing is known of the tool."""
    shown = text(BLOCK._replace(about=""), Left("a1", "KeyError:\n 'sid'", ["parseHeader"]))
    assert shown.startswith("[Evicted: tool result, turn 7. KeyError: 'sid'. Names: parseHeader")


def test_without_a_place_it_names_none() -> None:
    """Nothing is promised that is not kept."""
    assert "whole" not in text(BLOCK, Left(""))


@pytest.mark.parametrize("room", [50, 20, 5])
def test_the_place_outlives_the_name_when_there_is_little_room(room: int) -> None:
    """The name in the archive is never left out."""
    shown = text(BLOCK._replace(about="Bash " + "x" * 300), Left("archive/a1.txt"), room)
    assert shown.startswith(START)
    assert ("archive/a1.txt" in shown) == (room >= 20)
    assert "; whole: a" in shown


@pytest.mark.parametrize(
    "folder",
    [
        "/Users/firstname.lastname/Documents/projects/customer-backend/.agent/state/archive",
        "/data/runs/2026-11-21T15-58-05Z/8f14e45f-ceea-467f-a9c1-0d3b9a1c2e77/archive",
        "/" + "x1-Y2_z3/" * 40,
    ],
)
def test_of_a_long_path_the_name_in_the_archive_stands(folder: str) -> None:
    """With what it was, and names: `recall` takes it."""
    shown = text(BLOCK, Left(f"{folder}/a120.txt", names=["parseHeader"]))
    assert shown == "[Evicted: Read users.py, turn 7: parseHeader; whole: a120]"


_words = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs", "Cc")), max_size=400)


@given(
    _words,
    _words,
    st.lists(_words.filter(bool), max_size=20),
    st.sampled_from(["", "a1", "archive/of/it/a99.txt", "/x1-Y2_z3" * 30]),
)
def test_never_more_than_its_tokens(about: str, finding: str, names: list[str], whole: str) -> None:
    """Whatever it has to say, it stays within 50 tokens by the estimate and begins as a placeholder does."""
    shown = text(BLOCK._replace(about=about), Left(whole, finding, names))
    assert tokens.estimate(shown) <= TOKENS
    assert shown.startswith(START)
    assert ("; whole: " in shown) == bool(whole)
