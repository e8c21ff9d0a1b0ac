import json
import os
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.cli.main import main
from holdfast.compaction import store
from holdfast.hook.on import pre_compact, session_end, stop
from holdfast.hot import call_log, thresholds
from holdfast.ledger import hooks as ledger
from holdfast.ledger import model
from holdfast.session import hook_log, liveness
from holdfast.worklog import model as worklog

Make = Callable[..., Any]
FIGURES = st.dictionaries(st.sampled_from(("turns", "warm_runs", "put_in", "spent m input")), st.integers(0, 99))


def files() -> list[Path]:
    return sorted(Path(ledger.folder()).glob("*.json"))


def blank() -> model.Entry:
    return {"v": 1, "session": "s", "project": "/p", "state": "/p/x", "started": 0, "used": 0, "seen": {}, "days": {}}


@given(looks=st.lists(st.tuples(FIGURES, st.sampled_from(("2026-11-01", "2026-11-02")), st.booleans())))
def test_the_days_are_the_whole(looks: list[tuple[model.Figures, str, bool]]) -> None:
    """What grows is counted once, on the day of the look, however often one looks; cleared files begin anew."""
    entry, came, now = blank(), model.Figures(), model.Figures()
    for more, day, cleared in looks:
        begins_anew = cleared and more.get("warm_runs", 0) < now.get("warm_runs", 0)
        now = more if begins_anew else model.total([now, more])
        came = model.total([came, more])
        entry = model.grown(model.grown(entry, now, day, 1.0), now, day, 2.0)
        assert model.load(json.loads(json.dumps(entry))) == entry
    assert model.total(entry["days"].values()) == came
    assert all(list(entry["days"].values())[1:])


DAYS = (
    *("2026-02-28", "2026-02-29", "2024-02-29", "1900-02-29", "2000-02-29", "2026-04-31", "2026-08-31", "2026-13-01"),
    *("0000-01-01", "0001-01-01", "10000-01-01", "2026-1-1", "2026-00-10", "2026-01-00", "20260101", "d", ""),
)


@pytest.mark.parametrize("day", DAYS)
def test_an_entry_of_a_day_that_there_is_not_is_damaged(day: str) -> None:
    """As `datetime` has it, which no hook loads for that."""
    try:
        is_one = date.fromisoformat(day).isoformat() == day
    except ValueError:
        is_one = False
    assert (model.load({**blank(), "days": {day: {}}}) is not None) == is_one


def test_compactions_that_the_log_has_forgotten_still_count() -> None:
    seen = {"warm_runs": 4, "compactions": 3, "facts_kept": 30}
    later = {"warm_runs": 5, "compactions": 2, "facts_kept": 20}
    entry = model.grown(model.grown(blank(), seen, "d", 0), later, "d", 0)
    assert model.total(entry["days"].values()) == {**seen, "warm_runs": 5}


@pytest.fixture
def at_work(event_of: Make, session_of: Make, transcript: Any) -> Callable[[str], Any]:
    """Runs an event's handler on a session with some of everything; gives the session."""
    transcript.user("Fix the login")
    transcript.assistant("x", tokens=84_000)
    transcript.user("<task-notification>\n<task-id>a1</task-id>\n</task-notification>")
    transcript.user("And its test")
    event = event_of("Stop")
    session = session_of(event)
    runs = (("Stop", 20.0, 0, 0), ("SessionStart", 40.4, 5_100, 0), ("PreCompact", 30.0, 0, 510))
    for name, ms, context, plain in runs:
        hook_log.note(session.folder, hook_log.HookRun(session.now, name, "", ms, context, plain))
    Path(session.path("saved.log")).write_text("Bash 51000 25500\ntorn\nRead x 5 9\nBash 5100 2550 1800000000\n")
    for tool in ("Agent", "Bash"):
        call_log.record(session.path("calls.log"), call_log.line(0, 0, tool))
    session.once("ask-a1-1")
    must = {"items": 12, "held": 9, "on_page": 1, "missing": 2}
    facts = {"must": must, "tokens_before": 160_000, "tokens_after": 9_000}
    log, mine = str(Path(session.state) / "logs" / "compactions.jsonl"), os.path.basename(session.folder)
    told = {**facts, "corrected": "Stop", "record": {"corrected": 1}}
    for more in (told, facts, {"tokens_before": 5, "tokens_after": None}):
        store.add(log, {"session": mine, **more})
    store.add(log, {"session": "another", **facts})

    def run(name: str) -> Any:
        event = event_of(name)
        {"Stop": stop, "SessionEnd": session_end, "PreCompact.manual": pre_compact}[name].handle(event, session)
        return session

    return run


WANTED = """turns 2|calls 2|agents 1|warm_runs 3|warm_ms 90|hot_runs 4|steering 200
|digests 2|digests_before 22000|digests_after 11000|send_backs 1
|compactions 3|compactions_before 320000|compactions_after 18000
|facts_kept 20|facts_corrected 2|lines_corrected 1|facts_lost 2
|spent claude-sonnet-4-5 answers 1|spent claude-sonnet-4-5 input 84000"""


@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "PreCompact.manual"])
def test_what_is_noted(at_work: Make, event: str, state: Path) -> None:
    """One entry with all figures, none of them twice; commands read it and write nothing."""
    session = at_work(event)
    at_work(event)
    (path,) = files()
    entry = json.loads(path.read_text())
    assert {f"{key} {value}" for key, value in entry["seen"].items() if key != "put_in"} == {
        *WANTED.replace("\n", "").split("|")
    }
    assert entry["seen"]["put_in"] >= 2_000  # and the protocol of sub-agents
    assert model.total(entry["days"].values()) == entry["seen"]
    assert (entry["project"], entry["state"]) == (session.project, str(state))
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.with_name(".gitignore").read_text() == "*\n", "a home may be a repository"
    before = path.read_bytes()
    assert [one["session"] for one in ledger.entries(str(state))[0]] == [entry["session"]]
    assert path.read_bytes() == before


def test_nobody_is_asked_to_note(
    event_of: Make, session_of: Make, monkeypatch: pytest.MonkeyPatch, state: Path
) -> None:
    session = session_of(event_of("Stop"))
    (state / "config.json").write_text('{"stats.ledger": false}')
    stop.handle(event_of("Stop"), session_of(event_of("Stop")))
    home = os.environ["HOME"]
    monkeypatch.delenv("HOME")
    ledger.note("Stop", session, worklog.empty())
    monkeypatch.setenv("HOME", home)
    assert not os.path.exists(ledger.folder())
    ledger.note("Stop", session, worklog.empty())
    assert len(files()) == 1


def test_a_session_that_no_hook_has_noted(event_of: Make, at_work: Make, state: Path) -> None:
    """Of this project the sessions' own files are read: one that was killed counts, one of a clone does not."""
    session = at_work("Stop")
    (path,) = files()
    path.unlink()
    liveness.opened(event_of("SessionStart.startup"), session)
    (entry,), torn = ledger.entries(str(state))
    assert (entry["seen"]["turns"], entry["project"], torn) == (2, session.project, [])
    Path(session.path("last.json")).write_text("{}")
    assert ledger.entries(str(state)) == ([], [])


def test_what_is_torn_is_named_and_the_rest_counts(at_work: Make, state: Path) -> None:
    """Half a file, another version, figures that are none, a pipe; the session's next look makes its own anew."""
    at_work("Stop")
    (path,) = files()
    whole = path.read_text()
    other = {**json.loads(whole), "v": 9}
    no_figures = {**other, "v": 1, "seen": {"turns": "1"}}
    for number, text in enumerate((whole[:90], json.dumps(other), json.dumps(no_figures))):
        path.with_name(f"torn-{number}.json").write_text(text)
    os.mkfifo(path.with_name("torn-3.json"))
    found, torn = ledger.entries(str(state))
    assert (len(found), [os.path.basename(one) for one in torn]) == (1, [f"torn-{number}.json" for number in range(4)])
    path.write_text(whole[:90])
    at_work("Stop")
    assert path.read_text() == whole


def test_the_ledger_is_bounded(at_work: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ledger, "MOST", 20)
    folder = Path(ledger.folder())
    folder.mkdir(parents=True)
    for number in range(20):
        (folder / f"{number:02}.json").write_text("{}")
        os.utime(folder / f"{number:02}.json", (number, number))
    at_work("Stop")
    assert len(files()) == 19
    assert files()[0].name == "02.json"


def test_a_fault_costs_the_hook_nothing(at_work: Make, monkeypatch: pytest.MonkeyPatch, state: Path) -> None:
    """The summariser is told all the same; the fault is logged. A disk that refuses is none."""
    Path(os.environ["HOME"], ".claude").write_text("no folder")
    session = at_work("PreCompact.manual")
    assert not Path(session.state, "logs", "faults.log").exists()
    monkeypatch.setattr(ledger, "figures", lambda *_: 1 / 0)
    Path(os.environ["HOME"], ".claude").unlink()
    at_work("PreCompact.manual")
    assert "ZeroDivisionError" in (state / "logs" / "faults.log").read_text()


NUMBERS = ("NaN", "Infinity", "1e300", "-1e300", "9" * 400, "9" * 5_000, "true", '"x"')


@pytest.mark.parametrize("number", NUMBERS, ids=[number[:9] for number in NUMBERS])
def test_numbers_that_nothing_has_end_nobody(
    at_work: Make, number: str, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In whichever file, in the place of every number: commands tell what is left, hooks go on without a fault."""
    for event in ("PreCompact.manual", "Stop", "SessionEnd"):
        at_work(event)
    for path in [*state.rglob("*.json"), *state.rglob("*.jsonl"), *files()]:
        text = re.sub(r"(?<=[\[:,] )-?[\d.]+(?=[],}])|(?<=\[)\d+", number, path.read_text())
        path.write_text(re.sub(r'"v": [^,}]+', f'"v": {thresholds.VERSION if path.stem == "thresholds" else 1}', text))
    for path in state.rglob("*.log"):
        path.write_text(re.sub(r"(?<= )\d[\d.]*", number, path.read_text()))
    for arguments in ("stats", "stats --json", "sessions --all", "report", "status", "doctor", "compactions"):
        capsys.readouterr()
        main(arguments.split())
        told = capsys.readouterr()
        assert "Traceback" not in told.out + told.err
    for event in ("PreCompact.manual", "Stop", "SessionEnd"):
        at_work(event)
    assert not (state / "logs" / "faults.log").exists()


def test_short_runs_of_sub_agents_count(run_hook: Make, payload: Make, state: Path) -> None:
    """As time of hooks, not as calls of the conversation: by one byte each."""
    sent = payload("PostToolUse.Bash", tool_response={"stdout": "ok", "stderr": ""})
    run_hook("session_start", payload("SessionStart.startup", session_id=sent["session_id"]))
    for agent in ({}, {"agent_id": "a1"}, {"agent_id": "a2"}, {"agent_id": "a1"}):
        assert run_hook("post_tool_use", {**sent, **agent}) == (0, "", "")
    (entry,) = ledger.entries(str(state))[0]
    assert (entry["seen"]["calls"], entry["seen"]["hot_runs"]) == (1, 4)
    assert (state / "sessions" / sent["session_id"] / "agents_calls").read_bytes() == b"..."


def answer_row(name: str, tokens: int, model: str = "claude-haiku-4-5") -> str:
    message = {"id": name, "model": model, "role": "assistant", "content": [], "usage": {"input_tokens": tokens}}
    more = {"isSidechain": True, "agentId": "a1", "timestamp": f"2026-11-01T00:00:{len(name):02}Z"}
    return json.dumps({"type": "assistant", "message": message, **more}) + "\n"


def test_what_sub_agents_spend_counts_once(at_work: Make, transcript: Any, state: Path) -> None:
    """From their own transcripts, of which each look reads what is new: also where one goes on after it returned."""
    own = Path(str(transcript.path).removesuffix(".jsonl")) / "subagents"
    (own / "deeper").mkdir(parents=True)
    first, nested = own / "agent-a1.jsonl", own / "deeper" / "agent-a2.jsonl"
    first.write_text(answer_row("m", 100) + answer_row("m", 120) + answer_row("mm", 30)[:40])
    nested.write_text(answer_row("m", 7, "claude-opus-4-6"))

    def spent(event: str) -> dict[str, int]:
        session = at_work(event)
        Path(session.path("handoffs")).joinpath("a1.handoff.md").write_text("done")
        (entry,) = ledger.entries(str(state))[0]
        return {key: value for key, value in entry["seen"].items() if key.startswith(("spent_by", "agents_"))}

    haiku, opus = "spent_by_agents claude-haiku-4-5 ", "spent_by_agents claude-opus-4-6 "
    wanted = {f"{haiku}answers": 1, f"{haiku}input": 120, f"{opus}answers": 1, f"{opus}input": 7}
    assert spent("Stop") == spent("PreCompact.manual") == wanted
    with first.open("a") as file:
        file.write(answer_row("mm", 30)[40:])
    assert spent("SessionEnd") == {**wanted, f"{haiku}answers": 2, f"{haiku}input": 150}
    nested.unlink()
    first.unlink()
    assert spent("Stop") == {**wanted, f"{haiku}answers": 2, f"{haiku}input": 150}


def test_what_is_not_known_of_sub_agents_is_counted(
    at_work: Make, transcript: Any, state: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One that came back and has no transcript, one whose transcript is torn; notes that are none are made anew."""
    own = Path(str(transcript.path).removesuffix(".jsonl")) / "subagents"
    own.mkdir(parents=True)
    (own / "agent-a1.jsonl").write_text(answer_row("m", 100) + answer_row("mm", 30)[:-9] + "\n")
    session = at_work("Stop")
    for agent in ("a1", "a2"):
        Path(session.path("handoffs"), f"{agent}.handoff.md").write_text("done")
    Path(session.path("agents.json")).write_text('{"agent-a1": {"offset": 9, "torn": 0, "spent": {"m": 1}}}')
    at_work("Stop")
    (entry,) = ledger.entries(str(state))[0]
    assert (entry["seen"]["agents_unknown"], entry["seen"]["spent_by_agents claude-haiku-4-5 input"]) == (2, 100)
    assert main(["stats"]) == 0
    assert "spent lacks what 2 sub-agents cost: no transcript, or a torn one." in capsys.readouterr().out
