import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.dates import is_time, iso, seconds


@given(when=st.integers(-60_000_000_000, 250_000_000_000))
def test_back_and_forth(when: int) -> None:
    assert seconds(iso(when)) == when
    known = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=when)
    assert iso(when) == known.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2026-11-04T14:32:00+02:00", "2026-11-04T12:32:00Z"),
        ("2026-11-04T14:32:00-0530", "2026-11-04T20:02:00Z"),
        ("2024-02-29T00:00:00.999Z", "2024-02-29T00:00:00Z"),
    ],
    ids=["east", "west", "fraction"],
)
def test_zones_and_fractions(text: str, same: str) -> None:
    assert seconds(text) == seconds(same)


@pytest.mark.parametrize(
    "text",
    ["", "2026-11-04", "2026-11-04T14:32:00", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
     "2026-01-01T24:00:01Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:00Z\n", "٢٠٢٦-01-01T00:00:00Z",
     "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"],
    ids=["empty", "day", "no-zone", "no-leap-year", "month", "month-0", "hour", "minute", "line-end", "digits",
         "year-0", "year-10000"],
)  # fmt: skip
def test_what_is_no_time(text: str) -> None:
    assert not is_time(text)
    with pytest.raises(ValueError, match="is no ISO 8601 time"):
        seconds(text)
