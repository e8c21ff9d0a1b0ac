"""Where does the work stand, in short lines that a person can act on?

Rule: one function per section of requirement W5, each a list of lines taken from the worklog, most important first;
what is done, dropped or failed is said as such, so that nobody takes it for open. Nothing is added that the record
does not hold. What must stay and what may go is decided by compaction/preservation.py.
"""

from typing import Any

from holdfast.compaction import preservation
from holdfast.text import duplicates, prompts
from holdfast.text.lines import clip, one_line
from holdfast.text.phrasing import marked
from holdfast.transcript.commands import is_check
from holdfast.worklog import criteria, fold, notes
from holdfast.worklog import plan as plans
from holdfast.worklog.fold import SAID_CHARS

LABELS = {
    "constraint": "",
    "correction": "correction: ",
    "cancelled": "called off: ",
    "decision": "",
    "learning": "",
    "bug": "",
    "todo": "",
    "failed": "",
}
STATES = {"completed": "done", "in_progress": "in progress", "pending": "to do", "cancelled": "dropped, not to do"}
_BRIEF, _LINE = 90, 300
_WHOLE = 400  # characters of room for each of the newest notes that are not cut to the brief form
_ASKED = 160


def objective(work: dict[str, Any], chars: int) -> list[str]:
    """The first prompt, which is the goal until the user says otherwise; as the only one it is the latest as well."""
    shown = _whole if len(work["prompts"]) < 2 else prompts.shorten
    return [f"> {shown(work['goal'], chars)}"] if work["goal"] else []


def latest(work: dict[str, Any], chars: int) -> list[str]:
    """The newest prompt; a short one together with what it answers."""
    if len(work["prompts"]) < 2:
        return []
    prompt = work["prompts"][-1]
    to = f' (to: "{clip(prompt["re"], _ASKED)}")' if prompt["re"] else ""
    return [f"> {_whole(prompt['text'], chars)}{to}"]


def _whole(text: str, chars: int) -> str:
    """All of a request that fits: one of its parts left out would be a wish forgotten."""
    flat = " ".join(text.split())
    return flat if len(flat) <= chars else prompts.shorten(text, chars, 0.9)


def agreed(work: dict[str, Any], chars: int) -> list[str]:
    """The end of the message that the latest prompt says yes to: it is the work at hand, newer than any plan."""
    found = [line.strip() for line in work["proposal"].splitlines() if line.strip() and not line.startswith("```")]
    cut = found[1:] if len(work["proposal"]) >= SAID_CHARS else found  # the first line may be half a one
    return [f"> {marked(line)}" for line in fitting(cut, chars, newest=True)]


def done_when(work: dict[str, Any]) -> list[str]:
    """The user's own conditions for being done."""
    return [f'- "{text}"' for text in criteria.found([work["goal"], *(prompt["text"] for prompt in work["prompts"])])]


def noted(work: dict[str, Any], kinds: tuple[str, ...], chars: int, most: int = 0, page: str = "") -> list[str]:
    """Notes of these kinds, newest first: the later word wins. For want of room, those that must stay are cut short.

    most: what those that must stay may take, beyond `chars`; what they exceed even that by is counted, the oldest.
    page: path of the page that has them all; "" when it is not known.
    """
    latest = work["prompts"][-1]["n"] if len(work["prompts"]) > 1 else 0  # it stands above, whole
    found = [
        item
        for item in reversed(preservation.notes(work, *kinds))
        if not item.state and item.at != latest and not (item.kind == "todo" and plans.settled(work, item.text))
    ]
    items = [
        item._replace(text=clip(item.text, _LINE), brief=clip(item.text, _BRIEF) if place >= chars // _WHOLE else "")
        for place, item in enumerate(found)
    ]
    moment = preservation.moment_of(work)
    choice = preservation.choose(items, chars, moment, _cost)
    if choice.over:
        choice = preservation.choose(items, min(chars + choice.over, max(chars, most)), moment, _cost)
    said = [_noted(item.kind, line) for item, line in zip(choice.kept, choice.lines, strict=True)]
    return fitting(said, max(most, chars + chars // 2), page=page)


def _cost(text: str) -> int:
    return len(text) + 12  # with its label


def _noted(kind: str, text: str) -> str:
    return f'- {LABELS[kind]}"{text}"' if kind in preservation.DECREED else f"- {LABELS[kind]}{text}"


def now(work: dict[str, Any], chars: int) -> list[str]:
    """The step at hand, the next one, what was begun, how each check ran last, what was seen last."""
    doing = [item["text"] for item in fold.plan(work) if item["status"] == "in_progress"]
    following = [item["text"] for item in fold.plan(work) if item["status"] == "pending"]
    begun = [f"{call['tool']} {one_line(call['about'], 120)}" for call in work["open_calls"].values()][-2:]
    lines = [f"- in progress: {text}" for text in doing]
    lines += [f"- next: {following[0]}"] if following else []
    lines += [f"- begun and without a result yet: {'; '.join(begun)}"] if begun else []
    if work["said"] and not (work["proposal"] and work["said_at"] == work["prompts"][-1]["after"]):
        lines.append(f"- last words of the assistant: {prompts.shorten(work['said'], 360, 0.8)}")
    checks = [_run(run) for run in reversed(work["runs"]) if is_check(run["command"])][:4]
    lines += [f"- checks, as each ran last (newest first): {'; '.join(checks)}"] if checks else []
    seen = [
        f"`{one_line(run['command'], 110)}` -> {run['head']}"
        for run in work["runs"][-2:]
        if run["head"] and "<persisted-output>" not in run["head"]
    ]
    lines += [f"- last outputs: {'; '.join(seen)}"] if seen else []
    return fitting(lines, chars)


def _run(run: dict[str, Any]) -> str:
    end = f" -> {clip(run['end'], 140)}" if run["end"] else ""
    return f"`{one_line(run['command'], 110)}`{'' if run['ok'] else ' FAILED'}{end}"


def plan(work: dict[str, Any]) -> list[str]:
    """What is in progress and to do first; what is done or dropped is named, so that nobody does it again."""
    items = fold.plan(work)
    lines = [
        f"- {STATES[state]}: {item['text']}"
        for state in ("in_progress", "pending")
        for item in items
        if item["status"] == state
    ]
    for state in ("completed", "cancelled"):
        texts = [item["text"] for item in items if item["status"] == state]
        lines += [f"- {STATES[state]}: {'; '.join(texts)}"] if texts else []
    if work["left_over"]:
        lines.append(f"- left the list unfinished, ask before taking it up: {'; '.join(work['left_over'])}")
    planned = work["planned"]
    if planned["state"]:
        where = f" in {planned['path']}" if planned.get("path") else ""
        lines.append(f"- plan ({plans.standing_of(planned)}){where}: {clip(str(planned.get('text', '')), 600)}")
    return lines


def errors(work: dict[str, Any]) -> list[str]:
    """Open ones with what was done since, then what has been fixed."""
    lines = []
    for error in reversed(work["errors"]):
        tried = f" (since then {', '.join(error['tried'][-2:])})" if error["tried"] else ""
        lines.append(f"- open: `{one_line(error['at'], 110)}`: {one_line(error['what'], 220)}{tried}")
    for error in reversed(work["fixed"][-5:]):
        by = f", by {error['by']}" if error["by"] else ""
        lines.append(f"- fixed{by}: {one_line(error['what'], 140)}")
    return lines


def approvals(work: dict[str, Any]) -> list[str]:
    """What the user said yes to."""
    return [f"- {note['text']}" for note in notes.of(work, "approval")]


def actions(work: dict[str, Any], chars: int) -> list[str]:
    """Commits, the newest files changed (the index has all of them), what the last commands did or showed."""
    lines = [f"- commit {commit}" for commit in work["commits"][-4:]]
    newest = ", ".join(path.rpartition("/")[2] for path in work["changed"][:-6:-1])
    lines += (
        [f"- {len(work['changed'])} files changed, the newest: {newest} (all of them at the end)"] if newest else []
    )
    runs = [f"- {_run(run)}" for run in work["runs"][-12:-2] if run["end"] and not is_check(run["command"])]
    return [*lines, *fitting(runs, chars - sum(len(line) + 1 for line in lines), newest=True)]


def workflow(work: dict[str, Any]) -> list[str]:
    """Where and how the work is done here: folder, branch, the commands in use, instructions loaded."""
    place = f"- in {work['folder']}" + (f", branch {work['branch']}" if work["branch"] else "")
    usual = sorted(duplicates.merged(work["commands"]).items(), key=lambda item: (-is_check(item[0]), -item[1]))
    often = [f"`{one_line(command, 90)}`" for command, times in usual if times > 1 or is_check(command)][:6]
    lines = [place] if work["folder"] else []
    lines += [f"- commands in use: {', '.join(often)}"] if often else []
    lines += [f"- instructions loaded: {', '.join(work['instructions'])}"] if work["instructions"] else []
    return lines


def fitting(lines: list[str], chars: int, newest: bool = False, page: str = "") -> list[str]:
    """The first lines that fit (or the newest, in their order); what is left out is counted, with its page."""
    kept: list[str] = []
    for line in reversed(lines) if newest else lines:
        if sum(len(other) + 1 for other in kept) + len(line) + 1 > chars:
            break
        kept.append(line)
    left = len(lines) - len(kept)
    if newest:
        kept.reverse()
    return kept + ([f"- ({left} more{f'; all of them: {page}' if page else ''})"] if left and kept else [])
