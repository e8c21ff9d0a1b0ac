"""What is kept of sub-agents' work."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.handoff import orchestrator
from holdfast.handoff.model import Handoff
from holdfast.handoff.orchestrator import Most
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate

ANY_TEXT = st.text(st.characters(codec=None) | st.sampled_from('😀中/_-. \n"\\'), max_size=60)
LONG = st.builds(lambda text, times: text * times, ANY_TEXT, st.integers(1, 25))
LISTS = st.lists(LONG, max_size=4).map(tuple)
HANDOFFS = st.builds(
    Handoff,
    phase=ANY_TEXT,
    decision=st.sampled_from(["PROCEED", "STOP", "CLARIFY", ""]),
    context_summary=LONG,
    files_changed=LISTS,
    errors=LISTS,
)
BY = st.tuples(st.text("ab", max_size=1), ANY_TEXT)
RETURNS = st.lists(st.tuples(BY, HANDOFFS, st.sampled_from(["", "/r/a.report-2.md"])), max_size=5)


@settings(max_examples=30)
@given(RETURNS)
def test_the_state_is_bounded_after_any_returns(returns: list[tuple[tuple[str, str], Handoff, str]]) -> None:
    """At most 2,000 tokens whatever came back, it can be stored and read, and its slice keeps its bound."""
    state, times = orchestrator.empty(), len(returns)
    for by, handoff, report in returns:
        before = json.dumps(state)
        new = orchestrator.absorb(state, by, handoff, (10, 5), report)
        assert json.dumps(state) == before, "the old state was changed"
        state = new
        assert orchestrator.size(state) <= Most.TOKENS
        assert orchestrator.load(json.loads(json.dumps(state))) == state
    assert len(orchestrator.present_slice(state, "/reports")) <= 700
    assert state["kept_out"] == {"returns": times, "tokens_before": 10 * times, "tokens_after": 5 * times}


def test_of_what_has_its_bound_by_itself_nothing_more_is_left_out() -> None:
    """Task, name and decision at their longest, in a script whose signs the state's file escapes: it never ended."""
    state = orchestrator.with_task(orchestrator.empty(), "请检查全部的测试" * 20, "")
    handoff = Handoff(task_id="任务" * 50, phase="审查" * 40, decision="需要修改" * 30, context_summary="慢" * 900)
    (phase,) = orchestrator.absorb(state, ("a" * 100, ""), handoff, (1, 1), f"{'a' * 100}.report.md")["phases"].values()
    assert phase["decision"].startswith("需要修改")


def words(tokens: int) -> str:
    text = ""
    while estimate(text) < tokens:
        text += f"finding {len(text)} in the auth module; "
    return text


def test_a_long_report_leaves_little() -> None:
    summary = "Login uses argon2 in src/auth/login.py:40; sessions expire after 30 days. " + "Use it. " * 20
    assert 95 <= estimate(summary) <= 103
    handoff = Handoff(phase="research", decision="PROCEED", context_summary=summary, findings=words(3_800))
    path = "/home/dev/project/.claude/holdfast/sessions/s/handoffs/aa7d341a9807ed5ed.report.md"
    empty = orchestrator.empty()
    state = orchestrator.absorb(empty, ("aa7d341a9807ed5ed", ""), handoff, (3_800, 120), path)
    assert orchestrator.size(state) - orchestrator.size(empty) <= 150
    assert state["phases"]["research"]["summary"] == summary.strip()


def test_the_newest_phase_keeps_its_summary_longest() -> None:
    """Old summaries shrink, then old phases leave with all that belongs to them; the newest stays whole."""
    state, summary = orchestrator.empty(), words(350)
    for n in range(20):
        handoff = Handoff(phase=f"phase {n}", decision="PROCEED", context_summary=summary)
        state = orchestrator.absorb(state, (f"a{n}", ""), handoff, (1, 1), "/r")
    newest = state["phases"].pop("phase 19")
    older = list(state["phases"].values())
    assert newest["summary"] == one_line(summary, Most.SUMMARY_CHARS)
    assert older
    assert max(len(phase["summary"]) for phase in older) <= 200


def test_where_reports_lie_that_are_not_named_is_said() -> None:
    state = orchestrator.empty()
    for n in range(8):
        came = Handoff(phase=f"phase {n}", decision="PROCEED")
        state = orchestrator.absorb(state, (f"a{n}", ""), came, (1, 1), f"{n}.md")
    lines = orchestrator.summary_lines(state, "/r")
    assert lines[0] == "- reports of agents before these: /r"
    assert [line.partition(":")[0] for line in lines[1:]] == [f"- phase {n}" for n in range(2, 8)]
    assert len(orchestrator.summary_lines(state, "/r", 8)) == 8


GO, NO = Handoff(decision="PROCEED"), Handoff(decision="STOP")


@pytest.mark.parametrize(
    ("returns", "known"),
    [
        (
            [("1", "a", NO), ("2", "b", Handoff(decision="REQUEST CHANGES")), ("1", "a", GO), ("3", "c", Handoff())],
            ["b: REQUEST CHANGES", "a: PROCEED", "c: no decision stated"],
        ),
        ([("1", "a", NO), ("2", "a", GO), ("3", "a", NO), ("2", "a", NO)], ["a: STOP", "a 3: STOP", "a 2: STOP"]),
        (
            [("1", "pay", NO._replace(phase="review")), *[(at, "docs", GO._replace(phase="review")) for at in "23"]],
            ["review: STOP", "review: docs: PROCEED", "review: docs 2: PROCEED"],
        ),
        ([("1", "pay", NO._replace(phase="review")), ("1", "pay", GO)], ["pay: PROCEED"]),
    ],
    ids=["again", "one description", "one phase", "without its phase"],
)
def test_what_an_agent_returned_last_replaces_its_own_alone(
    returns: list[tuple[str, str, Handoff]], known: list[str]
) -> None:
    """A STOP was gone behind the PROCEED of another agent with the same phase or description."""
    state = orchestrator.empty()
    for agent, work, handoff in returns:
        state = orchestrator.absorb(state, (agent, work), handoff, (1, 1), "")
    assert orchestrator.summary_lines(state, "") == [f"- {line}." for line in known]
    last = {agent: handoff.decision or "no decision stated" for agent, _, handoff in returns}
    assert {one["agent"]: one["decision"] for one in state["phases"].values()} == last


def test_files_and_errors_are_kept_once_newest_last() -> None:
    state = orchestrator.empty()
    for n in range(30):
        returned = Handoff(files_changed=(f"f{n}", "same"), errors=("E same fails",))
        state = orchestrator.absorb(state, (f"a{n}", "p"), returned, (1, 1), "")
    assert len(state["files_changed"]) == Most.FILES
    assert state["files_changed"][-2:] == ["f29", "same"]
    assert state["open_errors"] == {"E same fails": "p"}


@pytest.mark.parametrize(
    "changes",
    [
        *({"v": 9}, {"task": []}, {"phases": []}, {"phases": {"a": {}}}, {"open_errors": {"a": 5}}),
        *({"open_errors": ["a"]}, {"kept_out": {"returns": "many"}}),
    ],
    ids=str,
)
def test_a_damaged_state_begins_anew(changes: dict[str, Any]) -> None:
    assert orchestrator.load({**orchestrator.empty(), **changes}) == orchestrator.empty()
    assert orchestrator.load({}) == orchestrator.empty()


def test_the_task_is_the_goal_and_the_specification() -> None:
    state = orchestrator.with_task(orchestrator.empty(), "add\nlogin", "Read docs/specs/login.md and src/a.py.")
    state = orchestrator.with_task(state, "another goal", "no path")
    assert state["task"] == {"id": "", "feature": "add login", "spec_path": "docs/specs/login.md"}


def test_the_slice_says_what_was_decided() -> None:
    assert orchestrator.present_slice(orchestrator.empty(), "/reports") == ""
    handoff = Handoff("t", "", "", "PROCEED", "Decision: PROCEED, uses\nargon2", (), ("a.py",), ("E1 fails",))
    state = orchestrator.absorb(orchestrator.empty(), ("a1", "auth"), handoff, (1, 1), "/x/a1.report-2.md")
    assert orchestrator.present_slice(state, "/reports").split("\n") == [
        "- task: t",
        "- auth: PROCEED. uses argon2 (full report: /reports/a1.report-2.md)",
        "- files changed by agents: a.py",
        "- open error (auth): E1 fails",
    ]


DECIDED = "STOP: the sweep releases twice, because both callers may be right about a reservation"


@pytest.mark.parametrize(
    ("decision", "summary", "said"),
    [
        (DECIDED, f"{DECIDED}. See BUG-217", f"{DECIDED}. See BUG-217"),
        ("integer cents.", "# Report", "integer cents. # Report"),
        ("move…", "# Report", "move… # Report"),
        ("GO", "All is well.", "GO. All is well."),
    ],
)
def test_a_decision_is_told_once_and_ends_with_one_stop(decision: str, summary: str, said: str) -> None:
    """Where the summary begins with its words, also of a longer one that was cut."""
    returned = Handoff(decision=decision, context_summary=summary)
    state = orchestrator.absorb(orchestrator.empty(), ("a1", "review"), returned, (9, 9), "")
    assert orchestrator.summary_lines(state, "") == [f"- review: {said}"]
