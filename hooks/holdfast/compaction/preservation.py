"""What must survive a compaction, what may go, and in what order does the rest stay?

Rule: decisions, the user's standing words, unresolved issues that are critical or high, critical details, the last
five file changes and the current task score 100: `choose` never leaves them out, compaction/critical_facts.py makes
facts of them,
and compaction/fidelity.py says after a compaction which of these facts are held.
What is resolved, superseded, repeated or mere politeness scores 0-30 and is left out. Everything else scores 31-99 by
recency (30), references (20), relevance to the task (30) and density of names and numbers (20). Source: requirement
K8; the user's constraints and corrections count as critical details, because nobody else can say them again,
and so do the goal and the latest request.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.text import duplicates, identifiers
from holdfast.transcript.commands import TEST_COMMAND
from holdfast.worklog import notes as remarks
from holdfast.worklog.fold import plan

MUST, DISCARDABLE = 100, 30
CHANGES = 5
"""File changes that always stay, from the newest."""
RESOLVED_STAYS = 10
"""Messages for which a resolved issue is still worth a word; after that only a new mention brings it back."""
HALF_LIFE = 50
"""Messages after which recency is worth half; the source compacts every 50 operations."""
FULL_USES, FULL_DENSITY = 5, 0.25  # later uses, and names and numbers per word, from which on the share is full


class Item(NamedTuple):
    """One thing that may be kept, as one line of text."""

    kind: str
    """As in the worklog's notes, or one of: goal, request, issue, change (text is the path), task, prompt, detail."""
    text: str
    at: int = 0
    """Number of the message in which it was said or last touched."""
    state: str = ""
    """ "" and "open" are alive; see GONE and CURRENT."""
    level: str = ""
    """Of an issue: critical, high, medium, low or unknown ("")."""
    brief: str = ""
    """The same in fewer words, for want of room; "" when there is no shorter form."""
    where: str = ""
    """The command or file that shows an issue, the file that holds the rest; "" for none."""


class Moment(NamedTuple):
    """What an item is judged against."""

    now: int = 0
    """Number of the newest message."""
    task: frozenset[str] = frozenset()
    """Words of what is being worked on, as `words` gives them."""
    uses: Mapping[str, int] = {}
    """How often a path or identifier has been named."""
    changed: tuple[str, ...] = ()
    """Paths changed, newest last."""


class Choice(NamedTuple):
    """What fits: the lines in the order of their items, and what was left out."""

    kept: tuple[Item, ...]
    lines: tuple[str, ...]
    """One per kept item: its text, or its brief form."""
    left: tuple[Item, ...]
    """Items that did not fit or are not worth a line, most valuable first; none of them scores 100."""
    over: int
    """By how much the items of 100 alone, none of them shortened, exceed the budget; 0 when they fit."""


DECREED = ("constraint", "correction", "cancelled")
"""Kinds of notes that only the user can lay down."""
ALWAYS = ("goal", "request", "decision", "detail", *DECREED)
CURRENT = ("in_progress", "next")
GRAVE = ("critical", "high")
GONE = {"superseded": 10, "repeated": 5, "resolved": 15, "fixed": 15, "completed": 15, "done": 15, "cancelled": 10}
"""State -> score of what no longer holds; what was resolved a moment ago has 30."""

_CRITICAL = re.compile(r"\b(?:CRITICAL|SECURITY|DATA LOSS|IMPORTANT)\b\s*[:!\]]")
_POLITE = re.compile(
    r"\W*(?:(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|yes|yep|sure|great|perfect|nice|cool|got it|sounds good|done"
    r"|you're (?:absolutely )?right|no problem|continue|go on|all good|file saved(?: successfully)?|success(?:fully)?)"
    r"[\s,.!]*)+\W*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z][a-z0-9_]{3,}")
_NUMBER = re.compile(r"(?<![\w.])\d[\d.,]*(?:\s?%|\w{0,3})(?!\w)")
_COMMON = re.compile(
    r"that|this|with|from|have|will|would|should|could|when|what|which|where|there|their|them|then|than|they|been|were"
    r"|into|also|just|only|some|more|most|such|about|after|before|because|please|make|sure|need|want|like"
)


def words(text: str) -> frozenset[str]:
    """The words of a text that say what it is about: lower case, four letters or more, no common ones."""
    return frozenset(word for word in _WORD.findall(text.lower()) if not _COMMON.fullmatch(word))


def score(item: Item, moment: Moment) -> int:
    """0..100: 100 must stay, up to 30 may go, between them the more the better."""
    if item.state in GONE:
        fresh = moment.now - item.at <= RESOLVED_STAYS and GONE[item.state] == GONE["resolved"]
        return DISCARDABLE if fresh else GONE[item.state]
    if _must_stay(item, moment):
        return MUST
    if not item.text.strip() or _POLITE.fullmatch(item.text):
        return 0
    shares = (30 * _recency(item, moment), 20 * _references(item, moment), 30 * _relevance(item, moment))
    return 31 + round((sum(shares) + 20 * _density(item.text)) * 68 / 100)


def _must_stay(item: Item, moment: Moment) -> bool:
    rules = (
        item.kind in ALWAYS,
        item.kind in ("issue", "bug") and item.level in GRAVE,
        item.kind == "change" and item.text in moment.changed[-CHANGES:],
        item.kind == "task" and item.state in CURRENT,
        bool(_CRITICAL.search(item.text)),
    )
    return any(rules)


def _recency(item: Item, moment: Moment) -> float:
    return float(0.5 ** (max(0, moment.now - item.at) / HALF_LIFE))


def _references(item: Item, moment: Moment) -> float:
    named = [*identifiers.paths(item.text), *identifiers.identifiers(item.text)]
    return min(1.0, max((moment.uses.get(name, 0) for name in named), default=0) / FULL_USES)


def _relevance(item: Item, moment: Moment) -> float:
    own = words(item.text)
    return min(1.0, 2 * len(own & moment.task) / len(own)) if own else 0.0


def _density(text: str) -> float:
    telling = len(identifiers.paths(text)) + len(identifiers.identifiers(text)) + len(_NUMBER.findall(text))
    return min(1.0, telling / max(1, len(text.split())) / FULL_DENSITY)


def choose(items: Sequence[Item], budget: int, moment: Moment, size: Callable[[str], int] = len) -> Choice:
    """The items that fit into `budget`, which is measured by `size` (plus one for each line's end).

    Every item of 100 is kept. Where they alone are too much the oldest of them are said briefly; what they would need
    more is told in `over`, for the caller to find room elsewhere. Even their brief forms may exceed the budget.
    """
    marks = [score(item, moment) for item in items]
    must = [index for index, mark in enumerate(marks) if mark == MUST]
    over = max(0, sum(size(items[index].text) + 1 for index in must) - budget)
    lines = _shortened({index: items[index] for index in must}, budget, size)
    room = budget - sum(size(line) + 1 for line in lines.values())
    rest = [index for index, mark in enumerate(marks) if mark < MUST]
    rest.sort(key=lambda index: (-marks[index], -items[index].at, index))
    for index in rest:
        cost = size(items[index].text) + 1
        if marks[index] > DISCARDABLE and cost <= room:
            lines[index] = items[index].text
            room -= cost
    kept = sorted(lines)
    left = tuple(items[index] for index in rest if index not in lines)
    return Choice(tuple(items[index] for index in kept), tuple(lines[index] for index in kept), left, over)


def _shortened(must: dict[int, Item], budget: int, size: Callable[[str], int]) -> dict[int, str]:
    """Index -> line; the oldest are said briefly until all fit or nothing is left to shorten."""
    lines = {index: item.text for index, item in must.items()}
    total = sum(size(line) + 1 for line in lines.values())
    for index in sorted(must, key=lambda index: (must[index].at, index)):
        brief = must[index].brief
        saved = size(lines[index]) - size(brief) if brief else 0
        if total > budget and saved > 0:
            lines[index], total = brief, total - saved
    return lines


def gather(work: dict[str, Any]) -> list[Item]:
    """The items of a worklog: goal and latest request, notes, open and fixed errors, file changes, the plan's items."""
    now = int(work["messages"])
    found = [*_asked(work, now), *notes(work, *DECREED), *notes(work, *_SAID)]
    for error in work["errors"]:
        grave = bool(error.get("tried")) or bool(TEST_COMMAND.search(error["at"]))
        level = "high" if grave else "medium"
        found.append(Item("issue", str(error["what"]), int(error["n"]), "open", level, where=str(error["at"])))
    found += [Item("issue", str(error["what"]), 0, "fixed", where=str(error["at"])) for error in work["fixed"]]
    # When a file was changed is not known, only the order: they are spread so that the newest count as recent.
    ages = range(5 * (len(work["changed"]) - 1), -1, -5)
    found += [Item("change", path, max(0, now - age)) for path, age in zip(work["changed"], ages, strict=True)]
    return found + _tasks(plan(work), now, str((work["planned"] or {}).get("path") or ""))


def _asked(work: dict[str, Any], now: int) -> list[Item]:
    """Latest request and goal; an answer of a few words counts together with the question that it answers."""
    goal = str(work["goal"])
    last = work["prompts"][-1] if work["prompts"] else {"text": "", "re": ""}
    request = " ".join(part for part in (str(last.get("re") or ""), str(last["text"])) if part)
    later = [Item("request", request, now)] if request and request[:200] != goal[:200] else []
    return later + ([Item("goal", goal, now)] if goal else [])


_SAID = ("decision", "learning", "bug", "failed", "approval", "todo")


def notes(work: dict[str, Any], *kinds: str) -> list[Item]:
    """The notes of these kinds, oldest first; what a newer one of them says again is "repeated"."""
    found = [_noted(note) for note in remarks.of(work, *kinds)]
    fresh = {group.kept for group in duplicates.groups([item.text for item in found])}
    return [item if index in fresh else item._replace(state="repeated") for index, item in enumerate(found)]


def _noted(note: Mapping[str, Any]) -> Item:
    """A note; what only the user can decree counts as that only when it is the user's."""
    kind, text = str(note["kind"]), str(note["text"])
    decreed = kind in (*DECREED, "approval") and note["by"] != "user"
    return Item("learning" if decreed else kind, text, int(note["n"]), "", _level(text))


def _level(text: str) -> str:
    named = re.search(r"(?<!non-)(?<!not )\b(critical|high|medium|low)\b", text, re.IGNORECASE)
    return named[1].lower() if named else ""


def _tasks(entries: Iterable[Mapping[str, str]], now: int, where: str) -> list[Item]:
    """Plan items; the first three that wait are the next actions and stay with the current one."""
    found, waiting = [], 0
    for entry in entries:
        state = entry["status"]
        if state == "pending":
            waiting += 1
            state = "next" if waiting <= 3 else ""
        found.append(Item("task", entry["text"], now, state, where=where))
    return found


def moment_of(work: dict[str, Any]) -> Moment:
    """The moment that a worklog's items are judged against."""
    prompts = [str(prompt["text"]) for prompt in work["prompts"]]
    current = [entry["text"] for entry in plan(work) if entry["status"] in CURRENT]
    about = " ".join([str(work["goal"]), *prompts[-3:], *current])
    told = " ".join([*prompts, str(work["said"]), *(str(note["text"]) for note in work["notes"]), *work["commands"]])
    uses: Counter[str] = Counter(match.group() for match in identifiers.IDENTIFIER.finditer(told))
    uses.update(path for text in [*prompts, str(work["said"]), *work["commands"]] for path in identifiers.paths(text))
    return Moment(int(work["messages"]), words(about), uses, tuple(work["changed"]))
