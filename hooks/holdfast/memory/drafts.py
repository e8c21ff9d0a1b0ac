"""What of a session becomes a record, and what is worth one at all?

Rule: the lines that somebody marked (worklog/marks.py) in their own words, the plan by its state, and the checks that
fail; nothing is taken from other prose. A RULE is the user's word where the user has marked it, or where its quoted
words stand in a prompt of the user's, and then only those words are kept; else it is a note of the assistant's. A bug
is seen to when a commit or a finished item of the plan names its number, a critical one by a commit; a failing check
when it has passed.
Whoever gives it, a record is kept when it is durable, reusable and saves context, and has at least one tag.
Sources: requirements J1, J2, J3, J4, J10, N.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.checkpoint import model as checkpoint
from holdfast.memory.record import RULE, Record, first, texts
from holdfast.text import identifiers, redaction, tokens
from holdfast.text.lines import clip, one_line
from holdfast.transcript.commands import is_check, kinds, plainly, supersedes
from holdfast.worklog import fold, marks, plan, record
from holdfast.worklog.model import Mark, OpenError, Worklog

Draft = dict[str, Any]
"""Fields of a record that follow from what was marked: kind, title, content, tags, importance, trust, agent, paths."""
CONTEXT = 160
"""Most characters of what was worked on."""
TRUST = {"user": "trusted", "assistant": "semi_trusted", "tool": "untrusted"}
"""Who said it -> how far it is trusted."""


class _Sort(NamedTuple):
    """What a mark makes. importance: by who has marked it; 8 and more is kept for good, 5 to 7 for 30 days."""

    kind: str
    users: int
    assistants: int
    tag: str = ""


_MARKS: Mapping[str, _Sort] = {
    "decision": _Sort("decision", 9, 8),
    "lesson": _Sort("learning", 8, 8),
    "failed": _Sort("learning", 6, 6, "failed"),
    "bug": _Sort("issue", 8, 8, "bug"),
    "rule": _Sort("decision", 9, 9, RULE),
}
"""Kind of mark -> its record."""


def lasting(work: Worklog, rules: Sequence[str] = ()) -> list[Draft]:
    """What holds whatever becomes of the task, oldest first; rules: the user's that are kept, which no agent makes."""
    lasts = (mark for mark in work["marks"] if mark["kind"] in ("rule", "decision", "lesson", "failed"))
    made = (_rule(mark, work, rules) if mark["kind"] == "rule" else _marked(mark, work) for mark in lasts)
    return [one for one in made if one]


def unfinished(work: Worklog) -> list[Draft]:
    """What is open: bugs, failing checks, and the state of the work where there is more to it than a prompt."""
    bugs = [mark for mark in work["marks"] if mark["kind"] == "bug" and not _seen_to(mark["text"], work)]
    failing = [error for error in work["errors"] if is_check(error["at"])]
    return [one for one in (*_issues(bugs, failing, work), _state(work, failing)) if one]


def _issues(bugs: list[Mark], failing: list[OpenError], work: Worklog) -> Iterable[Draft]:
    """Of each bug and each failing check; a check of which all failing lines have a name of the bug only shows it."""
    left = list(failing)
    for mark in bugs:
        draft, names = _marked(mark, work), [*identifiers.identifiers(mark["text"]), *identifiers.paths(mark["text"])]
        for error in [one for one in left if draft and _is_named(names, one["what"])][:1]:
            left.remove(error)
            draft["content"].update(reproduction_steps=error["at"], attempted_fixes=error["tried"])
        yield draft
    yield from map(_check, left)


def _is_named(names: list[str], what: str) -> bool:
    lines = [line for line in what.split(" / ") if not line.startswith("=")]  # pytest's sum
    return bool(lines) and all(any(identifiers.occurs(name, line) for name in names) for line in lines)


def signs(commands: Iterable[str], texts: Iterable[str]) -> set[str]:
    """By which an open issue and the work that resolves it are brought together: kinds of commands, numbers.

    commands: by which it is shown, or that were run; texts: what it says first, or what names what was done.
    """
    numbers = (re.findall(r"(?<![A-Z])[A-Z]++-\d+", one) for one in texts)
    return set[str]().union(*map(kinds, filter(None, commands)), *numbers)


def resolution(record: Record, work: Worklog) -> str:
    """Why an open issue of the memory is resolved by what this session did; "" when it is not.

    Which issues are asked, capture.py says: for a further reason it must find them by it.
    """
    if record.kind != "issue" or record.content["status"] != "open":
        return ""
    shown = str(record.content["reproduction_steps"])
    if shown and not any(error["at"] == shown for error in work["errors"]):
        for run in reversed(work["runs"]):
            if run["command"] == plainly(shown) or (run["ok"] and supersedes(run["command"], shown)):
                return f"`{one_line(run['command'], 120)}` works" if run["ok"] else ""
    said = first("issue", record.content)
    ticked = (mark for mark in work["marks"] if mark["kind"] == "done" and one_line(mark["text"]) == one_line(said))
    if any(mark["by"] == "user" or record.trust != "trusted" for mark in ticked):
        return "marked as done"
    is_critical = record.content["severity"] == "critical"  # a plan that says "done" is no resolution of that
    return _seen_to(said, work, by_plan=not is_critical)


def finished(work: Worklog) -> list[str]:
    """The finished items of the plan."""
    return [item["text"] for item in plan.items(work) if item["status"] == "completed"]


def _state(work: Worklog, failing: list[OpenError]) -> Draft:
    """Where the work stands; {} where neither a plan, nor a TODO, nor a failing check says more than the prompts."""
    groups, most = dict[str, list[str]](), 12  # steps of each
    for item in plan.items(work):
        groups.setdefault(item["status"], []).append(item["text"])
    done, active = groups.get("completed", []), groups.get("in_progress", [])
    left = [*active, *groups.get("pending", [])]
    noted = [mark["text"] for mark in work["marks"] if mark["kind"] == "todo" and mark["text"] not in done]
    if not (done or left or noted or failing):
        return {}
    content = {  # of what blocks it only the command: the tool's own words stand in an issue, with their trust
        "task_description": checkpoint.title(work) or "no request is known",
        "completion_percentage": 100 * len(done) // max(1, len(done) + len(left)),
        "substeps_completed": done[-most:],
        "substeps_remaining": left[:most],
        "blockers": [f"{one_line(error['at'], CONTEXT)} fails" for error in failing[-3:]],
        "next_actions": list(dict.fromkeys([*active[:1], *noted[-most:]])),
    }
    return _draft(_Sort("state", 7, 7), content, "assistant")


def _rule(mark: Mark, work: Worklog, rules: Sequence[str]) -> Draft:
    text = mark["text"]
    said = text if mark["by"] == "user" else record.users_words(text, fold.words(work), marks.WHOLE)
    if said:
        content = {"decision": said, "rationale": "", "context": "laid down by the user"}
        return _draft(_MARKS["rule"], content, "user")
    if record.users_words(text, rules, marks.WHOLE):
        return {}
    return _draft(_Sort("learning", 5, 5, RULE), {"lesson": clip(text, 400), "context": _context(work)}, "assistant")


def _marked(mark: Mark, work: Worklog) -> Draft:
    sort, text = _MARKS[mark["kind"]], mark["text"]
    if sort.kind == "issue":
        return _draft(sort, {"description": text, "severity": "high"}, mark["by"])
    name = "decision" if sort.kind == "decision" else "lesson"
    return _draft(sort, {name: text, "context": _context(work)}, mark["by"])


def _check(error: OpenError) -> Draft:
    """A check that fails, in the tool's own words."""
    content = {
        "description": clip(error["what"], 300),
        "severity": "high",
        "reproduction_steps": error["at"],
        "attempted_fixes": error["tried"],
    }
    return _draft(_Sort("issue", 7, 7, "error"), content, "tool")


def _draft(sort: _Sort, content: Mapping[str, Any], by: str) -> Draft:
    """The draft; {} when its first field says nothing."""
    says = first(sort.kind, content)
    if not any(map(str.isalnum, says)):
        return {}
    named = [*identifiers.paths(says), *identifiers.identifiers(says)][:8]
    tags = [identifiers.basename(name).partition(".")[0].lower() for name in named]
    return {
        "kind": sort.kind,
        "title": one_line(record.first_sentence(says) if sort.tag == RULE else says, 100),
        "content": dict(content),
        "tags": list(dict.fromkeys([*([sort.tag] if sort.tag else []), *tags]))[:6],
        "importance": sort.users if by == "user" else sort.assistants,
        "trust": TRUST.get(by, "untrusted"),
        "agent": by,
        "paths": named,
    }


def _context(work: Worklog) -> str:
    """What was worked on when it was said."""
    asked = _asked(work)
    return f'while at work on: "{one_line(asked[0], CONTEXT)}"' if asked else ""


def _asked(work: Worklog) -> list[str]:
    """What the user asked, oldest first; lines that are marked are records of their own."""
    return [said for prompt in work["prompts"] if (said := marks.unmarked(prompt["text"]))]


def _seen_to(text: str, work: Worklog, by_plan: bool = True) -> str:
    """The commit or the finished item of the plan that names the number in front of this; "" for none."""
    number, colon, _ = text.partition(":")
    letters, _, digits = number.partition("-")
    is_number = letters.isascii() and letters.isalpha() and letters.isupper() and digits[:1].isdecimal()
    if not colon or not is_number or " " in number:
        return ""
    told = [(f"commit {one}", one) for one in work["commits"]]
    told += [(f"done: {one}", one) for one in finished(work)] if by_plan else []
    return next((one_line(why, CONTEXT) for why, said in told if identifiers.occurs(number, said)), "")


def rejection(record: Record) -> str:
    """Why this is no record, and what to write in its place; "" when it is worth keeping. Secrets are out already."""
    whole, most = "\n".join([record.title, *texts(record)]), 2_000
    if any(line.startswith(("diff --git ", "@@ -", "--- a/", "+++ b/")) for line in whole.splitlines()):
        return "it is a diff, which holds for a moment only: say what was changed for good, and why"
    if record.kind != "state" and tokens.estimate(whole) > most:
        return f"it has more than {most:,} tokens, so reading it saves nothing: keep the conclusion, and name the file"
    words = (word for word in redaction.without_marks(whole).lower().split() if any(map(str.isalpha, word)))
    if whole.isascii() and len(set(words)) < 2:  # other scripts than Latin have no blanks between words
        return "it says too little to be of use later: write a sentence, without secrets"
    if record.kind == "decision" and record.trust == "untrusted":
        return "a decision needs somebody who decided: what a tool or the web says is an issue or a learning"
    return ""


def tagged(record: Record) -> Record:
    """The record with tags: its own, else the names of files and of things in it, else its kind."""
    if record.tags:
        return record
    whole = " ".join([*record.paths, record.title, *texts(record)])
    names = [identifiers.basename(path) for path in identifiers.paths(whole)] + identifiers.identifiers(whole)
    found = dict.fromkeys(name.lower() for name in names if name[:1].isalnum() and len(name) <= 40)
    return record._replace(tags=tuple(found)[:5] or (record.kind,))
