"""The state of a session's work, typed: what worklog/fold.py builds and what the other rooms read.

One JSON object on disk, taken from the structure of the client's rows: nothing is inferred from prose, and words stand
as they were said, cut where they are long. Lists are oldest first. `n` numbers a message. Requirements W1, W2.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict, TypeVar, cast, get_args, get_origin

from holdfast.text import late as re
from holdfast.text.lines import one_line
from holdfast.transcript.check_runs import differ
from holdfast.transcript.commands import ends_as_one, runs_tests
from holdfast.transcript.outputs import passes, says_passed
from holdfast.worklog import spending
from holdfast.worklog.record import RecordLine

VERSION = 22

Source = Literal["typed", "command", "answer", "refusal", "approval"]
Kind = Literal["rule", "decision", "retold", "todo", "bug", "done", "lesson", "failed"]
"""retold: a decision of which only a summary tells."""
Speaker = Literal["user", "assistant"]
Standing = Literal["", "written", "proposed", "approved", "begun", "finished", "refused"]
"""begun: a list was made after the approval; finished: so is that list."""
Entry = TypeVar("Entry")


class Message(TypedDict):
    """Words of the assistant's, verbatim; beginning and end where they are long."""

    n: int
    text: str


class UserPrompt(Message):
    """Words of the user's own, verbatim; of long ones the two ends. An approval or a refusal may have none."""

    source: Source
    to: str
    """What an answer, a refusal or an approval is about: the question, the refused call, the plan; else ""."""
    at: NotRequired[str]
    """When, as the client's row says."""
    parent: NotRequired[str]
    """The client's id of the row before it."""
    own: NotRequired[str]
    """What of it are the user's own words, by paragraphs, where that is not all: of a chosen option ""."""


class TeamMessage(Message):
    """Words of another agent of the team, verbatim; they never stand for the user's."""

    name: str


class MarkedLine(Message):
    """A line that its author marked (marks.py), without the mark; one with a number ("BUG-7: ") stays in front."""

    kind: Kind
    by: Speaker
    quotes: NotRequired[str]
    """Of a rule of the assistant's in a checkpoint, whose prompts are cut: the user's sentence that it has words of."""
    first: NotRequired[int]
    """Number of the message that marked it first, where it was marked again."""
    over: NotRequired["MarkedLine"]
    """What was open until it was ticked off."""


class PlanItem(TypedDict):
    """An item of the client's to-do or task list; status: pending, in_progress, completed, cancelled or another."""

    text: str
    status: str
    note: NotRequired[str]
    """What the last change of its state said of it."""


class WorkPlan(TypedDict):
    """A plan that was put before the user or stands in a plan file, in outline; state "" where there is none."""

    path: str
    text: str
    state: Standing


class Run(TypedDict):
    """A command's last run; exit: as the client told it; end: the last line of what it printed, "" for none."""

    n: int
    command: str
    ok: bool
    exit: int | None
    end: str


class OpenError(TypedDict):
    """A command (or a path) that failed and has not worked since; what: the last lines of what was printed."""

    at: str
    what: str
    n: int
    tried: list[str]
    """What was changed since, or since the last command that may answer it."""
    ran: NotRequired[list[str]]
    """The last commands since that may be the same, or hold it, and how they ended, between what was changed for them:
    nobody can say more of it.
    """
    answered: NotRequired[bool]
    """One of them ended well, as far as anybody can tell."""
    tool: NotRequired[str]
    """Which failed."""


class FileEdits(TypedDict):
    """What was done to a file."""

    times: int
    created: bool


class Call(TypedDict):
    """A call without a result yet; about: the command, path, question … that it is about."""

    tool: str
    about: str
    task: NotRequired[PlanItem]
    """What a TaskUpdate is to make of the task that it is about, "" for what stays."""


class Boundary(TypedDict):
    """A compaction; before, after: tokens."""

    id: str
    trigger: str
    before: int | None
    after: int | None


class Standpoint(TypedDict):
    """What stood when the user typed a prompt: who goes back to it is there again."""

    n: int
    """Of the prompt."""
    said: Message
    planned: WorkPlan
    record: NotRequired[list[RecordLine]]
    """Where it is another than at the prompt before; the first one noted has it."""


class Worklog(TypedDict):
    """The whole state."""

    v: int
    offset: int
    """Bytes of the transcript that are folded in."""
    skipped: int
    """Lines that were no JSON object."""
    messages: int
    client: str
    """Its version."""
    agent: str
    """The agent that the session was started as, whose file may begin the conversation; "" for none."""
    starts: bool
    """A client has begun here, and nothing was typed since."""
    arguments: list[str]
    """The client's command line, while its rows are folded for a session; [] where a transcript is only read."""
    handed_in: int
    """Prompts that a program handed in, where no command line was asked: all of them is told as the user's."""
    called: bool
    """The client at work was started in a client's own shell: a model says there what else the user types."""
    window: int
    """Compactions so far."""
    prompts: list[UserPrompt]
    """The first one always stays."""
    turns: int
    """What the user has typed so far: prompts, and commands that are some."""
    queued: list[str]
    """What waited for a tool's end, which older clients record nowhere else: it may be anybody's."""
    team: list[TeamMessage]
    marks: list[MarkedLine]
    record: list[RecordLine]
    """The lines of the last summary's record, and what came since."""
    last_message: Message
    before: Message
    """What the assistant had said last when the newest prompt came."""
    stood: list[Standpoint]
    """Of the newest 8 prompts."""
    taken_back: list[MarkedLine]
    """What was marked behind a prompt to which the user went back, and not since; the newest 40."""
    left: dict[str, str]
    """When a prompt was typed to which the user went back -> when they did; the newest 40."""
    let_go: bool
    """Whether what was marked has been forgotten or set aside since: then its words may stand in a prompt."""
    todos: list[PlanItem]
    tasks: dict[str, PlanItem]
    """By the client's number."""
    left_over: list[str]
    """Items that vanished from the list before they were finished, and that no later list has settled."""
    listed: int
    """Number of the message with the last change of these lists."""
    planned: WorkPlan
    read: list[str]
    changed: list[str]
    edits: dict[str, FileEdits]
    """By path."""
    runs: list[Run]
    """Distinct commands, by when each ran last."""
    tests: list[Run]
    """Those of them that ran tests."""
    edited: int
    """Number of the message with the last change of a file."""
    errors: list[OpenError]
    commits: list[str]
    jobs: dict[str, str]
    """Commands in the background, by the client's id; "" once their end was seen."""
    away: int
    """Number of the message behind which other sources than the work's are there (stashed, another branch), until they
    are left again or one is edited; 0: none."""
    dirty: bool
    """Files were changed since the last commit of this session."""
    instructions: list[str]
    """Instruction files and skills that are loaded."""
    boundaries: list[Boundary]
    open_calls: dict[str, Call]
    model: str
    spent: dict[str, spending.Spent]
    """By model."""
    answer: spending.NewestAnswer
    branch: str
    branches: list[str]
    """Where the session was, the newest last; a checkpoint of an earlier version has none."""
    folder: str
    root: str
    """The folder that it began in: commands that ran elsewhere say so."""


def works(run: Run) -> bool:
    """Whether all of a command went well when it ran last, by its own exit code; of a clipped one nobody knows."""
    return _went_well(run) and not run["command"].endswith("…")


def _went_well(run: Run) -> bool:
    return run["exit"] == 0 and ends_as_one(run["command"])


def may_answer(run: Run, failed: str) -> bool:
    """Whether a run may speak for a command that failed before: all of it went well, with the same values where both
    give one. For tests only tests speak, and they do where they are known to have passed.
    """
    if not runs_tests(failed):
        return _went_well(run) and not differ(run["command"], failed)
    has_run = runs_tests(run["command"]) and not run["end"].endswith("[no tests to run]")  # as go says it
    return has_run and has_passed(run)


def has_passed(run: Run) -> bool:
    """Whether a run is known to have passed: by its own exit code, or by what it counted."""
    return run["ok"] and (run["exit"] == 0 or says_passed(run["end"]))


def how_it_ended(run: Run) -> str:
    """By its exit code, as the client told it, and what was counted; where the code is another's, by its last words."""
    code = f"exit {run['exit']}" if run["exit"] is not None else "exit not known" if run["ok"] else "FAILED"
    is_told = run["end"] and (not run["ok"] or run["exit"] is None or passes(run["end"]))
    last = "last line " * (run["exit"] is None and run["ok"] and not passes(run["end"]))
    quoted = one_line(run["end"], 140).replace('"', "'")  # a tool's words never end the quotation
    return f'{code}, {last}"{quoted}"' if is_told else code


def as_told(run: Run) -> str:
    """A command and how it ended, for a reader."""
    return f"`{one_line(run['command'], 120)}`: {how_it_ended(run)}"


UNENDED = "Begun in the background, no end seen"


def begun(work: Worklog) -> dict[str, str]:
    """For a reader, by id, the newest first."""
    jobs = reversed(work["jobs"].items())
    return {job: f"`{one_line(command, 120)}` (id {job})" for job, command in jobs if command}


def own_words(prompt: UserPrompt) -> list[str]:
    """What the user says there in their own voice, by paragraphs: no code, quotation or tag, no option's text."""
    return list(filter(None, prompt.get("own", prompt["text"]).split("\n\n")))


_OURS = re.compile(r"/holdfast[:-](?!delegate)")


def is_ours(prompt: Mapping[str, Any]) -> bool:
    """Whether it calls a skill that tells or keeps something of the work, and is none itself."""
    return prompt["source"] == "command" and bool(_OURS.match(prompt["text"]))


def stands_alone(prompt: Mapping[str, Any]) -> bool:
    """By its bytes: a shorter message ("ok") leans on others, as a command of ours, a longer one is pasted."""
    size, source = len(str(prompt["text"]).encode("utf-8", "replace")), prompt["source"]
    return (
        source == "approval"
        or (source == "command" and not is_ours(prompt))
        or (source == "typed" and 40 <= size <= 2_000)
    )


def empty() -> Worklog:
    """The state before the first row."""
    kinds: dict[str, Any] = Worklog.__annotations__
    blanks = {key: (get_origin(kind) or kind)() for key, kind in kinds.items()}
    silence = Message(n=0, text="")
    nothing = {"last_message": silence, "before": silence, "answer": spending.no_answer()}
    nothing |= {"planned": WorkPlan(path="", text="", state="")}
    return cast("Worklog", {**blanks, **nothing, "v": VERSION})


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


def newest(
    known: Sequence[Entry], new: Entry, most: int, about: Callable[[Entry], object] = lambda one: one
) -> list[Entry]:
    """At most so many entries, `new` last, in the place of one that was about the same; "" is none."""
    return [*(one for one in known if about(one) != about(new)), *([new] if new else [])][-most:]
