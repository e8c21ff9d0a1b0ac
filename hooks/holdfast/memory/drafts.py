"""What of a session becomes a record?

Rule: the lines that somebody marked (RULE, DECISION, Lesson, FAILED, BUG, TODO; worklog/marks.py) in their own words,
the plan by its state, and the checks that fail. Nothing is taken from other prose. A decision, a lesson and a failed
attempt hold whatever becomes of the task; the rest is what is open at the end. A RULE is the user's word where the user
has marked it, or where its quoted words stand in a prompt of the user's, and then only those words are kept; else it is
a note of the assistant's. A bug is seen to when a commit or a finished item of the plan names its number; a failing
check when it has passed. Sources: requirements J1, J2, J3, J4.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from holdfast.memory.record import Record, first
from holdfast.text import identifiers
from holdfast.text.lines import clip, one_line
from holdfast.transcript.commands import is_check, plainly, supersedes
from holdfast.worklog import plan
from holdfast.worklog.model import Worklog

"""The worklog of a session."""
Draft = dict[str, Any]
"""Fields of a record that follow from what was marked: kind, title, content, tags, importance, trust, agent, paths."""
TITLE, CONTEXT, PATHS, TAGS, STEPS, TASK, LATEST = 100, 160, 8, 6, 12, 300, 200
TRUST = {"user": "trusted", "assistant": "semi_trusted", "tool": "untrusted"}
"""Who said it -> how far it is trusted."""
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|「([^」\n]+)」|`([^`\n]+)`")
_NUMBER = re.compile(r"[A-Z]+-\d[\w-]*(?=:)")


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
}
"""Kind of mark -> its record."""
_RULE, _NOTE = _Sort("decision", 9, 9, "rule"), _Sort("learning", 5, 5, "rule")


def lasting(work: Worklog) -> list[Draft]:
    """What holds whatever becomes of the task, oldest first."""
    marks = (mark for mark in work["marks"] if mark["kind"] in ("rule", "decision", "lesson", "failed"))
    return [one for mark in marks if (one := _rule(mark, work) if mark["kind"] == "rule" else _marked(mark, work))]


def unfinished(work: Worklog) -> list[Draft]:
    """What is open: bugs, failing checks, and the state of the work where there is more to it than a prompt."""
    bugs = [_marked(mark, work) for mark in work["marks"] if mark["kind"] == "bug" and not _seen_to(mark["text"], work)]
    checks = [_check(error, work) for error in work["errors"] if is_check(str(error["at"]))]
    return [one for one in (*bugs, *checks, state(work)) if one]


def standing_words(text: str, prompts: Iterable[Mapping[str, Any]]) -> str:
    """The words of a rule that the user has said: those in quotes, else all; "" where not all stand in a prompt."""
    words = ["".join(parts) for parts in _QUOTED.findall(text)] or [text]
    said = [_folded(str(prompt["text"])) for prompt in prompts]
    return "; ".join(words) if all(any(_folded(one) in prompt for prompt in said) for one in words) else ""


def resolution(record: Record, work: Worklog) -> str:
    """Why an open issue of the memory is resolved by what this session did; "" when it is not."""
    if record.kind != "issue" or record.content["status"] != "open":
        return ""
    shown = str(record.content["reproduction_steps"])
    if shown and not any(error["at"] == shown for error in work["errors"]):
        for run in reversed(work["runs"]):
            if run["command"] == plainly(shown) or (run["ok"] and supersedes(run["command"], shown)):
                return f"`{one_line(run['command'], 120)}` works" if run["ok"] else ""
    return _seen_to(first("issue", record.content), work)


def state(work: Worklog) -> Draft:
    """Where the work stands; {} where neither a plan, nor a TODO, nor a failing check says more than the prompts."""
    groups: dict[str, list[str]] = {}
    for item in plan.items(work):
        groups.setdefault(item["status"], []).append(item["text"])
    done, active = groups.get("completed", []), groups.get("in_progress", [])
    left = [*active, *groups.get("pending", [])]
    noted = [mark["text"] for mark in work["marks"] if mark["kind"] == "todo" and mark["text"] not in done]
    failing = [f"{one_line(str(error['at']), CONTEXT)} fails" for error in work["errors"] if is_check(str(error["at"]))]
    if not (done or left or noted or failing):
        return {}
    content = {  # of what blocks it only the command: the tool's own words stand in an issue, with their trust
        "task_description": _task(work),
        "completion_percentage": 100 * len(done) // max(1, len(done) + len(left)),
        "substeps_completed": done[-STEPS:],
        "substeps_remaining": left[:STEPS],
        "blockers": failing[-3:],
        "next_actions": list(dict.fromkeys([*active[:1], *noted[-STEPS:]])),
    }
    return _draft(_Sort("state", 7, 7), content, "assistant")


def _task(work: Worklog) -> str:
    """The first request, and the newest where it is another one."""
    asked = [str(prompt["text"]) for prompt in work["prompts"] if prompt["text"]]
    latest = f" (latest request: {one_line(asked[-1], LATEST)})" if len(asked) > 1 else ""
    return one_line(asked[0], TASK) + latest if asked else "no request is known"


def _rule(mark: Mapping[str, Any], work: Worklog) -> Draft:
    text, by_user = str(mark["text"]), mark["by"] == "user"
    said = text if by_user else standing_words(text, work["prompts"])
    if said:
        content = {"decision": said, "rationale": "", "context": "laid down by the user"}
        return _draft(_RULE, content, "user")
    return _draft(_NOTE, {"lesson": text, "context": _context(work)}, "assistant")


def _marked(mark: Mapping[str, Any], work: Worklog) -> Draft:
    sort, text = _MARKS[str(mark["kind"])], str(mark["text"])
    if sort.kind == "issue":
        return _draft(sort, {"description": text, "severity": "high"}, str(mark["by"]))
    name = "decision" if sort.kind == "decision" else "lesson"
    return _draft(sort, {name: text, "context": _context(work)}, str(mark["by"]))


def _check(error: Mapping[str, Any], work: Worklog) -> Draft:
    """A check that fails, in the tool's own words."""
    content = {
        "description": clip(str(error["what"]), TASK),
        "severity": "high",
        "reproduction_steps": str(error["at"]),
        "attempted_fixes": [str(done) for done in error.get("tried") or ()],
    }
    return _draft(_Sort("issue", 7, 7, "error"), content, "tool")


def _draft(sort: _Sort, content: Mapping[str, Any], by: str) -> Draft:
    """The draft; {} when its first field says nothing."""
    says = first(sort.kind, content)
    if not any(map(str.isalnum, says)):
        return {}
    named = [*identifiers.paths(says), *identifiers.identifiers(says)][:PATHS]
    tags = [identifiers.basename(name).partition(".")[0].lower() for name in named]
    return {
        "kind": sort.kind,
        "title": one_line(says, TITLE),
        "content": dict(content),
        "tags": list(dict.fromkeys([*([sort.tag] if sort.tag else []), *tags]))[:TAGS],
        "importance": sort.users if by == "user" else sort.assistants,
        "trust": TRUST.get(by, "untrusted"),
        "agent": by,
        "paths": named,
    }


def _context(work: Worklog) -> str:
    """What was worked on when it was said."""
    asked = one_line(str(work["prompts"][0]["text"]), CONTEXT) if work["prompts"] else ""
    return f'while at work on: "{asked}"' if asked else ""


def _seen_to(text: str, work: Worklog) -> str:
    """The commit or the finished item of the plan that names the number in front of this; "" for none."""
    number = _NUMBER.match(text)
    if not number:
        return ""
    done = (item["text"] for item in plan.items(work) if item["status"] == "completed")
    told = (*((f"commit {one}", str(one)) for one in work["commits"]), *((f"done: {one}", one) for one in done))
    return next((one_line(why, CONTEXT) for why, said in told if identifiers.occurs(number[0], said)), "")


def _folded(text: str) -> str:
    return " ".join(text.split())
