"""At how many tokens compaction fires, how full the window is read to be, and what that leaves for the hot road."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge import hooks as gauge
from holdfast.gauge import limit, status_line
from holdfast.gauge.suggest import Past, Timing
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
        (200_000, {limit.NEVER: "1"}, 177_000),
        (200_000, {limit.NEVER: "false"}, 167_000),
    ],
)
def test_threshold(window: int, environment: dict[str, str], expected: int) -> None:
    assert limit.threshold(window, environment) == expected


@given(
    st.integers(0, 2_000_000),
    st.dictionaries(st.sampled_from([WINDOW, PERCENT]), st.text("0123456789 .-x²", max_size=7)),
)
def test_any_environment_gives_a_limit_below_the_window(window: int, environment: dict[str, str]) -> None:
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


@pytest.mark.parametrize(("size", "expected"), [(200_000, 67_000), (0, 167_000), (180_000, 167_000)])
def test_what_the_window_can_hold_proves_nothing_against_a_limit(size: int, expected: int) -> None:
    """One answer may fill it from below the limit; what is above its size does."""
    assert limit.choose([(67_000, "a"), (167_000, "b")], 185_000, size)[0] == expected


@pytest.fixture
def here(event_of: Make, session_of: Make) -> tuple[Any, Any]:
    event = event_of("Stop")
    return event, session_of(event)


def test_the_reading_of_a_transcript(here: tuple[Any, Any], transcript: Any) -> None:
    """Tokens, the limit that the status line told, zone; growth by turns, however many messages one takes."""
    event, session = here
    for tokens in (80_000, 90_000, 100_000):
        for size in range(tokens - 9_000, tokens + 1, 1_000):
            transcript.assistant("x", tokens=size)
        assert gauge.read(event, session)[:6] == (tokens, 0, "", "unknown", 0.0, None)
        gauge.at_turn_end(session, gauge.read(event, session), str)
    session.write("window.json", {"size": 200_000})
    assert gauge.read(event, session)[:6] == (100_000, 167_000, "status line", "yellow", 10_000.0, 6)
    gauge.mark_compacted(session)
    assert gauge.read(event, session).turns_left is None


@pytest.mark.parametrize(
    ("arguments", "settings", "expected"),
    [
        (["claude", "--autocompact", "100000"], [{"autoCompactWindow": 500_000}], {WINDOW: "100000"}),
        (["claude", "--autocompact=150k", "-p"], [], {WINDOW: "150000"}),
        (["claude", "--autocompact", "200"], [], {WINDOW: "200000"}),
        (["claude", "--autocompact", "auto"], [{"autoCompactWindow": 500_000}], {WINDOW: ""}),
        (["claude", "--autocompact"], [], {WINDOW: ""}),
        ([], [{}, {"autoCompactWindow": 120_000}, {"autoCompactWindow": 300_000}], {WINDOW: "120000"}),
        (
            [],
            [{"autoCompactWindow": 1, "modelSettings": {"claude-x": {"autoCompactWindow": 400_000}}}],
            {WINDOW: "400000"},
        ),
        ([], [{"modelSettings": {"claude-y": {"autoCompactWindow": 400_000}, "z": 5}}], {}),
        ([], [{"autoCompactEnabled": False}], {limit.NEVER: "1"}),
        ([], [{"autoCompactWindow": "auto", "modelSettings": []}], {WINDOW: ""}),
    ],
)
def test_what_the_client_is_configured_with(arguments: list[str], settings: Any, expected: dict[str, str]) -> None:
    """Flag before settings, one settings file before the next, what is said of the model before what is said of all."""
    assert limit.configured(arguments, settings, "claude-x-5") == expected


def test_settings_move_the_limit(here: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The project's local file before the project's, and that before the user's; the environment before all."""
    event, session = here
    session.write("window.json", {"size": 200_000})
    found = []
    for folder, name, window in (
        ("", "settings.json", 180_000),
        (session.project, "settings.json", 150_000),
        (session.project, "settings.local.json", 110_000),
    ):
        path = Path(folder or os.environ["HOME"], ".claude", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"autoCompactWindow": window}))
        found.append(gauge.read(event, session).limit)
    monkeypatch.setenv(WINDOW, "100000")
    assert [*found, gauge.read(event, session).limit] == [147_000, 117_000, 77_000, 67_000]


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc to see the client's command line")
def test_the_clients_flag_moves_the_limit(here: tuple[Any, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """As the process that the client names was called; a command at another terminal goes by what hooks have noted."""
    event, session = here
    session.write("window.json", {"size": 200_000})
    process = subprocess.Popen([sys.executable, "-c", "input()", "--autocompact", "100k"], stdin=subprocess.PIPE)
    try:
        monkeypatch.setenv("CLAUDE_PID", str(process.pid))
        gauge.compile_thresholds(session, gauge.read(event, session))
    finally:
        process.communicate(b"\n")
    monkeypatch.delenv("CLAUDE_PID")
    assert gauge.read(event, session).limit == 167_000
    assert gauge.read(event, session, by_hooks=True)[1:3] == (67_000, "status line")
    configured = session._replace(config={**session.config, "window.limit": 9_000})
    assert gauge.read(event, configured, by_hooks=True)[1:3] == (9_000, "config")


def test_a_limit_that_use_contradicts_is_not_used(here: tuple[Any, Any], event_of: Make, transcript: Any) -> None:
    """300K tokens are in no window of 200K; the size at which it was compacted before is known.

    At a resume the client tells the size where the transcript does not.
    """
    event, session = here
    assert gauge.read(event_of("SessionStart.resume"), session).tokens == 22_685
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
    assert (found["digest_tokens"], found["digest_bytes"], found["next_check_call"]) == (600, 1_200, gauge.LOOK)


def test_compiling_anew_forgets_nothing(here: tuple[Any, Any]) -> None:
    """A suggestion that waits for its moment outlives the end of a turn; so does what other rooms put there.

    After a compaction the zones start over.
    """
    event, session = here
    session.write("window.json", {"size": 200_000})
    reading, past = gauge.read(event, session), Past(48, 0, "red", 0)
    gauge.compile_thresholds(session, reading, lambda _: Timing("", past, 45, True))
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
    gauge.compile_thresholds(session, reading, lambda _: Timing("", past, 40, False))
    found = thresholds.load(session.path("thresholds.json"))
    assert (found["next_check_call"], found["check_at_breakpoint"]) == (40, False)


def test_a_new_window_speaks_of_its_zones_without_a_call(here: tuple[Any, Any], transcript: Any) -> None:
    """One message per zone and window, also where no tool runs in between."""
    event, session = here
    session.write("window.json", {"size": 200_000})
    for _ in range(2):
        for tokens, speaks in ((130_000, True), (131_000, False), (155_000, True), (156_000, False)):
            transcript.assistant("x", tokens=tokens)
            assert bool(gauge.at_turn_end(session, gauge.read(event, session), str)) is speaks
        gauge.mark_compacted(session)


def test_a_turns_end_counts_the_turn_that_ends(here: tuple[Any, Any], transcript: Any) -> None:
    """The message and the status line behind it have one rate: a turn of 90,000 tokens is in both."""
    event, session = here
    session.write("window.json", {"size": 200_000})
    for tokens in (20_000, 21_000, 130_000):
        transcript.assistant("x", tokens=tokens)
        said = gauge.at_turn_end(session, gauge.read(event, session), str)
    window = {"total_input_tokens": 130_000, "context_window_size": 200_000}
    assert "less than a turn left" in said
    assert "<1 turn left" in status_line.line({"context_window": window}, session.folder, 0)


def test_one_decides_after_the_other(here: tuple[Any, Any]) -> None:
    """A call that decides holds the lock from what it reads to what it writes; the end of a turn takes it as well."""
    event, session = here
    lock, reading = session.path("thresholds.json") + ".lock", gauge.read(event, session)
    seen: list[bool] = []

    def decide(past: Past) -> Timing:
        with Lock(lock, 0) as held:
            seen.append(held)
        return Timing("", past, 45, False)

    gauge.compile_thresholds(session, reading, decide)
    assert seen == [False]


@pytest.mark.parametrize("odd", [None, -5, "x", [], {}, True, 10**30, 1.5], ids=str)
def test_damaged_notes_heal_with_the_next_writing(here: tuple[Any, Any], transcript: Any, odd: Any) -> None:
    """Any type in any field of what hooks and the status line have left; no hook fails at it; a past begins anew."""
    event, session = here
    for stored in ({}, {"past": odd}, {"past": [odd]}, {"past": [1, 2, 3, 4]}):
        assert gauge.past_of(stored) == Past()  # type: ignore[arg-type]  # what stands on the disk
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
