import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.replay.savings import Options, Recall, hand_off, recall, replay
from benchmarks.replay.sessions import Report, Result, Session, Window
from holdfast.handoff.outline import outline
from holdfast.text import tokens

LONG = "## Findings\n" + "\n".join(f"- `readSession{n}` in `src/part{n}.py` fails on empty input." for n in range(90))


def report(text: str = LONG, had: str = "", used: str = "") -> Report:
    """One report and its surroundings."""
    return Report(text, "Explore", "find it", had, had, used)


def session(reports: tuple[Any, ...] = (), results: tuple[Result, ...] = (), grown: int = 10_000) -> Session:
    """One window that ended in a compaction."""
    return Session("s.jsonl", "claude-opus-4-5", reports, results, (Window(50, grown, True), Window(3, 0, False)))


def test_recall_counts_what_was_used_and_where_it_is() -> None:
    """Used afterwards; held by the handoff, had before, or lost."""
    source = report("readFile someName otherName src/a.py lostName", "otherName", "readFile otherName a.py lostName")
    assert recall(source, "readFile and src/a.py") == Recall(4, 3, 3, 2)


def test_of_a_report_over_the_limit_an_outline_is_left() -> None:
    """Before, after and what it frees; a short one stays."""
    outcome = hand_off(report(), Options(500), "old")
    assert outcome.before > 500 >= outcome.after
    assert 0 < outcome.saved < outcome.before
    short = hand_off(report("Decision: STOP. E42."), Options(500), "old")
    assert short.before == short.after
    assert short.saved == 0


def test_more_calls_fit_in_proportion_to_what_is_saved() -> None:
    """Half the growth saved doubles the calls; the saving is bounded."""
    text = "x y " * 5_000
    grown = 2 * tokens.estimate(text, "old")
    figures = replay([session(results=(Result("Bash", {}, text, 0),), grown=grown)], reduce=lambda result: "z")
    assert 99 <= figures["calls_before_limit"]["after"] <= 101
    figures = replay([session(results=(Result("Bash", {}, text, 0),), grown=10)], reduce=lambda result: "z")
    assert figures["saved_share"] == 0.9


def test_a_result_is_digested_as_the_hook_does_it() -> None:
    """What failed is none of that hook's, source stays, and of a digest nothing is repeated; what was left is, within
    its window.
    """
    log = "\n".join(f"line {n} of a build took {n * 7} ms" for n in range(900))
    source = "\n".join(f"    def part_{n}(self) -> int: return {n}" for n in range(900))

    def digested(*results: Result) -> int:
        count: int = replay([session(results=results)])["results"]["digested"]
        return count

    def ran(text: str, command: str = "make") -> Result:
        return Result("Bash", {"command": command}, text, 0, {"stdout": text, "stderr": ""})

    assert digested(ran(log), ran(log)) == 2
    middle = ran("all is well here\n" * 310)
    assert digested(middle, ran("ok"), middle, middle._replace(window=1)) == 1
    assert digested(ran(log)._replace(response=None), ran(source, "cat a.py"), ran("ok")) == 0
    assert digested(ran(log)._replace(tool="Edit"), Result("Read", {"file_path": "/a.py"}, log, 0, log)) == 0


def test_a_digest_counts_as_it_does_in_holdfast_status(tmp_path: Path) -> None:
    """Of what the client cut, the 2 KB that it would have shown; what was recorded as a digest is said to be one."""
    whole = tmp_path / "whole.txt"
    whole.write_text("\n".join(f"line {n} of a build took {n * 7} ms" for n in range(9_000)))
    cut = {"stdout": "line 0", "stderr": "", "persistedOutputPath": str(whole)}
    preview = Result("Bash", {"command": "make"}, "x" * 2_300, 0, {**cut, "stdout": "x" * 30_000})
    results = replay([session(results=(preview,))])["results"]
    assert (results["digested"], results["already"], results["tokens_before"]) == (1, 0, tokens.rough(2_000))


@pytest.mark.parametrize(
    ("tool", "response", "already"),
    [
        ("Bash", {"stdout": "[Holdfast digest of 9", "stderr": ""}, 1),
        ("Bash", {"stdout": "Built in three long seconds.", "stderr": "[Holdfast digest of 9"}, 1),
        ("Bash", {"stdout": "[Holdfast: the same result as an earlier", "stderr": ""}, 1),
        ("Read", {"file": {"content": "[Holdfast digest of 9"}}, 1),
        ("mcp__x__y", {"content": [{"type": "text", "text": "[Holdfast digest of 9"}]}, 1),
        ("Bash", {"stdout": "see [Holdfast digest of 9", "stderr": ""}, 0),
        ("Bash", None, 0),
    ],
)
def test_a_result_that_was_recorded_as_ours_is_said_to_be_one(tool: str, response: Any, already: int) -> None:
    results = replay([session(results=(Result(tool, {}, "x", 0, response),))])["results"]
    assert results["already"] == already


def test_a_report_that_was_recorded_as_an_outline_is_said_to_be_one() -> None:
    shown = outline(LONG, 500, path="/a.report.md")
    figures = replay([session(reports=((0, report(shown)), (0, report())))])["handoffs"]
    assert (figures["count"], figures["already"]) == (2, 1)


def test_a_file_is_looked_for_where_the_call_was_made(tmp_path: Path) -> None:
    """What an edit may have to match is left, by a name of that folder too."""
    text = json.dumps({f"key {n}": {"deep": {"er": [n, {"z": n}]}} for n in range(600)}, indent=1)
    (tmp_path / "conf.json").write_text(text)
    read = Result("Bash", {"command": "cat conf.json"}, text, 0, {"stdout": text, "stderr": ""})
    results = (read, read._replace(cwd=str(tmp_path)))
    assert [replay([session(results=(one,))])["results"]["digested"] for one in results] == [1, 0]
