import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.assembly import loading
from holdfast.engine.assembly.loading import File

ACTIVE, HOUR = 100_000, 3_600
HOT = File("hot.py", 2_000, mentioned=True, just_changed=True, open_issue=True, age=60, relation="direct")
FILES = st.lists(
    st.builds(
        File,
        path=st.text("abc", min_size=1, max_size=4),
        tokens=st.integers(0, 30_000),
        mentioned=st.booleans(),
        just_changed=st.booleans(),
        core=st.booleans(),
        age=st.none() | st.floats(0, 10**7),
        relation=st.sampled_from(["", "direct", "importer", "second"]),
    ),
    max_size=20,
)


@pytest.mark.parametrize(
    ("file", "score"),
    [
        (HOT, 100),
        (File("x", 1), 0),
        (File("x", 1, mentioned=True), 25),
        (File("x", 1, mentioned=True, just_changed=True, age=HOUR), 70),
        (File("x", 1, age=HOUR), 30),
        (File("x", 1, age=4 * HOUR), 20),
        (File("x", 1, age=24 * HOUR), 10),
        (File("x", 1, age=168 * HOUR), 5),
        (File("x", 1, age=169 * HOUR), 0),
        (File("x", 1, relation="importer"), 15),
        (File("x", 1, mentioned=True, just_changed=True, core=True, open_issue=True, helper=True), 50),
    ],
)
def test_the_score_weighs_parts_that_each_reach_100(file: File, score: float) -> None:
    """So that 70 can happen; relevance is capped at its half."""
    assert loading.score(file) == score


@pytest.mark.parametrize(
    ("file", "used", "mode", "reason"),
    [
        (HOT, 0.0, "preload", "70 or more"),
        (HOT._replace(tokens=10_001), 0.0, "just_in_time", "larger than 10,000"),
        (HOT, 0.81, "just_in_time", "more than 80% full"),
        (HOT, 0.80, "preload", "70 or more"),
        (File("x", 1, mentioned=True, age=4 * HOUR), 0.0, "just_in_time", "less than 70"),
        (File("x", 1, mentioned=True), 0.0, "on_demand", "less than 40"),
        (File("x", 99_999), 0.9, "on_demand", "less than 40"),
    ],
)
def test_score_size_and_room_decide(file: File, used: float, mode: str, reason: str) -> None:
    """With the reason."""
    found = loading.plan([file], ACTIVE, used)[0]
    assert found.mode == mode
    assert reason in found.reason


@given(FILES, st.integers(0, 100_000))
def test_loading_stops_at_its_share_of_the_room(files: list[File], active: int) -> None:
    """Every file is told of, the best first, and what is preloaded fits into 70 %."""
    found = loading.plan(files, active)
    assert sorted(one.path for one in found) == sorted(file.path for file in files)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert sum(one.tokens for one in found if one.mode == "preload") <= 0.7 * active
