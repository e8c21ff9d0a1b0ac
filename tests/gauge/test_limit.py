"""At how many tokens compaction fires, how full the window is read to be, and what that leaves for the hot road."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge import hooks as gauge
from holdfast.gauge import limit
from holdfast.gauge.suggest import Decision, Past
from holdfast.hot import thresholds
from holdfast.hot.files import Lock
from holdfast.session import worklog

Make = Callable[..., Any]
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


@given(
    st.integers(0, 2_000_000),
    st.dictionaries(st.sampled_from([WINDOW, PERCENT]), st.text("0123456789 .-x²", max_size=7)),
)
def test_any_environment_gives_a_limit_below_the_window(window: int, environment: dict[str, str]) -> None:
    """Nothing raises, nothing is negative, and compaction never fires above the window."""
    found = limit.threshold(window, environment)
    assert found >= 0
    assert not window or found < window


@pytest.mark.parametrize(
    ("model", "window", "marked"),
    [
        ("claude-haiku-4-5-20251001", 200_000, 200_000),
        ("claude-3-7-sonnet", 200_000, 200_000),
        ("claude-sonnet-4-5", 0, 200_000),
        ("claude-sonnet-4-5[1m]", 1_000_000, 1_000_000),
        ("claude-sonnet-5-5", 1_000_000, 1_000_000),
        ("claude-opus-4-6", 0, 200_000),
        ("", 0, 0),
        ("other", 0, 0),
    ],
)
def test_window_of_a_model(model: str, window: int, marked: int) -> None:
    """Known only for models of one size, or where a large window would carry its mark."""
    assert (limit.window_of(model), limit.window_of(model, marked=True)) == (window, marked)


@pytest.mark.parametrize(
    ("used", "expected"),
    [(0, (100, "a")), (115, (100, "a")), (116, (1000, "c")), (2000, (0, ""))],
)
def test_the_first_that_use_does_not_contradict(used: int, expected: tuple[int, str]) -> None:
    """A limit that use has long passed was wrong; then the next is asked, then it is unknown."""
    assert limit.choose([(0, "x"), (-5, "y"), (100, "a"), (100, "b"), (1000, "c")], used) == expected


@pytest.fixture
def here(event_of: Make, session_of: Make) -> tuple[Any, Any]:
    """An event and its session."""
    event = event_of("Stop")
    return event, session_of(event)


def test_the_reading_of_a_transcript(here: tuple[Any, Any], transcript: Any) -> None:
    """Tokens, the limit that the status line told, zone, rate and turns."""
    event, session = here
    for tokens in (80_000, 90_000, 100_000):
        transcript.assistant("x", tokens=tokens)
    assert gauge.read(event, session)[:4] == (100_000, 0, "", "unknown")
    session.write("window.json", {"size": 200_000})
    assert gauge.read(event, session)[:6] == (100_000, 167_000, "status line", "yellow", 10_000.0, 6)


def test_the_client_tells_the_size_at_a_resume(event_of: Make, session_of: Make) -> None:
    """Where the transcript does not."""
    event = event_of("SessionStart.resume")
    assert gauge.read(event, session_of(event)).tokens == 22_685


def test_a_limit_that_use_contradicts_is_not_used(here: tuple[Any, Any], transcript: Any) -> None:
    """300K tokens are in no window of 200K; the size at which it was compacted before is known."""
    event, session = here
    transcript.boundary(before=950_000)
    transcript.assistant("x", tokens=300_000)
    session.write("window.json", {"size": 200_000})
    worklog.fold(event, session)
    assert gauge.read(event, session)[:3] == (300_000, 950_000, "last compaction")


def test_the_hot_road_gets_the_configuration_in_force(event_of: Make, session_of: Make) -> None:
    """Names of events, so that it need not match patterns; bytes, so that it need not count tokens."""
    event = event_of("Stop")
    session_of(event)
    settings = Path(os.environ["HOME"], ".claude", "holdfast", "config.json")
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"hooks.off": ["Post*"], "digest.tokens": 600}))
    session = session_of(event)
    gauge.compile_thresholds(session, gauge.read(event, session))
    found = thresholds.load(session.path("thresholds.json"))
    assert sorted(found["off"]) == ["PostCompact", "PostToolUse", "PostToolUseFailure"]
    assert (found["digest_tokens"], found["digest_bytes"], found["next_check_call"]) == (600, 1_200, 50)


def test_compiling_anew_forgets_nothing(here: tuple[Any, Any]) -> None:
    """A suggestion that waits for its moment outlives the end of a turn; so does what other rooms put there.

    After a compaction the zones start over.
    """
    event, session = here
    reading, past = gauge.read(event, session), Past(48, 0, "red", 0)
    gauge.compile_thresholds(session, reading, lambda _: Decision("", past, 45, True))
    gauge.mark_compacted(session)
    thresholds.update(session.path("thresholds.json"), {"recall": "words.bin"})
    gauge.compile_thresholds(session, reading)
    found = thresholds.load(session.path("thresholds.json"))
    assert (found["next_check_call"], found["check_at_breakpoint"], gauge.past_of(found)) == (
        45,
        True,
        Past(0, 0, "green", 0),
    )
    assert (found["epoch"], found["recall"]) == (1, "words.bin")
    gauge.compile_thresholds(session, reading, lambda _: Decision("", past, 40, False))
    found = thresholds.load(session.path("thresholds.json"))
    assert (found["next_check_call"], found["check_at_breakpoint"]) == (40, False)


def test_one_decides_after_the_other(here: tuple[Any, Any]) -> None:
    """A call that decides holds the lock from what it reads to what it writes; the end of a turn takes it as well."""
    event, session = here
    lock, reading = session.path("thresholds.json") + ".lock", gauge.read(event, session)
    seen: list[bool] = []

    def decide(past: Past) -> Decision:
        with Lock(lock, 0) as held:
            seen.append(held)
        return Decision("", past, 45, False)

    gauge.compile_thresholds(session, reading, decide)
    assert seen == [False]


@pytest.mark.parametrize("stored", [{}, {"past": None}, {"past": [1]}, {"past": {}}, {"past": [1, 2, 3, 4]}], ids=str)
def test_what_was_suggested_begins_anew_where_it_cannot_be_read(stored: Any) -> None:
    """Thresholds without a past, or with another's."""
    assert gauge.past_of(stored) == Past()


@pytest.mark.parametrize("odd", [None, -5, "x", [], {}, True, 10**30, 1.5], ids=str)
def test_damaged_notes_heal_with_the_next_writing(here: tuple[Any, Any], transcript: Any, odd: Any) -> None:
    """Any type in any field of what hooks and the status line have left; no hook fails at it."""
    event, session = here
    transcript.assistant("x", tokens=80_000)
    gauge.compile_thresholds(session, gauge.read(event, session))
    whole = session.read("thresholds.json")
    for name in whole.keys() - {"v"}:
        session.write("thresholds.json", {**whole, name: odd})
        session.write("window.json", {"size": odd, "sizes": odd, "model": odd})
        gauge.mark_compacted(session)
        gauge.compile_thresholds(session, gauge.read(event, session))
        healed = session.read("thresholds.json")
        assert {key: type(value) for key, value in healed.items()} == {key: type(value) for key, value in whole.items()}
