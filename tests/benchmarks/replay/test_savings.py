from typing import Any

from benchmarks.replay.savings import Options, Recall, hand_off, recall, replay, standard_reduce
from benchmarks.replay.sessions import Report, Result, Session, Window
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


def test_the_figures_keep_their_contract() -> None:
    """The keys that others read, and sums that fit."""
    log = Result("Bash", {}, "line of output\n" * 3_000, 0)
    figures = replay([session(((0, report(used="readSession1")),), (log, log))], Options(500))
    assert set(figures) == {"handoffs", "results", "calls_before_limit", "saved_share"}
    assert figures["handoffs"]["count"] == 1
    assert figures["handoffs"]["over_limit_after"] == 0
    assert figures["handoffs"]["names_used_afterwards"] == 1
    assert figures["results"]["digested"] == 2
    assert figures["results"]["tokens_after"] < figures["results"]["tokens_before"] / 2
    calls = figures["calls_before_limit"]
    assert calls["windows"] == 1
    assert calls["before"] == 50
    assert calls["after"] > 50
    assert 0 < figures["saved_share"] <= 0.9


def test_more_calls_fit_in_proportion_to_what_is_saved() -> None:
    """Half the growth saved doubles the calls; the saving is bounded."""
    text = "x y " * 5_000
    grown = 2 * tokens.estimate(text, "old")
    figures = replay([session(results=(Result("Bash", {}, text, 0),), grown=grown)], reduce=lambda result: "z")
    assert 99 <= figures["calls_before_limit"]["after"] <= 101
    figures = replay([session(results=(Result("Bash", {}, text, 0),), grown=10)], reduce=lambda result: "z")
    assert figures["saved_share"] == 0.9


def test_nothing_recorded_gives_zeros() -> None:
    """No sessions, no division by zero, no recall claimed."""
    figures = replay([])
    assert figures["handoffs"]["count"] == 0
    assert figures["handoffs"]["recall"] is None
    assert figures["saved_share"] == 0


def test_the_standard_reduction_follows_the_settings() -> None:
    """Bash output is digested, source files are not, and a repeated result becomes a reference."""
    reduce, text = standard_reduce(), "a line of output\n" * 3_000
    assert "digest" in reduce(Result("Bash", {}, text, 0))
    assert "same result" in reduce(Result("Bash", {}, text, 0))
    assert "same result" not in reduce(Result("Bash", {}, text, 1))
    assert reduce(Result("Read", {"file_path": "src/a.py"}, text, 0)) == ""
    assert reduce(Result("Read", {"file_path": "build.log"}, text, 0)) != ""
    assert reduce(Result("Edit", {}, text, 0)) == ""
