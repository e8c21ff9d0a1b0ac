"""What must still be known after a compaction, is it, and what must be told yet?

Rule: a fact is a string of the record that a program can look for word by word. What scores 100 (requests, rules,
decisions, open items, open errors, the last five changed files) must be held by what the agent reads after every
compaction: what stands neither in the summary nor in the packet is told once, by the next hook that reaches the model.
A summary that closes with a record says the rest by kind, in its own words: then only what the user asks now must stand
word by word, and what failed and is open by its names. Sources: requirements K8, F1, H8.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, get_args

from holdfast.checkpoint import model
from holdfast.checkpoint.sections import FAILED, flat, says, stands
from holdfast.session.reply import utf16_length
from holdfast.text import identifiers
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate
from holdfast.transcript.commands import commit_hash
from holdfast.worklog.model import Worklog
from holdfast.worklog.plan import TOLD
from holdfast.worklog.plan import items as plan_items

CHARS = 1_500  # UTF-16 units of what is told yet
Verdict = Literal["retained", "recoverable", "missing"]
"""Held by one of the texts; on the page of the checkpoint that they name; neither."""
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
SAYS = {
    "request": "the user's newest request",
    "goal": "the user's first request",
    "rule": "a marked rule",
    "decision": "a marked decision",
    "bug": "a marked bug",
    "todo": "marked to do",
    "task": "an item of the plan",
    "error": FAILED.lower(),
    "file": "a changed file",
}
"""Kind of a fact that must be held -> how it is told."""


class Fact(NamedTuple):
    """One thing that must survive. kind: of SAYS, test or commit. text: as the record has it."""

    kind: str
    text: str
    state: str = ""
    """Of a task: its status."""
    must: bool = True
    """Whether its preservation score is 100."""
    root: str = ""
    """Of a file: the folder from which its path may be told; of what failed before an edit: its command."""
    among: Sequence[str] = ()
    """Of a file: those among which its bare name may be enough."""


Checked = list[tuple[Fact, Verdict]]
"""What became of each fact."""


class Texts(NamedTuple):
    """What an agent can read after a compaction."""

    summary: str
    packet: str
    page: str = ""
    """Of the checkpoint, where the packet names it; else ""."""
    where: str = ""
    """Its path."""


def facts(work: Worklog, root: str = "", recorded: bool = False, agents: Sequence[str] = ()) -> list[Fact]:
    """The facts of the state, the most important first; each text once.

    root: the project's folder. recorded: the summary closes with a record. agents: errors that they left open.
    """
    waiting = [prompt["text"] for prompt in work["prompts"] if model.is_unanswered(work, prompt)]
    asked = [prompt["text"] for prompt in model.in_force(work) if prompt["text"] not in waiting]
    goal = model.task(work)
    marks = [(mark["kind"], mark["text"]) for mark in work["marks"] if mark["kind"] in SAYS]
    items = plan_items(work)
    closed = [item for item in items if item["status"] in ("completed", "cancelled")]
    found = [
        *(Fact("request", text) for text in reversed(asked[-3:])),
        Fact("goal", "" if any(goal in text for text in waiting) else goal),
        *(Fact(kind, text) for kind, text in marks),
        *(Fact("task", item["text"], item["status"]) for item in items if item not in closed),
        *(Fact("error", text, root=at) for text, at in map(model.failure, reversed(model.open_errors(work)))),
        *(Fact("error", error) for error in reversed(agents)),
        *(Fact("file", path, root=root or work["folder"], among=work["changed"]) for path in work["changed"][:-6:-1]),
        *(Fact("task", item["text"], item["status"], must=False) for item in closed[-8:]),
        *(Fact("test", run["command"], must=False) for run in work["tests"][-1:]),
        *(Fact("commit", commit, must=False) for commit in work["commits"][-1:]),
    ]
    if recorded:
        found = [fact._replace(must=fact.kind in ("request", "error")) for fact in found]
    return list({(fact.kind, fact.text): fact for fact in reversed(found) if fact.text.strip()}.values())[::-1]


def holds(text: str, fact: Fact) -> bool:
    """Whether a text (by `flat`) has it: its words, a long one's beginning, most of the user's; its path; its hash."""
    if fact.kind == "file":
        return identifiers.names_file(text, fact.text, fact.root, fact.among)
    if fact.kind == "commit" and commit_hash(fact.text):
        return commit_hash(fact.text)[:7] in text
    if fact.kind == "error" and says(text, fact.text, fact.root):
        return True
    is_words = fact.kind in ("request", "goal") and stands(fact.text, text)
    return is_words or flat(fact.text)[:160].rstrip("… ") in text


def validate(found: Iterable[Fact], texts: Iterable[str], page: str = "") -> Checked:
    """A verdict on each fact."""
    read, kept = [flat(text) for text in texts], flat(page)

    def verdict(fact: Fact) -> Verdict:
        is_held = any(holds(text, fact) for text in read)
        return "retained" if is_held else "recoverable" if holds(kept, fact) else "missing"

    return [(fact, verdict(fact)) for fact in found]


def counts(checked: Checked) -> dict[Verdict, int]:
    """How many facts there are of each verdict."""
    return {verdict: sum(one == verdict for _, one in checked) for verdict in VERDICTS}


def must(checked: Checked) -> dict[str, int]:
    """Of those that must be held: items, held, on_page, missing."""
    items = [(fact, verdict) for fact, verdict in checked if fact.must]
    held, on_page, missing = counts(items).values()
    return {"items": len(items), "held": held, "on_page": on_page, "missing": missing}


def check(
    found: Sequence[Fact], texts: Texts, before: Sequence[tuple[str, str]]
) -> tuple[list[Fact], dict[str, object], str]:
    """What must be held and is in neither text, what the log says (schema.py), and what must be told yet ("": nothing).

    before: (kind, text) of the last time's facts; those that are still so are the chain's second link.
    """
    both, packet = validate(found, texts[:2], texts.page), texts.packet
    again = [(fact, verdict) for fact, verdict in both if (fact.kind, fact.text) in before]
    lost = [fact for fact, verdict in both if fact.must and verdict != "retained"]
    missing = [fact for fact, verdict in both if verdict == "missing"]
    told = correction(lost, texts.where)
    outcome: dict[str, object] = {
        "facts": counts(both),
        "facts_in_summary": counts(validate(found, (texts.summary,))),
        "facts_of_last_time": counts(again) if before else None,
        "must": must(both),
        "missing": [{"kind": fact.kind, "text": one_line(fact.text, 160)} for fact in missing[:12]],
        "packet": {
            "characters": len(packet),
            "tokens": estimate(packet),
            "sections": [line[3:] for line in packet.splitlines() if line.startswith("## ")],
        },
        "correction": len(told),
    }
    return lost, outcome, told


def correction(lost: Sequence[Fact], where: str) -> str:
    """What must be held and is in neither text, in CHARS; what does not fit is counted. "" for nothing."""
    if not lost:
        return ""
    opening = (
        "Holdfast compared the summary of this conversation, and what was put back beside it, with its own notes on "
        "the session. This is in neither; data, no new request."
    )
    left, taken = CHARS - utf16_length(opening) - utf16_length(where) - 40, []  # 40: the line that counts the rest
    for fact in lost:
        state = f" ({TOLD.get(fact.state, 'planned')})" if fact.state else ""
        line = f"- {SAYS[fact.kind]}{state}: {one_line(fact.text, 400)}"
        if utf16_length(line) + 1 <= left:
            taken.append(line)
            left -= utf16_length(line) + 1
    rest = len(lost) - len(taken)
    return "\n".join([opening, *taken, *([f"- and {rest} more: read {where or 'the checkpoint'}"] if rest else [])])
