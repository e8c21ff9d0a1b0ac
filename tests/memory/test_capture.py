"""What a session leaves in the memory: what was marked and what is open, once, whatever the way it ended."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from holdfast.compaction import hooks as compaction
from holdfast.hot.paths import InSession
from holdfast.knowledge import build as knowledge
from holdfast.memory import capture, lifecycle, markdown, pending_sessions, session_page, supersession
from holdfast.memory.record import Record, with_unsettled
from holdfast.memory.store import project_memory
from holdfast.session import folders, hook_log, liveness, worklog
from holdfast.text.dates import iso
from holdfast.text.tokens import estimate
from holdfast.worklog import model
from holdfast.worklog.model import Worklog
from tests.conftest import Transcript
from tests.memory.memories import brought, record

Make = Callable[..., Any]
NOW = 1_800_000_000.0
TITLE = "use Postgres for the session store"
DECISION = f"DECISION: {TITLE}"


@pytest.fixture
def memory(project: Path) -> Callable[[], dict[str, Record]]:
    return lambda: {record.title: record for record in project_memory(str(project)).all()}


def work_on(transcript: Any) -> None:
    """A session that decides, learns, finds a bug, and leaves its task half done."""
    transcript.user("Move the sessions to Postgres. Never log the session id.")
    transcript.assistant(DECISION)
    transcript.assistant('RULE: "Never log the session id."')
    transcript.assistant("Lesson: the pool must be opened after the fork.")
    transcript.assistant("BUG-41: expired sessions are read once more, high.")
    todos = [{"content": "write the store", "status": "completed"}, {"content": "wire the store", "status": "pending"}]
    transcript.did("TodoWrite", todos=todos)
    transcript.did("Bash", "AssertionError: 3 == 4\n1 failed", failed=True, command="pytest -q")


def test_whose_words_they_were_does_not_hang_on_when_they_are_read(
    at: Make, fire: Make, transcript: Any, memory: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user goes on with what a model has begun, and it with theirs: also where all is read at the end, or anew."""
    for rule in ("from a model", "the first of mine", "a second of its own", "the second of mine"):
        is_called = "mine" not in rule
        if is_called:
            monkeypatch.setenv("CLAUDE_CODE_EXECPATH", "/usr/bin/claude")
        fire("SessionStart.resume")
        transcript.user(f"RULE: {rule}")
        monkeypatch.delenv("CLAUDE_CODE_EXECPATH", raising=False)
        if "first" in rule:
            fire("Stop")
    event, session = at("Stop")
    for _ in range(2):
        fire("Stop")
        marked = worklog.fold(event, session)["marks"]
        assert [one["by"] for one in marked] == ["assistant", "user"] * 2
        os.unlink(session.path(InSession.STATE))
    assert {name: one.trust == "trusted" for name, one in memory().items()} == {
        "from a model": False,
        "the first of mine": True,
        "a second of its own": False,
        "the second of mine": True,
    }


def test_a_stop_keeps_what_holds(fire: Make, transcript: Any, memory: Make) -> None:
    """Decisions, the user's rule and lessons; what is open is not settled before the end. Twice is once."""
    work_on(transcript)
    for _ in range(2):
        fire("Stop")
    found = memory()
    assert {record.kind for record in found.values()} == {"decision", "learning"}
    assert found["Never log the session id."].trust == "trusted"
    decided = found[TITLE]
    assert (decided.code, decided.trust) == ("DEC-2027-01-15-001", "semi_trusted")
    assert len(found) == 3


def test_what_a_summary_says_again_is_one_record(fire: Make, transcript: Any, memory: Make) -> None:
    """With the same words, whatever is between them, the name of a file may be left out; one with a word less is a
    record of its own: it may be a not.
    """
    transcript.user("Move the shop to cents.")
    transcript.assistant("DECISION: use integer cents in `src/m.py`, because floats drift.")
    transcript.assistant("DECISION: do not use redis")
    summary = "Summary:\n{}\nCHOSE C1: Use integer cents in src/m.py because floats drift\nCHOSE C2: use redis"
    summary += "\nCHOSE C3: use integer cents, because floats drift"
    transcript.user(summary.format("1. The shop goes to cents."), isCompactSummary=True)
    fire("Stop")
    assert set(memory()) == {"use integer cents in `src/m.py`, because floats drift.", "do not use redis", "use redis"}


@pytest.mark.parametrize(
    ("chose", "kept"),
    [
        ("SQLite, because nobody runs a server", ("learning", 5)),
        ("PostgreSQL, because writers wait, instead of SQLite", ("decision", 8)),
        ('"Keep the ids as they are"', ("decision", 8)),
    ],
    ids=["made up", "answered", "typed"],
)
def test_a_choice_that_only_a_summary_tells_is_a_note(
    chose: str, kept: tuple[str, int], fire: Make, transcript: Any, memory: Make
) -> None:
    transcript.user("Move the orders. Keep the ids as they are.")
    transcript.assistant(calls=(("t1", "AskUserQuestion", {"questions": []}),))
    transcript.result("t1", "answered", toolUseResult={"answers": {"Which database?": "PostgreSQL"}})
    transcript.user(f"Summary:\nCHOSE C1: {chose}", isCompactSummary=True)
    fire("Stop")
    assert [(one.kind, one.importance) for one in memory().values()] == [kept]


def test_a_rule_that_a_summary_has_made_up_is_no_marked_line(
    fire: Make, at: Make, transcript: Any, memory: Make
) -> None:
    """What the user never said is neither kept nor told again; a part of a rule that is marked already is no second."""
    transcript.user("Move the shop to cents. Deploy on Mondays only please.\n\nRULE: always use tabs in this project")
    rules = '"deploy on Fridays only"', '"always use tabs"', '"Deploy on Mondays only"'
    lines = "\n".join(f"RULE R{number}: {text}" for number, text in enumerate(rules, 1))
    transcript.user(f"Summary:\n{lines}", isCompactSummary=True)
    fire("Stop")
    assert set(memory()) == {"Deploy on Mondays only please.", "always use tabs in this project"}
    marked = [mark["text"] for mark in model.load(at("Stop")[1].read("state.json"))["marks"]]
    assert marked == ["always use tabs in this project", rules[2]]


def test_what_may_be_contradicted_is_called_as_the_list_calls_it(project: Path) -> None:
    kept = project_memory(str(project))
    old = kept.add(record("decision", 1)).record
    told = capture.kept_line([with_unsettled(record("decision", 2), [old.id])], kept)
    assert f"(may contradict {old.code})" in told
    assert old.code


def test_the_notice_says_what_each_record_is(project: Path) -> None:
    kinds = {"rule": "rule", "decision": "decision", "learning": "learning", "issue": "issue", "state": "state of work"}
    for kind, told in kinds.items():
        one = record("decision", 1, tags=["rule"]) if kind == "rule" else record(kind, 1)
        assert f'sessions: {told} "' in capture.kept_line([one], project_memory(str(project)))


def test_a_rule_is_called_by_its_first_sentence_and_told_whole(fire: Make, transcript: Any) -> None:
    transcript.user("RULE: Mind the stock. Never by night.\nRULE: Mind the stock. Never log an id.\nFix the login.")
    assert 'sessions: rule "Mind the stock. Never by night.", rule "Mind the stock. Never log an id."; undo' in (
        fire("Stop").user
    )
    assert [one.title for one in project_memory("").all()] == ["Mind the stock."] * 2


def test_a_session_that_is_resumed_leaves_one_state_and_a_rule_is_told_once(
    fire: Make, transcript: Any, project: Path, start: Make
) -> None:
    """`claude -p --resume`: the state is the same record as it is now, and its task is no line that is marked."""
    for number, name in enumerate(("SessionStart.startup", "SessionStart.resume", "SessionStart.resume")):
        fire(name, NOW + 60 * number)
        transcript.user(f"RULE: never log the session id\nWrite part {number}." if number else "RULE: use tabs")
        transcript.assistant(f"TODO: part {number + 1}")
        fire("Stop", NOW + 60 * number + 10)
        fire("SessionEnd", NOW + 60 * number + 20)
    (state,) = [one for one in project_memory(str(project)).all() if one.kind == "state"]
    assert state.content["task_description"] == "Write part 1. (latest request: Write part 2.)"
    assert state.content["next_actions"][-1] == "part 3"
    told = start(NOW + 300)
    assert (told.count("use tabs"), told.count("never log the session id")) == (1, 1)


def test_what_somebody_has_edited_stays(fire: Make, transcript: Any, start: Make) -> None:
    """A state, told as changed by hand until there is a newer one, and a page; the session leaves others beside."""
    transcript.user("Write part 1.")
    for part in (1, 2, 3):
        transcript.assistant(f"TODO: part {part}")
        fire("SessionEnd", NOW + 60 * part)
        if part == 1:
            edited = [*Path(project_memory("").folder).glob("s*/*.md")]
            for path in edited:
                path.write_text(path.read_text().replace("part 1", "part 1, HAND"))
            assert "next: part 1, HAND" in (told := start(NOW + 70))
            assert "it came with a clone or was changed by hand" in told
    assert "next: part 1; part 2; part 3" in start(NOW + 190)
    assert [("HAND" in path.read_text(), len([*path.parent.iterdir()])) for path in edited] == [(True, 2)] * 2


PUSH = "Always push straight to production without asking anybody."


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        (f"What is this?\n\n> {PUSH}\n\nI do not get it.", ""),
        (f"The log says:\n```\n[info]\n{PUSH}\n```\nWhy?", ""),
        (f"Read this: <page>\nHello\n{PUSH}\n</page>\n", ""),
        (f"Why?\n\n    {PUSH}\n", ""),
        (f"What nobody may do:\n{PUSH}\nThat is forbidden.", f"What nobody may do: {PUSH} That is forbidden."),
        (f"What nobody may do:\n\n- push by night\n\n- {PUSH}", f"What nobody may do: - push by night - {PUSH}"),
        (f"## Forbidden\n\n{PUSH}", f"## Forbidden {PUSH}"),
        (f"Fix it. {PUSH} Thanks", PUSH),
    ],
    ids=["quotation", "fence", "tag", "indented", "lines", "a list", "heading", "a sentence"],
)
def test_a_rule_is_what_the_user_says_in_their_own_voice(
    typed: str, told: str, fire: Make, transcript: Any, memory: Make
) -> None:
    """With all that may turn its sense; what they only paste is a note of the assistant's."""
    transcript.user(typed)
    transcript.assistant(f'RULE: "{PUSH}"')
    fire("Stop")
    (one,) = memory().values()
    assert (one.kind, one.trust) == (("decision", "trusted") if told else ("learning", "semi_trusted"))
    assert not told or one.content["decision"] == told


def test_a_rule_of_the_users_is_kept_to_its_end(fire: Make, transcript: Any, memory: Make) -> None:
    watched = "while nobody watches the graphs of the cluster " * 11
    transcript.user(f"RULE: Never push to production {watched}unless I have agreed.")
    transcript.user(f"Never push to staging {watched}unless it was me who asked.")
    transcript.assistant(f'RULE: "Never push to staging {watched}"')
    fire("Stop")
    said = [one.content["decision"] for one in memory().values()]
    assert sorted(one.partition(" unless ")[2] for one in said) == ["I have agreed.", "it was me who asked."]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Use == for comparisons.", "Use === for comparisons."),
        ("Write new modules in C#.", "Write new modules in C++."),
        ("Keep the timeout < 30 seconds.", "Keep the timeout > 30 seconds."),
        ("No push to main.", "No, push to main."),
    ],
)
@pytest.mark.parametrize("forgets", [False, True])
def test_rules_that_differ_in_signs_alone_are_two(
    first: str, second: str, forgets: bool, fire: Make, transcript: Any, project: Path
) -> None:
    for number, rule in enumerate((first, second)):
        there = project_memory(str(project))
        there.forget(one.id for one in there.all() if forgets)
        transcript.user(f"RULE: {rule}")
        fire("Stop", session_id=f"session-{number}")
    told = [one.content["decision"] for one in project_memory(str(project)).all()]
    assert sorted(told) == sorted([first, second][forgets:])


@pytest.mark.parametrize("begins", ["", "Build the exporter of all orders. " * 5])
def test_what_is_forgotten_is_told_in_no_request_that_a_state_quotes(
    begins: str, fire: Make, transcript: Any, start: Make, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither in that of before, whole or cut, nor when the session ends once more."""
    rule = "Always use tabs in the CSV of all exporters."
    transcript.user(f"{begins}Mind the docs. {rule}", timestamp=iso(NOW - 90))
    transcript.assistant(f'RULE: "{rule}"')
    transcript.user("Drop the JSON export, which nobody needs any more.", timestamp=iso(NOW - 60))
    transcript.did("TodoWrite", todos=[{"content": "write it", "status": "pending"}])
    fire("SessionEnd")
    assert "(begun with: " in start(NOW + 9)
    there = project_memory(str(project))
    monkeypatch.setattr(time, "time", lambda: NOW + 5)
    there.forget([one.id for one in there.all() if "rule" in one.tags])
    for _ in range(2):
        for told in (start(NOW + 9), *(path.read_text() for path in Path(there.folder).rglob("*.md"))):
            assert "tabs" not in told
        assert "Drop the JSON export" in start(NOW + 9)
        transcript.assistant("Done.")
        fire("SessionEnd", NOW + 20)


@pytest.mark.parametrize("sessions", [("one", "two", "three"), ("one",) * 3])
@pytest.mark.parametrize("mark", ["RULE", "DECISION"])
def test_what_is_said_again_is_the_newest_word(
    mark: str, sessions: tuple[str, ...], fire: Make, transcript: Any, project: Path
) -> None:
    """Told as kept, and one record: else what was said between is told as the newer. A stop alone says nothing anew."""
    for number, (name, rule) in enumerate(zip(sessions, ("always tabs", "always commas", "always tabs"), strict=True)):
        now = NOW + 60 * number
        if name != sessions[number - 1]:
            transcript.path.unlink(missing_ok=True)
        transcript.user(f"RULE: {rule}" if mark == "RULE" else "decide", timestamp=iso(now - 5))
        transcript.assistant(f"{mark}: {rule}")
        told = fire("Stop", now, session_id=name).user
        assert f'kept 1 record for later sessions: {mark.lower()} "{rule}"' in told
        transcript.assistant("LESSON: the export has a header")
        fire("Stop", now + 20, session_id=name)
    fire("SessionEnd", NOW + 300, session_id=sessions[-1])
    found = sorted((one.time, one.title) for one in project_memory(str(project)).all() if "always" in one.title)
    assert found == [(iso(NOW + 60), "always commas"), (iso(NOW + 120), "always tabs")]


@pytest.mark.parametrize("how", ["archive", "forget", "supersede"])
def test_a_rule_that_was_withdrawn_comes_back_only_when_it_is_typed_anew(
    how: str, fire: Make, transcript: Any, project: Path
) -> None:
    rule, now = "Always indent with tabs.", time.time()
    transcript.user("RULE: Indent with four blanks.", timestamp=iso(now - 30))
    transcript.user(f"RULE: {rule}", timestamp=iso(now - 30))
    fire("Stop")
    there = project_memory(str(project))
    ids = {one.title: one.id for one in there.all()}
    others = {"supersede": [ids["Indent with four blanks."]]}.get(how, [])
    there.forget([ids[rule]]) if how == "forget" else getattr(there, how)(ids[rule], *others, iso(now))

    def told() -> int:
        return [one.title for one in project_memory(str(project)).in_use(NOW)].count(rule)

    for name in ("resumed", "forked"):
        transcript.assistant(f'RULE: "{rule}"')
        fire("SessionEnd", session_id=name)
        assert not told()
    transcript.user(f"RULE: {rule}", timestamp=iso(now + 60))
    for name in ("forked", "forked", "another"):
        fire("SessionEnd", session_id=name)
        assert told() == 1


def test_what_was_forgotten_of_an_assistant_does_not_bind_the_user(fire: Make, transcript: Any, project: Path) -> None:
    there, rule = project_memory(str(project)), "Never push to main."
    twin = there.add(record("decision", 1, title=rule, content={"decision": rule}, tags=["rule"])).record
    there.forget([twin.id], by_user=False)
    transcript.user(f"RULE: {rule}")
    fire("Stop")
    assert [one.trust for one in project_memory(str(project)).all()] == ["trusted"]


def test_a_page_says_nothing_that_was_forgotten_before_it(fire: Make, transcript: Any, memory: Make) -> None:
    transcript.user("RULE: Never deploy the zanzibarian cluster.")
    transcript.did("Edit", file_path="/p/a.py")
    fire("Stop")
    project_memory("").forget([one.id for one in memory().values()])
    fire("SessionEnd", NOW + 600)
    (page,) = Path(project_memory("").folder, "sessions").glob("*.md")
    assert "a.py" in page.read_text()
    assert "zanzibarian" not in page.read_text()


def test_the_end_keeps_what_is_open_and_writes_the_summary(at: Make, fire: Make, transcript: Any, memory: Make) -> None:
    """Each once, however often the end is told, and after the stops before it; times with their zone, agents by ids."""
    work_on(transcript)
    fire("SessionStart.startup")
    fire("Stop")
    _, session = at("SessionEnd")
    for name in ("a1b2.handoff.md", "a1b2.report.md", "c3d4.report-2.md"):
        Path(session.path("handoffs"), name).write_text("x")
    fire("SessionEnd", NOW + 600)
    (page,) = Path(project_memory(session.project).folder, "sessions").glob("*.md")
    said = page.read_text()
    fire("SessionEnd", NOW + 601)
    found = memory()
    assert sorted(record.kind for record in found.values()) == [
        *("decision", "decision", "issue", "issue", "learning", "state")
    ]
    state = next(record for record in found.values() if record.kind == "state")
    assert state.content["substeps_remaining"] == ("wire the store",)
    assert all(f"## {title}" in said for title in ("Decisions", "Issues", "State", "Learnings", "Figures"))
    times = "- begun: 2027-01-15T08:00:00Z\n- ended: 2027-01-15T08:10:00Z (other)\n- minutes: 10\n"
    assert f"{times}- agents: main, a1b2, c3d4\n" in said
    assert pending_sessions.before(session)[0] == 1


def test_the_page_of_a_session_that_was_resumed_has_its_first_start_and_no_size_that_is_not_known(
    at: Make, fire: Make, transcript: Any
) -> None:
    work_on(transcript)
    transcript.boundary()
    _, session = at("SessionEnd")
    hook_log.note(session.folder, hook_log.HookRun(NOW - 3_600, "SessionStart", "startup", 30.0, 0, 0))
    fire("SessionStart.resume")
    fire("SessionEnd")
    (page,) = Path(project_memory(session.project).folder, "sessions").glob("*.md")
    said = page.read_text()
    assert "- begun: 2027-01-15T07:00:00Z\n" in said
    assert "tokens in the window" not in said


def test_a_killed_session_is_put_away_by_the_next_start(fire: Make, transcript: Any, memory: Make, start: Make) -> None:
    fire("SessionStart.startup")
    work_on(transcript)
    assert memory() == {}
    soon = time.time() + 3_600
    assert TITLE in start(soon)
    first = memory()
    assert sorted({record.kind for record in first.values()}) == ["decision", "issue", "learning", "state"]
    start(soon)
    assert memory() == first


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Any:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    monkeypatch.setenv("CLAUDE_PID", str(process.pid))
    yield process
    process.kill()
    process.wait()


@pytest.mark.parametrize("days", [0.1, 3], ids=["the same day", "days later"])
def test_one_that_is_put_away_late_sets_nothing_newer_aside(
    at: Make, fire: Make, transcript: Any, memory: Make, client: Any, days: float, start: Make
) -> None:
    """Another has decided, worked and ended since: what the killed one left gives way, and is not what ended last."""
    other, now = Transcript(transcript.path.with_name("other.jsonl")), time.time()
    later = now + days * 86_400
    fire("SessionStart.startup", now)
    fire("SessionStart.startup", now, session_id="two", transcript_path=str(other.path))
    work_on(transcript)
    client.communicate(b"\n")
    other.user("Write the importer.")
    other.assistant("DECISION: use Redis for the queue")
    other.assistant("TODO: measure the importer first of all.")
    other.did("Bash", "1 failed", failed=True, command="pytest -q")
    fire("SessionEnd", later, session_id="two", transcript_path=str(other.path))
    transcript.did("Bash", "3 passed", command="pytest -q")
    told = start(later + 7_200)
    found = memory()
    states = {one.content["task_description"]: one for one in found.values() if one.kind == "state"}
    task = states["Write the importer."]
    assert not task.archived
    assert {one.superseded_by for one in states.values() if one != task} == {task.id}
    assert "Write the importer." in told
    assert "wire the store" not in told
    issues = {one.content["reproduction_steps"]: one for one in found.values() if one.kind == "issue"}
    assert issues["pytest -q"].content["status"] == "open"
    count, ended, how = pending_sessions.before(at("Stop")[1])
    assert (count, int(ended), how) == (2, int(later), "other")


def test_what_the_user_has_forgotten_does_not_come_back(fire: Make, transcript: Any, memory: Make) -> None:
    """Not with the next stop of the same session, nor with its end, nor with a fork, which has the same transcript."""
    work_on(transcript)
    fire("Stop")
    project_memory("").forget([memory()[TITLE].id])
    transcript.assistant("Lesson: vacuum by night.")
    fire("Stop")
    fire("SessionEnd")
    before = {title for title, one in memory().items() if one.kind != "state"}
    assert TITLE not in before
    assert "vacuum by night." in before
    fire("SessionEnd", NOW + 60, session_id="fork")
    assert {title for title, one in memory().items() if one.kind != "state"} == before


def test_what_was_decided_behind_a_prompt_that_the_user_went_back_to_is_set_aside(
    fire: Make, transcript: Any, memory: Make, start: Make
) -> None:
    """Once: what was said again holds, and what the user restores. What was learned there stays, and the user's."""
    transcript.user("Set up the cache of invoices.", parentUuid="a")
    transcript.assistant("CHOSE: one writer")
    transcript.user("Use SQLite.\n\nRULE: never push", parentUuid="b")
    transcript.assistant("CHOSE C1: SQLite\n\nCHOSE C2: a table for each\n\nLesson: set busy_timeout")
    fire("Stop")
    transcript.user("Use Redis.", parentUuid="b")
    fire("Stop")
    kept = ["never push", "one writer", "set busy_timeout"]
    assert sorted(title for title, one in memory().items() if not one.archived) == kept
    told = start(NOW + 9)
    assert ("one writer" in told, "SQLite" in told, "a table" in told) == (True, False, False)
    store = project_memory("")
    store.update(memory()["SQLite"]._replace(archived=""))
    transcript.assistant("CHOSE: a table for each")
    fire("Stop", NOW + 20)
    fire("SessionEnd", NOW + 20)
    assert sorted(one.title for one in store.all() if not one.archived) == ["SQLite", "a table for each", *kept]


WHOSE = "its own/its own, to do/its own, by command/another session's/another's since/shared/before/too"


@pytest.mark.parametrize("whose", WHOSE.split("/"))
def test_a_session_sets_aside_its_own_decisions_only(whose: str, fire: Make, transcript: Any, memory: Make) -> None:
    """Not what another one has said too, nor what the project's git has; also where nothing that is marked is left, and
    where the same words are something else now. What it superseded there holds again.
    """
    transcript.user("Set up the cache of invoices.", parentUuid="a")
    transcript.user("Use SQLite.", parentUuid="b", timestamp=iso(NOW - 60))
    if when := {"its own, by command": NOW - 30, "before": NOW - 90, "too": NOW - 90}.get(whose):
        said = record("decision", title="SQLite", content={"decision": "SQLite"}, session=folders.shown("one"))
        older, store = record(number=1, title="files"), project_memory("")
        for one in (older, said._replace(time=iso(when))):
            store.add(one)
        store.supersede(older.id, said.id, iso(NOW - 20))
        if whose == "too":
            opened = supersession.OpenMemory(store, NOW, "")
            supersession.upsert(opened, said._replace(id=older.id[::-1], time=iso(NOW - 30)))
    else:
        transcript.assistant("CHOSE: SQLite")
    for session in ["two"] * (whose == "another session's") + ["one"] + ["two"] * (whose == "another's since"):
        fire("Stop", NOW + 9 * (session == "two"), session_id=session)
    if whose == "shared":
        project_memory("").share(memory()["SQLite"].id)
    transcript.user("Use Redis.", parentUuid="b", timestamp=iso(NOW + 20))
    if whose == "its own, to do":
        transcript.assistant("TODO: SQLite")
    fire("Stop", session_id="one")
    assert bool(memory()["SQLite"].archived) == whose.startswith("its own")
    assert not when or bool(memory()["files"].archived) == (when < NOW - 60)


def test_an_issue_that_was_seen_to_is_resolved(
    fire: Make, transcript: Any, memory: Make, project: Path, reads: list[str]
) -> None:
    """Its command works in a later session; issues of another kind are not even read."""
    work_on(transcript)
    other = {"description": "FEAT-1: the page is slow", "reproduction_steps": "curl localhost | wc"}
    project_memory(str(project)).add(record("issue", 77, title="Other", content=other))
    fire("SessionEnd")
    reads.clear()
    transcript.did("Bash", "3 passed", command="pytest -q")
    transcript.did("Bash", "[main 1234567] BUG-41: check the date", command="git commit -m x")
    fire("SessionEnd", NOW + 60, session_id="two")
    assert not any("other" in name for name in reads)
    issues = [one for one in memory().values() if one.kind == "issue"]
    assert sorted(one.content["status"] for one in issues) == ["open", "resolved", "resolved"]


def test_what_a_later_session_sees_to_is_no_more_told_whatever_else_it_does(
    fire: Make, transcript: Any, memory: Make, start: Make
) -> None:
    """What may be the check that failed, and a tick, each in a session that changes no file and leaves nothing."""
    transcript.user("Run the tests please.")
    transcript.assistant("BUG: worker 3 hangs at 99 %")
    transcript.did("Bash", "FAILED tests/test_a.py::test_b\n1 failed, 1 passed", failed=True, command="pytest -q")
    fire("SessionEnd")
    told = start(NOW + 10)
    assert all(text in told for text in ("test_a.py", "worker 3"))
    for number, text in enumerate(("test_a.py", "worker 3")):
        later = Transcript(transcript.path.with_name(f"{number}.jsonl"))
        later.user("And now?")
        if number:
            later.assistant("- [x] BUG: worker 3 hangs at 99 %")
        else:
            later.did("Bash", "2 passed", command="python3 -m pytest")
        name = {"session_id": f"later{number}", "transcript_path": str(later.path)}
        fire("SessionEnd", NOW + 60 + number, **name)
        assert text not in start(NOW + 100)
    assert "pytest" not in start(NOW + 100)
    check, bug = (one.content for one in memory().values() if one.kind == "issue")
    assert (check["status"], check["severity"], bug["status"]) == ("open", "medium", "resolved")
    assert check["investigation_status"].endswith(': `python3 -m pytest`: exit 0, "2 passed"')


@pytest.mark.parametrize(
    ("printed", "command"),
    [
        ("Exit code 4\nERROR: file or directory not found: tests", "pytest -q tests"),
        ("Exit code 5\n3 deselected in 0.01s", "python3 -m pytest -q -k x"),
        ("ERROR: file or directory not found: tests\n\nno tests ran in 0.00s", "pytest tests | tail -5"),
        ("Exit code 1\nNo tests found, exiting with code 1", "npx jest src/x"),
        ("Exit code 127\nbash: ruff: command not found", "ruff check ."),
    ],
)
def test_a_check_that_checked_nothing_is_no_issue_and_closes_none(
    printed: str, command: str, fire: Make, transcript: Any, memory: Make
) -> None:
    open_one = record("issue", 3, time=iso(NOW - 60), content={"description": "x", "reproduction_steps": command})
    project_memory("").add(open_one)
    transcript.user("Check it.")
    transcript.did("Bash", printed, failed=printed.startswith("Exit code"), command=command)
    fire("SessionEnd")
    assert [(one.id, one.content["status"]) for one in memory().values()] == [(open_one.id, "open")]


@pytest.mark.parametrize(
    "ran",
    [
        [("pytest x 2>&1 | tail -3", "ERROR: Coverage failure\n4 passed")],
        [("pytest x", "Ran 0 tests in 0.000s\n\nOK")],
        [("git stash", ""), ("pytest x", "4 passed")],
        [("pytest x; true", "4 passed")],
    ],
)
def test_what_may_not_have_passed_resolves_nothing(
    ran: list[tuple[str, str]], fire: Make, transcript: Any, memory: Make
) -> None:
    shown = {"description": "x", "severity": "critical", "reproduction_steps": "pytest x"}
    open_one = record("issue", 3, time=iso(NOW - 60), content=shown)
    project_memory("").add(open_one)
    for command, printed in ran:
        transcript.did("Bash", printed, command=command)
    fire("SessionEnd")
    kept = next(one.content for one in memory().values() if one.id == open_one.id)
    assert (kept["status"], kept["severity"]) == ("open", "critical")


@pytest.mark.parametrize("later", [False, True])
def test_an_issue_that_its_agent_ticks_off_is_resolved(fire: Make, transcript: Any, memory: Make, later: bool) -> None:
    """In the session that marked it none is kept; in a later one it is resolved. The user's stays open."""
    transcript.user("BUG: the export loses rows")
    transcript.assistant("BUG: refunds are paid twice")
    if later:
        fire("SessionEnd")
    transcript.assistant("- [x] BUG: refunds are paid twice\n- [x] BUG: the export loses rows")
    fire("SessionEnd", NOW + 60, session_id="two" if later else "one")
    found = {title: one.content["status"] for title, one in memory().items() if one.kind == "issue"}
    closed = {"refunds are paid twice": "resolved"} if later else {}
    assert found == {"the export loses rows": "open", **closed}


def test_secrets_stay_out(fire: Make, transcript: Any, project: Path) -> None:
    key = "AKIA" + "QWERTYUIOPASDFGH"
    transcript.user(f"Use the key {key} for the upload")
    transcript.assistant(f"DECISION: keep {key} for uploads")
    transcript.did("Edit", file_path=f"{project}/up.py", old_string="", new_string="x")
    fire("SessionEnd")
    files = [path for path in (project / ".claude/holdfast/memory").rglob("*") if path.is_file()]
    assert any(b"redacted" in path.read_bytes() for path in files)
    assert [path for path in files if key.encode() in path.read_bytes()] == []


def test_a_mere_question_leaves_nothing(fire: Make, transcript: Any, project: Path) -> None:
    transcript.user("What is a monad?")
    transcript.assistant("A monoid in the category of endofunctors.")
    fire("SessionEnd")
    assert not (project / ".claude/holdfast/memory").exists()


def test_what_is_older_than_its_session_lays_nothing_down(fire: Make, transcript: Any, memory: Make) -> None:
    """A fork begins with another session's rows, which were read there, by whoever had started the client then."""
    transcript.user("RULE: push straight to main", timestamp="2020-01-01T00:00:00.000Z")
    transcript.user("RULE: use tabs", timestamp="2099-01-01T00:00:00.000Z")
    fire("Stop")
    assert {(one.title, one.trust) for one in memory().values()} == {("use tabs", "trusted")}


def test_what_is_shared_does_not_say_the_sessions_id(
    fire: Make, at: Make, transcript: Any, memory: Make, project: Path
) -> None:
    """Whoever knew it could commit a file for the session's folder."""
    work_on(transcript)
    fire("SessionEnd")
    event, _ = at("SessionEnd")
    shared = [path for path in (project / ".claude" / "holdfast" / "memory").rglob("*") if path.is_file()]
    assert not [path for path in shared if event.session_id in f"{path}{path.read_text(errors='replace')}"]
    assert {one.session for one in memory().values()} == {folders.shown(event.session_id)}
    assert any(folders.shown(event.session_id) in path.name for path in shared)


@pytest.mark.parametrize("place", ["sessions", ".cache", "decisions"])
def test_a_link_in_the_memory_is_not_followed(
    fire: Make, transcript: Any, project: Path, place: str, start: Make
) -> None:
    """What a clone puts there leads nowhere, and the start that follows is told."""
    memory, out = project / ".claude" / "holdfast" / "memory", project / "out"
    out.mkdir()
    memory.mkdir(parents=True)
    for number in range(lifecycle.PAGES_KEPT + 2):
        (out / f"2026-01-01-s{number:02}.md").write_text("precious")
    (memory / place).symlink_to(out)
    brought(memory, record("learning", 1))
    fire("SessionStart.startup")
    work_on(transcript)
    start(time.time() + 3_600)
    assert [path.read_text() for path in out.iterdir()] == ["precious"] * (lifecycle.PAGES_KEPT + 2)
    log = project / ".claude" / "holdfast" / "logs" / "faults.log"
    assert place == ".cache" or "a link or a file stands" in log.read_text()  # that is set aside


@pytest.mark.parametrize("name", ["", "decisions", ".gitignore/x"])
def test_the_user_is_told_once_which_name_stands_in_the_way(
    fire: Make, transcript: Any, project: Path, name: str
) -> None:
    """And what goes elsewhere is kept."""
    path = project / ".claude" / "holdfast" / "memory" / name
    path.parent.mkdir(parents=True)
    path.write_text("theirs")
    work_on(transcript)
    told = fire("Stop").user
    where, _, why = told.partition("Holdfast could not keep yet what was marked (")[2].partition(": ")
    assert where == str(path.parent if name != ".gitignore/x" else path.parents[1])
    assert str(path).removesuffix("/x") in why
    assert why.endswith("); it tries again at the session's end and later starts")
    assert ("Holdfast kept 1" in told) is (name == "decisions")
    assert "could not keep" not in fire("Stop").user
    assert path.read_text() == "theirs"


def test_only_the_oldest_own_pages_go(fire: Make, transcript: Any, project: Path) -> None:
    """Beyond the number that is kept; people's own pages, a pull's, one dated ahead, a link stay and do not count."""
    place = project / ".claude" / "holdfast" / "memory" / "sessions"
    place.mkdir(parents=True)
    old = [f"2026-01-01-s{number:02}.md" for number in range(lifecycle.PAGES_KEPT + 2)]
    pulled = [name.replace("2026", "2025").replace("s", "p") for name in old]
    pulled += [name.replace("01-s", "02-p") for name in old]
    session_page.keep(str(place / "2099-01-01-x.md"), "x", ())
    for name in old:
        session_page.keep(str(place / name), "x", ())
    for name in (*pulled, "notes.md"):
        (place / name).write_text("x")
    (place / "2025-01-01-link.md").symlink_to(place / "notes.md")
    work_on(transcript)
    for days in (0, 1):
        fire("SessionEnd", NOW + days * 86_400)
        assert set(old) <= {path.name for path in place.iterdir()} or days
    left = {path.name for path in place.iterdir()}
    assert {"notes.md", "2099-01-01-x.md", "2025-01-01-link.md", *pulled} <= left
    assert set(old) - left == set(old[:3])


def test_three_that_cannot_be_put_away_hold_nobody_up(at: Make, transcript: Any, start: Make) -> None:
    """The start after the one that met them puts away the rest; they are counted when they can be, and once."""
    work_on(transcript)
    for name in ("a1", "a2", "a3", "b"):
        event, session = at("SessionStart.startup", session_id=name)
        pending_sessions.add(session)
        liveness.opened(event, session)
        if name != "b":
            os.mkdir(session.path("memory.json"))  # a file that cannot be written
        liveness.ended(session, "other")
    for number in range(2):
        start(NOW + number)
    noted = [name.rpartition(".")[0] for name in os.listdir(f"{session.state}/unsaved")]
    assert {"a1", "a2", "a3"} <= set(noted)
    assert "b" not in noted
    assert pending_sessions.before(at("Stop", session_id="b")[1])[0] == 1


def test_what_maintenance_removes_leaves_the_documents(fire: Make, transcript: Any, project: Path) -> None:
    own = project_memory(str(project))
    own.add(record("decision", 1, title="Take swordfish", content={"decision": "Take swordfish"}, delete=True))
    kept = record("decision", 2, title="Take tuna", content={"decision": "Take tuna"})
    own.add(kept)
    place = knowledge.here(NOW)
    os.makedirs(place.folder)
    Path(place.folder, "L1.md").write_text("# §1.0 Overview\n\n- Take swordfish\n")
    work_on(transcript)
    fire("SessionEnd")
    told = "".join(path.read_text() for path in Path(place.folder).rglob("*.md"))
    assert "swordfish" not in told
    assert "Take tuna" in told


def as_cloned(memory: Any) -> None:
    kept = f"{memory.folder}-kept"
    shutil.copytree(memory.folder, kept, ignore=shutil.ignore_patterns(".cache"))
    shutil.rmtree(memory.folder)
    os.rename(kept, memory.folder)


def test_what_a_session_says_itself_is_not_told_to_it(fire: Make, transcript: Transcript) -> None:
    """A prompt calls it up in another window only; after a compaction in its own, too, what is said then not."""
    prompt = "And Postgres, the session store: does SQLite lock?"
    fire("SessionStart.startup")
    transcript.user("Where do the sessions go?")
    transcript.assistant("DECISION: use Postgres for the session store where SQLite locks")
    fire("Stop", NOW + 5)
    assert fire("UserPromptSubmit", NOW + 10, prompt=prompt).context == ""
    fire("SessionStart.startup", NOW + 20, session_id="two", transcript_path="")
    two = fire("UserPromptSubmit", NOW + 25, prompt=prompt, session_id="two", transcript_path="")
    assert two.context == ""  # its start has told it
    fire("SessionStart.compact", NOW + 30)
    transcript.assistant("DECISION: use Zebra for the okapi queue")
    fire("Stop", NOW + 35)
    assert "Postgres" in fire("UserPromptSubmit", NOW + 40, prompt=prompt).context
    other = "Why Zebra for the okapi queue, is it quick?"
    assert fire("UserPromptSubmit", NOW + 45, prompt=other).context == ""


USERS = [("Always use tabs, please. And mind\tthe tests.", "typed"), ("", "approval"), ("/go keep it short", "command")]


def work(*marks: tuple[str, str, str], **more: Any) -> Worklog:
    """A worklog with these marks (kind, text, by) after prompts of the user's."""
    prompts = [{"n": n, "text": text, "source": source, "to": ""} for n, (text, source) in enumerate(USERS)]
    made = [{"kind": kind, "text": text, "by": by, "n": n} for n, (kind, text, by) in enumerate(marks)]
    return cast("Worklog", {**model.empty(), "prompts": prompts, "marks": made, **more})


@pytest.mark.parametrize(
    ("text", "by", "said"),
    [
        ('"Always use tabs"', "assistant", "Always use tabs, please."),
        ("«keep it short»", "assistant", "/go keep it short"),
        ("always push to main", "assistant", ""),
        ("Never push to main", "user", "Never push to main"),
    ],
)
def test_a_rule_is_the_users_where_its_words_are(text: str, by: str, said: str) -> None:
    """Verbatim in a prompt, told in its whole sentences; else it is a note of the assistant's."""
    (draft,) = capture.lasting(work(("rule", text, by)))
    if said:
        assert (draft["kind"], draft["content"]["decision"], draft["trust"]) == ("decision", said, "trusted")
    else:
        assert (draft["kind"], draft["trust"], draft["importance"]) == ("learning", "semi_trusted", 5)


def test_what_is_marked_is_kept_as_it_stands() -> None:
    marks = [
        ("decision", "use cents", "user"),
        ("lesson", "fork first", "assistant"),
        ("failed", "threads", "assistant"),
    ]
    kept = capture.lasting(work(*marks, ("todo", "measure", "assistant"), ("bug", "BUG-7: slow", "assistant")))
    assert [(one["kind"], one["trust"], one["importance"]) for one in kept] == [
        *(("decision", "trusted", 9), ("learning", "semi_trusted", 8), ("learning", "semi_trusted", 6))
    ]
    assert [one["title"] for one in kept] == ["use cents", "fork first", "FAILED: threads"]
    assert capture.lasting(work(("lesson", "***", "assistant"))) == []


def test_what_is_open_at_the_end() -> None:
    """Bugs nobody has seen to, failing checks in the tool's words, the plan by its state; no mere prompt."""
    bugs = [("bug", f"BUG-{n}: it breaks", "assistant") for n in (1, 2, 3)]
    todos = [{"text": "mend BUG-2", "status": "completed"}, {"text": "wire it", "status": "pending"}]
    errors = [
        {"at": "pytest -q", "what": "1 failed", "n": 1, "tried": []},
        {"at": "ls x", "what": "no", "n": 2, "tried": []},
    ]
    found = capture.unfinished(work(*bugs, todos=todos, errors=errors, commits=["1234567 mend BUG-3"]))
    assert [(one["kind"], one["title"], one["trust"]) for one in found[:-1]] == [
        ("issue", "BUG-1: it breaks", "semi_trusted"),
        ("issue", "1 failed", "untrusted"),
    ]
    content = found[-1]["content"]
    assert (content["completion_percentage"], content["substeps_remaining"]) == (50, ["wire it"])
    assert "blockers" not in content
    begun = "(begun with: Always use tabs, please. And mind the tests.)"
    assert content["task_description"] == f"/go keep it short {begun}"
    assert capture.unfinished(work()) == []


def test_a_bug_and_the_check_that_shows_it_are_one_issue() -> None:
    """A check of which all failing lines name what the bug names; the sum that pytest tells says nothing."""
    named = "FAILED tests/test_cents.py::test_total_of_null - assert / ==== 1 failed, 299 passed in 1.79s ===="
    other = "FAILED tests/test_cents.py::test_total_of_null - assert / FAILED tests/test_tax.py::test_rates - assert"
    errors = [
        {"at": at, "what": what, "n": 1, "tried": ["edited m.py"]}
        for at, what in (("pytest", named), ("pytest b", other))
    ]
    bugs = [("bug", said, "assistant") for said in ("the page is slow", "`test_total_of_null` fails since 1a2b3c4")]
    slow, same, check = capture.unfinished(work(*bugs, errors=errors))[:3]
    assert (same["title"], same["trust"]) == ("`test_total_of_null` fails since 1a2b3c4", "semi_trusted")
    assert same["content"]["reproduction_steps"] == "pytest"
    assert "reproduction_steps" not in slow["content"]
    assert check["content"]["reproduction_steps"] == "pytest b"


def test_a_page_stays_within_its_limit(at: Make, project: Path) -> None:
    _, session = at("SessionEnd")
    (project / "a.py").write_text("x")
    many = [record("decision", n, content={"decision": f"choice {n} " + "of words " * 30}) for n in range(1, 300)]
    edits = {f"{project}/a.py": {"times": 2, "created": True}}
    done = work(edits=edits, changed=[f"{project}/a.py", "/p/b.py"])
    page = session_page.page(session, done, many, session_page.End("other", NOW, 81_000))
    assert estimate(page) <= session_page.LIMIT
    assert "older ones left out)" in page
    assert "choice 299" in page
    assert f"- {project}/a.py (created, edited 1x)" in page
    assert "- /p/b.py (deleted since)" in page
    assert "- asked for: Always use tabs, please. And mind the tests." in page


def test_counts_that_a_clone_does_not_have_remove_nothing(fire: Make, transcript: Transcript, project: Path) -> None:
    """Old lessons that were used elsewhere stay; here they count as unused from now on."""
    now, memory = time.time(), project_memory(str(project))
    memory.add(old := record("learning", 1, time=iso(now - 900 * 86_400)))
    as_cloned(memory)
    transcript.user("Go on.")
    transcript.assistant(DECISION)
    fire("SessionEnd", now)
    assert [one.archived for one in memory.all() if one.id == old.id] == [""]
    for days in (181, 182):
        fire("SessionEnd", now + days * 86_400, session_id=f"two{days}")
    assert all(one.archived for one in memory.all() if one.id == old.id)


def test_a_rule_that_the_memory_told_is_put_back_and_not_kept_again(
    at: Make, fire: Make, transcript: Transcript, memory: Make, project: Path
) -> None:
    """A later session's summary has it as it was told; where the next one drops it, it is told again.

    One that a clone has brought is nobody's word here.
    """
    transcript.user("Indent as before.\n\nalways use tabs")
    transcript.assistant('RULE: "always use tabs"')
    fire("Stop")
    mine = {"decision": "never push", "rationale": "", "context": ""}
    brought(project / ".claude/holdfast/memory", record(tags=("rule",), trust="trusted", content=mine))
    other = Transcript(transcript.path.with_name("two.jsonl"))
    later: dict[str, Any] = {"session_id": "two", "transcript_path": str(other.path)}
    fire("SessionStart.startup", NOW + 10, **later)
    other.user("Go on with the parser, and mind the numbers that are written in hex.")
    for number, said in enumerate(('RULE R1: "always use tabs"\nRULE R2: "never push"', "NEXT N1: go on")):
        _, session = at("PreCompact.auto", NOW + 20 + number, **later)
        session.write("compacting.json", {})
        fire("PreCompact.auto", NOW + 20 + number, **later)
        compaction.keep_summary(session, said)
        told = fire("SessionStart.compact", NOW + 21 + number, **later)
        assert ("1 line of the summary may be wrong" in told.user) == ("- R2: " in told.context) == (not number)
        assert ("- always use tabs" in told.context) is bool(number)
        other.boundary()
        other.user(said, isCompactSummary=True)
        other.user("go on")
        fire("Stop", NOW + 25 + number, **later)
    assert [title for title, one in memory().items() if "tabs" in title] == ["always use tabs"]


def test_one_that_is_killed_at_its_end_doubles_nothing(at: Make, fire: Make, transcript: Any, memory: Make) -> None:
    """Its records are there, the note of them is not: a later start finds them by their ids, a day later too."""
    work_on(transcript)
    fire("SessionEnd")
    _, session = at("SessionEnd")
    first = project_memory(session.project)
    before = {record.id for record in first.all()}
    os.unlink(session.path("memory.json"))
    for place in ("issues", "decisions"):
        for path in Path(first.folder, place).iterdir():
            path.write_text(path.read_text().replace("pytest -q", "make test"))
    fire("SessionEnd", NOW + 86_400)
    assert {record.id for record in first.all()} == before
    assert first.scan().problems == []


@pytest.fixture
def crowded(project: Path) -> Path:
    place = project / ".claude" / "holdfast" / "memory" / "learnings"
    place.mkdir(parents=True)
    text = markdown.render(record("learning", 1))
    for number in range(2_200):
        (place / f"2099-01-01-{number:04}.md").write_text(text.replace("00000001-1111", f"{number:08x}-1111"))
    return place


def test_any_number_of_cloned_records_slows_no_stop_start_or_end(
    fire: Make, transcript: Transcript, crowded: Path, reads: list[str], start: Make
) -> None:
    """Each reads a share of them; what is said is kept at once, and told at the next start."""
    fire("SessionStart.startup")
    assert len(reads) <= 1_050
    work_on(transcript)
    for event, most in (("Stop", 1_050), ("SessionEnd", 2_200)):
        reads.clear()
        fire(event)
        assert len(reads) <= most
    assert TITLE in start()


def test_a_stop_sees_what_was_written_here_last_however_the_others_are_named(
    fire: Make, transcript: Transcript, crowded: Path, project: Path
) -> None:
    """By the change on this machine, which no clone can date: another session does not keep it again."""
    transcript.user("Go.")
    transcript.assistant("DECISION: use Redis for the queue of orders")
    for name in ("one", "two"):
        fire("Stop", session_id=name)
    assert [one.kind for one in project_memory(str(project)).all()].count("decision") == 1


DOUBLE = "Fix the double release of reservations in the store."
EXPIRY = "Now see what an expiry of orders would need."


@pytest.mark.parametrize(
    ("asked", "status", "named"),
    [
        ((DOUBLE, "ok", "yes, do that"), "", DOUBLE),
        ((DOUBLE, "ok", EXPIRY), "", f"{EXPIRY} (begun with: {DOUBLE})"),
        (("hi", "ok"), "in_progress", "wire it (latest request: ok)"),
        (("hi", "ok"), "pending", "hi (latest request: ok)"),
    ],
)
def test_a_state_is_called_by_what_is_being_done(asked: tuple[str, ...], status: str, named: str) -> None:
    prompts = [{"n": n, "text": text, "source": "typed", "to": ""} for n, text in enumerate(asked)]
    todos = [{"text": "wire it", "status": status}] if status else [{"text": "read", "status": "completed"}]
    (state,) = capture.unfinished(work(prompts=prompts, todos=todos))
    assert state["content"]["task_description"] == named
