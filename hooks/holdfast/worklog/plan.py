"""What is planned, and in which state is each item?

Rule: the client's own lists decide (TodoWrite and TaskList as a whole, TaskCreate, TaskUpdate and a teammate's report
one by one, by their results), and a plan that was put before the user in plan mode or stands in a plan file. An item
that vanishes from a list before it was finished is left over, since nobody has said that it is off, until it comes
back. A list that shares no item with what was known replaces it whole, and one that is finished settles what was left
over before it, and the plan after whose approval it was made. Nothing is taken for done because it was planned.
Sources: requirements W1, W2, W3.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.hot import jsonc
from holdfast.text import late as re
from holdfast.text import markdown
from holdfast.text.lines import clip, counted, one_line
from holdfast.text.redaction import redacted
from holdfast.transcript import rows
from holdfast.worklog.model import PlanItem, Standing, Worklog, WorkPlan

_TASK_NUMBER = re.compile(r"#(\d{1,6})\b")
_PLAN_FILE = re.compile(r"/plans?/[^/]+\.md$|(?:^|/)PLAN\.md$")
TOLD = {"in_progress": "in progress", "completed": "done", "cancelled": "dropped"}
"""Status of an item -> how it is told; any other is planned."""
_CLOSED = {"completed", "deleted", "cancelled"}


def written(state: Worklog, inputs: Mapping[str, Any]) -> None:
    """TodoWrite: the whole list anew."""
    given = inputs.get("todos")
    if not isinstance(given, list):
        return
    todos = [_item(one.get("content"), one.get("status")) for one in rows.objects(given)]
    texts = {item["text"] for item in todos}
    replaced = texts and not texts & {*(item["text"] for item in state["todos"]), *state["left_over"]}
    state["listed"] = state["messages"]
    if todos and (replaced or not state["todos"]):
        _plan_goes(state, "approved", "begun")
    if replaced:
        state["left_over"] = []
    if is_finished(todos):
        _finished(state)
    before = (item["text"] for item in state["todos"] if item["status"] not in _CLOSED and not replaced)
    _leave(state, [text for text in before if text not in texts], texts)
    state["todos"] = todos[:60]


def created(state: Worklog, subject: str, printed: str) -> None:
    """TaskCreate: the client numbers tasks and tells the number in the result ("Task #3 created …")."""
    told = _TASK_NUMBER.search(printed)
    number = told[1] if told else str(max((int(key) for key in state["tasks"] if key.isdecimal()), default=0) + 1)
    task = _item(subject, "pending")
    state["tasks"], state["listed"] = dict([*state["tasks"].items(), (number, task)][-60:]), state["messages"]
    _plan_goes(state, "approved", "begun")
    _leave(state, [], {task["text"]})


def updated(state: Worklog, number: str, status: object, subject: str = "", note: str = "") -> None:
    """One task's state or text, by its number: TaskUpdate's result, or what a teammate reports.

    note: what is said of the state. A task that was skipped is ticked off too.
    """
    known = state["tasks"].get(number)
    if known:
        state["tasks"][number] = _item(subject or known["text"], status or known["status"])
        if status and note:
            state["tasks"][number]["note"] = one_line(redacted(note), 200)
        state["listed"] = state["messages"]
        if is_finished(state["tasks"].values()):
            _finished(state)


def listed(state: Worklog, given: object) -> None:
    """The whole task list as the client has it, [{id, subject, status}]: of what it lacks only the finished stays."""
    if isinstance(given, list):
        whole = [one for one in rows.objects(given) if {"id", "subject", "status"} <= one.keys()]
        tasks = {str(one["id"]): _item(one["subject"], one["status"]) for one in whole}
        done = {number: item for number, item in state["tasks"].items() if item["status"] == "completed"}
        state["tasks"] = dict([*(done | tasks).items()][-60:])


def reported(state: Worklog, text: str) -> bool:
    """Whether a teammate's message is one of the client's own, an object in JSON; it may say that a task is done."""
    told = jsonc.loads_object(text) if text.startswith("{") else {}
    if told.get("type") == "task_completed":
        updated(state, str(told.get("taskId")), "completed")
    elif told.get("completedStatus") == "resolved":
        updated(state, str(told.get("completedTaskId")), "completed")
    return "type" in told


def _item(text: object, status: object) -> PlanItem:
    said, state = (redacted(str(one or "")) for one in (text, status or "pending"))
    return {"text": one_line(said, 200), "status": one_line(state, 200)}


def is_finished(listed: Iterable[PlanItem]) -> bool:
    """Whether something of a list was done, and nothing remains to do."""
    states = {item["status"] for item in listed}
    return "completed" in states and states <= _CLOSED


def _finished(state: Worklog) -> None:
    """A list that is finished settles what was left over before it, and the plan that it was made for."""
    state["left_over"] = []
    _plan_goes(state, "begun", "finished")


def _plan_goes(state: Worklog, was: Standing, on: Standing) -> None:
    if state["planned"]["state"] == was:
        state["planned"] = {**state["planned"], "state": on}


def _leave(state: Worklog, gone: list[str], back: Iterable[str]) -> None:
    state["left_over"] = [*(text for text in state["left_over"] if text not in {*gone, *back}), *gone][-20:]


def proposed(state: Worklog, inputs: Mapping[str, Any]) -> None:
    """ExitPlanMode: the plan as it was put before the user."""
    text, path = inputs.get("plan"), inputs.get("planFilePath")
    if isinstance(text, str) and text.strip():
        where = redacted(path)[:1_000] if isinstance(path, str) else state["planned"]["path"]
        state["planned"] = WorkPlan(path=where, text=outline(redacted(text)), state="proposed")


def answered(state: Worklog, verdict: Standing) -> None:
    """The user's answer to a proposed plan."""
    _plan_goes(state, "proposed", verdict)


def is_refused(state: Worklog) -> bool:
    """Whether the user has said nothing since they refused the plan: what they type may take it up."""
    newest = [one["to"].split(" ")[0] for one in state["prompts"][-1:] if one["source"] == "refusal"]
    return state["planned"]["state"] == "refused" and newest == ["ExitPlanMode"]


def named(state: Worklog) -> str:
    """The plan for a reader: its file, and what became of it."""
    path, standing = one_line(state["planned"]["path"]), state["planned"]["state"]
    return f"plan{f' (file: {path})' * bool(path)}, {standing}{' by the user' * (standing in ('approved', 'refused'))}"


def filed(state: Worklog, inputs: Mapping[str, Any]) -> None:
    """Write: a plan file is the plan until another one is written."""
    path, text = inputs.get("file_path"), inputs.get("content")
    if isinstance(path, str) and isinstance(text, str) and _PLAN_FILE.search(path[-1_000:]):
        state["planned"] = WorkPlan(path=redacted(path)[:1_000], text=outline(redacted(text)), state="written")


def outline(text: str) -> str:
    """A plan's headings and boxes to tick, which name its steps; where there are fewer than three, its beginning."""
    text = text[:50_000]
    steps = [markdown.plain(line.text) for line in markdown.read(text) if line.kind == "heading" or line.box]
    return clip("; ".join(steps) if len(steps) >= 3 else one_line(text), 2_000)


def list_age(state: Worklog) -> str:
    """How old the list is beside the work, in words: what is open on an old one may be done. "" for a fresh one."""
    since = sum(prompt["n"] > state["listed"] for prompt in state["prompts"])
    requests = [f"{counted(since, 'request')} ago"] if since else []
    return ", ".join([*requests, *(["before the last file edit"] if state["edited"] > state["listed"] else [])])


def items(state: Worklog) -> list[PlanItem]:
    """{text, status} as they stand: of the two tools the one in use."""
    listed: Iterable[PlanItem] = state["todos"] or state["tasks"].values()
    return [{**item, "status": "cancelled"} if item["status"] == "deleted" else item for item in listed]


def finished(state: Worklog) -> list[str]:
    """The finished items of the plan."""
    return [item["text"] for item in items(state) if item["status"] == "completed"]
