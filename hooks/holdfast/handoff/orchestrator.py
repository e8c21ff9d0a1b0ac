"""What must the orchestrator remember of its sub-agents' work?

A reducer: (state, return) -> state. Kept: the task, the phases with their summaries, the decisions, the files
changed, errors still open. Dropped: raw findings, searches, alternatives, resolved errors. The serialised
state stays within 2,000 tokens after any number of returns: older summaries shrink first, then the oldest
completed phases leave, decisions last. Source: requirement B4.
"""

import re
from typing import Any

from holdfast.handoff.model import Handoff
from holdfast.hot import jsonc
from holdfast.text import identifiers
from holdfast.text.lines import one_line
from holdfast.text.phrasing import leans
from holdfast.text.tokens import estimate

VERSION = 1
STATE_TOKENS = 2_000
SUMMARY_CHARS = 1_500  # about 500 tokens
SHRUNK_CHARS = 200
FILES, ERRORS = 20, 6
SPEC = re.compile(r"(?i)(spec|requirement|design|plan|rfc)[^/]*(/[^/]+)?\.(md|rst|txt|adoc)$")


def empty() -> dict[str, Any]:
    """The state before the first return."""
    return {
        "v": VERSION,
        "task": {"id": "", "feature": "", "spec_path": ""},
        "progress": {
            "current_phase": "",
            "completed_phases": [],
            "summaries": {},
            "files_changed": [],
            "reports": {},
        },
        "decisions": {},
        "open_errors": [],
        "kept_out": {"returns": 0, "tokens_before": 0, "tokens_after": 0},
    }


def load(data: dict[str, Any]) -> dict[str, Any]:
    """A stored state; the empty one when it is of another version or damaged."""
    fresh = empty()
    whole = data.get("v") == VERSION and all(type(data.get(key)) is type(fresh[key]) for key in fresh)
    if not whole or any(type(data["progress"].get(key)) is not type(v) for key, v in fresh["progress"].items()):
        return fresh
    return {key: data[key] for key in fresh}


def absorb(state: dict[str, Any], phase: str, handoff: Handoff, sizes: tuple[int, int], report: str) -> dict[str, Any]:
    """The state after one return.

    phase: the name under which it is filed (the handoff's own phase, else the agent's task); sizes: tokens of the
    report and of what the parent received; report: path of the full report, "" when there is none.
    """
    old = state["progress"]
    name = one_line(handoff.phase or phase or "work", 60)
    summary = one_line(_DECISION_LINE.sub("", handoff.context_summary), SUMMARY_CHARS)
    progress = {
        "current_phase": name,
        "completed_phases": [*(p for p in old["completed_phases"] if p != name), name],
        "summaries": {**{k: v for k, v in old["summaries"].items() if k != name}, name: summary},
        "files_changed": _newest([*old["files_changed"], *handoff.files_changed], FILES),
        "reports": {
            **{k: v for k, v in old["reports"].items() if k != name},
            **({name: report.rpartition("/")[2]} if report else {}),
        },
    }
    kept = state["kept_out"]
    new = {
        **state,
        "task": {**state["task"], "id": handoff.task_id or state["task"]["id"]},
        "progress": progress,
        "decisions": {
            **{k: v for k, v in state["decisions"].items() if k != name},
            name: handoff.decision or "not stated",
        },
        "open_errors": _newest([*state["open_errors"], *(one_line(e, 200) for e in _errors(handoff))], ERRORS),
        "kept_out": {
            "returns": kept["returns"] + 1,
            "tokens_before": kept["tokens_before"] + sizes[0],
            "tokens_after": kept["tokens_after"] + sizes[1],
        },
    }
    return bounded(new)


_DECISION_LINE = re.compile(r"^\s*Decision: *(?:PROCEED|STOP|CLARIFY)\b[.,:]? *")
"""The decision is filed by itself; what remains is its reason."""
_TELLS_OF_TROUBLE = re.compile(
    r"\b(\w*errors?|\w*exceptions?|fail\w*|bugs?|broken|crash\w*|panic\w*|missing|cannot|could not|wrong\w*|blocked)\b",
    re.IGNORECASE,
)


def _errors(handoff: Handoff) -> list[str]:
    """What is open and goes wrong, said so that it can stand alone; other open points are in the report."""
    return [error for error in handoff.errors if _TELLS_OF_TROUBLE.search(error) and not leans(error)]


def with_task(state: dict[str, Any], goal: str, prompt: str) -> dict[str, Any]:
    """The state with what the work is about: the user's goal, and the specification that an agent was given."""
    spec = next((path for path in identifiers.paths(prompt) if SPEC.search(path)), state["task"]["spec_path"])
    feature = state["task"]["feature"] or one_line(goal, 120)
    return {**state, "task": {**state["task"], "feature": feature, "spec_path": spec}}


def _newest(items: list[str], count: int) -> list[str]:
    return list(dict.fromkeys(reversed(items)))[:count][::-1]


def size(state: dict[str, Any]) -> int:
    """Tokens of the serialised state."""
    return estimate(jsonc.dumps(state))


def bounded(state: dict[str, Any]) -> dict[str, Any]:
    """The state within STATE_TOKENS: shrink old summaries, then drop the oldest phases."""
    progress = state["progress"]
    for phase in progress["completed_phases"][:-1]:
        if size(state) <= STATE_TOKENS:
            return state
        short = {**progress["summaries"], phase: one_line(progress["summaries"].get(phase, ""), SHRUNK_CHARS)}
        progress = {**progress, "summaries": short}
        state = {**state, "progress": progress}
    while size(state) > STATE_TOKENS and len(progress["completed_phases"]) > 1:
        oldest = progress["completed_phases"][0]
        progress = {
            **progress,
            "completed_phases": progress["completed_phases"][1:],
            "summaries": {k: v for k, v in progress["summaries"].items() if k != oldest},
            "reports": {k: v for k, v in progress["reports"].items() if k != oldest},
        }
        state = {**state, "progress": progress, "decisions": _without(state["decisions"], oldest)}
    return _last_resort(state)


def _without(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in mapping.items() if k != key}


def _last_resort(state: dict[str, Any]) -> dict[str, Any]:
    """Very long paths or errors: cut lists until the state fits."""
    while size(state) > STATE_TOKENS:
        progress = state["progress"]
        longest = max(len(progress["files_changed"]), len(state["open_errors"]))
        if longest == 0 and not any(progress["summaries"].values()):
            return state
        if longest == 0:
            short = {k: v[: len(v) // 2] for k, v in progress["summaries"].items()}
            state = {**state, "progress": {**progress, "summaries": short, "reports": {}}}
        elif len(progress["files_changed"]) >= len(state["open_errors"]):
            state = {**state, "progress": {**progress, "files_changed": progress["files_changed"][1:]}}
        else:
            state = {**state, "open_errors": state["open_errors"][1:]}
    return state


def summary_lines(state: dict[str, Any], reports: str, phases: int = 6) -> list[str]:
    """The state for a reader: one line per phase, newest last, then files and open errors.

    reports: the folder of the full reports; the state holds their names only.
    """
    progress, task = state["progress"], state["task"]
    lines = [f"- task: {text}" for text in (", ".join(filter(None, (task["id"], task["spec_path"]))),) if text]
    for phase in progress["completed_phases"][-phases:]:
        decision, report = state["decisions"].get(phase, ""), progress["reports"].get(phase, "")
        where = f" (full report: {reports}/{report})" if report else ""
        lines.append(f"- {phase}: {decision}. {one_line(progress['summaries'].get(phase, ''), 400)}{where}")
    if progress["files_changed"]:
        lines.append(f"- files changed by agents: {', '.join(progress['files_changed'])}")
    lines += [f"- open error: {error}" for error in state["open_errors"]]
    return lines


def present_slice(state: dict[str, Any], reports: str, chars: int = 700) -> str:
    """What a new sub-agent should know of the work so far; "" when there is nothing."""
    return "\n".join(_within(summary_lines(state, reports, 3), chars))


def _within(lines: list[str], chars: int) -> list[str]:
    taken = []
    for line in lines:
        chars -= len(line) + 1
        if chars < 0:
            break
        taken.append(line)
    return taken
