"""What does a checkpoint say, by name?

Rule: every thing that W1 lists has a name of its own, taken from the recorded state and from nothing else. A task
stands in exactly one of planned, in progress, done and cancelled, as its last recorded status says; a status that is
not known counts as planned, never as done. Source: W1, W3.
"""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.checkpoint.trim import slim
from holdfast.handoff import orchestrator
from holdfast.worklog import criteria, fold

GROUPS = {"in_progress": "in_progress", "completed": "done", "cancelled": "cancelled"}
"""Status of a plan's item -> name of its group; all others are planned."""


def contents(work: dict[str, Any], agents: Mapping[str, Any], session: str) -> dict[str, Any]:
    """What of the work goes into the file: {window, work, agents, criteria}.

    session: its id; the window is named "<id>-<number>", counted from 1.
    """
    past = work.get("window")
    prompts = [work["goal"], *map(prompt_text, work["prompts"])]
    return {
        "window": f"{session}-{(past if isinstance(past, int) else len(work['boundaries'])) + 1}",
        "criteria": criteria.found(prompts),
        "work": slim(work),
        "agents": agents if orchestrator.load(agents)["kept_out"]["returns"] else {},
    }


def prompt_text(prompt: Any) -> str:
    """The words of one of the state's prompts; a short answer together with what it answers."""
    if not isinstance(prompt, dict):
        return str(prompt)
    to = f' (to: "{prompt["re"]}")' if prompt.get("re") else ""
    return f"{prompt.get('text') or ''}{to}"


def note_of(data: dict[str, Any]) -> str:
    """The note that was left with the checkpoint; "" for none."""
    note = data.get("note")
    return str(note.get("text") or "") if isinstance(note, dict) else ""


def carried(before: dict[str, Any]) -> dict[str, Any]:
    """The note of the checkpoint before, for the next one to carry on; {} when there is none.

    Note: only a note of one's own or none at all (a save by hand) ends it; its age is told with it.
    """
    text, note = note_of(before), before.get("note") or {}
    return {"number": before["number"], **note} if text else {}


def view(data: dict[str, Any]) -> dict[str, Any]:
    """A stored checkpoint under the names of W1; the contract of `holdfast checkpoint show --json`."""
    work = fold.load(data.get("work") or {})
    return {
        "window": str(data.get("window") or ""),
        "version": data["number"],
        "session": str(data.get("session") or ""),
        "time": str(data.get("stamp") or ""),
        "reason": str(data.get("reason") or ""),
        "note": note_of(data),
        "goal": work["goal"],
        "requests": [prompt_text(prompt) for prompt in work["prompts"]],
        "success_criteria": list(data.get("criteria") or ()),
        "constraints": _notes(work, "constraint", "correction", "cancelled"),
        "tasks": tasks(work),
        "plan_file": work.get("planned") or {},
        "decisions": [decision(text) for text in _notes(work, "decision")] + _agents_decisions(data),
        "open_issues": _issues(work),
        "failed_approaches": _notes(work, "failed"),
        "learnings": _notes(work, "learning"),
        "environment": data.get("environment") or {},
        "files": {"changed": work["changed"], "read": work["read"]},
        "tests": work["tests"],
        "commits": work["commits"],
        "approvals": _notes(work, "approval"),
        "instructions": list(work.get("instructions") or ()),
        "summary": work["said"],
    }


def tasks(work: dict[str, Any]) -> dict[str, list[str]]:
    """{planned, in_progress, done, cancelled}: the plan's items, each in one group."""
    groups: dict[str, list[str]] = {"planned": [], "in_progress": [], "done": [], "cancelled": []}
    for item in fold.plan(work):
        groups[GROUPS.get(item["status"], "planned")].append(item["text"])
    return groups


def _notes(work: dict[str, Any], *kinds: str) -> list[str]:
    return list(dict.fromkeys(note["text"] for note in work.get("notes") or () if note.get("kind") in kinds))


_WHY = re.compile(r"[,;:(]?\s*\b(?:because|so that|due to|reason:|the reason is)\s+", re.IGNORECASE)
_INSTEAD = re.compile(r"[,;(]?\s*\b(?:instead of|rather than)\s+", re.IGNORECASE)


def decision(text: str) -> dict[str, Any]:
    """{text, what, why, alternatives}: the whole, and its parts as far as the sentence gives them."""
    what, why = _split(_WHY, text)
    what, other = _split(_INSTEAD, what)
    if not other:
        why, other = _split(_INSTEAD, why)
    return {"text": text, "what": what, "why": why, "alternatives": [other] if other else []}


def _split(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    found = pattern.search(text)
    if not found or not text[: found.start()].strip():
        return text.strip(), ""
    return text[: found.start()].strip(" ,;(."), text[found.end() :].strip(" ,;).")


def _agents_decisions(data: dict[str, Any]) -> list[dict[str, Any]]:
    """What sub-agents decided, phase by phase."""
    state = orchestrator.load(data.get("agents") or {})
    summaries = state["progress"]["summaries"]
    return [
        {
            "text": f"{phase}: {name}. {summaries.get(phase, '')}",
            "what": f"{phase}: {name}",
            "why": summaries.get(phase, ""),
            "alternatives": [],
        }
        for phase, name in state["decisions"].items()
    ]


def _issues(work: dict[str, Any]) -> list[dict[str, Any]]:
    """Open errors with the command or file that shows them, then bugs that were named."""
    errors = [
        {"what": error["what"], "reproduce": error["at"], "tried": list(error.get("tried") or ())}
        for error in work["errors"]
    ]
    return errors + [{"what": text, "reproduce": "", "tried": []} for text in _notes(work, "bug")]
