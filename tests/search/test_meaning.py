import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.search import meaning


def test_a_text_is_embedded_by_its_lines() -> None:
    """Its title is one; empty ones are none."""
    assert meaning.lines("Tea", "green\n\n  \nblack") == ["Tea", "green", "black"]
    assert meaning.lines("", "") == []


@given(st.integers(0, 5_000))
def test_a_long_text_has_no_more_vectors(number: int) -> None:
    """Of all its lines, in order."""
    text = "\n".join(f"line {i}" for i in range(number))
    found = meaning.lines("", text)
    assert len(found) <= meaning.VECTORS
    assert "\n".join(found) == text


def test_vectors_get_length_one() -> None:
    """Unless they are nothing."""
    assert meaning.unit([3.0, 4.0]) == pytest.approx([0.6, 0.8])
    assert meaning.unit([0.0, 0.0]) == [0.0, 0.0]


def test_the_nearest_line_counts() -> None:
    """However far the others are; never below 0; another model's vectors count nothing."""
    asked = [1.0, 0.0]
    assert meaning.nearest(asked, meaning.packed([[0.0, 1.0], [4.0, 3.0], [-1.0, 0.0]])) == pytest.approx(0.8)
    assert meaning.nearest(asked, meaning.packed([[-1.0, 0.0]])) == 0.0
    for other in ([], [[1.0]], [[1.0], [1.0]], [[1.0, 0.0, 0.0, 0.0]], [[0.0, 0.0]]):
        assert meaning.nearest(asked, meaning.packed(other)) == 0.0
    assert meaning.nearest([], meaning.packed([[]])) == 0.0


def test_both_count_and_what_has_nothing_in_common_does_not_answer() -> None:
    """A little meaning moves what words found, and makes no answer by itself."""
    assert meaning.blended(0.5, 0.0) < meaning.blended(0.5, 0.1) < meaning.blended(0.5, 1.0)
    assert meaning.blended(0.0, meaning.UNRELATED / 2) == 0.0
    assert meaning.blended(0.0, 0.9) > 0.0
    assert math.isclose(meaning.blended(1.0, 1.0), 1.0)
