"""What a checkpoint holds, and what of the work is told from it.

Rule: the state of the work as the worklog has it, cut to what somebody needs who goes on from here alone: what is open
stays, of what can be found again the newest; texts are cut at their end, paths never. A task stands in exactly one of
planned, in progress, done and cancelled, as its last recorded status says; a status that is not known counts as
planned, never as done. Sources: requirements W1 (2-5 KB typical), W3.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, NotRequired, TypedDict, cast

from holdfast.handoff import orchestrator
from holdfast.text.lines import both_ends, clip, ending, one_line
from holdfast.worklog import fold, marks
from holdfast.worklog import model as worklog
from holdfast.worklog.model import OpenError, PlanItem, UserPrompt, Worklog
from holdfast.worklog.plan import is_finished
from holdfast.worklog.plan import items as plan_items

BOUNDS = {
    "prompts": (6, 240),
    "marks": (16, 240),
    "record": (60, 240),
    "errors": (5, 170),
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


class Environment(TypedDict, total=False):
    """The place of the work; what cannot be told is "", [] or not there."""

    directory: str
    branch: str
    commit: str
    files: list[str]
    """Of those changed last the ones that are there, from the project's folder on."""
    dirty: list[str]
    """Of these the ones that differ from HEAD or are new; not there where git does not tell."""
    clean: list[str]
    """Of these the ones that git tracks and that are as in HEAD, whoever made them so."""
    staged: list[str]
    """Whoever staged them, from the project's folder on; not there where git does not tell, or tells of over 40."""
    upstream: str
    ahead: int
    behind: int


class LeftNote(TypedDict):
    """What was left for whoever goes on."""

    text: str
    time: float
    number: NotRequired[int]
    """Of the checkpoint that it was left with, where a later one carries it on."""


class Contents(TypedDict):
    """What of it comes from the work itself."""

    window: str
    """`<session>-<number>`, counted from 1."""
    work: Worklog
    """Cut by `slim`."""
    agents: dict[str, Any]  # the orchestrator's state, which handoff/orchestrator.py reads
    """{} before the first return."""
    kept: NotRequired[str]
    """Of a loop of one's own: its notes and what is marked to be kept."""


class Draft(Contents):
    """A checkpoint before it is stored. Times in epoch seconds."""

    time: float
    stamp: str
    session: str
    made: str
    """Mark of the session's folder (hot/provenance.py)."""
    reason: str
    note: LeftNote | None
    calls: int
    tokens: int
    limit: int
    environment: Environment


class StoredCheckpoint(Draft):
    """As it stands on disk (checkpoint/store.py)."""

    v: int
    number: int
    whole: bool


def contents(work: Worklog, agents: Mapping[str, Any], session: str) -> Contents:
    """What of the work goes into the file; session: its id."""
    returned = dict(agents) if returns(agents) else {}
    said = fold.words(work) if work["marks"] else []  # to take prompts apart is slow
    told = [{**one, "quotes": whole} if (whole := marks.quoted(one, said)) else one for one in work["marks"]]
    kept = slim(cast("Worklog", {**work, "marks": told}))
    return {"window": f"{session}-{work['window'] + 1}", "work": kept, "agents": returned}


def returns(agents: Mapping[str, Any]) -> int:
    """How often a sub-agent has returned."""
    return orchestrator.load(agents)["kept_out"]["returns"]


def slim(work: Worklog) -> Worklog:
    """The state as a checkpoint keeps it."""
    plain = {key: value for key, value in work.items() if isinstance(value, (str, int))}
    kept = cast("Worklog", {**worklog.empty(), **plain})
    for key, (most, chars) in BOUNDS.items():
        entries: Sequence[Any] = work[key]  # type: ignore[literal-required]  # the keys of BOUNDS are the worklog's
        kept[key] = [_clipped(entry, chars) for entry in entries[-most:]]  # type: ignore[literal-required]
    if work["prompts"]:
        first, last = (
            cast("UserPrompt", {**_clipped(prompt, 240), "text": _ends(prompt["text"], chars)})
            for prompt, chars in ((work["prompts"][0], 800), (work["prompts"][-1], 400))
        )
        between = [prompt for prompt in kept["prompts"][:-1] if prompt["n"] != first["n"]]
        kept["prompts"] = [first, *between, *([last] if len(work["prompts"]) > 1 else [])]
    most, chars = BOUNDS["marks"]
    older = [_clipped(one, chars) for one in work["marks"][:-most] if one["kind"] in marks.OPEN]
    kept["marks"] = [*older, *kept["marks"]]
    kept["todos"] = [item for _, item in _items(list(enumerate(work["todos"])))]
    kept["tasks"] = dict(_items(list(work["tasks"].items())))
    kept["jobs"] = _clipped(dict([*work["jobs"].items()][-6:]), 120)
    kept["planned"] = _clipped(work["planned"], 240)
    kept["last_message"] = _clipped(work["last_message"], 360)
    kept["before"] = {**work["before"], "text": ending(work["before"]["text"], 360)}
    return kept


def _ends(text: str, chars: int) -> str:
    """The two ends of a long text; what was cut so before stays as it is."""
    return both_ends(text, chars) if len(text) > chars + 60 else text


def _items(items: list[tuple[Any, PlanItem]]) -> list[tuple[Any, PlanItem]]:
    """All that is open and the eight newest that are over, in order."""
    over = [key for key, item in items if item["status"] in ("completed", "cancelled", "deleted")]
    return [(key, _clipped(item, 140)) for key, item in items if key not in over[:-8]]


def _clipped(entry: Any, chars: int) -> Any:
    """A text, or a list or mapping of texts, each at most `chars` long; 0 is any length. Paths stay whole."""
    if isinstance(entry, str):
        return clip(entry, chars) if chars else entry
    if isinstance(entry, dict):
        return {key: value if key == "path" else _clipped(value, chars) for key, value in entry.items()}
    return [_clipped(value, chars) for value in entry] if isinstance(entry, list) else entry


def milestone(
    before: StoredCheckpoint | None, work: Worklog, agents: Mapping[str, Any], tokens: int, limit: int
) -> str:
    """What has been reached since the newest checkpoint (H10), "" for nothing. tokens: in the window."""
    old, now = before["work"] if before else worklog.empty(), slim(work)  # compared as a checkpoint keeps it
    tests_grew = now["tests"] != old["tests"] and now["changed"] != old["changed"]
    over = limit * 85
    reached = {
        "commit": bool(now["commits"]) and now["commits"] != old["commits"],
        "tests green": bool(now["tests"]) and worklog.has_passed(now["tests"][-1]) and tests_grew,
        "to-do list finished": is_finished(plan_items(now)) and not is_finished(plan_items(old)),
        "sub-agent returned": returns(agents) > returns(before["agents"] if before else {}),
        "context over 85 %": 0 < over <= tokens * 100 and (not before or before["tokens"] * 100 < over),
    }
    return next((name for name, is_reached in reached.items() if is_reached), "")


def note_of(saved: StoredCheckpoint) -> str:
    """The note that was left with the checkpoint; "" for none."""
    return saved["note"]["text"] if saved["note"] else ""


def tasks(work: Worklog) -> dict[str, list[str]]:
    """The plan's items by state: planned, in_progress, done, cancelled; behind each what was noted with its state."""
    groups: dict[str, list[str]] = {"planned": [], "in_progress": [], "done": [], "cancelled": []}
    names = {"in_progress": "in_progress", "completed": "done", "cancelled": "cancelled"}
    for item in plan_items(work):
        note = f" ({item['note']})" if "note" in item else ""
        groups[names.get(item["status"], "planned")].append(item["text"] + note)
    return groups


def deed(prompt: UserPrompt) -> str:
    """What the user did, in our words; "" where they wrote."""
    did = {"answer": "answered", "refusal": "refused", "approval": "approved"}.get(prompt["source"])
    if not did:
        return ""
    to = one_line(both_ends(prompt["to"], 200))
    if did == "approved" or to.startswith("ExitPlanMode"):
        did, to = f"{did} the plan", to.removeprefix("ExitPlanMode").removeprefix("the plan").strip()
    ends = "" if did == "answered" else ", saying" if prompt["text"] else ", without a word"
    return f"the user {did}{f' ({to})' * bool(to)}{ends}"


def heading(prompt: UserPrompt) -> str:
    """The line above their words."""
    did = deed(prompt)
    return f"T{did[1:]}{':' if prompt['text'] else '.'}" if did else ""


def prompt_text(prompt: UserPrompt) -> str:
    """The user's words; in quotes behind what they did."""
    did, said = deed(prompt), prompt["text"]
    return f'{did}: "{said}"' if did and said else did or said


def worded(work: Worklog) -> Worklog:
    """Without approvals that came without a word: what they approve the plan tells."""
    said = [one for one in work["prompts"] if one["source"] != "approval" or one["text"].strip()]
    return cast("Worklog", {**work, "prompts": said})


def is_unanswered(work: Worklog, prompt: UserPrompt) -> bool:
    """Whether nothing came after these words of the user's: the client makes room before it hands them on (2.1.329)."""
    return 0 < prompt["n"] == work["messages"] and bool(prompt["text"].strip())


def in_force(work: Worklog) -> list[UserPrompt]:
    """What the user asks now, oldest first: his newest message of a weight of its own, and all that he said after it.

    A command and an approved plan have that weight whatever their length. Without such a message: all of them. A skill
    of ours is no request.
    """
    told = [prompt for prompt in work["prompts"] if prompt["text"].strip() or prompt["to"]]
    said = [prompt for prompt in told if not worklog.is_ours(prompt)]
    alone = [at for at, prompt in enumerate(said) if worklog.stands_alone(prompt)]
    return said[alone[-1] :] if alone else said


def earlier(work: Worklog) -> list[UserPrompt]:
    """What the user asked before that, oldest first."""
    prompts, now = work["prompts"], in_force(work)[:1]
    before = prompts[: prompts.index(now[0])] if now else prompts
    return [prompt for prompt in before if not worklog.is_ours(prompt)]


def task(work: Worklog) -> str:
    """What the session began with: the first message of a weight of its own, else the very first, or the title of the
    plan that was approved without a word; "" for none.
    """
    asked = [prompt for prompt in work["prompts"] if not worklog.is_ours(prompt)]
    own = (prompt["text"] for prompt in asked if prompt["source"] != "approval" and worklog.stands_alone(prompt))
    first = asked[0] if asked else None
    if first and first["source"] == "approval" and not first["text"]:
        return next(own, work["planned"]["text"].partition("; ")[0])
    return next(own, first["text"] if first else "")


class Requests(NamedTuple):
    """What the user has typed, without marked lines; "" for none. A command's bare name says little."""

    first: str
    """That says something by itself; where none does, the very first."""
    present: str
    """The newest that says something by itself; where none does, the very first."""
    latest: str
    alone: bool
    """Whether any says something by itself."""


def asked(work: Worklog) -> Requests:
    """Whatever is named after what the user wants is named by this."""
    typed = [one for one in work["prompts"] if one["source"] in ("typed", "command")] or work["prompts"]
    said = [(text, one) for one in typed if not worklog.is_ours(one) and (text := marks.unmarked(one["text"]))]
    own = (text for text, one in said if worklog.stands_alone({**one, "text": text}))
    alone = [text for text in own if not text.startswith("/") or " " in text]
    ends = alone or [text for text, _ in said[:1]] or [""]
    return Requests(ends[0], ends[-1], said[-1][0] if said else "", bool(alone))


BEGUN = " (begun with: "


def title(work: Worklog, told: Callable[[str], str] = str) -> str:
    """By what the work is called: the newest request that says something by itself, else the step at hand, not "ok".

    told: what of a request may be told.
    """
    said, active = asked(work), tasks(work)["in_progress"][:1]
    first, newest, latest = map(told, said[:3])
    present = active[0] if active and not said.alone else newest
    if not present:
        return ""
    begun = f"{BEGUN}{one_line(first, 200)})" if first not in ("", newest) else ""
    last = f" (latest request: {one_line(latest, 200)})" if latest not in ("", present) and not said.alone else ""
    return one_line(present, 300) + (begun or last)


def leans_on(work: Worklog, chars: int) -> str:
    """The end of what the assistant had said right before the newest request, where that is short ("do 1, 2 and 5").

    Short is by length alone. "" where the request is longer, or says itself what it is about.
    """
    newest = work["prompts"][-1] if work["prompts"] else None
    if not newest or newest["to"] or len(newest["text"]) > 200 or worklog.is_ours(newest):
        return ""
    said = ending(work["before"]["text"], chars)
    begins = [at + 1 for sign in ("\n", ". ", "? ", "! ", ": ") if 0 < (at := said.find(sign)) < chars // 2]
    is_cut = begins and len(work["before"]["text"]) > chars
    return f"… {said[min(begins) :].lstrip()}" if is_cut else said  # from a sentence's beginning on, where one is near


def open_errors(work: Worklog) -> list[OpenError]:
    """What failed where nothing that may have answered it went well since."""
    return [error for error in failed(work) if "answered" not in error]


def failed(work: Worklog) -> list[OpenError]:
    """What failed and has not worked since, oldest first, of what failed alike the newest that is open; not what is 60
    messages old: nobody can say of that.
    """
    found = (error for error in work["errors"] if work["messages"] - error["n"] <= 60)
    last = {alike(error): error for error in sorted(found, key=lambda one: ("answered" not in one, one["n"]))}
    return sorted(last.values(), key=itemgetter("n"))


def alike(error: OpenError) -> str:
    """What two failures have in common: times differ, whole numbers name another test; wordless ones nothing."""
    if re.match(r"$|exit \w+; the client has cut |Command timed out after ", error["what"]):
        return error["at"]
    return re.sub(r"\d{1,9}\.\d{1,9}", "", error["what"])


def failure(error: OpenError) -> tuple[str, str]:
    """Its words, and its command where files were edited since: nobody knows how that would end now."""
    return error["what"] or error["at"], error["at"] if error["tried"] or "ran" in error else ""
