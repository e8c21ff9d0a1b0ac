import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.worklog import criteria


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Fix it. It is done when all tests pass. Go.", ["It is done when all tests pass."]),
        ("Keep going until the build is green.", ["Keep going until the build is green."]),
        ("Make sure that `make check` still passes.", ["Make sure that `make check` still passes."]),
        ("Add a cache.\n- all tests must pass\n- use Redis", ["all tests must pass"]),
        ("Acceptance criteria: p95 under 200 ms.", ["Acceptance criteria: p95 under 200 ms."]),
        ("We're done once the linter has nothing to say.", ["We're done once the linter has nothing to say."]),
        ("State persists until cleanup.", []),
        ("It worked until now.", []),
        ("Rename the function.", []),
        ("", []),
    ],
)
def test_the_users_conditions(prompt: str, expected: list[str]) -> None:
    """Word for word; a sentence that sets no condition gives none."""
    assert criteria.found([prompt]) == expected


def test_newest_last_and_each_once() -> None:
    """A condition that is said again counts where it was said last; only the newest are kept."""
    said = [f"Keep trying until test {n} passes." for n in range(9)]
    found = criteria.found([*said, said[7]])
    assert found == [said[4], said[5], said[6], said[8], said[7]]


@given(st.lists(st.text(max_size=300), max_size=6))
def test_never_more_than_was_asked(prompts: list[str]) -> None:
    """Whatever is typed: few and short."""
    found = criteria.found(prompts)
    assert len(found) <= criteria.KEPT
    assert all(len(text) <= criteria.CHARS for text in found)
