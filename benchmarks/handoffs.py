"""May a caller act on what it gets in a long report's place: a model's own words, or an outline where none come?

    python -m benchmarks.handoffs make DIR --data TRANSCRIPTS   a folder for each report
    python -m benchmarks.handoffs judge DIR      after the answers: what a judge of both needs
    python -m benchmarks.handoffs tally DIR      after the grades: decisions, points, what misleads, who acts wrongly

Recorded reports above the limit, far apart in the order of their sessions: one reader writes the answer for which the
agent is sent back, another judges it. Outlines may be judged alone. Why it is sent back, and the outline that the
caller of an agent gets which answers the same each time, come from the hooks' own processes.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.outcome import step  # it finds the scripts as well
from benchmarks.replay import sessions
from holdfast.config.load import defaults
from holdfast.handoff import model, sendback
from holdfast.text import tokenizer
from hostile.place import Place, returned

MOST = 30
"""Reports."""
AIMS = {"answer": (0.97, 0.0), "outline": (0.0, 1 / 30)}
"""Share of decisions that is to be right, at least; of texts that mislead, at most. Nobody is to act wrongly."""
WRITE = """You are a sub-agent. task.txt is what your caller asked, report.txt the answer that you gave, reason.txt the
message that sends you back: its numbers of lines are those of report.txt. Read all three whole. Then write to
answer.txt what the message asks for, as your whole answer and nothing else. Keep to its number of characters (wc -m
counts them). Write it yourself, by no script. Read no other file.
"""
JUDGE = """task.txt is what a sub-agent was asked, report.txt its whole report. answer.txt and outline.txt are two short
texts, of which its caller gets one in the report's place, with the report's path; one may be missing. Read task and
report whole first, then judge each text by itself, as its caller would read it. Write grade.json:
{"answer": {"decision": 1, "must": [5, 5], "misleading": [], "act": 2, "why": "one line"}, "outline": {…}}
  decision    the report's decision, verdict or answer: 1 right, 0.5 a part of it and nothing wrong, 0 not there,
              -1 wrong or against the report
  must        of the points that the caller must know to act rightly (blocking or severe findings, required fixes, open
              errors, answers to the task) how many are there or are led to by lines of the report, and how many are due
  misleading  "what is believed | what the report says" of each statement that is false against the report, and of
              each choice of lines that makes one believe what the report denies; what is left out and said to be left
              out is no fault
  act         2 who reads it alone acts rightly, 1 sees that the report must be opened, 0 would act wrongly
Be strict and exact. Read no other file.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """One step; 1 when the tally misses an aim."""
    return step(argv, "benchmarks.handoffs", {"make": make}, {"judge": judge, "tally": tally}, asks=False)


def make(folder: Path, data: Path) -> None:
    """For each report what its agent reads and, kept apart, the outline."""
    for number, report in enumerate(_chosen(data), 1):
        place = folder / f"{number:02}"
        (place / "judge").mkdir(parents=True)
        reason, outline = _played(place, report)
        for name, text in (("task", report.prompt), ("report", report.text), ("reason", reason), ("README", WRITE)):
            (place / f"{name}.txt").write_text(text)
        (place / "judge" / "outline.txt").write_text(outline)


def _chosen(data: Path) -> list[sessions.Report]:
    """Of the reports that are sent back, each once."""
    limit, rows, count = defaults()["handoff.limit"], defaults()["digest.tokens"], tokenizer.counter()
    read = map(sessions.read_session, sessions.transcripts([str(data)]))
    found = {report.text: report for session in read for _, report in session.reports}
    parsed = {text: model.parse(text) for text in found}
    over = [text for text, one in parsed.items() if one.form != "data" and sendback.too_many(one, limit, rows, count)]
    many = min(MOST, len(over))
    return [found[over[at * len(over) // many]] for at in range(many)]


def _played(place: Path, report: sessions.Report) -> tuple[str, str]:
    """What the agent is told, and what its caller gets when it never complies."""
    at = Place((place / "hooks").resolve(), (place.parent / "compiled").resolve())
    at.user(report.prompt)
    said = {"last_assistant_message": report.text, "agent_transcript_path": str(at.transcript)}
    first = at.fire("SubagentStop.first", **said)
    for _ in range(defaults()["handoff.blocks"]):
        at.fire("SubagentStop.first", **said, stop_hook_active=True)
    output = at.fire("PostToolUse.Agent", tool_response=returned(report.text)).reply["hookSpecificOutput"]
    return first.reply["reason"], output["updatedToolOutput"]["content"][0]["text"]


def judge(folder: Path) -> int:
    """Task, report and the answer beside each outline."""
    for place in sorted(path.parent for path in folder.glob("*/reason.txt")):
        answered = (place / "answer.txt").is_file()
        for name in ("task", "report", "answer")[: 2 + answered]:
            shutil.copy(place / f"{name}.txt", place / "judge")
        (place / "judge" / "README.txt").write_text(JUDGE)
        print(f"{place.name}: {'both texts' if answered else 'its answer is not there yet'}")
    return 0


def tally(folder: Path) -> int:
    """Print the sums of each kind of text; 1 when one misses an aim, or nothing is judged."""
    graded = sorted(folder.glob("*/judge/grade.json"))
    grades = {path.parent: json.loads(path.read_text()) for path in graded}
    missed, count, limit = not grades, tokenizer.counter(), defaults()["handoff.limit"]
    asked = {name: len([*folder.glob(f"*/judge/{name}.txt")]) for name in AIMS}
    for name, (right, misled) in AIMS.items():
        found = {place: of[name] for place, of in grades.items() if name in of}
        decided, there, due, misleading, wrongly, over = (
            sum(min(1, max(0, one["decision"])) for one in found.values()),
            *(sum(one["must"][at] for one in found.values()) for at in (0, 1)),
            sum(bool(one["misleading"]) for one in found.values()),
            sum(one["act"] == 0 for one in found.values()),
            sum(count((place / f"{name}.txt").read_text()) > limit for place in found),
        )
        print(
            f"{name}: decision right in {decided:g} of {len(found)}, {there} of {due} points there, "
            f"{misleading} misleading, {wrongly} act wrongly, {over} over {limit} tokens"
        )
        is_against = any(one["decision"] < 0 for one in found.values())
        missed = missed or decided < right * len(found) or misleading > misled * len(found) or wrongly > 0
        missed = missed or is_against or over > 0 or len(found) < asked[name]
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
