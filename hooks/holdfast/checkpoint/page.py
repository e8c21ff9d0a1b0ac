"""How does a checkpoint read to a person?

Rule: the same facts as its JSON, as a page of short lists: a note first, then what is worked on, when it is done, what
the user asked to keep to, where the plan stands, what is open, what was tried, then files and places. What is empty
is left out; text from the session is quoted line by line, so that no heading in it is one of ours. Source: W1.
"""

from typing import Any

from holdfast.checkpoint import model
from holdfast.handoff import orchestrator
from holdfast.text.lines import one_line
from holdfast.worklog import plan as plans

Section = tuple[str, list[str]]
STATES = (("in_progress", "in progress"), ("planned", "to do"), ("done", "done"), ("cancelled", "cancelled"))


def readable(data: dict[str, Any], notes: list[dict[str, Any]] | None = None) -> str:
    """The checkpoint as Markdown.

    notes: all that were made, of which the checkpoint itself keeps the newest: this is the page that a packet names
    when it has no room for them.
    """
    if notes is not None:
        data = {**data, "work": {**data["work"], "notes": notes}}
    lines = [f"# Checkpoint {data['number']:04d} of {data['stamp']}", "", *headed(data)]
    for title, body in sections(data):
        lines += ["", f"## {title}", *body]
    return "\n".join(lines) + "\n"


def headed(data: dict[str, Any]) -> list[str]:
    """Window, reason and figures; then the place."""
    limit = f" of {data['limit']:,}" if data.get("limit") else ""
    return [
        f"Window {data.get('window')}; reason: {data.get('reason')}; {data.get('calls') or 0} tool calls; "
        f"{data.get('tokens') or 0:,} tokens in the window{limit}.",
        place(data.get("environment") or {}),
    ]


def place(environment: dict[str, Any]) -> str:
    """Directory, branch and commit in one line."""
    where = f"Directory {environment['directory']}, b" if environment.get("directory") else "B"
    branch, commit = environment.get("branch"), (environment.get("commit") or "")[:9]
    return f"{where}ranch {branch or '(none)'}, commit {commit or '(none)'}."


def sections(data: dict[str, Any]) -> list[Section]:
    """The page's parts that are not empty, most important first."""
    facts = model.view(data)
    root = str((data.get("environment") or {}).get("directory") or "")
    parts = [
        ("Note", _quoted(facts["note"])),
        ("Objective, in the user's words", _quoted(facts["goal"])),
        ("Done when", _listed(facts["success_criteria"])),
        ("The user's latest requests", [line for text in _later(facts) for line in _quoted(text)]),
        ("Constraints and corrections, in the user's words", _listed(facts["constraints"])),
        ("Plan", plan_lines(facts)),
        ("Decisions", _listed([one["text"] for one in facts["decisions"]])),
        ("Open issues", [_issue(one) for one in facts["open_issues"]]),
        ("Failed approaches", _listed(facts["failed_approaches"])),
        ("Learnings", _listed(facts["learnings"])),
        ("Approved by the user", _listed(facts["approvals"])),
        ("Files changed", by_folder(facts["files"]["changed"], root)),
        ("Not committed", by_folder(list(facts["environment"].get("dirty") or ()), root)),
        ("Test runs and commits", _outcomes(facts)),
        ("Sub-agents' open errors", _listed(orchestrator.load(data.get("agents") or {})["open_errors"])),
        ("Where it stood", _quoted(facts["summary"])),
        ("Files read", by_folder(facts["files"]["read"], root)),
        ("Instructions loaded", _listed(facts["instructions"])),
    ]
    return [part for part in parts if part[1]]


def plan_lines(facts: dict[str, Any]) -> list[str]:
    """One line per task with its state, what is at hand first; then the plan file."""
    lines = [f"- {state}: {one_line(text, 200)}" for key, state in STATES for text in facts["tasks"][key]]
    plan = facts["plan_file"]
    if plan.get("path") or plan.get("text"):
        lines.append(
            f"- plan ({plans.standing_of(plan)}) {plan.get('path') or ''}: {one_line(str(plan.get('text') or ''), 300)}"
        )
    return lines


def _quoted(text: str) -> list[str]:
    return [f"> {line}" for line in text.splitlines() if line.strip()]


def _listed(texts: list[str]) -> list[str]:
    return [f"- {one_line(text, 300)}" for text in texts if text.strip()]


def _later(facts: dict[str, Any]) -> list[str]:
    return [one_line(text, 480) for text in facts["requests"][-3:] if text[:100] != facts["goal"][:100]]


def _issue(one: dict[str, Any]) -> str:
    shown = f" (reproduce: `{one_line(one['reproduce'], 120)}`)" if one["reproduce"] else ""
    tried = f"; tried: {'; '.join(one_line(text, 100) for text in one['tried'])}" if one["tried"] else ""
    return f"- {one_line(one['what'], 240)}{shown}{tried}"


def _outcomes(facts: dict[str, Any]) -> list[str]:
    runs = [
        f"- {one_line(run['command'], 110)}: {'passed' if run['ok'] else 'FAILED'}; {one_line(run['end'], 110)}"
        for run in facts["tests"][-2:]
    ]
    return [*runs, *(f"- commit {one_line(commit, 110)}" for commit in facts["commits"])]


def by_folder(paths: list[str], root: str = "") -> list[str]:
    """Newest first, one line per folder; paths under `root` are shown from there."""
    folders: dict[str, list[str]] = {}
    for path in reversed(paths):
        shown = path.removeprefix(f"{root}/") if root else path
        folder, _, name = shown.rpartition("/")
        folders.setdefault(folder, []).append(name)
    return [
        f"- {folder}/: {', '.join(names)}" if folder else f"- {', '.join(names)}" for folder, names in folders.items()
    ]
