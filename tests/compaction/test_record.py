import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.compaction import record as compacting
from holdfast.compaction import store
from holdfast.gauge import hooks as gauge
from holdfast.hot import paths
from holdfast.session import hook_log, worklog

Make = Callable[..., Any]


def records(state: Path) -> list[dict[str, Any]]:
    """The log."""
    return store.load(str(state / "logs" / "compactions.jsonl"))


def compact(event_of: Make, session_of: Make, transcript: Any, summary: str = "", row: bool = True) -> None:
    """One compaction as the hooks see it."""
    event = event_of("PreCompact.auto")
    session = session_of(event)
    work = worklog.fold(event, session)
    compacting.begin(session, "auto", "keep x", gauge.read(event, session), work)
    if summary:
        compacting.settle(session, worklog.fold(event, session), summary)
    if row:
        transcript.boundary()
        transcript.user("go on")
        compacting.settle(session, worklog.fold(event, session))


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


SUMMARY = "<analysis>a</analysis><summary>what happened</summary>"


def begun(event_of: Make, session_of: Make, later: float = 0.0) -> Any:
    """A session in the middle of a compaction."""
    event = event_of("PreCompact.auto")
    session = session_of(event)
    compacting.begin(session, "auto", "", gauge.read(event, session), worklog.fold(event, session))
    return session._replace(now=session.now + later)


def test_the_summary_is_kept_for_the_restore(event_of: Make, session_of: Make) -> None:
    """The summariser's answer; another fork that ends in the same moment does not take its place."""
    session = begun(event_of, session_of)
    compacting.keep_summary(session, SUMMARY)
    compacting.keep_summary(session, "What about the tests?")
    assert compacting.fresh(session, paths.SUMMARY) == SUMMARY


def test_no_summary_without_a_compaction(event_of: Make, session_of: Make) -> None:
    """None has begun, or it began long ago and was thrown away."""
    event = event_of("Stop")
    compacting.keep_summary(session_of(event), SUMMARY)
    compacting.keep_summary(begun(event_of, session_of, later=compacting.LONGEST + 1), SUMMARY)
    assert compacting.fresh(session_of(event), paths.SUMMARY) == ""


def test_an_older_compaction_s_texts_are_not_taken(event_of: Make, session_of: Make, transcript: Any) -> None:
    """Gone when the next begins; kept when the same begins once more; old once they have been compared."""
    session = begun(event_of, session_of)
    compacting.keep_summary(session, SUMMARY)
    Path(session.path(paths.PACKET)).write_text("packet")
    begun(event_of, session_of)
    assert compacting.fresh(session, paths.PACKET) == "packet"
    session.write(paths.VERIFIED, {})
    os.utime(session.path(paths.PACKET), ns=(1, 1))
    assert compacting.fresh(session, paths.PACKET) == ""
    transcript.user("the conversation goes on")
    begun(event_of, session_of)
    assert not os.path.exists(session.path(paths.SUMMARY))
    assert compacting.fresh(session, paths.SUMMARY) == ""


def test_a_compaction_that_nobody_announced(event_of: Make, session_of: Make, state: Path) -> None:
    """Its key is made at its end; one that was announced keeps its own."""
    event = event_of("PostCompact.auto")
    session = session_of(event)
    work, reading = worklog.fold(event, session), gauge.read(event, session)
    key = compacting.begin_late(session, "auto", reading, work)
    assert key.endswith("-0")
    assert compacting.begin_late(session, "auto", reading, work) == key
    compacting.settle(session, work, "", {"facts": {"retained": 3}})
    assert [record["facts"] for record in records(state)] == [{"retained": 3}]


def test_the_record_has_the_hooks_time(event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
    """What this session's hooks took since the compaction began."""
    session = begun(event_of, session_of)
    for seconds, taken in ((-1, 1_000.0), (1, 20.0), (2, 30.5)):
        hook_log.note(session.folder, hook_log.Entry(session.now + seconds, "PreCompact", "auto", taken, 0, 0))
    compacting.settle(session, worklog.fold(event_of("Stop"), session), "summary")
    assert [record["hooks_ms"] for record in records(state)] == [50.5]


def test_a_link_in_the_place_of_the_logs(
    event_of: Make, session_of: Make, transcript: Any, state: Path, tmp_path: Path
) -> None:
    """A clone may bring one: nothing is written behind it, and what follows a compaction goes on."""
    state.mkdir(parents=True)
    (state / "logs").symlink_to(tmp_path)
    transcript.assistant("x", tokens=150_000)
    compact(event_of, session_of, transcript, "<summary>short</summary>")
    assert list(tmp_path.iterdir()) == []
    assert session_of(event_of("PreCompact.auto")).read(paths.COMPACTING)["key"]
