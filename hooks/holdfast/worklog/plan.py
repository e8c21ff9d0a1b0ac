"""What is planned, and in which state is each item?

Rule: the client's own lists decide (TodoWrite as a whole, TaskCreate and TaskUpdate one by one), and a plan
that the user approved in plan mode or that stands in a plan file. An item that vanishes from a list before it was
finished is kept apart as left over, since nobody has said that it is off; one that comes back is on the list again.
Nothing is taken for done because it was planned. Sources: requirements W1, W2, W3.
"""

import re
from collections.abc import Mapping
from typing import Any, Literal

from holdfast.text.lines import clip

ITEMS = 60
ITEM_CHARS, STATUS_CHARS, PLAN_CHARS = 200, 20, 2_000
TASK_NUMBER = re.compile(r"#(\d{1,6})\b")
_PLAN_FILE = re.compile(r"/plans?/[^/]+\.md$|(?:^|/)PLAN\.md$")
_STEP = re.compile(r"\s*(?:#{1,6}\s+\S|[-*]\s+\[[ xX]\]\s+\S)")
_SAME = 0.8  # share of common words from which a changed text is the same item said otherwise
DROPPED = ("deleted", "cancelled")


def written(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """TodoWrite: the whole list anew."""
    items = inputs.get("todos")
    if not isinstance(items, list):
        return
    todos = [
        {
            "text": _line(str(item.get("content") or "")),
            "status": clip(str(item.get("status") or "pending"), STATUS_CHARS),
        }
        for item in items
        if isinstance(item, dict)
    ]
    open_before = [item["text"] for item in state["todos"] if item["status"] not in ("completed", *DROPPED)]
    texts = [item["text"] for item in todos]
    gone = [text for text in open_before if not any(_alike(text, other) for other in texts)]
    _drop(state, gone, texts)
    state["todos"] = todos[:ITEMS]


def _line(text: str) -> str:
    return clip(" ".join(text.split()), ITEM_CHARS)


def created(state: dict[str, Any], subject: str, printed: str) -> None:
    """TaskCreate: the client numbers tasks and tells the number in the result ("Task #3 created …")."""
    told = TASK_NUMBER.search(printed)
    number = told[1] if told else str(max(map(int, state["tasks"]), default=0) + 1)
    task = {"text": _line(subject), "status": "pending"}
    state["tasks"] = dict([*state["tasks"].items(), (number, task)][-ITEMS:])
    _drop(state, [], [task["text"]])


def updated(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """TaskUpdate: one item's state or text."""
    number = str(inputs.get("taskId") or "")
    known = state["tasks"].get(number)
    if not known:
        return
    changed = {"status": inputs.get("status"), "text": inputs.get("subject")}
    told = {key: _line(value) for key, value in changed.items() if isinstance(value, str)}
    state["tasks"][number] = {**known, **told}


def proposed(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """ExitPlanMode: the plan as it was put before the user."""
    text, path = inputs.get("plan"), inputs.get("planFilePath")
    if isinstance(text, str) and text.strip():
        where = path if isinstance(path, str) else state["planned"]["path"]
        state["planned"] = {"path": where, "text": outline(text), "state": "proposed"}


def answered(state: dict[str, Any], verdict: Literal["approved", "refused"]) -> None:
    """The user's answer to a proposed plan."""
    if state["planned"]["state"] == "proposed":
        state["planned"] = {**state["planned"], "state": verdict}


def filed(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """Write: a plan file is the plan until another one is written."""
    path, text = inputs.get("file_path"), inputs.get("content")
    if isinstance(path, str) and isinstance(text, str) and _PLAN_FILE.search(path):
        state["planned"] = {"path": path, "text": outline(text), "state": "written"}


def outline(text: str) -> str:
    """A plan's headings and boxes to tick, which name its steps; of one without any the beginning."""
    heads = [line.strip("#*- ") for line in text.splitlines() if _STEP.match(line)]
    return clip("; ".join(heads) if len(heads) > 2 else " ".join(text.split()), PLAN_CHARS)


_STANDING = {
    "written": "as written",
    "proposed": "proposed, not approved",
    "approved": "approved by the user",
    "refused": "refused by the user",
}


def standing_of(planned: Mapping[str, Any]) -> str:
    """Whether the user has agreed to a plan; a file that was written has not been put before anybody."""
    return _STANDING.get(str(planned.get("state")), "")


def items(state: dict[str, Any]) -> list[dict[str, str]]:
    """{text, status} as they stand: of the two tools the one in use."""
    listed = state["todos"] or state["tasks"].values()
    return [{**item, "status": "cancelled"} if item["status"] in DROPPED else item for item in listed]


def settled(state: dict[str, Any], text: str) -> bool:
    """Whether an item that is finished or dropped says the same: all its words stand in `text`."""
    told = _words(text)
    closed = [_words(item["text"]) for item in items(state) if item["status"] in ("completed", "cancelled")]
    return any(item and item <= told for item in closed)


def _drop(state: dict[str, Any], gone: list[str], back: list[str]) -> None:
    kept = [text for text in state["left_over"] if not any(_alike(text, other) for other in back)]
    state["left_over"] = [*(text for text in kept if text not in gone), *gone][-ITEMS // 3 :]


def _alike(one: str, other: str) -> bool:
    first, second = _words(one), _words(other)
    return one == other or len(first & second) >= _SAME * max(1, min(len(first), len(second)))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.lower()))
