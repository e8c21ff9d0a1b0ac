"""PreCompact and PostCompact: a checkpoint, text for the summariser, one record, and what is lost is told."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint import store as checkpoints
from holdfast.compaction import store
from holdfast.session.context import Session
from holdfast.session.reply import NOTHING
from holdfast.worklog import marks
from tests.checkpoint.made import run_git

Make = Callable[..., Any]
REQUEST = "Replace the session cookie by a signed token"


def records(session: Session) -> list[Any]:
    return list(store.load(f"{session.state}/logs/compactions.jsonl"))


def test_checkpoint_once_and_steering_each_time(reply_to: Make, session: Session, transcript: Any) -> None:
    """Fired twice over the same conversation: one checkpoint; the text both times; a new turn gets a new one."""
    transcript.user("Fix the login")
    for _ in range(2):
        reply = reply_to("PreCompact.manual", custom_instructions="keep\nthe auth decision")
        assert 'newest request, not answered yet: "Fix the login"' in reply.plain
        assert reply._replace(plain="") == NOTHING
    folder = session.path("checkpoints")
    saved = checkpoints.newest(folder)
    assert saved is not None
    assert (saved["number"], saved["reason"]) == (1, "before manual compaction")
    assert session.read("compacting.json")["instructions"] == "keep\nthe auth decision"
    assert Path(folder, "0001.md").exists()
    transcript.user("go on")
    reply_to("PreCompact.auto")
    assert [number for number, _ in checkpoints.listed(folder)] == [1, 2]


def test_the_record_is_completed_in_silence(reply_to: Make, session: Session, transcript: Any) -> None:
    """What PreCompact began is written once; a sub-agent's compaction is its own; the end of a session adds figures."""
    transcript.user("x")
    assert reply_to("PreCompact.auto", agent_id="a1") == NOTHING
    reply_to("PreCompact.manual")
    assert reply_to("PostCompact.manual", agent_id="a1") == NOTHING
    assert records(session) == []
    for _ in range(2):
        assert reply_to("PostCompact.manual", compact_summary="The user said x.") == NOTHING
    transcript.boundary(before=120_000, after=9_000, trigger="manual")
    assert reply_to("SessionEnd") == NOTHING
    (record,) = records(session)
    assert (record["trigger"], record["tokens_after"], record["after_source"]) == ("manual", 9_000, "client")


def test_what_is_lost_is_told_to_the_user_and_queued(reply_to: Make, session: Session, transcript: Any) -> None:
    transcript.user(REQUEST)
    transcript.assistant("I look at the cookie first.")
    reply_to("PreCompact.manual")
    first, second = (reply_to("PostCompact.manual", compact_summary="OK done.") for _ in range(2))
    assert "2 facts that must stay" in first.user
    assert second == NOTHING
    assert "signed token" in str(store.take(session.folder))
    (record,) = records(session)
    assert (record["facts"]["missing"], record["missing"][0]) == (2, {"kind": "request", "text": REQUEST})


def test_what_a_summary_says_was_done_is_held_against_the_record(
    reply_to: Make, project: Path, transcript: Any
) -> None:
    """A commit that neither git nor the session knows, and a failure; what they know is left alone."""
    (project / "a").write_text("x")
    run_git(project, "init", "-q")
    run_git(project, "add", "-A")
    run_git(project, "commit", "-q", "-m", "one")
    known = run_git(project, "rev-parse", "--short", "HEAD")
    transcript.user("Make refunds absolute.")
    transcript.did("Bash", "image abcdef123456 built", command="make image")
    transcript.did("Bash", "FAILED t.py::test_neg\n1 failed", failed=True, command="pytest -q")
    reply_to("PreCompact.auto")
    lines = f"DONE D1: all in 1234567 and a1b2c3d4e, after {known}, image abcdef123456\nOVER O1: test_neg is fixed"
    reply_to("SubagentStop.internal", last_assistant_message=f"<summary>Refunds.\n{lines}\n</summary>")
    told = reply_to("SessionStart.compact")
    for one in ("D1: 1234567 stands nowhere", "D1: a1b2c3d4e stands", "tests, O1: failed, not seen to work since"):
        assert one in told.context
    assert known not in told.context.partition("wrong or not proven")[2].partition("## ")[0]
    assert "D1: abcdef123456" not in told.context
    assert told.context.count("1 failed") == 1
    said = "that 2 lines of the summary may be wrong and that the last test run failed"
    assert told.user.endswith(f"; the agent is told {said}.")


def test_where_nothing_is_to_put_back_nothing_is_said_to_be(reply_to: Make, transcript: Any) -> None:
    transcript.user(REQUEST)
    reply_to("PreCompact.auto")
    reply_to("SubagentStop.internal", last_assistant_message=f"<summary>{REQUEST}\nNEXT N1: do it\n</summary>")
    assert reply_to("SessionStart.compact").user == "Holdfast: nothing to put back after a compaction."


@pytest.mark.parametrize(("line", "form"), [("", "forms `RULE R1: …`"), ("NEXT N1: go on", marks.ASK)])
def test_lines_are_asked_for_in_one_form(line: str, form: str, reply_to: Make, transcript: Any) -> None:
    """Beside a summary without a record in a record's, else in that of every start."""
    transcript.user(REQUEST)
    reply_to("PreCompact.auto")
    reply_to("SubagentStop.internal", last_assistant_message=f"<summary>It goes on.\n{line}\n</summary>")
    told = reply_to("SessionStart.compact").context
    assert [one for one in ("forms `RULE R1: …`", marks.ASK) if one in told] == [form]
