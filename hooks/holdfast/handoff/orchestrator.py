"""What must the orchestrator remember of its sub-agents' work?

A reducer: (state, return) -> state. Kept: the task, the phases with their summaries, the decisions, the files changed,
errors still open. Dropped: raw findings, searches, alternatives, resolved errors. The serialised state stays within
2,000 tokens after any number of returns: older summaries shrink first, then the oldest completed phases leave with what
belongs to them, lists last. Source: requirement B4.
"""

from collections.abc import Container, Mapping, Sequence
from itertools import chain, count
from typing import Any, TypedDict

from holdfast import TYPE_CHECKING
from holdfast.handoff.decision import DECISIONS
from holdfast.handoff.structure import DASHES
from holdfast.hot import jsonc
from holdfast.hot.paths import InSession
from holdfast.text import identifiers
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate

if TYPE_CHECKING:  # a compaction needs the state alone
    from holdfast.handoff.model import Handoff
    from holdfast.session.context import Session


class Most:
    """What the state may hold."""

    TOKENS = 2_000
    SUMMARY_CHARS = 1_500  # about 500 tokens
    FILES, ERRORS = 20, 6


class Task(TypedDict):
    """What the work is about; feature: the user's goal, on one line; "" where nobody said."""

    id: str
    feature: str
    spec_path: str


class Phase(TypedDict):
    """What one agent returned last. Each text is one line; report: which of its files is the full one, "" for none."""

    agent: str  # its id, as its files are named
    decision: str  # PROCEED, STOP, CLARIFY, the report's own words, or "no decision stated"
    summary: str
    report: str


class KeptOut(TypedDict):
    """What the returns would have cost and what they did cost, in tokens."""

    returns: int
    tokens_before: int
    tokens_after: int


class OrchestratorState(TypedDict):
    """The whole state, one JSON object on disk; the newest is last. Phases have the handoff's name, or the parent's;
    of two agents with the same one the later has both, or a number.
    """

    v: int
    task: Task
    phases: dict[str, Phase]
    files_changed: list[str]
    open_errors: dict[str, str]
    """Each with the phase that told it."""
    kept_out: KeptOut


def empty() -> OrchestratorState:
    """The state before the first return."""
    return OrchestratorState(
        v=4,
        task=Task(id="", feature="", spec_path=""),
        phases={},
        files_changed=[],
        open_errors={},
        kept_out=KeptOut(returns=0, tokens_before=0, tokens_after=0),
    )


def state_of(session: "Session") -> OrchestratorState:
    """The state of a session."""
    return load(session.read(InSession.ORCHESTRATOR))


def load(data: Mapping[str, Any]) -> OrchestratorState:
    """A stored state; the empty one when it is of another version or damaged."""
    fresh = empty()
    alike = _alike(data, {**fresh, "files_changed": [""]}) and _alike([*data["open_errors"].values()], [""])
    phase = Phase(agent="", decision="", summary="", report="")
    alike = alike and all(_alike(one, phase) for one in data["phases"].values())
    return OrchestratorState(**{key: data[key] for key in fresh}) if alike else fresh  # type: ignore[typeddict-item]


def _alike(data: Any, shape: Any) -> bool:
    """Whether what was read has the keys and types of `shape`; of a list all entries those of its only one."""
    if type(data) is not type(shape):
        return False
    if isinstance(shape, dict):
        return all(_alike(data.get(key), value) for key, value in shape.items())
    if isinstance(shape, list):
        return all(_alike(entry, shape[0]) for entry in data)
    return isinstance(shape, str) or shape in (0, data)  # of a number not 0 its value: the version


def absorb(
    state: OrchestratorState, by: tuple[str, str], handoff: "Handoff", sizes: tuple[int, int], report: str
) -> OrchestratorState:
    """The state after one return; `state` stays as it is.

    by: the agent's id, as its files are named, and the parent's name for its work; sizes: tokens of the report and of
    what the parent received; report: path of the full report, "" when there is none.
    """
    agent, work = by
    others = {known: one for known, one in state["phases"].items() if one["agent"] != agent}
    name = _name(handoff.phase, work, others)
    decision = one_line(handoff.decision, 80)
    came = Phase(
        agent=agent,
        decision=decision or "no decision stated",
        summary=one_line(_reason(handoff.context_summary, decision), Most.SUMMARY_CHARS),
        report=report.rpartition("/")[2].removeprefix(f"{agent}.").removesuffix(".md"),
    )
    task, kept, told = state["task"], state["kept_out"], state["open_errors"]
    errors = _newest([*told], handoff.errors, Most.ERRORS)
    return _bounded(
        OrchestratorState(
            v=state["v"],
            task={**task, "id": one_line(handoff.task_id, 80) or task["id"]},
            phases={**others, name: came},
            files_changed=_newest(state["files_changed"], handoff.files_changed, Most.FILES),
            open_errors={error: told.get(error, name) for error in errors},
            kept_out=KeptOut(
                returns=kept["returns"] + 1,
                tokens_before=kept["tokens_before"] + sizes[0],
                tokens_after=kept["tokens_after"] + sizes[1],
            ),
        )
    )


def _name(phase: str, work: str, others: Container[str]) -> str:
    """Of a phase that came back: one that no other agent's has, or its STOP would be gone behind a PROCEED."""
    name = one_line(phase or work or "work", 60)
    both = one_line(f"{name}: {work}", 60) if phase and work else name
    numbered = (f"{both} {number}" for number in count(2))
    return next(one for one in chain((name, both), numbered) if one not in others)


def _reason(summary: str, decision: str) -> str:
    """A summary without the label, and the keyword, that it states the decision with: that is filed by itself."""
    label, _, rest = summary.partition(":")
    rest = rest.lstrip("* ")
    if len(label) > 20 or not _begins(rest, decision):
        return summary
    return rest.removeprefix(decision).lstrip(f" *.,:;·{DASHES}") if decision in DECISIONS else rest


def is_bare(summary: str, decision: str) -> bool:
    """Whether a summary says no more than the decision."""
    return _reason(one_line(summary), decision).strip(" .…") in ("", decision.strip(" .…"))


def _begins(text: str, decision: str) -> bool:
    """Whether a text begins with a decision, which may have been cut; whatever marks either has."""
    marks = str.maketrans("", "", "*`_")
    flat, begins = (one.translate(marks).casefold() for one in (text, decision.rstrip(". …")))
    return bool(begins) and flat.startswith(begins)


def with_task(state: OrchestratorState, goal: str, prompt: str) -> OrchestratorState:
    """The state with what the work is about: the user's goal, and the specification that an agent was given."""
    task = state["task"]
    kinds, endings = ("spec", "requirement", "design", "plan", "rfc"), (".md", ".rst", ".txt", ".adoc")
    named = {path: "/".join(path.lower().split("/")[-2:]) for path in identifiers.paths(prompt)}
    specs = (path for path, name in named.items() if name.endswith(endings) and any(kind in name for kind in kinds))
    spec, goal = next(specs, task["spec_path"]), task["feature"] or one_line(goal, 120)
    return {**state, "task": Task(id=task["id"], feature=goal, spec_path=one_line(spec, 200))}


def _newest(known: list[str], more: tuple[str, ...], count: int) -> list[str]:
    """The last `count` entries, each a line of its own and once."""
    return list(dict.fromkeys(one_line(entry, 200) for entry in reversed((*known, *more))))[:count][::-1]


def size(state: OrchestratorState) -> int:
    """Tokens of the serialised state."""
    return estimate(jsonc.dumps(state))


def _bounded(state: OrchestratorState) -> OrchestratorState:
    """The state, its lists brought within its tokens: they are this caller's own."""
    phases, files, errors = state["phases"], state["files_changed"], state["open_errors"]
    for name, phase in list(phases.items())[:-1]:
        if size(state) > Most.TOKENS:
            phases[name] = {**phase, "summary": one_line(phase["summary"], 200)}
    while size(state) > Most.TOKENS:
        name, oldest = next(iter(phases.items()))
        if len(phases) > 1:
            del phases[name]
        elif len(errors) > len(files):
            del errors[next(iter(errors))]
        elif files:
            files.pop(0)
        elif oldest["summary"]:
            phases[name] = {**oldest, "summary": oldest["summary"][: len(oldest["summary"]) // 2]}
        else:  # task, name and decision, each of a bounded length
            break
    return state


def summary_lines(state: OrchestratorState, reports: str, phases: int = 6) -> list[str]:
    """The state for a reader: one line per phase, newest last, then files and open errors.

    reports: the folder of the full reports, "" where it is not known; the state holds their names only.
    """
    folder = f"{reports}/" if reports else ""
    named = ", ".join(filter(None, (state["task"]["id"], state["task"]["spec_path"])))
    lines = [f"- task: {named}"] if named else []
    if reports and len(state["phases"]) > phases:
        lines.append(f"- reports of agents before these: {reports}")
    for name, phase in list(state["phases"].items())[-phases:]:
        where = f" (full report: {folder}{report_of(phase)})" if phase["report"] else ""
        lines.append(f"- {name}: {told(phase, 400)}{where}")
    if state["files_changed"]:
        lines.append(f"- files changed by agents: {', '.join(state['files_changed'])}")
    return [*lines, *(f"- open error ({by}): {error}" for error, by in state["open_errors"].items())]


def returned_line(state: OrchestratorState, reports: str, ids: Sequence[str]) -> list[str]:
    """One line with these agents and where their reports are; none for none."""
    names = {phase["agent"]: name for name, phase in state["phases"].items()}
    each = "; ".join(f"{names.get(one, 'agent')} ({one})" for one in ids)
    after = f"Reports: {reports}/ID.report.md. Only a task sent to one after its return may be unfinished."
    return [f"- {each}. {after}"] if each else []


def report_of(phase: Phase) -> str:
    """The name of the file with the full report; "" for none."""
    return f"{phase['agent']}.{phase['report']}.md" if phase["report"] else ""


def told(phase: Phase, chars: int = 0) -> str:
    """Decision and summary, of so many characters at most; the decision once where the summary begins with its words.

    It ends with one stop, whatever it came with.
    """
    decision, summary = phase["decision"].rstrip(". "), one_line(phase["summary"], chars)
    if not decision.rstrip("…") or _begins(summary, decision):
        return summary
    return f"{decision}{'' if decision[-1] in '…!?' else '.'} {summary}".rstrip()


def present_slice(state: OrchestratorState, reports: str) -> str:
    """What a new sub-agent should know of the work so far; "" when there is nothing."""
    text = "\n".join(summary_lines(state, reports, 3))
    return text if len(text) <= 700 else text[:701].rpartition("\n")[0]
