"""What is told of the work, section by section: on a checkpoint's page, after a compaction, at a resume.

Rule: the record, as structure and verbatim, the most important first; of the assistant's prose only the last message.
What stands in a summary, however it is quoted or cut, is not said again; beside one that closes with a record only what
is open, made or changed, since its kinds cover the rest. What has lines of its own is quoted line by line, all else is
made one line, so that no heading in it is one of ours. Sources: requirements H3, W1, W3, W4, W5, J9.
"""

import itertools
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, cast

from holdfast.checkpoint import model
from holdfast.handoff import orchestrator
from holdfast.text import identifiers, quoting
from holdfast.text import late as re
from holdfast.text.lines import both_ends, clip, one_line
from holdfast.transcript.commands import commit_hash
from holdfast.worklog import fold, marks
from holdfast.worklog.model import UNENDED, UserPrompt, Worklog, as_told, begun, empty
from holdfast.worklog.plan import is_finished, is_refused, items, list_age, named
from holdfast.worklog.record import RecordLine, listed

FULL = 10_000  # UTF-16 units; the sections' bounds are for this size, and larger or smaller in proportion
Section = tuple[str, list[str]]
FAILED, SOLVED = "Failed, not seen to work since", "Failed earlier, something alike went well since"
WRONG = "Lines of the summary's closing record that are wrong or not proven"
GONE = "In the earlier closing record, missing from this summary"
RETURNED = "Background agents that have returned, whatever the client says of them"


class SectionMaterial(NamedTuple):
    """What there is to draw on; texts and lists may be empty."""

    work: Worklog
    agents: dict[str, Any]  # the orchestrator's state, which handoff/orchestrator.py reads
    environment: model.Environment
    drift: tuple[str, ...] = ()
    note: tuple[str, ...] = ()
    """What was left with the newest checkpoint."""
    summary: str = ""
    """The client's own, as `flat` gives it."""
    reports: str = ""
    """Folder of the sub-agents' full reports."""
    returned: tuple[str, ...] = ()
    """Ids of background agents whose return the client has no record of."""
    progress: str = ""  # end of the progress log
    page: str = ""  # path of the newest checkpoint's page
    corrected: tuple[str, ...] = ()
    """What of the summary's closing record is not so."""
    dropped: tuple[RecordLine, ...] = ()
    """Lines of the record that the summary has left out without a word."""
    standing: tuple[str, ...] = ()
    """The user's rules of earlier sessions, as the memory has them, in full."""
    recalls: bool = False
    """Whether a transcript holds the whole conversation; the client names it beside its summary."""
    seconds: float = -1.0
    """Age of what is told; below 0 where it is not known."""
    chars: int = FULL
    """Room in UTF-16 units: for the whole text, and for a section as it sees it."""


def sections(use: str, known: SectionMaterial) -> list[Section]:
    """What there is to say here, the most important first; empty sections are left out.

    use: page, the source of a start, or beside (a summary's record); after a resume the conversation itself is back.
    """
    found = []
    for uses, title, most, told in ROWS:
        if {"fork": "resume"}.get(use, use) in uses.split():
            room = most * known.chars // FULL
            found.append((title, _fitting(told(known._replace(chars=room)), room)))
    return [section for section in found if section[1]]


def _fitting(lines: list[str], chars: int) -> list[str]:
    """The first lines that fit, of the very first what fits; how many are left out is said."""
    kept = _leading(lines, chars + 1)
    more = [f"- ({len(lines) - len(kept)} more)"] if len(lines) > len(kept) else []
    return [*(clip(line, max(80, chars)) for line in kept[:1]), *kept[1:], *more]


def _leading(lines: Sequence[str], room: int) -> list[str]:
    """As many as fit, with a line break each; the first in any case."""
    ends = itertools.accumulate(len(line) + 1 for line in lines)
    return [line for at, (line, end) in enumerate(zip(lines, ends, strict=True)) if end <= room or not at]


def flat(text: str) -> str:
    """The text on one line, without the marks of quotations and of quoted lines: by it two texts are compared.

    What `by_folder` wrote ("- src/: a.py, b.py") has each path in full again.
    """
    plain = text.translate(_SIGNS)
    lines = [line.removeprefix("> ") for line in plain.splitlines()]
    return " ".join(" ".join(map(_paths_in_full, lines) if "/: " in plain else lines).split())


_SIGNS = str.maketrans(
    {**dict.fromkeys("\"'`*\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"), "\u2026": "\n", "\u2013": "-", "\u2014": "-"}
)
_QUESTION = re.compile(r"\A[^\n]{1,300}[?\uff1f]\s{0,9}\Z")


def _says_something(text: str) -> bool:
    """Whether it has the length of a passage: what is shorter stands in any text."""
    return len(text.strip()) >= 12


def stands(said: str, text: str) -> bool:
    """Whether words stand in a text (as `flat` gives it): whole, or most of their passages, in whatever line breaks.

    A passage stands between signs that end a sentence, a line, or what was cut away; a short one stands in any text.
    """
    if (whole := flat(said)) in text:
        return True
    lines = said.translate(_SIGNS).replace("...", "\n")
    for sign in ("[", "]", ". ", "? ", "! ", ": ", "\u3002", "\uff1f", "\uff01"):
        lines = lines.replace(sign, "\n")
    passages = [passage for line in lines.splitlines() if _says_something(passage := flat(line).rstrip(".?!,;:"))]
    held = sum(len(passage) for passage in passages if passage in text)
    return bool(whole) and 2 * held > sum(map(len, passages))


def _paths_in_full(line: str) -> str:
    folder, colon, names = line.partition("/: ")
    if not colon or not folder.startswith("- ") or not folder[2:].strip():
        return line
    return f"- {', '.join(f'{folder[2:]}/{name}' for name in names.split(', '))}"


def by_folder(paths: list[str], root: str = "") -> list[str]:
    """Newest first, one line per folder; paths under `root` are shown from there."""
    folders: dict[str, list[str]] = {}
    for path in map(one_line, reversed(paths)):
        folder, _, name = (path.removeprefix(f"{root}/") if root else path).rpartition("/")
        folders.setdefault(folder, []).append(name)
    shown = ((f"{folder}/: " if folder else "", ", ".join(names)) for folder, names in folders.items())
    return [f"- {folder}{names}" for folder, names in shown]


def quoted(text: str) -> list[str]:
    """The text's lines as quotes, a blank for each sign that steers or hides; blank ones go."""
    shown = (quoting.INVISIBLE.sub(" ", line) for line in text.splitlines())
    return [f"> {line}" for line in shown if line.strip()]


def place(environment: model.Environment) -> str:
    """What is known of directory, branch and commit, on one line; "" for nothing."""
    found = (environment.get("directory", ""), environment.get("branch", ""), environment.get("commit", "")[:9])
    named = zip(("directory", "branch", "commit"), map(one_line, found), strict=True)
    told = ", ".join(f"{name} {what}" for name, what in named if what)
    return f"{told[0].upper()}{told[1:]}." if told else ""


def plan_lines(work: Worklog) -> list[str]:
    """What is open with one line each, what is over in one, so that nobody does it again; then the plan in words."""
    tasks, plan, age = model.tasks(work), work["planned"], list_age(work)
    left = (("in progress", "in_progress"), ("planned", "planned"))
    lines = [f"- {label}: {one_line(text, 200)}" for label, key in left for text in tasks[key]]
    lines[:1] = [f"{line} (whole list last changed {age})" if age else line for line in lines[:1]]
    over = (("ticked off as done", tasks["done"]), ("dropped", tasks["cancelled"]))
    lines += [f"- {label}: {'; '.join(one_line(text, 120) for text in texts)}" for label, texts in over if texts]
    if work["left_over"]:
        lines.append(f"- no longer on the to-do list, outcome unknown: {one_line('; '.join(work['left_over']))}")
    if plan["path"] or plan["text"]:
        has_rest = (plan["path"] and plan["state"] != "refused") or plan["state"] in ("begun", "finished")
        steps = plan["text"].partition("; ")[0] if has_rest else plan["text"]
        lines.append(f"- {named(work)}: {one_line(steps, 400)}")
    return lines


def _plan(known: SectionMaterial) -> list[str]:
    """The plan; of one that a summary has what that lacks, nothing where that is all over, all where it was refused."""
    if not known.summary:
        return plan_lines(known.work)
    work, listed = known.work, items(known.work)
    is_told = stands("\n".join(item["text"] for item in listed), known.summary)
    left = [item for item in listed if not is_told and _new(known, item["text"])]
    left = [] if is_finished(left) else left
    title, path = work["planned"]["text"].partition("; ")[0], work["planned"]["path"]
    is_new = not identifiers.names_file(known.summary, path, work["folder"]) if path else _new(known, title)
    is_asked = any((path or title) in one["to"] for one in work["prompts"])  # approved: told there
    is_new = is_new and not is_asked and work["planned"]["state"] != "finished"
    lacking = {**(work if is_new else empty())["planned"], "text": title if is_new else ""}
    planned = work["planned"] if is_refused(work) else lacking  # a summary may take up its steps
    over = [text for text in work["left_over"] if _new(known, text)]
    return plan_lines(cast("Worklog", {**work, "todos": left, "tasks": {}, "planned": planned, "left_over": over}))


def error_lines(work: Worklog, solved: bool | None = None) -> list[str]:
    """What failed, newest first, behind the rest what something alike went well behind; solved: only that, or none."""
    lines, chosen = [], (one for one in model.failed(work) if solved in (None, "answered" in one))
    for error in sorted(chosen, key=lambda one: ("answered" in one, -one["n"])):
        where = f"`{one_line(error['at'], 140)}`: " if error["at"] else ""
        then = "; ".join(map(one_line, [*error.get("ran", []), *error["tried"][-3:]]))
        lines.append(f"- {where}{one_line(error['what'], 240)}{f' (since then: {then})' * bool(then)}")
    return lines


def run_lines(work: Worklog, most: int, beside_errors: bool = False) -> list[str]:
    """The newest test runs, before the last edit one; beside_errors: without what `error_lines` tells."""
    runs = work["tests"][::-1]
    alike = {model.alike(error) for error in model.failed(work)} if beside_errors else set()
    told_there = {error["at"] for error in work["errors"] if model.alike(error) in alike}
    since = [run for run in runs if run["n"] > work["edited"]]
    told_of = (since or runs[:1])[:most]
    known = (run for run in told_of if not run["ok"] or run["exit"] is not None or run["end"])
    behind = "" if since else " (files edited since)"
    return [f"- {as_told(run)}{behind}" for run in known if run["command"] not in told_there]


def _new(known: SectionMaterial, said: str) -> bool:
    """Whether the summary does not have these words."""
    return bool(said.strip()) and not stands(said, known.summary)


def _prompt(known: SectionMaterial, prompt: UserPrompt, most: int) -> list[str]:
    """Quoted lines of the user's words; beside a summary none that it has, or that the client hands on behind it."""
    is_behind = bool(known.summary) and model.is_unanswered(known.work, prompt)
    is_told = not is_behind and _new(known, prompt["text"] or prompt["to"])
    return [*filter(None, [model.heading(prompt)]), *quoted(both_ends(prompt["text"], most))] if is_told else []


def _in_force(known: SectionMaterial) -> list[str]:
    """What the user asks now, each message as one entry, in their order; the newest for certain."""
    entries = ["\n".join(_prompt(known, one, known.chars * 3 // 4)) for one in reversed(model.in_force(known.work))]
    return _apart(_leading([*dict.fromkeys(filter(None, entries))], known.chars)[::-1])


def _apart(entries: list[str]) -> list[str]:
    """A blank line between messages, which may have several lines."""
    return [f"\n{entry}" if at else entry for at, entry in enumerate(entries)]


def _before(known: SectionMaterial) -> list[str]:
    """What a short newest request leans on, as one entry; nothing once the turn that it began has come to its end."""
    last, before = known.work["last_message"], known.work["before"]
    if before["n"] < last["n"] == known.work["messages"]:
        return []
    said = model.leans_on(known.work, known.chars * 12 // 13)  # the rest is for the marks of quoted lines
    return ["\n".join(quoted(said))] if _new(known, said.removeprefix("…")) else []


def _earlier(known: SectionMaterial) -> list[str]:
    """What was asked before that: the first request and then the newest ones, each as one entry, in their order.

    Behind the first no word that leans on others ("yes"), and no question of one line: it had its answer.
    """
    said = _distinct(known.work)
    said[1:] = [one for one in said[1:] if _says_something(one["text"]) and not _QUESTION.search(one["text"])]
    found = ["\n".join(lines) for prompt in said if (lines := _prompt(known, prompt, 400 if known.summary else 800))]
    kept = _leading(found[:0:-1], known.chars * 20 // 21 - sum(map(len, found[:1])))[::-1]
    missing = len(found) - 1 - len(kept)
    return _apart([*found[:1], *([f"({missing} in between are not shown)"] if missing > 0 else []), *kept])


def _distinct(work: Worklog) -> list[UserPrompt]:
    """The requests before those in force: the first one, then each that is said again at its last place."""
    again, before = {model.prompt_text(prompt) for prompt in model.in_force(work)}, model.earlier(work)
    last = {model.prompt_text(prompt): prompt for prompt in [*before, *before[:1]]}
    return sorted((one for text, one in last.items() if text not in again), key=operator.itemgetter("n"))


def _marked(known: SectionMaterial) -> list[str]:
    """Lines that their author marked, the newest first, but those put back; user and assistant are told apart."""
    work, rules, back = known.work, flat("\n".join(known.standing)), _back(known)
    said = [*fold.words(work), *known.standing] if work["marks"] else []  # to take prompts apart is slow
    new = (one for one in reversed(work["marks"]) if _new(known, one["text"]) and not stands(one["text"], back))
    told = (one for one in new if one["kind"] != "rule" or not stands(one["text"], rules))
    return list(dict.fromkeys(f"- {marks.as_told(one, said)}" for one in told))


def _items(texts: Iterable[str]) -> list[str]:
    return [f"- {one_line(text)}" for text in texts]


def _back(known: SectionMaterial) -> str:
    """The lines of an earlier record that are put back, and what is told of the summary's, as `flat` gives them."""
    return flat("\n".join([*(line["text"] for line in known.dropped), *known.corrected]))


def _standing(known: SectionMaterial) -> list[str]:
    """Rules that neither the summary says nor another line that is put back."""
    back = _back(known)
    return [f"- {one_line(rule)}" for rule in known.standing if _new(known, rule) and not stands(rule, back)]


def says(text: str, said: str, at: str = "") -> bool:
    """Whether a text (by `flat`) tells of a failure: its words, or all the names of files and things in it.

    at: the command where files were edited since: nobody knows how it would end, so it is told where that is named.
    """
    names = [*identifiers.paths(said), *identifiers.identifiers(said)]
    is_named = bool(at) and flat(at) in text
    return is_named or stands(said, text) or (bool(names) and all(name in text for name in names))


def _open(known: SectionMaterial) -> list[str]:
    """What a summary that closes with a record has left open in neither: one line each, the gravest first."""
    work, agents, told = known.work, orchestrator.load(known.agents), f"{known.summary} {_back(known)}"
    errors = (one for one in model.open_errors(work) if not says(told, *model.failure(one)))
    lines = [f"- {named(work)}: {one_line(work['planned']['text'], 160)}"] * is_refused(work)
    lines += error_lines({**work, "errors": [*errors]})
    found = [(error, by) for error, by in agents["open_errors"].items() if not says(known.summary, error)]
    lines += [f"- open error of an agent ({by}): {error}" for error, by in reversed(found)]
    names = [f"{report} ({name})" for name, one in agents["phases"].items() if (report := orchestrator.report_of(one))]
    if found and names:
        lines.append(f"- the agents' full reports, in {known.reports}/: {', '.join(names[:-7:-1])}")
    marks = (mark for mark in reversed(work["marks"]) if mark["kind"] in ("bug", "todo") and _new(known, mark["text"]))
    lines += [f"- {mark['kind']} ({mark['by']}): {one_line(mark['text'], 240)}" for mark in marks]
    commits = (one for one in work["commits"][-1:] if commit_hash(one)[:7] not in known.summary)
    lines += [f"- last commit: {one_line(one, 120)}" for one in commits if _new(known, one.partition(" ")[2])]
    changed, label, now = work["changed"][-8:], "changed", known.environment
    if now.get("commit") and "dirty" in now:
        changed, label = [f"{now['directory']}/{name}" for name in now["dirty"]], "not committed"
    return [*lines, *(f"- {label}: {line[2:]}" for line in _files(known, changed))]


def repository(known: SectionMaterial) -> list[str]:
    """Where the work stands in git, what is not committed, and what was."""
    now, commits = known.environment, reversed(known.work["commits"][-4:])
    lines = [f"- {place(now)}"] if now.get("commit") else []
    if now.get("upstream"):
        lines.append(f"- {now['ahead']} commits ahead of {one_line(now['upstream'])}, {now['behind']} behind")
    if dirty := now.get("dirty"):
        lines.append(f"- changed by this session and not committed: {', '.join(map(one_line, dirty))}")
    return lines + [f"- made by this session: {one_line(commit)}" for commit in commits if _new(known, commit)]


def _said(known: SectionMaterial) -> list[str]:
    """The message that the assistant ended its turn with; none that announces the calls behind it."""
    last, before = known.work["last_message"], known.work["before"]
    told = last["n"] == before["n"] and model.leans_on(known.work, known.chars)  # behind the newest request already
    is_over = last["n"] >= known.work["messages"] and _says_something(last["text"])
    is_told = told or not is_over or not _new(known, last["text"])
    return [] if is_told else quoted(clip(last["text"], known.chars * 12 // 13))


def _files(known: SectionMaterial, paths: list[str]) -> list[str]:
    root = known.environment.get("directory", "")
    return by_folder([path for path in paths if not identifiers.names_file(known.summary, path, root, paths)], root)


def _read(known: SectionMaterial) -> list[str]:
    return _files(known, [path for path in known.work["read"] if path not in known.work["changed"]])


def _agents(known: SectionMaterial) -> list[str]:
    return orchestrator.summary_lines(orchestrator.load(known.agents), known.reports)


def _returned(known: SectionMaterial) -> list[str]:
    return orchestrator.returned_line(orchestrator.load(known.agents), known.reports, known.returned)


def _team(known: SectionMaterial) -> list[str]:
    said = reversed(known.work["team"])
    return [f"- {one_line(one['name'], 60)}: {one_line(one['text'], 300)}" for one in said if _new(known, one["text"])]


def _progress(known: SectionMaterial) -> list[str]:
    """The last lines of the progress log, quoted: a clone may bring one."""
    lines = known.progress.splitlines()[-4:]
    source = "progress.md, which a clone may have brought"
    return quoting.page("\n".join(lines), source, frame=quoting.PROGRESS).splitlines() if lines else []


ROWS: tuple[tuple[str, str, int, Callable[[SectionMaterial], list[str]]], ...] = (
    ("page compact beside resume", "Note", 1_200, lambda known: [*known.note]),
    ("resume", RETURNED, 2_400, _returned),
    ("page compact beside", "The user's newest requests, verbatim, the newest last", 2_600, _in_force),
    ("page compact", "The end of the assistant's message before the newest request, verbatim", 800, _before),
    ("compact beside resume", "Changed since Holdfast last looked", 800, lambda known: _items(known.drift)),
    ("beside", WRONG, 2_000, lambda known: _items(known.corrected)),
    ("compact beside", GONE, 1_500, lambda known: listed(known.dropped)),
    ("compact beside", "Standing rules of the user's, not found in the summary", 2_000, _standing),
    ("beside", "In neither the summary nor its closing record", 3_000, _open),
    ("page", "The last summary's closing record, to be checked", 5_000, lambda known: listed(known.work["record"])),
    ("page compact", "Lines marked to be kept", 2_000, _marked),
    ("page compact resume", "Plan", 1_800, _plan),
    ("page compact resume", FAILED, 1_400, lambda known: error_lines(known.work, solved=False)),
    ("page compact resume", SOLVED, 800, lambda known: error_lines(known.work, solved=True)),
    ("page compact", "Last test runs, newest first", 800, lambda known: run_lines(known.work, 4, beside_errors=True)),
    ("page", UNENDED, 600, lambda known: _items(begun(known.work).values())),
    ("page compact", "Repository", 800, repository),
    ("page compact", "The user's earlier requests, verbatim", 4_200, _earlier),
    ("page compact", "The assistant's last message, verbatim", 1_300, _said),
    ("page compact resume", "Sub-agents' work", 1_200, _agents),
    ("page compact", "Said by other agents of the team", 800, _team),
    ("page compact resume", "Files changed, newest first", 1_600, lambda known: _files(known, known.work["changed"])),
    ("page", "Files read", 1_000, _read),
    ("page compact", "Instructions and skills loaded", 400, lambda known: _items(known.work["instructions"][::-1])),
    ("resume", "End of the progress log", 1_000, _progress),
    ("startup", "Where the last session here ended", 1_000, _progress),
)
"""Where it is told, title, characters at most, and what says it; the most important first."""
