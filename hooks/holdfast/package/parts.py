"""What a package says, part by part, in the order in which the next agent needs it.

Rule: the record, as structure and verbatim: whose words these are stands with them, quoted line by line, so that none
of them reads as ours. Nothing is said twice: a line that stood in an earlier part is left out of a later one. What is
empty has no part. Sources: requirements O (what a package holds) and W5.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from holdfast.checkpoint import model
from holdfast.checkpoint.model import Environment
from holdfast.checkpoint.sections import (
    FAILED,
    SOLVED,
    SectionMaterial,
    by_folder,
    error_lines,
    place,
    quoted,
    repository,
    run_lines,
)
from holdfast.handoff.orchestrator import OrchestratorState, summary_lines
from holdfast.memory.record import key_of
from holdfast.package.conversation import ConversationPiece
from holdfast.package.kinds import Count, PackagePart
from holdfast.package.loading import LoadingDecision
from holdfast.text.lines import both_ends, clip, counted, one_line
from holdfast.text.quoting import INVISIBLE
from holdfast.worklog import record
from holdfast.worklog.model import Kind, UserPrompt, Worklog
from holdfast.worklog.plan import named

LINE = 400
"""Characters of a line."""


class Remembered(NamedTuple):
    """A record of the memory; section: rule, decision, issue or learning; whose: what it is worth, in words.

    said: what it says first.
    """

    section: str
    line: str
    whose: str
    users: bool
    said: str = ""


class ScoredFile(NamedTuple):
    """A file by its loading score; why: what speaks for it; text: "" where it is not told whole."""

    placed: LoadingDecision
    why: str
    text: str = ""
    changed: bool = False
    """By the session, or owned by it."""


class Material(NamedTuple):
    """What there is to draw on. All but the work may be empty."""

    work: Worklog
    agents: OrchestratorState
    environment: Environment
    asked: str = ""
    """What the next agent is asked, in the words of whoever hands over."""
    drift: tuple[str, ...] = ()
    note: str = ""
    memory: tuple[Remembered, ...] = ()
    files: tuple[ScoredFile, ...] = ()
    owned: tuple[str, ...] = ()
    """Patterns of files and sections that the agent that hands over holds."""
    said: tuple[ConversationPiece, ...] = ()
    """The conversation, oldest first."""
    summary: str = ""
    """The last summary as it was written, without the client's words around it; "" where it is not known."""
    found: tuple[str, ...] = ()
    """Passages of the record that touch on what is asked, the best first."""
    reports: str = ""
    corrected: tuple[str, ...] = ()
    """What the facts say against lines of the last summary's record, as `checks.corrections` has it."""


def size(known: Material, count: Count) -> int:
    """Tokens of all that a package could be made from: the conversation with its results, of one that is gone what was
    asked in it, files whole, the memory.
    """
    said = [piece.text for piece in known.said] or [prompt["text"] for prompt in known.work["prompts"]]
    texts = (*said, *(one.line for one in known.memory))
    return sum(map(count, texts)) + sum(file.placed.tokens for file in known.files)


def parts(kind: str, known: Material) -> list[PackagePart]:
    """All that there is to say, entry by entry; `kinds.fill` chooses."""
    told: set[str] = set()
    made = []
    for kinds, title, share, about, tell in ROWS:
        entries = [entry for entry in tell(known) if _flat(entry) not in told] if kind in kinds.split() else []
        told |= {_flat(entry) for entry in entries}
        if entries:
            backwards = tell in (_task, _user, _conversation, _given)  # the newest first, read in their order
            made.append(PackagePart(title, entries, share, backwards, about, tell in KEPT))
    return made


def _flat(entry: str) -> str:
    """By what two entries are the same: without what stands in brackets at their end."""
    return " ".join(entry.rpartition(" [")[0].split() if entry.endswith("]") else entry.split()).casefold()


def _words(label: str, text: str) -> str:
    """Somebody's words under a label of ours."""
    lines = quoted(both_ends(text, 4_000))
    return "\n".join([label, *lines]) if lines else ""


def _handed(known: Material) -> list[str]:
    asked = _words("What you are asked:", known.asked)
    return [entry for entry in (asked, _words("A note left with the last checkpoint:", known.note)) if entry]


def _task(known: Material) -> list[str]:
    """What the user asks now, the newest first, and what a short request leans on before it."""
    leans = _words("The end of the agent's message before the newest request:", model.leans_on(known.work, 2_000))
    newest, *rest = [_asked(prompt) for prompt in reversed(model.in_force(known.work))] or [""]
    return [entry for entry in (newest, leans, *rest) if entry]


def _asked(prompt: UserPrompt) -> str:
    return _words(_heading(prompt), prompt["text"]) or f"- {_heading(prompt)}"


def _first(known: Material) -> list[str]:
    """What the session began with, where that is not what is asked now."""
    now = [prompt["n"] for prompt in model.in_force(known.work)]
    task = model.task(known.work)
    return [_asked(one) for one in known.work["prompts"] if one["text"] == task and one["n"] not in now][:1]


def _before(work: Worklog, *sources: str) -> list[UserPrompt]:
    """What the user said before what is asked now, the newest first; sources: typed, command, answer …"""
    return [one for one in reversed(model.earlier(work)) if one["source"] in sources]


def _heading(prompt: UserPrompt) -> str:
    """Whose words follow, and what they are about."""
    return model.heading(prompt) or "The user:"


def _rules(known: Material) -> list[str]:
    marked = _marked(known.work, "rule", by="user")
    taken = (line["text"] for line in known.work["record"] if line["kind"] == "RULE" and line["users"])
    session = [f"- {one_line(text, LINE)} [the user, in this session]" for text in (*marked, *taken)]
    return [*_remembered(known, "rule", users=True), *_once(session, known, "rule", users=True)]


def _once(
    entries: list[str], known: Material, section: str, users: bool | None = None, within: bool = False
) -> list[str]:
    """The entries of the session that no record told of this section, and none before them, has in the same words.

    within: nor among others, as a rule that quotes a part of the user's.
    """
    there = {key_of("", one.said) for one in known.memory if one.section == section and users in (None, one.users)}
    first = dict[str, str]()
    for entry in entries:
        first.setdefault(key_of("", entry.rpartition(" [")[0].strip('- "\u201c\u201d')), entry)
    said = [f"{one} " for one in there] if within else []
    return [
        entry for words, entry in first.items() if words not in there and not any(f"{words} " in one for one in said)
    ]


def _remembered(known: Material, *sections: str, users: bool | None = None) -> list[str]:
    return [
        f"{one.line} [{one.whose}]" for one in known.memory if one.section in sections and users in (None, one.users)
    ]


def _marked(work: Worklog, *kinds: Kind, by: str = "") -> Iterator[str]:
    return (mark["text"] for mark in reversed(work["marks"]) if mark["kind"] in kinds and by in ("", mark["by"]))


def _record(known: Material, *kinds: str) -> list[str]:
    """Lines of the last summary's record, each with what of it is not so."""
    wrong = _wrong(known)
    told = {line["id"]: line["text"] for line in known.work["record"] if line["kind"] in kinds}
    ends = {name: "".join(f"; wrong or not proven: {what}" for of, what in wrong if of == name) for name in told}
    return [f"- {one_line(text, LINE)} [{name} as the last summary says{ends[name]}]" for name, text in told.items()]


def _wrong(known: Material) -> list[tuple[str, str]]:
    """(id of a line of the record, or "tests"; what the facts say against it)."""
    return [(name, what) for name, _, what in (one.partition(": ") for one in known.corrected)]


def _noted(work: Worklog, *kinds: Kind, by: str = "") -> list[str]:
    return [f"- {one_line(text, LINE)} [marked in this session]" for text in _marked(work, *kinds, by=by)]


def _heard(work: Worklog, *sources: str) -> list[str]:
    return [f"- {_heading(one)} {one_line(one['text'], LINE)}".rstrip() for one in _before(work, *sources)]


def _not_again(known: Material) -> list[str]:
    work, tasks = known.work, model.tasks(known.work)
    return [
        *_heard(work, "refusal"),
        *_plan(work, "refused"),
        *_record(known, "FAILED"),
        *_noted(work, "failed"),
        *(f"- dropped: {one_line(text, 200)}" for text in tasks["cancelled"]),
        *(f"- left unfinished, ask before you take it up: {one_line(text, 200)}" for text in work["left_over"]),
        *(f"- ticked off as done: {one_line(text, 200)}" for text in reversed(tasks["done"])),
    ]


def _decided(known: Material) -> list[str]:
    work = known.work
    return [
        *_heard(work, "approval", "answer"),
        *_remembered(known, "decision"),
        *_once([*_record(known, "CHOSE"), *_noted(work, "decision")], known, "decision"),
        *_remembered(known, "rule", users=False),
        *_once(_noted(work, "rule", by="assistant"), known, "rule", within=True),
    ]


def _open(known: Material) -> list[str]:
    work, tasks = known.work, model.tasks(known.work)
    calls = work["open_calls"].values()
    recorded = _record(known, "OPEN", "NEXT")
    noted = _once([*recorded, *_noted(work, "bug", "todo")], known, "issue")
    return [
        *(f"- in progress: {one_line(text, LINE)}" for text in tasks["in_progress"]),
        *(errors := [f"- {FAILED.lower()}: {line[2:]}" for line in error_lines(work, solved=False)]),
        *recorded,
        *(f"- planned: {one_line(text, LINE)}" for text in tasks["planned"]),
        *_plan(work, "proposed", "approved", "written", "begun"),
        *(f"- begun, without a result: {call['tool']} {one_line(call['about'], 200)}" for call in calls),
        *(f"- an agent left open ({by}): {one_line(error, LINE)}" for error, by in known.agents["open_errors"].items()),
        *(one for one in noted if one not in recorded),
        *_remembered(known._replace(memory=_untold(known, errors)), "issue"),
    ]


def _plan(work: Worklog, *states: str) -> list[str]:
    plan = work["planned"]
    return [_words(f"The {named(work)}:", plan["text"])] if plan["text"] and plan["state"] in states else []


def _untold(known: Material, lines: list[str]) -> tuple[Remembered, ...]:
    """The records that none of these lines has told in the same words."""
    told = [key_of("", line) for line in lines]
    return tuple(one for one in known.memory if not any(key_of("", one.said[:200]) in line for line in told))


def _last(known: Material) -> list[str]:
    return [entry] if (entry := _words("agent:", known.work["last_message"]["text"])) else []


def _state(known: Material) -> list[str]:
    work = known.work
    owned, here = ", ".join(map(one_line, known.owned)), [place(known.environment)]
    return [
        *(repository(SectionMaterial(work, {}, known.environment)) or [f"- {line}" for line in here if line]),
        *(f"- CHANGED SINCE: {one_line(line)}" for line in known.drift),
        *(f"- test run {line.removeprefix('- ')}" for line in run_lines(work, 6, beside_errors=True)),
        *(f"- {SOLVED.lower()}: {line[2:]}" for line in error_lines(work, solved=True)),
        *(f"- tests: {what}" for name, what in _wrong(known) if name == "tests"),
        *_record(known, "STATE", "DONE"),
        *([f"- owned by whoever hands over: {owned}"] if owned else []),
        *summary_lines(known.agents, known.reports),
    ]


def _learned(known: Material) -> list[str]:
    session = [*_record(known, "FACT"), *_noted(known.work, "lesson")]
    others = known._replace(memory=_untold(known, _record(known, "CHOSE")))
    return [*_once(session, known, "learning"), *_remembered(others, "learning")]


def _files(known: Material) -> list[str]:
    """By their score; those that were only read and are needed on demand folder by folder, at the end."""
    whole = "read it before you work on it, unless it is below"
    lines, rest = list[str](), list[str]()
    for file in known.files:
        path, _, mode, _, _ = file.placed
        if mode == "on_demand" and not file.changed:
            rest.append(path)
        else:
            how = "" if mode == "on_demand" else f" [{whole}]" if file.text else " [read what you need of it]"
            lines.append(f"- {one_line(path)}: {file.why}{how}")
    return [*lines, *(f"{line} [was read]" for line in by_folder(rest[::-1]))]


def _user(known: Material) -> list[str]:
    """All that the user said before what is asked now, the newest first."""
    return [_asked(prompt) for prompt in _before(known.work, "typed", "command") if prompt["text"]]


def _whole(known: Material, mode: str) -> list[str]:
    """The texts of files, each in a fence that nothing in it can close."""
    texts = [(one.placed.path, INVISIBLE.sub(" ", one.text).rstrip()) for one in known.files if one.placed.mode == mode]
    fences = ["`" * max(3, 1 + max(map(len, re.findall("`+", text)), default=0)) for _, text in texts]
    shown = zip(texts, fences, strict=True)
    return [f"### {one_line(path)}\n{fence}\n{text}\n{fence}" for (path, text), fence in shown if text]


def _summary(known: Material) -> list[str]:
    """Passages of the last compaction's summary, in its order; its record stands above, checked."""
    text = next((one.text for one in reversed(known.said) if one.who == "summary"), "")
    text = known.summary if " ".join(known.summary.split()) in " ".join(text.split()) and known.summary else text
    text = "\n".join(line for line in text.split("\n") if not record.read(line).came)
    return ["\n".join(quoted(part)) for part in text.split("\n\n") if part.strip()]


def _conversation(known: Material) -> list[str]:
    """The newest first, after the last compaction; calls between two texts are one entry."""
    entries, calls = list[str](), list[str]()
    for piece in known.said:
        if piece.who == "call":
            calls.append(clip(piece.call, 160) + " (failed)" * piece.failed)
            continue
        text = piece.text if piece.who == "agent" else clip(one_line(piece.text), 160)  # the user's stands above
        entries += [_called(calls), _words(f"{piece.who}:", text)]
        calls = []
        if piece.who == "summary":
            entries.clear()
    return [entry for entry in (*entries, _called(calls)) if entry][::-1]


def _called(calls: Sequence[str]) -> str:
    """Each once with how often; of many the last."""
    times = Counter(calls)
    lines = [f"> called {call}{f', {times[call]} times' if times[call] > 1 else ''}" for call in times]
    more = [f"(before that {counted(len(lines) - 12, 'other call')})"] if len(lines) > 12 else []
    return "\n".join([*more, *lines[-12:]])


def _given(known: Material) -> list[str]:
    """What calls gave back, the newest first; not again what stands among the files."""
    told = [file.placed.path for file in known.files if file.text]
    calls = (one for one in reversed(known.said) if one.who == "call" and not any(path in one.call for path in told))
    texts = ((f"- {clip(one.call, 200)}{' (failed)' * one.failed} gave:", one.text.strip()) for one in calls)
    return [_words(label, text) for label, text in texts if len(text) > 40]


Tell = Callable[[Material], list[str]]
_ALL, _MORE = "complete specialist continuation emergency", "complete continuation emergency"
ROWS: tuple[tuple[str, str, int, str, Tell], ...] = (
    (_ALL, "From whoever hands over", 15, "", _handed),
    (_ALL, "The user's newest requests, verbatim, the newest last", 20, "", _task),
    (_ALL, "The user's standing rules, verbatim", 12, "", _rules),
    (_ALL, "What the user began with", 8, "", _first),
    (_ALL, "Do not do, or not again", 8, "Refused, failed, dropped, done.", _not_again),
    (_ALL, "Decided", 10, "In brackets who says so.", _decided),
    (_ALL, "Open", 12, "", _open),
    (_ALL, "The agent's last message, verbatim", 10, "What it claims is to be checked.", _last),
    (_ALL, "State of the work", 10, "", _state),
    (_ALL, "Files, what is needed first", 8, "Read what is not marked only when you need it.", _files),
    (_ALL, "Learned", 8, "", _learned),
    (
        "specialist emergency",
        "From the record, on what is asked",
        40,
        "Each begins with who spoke; … stands for what is left out.",
        lambda known: ["\n".join(quoted(text)) for text in known.found],
    ),
    (_ALL, "What the user said before, verbatim, the newest last", 15, "Later words override earlier ones.", _user),
    (_MORE, "The last compaction's summary, by the model", 15, "Check it in the code.", _summary),
    (
        *(_ALL, "Files as they were when this was made", 30, "Read one again before you edit it."),
        lambda known: _whole(known, "preload"),
    ),
    (_MORE, "The conversation, its end", 30, "What was said, and called in between.", _conversation),
    (
        *("complete continuation", "Further files as they were", 10, "The likeliest first."),
        lambda known: _whole(known, "just_in_time"),
    ),
    ("continuation emergency", "What the last calls gave back", 10, "Of long ones the two ends.", _given),
)
"""In which kinds, title, share of the room in per cent, a line of ours, and what says it."""
KEPT = (_task, _rules, _decided, _open, _state)
"""What no reduction takes."""
