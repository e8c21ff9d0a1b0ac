from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.compaction import store
from holdfast.hook.on import stop
from holdfast.report import status
from holdfast.report.schema import Digests

Make = Callable[..., Any]


def test_an_untouched_session(event_of: Make, session_of: Make, state: Path) -> None:
    """Everything is there, and unknown is said as such."""
    session = session_of(event_of("Stop"))
    facts = status.gather(str(state), session.folder, 0.0)
    assert (facts.zone, facts.used, facts.limit, facts.last_checkpoint) == ("unknown", None, None, None)
    assert all(text.strip() for row in status.lines(facts) for text in row)


def test_a_session_at_work(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """Figures from the files that the hooks left."""
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
    assert facts.digests == Digests(
        count=1, characters_before=1000, characters_after=100, tokens_before=392, tokens_after=39
    )
    assert ("used", "84k of 167k tokens used (50 %), limit from status line") in status.lines(facts)


def test_a_model_that_nobody_knows_is_named_with_what_to_do(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """Its limit is unknown; one line says how to tell it."""
    transcript.assistant("x", tokens=84_000, model="my-model-1")
    event = event_of("Stop")
    session = session_of(event)
    stop.handle(event, session)
    told = dict(status.lines(status.gather(str(state), session.folder, session.now)))
    assert told["used"] == "84k tokens used, limit unknown"
    assert "my-model-1 does not tell: `holdfast config set window.limit 167000` for 200K" in told["to do"]


def test_the_last_compaction_in_words(event_of: Make, session_of: Make, state: Path) -> None:
    """With what became of the facts, where they were compared."""
    session = session_of(event_of("Stop"))
    base = {"time": "t", "trigger": "auto", "instructions": "", "tool_calls": 3}
    base |= {"tokens_before": 160_000, "tokens_after": 9_000}
    log = str(state / "logs" / "compactions.jsonl")
    for more in ({}, {"facts": {"retained": 40, "missing": 0}, "must": {"held": 10, "on_page": 2}}):
        store.add(log, {**base, **more})
        told = dict(status.lines(status.gather(str(state), session.folder, session.now)))["compaction"]
        assert told.startswith("t, auto, 160,000 → 9,000 tokens")
    assert told.endswith("; facts: 40 retained, 0 missing; of what must stay: 10 held, 2 on page")


def test_another_sessions_compaction_is_told_as_such(event_of: Make, session_of: Make, state: Path) -> None:
    """Only while this one has none; a later one of another does not take the place of its own."""
    session = session_of(event_of("Stop"))
    base = {"trigger": "auto", "instructions": "", "tool_calls": 3, "tokens_before": 160_000, "tokens_after": 9_000}
    log, name = str(state / "logs" / "compactions.jsonl"), Path(session.folder).name
    told = []
    for of, when in (("other", "t1"), (name, "t2"), ("other", "t3")):
        store.add(log, {**base, "session": of, "time": when})
        told.append(dict(status.lines(status.gather(str(state), session.folder, session.now)))["compaction"])
    assert [line.partition(", ")[0] for line in told] == ["none yet; last in this project: t1", "t2", "t2"]
