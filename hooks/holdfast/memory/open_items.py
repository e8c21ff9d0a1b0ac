"""What does a session leave open, and which of what was open has it seen to?

Rule: open are the bugs that were named and not fixed since, the commands and files that failed and have not worked
since, and the work itself: what is done, what remains, what blocks it. A failing check and a bug are grave, loss or
leak of data is critical, a tool's own words are untrusted. An issue of the memory is resolved when the command that
showed it works, or when somebody says that the bug of its number is fixed. Sources: requirements J1, J3, J6.
"""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.checkpoint import model
from holdfast.compaction import preservation
from holdfast.memory.draft import Draft, Said, draft, unmarked
from holdfast.memory.marked import marked
from holdfast.memory.record import Record
from holdfast.text import identifiers
from holdfast.text.lines import clip, one_line
from holdfast.transcript.commands import is_check, plainly, supersedes
from holdfast.worklog import plan

TEXT, LATEST, STEPS = 300, 200, 12
SEVERITIES = {"critical": 10, "high": 8, "medium": 6, "low": 4}
"""Severity of a bug -> importance."""
ERRORS = {"high": 7, "medium": 5}
"""Of what a tool reported."""
STATE_MARK = 7
_GRAVE = re.compile(
    r"\b(?:data loss|security|vulnerab\w+|corrupt\w*|leak(?:s|ed|ing)? (?:secrets?|keys?|tokens?))\b", re.IGNORECASE
)


def unfinished(work: Mapping[str, Any]) -> list[Draft]:
    """Open issues and the state of the work, for the end of a session."""
    drafts = [_bug(item, dict(work)) for item in preservation.notes(dict(work), "bug") if not _is_gone(item, work)]
    drafts += [_error(error, dict(work)) for error in work["errors"]]
    return [draft for draft in drafts if draft] + ([state(work)] if has_state(work) else [])


def _bug(item: preservation.Item, work: dict[str, Any]) -> Draft:
    severity = "critical" if _GRAVE.search(item.text) else item.level or "high"
    content = {
        "description": unmarked(item.text),
        "severity": severity,
    }
    return draft(Said("issue", SEVERITIES[severity], "assistant", ("bug",)), content, work)


def _is_gone(item: preservation.Item, work: Mapping[str, Any]) -> bool:
    """Whether a bug was said again later, or said to be fixed: then there is nothing open to remember."""
    spoken_of = bool(_FIXED.search(item.text)) and not _HEAD.match(item.text)  # "BUG-13 will be fixed by itself"
    fixed = spoken_of or _says_fixed(item.text) or _is_fixed(item.text, item.at, work)
    return fixed or bool(item.state) or plan.settled(dict(work), item.text)


def _is_fixed(text: str, since: int, work: Mapping[str, Any]) -> bool:
    """Whether somebody said after message `since` that the bug of this number is fixed."""
    named = _NUMBERED.findall(text)
    told = [str(said[2]) for said in work["sentences"] if isinstance(said, list) and len(said) > 2 and said[0] > since]
    told = [said for said in told if _says_fixed(said)]
    told += [str(commit) for commit in work["commits"] if _MENDS.search(str(commit))]
    return any(identifiers.occurs(name, said) for said in told for name in named)


def _says_fixed(text: str) -> bool:
    return bool(_FIXED.search(text)) and not _DENIED.search(text)


_HEAD = re.compile(r"\W*(?:BUG|ISSUE)\b[^:\n]{0,12}:")
_NUMBERED = re.compile(r"\b(?:BUG|ISSUE)-\d+\b")
_DENIED = re.compile(r"\b(?:not|never|cannot|no longer|once|until|if|when|\w+n't)\b", re.IGNORECASE)
_MENDS = re.compile(r"\b(?:fix|close|resolve|mend)(?:e?[sd])?\b", re.IGNORECASE)
_FIXED = re.compile(r"\b(?:fix(?:ed|es)|resolv(?:ed|es)|clos(?:ed|es)|solved|mended|repaired)\b", re.IGNORECASE)


def resolution(record: Record, work: Mapping[str, Any]) -> str:
    """Why an open issue of the memory is resolved by what this session did; "" when it is not."""
    if record.kind != "issue" or record.content["status"] != "open":
        return ""
    shown = str(record.content["reproduction_steps"])
    if shown and not any(error["at"] == shown for error in work["errors"]):
        for run in reversed(work["runs"]):
            if run["command"] == plainly(shown):
                return f"`{one_line(shown, 120)}` works" if run["ok"] else ""
            if run["ok"] and supersedes(run["command"], shown):
                return f"`{one_line(run['command'], 120)}` works"
        if any(fixed["at"] == shown for fixed in work["fixed"]):
            return f"`{one_line(shown, 120)}` works"
    said = f"{record.title} {record.content['description']}"
    return "a later session said so" if _is_fixed(said, 0, work) else ""


def _error(error: Mapping[str, Any], work: dict[str, Any]) -> Draft:
    """A command or file that failed and has not worked since, in the tool's own words."""
    severity = "high" if is_check(str(error["at"])) else "medium"
    content = {
        "description": clip(str(error["what"]), TEXT),
        "severity": severity,
        "reproduction_steps": str(error["at"]),
        "attempted_fixes": [str(done) for done in error.get("tried") or ()],
    }
    return draft(Said("issue", ERRORS[severity], "tool", ("error",)), content, work)


def has_state(work: Mapping[str, Any]) -> bool:
    """Whether there is work that somebody could go on with; a question and its answer leave the older state alone."""
    done = work["changed"] or work["todos"] or work["tasks"] or work["errors"] or work["commits"]
    return bool(done or _to_do(work) or marked(work, "next") or marked(work, "blocked"))


def _to_do(work: Mapping[str, Any]) -> list[str]:
    """What was marked as to do and is not settled."""
    noted = preservation.notes(dict(work), "todo")
    return [unmarked(item.text) for item in noted if not item.state and not plan.settled(dict(work), item.text)]


def state(work: Mapping[str, Any]) -> Draft:
    """Where the work stands: what is done, what remains, what blocks it, what comes next."""
    tasks = model.tasks(dict(work))
    left = [*tasks["in_progress"], *tasks["planned"]]
    share = 100 * len(tasks["done"]) // max(1, len(tasks["done"]) + len(left))
    steps = [step for step in marked(work, "next") if not plan.settled(dict(work), step)]
    following = [*tasks["in_progress"][:1], *_to_do(work)[-4:], *steps[:STEPS], *tasks["planned"][:2]]
    content = {  # of what blocks it only the command: the tool's own words stand in an issue, with their trust
        "task_description": _task(work),
        "completion_percentage": share,
        "substeps_completed": tasks["done"][-STEPS:],
        "substeps_remaining": left[:STEPS],
        "blockers": [
            *(f"{one_line(str(error['at']), 160)} fails" for error in work["errors"][-3:]),
            *marked(work, "blocked")[:3],
        ],
        "next_actions": list(dict.fromkeys(following)),
    }
    return draft(Said("state", STATE_MARK, "assistant"), content, work)


def _task(work: Mapping[str, Any]) -> str:
    """The first request, and the newest where it is one of its own and no answer."""
    goal = clip(" ".join(str(work["goal"]).split()), TEXT)
    newest = work["prompts"][-1] if len(work["prompts"]) > 1 else {}
    latest = one_line(str(newest.get("text") or ""), LATEST) if not newest.get("re") else ""
    return " ".join(filter(None, (goal, f"(latest request: {latest})" if latest else ""))) or "no goal was stated"
