"""Which facts of this session must an agent still know after its window has been compacted?

Rule: every item that compaction/preservation.py scores with 100, which are marked as those that must be held: the
goal and the
latest request, the user's constraints and corrections, what was called off, decisions with their reasons, the step at
hand and the next ones, grave open errors in their exact words, the last five files changed. Beside them the newest of
what an agent is worse off without: the rest of the plan with its states, other open errors, failed approaches,
approvals, the last commit and test outcome. The most important first. Sources: requirements K8, F1, H8.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.compaction import passages, preservation
from holdfast.text import identifiers
from holdfast.text.lines import one_line


class Fact(NamedTuple):
    """One thing that must survive."""

    kind: str
    """One of KINDS' names, test or commit."""
    text: str
    """On one line, as the record has it."""
    keys: tuple[str, ...]
    """Literal strings by which a text is recognised to hold it: names, paths, numbers, else its telling words."""
    state: str = ""
    """plan: planned, in progress, done, cancelled; error: open; test: passed or failed; else ""."""
    where: str = ""
    """A file that names or holds it in full, "" for none."""
    old: tuple[str, ...] = ()
    """Values that this one replaced: earlier commits, the number that the user corrected."""
    must: bool = False
    """Whether its preservation score is 100."""


KINDS = {
    ("request", ""): ("request", ""),
    ("goal", ""): ("goal", ""),
    ("constraint", ""): ("constraint", ""),
    ("correction", ""): ("correction", ""),
    ("cancelled", ""): ("constraint", ""),  # said once, and no item of the plan
    ("task", "in_progress"): ("step", "in progress"),
    ("task", "next"): ("plan", "planned"),
    ("task", ""): ("plan", "planned"),
    ("task", "cancelled"): ("cancelled", "cancelled"),
    ("task", "completed"): ("plan", "done"),
    ("issue", "open"): ("error", "open"),
    ("bug", ""): ("bug", ""),
    ("learning", ""): ("detail", ""),
    ("failed", ""): ("failed", ""),
    ("decision", ""): ("decision", ""),
    ("approval", ""): ("approval", ""),
    ("change", ""): ("file", "changed"),
}
"""Kind and state of an item -> kind and state of the fact; the most important first. Other items are none."""
LIMITS = {
    ("plan", "planned"): 15,
    ("plan", "done"): 8,
    ("cancelled", "cancelled"): 8,
    ("error", "open"): 4,
    ("failed", ""): 8,
    ("approval", ""): 4,
}
"""How many count of those that need not stay, the newest; of planned items the first. None of any other kind."""
AGENTS = 4
CHARS = 400
KEYS = 6
NUMBER = re.compile(r"(?<![\w.#-])\d+(?:[.,]\d+)*%?(?![\w.-]*\w)|(?<![\w.#-])\d+(?:\.\d+)?(?:ms|s|m|h|[KMG]i?B?)\b")
_QUOTED = re.compile(r"`([^`\n]*)`|\"([^\"\n]*)\"")
QUOTED = range(3, 61)  # characters of a quoted name
_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_INSTEAD = re.compile(r"(?i)\b(?:instead of|rather than|no longer|not)\s+[`'\"]?([\w./-]*\d[\w./-]*|[\w-]+\.\w{1,5})")


def critical(work: dict[str, Any], agents: Mapping[str, Any]) -> list[Fact]:
    """The facts of a session's state (`worklog`) and of its orchestrator's, the most important first."""
    sorts: dict[tuple[str, str], list[Fact]] = {sort: [] for sort in KINDS}
    moment = preservation.moment_of(work)
    for item in preservation.gather(work):
        sort = (item.kind, item.state)
        if sort in KINDS:
            sorts[sort].append(_fact(item, preservation.score(item, moment) == preservation.MUST))
    sorts["decision", ""] += _agents(agents)
    found = [fact for sort, facts in sorts.items() for fact in _counting(facts, KINDS[sort])]
    files = [fact for fact in found if fact.kind == "file"]
    found = [*found[: len(found) - len(files)], *_outcomes(work), *reversed(files)]
    return [fact for fact in found if fact.keys or words(fact)]  # "go on" has nothing to be known again by


def _counting(facts: list[Fact], sort: tuple[str, str]) -> list[Fact]:
    """Those that must stay, and as many of the others as LIMITS has; each text once."""
    others = [fact for fact in facts if not fact.must]
    most = LIMITS.get(sort, 0)
    taken = others[:most] if sort == ("plan", "planned") else others[max(0, len(others) - most) :]
    return list(dict.fromkeys(fact for fact in facts if fact.must or fact in taken))


def keys_of(text: str) -> tuple[str, ...]:
    """Names, quoted words and numbers of a text; where there are none, its longest words."""
    names = [identifiers.basename(path) for path in identifiers.paths(text)]
    quoted = [one or other for one, other in _QUOTED.findall(text)]
    quoted = [name for name in quoted if len(name) in QUOTED and len(name.split()) <= 4]
    numbers = [number for number in NUMBER.findall(text) if len(number) > 1]
    found = list(dict.fromkeys([*names, *identifiers.identifiers(text), *quoted, *numbers]))
    if found:
        return tuple(key for key in found if not any(key != other and key in other for other in found))[:KEYS]
    words = sorted(set(re.findall(r"[^\W\d_]{5,}", text)), key=lambda word: (-len(word), word))
    return tuple(words[:KEYS])


def known_names(work: dict[str, Any]) -> frozenset[str]:
    """Base names of all files that the record names anywhere: what a text may rightly name."""
    prompts = [_prompt(prompt) for prompt in work["prompts"]]
    notes = [str(note.get("text")) for note in work.get("notes") or ()]
    told = [work["goal"], work["said"], *prompts, *notes, *(work.get("commands") or ()), *(work.get("terms") or ())]
    named = (path for text in told for path in identifiers.paths(str(text)))
    return frozenset(identifiers.basename(path) for path in (*work["read"], *work["changed"], *named))


def _prompt(prompt: Any) -> str:
    return str(prompt.get("text") or "") if isinstance(prompt, dict) else str(prompt)


def _fact(item: preservation.Item, must: bool) -> Fact:
    kind, state = KINDS[item.kind, item.state]
    line = one_line(item.text, CHARS)
    if kind == "file":
        return Fact(kind, line, (identifiers.basename(item.text),), state, item.text, must=must)
    old = tuple(_INSTEAD.findall(item.text)) if kind == "correction" else ()
    return Fact(kind, line, keys_of(line), state, _path(item.where), old, must)


def _path(text: str) -> str:
    return text if "/" in text and " " not in text else ""


def _agents(agents: Mapping[str, Any]) -> list[Fact]:
    """What sub-agents decided, with the summary that holds the reason."""
    progress = agents.get("progress") or {}
    summaries = progress.get("summaries") or {}
    return [
        _fact(preservation.Item("decision", f"{phase}: {told}. {one_line(str(summaries.get(phase) or ''), 200)}"), True)
        for phase, told in list((agents.get("decisions") or {}).items())[-AGENTS:]
        if told != "not stated"
    ]


def _outcomes(work: dict[str, Any]) -> list[Fact]:
    """The last test run and the last commit."""
    found = []
    if work["tests"]:
        run = work["tests"][-1]
        state = "passed" if run["ok"] else "failed"
        found.append(
            Fact("test", one_line(f"{run['command']}: {run['end']}", CHARS), _run_names(run["command"]), state)
        )
    if work["commits"]:
        name, _, subject = work["commits"][-1].partition(" ")
        named = bool(_HASH.fullmatch(name))
        earlier = (commit.split(" ", 1)[0] for commit in work["commits"][:-1])
        keys = (name[:7],) if named else keys_of(subject or name)
        old = tuple(mark[:7] for mark in earlier if named and _HASH.fullmatch(mark) and mark[:7] != name[:7])
        found.append(Fact("commit", work["commits"][-1], keys, old=old))
    return found


def _run_names(command: str) -> tuple[str, ...]:
    """What a test command ran, by name: paths and test names before any pipe."""
    ran = re.split(r"[|;&]|\d?>", command)[0]
    return tuple(word.strip("\"'") for word in ran.split() if re.search(r"[/_]|\w\.\w|[a-z][A-Z]", word))[-2:]


def words(fact: Fact) -> frozenset[str]:
    """Its telling words."""
    return passages.telling(fact.text)
