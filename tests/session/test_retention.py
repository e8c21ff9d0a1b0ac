from hypothesis import given
from hypothesis import strategies as st

from holdfast.session import retention
from holdfast.text.dates import DAY

NOW = 1_800_000_000.0
USED = st.dictionaries(st.text("abc", min_size=1, max_size=5), st.floats(0, NOW), max_size=20)


def test_only_the_old_beyond_the_newest_go() -> None:
    """Oldest first; a project that slept for a year keeps its last sessions."""
    used = {f"s{age}": NOW - age * DAY for age in (0, 29, 31, 40, 365, 366, 367, 368)}
    assert retention.expired(used, NOW, 30) == ["s368", "s367", "s366"]
    slept = {f"s{age}": NOW - age * DAY for age in (365, 366, 367, 368, 369)}
    assert retention.expired(slept, NOW, 30) == []


@given(USED, st.integers(0, 400))
def test_what_goes_is_older_than_all_that_stays_by_rule(used: dict[str, float], days: int) -> None:
    """Never with 0 days, never one that was used within the days, never one of the newest."""
    gone = retention.expired(used, NOW, days)
    assert all(NOW - used[name] > days * DAY for name in gone)
    assert gone == [] if days == 0 else len(used) - len(gone) >= min(len(used), retention.NEWEST)
    stays = [used[name] for name in used if name not in gone]
    assert all(used[name] <= max(stays) for name in gone)
