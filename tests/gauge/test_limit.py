import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge import limit

WINDOW, PERCENT = "CLAUDE_CODE_AUTO_COMPACT_WINDOW", "CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"


@pytest.mark.parametrize(
    ("window", "environment", "expected"),
    [
        (200_000, {}, 167_000),
        (1_000_000, {}, 967_000),
        (200_000, {WINDOW: "100000"}, 67_000),
        (200_000, {WINDOW: "50000"}, 67_000),
        (200_000, {WINDOW: "500000"}, 167_000),
        (0, {WINDOW: "100000"}, 67_000),
        (100_000, {PERCENT: "50"}, 40_000),
        (200_000, {PERCENT: "99"}, 167_000),
        (200_000, {PERCENT: "0"}, 167_000),
        (200_000, {PERCENT: "150"}, 167_000),
        (200_000, {PERCENT: "half", WINDOW: "-1"}, 167_000),
        (200_000, {PERCENT: "²"}, 167_000),
        (0, {}, 0),
        (0, {PERCENT: "50"}, 0),
        (30_000, {}, 0),
    ],
)
def test_threshold(window: int, environment: dict[str, str], expected: int) -> None:
    """The client's formula; 0 where it gives no limit."""
    assert limit.threshold(window, environment) == expected


@pytest.mark.parametrize(
    ("model", "window"),
    [
        ("claude-haiku-4-5-20251001", 200_000),
        ("claude-opus-4-5", 200_000),
        ("claude-3-7-sonnet", 200_000),
        ("claude-sonnet-4-5", 0),
        ("claude-sonnet-4-5[1m]", 1_000_000),
        ("claude-opus-4-6", 0),
        ("", 0),
        ("gpt", 0),
    ],
)
def test_window_of_a_model(model: str, window: int) -> None:
    """Known only for models of one size, or with the mark of the large one."""
    assert limit.window_of(model) == window


@pytest.mark.parametrize(
    ("model", "window"),
    [("claude-sonnet-4-5", 200_000), ("claude-sonnet-4-5[1m]", 1_000_000), ("claude-sonnet-5-5", 1_000_000), ("x", 0)],
)
def test_an_id_that_would_carry_the_mark(model: str, window: int) -> None:
    """Where a large window is marked, an id without the mark means the small one."""
    assert limit.window_of(model, marked=True) == window


@pytest.mark.parametrize(
    ("used", "expected"),
    [(0, (100, "a")), (114, (100, "a")), (116, (1000, "c")), (2000, (0, ""))],
)
def test_the_first_that_use_does_not_contradict(used: int, expected: tuple[int, str]) -> None:
    """A limit that use has long passed was wrong; then the next is asked, then it is unknown."""
    assert limit.choose([(0, "x"), (-5, "y"), (100, "a"), (100, "b"), (1000, "c")], used) == expected


@given(
    st.integers(0, 2_000_000),
    st.dictionaries(st.sampled_from([WINDOW, PERCENT]), st.text("0123456789 .-x²", max_size=7)),
)
def test_any_environment_gives_a_limit_below_the_window(window: int, environment: dict[str, str]) -> None:
    """Nothing raises, nothing is negative, and compaction never fires above the window."""
    found = limit.threshold(window, environment)
    assert found >= 0
    assert not window or found < window
