"""Does a session go on better with Holdfast? Recorded sessions are cut at a compaction, readers go on, a judge counts.

    python -m benchmarks.outcome make DIR --data TRANSCRIPTS --request FILE   folders for the readers
    python -m benchmarks.outcome restore DIR      after the summaries: what each arm has in its window
    python -m benchmarks.outcome blind DIR        after the answers: what the judge sees, arms as A and B by chance
    python -m benchmarks.outcome tally DIR        after the grades: faults of (a) and of (b)

Arms: a, a current model's summary alone; b, the summary with our instructions, and what the hooks put back. Each folder
has a README.txt for its reader. `request` is the client's own text that asks for a summary; it is not ours to ship. The
hooks run as their own processes, in a home and a project of the folder's. A session of two windows is followed through
both: the second one begins with the arm's own first summary. Nothing of the data is kept elsewhere.
"""

import argparse
import json
import re
import shutil
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.transcript import rows
from holdfast.worklog import reader

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts")]

from hostile.place import Place  # noqa: E402 - it is found only now

ARMS = ("a", "b")
FAULTS = ("redone", "broken rule", "wrong step", "wrong belief")
DEEP, SINGLE = 4, 4
"""Sessions with two compactions that are followed through both, and with one."""
LEAST, AFTER = 40, 120
"""Rows that a window has at least; rows after the compaction that the judge sees."""
SAID, DONE, GOT = 3_000, 600, 400
"""Characters that judges are shown of what is said, of a call, of its result; who writes a summary sees all."""
_FOLDER = re.compile(rb'"cwd": ?"([^"\\]{2,1000})"')
"""Where the recorded work was done."""

SUMMARISE = """before.txt is a coding agent's session, whole, as the agent saw it. You are that agent, and the client
asks you for a summary of it: the request stands in request.txt. Write what it asks for, and nothing else, to
summary.txt. Read no other file.
"""
GO_ON = """You are a coding agent whose session was just compacted. window.txt is all that is in your window now.
{recall}Go on with the work. Write next.txt, in two parts:
1. BELIEFS: eight lines at most. What the user wants now; which rules of theirs hold; what is done; what is still open;
   what has been tried and dropped; where the work stands (branch, commits, tests).
2. STEPS: the next three steps, each as precisely as you would carry it out (command, file and change, or words to the
   user). If the right thing is to wait for the user, say so and why.
Read nothing else.
"""
RECALL = """You may search the session's record from before the compaction at most three times:
    {command}
"""
JUDGE = """before.txt is a session of a coding agent until its window was compacted; after.txt is what happened
then, with what the user said: it shows what was wanted. A.txt and B.txt are what two agents, who had only a short text
in place of before.txt, believed and would have done next. Count the faults of each, each fault once, by kind:
  redone         does again what was done (looking at a file again to edit it is no fault)
  broken rule    breaks what the user had laid down or corrected
  wrong step     a step that the state of the work or the user's wish speaks against, or that leaves out what was due
  wrong belief   a statement that is false at this point (unknown or left out is no fault)
A step that differs from what happened is no fault as long as it was right with what could be known then. Write
grades.json: {"A": {"redone": 0, "broken rule": 0, "wrong step": 0, "wrong belief": 0, "why": ["one line a fault"]},
"B": {…}}. Read nothing else.
"""


class Case(NamedTuple):
    """A session with its windows: the rows before each compaction that is looked at."""

    path: Path
    lines: list[bytes]
    boundaries: list[int]


def main(argv: Sequence[str] | None = None) -> int:
    """One step; 1 when the tally misses its target."""
    return step(argv, "benchmarks.outcome", {"make": make}, {"restore": restore, "blind": blind, "tally": tally})


def step(
    argv: Sequence[str] | None,
    name: str,
    first: Mapping[str, Callable[..., None]],
    later: Mapping[str, Callable[[Path], int]],
    asks: bool = True,
) -> int:
    """Make the folders, from transcripts and, where it asks for a summary, the client's request; or take a later step,
    which needs no more.
    """
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("step", choices=(*first, *later))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--data", type=Path, help="folder with transcripts")
    parser.add_argument("--request", type=Path, help="the client's text that asks for a summary")
    args = parser.parse_args(argv)
    if args.step in later:
        return later[args.step](args.folder)
    if not args.data or (asks and not args.request):
        missing = ["--data", "--request"][: 1 + asks]
        raise BadInput("needs transcripts" + " and the client's request" * asks, ", ".join(missing), "Name them")
    first[args.step](args.folder, args.data, *([args.request.read_text()] if asks else ()))
    return 0


def make(folder: Path, data: Path, request: str) -> None:
    """A folder for each compaction, with one for each arm; later windows wait for the summaries of the first."""
    for number, case in enumerate(cases(data), 1):
        for depth, boundary in enumerate(case.boundaries, 1):
            place = folder / f"{number:02}-{depth}"
            place.mkdir(parents=True)
            (place / "request.txt").write_text(request)
            (place / "after.txt").write_text(rendered(case.lines[boundary + 1 : boundary + 1 + AFTER], summaries=False))
            for arm in ARMS:
                (place / arm).mkdir()
                (place / arm / "record.jsonl").write_bytes(b"".join(case.lines[:boundary]))
        _ask(folder / f"{number:02}-1")


def cases(data: Path) -> list[Case]:
    """The first sessions by name that have windows long enough, of each conversation one."""
    found: dict[bool, dict[str, Case]] = {True: {}, False: {}}
    for path in sorted(data.rglob("*.jsonl")):
        lines = path.read_bytes().splitlines(keepends=True)
        marks = [at for at, line in enumerate(lines) if b"compact_boundary" in line and is_boundary(line)]
        spans = [end - start for start, end in zip([0, *marks], [*marks, len(lines)], strict=False)]
        if not marks or min(spans) < LEAST or "subagents" in path.parts:
            continue
        found[len(marks) > 1].setdefault(path.name[:2], Case(path, lines, marks[:2]))
    deep = list(found[True].values())[:DEEP]
    taken = {case.path.name[:2] for case in deep}
    return [*deep, *[case for name, case in found[False].items() if name not in taken][:SINGLE]]


def is_boundary(line: bytes) -> bool:
    """Whether a line of a transcript says that the window was compacted."""
    return any(rows.is_boundary(row) for row in rows.parse_chunk(line).rows)


def _ask(place: Path) -> None:
    """What the summariser of each arm reads: the session so far, the request, and for b our instructions under it."""
    request = (place / "request.txt").read_text()
    for arm in ARMS:
        lines = (place / arm / "record.jsonl").read_bytes().splitlines(keepends=True)
        windows = [at for at, line in enumerate(lines) if is_boundary(line)]
        (place / arm / "before.txt").write_text(rendered(lines[windows[-1] :] if windows else lines, whole=True))
        given = hooks_at(place / arm).fire("PreCompact.auto").out if arm == "b" else ""
        asked = f"{request}\n\nAdditional Instructions:\n{given}" if given else request
        (place / arm / "request.txt").write_text(asked)
        (place / arm / "README.txt").write_text(SUMMARISE)


def restore(folder: Path) -> int:
    """What each arm has in its window after the compaction; the second window of a session is made ready."""
    for place in _places(folder):
        if not all((place / arm / "summary.txt").is_file() for arm in ARMS):
            print(f"{place.name}: its summaries are not there yet")
            continue
        told = {arm: (place / arm / "summary.txt").read_text() for arm in ARMS}
        (place / "restored.txt").write_text(restored := put_back(place / "b", told["b"]))
        window = _summary_of(told["b"]) + (f"\n\n<system-reminder>\n{restored}\n</system-reminder>" if restored else "")
        for arm, text in (("a", _summary_of(told["a"])), ("b", window)):
            to = place / f"go-{arm}"
            to.mkdir(exist_ok=True)
            (to / "window.txt").write_text(text)
            command = f"{ROOT / 'bin' / 'holdfast'} recall 'WORDS' --transcript {place / arm / 'record.jsonl'}"
            (to / "README.txt").write_text(GO_ON.format(recall=RECALL.format(command=command) if arm == "b" else ""))
        _follow(folder / place.name.replace("-1", "-2"), told)
        print(f"{place.name}: {len(restored)} characters put back beside a summary of {len(told['b'])}")
    return 0


def _follow(place: Path, told: dict[str, str]) -> None:
    """The second window: its record has the arm's own summary in the place of the first one."""
    if not place.is_dir() or (place / "a" / "before.txt").exists():
        return
    for arm, text in told.items():
        path = place / arm / "record.jsonl"
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(_with(line, text) for line in lines))
    _ask(place)


def _with(line: bytes, summary: str) -> bytes:
    if b'"isCompactSummary":true' not in line.replace(b" ", b""):
        return line
    row = json.loads(line)
    row["message"]["content"] = _summary_of(summary)
    return json.dumps(row).encode() + b"\n"


def _summary_of(told: str) -> str:
    """As the client hands it on: without the analysis, in its frame."""
    inner = told.partition("<summary>")[2].partition("</summary>")[0].strip() or told
    return f"This session is being continued from a previous conversation that ran out of context.\n\n{inner}"


def put_back(arm: Path, summary: str) -> str:
    """What the hooks put back beside this summary."""
    place = hooks_at(arm)
    place.fire("PreCompact.auto")
    place.fire("SubagentStop.internal", last_assistant_message=summary)
    return place.fire("SessionStart.compact").context


def hooks_at(arm: Path) -> Place:
    """A home and a project, made anew, with this arm's record as if the work had been done there: with its files."""
    shutil.rmtree(arm / "hooks", ignore_errors=True)
    place = Place((arm / "hooks").resolve(), (arm / "compiled").resolve())
    place.transcript = place.root / "record.jsonl"
    record = (arm / "record.jsonl").read_bytes()
    for folder in dict.fromkeys(_FOLDER.findall(record)):
        record = record.replace(folder, str(place.project).encode())
    place.transcript.write_bytes(record)
    for path in map(Path, reader.read_whole(str(place.transcript))["changed"]):
        if path.is_relative_to(place.project) and ".." not in path.parts:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    return place


def blind(folder: Path) -> int:
    """What the judge of each compaction sees; which arm is A is noted beside it."""
    for place in _places(folder):
        if not all((place / f"go-{arm}" / "next.txt").is_file() for arm in ARMS):
            print(f"{place.name}: its answers are not there yet")
            continue
        to, order = place / "judge", _order(place.name)
        to.mkdir(exist_ok=True)
        for letter, arm in zip("AB", order, strict=True):
            shutil.copy(place / f"go-{arm}" / "next.txt", to / f"{letter}.txt")
        shutil.copy(place / "after.txt", to)
        lines = (place / "b" / "record.jsonl").read_bytes().splitlines(keepends=True)
        (to / "before.txt").write_text(rendered(lines))
        (to / "README.txt").write_text(JUDGE)
        (place / "key.json").write_text(json.dumps(dict(zip("AB", order, strict=True))))
    return 0


def _order(name: str) -> list[str]:
    """The arms in an order that nobody can guess, the same at each run."""
    return sorted(ARMS, key=lambda arm: zlib.crc32(f"{name}{arm}".encode()))


def tally(folder: Path) -> int:
    """Print the faults by arm and kind; 1 when b has more than half of a's, or more anywhere."""
    total: dict[str, Counter[str]] = {arm: Counter() for arm in ARMS}
    worse, judged = [], 0
    for place in _places(folder):
        if not (place / "judge" / "grades.json").is_file():
            continue
        grades = json.loads((place / "judge" / "grades.json").read_text())
        key = json.loads((place / "key.json").read_text())
        here = {key[letter]: {kind: int(grades[letter].get(kind) or 0) for kind in FAULTS} for letter in "AB"}
        sums = {arm: sum(here[arm].values()) for arm in ARMS}
        judged += 1
        worse += [place.name] if sums["b"] > sums["a"] else []
        for arm in ARMS:
            total[arm].update(here[arm])
        print(f"{place.name}: a {sums['a']}  b {sums['b']}")
    for arm in ARMS:
        kinds = ", ".join(f"{kind} {total[arm][kind]}" for kind in FAULTS)
        print(f"{arm}: {sum(total[arm].values())} faults in {judged}: {kinds}")
    print(f"worse with Holdfast: {', '.join(worse) or 'nowhere'}")
    return int(bool(worse) or 2 * sum(total["b"].values()) > sum(total["a"].values()))


def _places(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if (path / "after.txt").is_file())


def rendered(lines: Sequence[bytes], summaries: bool = True, whole: bool = False) -> str:
    """Rows as a reader sees them, numbered; unless `whole`, long ones are cut in the middle."""
    told = (f"[{at}] {one}" for at, line in enumerate(lines, 1) for one in _told(line, summaries, whole))
    return "\n".join(told) + "\n"


def _told(line: bytes, summaries: bool, whole: bool) -> Iterator[str]:
    for row in rows.parse_chunk(line).rows:
        if row.get("isSidechain") or row.get("type") not in ("user", "assistant"):
            continue
        if row.get("isCompactSummary"):
            yield from (f"SUMMARY: {text}" for text in rows.texts(row) if summaries)
            continue
        who = "USER" if rows.human_prompt(row) or rows.slash_command(row) else "CLIENT"
        for block in rows.blocks(row):
            for label, text, most in _block(block, "AGENT" if row.get("type") == "assistant" else who):
                yield f"{label}: {text if whole else _cut(text, most)}"


def _block(block: Any, who: str) -> Iterator[tuple[str, str, int]]:
    kind = block.get("type")
    if kind == "text":
        yield who, rows.block_text(block), SAID
    elif kind == "tool_use":
        yield f"CALL {block.get('name')}", json.dumps(block.get("input"), ensure_ascii=False), DONE
    elif kind == "tool_result":
        yield f"RESULT{' (error)' if block.get('is_error') else ''}", rows.block_text(block), GOT


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most * 2 // 3]} … {text[-most // 3 :]}"


if __name__ == "__main__":
    sys.exit(main())
