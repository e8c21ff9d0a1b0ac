"""The state of a session's work, typed: what worklog/fold.py builds and what the other rooms read.

One JSON object on disk. Everything in it is taken from the structure of the client's rows: nothing is inferred from
prose, and words stand as they were said, cut where they are long. Lists are oldest first and bounded. `n` is the number
of a message. Sources: requirements W1, W2.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypedDict, cast, get_args, get_origin

VERSION = 4

Source = Literal["typed", "command", "answer", "refusal", "approval"]
Kind = Literal["rule", "decision", "todo", "bug", "lesson", "failed"]
Speaker = Literal["user", "assistant"]
Standing = Literal["", "written", "proposed", "approved", "refused"]


class Prompt(TypedDict):
    """Words of the user's own."""

    n: int
    text: str
    """Verbatim; of a long one the beginning and how many characters are missing. An approval without words is ""."""
    source: Source
    """typed; a slash command with its arguments; the chosen option; what was said with a refusal or an approval."""
    to: str
    """What an answer, a refusal or an approval is about: the question, the refused call, the plan; else ""."""


class Mark(TypedDict):
    """A line of its own that its author marked: RULE: …, DECISION: …, TODO: …, BUG-7: …, Lesson: …, FAILED: …"""

    kind: Kind
    text: str
    """Without the mark; a number of the mark's own ("BUG-7", "DEC-2026-01-30-001") stays in front."""
    by: Speaker
    n: int


class Message(TypedDict):
    """Words of the assistant's, verbatim; beginning and end where they are long."""

    n: int
    text: str


class PlanItem(TypedDict):
    """An item of the client's to-do or task list; status: pending, in_progress, completed, cancelled or another."""

    text: str
    status: str


class Plan(TypedDict):
    """A plan that was put before the user, or that stands in a plan file; state "" where there is none."""

    path: str
    text: str
    """Its headings and boxes to tick; of a plan without any its beginning."""
    state: Standing


class Run(TypedDict):
    """A command's last run."""

    command: str
    ok: bool
    exit: int | None
    """As the client told it; None where it did not."""
    end: str
    """Last line of what it printed, "" for none."""
    n: int
    times: int
    """How often this very command was run."""


class OpenError(TypedDict):
    """A command or a change that failed and has not worked since."""

    at: str
    """The command, or the path."""
    what: str
    """The last lines of what was printed."""
    n: int
    tried: list[str]
    """What was changed meanwhile."""


class FixedError(TypedDict):
    """An error whose command or file works again; by: the edits that came before, "" for none."""

    at: str
    what: str
    by: str


class Edit(TypedDict):
    """What was done to a file; plus, minus: lines put in and taken out, as far as the client told."""

    times: int
    created: bool
    plus: int
    minus: int


class Call(TypedDict):
    """A call without a result yet; about: the command, path, question … that it is about."""

    tool: str
    about: str


class Refused(TypedDict):
    """A call that the user did not let run, by the client's own mark; why: the user's words, "" for none."""

    tool: str
    about: str
    why: str
    n: int


class Boundary(TypedDict):
    """A compaction; before, after: tokens."""

    id: str
    n: int
    time: str
    trigger: str
    before: int | None
    after: int | None


class Worklog(TypedDict):
    """The whole state."""

    v: int
    offset: int
    """Bytes of the transcript that are folded in."""
    skipped: int
    """Lines that were no JSON object."""
    left_out: int
    """Bytes of a long transcript that were not read (worklog/reader.py)."""
    messages: int
    window: int
    """Compactions so far."""
    prompts: list[Prompt]
    """The first one always stays."""
    marks: list[Mark]
    last_message: Message
    before: Message
    """What the assistant had said last when the newest prompt came."""
    todos: list[PlanItem]
    """TodoWrite's list as it stands."""
    tasks: dict[str, PlanItem]
    """TaskCreate's, by the client's number."""
    left_over: list[str]
    """Items that vanished from the list before they were finished."""
    planned: Plan
    read: list[str]
    changed: list[str]
    edits: dict[str, Edit]
    """By path."""
    runs: list[Run]
    """Distinct commands, the last run newest."""
    tests: list[Run]
    """Runs of tests, each of them."""
    errors: list[OpenError]
    fixed: list[FixedError]
    commits: list[str]
    """Hash and subject."""
    dirty: bool
    """Files were changed since the last commit of this session."""
    instructions: list[str]
    """Instruction files and skills that are loaded."""
    refused: list[Refused]
    boundaries: list[Boundary]
    open_calls: dict[str, Call]
    model: str
    branch: str
    folder: str
    client: str
    """The client's version."""


def empty() -> Worklog:
    """The state before the first row."""
    blanks = {key: _blank(kind) for key, kind in Worklog.__annotations__.items()}
    silence, no_plan = Message(n=0, text=""), Plan(path="", text="", state="")
    nothing = {"last_message": silence, "before": silence, "planned": no_plan}
    return cast("Worklog", {**blanks, **nothing, "v": VERSION})


def _blank(kind: Any) -> Any:
    origin: Any = get_origin(kind)
    return (origin or kind)()


def load(data: Mapping[str, object]) -> Worklog:
    """A stored state, or the empty one when it is of another version or damaged: the transcript is then read anew."""
    fresh = empty()
    if data.get("v") != VERSION or not all(_fits(key, data.get(key), value) for key, value in fresh.items()):
        return fresh
    return cast("Worklog", {key: data[key] for key in fresh})


def _fits(key: str, value: object, blank: object) -> bool:
    """Whether a value is of its key's type, and so is each entry of a list or a mapping."""
    inner = get_args(Worklog.__annotations__[key])
    if type(value) is not type(blank) or not inner:
        return type(value) is type(blank)
    entries = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if inner[-1] is str:
        return all(isinstance(one, str) for one in entries)
    return all(isinstance(one, dict) and inner[-1].__required_keys__ <= one.keys() for one in entries)


def first_prompt(work: Worklog) -> str:
    """What the user began with, "" before anything was said. Later prompts may have changed the aim."""
    return work["prompts"][0]["text"] if work["prompts"] else ""
