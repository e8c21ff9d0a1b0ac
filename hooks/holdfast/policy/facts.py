"""Which facts of this session must an agent still know after its window has been compacted?

Rule: everything that K8 scores with 100: the goal and the latest request, the user's standing constraints and
corrections, decisions with their reasons, the plan with its states and the step at hand, open errors in their exact
words, failed approaches, what was called off, the last five files changed, the last commit and test outcome. The
most important first. Sources: requirements K8, F1, H8.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from holdfast.core import terms
from holdfast.policy import passages, worklog
from holdfast.policy.keep import one_line


class Fact(NamedTuple):
    """One thing that must survive."""

    kind: str
    """goal, request, constraint, correction, approval, step, plan, cancelled, error, failed, decision, test, commit,
    file."""
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


LIMITS = {"constraint": 20, "correction": 12, "decision": 12, "failed": 8, "cancelled": 8, "approval": 4}
"""How many of each kind count, the newest."""
FILES = 5
PLAN = {"planned": 15, "in progress": 5, "done": 8, "cancelled": 8}
CHARS = 400
KEYS = 6
STATES = {"completed": "done", "in_progress": "in progress", "pending": "planned", "cancelled": "cancelled"}
NUMBER = re.compile(r"(?<![\w.#-])\d+(?:[.,]\d+)*%?(?![\w.-]*\w)|(?<![\w.#-])\d+(?:\.\d+)?(?:ms|s|m|h|[KMG]i?B?)\b")
_QUOTED = re.compile(r"`([^`\n]{3,60})`|\"([^\"\n]{3,60})\"")
_HASH = re.compile(r"\b[0-9a-f]{7,40}\b")
_INSTEAD = re.compile(r"(?i)\b(?:instead of|rather than|no longer|not)\s+[`'\"]?([\w./-]*\d[\w./-]*|[\w-]+\.\w{1,5})")


def critical(work: dict[str, Any], agents: dict[str, Any]) -> list[Fact]:
    """The facts of a session's state (`worklog`) and of its orchestrator's, the most important first."""
    noted = _notes(work)
    found = [
        *_said(work),
        *noted["constraint"],
        *noted["correction"],
        *(fact._replace(kind="constraint") for fact in noted["cancelled"]),  # said once, and no item of the plan
        *_plan(work),
        *_errors(work),
        *noted["failed"],
        *noted["decision"],
        *_agents(agents),
        *noted["approval"],
        *_outcomes(work),
        *_files(work),
    ]
    return [fact for fact in found if fact.keys or words(fact)]  # "go on" has nothing to be known again by


def keys_of(text: str) -> tuple[str, ...]:
    """Names, quoted words and numbers of a text; where there are none, its longest words."""
    names = [terms.basename(path) for path in terms.paths(text)]
    quoted = [one or other for one, other in _QUOTED.findall(text) if len((one or other).split()) <= 4]
    numbers = [number for number in NUMBER.findall(text) if len(number) > 1]
    found = list(dict.fromkeys([*names, *terms.identifiers(text), *quoted, *numbers]))
    if found:
        return tuple(key for key in found if not any(key != other and key in other for other in found))[:KEYS]
    words = sorted(set(re.findall(r"[^\W\d_]{5,}", text)), key=lambda word: (-len(word), word))
    return tuple(words[:KEYS])


def known_names(work: dict[str, Any]) -> frozenset[str]:
    """Base names of all files that the record names anywhere: what a text may rightly name."""
    prompts = [_prompt(prompt) for prompt in work["prompts"]]
    notes = [str(note.get("text")) for note in work.get("notes") or ()]
    told = [work["goal"], work["said"], *prompts, *notes, *(work.get("commands") or ()), *(work.get("terms") or ())]
    named = (path for text in told for path in terms.paths(str(text)))
    return frozenset(terms.basename(path) for path in (*work["read"], *work["changed"], *named))


def _prompt(prompt: Any) -> str:
    return str(prompt.get("text") or "") if isinstance(prompt, dict) else str(prompt)


def _fact(kind: str, text: str, state: str = "", where: str = "", old: Iterable[str] = ()) -> Fact:
    line = one_line(text, CHARS)
    return Fact(kind, line, keys_of(line), state, where, tuple(old))


def _said(work: dict[str, Any]) -> list[Fact]:
    """Goal and latest request; an answer of a few words counts together with the question that it answers."""
    last = work["prompts"][-1] if work["prompts"] else ""
    asked = str(last.get("re") or "") if isinstance(last, dict) else ""
    request = " ".join(part for part in (asked, _prompt(last)) if part)
    found = [_fact("request", request)] if request and request[:200] != work["goal"][:200] else []
    return found + ([_fact("goal", work["goal"])] if work["goal"] else [])


def _notes(work: dict[str, Any]) -> dict[str, list[Fact]]:
    """By kind, the newest last. What binds the agent is only taken from the user's own words."""
    found: dict[str, list[Fact]] = {kind: [] for kind in LIMITS}
    for note in work.get("notes") or ():
        kind, text = note.get("kind"), str(note.get("text") or "")
        binding = kind in ("constraint", "correction", "approval", "cancelled")
        if kind in found and text and (note.get("by") == "user" or not binding):
            found[kind].append(_fact(kind, text, old=_replaced(kind, text)))
    return {kind: facts[-LIMITS[kind] :] for kind, facts in found.items()}


def _replaced(kind: str, text: str) -> tuple[str, ...]:
    return tuple(_INSTEAD.findall(text)) if kind == "correction" else ()


def _plan(work: dict[str, Any]) -> list[Fact]:
    """The step at hand, what is planned, cancelled, done, as the client's list has it; the newest of each."""
    planned = work.get("planned") or {}
    where = str(planned.get("path") or "")
    items = [(item["text"], STATES.get(item["status"], item["status"])) for item in worklog.plan(work)]
    found = []
    for state in ("in progress", "planned", "cancelled", "done"):
        kind = {"in progress": "step", "cancelled": "cancelled"}.get(state, "plan")
        texts = list(dict.fromkeys(text for text, its in items if its == state and text))
        chosen = texts[: PLAN[state]] if state == "planned" else texts[-PLAN[state] :]
        found += [_fact(kind, text, state, where) for text in chosen]
    return found


def _errors(work: dict[str, Any]) -> list[Fact]:
    return [
        Fact("error", one_line(error["what"], CHARS), keys_of(error["what"]), "open", _path(error["at"]))
        for error in work["errors"][-4:]
        if error["what"]
    ]


def _path(text: str) -> str:
    return text if "/" in text and " " not in text else ""


def _agents(agents: dict[str, Any]) -> list[Fact]:
    """What sub-agents decided, with the summary that holds the reason."""
    progress = agents.get("progress") or {}
    summaries = progress.get("summaries") or {}
    return [
        _fact("decision", f"{phase}: {decision}. {one_line(str(summaries.get(phase) or ''), 200)}")
        for phase, decision in list((agents.get("decisions") or {}).items())[-4:]
        if decision != "not stated"
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


def _files(work: dict[str, Any]) -> list[Fact]:
    paths = work["changed"][-FILES:][::-1]
    return [Fact("file", path, (terms.basename(path),), "changed", path) for path in paths]


def words(fact: Fact) -> frozenset[str]:
    """Its telling words."""
    return passages.telling(fact.text)
