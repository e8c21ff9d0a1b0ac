"""Is what stands beside a summary worth reading? Recorded compactions, a reader who writes the summary, one who grades.

    python -m benchmarks.reading make DIR --data TRANSCRIPTS --request FILE   a folder for each compaction
    python -m benchmarks.reading restore DIR      after the summaries: restored.txt, and what its lines are graded by
    python -m benchmarks.reading tally DIR        after the grades: share of characters by grade

`request` is the client's own text that asks for a summary; it is not ours to ship. Sessions differ: half of the
compactions are the first of their session, half the second. What is restored comes from the hooks' own processes.
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.outcome import hooks_at, is_boundary, put_back, rendered, step

GRADES = {"U": "useful", "H": "harmless", "S": "stale", "W": "wrong", "N": "noise"}
EACH, AFTER, LEAST = 3, 60, 200
"""Compactions of each depth; rows behind one that the grader sees; rows before one."""
USEFUL, FALSE = 0.80, 0.01
"""Share of the characters that is to be useful, at least; that is stale or wrong, at most."""
HERE = ">>>>>>>> HERE THE WINDOW IS COMPACTED <<<<<<<<\n"
SUMMARISE = """window.txt is a coding agent's session as the agent has it: long calls and results are cut in the
middle. You are that agent, and the client asks you for a summary: the request stands in request.txt, our
instructions.txt are at its end. Write what it asks for, and nothing else, to summary.txt. Read no other file.
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
    return step(argv, "benchmarks.reading", make, {"restore": restore, "tally": tally})


def make(folder: Path, data: Path, request: str) -> None:
    """For each compaction what the summariser reads and, kept apart until the summary is there, the whole session."""
    for number, (lines, depth) in enumerate(_chosen(data), 1):
        marks = [at for at, line in enumerate(lines) if b"compact_boundary" in line and is_boundary(line)]
        end, start = marks[depth - 1], marks[depth - 2] if depth > 1 else 0
        place = folder / f"{number}-{'first' if depth == 1 else 'second'}"
        (place / "grader").mkdir(parents=True)
        (place / "record.jsonl").write_bytes(b"".join(lines[:end]))
        given = hooks_at(place).fire("PreCompact.auto").out
        (place / "window.txt").write_text(rendered(lines[start:end]))
        (place / "instructions.txt").write_text(given)
        (place / "request.txt").write_text(f"{request}\n\nAdditional Instructions:\n{given}")
        (place / "README.txt").write_text(SUMMARISE)
        behind = rendered(lines[end + 1 : end + 1 + AFTER], summaries=False)
        (place / "grader" / "session.txt").write_text(f"{rendered(lines[:end])}\n{HERE}\n{behind}")


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
        (to / "README.txt").write_text(GRADE)
        print(f"{place.name}: {len(told)} characters beside a summary of {len(summary)}")
    return 0


def tally(folder: Path) -> int:
    """Print the share of characters by grade; 1 when too little is useful or too much false."""
    total: Counter[str] = Counter()
    for place in _places(folder):
        if (place / "grader" / "grades.json").is_file():
            grades = json.loads((place / "grader" / "grades.json").read_text())
            lines = [line for line in (place / "grader" / "restored.txt").read_text().splitlines() if line.strip()]
            here = Counter(dict.fromkeys(GRADES, 0))
            for number, line in enumerate(lines, 1):
                here[grades.get(str(number), "N")] += len(line)
            total += here
            print(f"{place.name}: {', '.join(f'{name} {here[grade]}' for grade, name in GRADES.items())}")
    chars = max(1, sum(total.values()))
    print(", ".join(f"{name} {total[grade] / chars:.0%}" for grade, name in GRADES.items()), f"of {chars} characters")
    return int(total["U"] < USEFUL * chars or total["S"] + total["W"] > FALSE * chars)


def _places(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if (path / "record.jsonl").is_file())


if __name__ == "__main__":
    sys.exit(main())
