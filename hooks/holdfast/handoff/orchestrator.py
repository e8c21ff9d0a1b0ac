"""What must the orchestrator remember of its sub-agents' work?

A reducer: (state, return) -> state. Kept: the task, the phases with their summaries, the decisions, the files changed,
errors still open. Dropped: raw findings, searches, alternatives, resolved errors. The serialised state stays within
2,000 tokens after any number of returns: older summaries shrink first, then the oldest completed phases leave with what
belongs to them, lists last. Source: requirement B4.
"""

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
SHRUNK_CHARS = 200
FILES, ERRORS = 20, 6
_SPEC_NAMES = ("spec", "requirement", "design", "plan", "rfc")
_SPEC_ENDS = (".md", ".rst", ".txt", ".adoc")


class Task(TypedDict):
    """What the work is about; "" where nobody said."""

    id: str
    feature: str
    """The user's goal, on one line."""
    spec_path: str


class Progress(TypedDict):
    """How far it is. Phases are filed under the name that the handoff or the parent gave them, oldest first."""

    current_phase: str
    completed_phases: list[str]
    summaries: dict[str, str]
    files_changed: list[str]
    reports: dict[str, str]
    """Names of the full reports' files."""


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
    decisions: dict[str, str]
    """Phase -> PROCEED, STOP, CLARIFY, the report's own words, or "not stated"."""
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
    """The state after one return.

    phase: the parent's name for the work, where the handoff names none; sizes: tokens of the report and of what the
    parent received; report: path of the full report, "" when there is none.
    """
    old, kept = state["progress"], state["kept_out"]
    name = one_line(handoff.phase or phase or "work", 60)
    stored = report.rpartition("/")[2]
    progress = Progress(
        current_phase=name,
        completed_phases=[*(p for p in old["completed_phases"] if p != name), name],
        summaries={**_without(old["summaries"], name), name: one_line(_reason(handoff.context_summary), SUMMARY_CHARS)},
        files_changed=_newest([*old["files_changed"], *handoff.files_changed], FILES),
        reports={**_without(old["reports"], name), **({name: stored} if stored else {})},
    )
    new = State(
        v=VERSION,
        task={**state["task"], "id": handoff.task_id or state["task"]["id"]},
        progress=progress,
        decisions={**_without(state["decisions"], name), name: one_line(handoff.decision, 80) or "not stated"},
        open_errors=_newest([*state["open_errors"], *(one_line(error, 200) for error in handoff.errors)], ERRORS),
        kept_out=KeptOut(
            returns=kept["returns"] + 1,
            tokens_before=kept["tokens_before"] + sizes[0],
            tokens_after=kept["tokens_after"] + sizes[1],
        ),
    )
    return bounded(new)


def _reason(summary: str) -> str:
    """A summary without the keyword that it begins with: the decision is filed by itself."""
    for name in DECISIONS:
        if summary.startswith(f"Decision: {name}"):
            return summary.removeprefix(f"Decision: {name}").lstrip(f" .,:;·{DASHES}")
    return summary


def with_task(state: State, goal: str, prompt: str) -> State:
    """The state with what the work is about: the user's goal, and the specification that an agent was given."""
    task = state["task"]
    spec = next((path for path in identifiers.paths(prompt) if _is_spec(path)), task["spec_path"])
    return {**state, "task": {**task, "feature": task["feature"] or one_line(goal, 120), "spec_path": spec}}


def _is_spec(path: str) -> bool:
    """Whether file or folder is named as a specification."""
    name = "/".join(path.lower().split("/")[-2:])
    return name.endswith(_SPEC_ENDS) and any(word in name for word in _SPEC_NAMES)


def _newest(items: list[str], count: int) -> list[str]:
    return list(dict.fromkeys(reversed(items)))[:count][::-1]


def _without(mapping: dict[str, str], key: str) -> dict[str, str]:
    return {k: v for k, v in mapping.items() if k != key}


def size(state: State) -> int:
    """Tokens of the serialised state."""
    return estimate(jsonc.dumps(state))


def bounded(state: State) -> State:
    """The state within STATE_TOKENS: shrink old summaries, drop the oldest phases, then cut lists and what is left."""
    for phase in state["progress"]["completed_phases"][:-1]:
        if size(state) <= STATE_TOKENS:
            return state
        summaries = state["progress"]["summaries"]
        short = {**summaries, phase: one_line(summaries.get(phase, ""), SHRUNK_CHARS)}
        state = {**state, "progress": {**state["progress"], "summaries": short}}
    while size(state) > STATE_TOKENS:
        smaller = _smaller(state)
        if smaller == state:
            return state
        state = smaller
    return state


def _smaller(state: State) -> State:
    """The state without its oldest phase; where there is one phase only, with a shorter list or summary."""
    progress, errors = state["progress"], state["open_errors"]
    if len(progress["completed_phases"]) > 1:
        oldest, *rest = progress["completed_phases"]
        left: Progress = {
            **progress,
            "completed_phases": rest,
            "summaries": _without(progress["summaries"], oldest),
            "reports": _without(progress["reports"], oldest),
        }
        return {**state, "progress": left, "decisions": _without(state["decisions"], oldest)}
    if progress["files_changed"] and len(progress["files_changed"]) >= len(errors):
        return {**state, "progress": {**progress, "files_changed": progress["files_changed"][1:]}}
    if errors:
        return {**state, "open_errors": errors[1:]}
    short = {phase: text[: len(text) // 2] for phase, text in progress["summaries"].items()}
    return {**state, "progress": {**progress, "summaries": short, "reports": {}}}


def summary_lines(state: State, reports: str, phases: int = 6) -> list[str]:
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
    return [*lines, *(f"- open error: {error}" for error in state["open_errors"])]


def present_slice(state: State, reports: str, chars: int = 700) -> str:
    """What a new sub-agent should know of the work so far; "" when there is nothing."""
    taken = []
    for line in summary_lines(state, reports, 3):
        chars -= len(line) + 1
        if chars < 0:
            break
        taken.append(line)
    return "\n".join(taken)
