from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.runtime import compacting, upkeep
from holdfast.store import compactions

Make = Callable[..., Any]


def records(state: Path) -> list[dict[str, Any]]:
    """The log."""
    return compactions.load(str(state / "logs" / "compactions.jsonl"))


def compact(event_of: Make, session_of: Make, transcript: Any, summary: str = "", row: bool = True) -> None:
    """One compaction as the hooks see it."""
    event = event_of("PreCompact.auto")
    session = session_of(event)
    work = upkeep.fold(event, session)
    compacting.begin(session, "auto", "keep x", upkeep.gauge(event, session), work)
    if summary:
        compacting.settle(session, upkeep.fold(event, session), summary)
    if row:
        transcript.boundary()
        transcript.user("go on")
        compacting.settle(session, upkeep.fold(event, session))


def test_one_record_from_its_parts(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """Begun, summary, boundary row: one record with the client's own figures."""
    transcript.assistant("x", tokens=150_000)
    compact(event_of, session_of, transcript, "<summary>short</summary>")
    (record,) = records(state)
    assert {
        key: record[key]
        for key in ("trigger", "instructions", "tokens_before", "tokens_after", "after_source", "ratio")
    } == {
        "trigger": "auto",
        "instructions": "keep x",
        "tokens_before": 160_000,
        "tokens_after": 20_000,
        "after_source": "client",
        "ratio": 8.0,
    }


def test_without_the_row_the_summary_is_measured(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """And the record says so."""
    compact(event_of, session_of, transcript, "a summary of a few words", row=False)
    (record,) = records(state)
    assert record["after_source"] == "summary"
    assert 3 <= record["tokens_after"] <= 9


def test_a_compaction_that_did_not_happen_leaves_no_record(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """PreCompact may fire early and in vain."""
    compact(event_of, session_of, transcript, row=False)
    assert records(state) == []


def test_the_twentieth_compaction_is_recorded_as_the_first(
    event_of: Make, session_of: Make, transcript: Any, state: Path
) -> None:
    """However many there were in this session."""
    for _ in range(20):
        compact(event_of, session_of, transcript, "summary")
    assert [record["after_source"] for record in records(state)] == ["client"] * 20
