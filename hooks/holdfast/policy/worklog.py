"""What has this session done so far, and where does it stand?

A reducer over transcript rows. Each row is fed once and the state is a plain JSON object, so a grown transcript
costs its growth. What a kind of row means stands in a room of its own: plans, outcomes (what came of calls),
remarks (what binds), spoken (what was told), vocabulary (names in play). Bounds keep the state small after any
number of rows: the newest entries stay, and the first prompt always does, because it is the goal until the user
says otherwise. Sources: requirements W1, W2.
"""

from typing import Any

from holdfast.core import transcript
from holdfast.policy import outcomes, plans, prompts, remarks, spoken, vocabulary
from holdfast.policy.wording import clip

VERSION = 2
PROMPTS, SAID_CHARS, ABOUT_CHARS = 120, 1_200, 600
BOUNDARIES, INSTRUCTIONS, OPEN_CALLS = 12, 20, 40
EDIT_TOOLS = ("Edit", "Write", "MultiEdit", "NotebookEdit")
_INSTRUCTION_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "SKILL.md", ".cursorrules")


def empty() -> dict[str, Any]:
    """The state before the first row."""
    return {
        "v": VERSION,
        "offset": 0,
        "skipped": 0,
        "messages": 0,
        "window": 0,
        "goal": "",
        "prompts": [],
        "notes": [],
        "todos": [],
        "tasks": {},
        "cancelled": [],
        "planned": {},
        "read": [],
        "changed": [],
        "edits": {},
        "tests": [],
        "runs": [],
        "commands": {},
        "commits": [],
        "errors": [],
        "fixed": [],
        "instructions": [],
        "boundaries": [],
        "open_calls": {},
        "dirty": False,
        "said": "",
        "said_at": 0,
        "asked": "",
        "terms": {},
        "sentences": [],
        "model": "",
        "branch": "",
        "folder": "",
        "client": "",
    }


def load(data: dict[str, Any]) -> dict[str, Any]:
    """A stored state, or the empty one when it is of another version or damaged."""
    fresh = empty()
    if data.get("v") != VERSION or any(type(data.get(key)) is not type(value) for key, value in fresh.items()):
        return fresh
    return {key: data[key] for key in fresh}


def fold(state: dict[str, Any], chunk: transcript.Chunk) -> dict[str, Any]:
    """The state after the chunk's rows. The given state is not changed."""
    new = {key: _copy(value) for key, value in state.items()}
    for row in chunk.rows:
        if transcript.is_main(row):
            _feed(new, row)
    new["offset"] += chunk.consumed
    new["skipped"] += chunk.skipped
    return new


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, (list, dict)) else value


_PLACES = (("branch", "gitBranch"), ("folder", "cwd"), ("client", "version"))


def _feed(state: dict[str, Any], row: dict[str, Any]) -> None:
    kind = row.get("type")
    if transcript.is_boundary(row):
        _boundary(state, row)
    elif kind == "user":
        state["messages"] += 1
        _user(state, row)
    elif kind == "assistant":
        state["messages"] += 1
        _assistant(state, row)
    elif kind == "attachment":
        _attached(state, row)
    for key, field in _PLACES:
        if isinstance(row.get(field), str) and row[field]:
            state[key] = row[field]


def _boundary(state: dict[str, Any], row: dict[str, Any]) -> None:
    found = row.get("compactMetadata")
    data = found if isinstance(found, dict) else {}
    state["window"] += 1
    state["boundaries"] = [
        *state["boundaries"][-BOUNDARIES:],
        {
            "id": str(row.get("uuid") or row.get("timestamp") or state["messages"]),
            "time": str(row.get("timestamp") or ""),
            "trigger": str(data.get("trigger") or ""),
            "before": data.get("preTokens"),
            "after": data.get("postTokens"),
        },
    ]


def _attached(state: dict[str, Any], row: dict[str, Any]) -> None:
    """Instruction files that the client loaded by itself."""
    found = row.get("attachment")
    data = found if isinstance(found, dict) else {}
    if data.get("type") == "nested_memory" and isinstance(data.get("path"), str):
        _instructed(state, data["path"])


def _instructed(state: dict[str, Any], what: str) -> None:
    state["instructions"] = [*(known for known in state["instructions"] if known != what), what][-INSTRUCTIONS:]


def _user(state: dict[str, Any], row: dict[str, Any]) -> None:
    if row.get("isCompactSummary"):
        _summarised(state, transcript.user_text(row))
        return
    prompt = transcript.human_prompt(row)
    if prompt:
        _prompted(state, prompt)
    for call, text, failed in transcript.tool_results(row):
        known = state["open_calls"].pop(call, None)
        if known:
            _result(state, known, text, failed)


def _prompted(state: dict[str, Any], prompt: str) -> None:
    answers = state["asked"] if state["prompts"] else ""
    state["goal"] = state["goal"] or clip(prompt, prompts.GOAL_CHARS)
    entry = {
        "n": state["messages"],
        "text": prompts.telling(prompt),
        "re": answers if remarks.is_answer(prompt) else "",
        "after": state["said_at"],
    }
    state["prompts"] = [*state["prompts"], entry][-PROMPTS:]
    remarks.heard(state, prompt, answers)
    vocabulary.said(state, prompt, vocabulary.PROMPT)
    state["open_calls"] = {}  # whatever has not returned by now was interrupted


def _summarised(state: dict[str, Any], text: str) -> None:
    """The client's own summary: prose about the window before, and it names what mattered."""
    spoken.keep(state, text)
    vocabulary.said(state, text, vocabulary.OWN)


def _assistant(state: dict[str, Any], row: dict[str, Any]) -> None:
    model = transcript.message(row).get("model")
    if isinstance(model, str) and model != "<synthetic>":
        state["model"] = model
    said = transcript.assistant_text(row)
    if said:
        state["said"], state["said_at"] = clip(remarks.prose(said), SAID_CHARS), state["messages"]
        state["asked"] = remarks.proposal(said)
        remarks.told(state, spoken.keep(state, said))
        vocabulary.said(state, said, vocabulary.OWN)
    for call, tool, inputs in transcript.tool_uses(row):
        state["open_calls"] = dict([*state["open_calls"].items(), (call, _brief(tool, inputs))][-OPEN_CALLS:])
        _mention_inputs(state, tool, inputs)
        _CALLED.get(tool, _nothing)(state, inputs)


_ABOUT = ("command", "file_path", "notebook_path", "subject", "skill", "pattern", "query", "url", "description")
"""Keys of a call's input that say what it is about, the most telling first."""


def _brief(tool: str, inputs: dict[str, Any]) -> list[Any]:
    """[tool, what it is about] and of an edit the names that it adds and takes out: for when the result comes."""
    about = next((inputs[key] for key in _ABOUT if inputs.get(key)), "")
    names = outcomes.names_of_edit(inputs) if tool in EDIT_TOOLS else []
    return [tool, clip(str(about or ""), ABOUT_CHARS), *names]


def _mention_inputs(state: dict[str, Any], tool: str, inputs: dict[str, Any]) -> None:
    path = str(inputs.get("file_path") or inputs.get("notebook_path") or "")
    text = "\n".join(str(value) for value in inputs.values())
    vocabulary.mention(state, text, vocabulary.SHOWN if tool == "Read" else vocabulary.TYPED, path)


def _result(state: dict[str, Any], known: list[Any], text: str, failed: bool) -> None:
    tool, about, *names = known
    vocabulary.mention(state, text, vocabulary.SHOWN, about if tool == "Read" else "")
    if failed:
        outcomes.failed(state, tool, about, text)
    elif names:
        outcomes.changed(state, about, names)
    else:
        _RETURNED.get(tool, _nothing_returned)(state, about, text)


def _read(state: dict[str, Any], path: str, text: str) -> None:
    outcomes.remember(state, "read", path)
    if path.endswith(_INSTRUCTION_FILES):
        _instructed(state, path)


def _asked(state: dict[str, Any], about: str, text: str) -> None:
    """AskUserQuestion: what the user chose, in the client's words around the user's own."""
    note = {"kind": "approval", "text": clip(" ".join(text.split()), 400), "by": "user", "n": state["messages"]}
    state["notes"] = [*state["notes"], note]


def _nothing(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """Most calls say nothing before their result is there."""


def _nothing_returned(state: dict[str, Any], about: str, text: str) -> None:
    """Most results change nothing that is tracked."""


_CALLED = {
    "TodoWrite": plans.written,
    "TaskUpdate": plans.updated,
    "ExitPlanMode": plans.proposed,
    "Write": plans.filed,
}
_RETURNED = {
    "Read": _read,
    "Bash": outcomes.command,
    "TaskCreate": plans.created,
    "ExitPlanMode": lambda state, about, text: plans.answered(state, text),
    "AskUserQuestion": _asked,
    "Skill": lambda state, about, text: _instructed(state, f"skill {about}"),
}


def plan(state: dict[str, Any]) -> list[dict[str, str]]:
    """The plan's items as they stand, {text, status}: pending, in_progress, completed or cancelled."""
    return plans.items(state)
