"""What must still be known after a compaction, and is it?

Rule: a fact is a string of the record that a program can look for word by word: the user's first and newest request,
marked rules and decisions, the plan's items, what failed and has not worked since, files changed, the last test run and
commit. What scores 100 (requests, rules, decisions, open items, open errors, the last five changed files) must be held
by what the agent reads after every compaction, or stand on the checkpoint's page that it names. Nothing judges whether
prose says the same otherwise: a summary that rewords a fact does not hold it. Sources: requirements K8, F1, H8.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple, TypedDict

from holdfast.checkpoint import model
from holdfast.text import identifiers
from holdfast.worklog.model import Worklog
from holdfast.worklog.plan import items as plan_items

FILES, DONE = 5, 8  # the newest changed files, and the newest finished items
HEAD = 160  # characters from the beginning of a long text that are looked for
Verdict = Literal["retained", "recoverable", "missing"]


class Fact(NamedTuple):
    """One thing that must survive."""

    kind: str
    """request, goal, rule, decision, bug, todo, task, error, file, test or commit."""
    text: str
    """As the record has it."""
    state: str = ""
    """Of a task: its status."""
    must: bool = True
    """Whether its preservation score is 100."""


class Counts(TypedDict):
    """How many facts there are of each verdict."""

    retained: int
    recoverable: int
    missing: int


class MustStay(TypedDict):
    """What became of the facts of score 100."""

    items: int
    held: int
    on_page: int
    missing: int


class Checked(NamedTuple):
    """What became of each fact."""

    facts: tuple[Fact, ...]
    verdicts: tuple[Verdict, ...]

    def counts(self) -> Counts:
        """By verdict."""
        found = self.verdicts
        return {
            "retained": found.count("retained"),
            "recoverable": found.count("recoverable"),
            "missing": found.count("missing"),
        }

    def of(self, *verdicts: Verdict) -> list[Fact]:
        """The facts with one of these verdicts."""
        return [fact for fact, verdict in zip(self.facts, self.verdicts, strict=True) if verdict in verdicts]

    def must(self) -> MustStay:
        """Of those that must be held."""
        asked = [verdict for fact, verdict in zip(self.facts, self.verdicts, strict=True) if fact.must]
        counted = [asked.count("retained"), asked.count("recoverable"), asked.count("missing")]
        return {"items": len(asked), "held": counted[0], "on_page": counted[1], "missing": counted[2]}


def facts(work: Worklog) -> list[Fact]:
    """The facts of the state, the most important first; each text once."""
    prompts = [prompt["text"] for prompt in work["prompts"] if prompt["text"].strip()]
    marks = [(mark["kind"], mark["text"]) for mark in work["marks"] if mark["kind"] in _MARKS]
    items = plan_items(work)
    closed = [item for item in items if item["status"] in ("completed", "cancelled")]
    found = [
        *(Fact("request", text) for text in prompts[-1:]),
        *(Fact("goal", text) for text in prompts[:1]),
        *(Fact(kind, text) for kind, text in marks),
        *(Fact("task", item["text"], item["status"]) for item in items if item not in closed),
        *(Fact("error", error["what"] or error["at"]) for error in reversed(model.open_errors(work))),
        *(Fact("file", path) for path in work["changed"][: -FILES - 1 : -1]),
        *(Fact("task", item["text"], item["status"], must=False) for item in closed[-DONE:]),
        *(Fact("test", run["command"], must=False) for run in work["tests"][-1:]),
        *(Fact("commit", commit, must=False) for commit in work["commits"][-1:]),
    ]
    return list({(fact.kind, fact.text): fact for fact in reversed(found) if fact.text.strip()}.values())[::-1]


_MARKS = ("rule", "decision", "bug", "todo")


def flat(text: str) -> str:
    """The text on one line, without the marks of quoted lines: by it two texts are compared."""
    return " ".join(word for line in text.splitlines() for word in line.removeprefix("> ").split())


def holds(text: str, fact: Fact) -> bool:
    """Whether a text (as `flat` gives it) has the fact word by word; a file by its name, a commit by its hash."""
    if fact.kind == "file":
        return identifiers.occurs(identifiers.basename(fact.text), text)
    if fact.kind == "commit":
        return fact.text.split(" ", 1)[0][:7] in text
    return flat(fact.text)[:HEAD].rstrip("… ") in text


def validate(found: Sequence[Fact], texts: Iterable[str], page: str = "") -> Checked:
    """A verdict on each fact: held by one of the texts, recoverable from the page that they name, or missing."""
    read, kept = [flat(text) for text in texts], flat(page)
    verdicts: list[Verdict] = []
    for fact in found:
        is_held = any(holds(text, fact) for text in read)
        verdicts.append("retained" if is_held else "recoverable" if holds(kept, fact) else "missing")
    return Checked(tuple(found), tuple(verdicts))
