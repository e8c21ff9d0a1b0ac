"""What `holdfast checkpoint --json` prints: a contract for programs. Hooks never import it."""

from typing import Any, get_args

from pydantic import BaseModel

from holdfast.checkpoint import model
from holdfast.checkpoint.model import StoredCheckpoint
from holdfast.handoff import orchestrator
from holdfast.worklog.model import Kind


class Saved(BaseModel, extra="forbid"):
    """`checkpoint save`."""

    version: int
    window: str
    path: str


class Row(BaseModel, extra="forbid"):
    """One checkpoint of `checkpoint list`; of a torn one nothing else is known."""

    version: int
    age: str = ""
    state: str = "torn"
    """newest, whole or torn."""
    reason: str = ""
    note: str = ""
    about: str = "passed over"
    time: str | None = None
    tasks: dict[str, int] | None = None
    """How many of each status."""
    path: str | None = None


class Listed(BaseModel, extra="forbid"):
    """`checkpoint list`."""

    session: str
    newest: int | None
    checkpoints: list[Row]


class Shown(BaseModel, extra="forbid"):
    """`checkpoint show`: a checkpoint under the names of W1."""

    window: str
    version: int
    session: str
    time: str
    reason: str
    note: str
    goal: str
    requests: list[str]
    constraints: list[str]
    tasks: dict[str, list[str]]
    """planned, in_progress, done, cancelled."""
    plan_file: dict[str, object] | None
    decisions: list[dict[str, str]]
    """text; by: user, assistant, or the phase of the sub-agent that took it."""
    open_issues: list[dict[str, Any]]
    """what; reproduce: the command or file that shows it, "" for none; tried: what was done since."""
    failed_approaches: list[str]
    learnings: list[str]
    todos: list[str]
    environment: dict[str, object]
    files: dict[str, list[str]]
    """changed, read: paths, oldest first."""
    tests: list[dict[str, object]]
    commits: list[str]
    approvals: list[str]
    instructions: list[str]
    summary: str
    path: str
    """Of its page."""


class Resumed(Shown):
    """`checkpoint resume`: what differs now and what came later as well, and the text to go on with."""

    drift: list[str]
    later: str
    environment_now: dict[str, object]
    text: str


def shown(saved: StoredCheckpoint, path: str) -> Shown:
    """A stored checkpoint by name; path: of its page."""
    work, phases = saved["work"], orchestrator.load(saved["agents"])["phases"]
    plan, prompts = work["planned"], [model.prompt_text(prompt) for prompt in work["prompts"]]
    errors = model.open_errors(work)
    marked = {kind: [mark for mark in work["marks"] if mark["kind"] == kind] for kind in get_args(Kind)}
    lines = {kind: list(dict.fromkeys(mark["text"] for mark in marks)) for kind, marks in marked.items()}
    left = [line["text"] for line in work["record"] if line["kind"] == "OPEN"]
    return Shown(
        window=saved["window"],
        version=saved["number"],
        session=saved["session"],
        time=saved["stamp"],
        reason=saved["reason"],
        note=model.note_of(saved),
        goal=model.task(work),
        requests=prompts,
        constraints=lines["rule"],
        tasks=model.tasks(work),
        plan_file={**plan} if plan["path"] or plan["text"] else None,
        decisions=[
            *({"text": mark["text"], "by": mark["by"]} for mark in marked["decision"]),
            *({"text": orchestrator.told(one), "by": by} for by, one in phases.items()),
        ],
        open_issues=[
            *({"what": one["what"], "reproduce": one["at"], "tried": one["tried"]} for one in errors),
            *({"what": text, "reproduce": "", "tried": []} for text in [*lines["bug"], *left]),
        ],
        failed_approaches=[
            *lines["failed"],
            *(f"the user refused {one['to']}" for one in work["prompts"] if one["source"] == "refusal"),
        ],
        learnings=lines["lesson"],
        todos=lines["todo"],
        environment={**saved["environment"]},
        files={"changed": work["changed"], "read": work["read"]},
        tests=[{**run} for run in work["tests"]],
        commits=work["commits"],
        approvals=[model.prompt_text(prompt) for prompt in work["prompts"] if prompt["source"] == "approval"],
        instructions=work["instructions"],
        summary=work["last_message"]["text"],
        path=path,
    )
