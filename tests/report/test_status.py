from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.compaction import store
from holdfast.hook.on import stop
from holdfast.report import status
from holdfast.report.schema import Digests
from holdfast.session import liveness
from holdfast.session.context import PROGRAM

Make = Callable[..., Any]


def test_an_untouched_session(event_of: Make, session_of: Make, state: Path) -> None:
    session = session_of(event_of("Stop"))
    facts = status.gather(str(state), session.folder, 0.0)
    assert (facts.zone, facts.used, facts.limit, facts.last_checkpoint) == ("unknown", None, None, None)
    assert (facts.components, facts.baseline, facts.calibration.pairs) == ([], None, 0)
    assert all(text.strip() for row in status.lines(facts) for text in row)


def test_a_session_at_work(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    transcript.user("Fix the login")
    transcript.did("Bash", "[main 1234abc] Fix", command="git commit -m x")
    transcript.assistant("x", tokens=84_000)
    event = event_of("Stop")
    session = session_of(event)
    session.write("window.json", {"size": 200_000})
    stop.handle(event, session)
    Path(session.path("saved.log")).write_text("Bash 1000 100\ntorn\nRead x 5\n")
    facts = status.gather(str(state), session.folder, session.now + 120)
    assert (facts.zone, facts.used, facts.limit, facts.limit_source) == ("yellow", 84_000, 167_000, "status line")
    assert facts.last_checkpoint
    assert facts.last_checkpoint.age_seconds == 120
    sizes = {"characters_before": 1_000, "characters_after": 100, "tokens_before": 392, "tokens_after": 39}
    assert facts.digests == Digests(count=1, **sizes)
    assert ("calls", "0 tool calls; outside the green zone a suggestion comes by call 50") in status.lines(facts)
    assert ("window", "84k of 167k tokens used (50 %), limit from status line") in status.lines(facts)


def test_right_after_a_compaction_nothing_is_told_of_the_window_that_has_gone(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    transcript.user("Look at all")
    transcript.did("Bash", "a line of output\n" * 9_000, command="make check")
    transcript.assistant("x", tokens=120_000)
    transcript.boundary()
    event = event_of("Stop")
    session = session_of(event)
    liveness.opened(event, session)
    session.write("window.json", {"size": 200_000})
    told = dict(status.lines(status.gather(str(state), session.folder, session.now)))
    assert (told["zone"], told["window"]) == (
        "unknown: size or limit is not known yet",
        "size known after the next answer, limit from status line",
    )
    assert {"part", "to do"} & told.keys() == set()


def test_the_line_to_paste_knows_the_turn_under_way_and_nothing_is_written(
    event_of: Make, session_of: Make, transcript: Any, state: Path, project: Path
) -> None:
    event = event_of("Stop")
    session = session_of(event)
    liveness.opened(event, session)
    (project / "store.py").write_text("x = 1")
    transcript.user("Fix the login of the store")
    transcript.did("Edit", file_path=f"{project}/store.py", old_string="x", new_string="y")
    before = {path: path.read_bytes() for path in state.rglob("*") if path.is_file()}
    line = status.gather(str(state), session.folder, session.now).compact_line
    assert [part for part in ("Fix the login of the store", "store.py") if part not in line] == []
    assert {path: path.read_bytes() for path in state.rglob("*") if path.is_file()} == before


def test_a_model_that_nobody_knows_is_named_with_what_to_do(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    transcript.assistant("x", tokens=84_000, model="my-model-1")
    event = event_of("Stop")
    session = session_of(event)
    stop.handle(event, session)
    told = dict(status.lines(status.gather(str(state), session.folder, session.now)))
    assert told["window"] == "84k tokens used, limit unknown"
    assert f"my-model-1 does not tell: `{PROGRAM} config set window.limit 167000` for a window of 200K" in told["to do"]


def test_the_last_compaction_in_words(event_of: Make, session_of: Make, state: Path) -> None:
    """What became of the facts, where they were compared; another session's only while this one has none."""
    session = session_of(event_of("Stop"))
    base = {"trigger": "auto", "instructions": "", "tool_calls": 3, "tokens_before": 160_000, "tokens_after": 9_000}
    alone = {"retained": 3, "recoverable": 0, "missing": 37}
    facts = {"facts": {"retained": 40, "missing": 0}, "facts_in_summary": alone}
    counted = {**facts, "must": {"items": 13, "held": 10, "on_page": 2}}
    told = list[str]()
    for of, more in (("other", {}), (Path(session.folder).name, counted), ("other", {})):
        store.add(str(state / "logs" / "compactions.jsonl"), {**base, **more, "session": of, "time": f"t{len(told)}"})
        told.append(dict(status.lines(status.gather(str(state), session.folder, session.now)))["compaction"])
    said = (
        "t1, auto, 160,000 → 9,000 tokens; facts in the summary: 3 of 40; with what was put back: 40 retained; "
        "of what must stay: 12 of 13 kept"
    )
    assert told == ["none yet; last in this project: t0, auto, 160,000 → 9,000 tokens", said, said]
