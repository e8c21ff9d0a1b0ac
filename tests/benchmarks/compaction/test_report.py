import pytest

from benchmarks.compaction import chain, report
from holdfast.worklog import fold

WORK = {**fold.empty(), "goal": "Repair the login handling", "messages": 3}
GOAL = "Repair the login handling"


def test_figures_of_two_compactions(capsys: pytest.CaptureFixture[str]) -> None:
    """Counts per text, shares of prompts, and both as tables."""
    session = [chain.Link(WORK, (GOAL,), GOAL, GOAL, GOAL), chain.Link(WORK, (), "OK done.", GOAL, GOAL)]
    found = report.figures([session])
    assert (found["pairs"], found["facts"]) == (1, 1)
    rows = {(row["name"], row["after"]): (row["retained"], row["missing"]) for row in found["rows"]}
    assert rows[chain.SUMMARY, 1] == (1, 0)
    assert rows[chain.SUMMARY, 2] == (0, 1)
    assert rows[chain.TOGETHER, 2] == (1, 0)
    assert found["prompts"][0] == {"name": chain.SUMMARY, "first": 1.0, "later": None, "earlier": 0.0}
    report.show(found)
    told = capsys.readouterr().out
    assert "1 facts that stood before each of 1 pairs" in told
    assert [line.split()[-3:] for line in told.splitlines() if line.startswith("packet")][-1] == ["1.000", "-", "1.000"]


def test_one_compaction_is_no_chain() -> None:
    """There is nothing to say."""
    assert report.figures([[chain.Link(WORK, (), "", "", "")], []]) == {}
