"""`holdfast bench memory`: what does a large memory cost those who work with it?

Hooks and commands are real processes with payloads as recorded ones, in interleaved rounds, each in a project with ten
records and in one with many, so that a machine whose speed drifts slows both alike. Beside them: the search without the
interpreter's start, what a catalogue costs that was thrown away, the size on disk, maintenance, and maintenance that is
killed. The limits are for 100,000 records. Nothing is kept.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple

from benchmarks.hook_cost.cases import interpreter
from benchmarks.hook_cost.run import Case, begun, measure, taken
from benchmarks.memory_scale.cases import END, asked, cases, command, hook, start
from benchmarks.memory_scale.kills import lost_after
from benchmarks.memory_scale.material import Project, write
from benchmarks.search_scale import Made, bar
from holdfast.cli.output import emit_json, emit_table
from holdfast.errors import BadInput
from holdfast.memory import search
from holdfast.memory.store import Memory
from holdfast.text.dates import iso

FEW, SMALLEST, KILLED = 10, 20, 2_000
"""Records: of the memory that is compared with; of the large one at least; of the one whose maintenance is killed."""
IDLE, NEGLECTED = 10.0, 400.0  # days since the last maintenance: of the first two, and of the third
CHANGES = 20  # of folders, after which maintenance is killed
WORK = 200_000  # records times rounds, from which on the hooks and commands but the start have fewer rounds
QUESTIONS, SHOWN = 100, 10  # questions to the search at most, and answers to each
PATIENCE = 30.0  # seconds after which no more questions are put
KILLS, LOST = 100, "records lost, torn or doubled by these"
RATIO, FIRST_END = "SessionStart, ratio", "SessionEnd, first of the day, nothing due, ms"
LIMITS = {
    RATIO: 1.1,
    END: 1_000.0,
    "Stop, a decision kept, ms": 300.0,
    "memory add, ms": 300.0,
    FIRST_END: 1_000.0,
    "search in a process that runs, p50 ms": 10.0,
    "search in a process that runs, p99 ms": 50.0,
    "files and all that is made of them, bytes per byte of text": 3.0,
    "files touched by adding one record": 0.0,
    LOST: 0.0,
    "memory maintain, s": 10.0,
    "memory maintain, killed and run again, steps left": 0.0,
}


class Figure(NamedTuple):
    """One line. few: the same with ten records, where it is compared."""

    name: str
    found: float
    few: float | None = None


def run(args: argparse.Namespace) -> int:
    """Print a line per figure; 1 when a limit is missed."""
    if args.records < SMALLEST:
        raise BadInput(f"below {SMALLEST:,}", "--records", "Give more; 10000 and 100000 are what the limits are for")
    with tempfile.TemporaryDirectory(prefix="holdfast-memory-") as folder:
        figures = figures_of(folder, args.records, args.rounds)
    missed = [figure.name for figure in figures if figure.found > LIMITS.get(figure.name, float("inf"))]
    if args.json:
        rows = [{**figure._asdict(), "limit": LIMITS.get(figure.name)} for figure in figures]
        emit_json({"records": args.records, "rounds": args.rounds, "rows": rows, "missed": missed})
    else:
        emit_table([("figure", f"with {FEW}", f"with {args.records:,}", "limit"), *(_cells(one) for one in figures)])
        print(f"{args.records:,} records: {'MISSED: ' + ', '.join(missed) if missed else 'met'}")
    return int(bool(missed))


def _cells(figure: Figure) -> tuple[str, ...]:
    limit = f"<= {LIMITS[figure.name]:,}" if figure.name in LIMITS else ""
    return figure.name, "" if figure.few is None else f"{figure.few:,}", f"{figure.found:,}", limit


def figures_of(folder: str, number: int, rounds: int) -> list[Figure]:
    """All figures of a memory of that many records."""
    python = interpreter()
    few, many, killed = (Project(f"{folder}/{name}", python) for name in ("few", "many", "killed"))
    now = time.time()
    write(few.memory, FEW, now, IDLE)
    size = write(many.memory, number, now, IDLE, bar(number))
    write(killed.memory, min(number, KILLED), now, NEGLECTED)
    for project in (few, many):
        project.maintained(iso(now)[:10])
        for session in ("work", "end", "prompt"):
            taken(start(project, session), folder)
    _tell("hooks and commands")
    found = [*_interleaved([start(few, "start"), start(many, "start")], rounds, folder)]
    found.append(Figure(RATIO, round(found[0].found / (found[0].few or 1), 3)))
    found += _worked(few, many, max(1, min(rounds, WORK // number)), folder)
    _tell("a catalogue that was thrown away, searches")
    found += [*_cold(many, folder), *_searches(many), *_sizes(many, size), *_touched(many, folder)]
    _tell(f"{KILLS} writers that are killed")
    kept, lost = lost_after(KILLS, f"{folder}/written")
    found += [Figure(f"records kept by {KILLS} writers that were killed", kept), Figure(LOST, lost)]
    _tell("maintenance")
    for project in (many, killed):
        project.due(now)
    return [*found, *_maintained(many, folder), *_killed(killed, folder)]


def _tell(what: str) -> None:
    print(f"holdfast: {what}", file=sys.stderr, flush=True)


def _interleaved(pair: list[Case], rounds: int, folder: str) -> Iterator[Figure]:
    """Cases of the small memory and of the large one in turn -> their figures."""
    todo = [case._replace(name=f"{case.name} {place % 2}") for place, case in enumerate(pair)]
    results = [round(result["median_ms"], 2) for result in measure(todo, folder, rounds)]
    for case, few, found in zip(pair[::2], results[::2], results[1::2], strict=True):
        yield Figure(case.name, found, few)


def _worked(few: Project, many: Project, rounds: int, folder: str) -> list[Figure]:
    """Hooks and commands, beside each other. Raises BadInput when what was decided was not kept."""
    asked(many, "search", "anything")  # makes the index, and shows how far it is
    before = [project.decisions() for project in (few, many)]
    pair = [case for both in zip(cases(few), cases(many), strict=True) for case in both]
    found = list(_interleaved(pair, rounds, folder))
    for known, project in zip(before, (few, many), strict=True):
        if project.decisions() < known + 2 * (rounds + 1):
            raise BadInput("a stop or an end has not kept what was decided", project.folder, "Run `holdfast doctor`")
    return found


def _cold(project: Project, folder: str) -> Iterator[Figure]:
    """All is read anew: by a list, and by a start."""
    listed = command("memory list, catalogue thrown away, ms", project, "list")
    started = start(project, "cold")._replace(name="SessionStart, catalogue thrown away, ms")
    for case in (listed, started):
        project.cold()
        yield Figure(case.name, round(taken(case, folder), 2))


def _searches(project: Project) -> Iterator[Figure]:
    """Without the interpreter's start, and without the command's words; the first one makes the index anew."""
    project.cold()
    made, times = Made(), list[float]()
    first = _timed(project, made.question())
    since = time.perf_counter()
    while len(times) < QUESTIONS and (not times or time.perf_counter() - since < PATIENCE):
        times.append(_timed(project, made.question()) * 1_000)
    times.sort()
    yield Figure("search, catalogue thrown away, s", round(first, 2))
    for part in (50, 99):
        found = times[min(len(times) * part // 100, len(times) - 1)]
        yield Figure(f"search in a process that runs, p{part} ms", round(found, 2))


def _timed(project: Project, question: str) -> float:
    """Seconds of one search: the index opened and brought up to the files, the answers read."""
    memory, now = Memory(project.memory), time.time()
    since = time.perf_counter()
    search.search([memory], search.MemoryQuery(question, SHOWN), now)
    return time.perf_counter() - since


def _sizes(project: Project, texts: int) -> list[Figure]:
    """texts: bytes of what was written at first; what the rounds have added is a few records."""
    files, tables, whole = project.sizes()
    return [
        Figure("catalogue, bytes per byte of text", round(tables / texts, 2)),
        Figure("files, bytes per byte of text", round(files / texts, 2)),
        Figure("files and all that is made of them, bytes per byte of text", round(whole / texts, 2)),
    ]


def _touched(project: Project, folder: str) -> list[Figure]:
    before = project.marks()
    taken(command("add", project, "add", "learning", "One more is one more file"), folder)
    after = project.marks()
    if len(after) != len(before) + 1:
        raise BadInput("no record was added", project.folder, "Run `holdfast doctor`")
    return [Figure("files touched by adding one record", sum(after.get(path) != mark for path, mark in before.items()))]


def _maintained(project: Project, folder: str) -> Iterator[Figure]:
    """As after ten days; then the end of the day's first session, which looks whether anything is due."""
    steps = _due(project)
    for name, more in (("memory maintain --dry-run, s", ["--dry-run"]), ("memory maintain, s", [])):
        case = command(name, project, "maintain", *more)
        yield Figure(name, round(taken(case, folder) / 1_000, 2))
    yield Figure("memory maintain, steps", steps)
    project.maintained("")
    end = hook(FIRST_END, project, "end", "session_end", {"reason": "other"})
    yield Figure(end.name, round(taken(end._replace(before=project.goes_on("end", project.decides)), folder), 2))


def _due(project: Project) -> int:
    """Steps that maintenance would take."""
    return len(json.loads(asked(project, "maintain", "--dry-run", "--json"))["actions"])


def _killed(project: Project, folder: str) -> list[Figure]:
    """Maintenance of a neglected memory is killed when it has begun, and run again."""
    case, due = command("maintain", project, "maintain"), _due(project)
    seen = {str(project.dates())}
    process = begun(case, folder)
    while process.poll() is None and len(seen) <= CHANGES:
        time.sleep(0.001)
        seen.add(str(project.dates()))
    process.kill()
    process.communicate()
    done = due - _due(project)
    taken(case, folder)
    return [
        Figure("memory maintain, killed, steps done", done),
        Figure("memory maintain, killed and run again, steps left", _due(project)),
    ]
