from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.compaction import chain
from holdfast.compaction import fidelity
from tests.worklog import states

RULE, OTHER = "Never write customer addresses into the audit log", "Always sign the nightly export of the shop"
FIRST = states.after(
    states.user("Mend the importer of the shop"), states.user(f"{RULE}."), states.user("Now the docs of it")
)
SECOND = states.after(
    states.user("Mend the importer of the shop"),
    states.user(f"{RULE}."),
    states.user("Now the docs of it"),
    states.boundary(),
    states.user(f"{OTHER}."),
    states.user("Go on with the tests of the parser"),
)


def link(work: dict[str, Any], summary: str = "", alone: str = "", prompts: tuple[str, ...] = ()) -> chain.Link:
    """One compaction; the packet is the same with and without the summary."""
    return chain.Link(work, prompts, summary, alone, alone)


def held(found: list[chain.Tally]) -> dict[tuple[str, int], tuple[int, int]]:
    """(retained, missing) of each text."""
    return {(one.name, one.after): (one.counts["retained"], one.counts["missing"]) for one in found}


def test_what_both_records_hold_is_asked_for() -> None:
    """A rule of the second window and a request that a newer one replaced are none of the first window's facts."""
    assert [fact.kind for fact in chain.standing(FIRST, SECOND)] == ["goal", "constraint"]


def test_a_fact_that_changed_its_state_is_not_asked_for() -> None:
    """A step that was planned and is done by then has been overtaken by the work, not lost."""
    item = "Port the importer to the new interface"
    planned, done = (states.after(states.user("Go"), states.todos((item, state))) for state in ("pending", "completed"))
    assert [fact.text for fact in chain.standing(planned, planned)] == [item]
    assert chain.standing(planned, done) == []


def test_each_text_after_one_compaction_and_after_two() -> None:
    """A summary that forgets the rule the second time, a packet that never has the goal, and both together."""
    goal = "Mend the importer of the shop"
    session = [link(FIRST, f"{goal}\n{RULE}", RULE), link(SECOND, goal, RULE)]
    assert held(chain.tallies([session])) == {
        (chain.SUMMARY, 1): (2, 0),
        (chain.SUMMARY, 2): (1, 1),
        (chain.PACKET, 1): (1, 1),
        (chain.PACKET, 2): (1, 1),
        (chain.TOGETHER, 1): (2, 0),
        (chain.TOGETHER, 2): (2, 0),
    }


def test_prompts_of_the_window_and_of_those_before() -> None:
    """A summary of the newest window only keeps all of its prompts and none of the earlier ones."""
    one, two = "Repair the login handling today", "Describe the migration for operators"
    session = [link(FIRST, one, prompts=(one,)), link(SECOND, two, f"{one}\n{two}", (two,))]
    summary, packet, together = chain.prompts([session, [link(FIRST)]])
    assert summary == (chain.SUMMARY, 1.0, 1.0, 0.0)
    assert packet == (chain.PACKET, 0.0, 1.0, 1.0)
    assert together[1:] == (1.0, 1.0, 1.0)


@given(st.lists(st.lists(st.builds(link, states.SESSIONS, states.PROSE, states.PROSE), max_size=3), max_size=3))
def test_every_fact_has_one_verdict_in_each_text(sessions: list[list[chain.Link]]) -> None:
    """As many in each row; without two compactions in a row there are none."""
    totals = {sum(one.counts.values()) for one in chain.tallies(sessions)}
    assert len(totals) == 1
    assert totals == {0} or any(len(session) > 1 for session in sessions)
    assert all(tuple(one.counts) == fidelity.VERDICTS for one in chain.tallies(sessions))
