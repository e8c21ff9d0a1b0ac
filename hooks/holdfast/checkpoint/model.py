"""What a checkpoint holds, and what it says by name.

Rule: the state of the work as the worklog has it, cut to what somebody needs who goes on from here alone: what is open
stays, of what can be found again the newest; texts are cut at their end, paths never. The view has every thing that W1
lists under a name of its own, taken from that state and from nothing else. A task stands in exactly one of planned, in
progress, done and cancelled, as its last recorded status says; a status that is not known counts as planned, never as
done. Sources: requirements W1 (2-5 KB typical), W3.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict, cast

from holdfast.handoff import orchestrator
from holdfast.text.lines import ending, one_line
from holdfast.worklog import model as worklog
from holdfast.worklog.model import Mark, OpenError, Plan, PlanItem, Prompt, Run, Worklog
from holdfast.worklog.plan import items as plan_items

BOUNDS = {
    "prompts": (6, 240),
    "marks": (16, 240),
    "errors": (5, 170),
    "refused": (4, 110),
    "left_over": (8, 110),
    "commits": (3, 90),
    "runs": (2, 90),
    "tests": (2, 90),
    "changed": (24, 0),
    "read": (10, 0),
    "instructions": (8, 0),
    "boundaries": (2, 0),
}
"""Of each list: how many of the newest are kept, and characters of each text (0: whole)."""
FIRST, LATEST, SAID, PLAN, ITEM = 800, 400, 360, 240, 140  # characters: prompts, last message, plan, plan's item
SHORT = 200  # characters of a request that may lean on what was said before it
FINISHED = 8  # items of the plan that are done or called off, the newest
PAST = 60  # messages after which a failure is not told any more: nobody can say whether it still does
CLOSED = ("completed", "cancelled", "deleted")
GROUPS = {"in_progress": "in_progress", "completed": "done", "cancelled": "cancelled"}
"""Status of a plan's item -> name of its group; all others are planned."""


class Environment(TypedDict, total=False):
    """The place of the work; what cannot be told is "", [] or not there."""

    directory: str
    branch: str
    commit: str
    files: list[str]
    """Of those changed last the ones that are there, from the project's folder on."""
    dirty: list[str]
    """Of these the ones that differ from what was committed."""
    upstream: str
    ahead: int
    behind: int


class Note(TypedDict):
    """What was left for whoever goes on."""

    text: str
    time: float
    number: NotRequired[int]
    """Of the checkpoint that it was left with, where a later one carries it on."""


class Contents(TypedDict):
    """What of a checkpoint comes from the work itself."""

    window: str
    """`<session>-<number>`, counted from 1."""
    work: Worklog
    """Cut by `slim`."""
    agents: dict[str, Any]  # the orchestrator's state, which handoff/orchestrator.py reads
    """{} before the first return."""


class Draft(Contents):
    """A checkpoint before it is stored. Times in epoch seconds."""

    time: float
    stamp: str
    session: str
    made: str
    """Mark of the session's folder (hot/provenance.py)."""
    reason: str
    note: Note | None
    calls: int
    tokens: int
    limit: int
    environment: Environment


class Checkpoint(Draft):
    """As it stands on disk (checkpoint/store.py)."""

    v: int
    number: int
    whole: bool


class Issue(TypedDict):
    """reproduce: the command or file that shows it, "" for none. tried: what was done since."""

    what: str
    reproduce: str
    tried: list[str]


class View(TypedDict):
    """A checkpoint under the names of W1: the contract of `holdfast checkpoint show --json`."""

    window: str
    version: int
    session: str
    time: str
    reason: str
    note: str
    goal: str
    requests: list[str]
    constraints: list[str]
    tasks: dict[str, list[str]]
    """planned, in_progress, done, cancelled."""
    plan_file: Plan | None
    decisions: list[dict[str, str]]
    """text; by: user, assistant, or the phase of the sub-agent that took it."""
    open_issues: list[Issue]
    failed_approaches: list[str]
    learnings: list[str]
    todos: list[str]
    environment: Environment
    files: dict[str, list[str]]
    """changed, read: paths, oldest first."""
    tests: list[Run]
    commits: list[str]
    approvals: list[str]
    instructions: list[str]
    summary: str


def contents(work: Worklog, agents: Mapping[str, Any], session: str) -> Contents:
    """What of the work goes into the file; session: its id."""
    known = orchestrator.load(dict(agents))
    returned = dict(agents) if known["kept_out"]["returns"] else {}
    return {"window": f"{session}-{work['window'] + 1}", "work": slim(work), "agents": returned}


def slim(work: Worklog) -> Worklog:
    """The state as a checkpoint keeps it."""
    plain = {key: value for key, value in work.items() if isinstance(value, (str, int))}
    kept = cast("Worklog", {**worklog.empty(), **plain})
    for key, (most, chars) in BOUNDS.items():
        entries: Sequence[Any] = work[key]  # type: ignore[literal-required]  # the keys of BOUNDS are the worklog's
        kept[key] = [_clipped(entry, chars) for entry in entries[-most:]]  # type: ignore[literal-required]
    if work["prompts"]:
        first, last = _clipped(work["prompts"][0], FIRST), _clipped(work["prompts"][-1], LATEST)
        between = [prompt for prompt in kept["prompts"][:-1] if prompt["n"] != first["n"]]
        kept["prompts"] = [first, *between, *([last] if len(work["prompts"]) > 1 else [])]
    kept["todos"] = [item for _, item in _items(list(enumerate(work["todos"])))]
    kept["tasks"] = dict(_items(list(work["tasks"].items())))
    kept["planned"] = _clipped(work["planned"], PLAN)
    kept["last_message"] = _clipped(work["last_message"], SAID)
    kept["before"] = {**work["before"], "text": ending(work["before"]["text"], SAID)}
    return kept


def _items(items: list[tuple[Any, PlanItem]]) -> list[tuple[Any, PlanItem]]:
    """All that is open and the newest that is finished, in order."""
    closed = [place for place, (_, item) in enumerate(items) if item["status"] in CLOSED]
    left_out = set(closed[: max(0, len(closed) - FINISHED)])
    return [(key, _clipped(item, ITEM)) for place, (key, item) in enumerate(items) if place not in left_out]


def _clipped(entry: Any, chars: int) -> Any:
    """A text, or a list or mapping of texts, each at most `chars` long; 0 is any length. Paths stay whole."""
    if isinstance(entry, str):
        return entry if not chars or len(entry) <= chars else entry[: chars - 1].rstrip() + "…"
    if isinstance(entry, dict):
        return {key: value if key == "path" else _clipped(value, chars) for key, value in entry.items()}
    return [_clipped(value, chars) for value in entry] if isinstance(entry, list) else entry


def note_of(saved: Checkpoint) -> str:
    """The note that was left with the checkpoint; "" for none."""
    return saved["note"]["text"] if saved["note"] else ""


def view(saved: Checkpoint) -> View:
    """A stored checkpoint by name."""
    work = saved["work"]
    prompts, refused = work["prompts"], (f"the user refused {one['tool']}: {one['about']}" for one in work["refused"])
    return {
        "window": saved["window"],
        "version": saved["number"],
        "session": saved["session"],
        "time": saved["stamp"],
        "reason": saved["reason"],
        "note": note_of(saved),
        "goal": prompts[0]["text"] if prompts else "",
        "requests": [prompt_text(prompt) for prompt in prompts],
        "constraints": _marked(work["marks"], "rule"),
        "tasks": tasks(work),
        "plan_file": work["planned"] if work["planned"]["path"] or work["planned"]["text"] else None,
        "decisions": _decisions(saved),
        "open_issues": _issues(work),
        "failed_approaches": [*_marked(work["marks"], "failed"), *refused],
        "learnings": _marked(work["marks"], "lesson"),
        "todos": _marked(work["marks"], "todo"),
        "environment": saved["environment"],
        "files": {"changed": work["changed"], "read": work["read"]},
        "tests": work["tests"],
        "commits": work["commits"],
        "approvals": [prompt_text(prompt) for prompt in prompts if prompt["source"] == "approval"],
        "instructions": work["instructions"],
        "summary": work["last_message"]["text"],
    }


def tasks(work: Worklog) -> dict[str, list[str]]:
    """The plan's items by state: planned, in_progress, done, cancelled."""
    groups: dict[str, list[str]] = {"planned": [], "in_progress": [], "done": [], "cancelled": []}
    for item in plan_items(work):
        groups[GROUPS.get(item["status"], "planned")].append(item["text"])
    return groups


_ABOUT = {"answer": "answering", "refusal": "refusing", "approval": "approving"}


def prompt_text(prompt: Prompt) -> str:
    """The user's words; behind them what an answer, a refusal or an approval is about, so that a cut takes that."""
    about = _ABOUT.get(prompt["source"]) if prompt["to"] else ""
    return f"{prompt['text']} ({about}: {one_line(prompt['to'], 160)})".lstrip() if about else prompt["text"]


def leans_on(work: Worklog, chars: int) -> str:
    """The end of what the assistant had said right before the newest request, where that is short ("do 1, 2 and 5").

    Short is by length alone. "" where the request is longer, or says itself what it is about.
    """
    newest = work["prompts"][-1] if work["prompts"] else None
    if not newest or newest["to"] or len(newest["text"]) > SHORT:
        return ""
    return ending(work["before"]["text"], chars)


def _marked(marks: Sequence[Mark], kind: str) -> list[str]:
    return list(dict.fromkeys(mark["text"] for mark in marks if mark["kind"] == kind))


def _decisions(saved: Checkpoint) -> list[dict[str, str]]:
    """The marked ones, then what sub-agents decided, phase by phase."""
    phases = orchestrator.load(saved["agents"])["phases"]
    marked = [mark for mark in saved["work"]["marks"] if mark["kind"] == "decision"]
    return [
        *({"text": mark["text"], "by": mark["by"]} for mark in marked),
        *({"text": f"{one['decision']}. {one['summary']}".strip(), "by": name} for name, one in phases.items()),
    ]


def open_errors(work: Worklog) -> list[OpenError]:
    """What failed not long ago and has not worked since, oldest first."""
    return [error for error in work["errors"] if work["messages"] - error["n"] <= PAST]


def _issues(work: Worklog) -> list[Issue]:
    """What failed and has not worked since, then bugs that were marked."""
    errors: list[Issue] = [{"what": e["what"], "reproduce": e["at"], "tried": e["tried"]} for e in open_errors(work)]
    bugs: list[Issue] = [{"what": text, "reproduce": "", "tried": []} for text in _marked(work["marks"], "bug")]
    return errors + bugs
