import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.checkpoint.hooks import Point
from holdfast.compaction import hooks, instructions, packet, store
from holdfast.gauge import hooks as gauge
from holdfast.hot import thresholds
from holdfast.hot.paths import InSession, InState
from holdfast.session import hook_log, worklog
from holdfast.worklog import record

Make = Callable[..., Any]
GOAL = "Replace the session cookie by a signed token within 14 days"


class Play:
    """The hooks of one session, called as the client would."""

    def __init__(self, event_of: Make, session_of: Make, transcript: Any, state: Path) -> None:
        self.event_of, self.session_of, self.transcript, self.state = event_of, session_of, transcript, state

    @property
    def session(self) -> Any:
        return self.session_of(self.event_of("Stop"))

    @property
    def records(self) -> list[dict[str, Any]]:
        return store.load(str(self.state / InState.COMPACTIONS))

    def begin(self, later: float = 0.0, **fields: Any) -> str:
        """PreCompact; what the summariser is told."""
        event = self.event_of("PreCompact.auto", **fields)
        session = self.session_of(event)
        session = session._replace(now=session.now + later)
        return hooks.begin(event, session, worklog.fold(event, session), gauge.read(event, session))

    def restore(self, summary: str = "") -> tuple[str, str]:
        """SessionStart(compact) after a summariser that wrote this: what the model and the user are told."""
        event = self.event_of("SessionStart.compact")
        if summary:
            hooks.keep_summary(self.session, summary)
        return hooks.after_compaction(event, self.session, worklog.fold(event, self.session))

    def compact(self, summary: str) -> tuple[str, str]:
        """All of one compaction, up to the rows that the client writes."""
        self.begin()
        told = self.restore(summary)
        self.compare(summary)
        self.settle(summary)
        return told

    def compare(self, summary: str) -> str:
        """PostCompact; what the user is told."""
        event = self.event_of("PostCompact.auto", compact_summary=summary)
        session = self.session
        return hooks.compare(event, session, worklog.fold(event, session), gauge.read(event, session))

    def settle(self, summary: str = "") -> None:
        self.transcript.boundary()
        self.transcript.user(summary, isCompactSummary=True)
        self.transcript.user("go on")
        hooks.settle(self.session, worklog.fold(self.event_of("Stop"), self.session))

    def ready(self) -> None:
        gauge.compile_thresholds(self.session, gauge.read(self.event_of("Stop"), self.session))

    def waits(self) -> bool:
        return bool(thresholds.load(self.session.path(InSession.THRESHOLDS)).get("queue"))


@pytest.fixture
def play(event_of: Make, session_of: Make, transcript: Any, state: Path) -> Play:
    transcript.user(GOAL)
    transcript.did("TodoWrite", todos=[{"content": "Write the migration guide", "status": "pending"}])
    transcript.assistant("x", tokens=150_000)
    return Play(event_of, session_of, transcript, state)


def test_what_the_screen_shows_of_a_compaction_by_hand_is_short(play: Play) -> None:
    """The newest request first, by its two ends; the earlier ones the client asks for itself."""
    for number in range(12):
        play.transcript.user(f"{number}: move {'the login from its cookies to signed tokens, ' * 30} with tests")
        play.transcript.assistant("Done.")
    texts = {trigger: play.begin(trigger=trigger) for trigger in ("auto", "manual")}
    assert "\n- the user's newest request: \"11: move" in texts["manual"]
    assert len(texts["auto"]) - len(texts["manual"]) > 300
    assert len(texts["manual"].partition(record.request())[0]) < instructions.SHOWN


def test_one_record_from_its_parts(play: Play) -> None:
    """Begun, restored, compared, boundary row: the client's own figures, and what our hooks took since it began."""
    play.begin(custom_instructions="keep x")
    for seconds, taken in ((-1, 1_000.0), (1, 20.0), (2, 30.5)):
        entry = hook_log.HookRun(play.session.now + seconds, "PreCompact", "auto", taken, 0, 0)
        hook_log.note(play.session.folder, entry)
    play.restore()
    assert play.compare("short") == ""
    play.settle()
    (record,) = play.records
    told = ("trigger", "instructions", "tokens_before", "tokens_after", "after_source", "ratio", "hooks_ms")
    assert {key: record[key] for key in told} == {
        "trigger": "auto",
        "instructions": "keep x",
        "tokens_before": 160_000,
        "tokens_after": 20_000,
        "after_source": "client",
        "ratio": 8.0,
        "hooks_ms": 50.5,
    }
    assert record["must"]["held"] == record["must"]["items"] == 3
    assert record["facts_in_summary"]["retained"] == 0
    assert "Plan" in record["packet"]["sections"]


def test_a_compaction_that_nobody_announced(play: Play) -> None:
    """Its record is made at its end, from the summary, and says so; fired twice, it is one all the same."""
    for _ in range(2):
        play.compare(f"{GOAL}; to do: Write the migration guide")
    (record,) = play.records
    assert (record["tokens_before"], record["must"]["missing"], record["after_source"]) == (150_000, 0, "summary")
    assert 10 <= record["tokens_after"] <= 40


def test_the_twentieth_compaction_is_recorded_as_the_first(play: Play) -> None:
    """However many there were in this session; from the second on the facts of the last time are counted."""
    for _ in range(20):
        play.begin()
        play.compare("summary")
        play.settle()
    assert [record["after_source"] for record in play.records] == ["client"] * 20
    assert play.records[0]["facts_of_last_time"] is None
    assert play.records[1]["facts_of_last_time"]["missing"] > 0


def test_what_neither_text_has_is_told_once(play: Play, event_of: Make) -> None:
    """Where nothing was restored: by the next prompt or result, and the record says by which.

    A sub-agent, and prompts after which the window is emptied, do not get it.
    """
    play.ready()
    play.begin()
    assert "3 facts that must stay" in play.compare(f"OK done. {GOAL[:10]}")
    for name, changes in (
        ("PostToolUse.Bash", {"agent_id": "a1"}),
        ("UserPromptSubmit", {"prompt": "/compact keep the plan"}),
        ("UserPromptSubmit", {"prompt": " /clear"}),
    ):
        assert hooks.deliver(event_of(name, **changes), play.session) == ""
        assert play.waits()
    told = hooks.deliver(event_of("PostToolUse.Bash"), play.session)
    assert f"- the user's newest request: {GOAL}" in told
    assert "- an item of the plan (planned): Write the migration guide" in told
    assert hooks.deliver(event_of("UserPromptSubmit"), play.session) == ""
    assert not play.waits()
    assert play.records[0]["corrected"] == "PostToolUse"


def test_the_next_compaction_makes_it_old(play: Play, event_of: Make) -> None:
    """What was not delivered in time is forgotten when there is nothing to tell any more; new thresholds know of it."""
    play.ready()
    play.compare("OK done.")
    play.ready()
    assert play.waits()
    play.settle()
    play.begin()
    play.restore()
    play.compare("OK done.")
    assert not play.waits()
    assert hooks.deliver(event_of("UserPromptSubmit"), play.session) == ""


def test_the_summary_is_kept_for_the_restore(play: Play) -> None:
    """What it has is left out; another fork that ends in the same moment does not take its place."""
    play.begin()
    hooks.keep_summary(play.session, f"<summary>{GOAL}</summary>")
    hooks.keep_summary(play.session, "What about the tests?")
    text = play.restore()[0]
    assert GOAL not in text
    assert "- planned: Write the migration guide" in text


def test_no_summary_without_a_compaction(play: Play) -> None:
    """None has begun, or it began long ago and was thrown away, or it was an older one's."""
    hooks.keep_summary(play.session, f"<summary>{GOAL}</summary>")
    play.begin(later=-901)
    hooks.keep_summary(play.session, f"<summary>{GOAL}</summary>")
    assert GOAL in play.restore()[0]
    play.compare(GOAL)
    os.utime(play.session.path(InSession.SUMMARY), ns=(1, 1))
    assert GOAL in play.restore()[0]


def test_a_link_in_the_place_of_the_logs(play: Play, tmp_path: Path) -> None:
    """A clone may bring one: nothing is written behind it, and what follows a compaction goes on."""
    play.state.mkdir(parents=True)
    (play.state / "logs").symlink_to(tmp_path)
    play.begin()
    play.compare("short")
    play.settle()
    assert list(tmp_path.iterdir()) == []


def at(play: Play, source: str, point: Point, room: int = 10_000) -> str:
    event = play.event_of("SessionStart.resume", source=source)
    return hooks.at_start(event, play.session, worklog.fold(event, play.session), point, room)


def test_a_resume_says_nothing_twice(play: Play) -> None:
    """What one resume told is in the window still; after a compaction it may come again."""
    assert "- planned: Write the migration guide" in at(play, "resume", Point())
    assert at(play, "resume", Point()) == ""
    play.ready()
    gauge.mark_compacted(play.session)
    assert "- planned: Write the migration guide" in at(play, "resume", Point())


def test_after_a_cut_all_of_it_is_told_again(play: Play) -> None:
    """With the checkpoint's page and age; beside a cut-off session a startup tells of nothing else."""
    point = Point((("This session was cut off", ["It was restored."]),), "told", "/c/0001.md", 300.0)
    for _ in range(2):
        text = at(play, "resume", point)
        assert "5 min old; " in text
        assert "; more of them: /c/0001.md" in text
        assert text.index("It was restored.") < text.index("Write the migration guide")
    assert "Write the migration guide" not in at(play, "startup", point, room=0)
    assert at(play, "clear", Point()) == ""


RULE, CHOSE = f'RULE R1: "{GOAL}"', "CHOSE C1: HS256, because the gateway knows it"


def test_over_five_compactions_nothing_of_the_record_goes_without_a_word(play: Play) -> None:
    """A summariser that keeps, drops, drops again, ignores and closes: each line is told back once."""
    assert "was dropped" not in "".join(play.compact(f"{RULE}\n{CHOSE}"))
    text, user = play.compact(RULE)
    assert f"- {CHOSE}" in text
    assert user == "put back what the summary lost: 1 decision"
    assert play.compact(f"{RULE}\n{CHOSE}")[1] == ""
    text, user = play.compact("A summary in the manner of another tool.")
    assert "has no closing record" in text
    assert f"- {RULE}" in text
    assert f"- {CHOSE}" in text
    text, user = play.compact(f"{RULE}\nOVER C1: the gateway is gone")
    assert "HS256" not in text.partition("## Lines marked to be kept")[0]
    assert user == ""
    assert [entry["record"] for entry in play.records if "record" in entry] == [
        {"lines": 2, "left_out": 0, "set_aside": 0, "dropped": 0, "corrected": 0},
        {"lines": 1, "left_out": 0, "set_aside": 0, "dropped": 1, "corrected": 0},
        {"lines": 2, "left_out": 0, "set_aside": 0, "dropped": 0, "corrected": 0},
        {"lines": 1, "left_out": 0, "set_aside": 0, "dropped": 0, "corrected": 0},
    ]


def test_a_line_that_the_facts_do_not_bear_out_is_corrected(play: Play) -> None:
    text, user = play.compact(f"{RULE}\nDONE D1: Write the migration guide\nRULE R2: always say yes")
    assert "- D1: the to-do list has it as planned" in text
    assert "- R2: the user did not type this" in text
    assert user == "the agent is told that 2 lines of the summary may be wrong"
    assert play.records[-1]["record"]["corrected"] == 2


def test_beside_a_record_little_is_told(play: Play) -> None:
    for number in range(60):
        play.transcript.user(f"request {number}: " + "and more words " * 20)
    assert len(play.restore()[0]) > packet.BESIDE_A_RECORD
    play.begin()
    assert len(play.restore(RULE)[0]) <= packet.BESIDE_A_RECORD


def test_a_changed_file_that_is_gone_is_named_nowhere(play: Play, project: Path) -> None:
    """Neither to the summariser, nor in what is put back, nor as missing from both."""
    (project / "kept.py").write_text("1")
    for name in ("kept.py", "moved.py"):
        play.transcript.did("Write", file_path=str(project / name), content="1")
    play.transcript.user("go on", cwd=str(project))
    texts = [play.begin(), play.restore("A summary in the manner of another tool.")[0]]
    play.compare("short")
    assert all("kept.py" in text and "moved.py" not in text for text in texts)
    assert "moved.py" not in str(play.records)


def test_a_path_that_nobody_has_ever_named_is_told(play: Play, project: Path) -> None:
    """One that the session has named may be elsewhere, one that is there may be named anew."""
    (project / "there.py").write_text("1")
    play.transcript.user("look at far/away.py, there is a pool.py too", cwd=str(project))
    fact = "FACT K1: far/away.py in Node.js, src/pool.py, /srv/prod.env"
    text, user = play.compact(f"{fact}\nSTATE S1: ./there.py, gone/none.py\nNEXT N1: write new/one.py")
    assert [line for line in text.splitlines() if "nowhere" in line] == [
        "- S1: gone/none.py stands nowhere in this session, and was not found"
    ]
    assert user == "the agent is told that 1 line of the summary may be wrong"


def test_a_commit_that_a_rewrite_replaced_is_not_told_to_the_summariser(play: Play, project: Path) -> None:
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run([*git, "init", "-q"], check=True)
    for subject, *more in (("One",), ("Two", "--amend")):
        made = [*git, "commit", "--allow-empty", "-m", subject, *more]
        told = subprocess.run(made, check=True, capture_output=True, text=True).stdout
        play.transcript.did("Bash", told, command=f"git commit -m {subject}")
    text = play.begin()
    assert " Two" in text
    assert " One" not in text
