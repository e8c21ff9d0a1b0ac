"""When /compact is suggested, at which moments, and in which words; also by hooks that run at once."""

import itertools
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.gauge.pressure import ZONES
from holdfast.gauge.suggest import PATIENCE, Occasion, Past, Steps, WindowUse, breakpoint_at, decide, message
from holdfast.hot import call_log
from holdfast.worklog import model as worklog

Make = Callable[..., Any]
DEFAULT = Steps((50, 100, 150), 50, 10)
RANKS = {"unknown": 0, **{zone: rank for rank, zone in enumerate(ZONES)}}
STEPS = st.builds(
    lambda fixed, every, gap: Steps(tuple(sorted(fixed)), every, gap),
    st.sets(st.integers(1, 60), max_size=4),
    st.integers(0, 30),
    st.integers(0, 20),
)


def said(calls: list[Occasion], steps: Steps = DEFAULT, always: bool = False) -> list[tuple[int, str]]:
    """(call, key) of what is said, looking only where the last decision said, or always."""
    past, look, eager, zone, spoken = Past(), steps.following(0), False, "unknown", []
    for now in calls:
        worse, zone = RANKS[now.zone] > RANKS[zone], now.zone  # the mark of the next zone
        if not always and now.call < look and not worse and not (eager and now.breakpoint):
            continue
        decision = decide(now, past, steps)
        past, look, eager = decision.past, decision.next_check_call, decision.check_at_breakpoint
        spoken += [(now.call, decision.key)] if decision.key else []
    return spoken


def steady(zone: str, calls: int, at: str = "") -> list[Occasion]:
    return [Occasion(call, zone, at) for call in range(1, calls + 1)]


@given(st.lists(st.tuples(st.sampled_from(list(RANKS)), st.sampled_from(["", "a commit"])), max_size=150), STEPS)
def test_never_twice_for_a_reason_and_never_within_the_gap(calls: list[tuple[str, str]], steps: Steps) -> None:
    spoken = said([Occasion(call, *one) for call, one in enumerate(calls, 1)], steps, always=True)
    assert len({key for _, key in spoken}) == len(spoken)
    assert all(later - earlier >= steps.gap for (earlier, _), (later, _) in itertools.pairwise(spoken))


@given(st.integers(1, 400), STEPS)
def test_looking_only_when_told_misses_no_step(calls: int, steps: Steps) -> None:
    for zone in ("green", "unknown"):
        assert said(steady(zone, calls), steps) == said(steady(zone, calls), steps, always=True)


@pytest.mark.parametrize("calls", [49, 50, 99, 100, 150, 151, 200, 1000])
def test_default_steps(calls: int) -> None:
    """50, 100, 150, then every 50, each at its call; a breakpoint alone is no reason; in green all are silent."""
    expected = [(call, f"step-{call}") for call in range(50, calls + 1, 50)]
    assert said(steady("unknown", calls, "a commit")) == expected
    assert said(steady("green", calls, "a commit")) == said([*steady("green", 51), Occasion(52, "yellow")]) == []


def test_steps_fit_the_window() -> None:
    """In one six times as large they are six times as far apart; in a usual one, or an unknown one, as they are."""
    assert DEFAULT.apart(967_000) == Steps((300, 600, 900), 300, 10)
    assert DEFAULT.apart(167_000) == DEFAULT.apart(0) == DEFAULT


def test_the_end_of_a_turn_is_a_moment() -> None:
    """Right after another message, and where a step is near."""
    assert decide(Occasion(45, "yellow", "the end of a turn", ends=True), Past(44), DEFAULT).key == "zone-yellow-45"


@given(st.lists(st.integers(-8, 8), min_size=160, max_size=160))
def test_every_step_exactly_once_when_calls_overtake_each_other(shifts: list[int]) -> None:
    """Eight calls at a time in any order within their batch: each step is claimed, once."""
    order = sorted(range(1, 161), key=lambda call: (call // 8, shifts[call - 1]))
    spoken = said([Occasion(call, "unknown") for call in order], always=True)
    assert list(dict.fromkeys(key for _, key in spoken)) == ["step-50", "step-100", "step-150"]


@pytest.mark.parametrize("zone", ["yellow", "orange", "red"])
def test_a_worse_zone_is_told_in_time(zone: str) -> None:
    calls = [*steady("green", 4), *steady(zone, 44)[4:]]
    assert said(calls) == [(5 + PATIENCE[zone], f"zone-{zone}-5")]
    calls[8] = Occasion(9, zone, "a commit")
    assert said(calls)[0][0] == min(9, 5 + PATIENCE[zone])


@pytest.mark.parametrize(
    ("key", "now", "known", "first"),
    [
        (
            "step-50",
            Occasion(51, "yellow"),
            (84_000, 167_000, 8),
            "50 tool calls, 84k of 167k tokens used (50 %), about 8 turns left, compact at the next natural breakpoint",
        ),
        (
            "zone-red-7",
            Occasion(7, "red", "a commit"),
            (160_000, 167_000, 1),
            "7 tool calls, 160k of 167k tokens used (95 %), about 1 turn left, compact now, "
            "or go on in a new session: /h continuation",
        ),
        (
            "zone-orange-7",
            Occasion(7, "orange", "a finished to-do list"),
            (130_000, 167_000, 9),
            "7 tool calls, 130k of 167k tokens used (77 %), about 9 turns left, good moment to compact: "
            "a finished to-do list, or hand on what is done: /h complete",
        ),
        ("step-50", Occasion(50, "x"), (50_000, 167_000, 11), "50 tool calls, 50k of 167k tokens used (29 %)"),
        ("step-50", Occasion(60, "unknown"), (84_000, 0, None), "60 tool calls, 84k tokens used, limit unknown"),
        (
            "step-50",
            Occasion(50, "x"),
            (190_000, 167_000, None),
            "50 tool calls, 190k tokens used, past the limit of 167k",
        ),
        ("step-50", Occasion(50, "unknown"), (0, 0, None), "50 tool calls, size known after the next answer"),
    ],
    ids=["step", "zone", "phase", "far", "no limit", "past it", "nothing known"],
)
def test_a_suggestion_is_two_lines(key: str, now: Occasion, known: tuple[int, int, int | None], first: str) -> None:
    tokens, limit, turns = known
    reading = WindowUse(tokens, limit, "config", now.zone, 0.0, turns, "")
    assert message(key, now, reading, "/compact keep x", "/h").split("\n") == [
        f"Holdfast: {first}.",
        "/compact keep x",
    ]


COMMITTED = {"stdout": "[main 1234abc] Fix\n 1 file changed"}


@pytest.mark.parametrize(
    ("tool", "inputs", "response", "edited", "expected"),
    [
        ("Bash", {"command": "git commit -m x"}, COMMITTED, True, "a commit"),
        ("Bash", {"command": "git commit -m x"}, {"stdout": "nothing to commit"}, True, ""),
        ("Bash", {"command": "git -C a commit -m x"}, COMMITTED, False, "a commit"),
        ("Bash", {"command": "cat log"}, COMMITTED, True, ""),
        ("Bash", {"command": "git " * 60_000}, COMMITTED, True, ""),
        ("Bash", {"command": "pytest -q"}, {"stdout": "3 passed"}, True, "green tests"),
        ("Bash", {"command": "pytest -q"}, {"stdout": "3 passed"}, False, ""),
        ("Bash", {"command": "pytest -q 2>&1 | tail -5"}, {"stdout": "1 failed, 9 passed in 0.30s"}, True, ""),
        ("TodoWrite", {"todos": [{"status": "completed"}]}, {}, False, "a finished to-do list"),
        ("TodoWrite", {"todos": [{"status": "completed"}, {"status": "pending"}]}, {}, False, ""),
        ("TodoWrite", {"todos": []}, {}, False, ""),
        ("TaskUpdate", {"taskId": "2", "status": "completed"}, {}, False, "a finished to-do list"),
        ("TaskUpdate", {"taskId": "2", "status": "in_progress"}, {}, False, ""),
        ("TaskUpdate", {"taskId": "1", "status": "completed"}, {}, False, ""),
        ("Agent", {}, {"status": "completed"}, False, "a sub-agent's return"),
        ("Task", {}, {"status": "async_launched"}, False, ""),
        ("Read", {}, {}, True, ""),
    ],
)
def test_what_is_a_breakpoint(tool: str, inputs: dict[str, Any], response: Any, edited: bool, expected: str) -> None:
    tasks: dict[str, worklog.PlanItem] = {
        "1": {"text": "a", "status": "completed"},
        "2": {"text": "b", "status": "in_progress"},
    }
    assert breakpoint_at(tool, inputs, response, {**worklog.empty(), "dirty": edited, "tasks": tasks}) == expected


@pytest.mark.parametrize("odd", [None, 5, "text", [], [1], {"stdout": 5}, {"todos": "x"}, {"todos": [None]}], ids=str)
@pytest.mark.parametrize("tool", ["Bash", "TodoWrite", "TaskUpdate", "Agent", "x"])
def test_odd_shapes_are_no_breakpoint(tool: str, odd: Any) -> None:
    inputs = odd if isinstance(odd, dict) else {"command": odd, "todos": odd}
    tasks: dict[str, worklog.PlanItem] = {"1": {"text": "a", "status": "pending"}}
    assert breakpoint_at(tool, inputs, odd, {**worklog.empty(), "dirty": True, "tasks": tasks}) == ""


@pytest.fixture
def at_once(hook_command: Make, payload: Make) -> Callable[..., list[str]]:
    """Starts hooks for so many calls at the same time and gives what they said to the user."""

    def run(count: int, **changes: Any) -> list[str]:
        command, env = hook_command("post_tool_use")
        data = json.dumps(payload("PostToolUse.Bash", **changes)).encode()
        pipe = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        started = [subprocess.Popen(command, env=env, **pipe) for _ in range(count)]  # type: ignore[call-overload]  # the same pipes for each
        for process in started:  # all are up and waiting for their input
            process.stdin.write(data)
        for process in started:
            process.stdin.close()
        out = []
        for process in started:
            text, errors = process.stdout.read(), process.stderr.read()
            assert (process.wait(30), errors) == (0, b"")
            process.stdout.close()
            process.stderr.close()
            out.append(json.loads(text).get("systemMessage", "") if text else "")
        return [said for said in out if said]

    return run


@pytest.fixture
def begin(run_hook: Make, payload: Make, state: Path) -> Callable[..., Path]:
    def run(made: int, **config: int) -> Path:
        state.mkdir(parents=True)
        (state / "config.json").write_text(json.dumps({"window.limit": 100_000, **config}))
        run_hook("session_start", payload("SessionStart.startup"))
        session = next((state / "sessions").iterdir())
        with (session / "calls.log").open("ab") as file:
            file.write(call_log.line(1, 0, "Bash") * made)
        return session

    return run


@pytest.mark.parametrize("made", [43, 46, 49], ids=lambda made: f"calls {made + 1} to {made + 8}")
def test_call_50_is_told_once(made: int, at_once: Make, begin: Make, state: Path) -> None:
    session = begin(made)
    said = at_once(8) + at_once(4)
    assert len(said) == 1
    assert said[0].startswith("Holdfast: 50 tool calls, ")
    assert call_log.count(str(session / "calls.log")) == made + 12
    assert at_once(3, agent_id="a1", agent_type="Explore") == []  # a sub-agent's are neither counted nor commented
    assert call_log.count(str(session / "calls.log")) == made + 12
    assert not (state / "logs" / "faults.log").exists()


def test_a_worse_zone_is_told_once(at_once: Make, begin: Make, transcript: Any) -> None:
    begin(5)
    transcript.assistant("x", tokens=95_000)
    said = at_once(8) + at_once(4)
    assert len(said) == 1
    assert "95k of 100k tokens used (95 %)" in said[0]


@pytest.mark.parametrize(("made", "tokens", "expected"), [(47, 95_000, [48, 58]), (3, 60_000, [8])])
def test_what_waits_outlives_the_end_of_a_turn(
    made: int, tokens: int, expected: list[int], begin: Make, run_hook: Make, payload: Make, transcript: Any
) -> None:
    """Red at call 48 lets step 50 wait for call 58, over a Stop; what waits in yellow is told there, as call 8 ends."""
    begin(made)
    transcript.assistant("x", tokens=tokens)
    told: list[int] = []
    for call in range(made + 1, expected[-1] + 12):
        said = [run_hook("post_tool_use", payload("PostToolUse.Bash"))]
        said += [run_hook("stop", payload("Stop"))] if call == made + 5 else []
        told += [call for one in said if "systemMessage" in one.reply]
    assert told == expected


RED = {"model": "claude-sonnet-4-5"}


@pytest.mark.parametrize(
    ("before", "hook"),
    [
        ([("session_start", "SessionStart.startup", RED)], ("post_tool_use", "PostToolUse.Bash")),
        ([("session_start", "SessionStart.startup", RED)], ("stop", "Stop")),
        (
            [("session_start", "SessionStart.startup", {}), *[("post_tool_use", "PostToolUse.Bash", {})] * 2],
            ("post_tool_use", "PostToolUse.Bash"),
        ),
    ],
    ids=["in the first turn", "where a turn ends", "where the transcript names the model"],
)
def test_red_is_told_in_the_first_turn_and_once(
    before: list[tuple[str, str, dict[str, Any]]], hook: tuple[str, str], run_hook: Make, payload: Make, transcript: Any
) -> None:
    """The model that the start names gives the limit at once; else the third call asks the transcript."""
    for script, name, changes in before:
        assert "tokens used" not in run_hook(script, payload(name, **changes)).out
    transcript.assistant("x", tokens=160_000, model="claude-haiku-4-5" if not before[0][2] else "claude-sonnet-4-5")
    told = run_hook(hook[0], payload(hook[1])).reply["systemMessage"]
    assert "160k of 167k tokens used (95 %)" in told
    again = [
        run_hook(script, payload(name)).reply
        for script, name in (("post_tool_use", "PostToolUse.Bash"), ("stop", "Stop")) * 3
    ]
    assert [one for one in again if "systemMessage" in one] == []


@pytest.mark.parametrize(("made", "tokens", "told"), [(0, 95_000, "(95 %)"), (49, 40_000, "")], ids=["red", "green"])
def test_a_session_that_is_resumed_in_red_is_told_and_none_in_green(
    made: int, tokens: int, told: str, begin: Make, run_hook: Make, payload: Make, transcript: Any
) -> None:
    """It stands above every mark before its first call; while green call 50 and the end of the turn pass in silence."""
    transcript.assistant("x", tokens=tokens)
    begin(made)
    said = [run_hook(*one) for one in (("post_tool_use", payload("PostToolUse.Bash")), ("stop", payload("Stop")))]
    shown = [one.reply["systemMessage"] for one in said if "systemMessage" in one.reply]
    assert [told in one for one in shown] == [True] * bool(told)


def test_after_a_compaction_the_zones_are_told_again(
    begin: Make, run_hook: Make, payload: Make, transcript: Any
) -> None:
    """The old size stands in the transcript while the compaction runs; it must not hide the next rise."""
    begin(3, **{"suggest.gap": 0})
    transcript.assistant("x", tokens=99_000)
    run_hook("post_tool_use", payload("PostToolUse.Bash"))
    run_hook("pre_compact", payload("PreCompact.auto"))
    run_hook("session_start", payload("SessionStart.compact"))
    transcript.boundary()
    transcript.assistant("y", tokens=96_000)
    assert "96k of 100k" in run_hook("post_tool_use", payload("PostToolUse.Bash")).reply["systemMessage"]
