"""What must the orchestrator remember of its sub-agents' work?

A reducer: (state, return) -> state. Kept: the task, the phases with their summaries, the decisions, the files changed,
errors still open. Dropped: raw findings, searches, alternatives, resolved errors. The serialised state stays within
2,000 tokens after any number of returns: older summaries shrink first, then the oldest completed phases leave with what
belongs to them, lists last. Source: requirement B4.
"""

import copy
from collections.abc import Mapping
from typing import Any, TypedDict

from holdfast.handoff.model import DECISIONS, Handoff
from holdfast.handoff.structure import DASHES
from holdfast.hot import jsonc
from holdfast.text import identifiers
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate

VERSION = 1
STATE_TOKENS = 2_000
SUMMARY_CHARS = 1_500  # about 500 tokens
FILES, ERRORS = 20, 6


class Task(TypedDict):
    """What the work is about; feature: the user's goal, on one line; "" where nobody said."""

    id: str
    feature: str
    spec_path: str


class Progress(TypedDict):
    """How far it is. Phases have the name that the handoff or the parent gave them, oldest first."""

    current_phase: str
    completed_phases: list[str]
    summaries: dict[str, str]
    files_changed: list[str]
    reports: dict[str, str]  # names of the full reports' files


class KeptOut(TypedDict):
    """What the returns would have cost and what they did cost, in tokens."""

    returns: int
    tokens_before: int
    tokens_after: int


class State(TypedDict):
    """The whole state, one JSON object on disk."""

    v: int
    task: Task
    progress: Progress
    decisions: dict[str, str]  # phase -> PROCEED, STOP, CLARIFY, the report's own words, or "not stated"
    open_errors: list[str]
    kept_out: KeptOut


def empty() -> State:
    """The state before the first return."""
    return State(
        v=VERSION,
        task=Task(id="", feature="", spec_path=""),
        progress=Progress(current_phase="", completed_phases=[], summaries={}, files_changed=[], reports={}),
        decisions={},
        open_errors=[],
        kept_out=KeptOut(returns=0, tokens_before=0, tokens_after=0),
    )


def load(data: Mapping[str, Any]) -> State:
    """A stored state; the empty one when it is of another version or damaged."""
    fresh = empty()
    return State(**{key: data[key] for key in fresh}) if _alike(data, fresh) else fresh  # type: ignore[typeddict-item]


def _alike(data: Any, shape: Any) -> bool:
    """Whether what was read has the keys and types of `shape`, as deep as that goes."""
    if not isinstance(shape, dict) or not isinstance(data, dict):
        return type(data) is type(shape) and (not isinstance(data, int) or shape in (0, data))
    return all(_alike(data.get(key), value) for key, value in shape.items())


def absorb(state: State, phase: str, handoff: Handoff, sizes: tuple[int, int], report: str) -> State:
    """The state after one return; `state` stays as it is.

    phase: the parent's name for the work, where the handoff names none; sizes: tokens of the report and of what the
    parent received; report: path of the full report, "" when there is none.
    """
    new = copy.deepcopy(state)
    progress, kept = new["progress"], new["kept_out"]
    name = one_line(handoff.phase or phase or "work", 60)
    _forget(new, name)
    progress["current_phase"] = name
    progress["completed_phases"].append(name)
    progress["summaries"][name] = one_line(_reason(handoff.context_summary), SUMMARY_CHARS)
    progress["files_changed"] = _newest([*progress["files_changed"], *handoff.files_changed], FILES)
    if report:
        progress["reports"][name] = report.rpartition("/")[2]
    new["task"]["id"] = one_line(handoff.task_id, 80) or new["task"]["id"]
    new["decisions"][name] = one_line(handoff.decision, 80) or "not stated"
    new["open_errors"] = _newest([*new["open_errors"], *(one_line(error, 200) for error in handoff.errors)], ERRORS)
    kept["returns"] += 1
    kept["tokens_before"] += sizes[0]
    kept["tokens_after"] += sizes[1]
    _bound(new)
    return new


def _forget(state: State, phase: str) -> None:
    """Take a phase out, with what belongs to it."""
    progress = state["progress"]
    progress["completed_phases"] = [name for name in progress["completed_phases"] if name != phase]
    for filed in (progress["summaries"], progress["reports"], state["decisions"]):
        filed.pop(phase, None)


def _reason(summary: str) -> str:
    """A summary without the keyword that it begins with: the decision is filed by itself."""
    stated = next((start for name in DECISIONS if summary.startswith(start := f"Decision: {name}")), "")
    return summary.removeprefix(stated).lstrip(f" .,:;·{DASHES}") if stated else summary


def with_task(state: State, goal: str, prompt: str) -> State:
    """The state with what the work is about: the user's goal, and the specification that an agent was given."""
    task = state["task"]
    spec = next((path for path in identifiers.paths(prompt) if _is_spec(path)), task["spec_path"])
    return {**state, "task": {**task, "feature": task["feature"] or one_line(goal, 120), "spec_path": spec}}


def _is_spec(path: str) -> bool:
    """Whether file or folder is named as a specification."""
    name = "/".join(path.lower().split("/")[-2:])
    named = any(word in name for word in ("spec", "requirement", "design", "plan", "rfc"))
    return named and name.endswith((".md", ".rst", ".txt", ".adoc"))


def _newest(items: list[str], count: int) -> list[str]:
    return list(dict.fromkeys(reversed(items)))[:count][::-1]


def size(state: State) -> int:
    """Tokens of the serialised state."""
    return estimate(jsonc.dumps(state))


def _bound(state: State) -> None:
    """Bring the state within STATE_TOKENS."""
    progress, errors = state["progress"], state["open_errors"]
    summaries, files = progress["summaries"], progress["files_changed"]
    for phase in progress["completed_phases"][:-1]:
        if size(state) > STATE_TOKENS:
            summaries[phase] = one_line(summaries.get(phase, ""), 200)
    while size(state) > STATE_TOKENS:
        if len(progress["completed_phases"]) > 1:
            _forget(state, progress["completed_phases"][0])
        elif files or errors:
            (files if len(files) >= len(errors) else errors).pop(0)
        elif any(summaries.values()):
            progress["reports"].clear()
            summaries.update({phase: text[: len(text) // 2] for phase, text in summaries.items()})
        else:
            return


def summary_lines(state: State, reports: str, phases: int = 6) -> list[str]:
    """The state for a reader: one line per phase, newest last, then files and open errors.

    reports: the folder of the full reports; the state holds their names only.
    """
    progress, task = state["progress"], state["task"]
    named = ", ".join(filter(None, (task["id"], task["spec_path"])))
    lines = [f"- task: {named}"] if named else []
    for phase in progress["completed_phases"][-phases:]:
        decision, report = state["decisions"].get(phase, ""), progress["reports"].get(phase, "")
        where = f" (full report: {reports}/{report})" if report else ""
        lines.append(f"- {phase}: {decision}. {one_line(progress['summaries'].get(phase, ''), 400)}{where}")
    if progress["files_changed"]:
        lines.append(f"- files changed by agents: {', '.join(progress['files_changed'])}")
    return [*lines, *(f"- open error: {error}" for error in state["open_errors"])]


def present_slice(state: State, reports: str, chars: int = 700) -> str:
    """What a new sub-agent should know of the work so far; "" when there is nothing."""
    text = "\n".join(summary_lines(state, reports, 3))
    return text if len(text) <= chars else text[: chars + 1].rpartition("\n")[0]
