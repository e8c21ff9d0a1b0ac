import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from holdfast.handoff import protocol
from holdfast.hot import call_log
from holdfast.report import receipt, stats
from holdfast.session import hook_log, liveness, worklog
from holdfast.text import tokens

Make = Callable[..., Any]


def test_a_session_at_work(event_of: Make, session_of: Make, transcript: Any) -> None:
    """By kind, with tokens, milliseconds, and the usage that the API recorded, each answer once."""
    event = event_of("Stop")
    session = session_of(event)
    assert all(text.strip() for row in receipt.lines(receipt.gather(session)) for text in row)
    for name, kind, ms, context, plain in (
        ("SessionStart", "compact", 40.0, 5_100, 0),
        ("SessionStart", "compact", 20.0, 2_550, 0),
        ("SessionStart", "clear", 0.0, 255, 0),
        ("UserPromptSubmit", "", 30.0, 255, 0),
        ("SubagentStart", "Explore", 30.0, 1_020, 0),
        ("SubagentStop", "Explore", 30.0, 510, 0),
        ("PreCompact", "auto", 30.0, 0, 510),
    ):
        hook_log.note(session.folder, hook_log.HookRun(session.now, name, kind, ms, context, plain))
    Path(session.path("saved.log")).write_text("Bash 51000 25500\n")
    Path(session.path("claims")).mkdir(exist_ok=True)
    Path(session.path("claims/ask-1-a1")).touch()
    for _ in range(2):  # of one the start is in the log
        call_log.record(session.path("calls.log"), call_log.line(0, 0, "Agent"))
    protocol.compile_start(session, [])
    transcript.assistant("x", tokens=100)
    transcript.row(**json.loads(transcript.path.read_text().splitlines()[-1]))
    worklog.fold(event, session)
    facts = receipt.gather(session)
    told = {one.what: (one.times, one.tokens) for one in facts.injected}
    assert told["packet after a compaction"] == (2, 3_000)
    assert told["corrections and notes with prompts"] == told["told at a start"] == (1, 100)
    reply = json.loads(Path(session.path("subagent_start.txt")).read_text().partition("\n")[2])
    given = len(reply["hookSpecificOutput"]["additionalContext"])
    assert told["handoff protocol, into sub-agents"] == (2, 400 + tokens.rough(given))
    assert (facts.steering.times, facts.steering.tokens) == (1, 200)
    assert facts.kept_out["digests"]["tokens_kept_out"] == 10_000
    assert {one.event: (one.runs, one.ms) for one in facts.hooks}["SessionStart"] == (3, 60.0)
    assert facts.usage == {"messages": 1, "input": 100, "cache_read": 0, "cache_written": 0, "output": 0}
    said = [text for _, text in receipt.lines(facts)]
    assert "packet after a compaction: 2 times, 3,000 tokens" in said
    assert "requests to cut a report, into sub-agents: 1 time, 200 tokens" in said
    assert "1 extra, for sub-agents to cut their reports" in said
    liveness.opened(event, session)
    (stats_of,) = stats.gather(str(session.state)).sessions
    assert f"together: {stats_of.put_in:,} tokens" in said
    assert f"together: {stats_of.kept_out:,} tokens" in said
    assert f"together: {stats_of.hooks.ms / 1000:,.0f} s" in said
