"""Is what stands beside a summary worth reading, and can all be answered from it and the record's search?

    python -m benchmarks.reading make DIR --data TRANSCRIPTS --request FILE   a folder for each compaction
    python -m benchmarks.reading ask DIR --data DATA --request FILE           the same for the labelled ones
    python -m benchmarks.reading restore DIR      after the summaries: restored.txt, and what readers and graders need
    python -m benchmarks.reading tally DIR        after the grades: share of characters by grade, share of answers

Recorded compactions, one reader who writes the summary, one who answers from it where there are labelled questions, one
who grades. `request` is the client's own text that asks for a summary; it is not ours to ship. DATA has `facts/` beside
the transcripts, as `holdfast bench recall` reads them; nobody but the grader sees an answer. Sessions of `make` differ:
half of the compactions are the first of their session, half the second. What is restored comes from the hooks' own
processes.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks import recall
from benchmarks.outcome import RECALL, ROOT, hooks_at, is_boundary, put_back, rendered, step

GRADES = {"U": "useful", "H": "harmless", "S": "stale", "W": "wrong", "N": "noise"}
EACH, AFTER, LEAST = 3, 60, 200
"""Compactions of each depth; rows behind one that the grader sees; rows before one."""
USEFUL, FALSE = 0.80, 0.01
"""Share of the characters that is to be useful, at least; that is stale or wrong, at most."""
ANSWERED = 0.97
"""Share of the answers, by the importance of their questions, that is to be right."""
HERE = ">>>>>>>> HERE THE WINDOW IS COMPACTED <<<<<<<<\n"
SUMMARISE = """window.txt is a coding agent's session as the agent has it: long calls and results are cut in the
middle. You are that agent, and the client asks you for a summary: the request stands in request.txt, our
instructions.txt are at its end. Write what it asks for, and nothing else, to summary.txt. Read no other file.
"""
ANSWER = """window.txt is all that is in your window after a compaction. Answer every line of questions.json from it,
shortly and exactly, "unknown" where it does not say. For a question that it does not answer:
{recall}Write answers.json: {{"f01": "…", …}}. Read no other file.
"""
JUDGE = """labelled.json has questions with their right answers and traps, answers.json a reader's. Give each
1 (all that matters is right, in any words), 0.5 (a part, nothing wrong), 0 (unknown) or -1 (the trap, or against the
right answer). Write graded.json: {"f01": 1, …}. Read no other file.
"""
GRADE = """session.txt is a coding agent's session; a line with >>>> marks where its window is compacted. summary.txt
is what the agent has in its window after that, restored.txt what is put beside it. Read the session and the summary
first. Then give every line of restored.txt one grade:
  U  useful and true for what comes next, and the summary lacks it (or has it wrong)
  H  harmless: true, and needed by nobody now
  S  stale at the mark, and not marked so
  W  wrong, or labelled as what it is not
  N  noise: cut to nothing, boilerplate, narration, or said in the summary already
The line that says where the rest is found is U where the summary leaves out what is needed later, else H. Write
grades.json: {"1": "U", "2": "N", ...} by number of the line, blank lines left out, and why.txt: a line for each S, W
and N, and what the summary lacks that should have been there.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """One step; 1 when the tally misses its target."""
    return step(argv, "benchmarks.reading", {"make": make, "ask": ask}, {"restore": restore, "tally": tally})


def make(folder: Path, data: Path, request: str) -> None:
    """For each compaction what the summariser reads and, kept apart until the summary is there, the whole session."""
    for number, (lines, depth) in enumerate(_chosen(data), 1):
        marks = [at for at, line in enumerate(lines) if b"compact_boundary" in line and is_boundary(line)]
        end, start = marks[depth - 1], marks[depth - 2] if depth > 1 else 0
        place = folder / f"{number}-{'first' if depth == 1 else 'second'}"
        _to_summarise(place, lines[:end], start, request)
        behind = rendered(lines[end + 1 : end + 1 + AFTER], summaries=False)
        (place / "grader" / "session.txt").write_text(f"{rendered(lines[:end])}\n{HERE}\n{behind}")


def ask(folder: Path, data: Path, request: str) -> None:
    """For each labelled compaction the same, the questions, and kept apart their right answers."""
    for case in recall.cases(data, data / "facts"):
        lines = case.record.splitlines(keepends=True)
        marks = [at for at, line in enumerate(lines) if is_boundary(line)]
        place = folder / case.name
        _to_summarise(place, lines, marks[-1] if marks else 0, request)
        (place / "reader").mkdir()
        questions = {fact["id"]: fact["question"] for fact in case.facts}
        (place / "reader" / "questions.json").write_text(json.dumps(questions, indent=1))
        (place / "grader" / "labelled.json").write_text(json.dumps(case.facts, indent=1))


def _to_summarise(place: Path, lines: list[bytes], start: int, request: str) -> None:
    """What the summariser of these rows reads, whose window begins at `start`."""
    (place / "grader").mkdir(parents=True)
    (place / "record.jsonl").write_bytes(b"".join(lines))
    given = hooks_at(place).fire("PreCompact.auto").out
    (place / "window.txt").write_text(rendered(lines[start:]))
    (place / "instructions.txt").write_text(given)
    (place / "request.txt").write_text(f"{request}\n\nAdditional Instructions:\n{given}")
    (place / "README.txt").write_text(SUMMARISE)


def _chosen(data: Path) -> list[tuple[list[bytes], int]]:
    """(rows, depth): sessions far apart by name, of each conversation one."""
    found: dict[int, list[list[bytes]]] = {1: [], 2: []}
    for path in sorted(data.rglob("*.jsonl")):
        lines = path.read_bytes().splitlines(keepends=True)
        marks = [at for at, line in enumerate(lines) if b"compact_boundary" in line and is_boundary(line)]
        if marks and marks[0] >= LEAST and "subagents" not in path.parts:
            found[min(len(marks), 2)].append(lines)
    return [(of[at * len(of) // EACH], depth) for depth, of in found.items() for at in range(min(EACH, len(of)))]


def restore(folder: Path) -> int:
    """What the hooks put back beside each summary, and a folder for its grader."""
    for place in _places(folder):
        if not (place / "summary.txt").is_file():
            print(f"{place.name}: its summary is not there yet")
            continue
        summary, to = (place / "summary.txt").read_text(), place / "grader"
        told = put_back(place, summary)
        (to / "summary.txt").write_text(summary)
        (to / "restored.txt").write_text(told)
        if (place / "reader").is_dir():
            command = f"{ROOT / 'bin' / 'holdfast'} recall 'WORDS' --transcript {place / 'record.jsonl'}"
            (place / "reader" / "window.txt").write_text(f"{summary}\n\n{told}")
            (place / "reader" / "README.txt").write_text(ANSWER.format(recall=RECALL.format(command=command)))
        (to / "README.txt").write_text(JUDGE if (to / "labelled.json").is_file() else GRADE)
        print(f"{place.name}: {len(told)} characters beside a summary of {len(summary)}")
    return 0


def tally(folder: Path) -> int:
    """Print the share of characters by grade and that of right answers; 1 when one misses its target."""
    total: Counter[str] = Counter()
    answers: Counter[str] = Counter()
    for place in _places(folder):
        if (place / "grader" / "grades.json").is_file():
            grades = json.loads((place / "grader" / "grades.json").read_text())
            lines = [line for line in (place / "grader" / "restored.txt").read_text().splitlines() if line.strip()]
            here = Counter(dict.fromkeys(GRADES, 0))
            for number, line in enumerate(lines, 1):
                here[grades.get(str(number), "N")] += len(line)
            total += here
            print(f"{place.name}: {', '.join(f'{name} {here[grade]}' for grade, name in GRADES.items())}")
        if (place / "grader" / "graded.json").is_file():
            answers.update(_answered(place))
    missed = False
    if chars := sum(total.values()):
        shares = ", ".join(f"{name} {total[grade] / chars:.0%}" for grade, name in GRADES.items())
        print(f"{shares} of {chars} characters")
        missed = total["U"] < USEFUL * chars or total["S"] + total["W"] > FALSE * chars
    if answers:
        right = answers["right"] / 2 / answers["importance"]
        print(
            f"right {right:.3f} of {answers['questions']} questions by importance, {answers['misleading']} misleading"
        )
        missed = missed or right < ANSWERED
    return int(missed)


def _answered(place: Path) -> dict[str, int]:
    """Sums over the questions of a compaction: their importance, and twice that of what was right."""
    graded = json.loads((place / "grader" / "graded.json").read_text())
    facts = json.loads((place / "grader" / "labelled.json").read_text())
    given = [(fact["importance"], float(graded.get(fact["id"], 0))) for fact in facts]
    right = sum(int(2 * weight * max(0.0, grade)) for weight, grade in given)
    print(f"{place.name}: {right / 2:g} of {sum(weight for weight, _ in given)}")
    misled = sum(grade < 0 for _, grade in given)
    return {"importance": sum(one for one, _ in given), "right": right, "questions": len(given), "misleading": misled}


def _places(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if (path / "record.jsonl").is_file())


if __name__ == "__main__":
    sys.exit(main())
