"""What must survive a compaction, by name?

Rule: goal, the user's rules and corrections, plan with states, failed approaches, open errors with their exact words,
decisions, the last test run, commits, files changed. One list of named things, rendered twice: as the text of a
`/compact` line for the user, and as instructions for the summariser. Sources: requirements H1, H2, K1.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.text.lines import one_line
from holdfast.worklog import fold
from holdfast.worklog import notes as remarks

LINE_CHARS = 400  # a line that a user pastes must stay readable
STEER_CHARS = 2_400  # after a manual compaction the client shows the text to the model once more


def compact_line(work: dict[str, Any]) -> str:
    """`/compact keep …`, naming what this session must not lose; ready to paste."""
    items = [*_now_items(work), *_file_items(work)]
    if not items:
        return "/compact keep the goal, the decisions with their reasons and the next step"
    text = "/compact keep " + "; ".join(items)
    return text if len(text) <= LINE_CHARS else text[: LINE_CHARS - 1].rsplit(" ", 1)[0].rstrip(";,") + "…"


def _now_items(work: dict[str, Any]) -> list[str]:
    items = []
    current = [item["text"] for item in fold.plan(work) if item["status"] == "in_progress"]
    left = sum(item["status"] == "pending" for item in fold.plan(work))
    if current:
        items.append(f"the current step ({one_line(current[0], 80)})" + (f" and {left} open to-dos" if left else ""))
    elif left:
        items.append(f"the {left} open to-dos")
    if work["errors"]:
        items.append(f"the open error ({one_line(work['errors'][-1]['what'], 80)})")
    if work["tests"] and not work["tests"][-1]["ok"]:
        items.append(f"the failing test run ({one_line(work['tests'][-1]['command'], 60)})")
    return items


def _file_items(work: dict[str, Any]) -> list[str]:
    changed = work["changed"][-4:][::-1]
    if not changed:
        return []
    names = one_line(", ".join(path.rsplit("/", 1)[-1] for path in changed), 200)
    return [f"the changes in {names}", "decisions with their reasons"]


_HEAD = "Keep these things from this session exactly as they stand; they come from its record, not from guesses:"
_RULES = (
    "Keep verbatim: the user's constraints and corrections, numbers, paths, names and error messages.",
    "Say of each task whether it is planned, in progress, done or cancelled; never report planned work as done, and "
    "never list finished or cancelled work as open. Name approaches that failed, so that nobody retries them.",
    "Leave out: raw tool output, search steps, confirmations, and reasoning that a later decision replaced.",
)


def steering(work: dict[str, Any], orchestrator: Mapping[str, Any]) -> str:
    """Plain text for the summariser's "Additional Instructions"; the rules always, the facts while there is room."""
    left = STEER_CHARS - len(_HEAD) - sum(len(rule) + 1 for rule in _RULES)
    facts: list[str] = []
    for line in _bullets(_facts(work, orchestrator)):
        if len(line) + 1 <= left:
            facts.append(line)
            left -= len(line) + 1
    return "\n".join([*([_HEAD, *facts] if facts else []), *_RULES])


def _bullets(facts: list[tuple[str, str]]) -> list[str]:
    return [f"- {label}: {one_line(text, 600)}" for label, text in facts if text.strip()]


def _facts(work: dict[str, Any], orchestrator: Mapping[str, Any]) -> list[tuple[str, str]]:
    last = work["tests"][-1] if work["tests"] else None
    decisions = orchestrator.get("decisions") or {}
    return [
        ("goal, in the user's words", one_line(work["goal"], 300)),
        ("the user's last request", one_line(work["prompts"][-1]["text"], 300) if len(work["prompts"]) > 1 else ""),
        ("rules and corrections by the user", _noted(work, 4, "constraint", "correction")),
        ("called off by the user", _noted(work, 2, "cancelled")),
        *((label, _items(work, state)) for label, state in _PLANNED),
        ("failed approaches", _noted(work, 2, "failed")),
        (
            "open errors",
            "; ".join(f"{one_line(e['at'], 80)}: {one_line(e['what'], 160)}" for e in work["errors"][-3:]),
        ),
        (
            "last test run",
            f"{last['command']}: {'passed' if last['ok'] else 'FAILED'}, {last['end']}" if last else "",
        ),
        ("decisions", _noted(work, 4, "decision")),
        ("decisions per phase", "; ".join(f"{phase}: {decision}" for phase, decision in decisions.items())),
        ("commits", "; ".join(work["commits"][-3:])),
        ("files changed", ", ".join(work["changed"][-12:])),
    ]


_PLANNED = (
    ("in progress", "in_progress"),
    ("still to do", "pending"),
    ("done", "completed"),
    ("dropped, not to do", "cancelled"),
)


def _items(work: dict[str, Any], state: str) -> str:
    return "; ".join(one_line(item["text"], 100) for item in fold.plan(work) if item["status"] == state)


def _noted(work: dict[str, Any], most: int, *kinds: str) -> str:
    """The newest notes of these kinds; what the user said in quotes."""
    notes = remarks.of(work, *kinds)[-most:]
    return "; ".join(f'"{one_line(n["text"], 140)}"' if n["by"] == "user" else one_line(n["text"], 140) for n in notes)
