"""Requirement M in the real client: agents that should not run side by side are launched, and the model is told."""

from __future__ import annotations

from client import Desk, Run
from desks import DeskMaker
from loopback import Rule, call, rule
from reports import SHORT

GO = "GO-PARENT have the notes written"
ONE, TWO, CALM = "SUBTASK-ONE", "SUBTASK-TWO", "SUBTASK-CALM"
ADVICE = "docs/notes.md is to be changed by"


def agent(name: str, task: str) -> dict[str, object]:
    """A call of the Agent tool; the mark ends its prompt."""
    return call("Agent", description=name.lower(), prompt=f"{task} {name}", subagent_type="general-purpose")


def played(desk: Desk, *calls: dict[str, object]) -> Run:
    """A parent that launches agents in one message and ends when they are back."""
    script: list[Rule] = [rule(GO, *calls, times=1, tools=True)]
    # The answers take a while, so that the second is launched while the first runs, however busy the machine is.
    script += [rule("", SHORT, begun=mark, delay=1.0) for mark in (ONE, TWO, CALM)]
    return desk.run(GO, script)


def parent(run: Run) -> list[str]:
    """What the parent was sent, one text for each of its requests."""
    return [request.text for request in run.requests if GO in request.opening and request.body.get("tools")]


def told(run: Run) -> list[str]:
    """What the hooks before the launches gave to the model."""
    return [hook.context for hook in run.hooks("PreToolUse") if hook.context]


def refused(run: Run) -> list[str]:
    """The marks of agents that never ran."""
    return [mark for mark in (ONE, TWO) if not any(mark in request.opening for request in run.requests)]


CONFLICT = (agent(ONE, "Write the findings to docs/notes.md."), agent(TWO, "Then update docs/notes.md too."))


def test_two_agents_that_change_one_file_run_and_the_model_is_told_once(desk: Desk) -> None:
    """Nothing is blocked; the parent's next request holds the advice, one time."""
    run = played(desk, *CONFLICT)
    assert run.code == 0, run.stderr
    assert run.result == "OK done."
    assert refused(run) == []
    assert len(told(run)) == 1
    assert len(told(run)[0].split()) <= 60
    before, after = parent(run)
    assert ADVICE not in before
    assert after.count(ADVICE) == 1


def test_agents_that_do_not_meet_are_launched_without_a_word(desk: Desk) -> None:
    """Most launches are well, and then nothing is said."""
    run = played(desk, agent(ONE, "Find where login fails."), agent(CALM, "List the callers of refresh()."))
    assert run.result == "OK done."
    assert told(run) == []
    assert "Holdfast, on" not in parent(run)[-1]


def test_where_it_is_configured_the_second_is_refused(make_desk: DeskMaker) -> None:
    """With gate.mode "block" the first agent runs, the second does not, and the model reads why."""
    desk = make_desk("plugin")
    desk.state.mkdir(parents=True)
    (desk.state / "config.json").write_text('{"gate": {"mode": "block"}}')
    run = played(desk, *CONFLICT)
    assert run.result == "OK done."
    assert len(refused(run)) == 1
    assert ADVICE in parent(run)[-1]


def test_off_is_off(make_desk: DeskMaker) -> None:
    """With gate.mode "off" nothing is looked at and nothing is written."""
    desk = make_desk("plugin")
    desk.state.mkdir(parents=True)
    (desk.state / "config.json").write_text('{"gate": {"mode": "off"}}')
    run = played(desk, *CONFLICT)
    assert run.result == "OK done."
    assert told(run) == []
    assert list(desk.state.rglob("launches.log")) == []
