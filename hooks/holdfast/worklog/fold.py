"""What has this session done so far, and where does it stand?

A reducer over transcript rows. Each row is fed once and the state is a plain JSON object, so a grown transcript
costs its growth. What a row means stands in rooms of their own: toolcalls, plans, outcomes (what came of calls),
remarks (what binds), spoken (what was told), vocabulary (names in play). Bounds keep the state small after any
number of rows: the newest entries stay, and the first prompt always does, because it is the goal until the user
says otherwise. Sources: requirements W1, W2.
"""

from typing import Any

from holdfast.text import authorship, prompts
from holdfast.text.phrasing import clip
from holdfast.transcript import rows
from holdfast.worklog import answers, mentions, notes, statements, tool_events
from holdfast.worklog import plan as plans

VERSION = 2
PROMPTS, SAID_CHARS, BOUNDARIES = 120, 1_200, 12


def empty() -> dict[str, Any]:
    """The state before the first row."""
    return {
        "v": VERSION,
        "offset": 0,
        "skipped": 0,
        "left_out": 0,
        "messages": 0,
        "window": 0,
        "goal": "",
        "prompts": [],
        "notes": [],
        "todos": [],
        "tasks": {},
        "left_over": [],
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
        "proposal": "",
        "items": {},
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


def fold(state: dict[str, Any], chunk: rows.Chunk) -> dict[str, Any]:
    """The state after the chunk's rows. The given state is not changed."""
    new = {key: _copy(value) for key, value in state.items()}
    for row in chunk.rows:
        if rows.is_main(row):
            _feed(new, row)
    new["offset"] += chunk.consumed
    new["skipped"] += chunk.skipped
    return new


def _copy(value: Any) -> Any:
    return value.copy() if isinstance(value, (list, dict)) else value


_PLACES = (("branch", "gitBranch"), ("folder", "cwd"), ("client", "version"))


def _feed(state: dict[str, Any], row: dict[str, Any]) -> None:
    kind = row.get("type")
    if rows.is_boundary(row):
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
            "n": state["messages"],
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
        tool_events.instructed(state, data["path"])


def _user(state: dict[str, Any], row: dict[str, Any]) -> None:
    if row.get("isCompactSummary"):
        _summarised(state, rows.user_text(row))
        return
    prompt = rows.human_prompt(row)
    if prompt:
        _prompted(state, prompt)
    for call, text, failed in rows.tool_results(row):
        known = state["open_calls"].pop(call, None)
        if known:
            tool_events.returned(state, known, text, failed, rows.was_refused(row, known[0]))


def _prompted(state: dict[str, Any], prompt: str) -> None:
    asked = notes.proposal(authorship.prose(state["asked"])) if state["prompts"] else ""
    state["proposal"] = state["asked"] if asked and notes.is_approval(prompt) else ""
    state["goal"] = state["goal"] or clip(prompt, prompts.GOAL_CHARS)
    entry = {
        "n": state["messages"],
        "text": prompts.telling(prompt),
        "re": asked if notes.is_answer(prompt) else "",
        "after": state["said_at"],
    }
    state["prompts"] = [*state["prompts"], entry][-PROMPTS:]
    notes.heard(state, prompt, asked)
    answers.answered(state, prompt)
    mentions.said(state, prompt, mentions.PROMPT)
    state["open_calls"] = {}  # whatever has not returned by now was interrupted


def _summarised(state: dict[str, Any], text: str) -> None:
    """The client's own summary: prose about the window before, and it names what mattered."""
    statements.keep(state, text)
    mentions.said(state, text, mentions.OWN)


def _assistant(state: dict[str, Any], row: dict[str, Any]) -> None:
    model = rows.message(row).get("model")
    if isinstance(model, str) and model != "<synthetic>":
        state["model"] = model
    said = rows.assistant_text(row)
    if said:
        prose = authorship.prose(said)
        state["said"], state["said_at"] = clip(prose, SAID_CHARS), state["messages"]
        state["asked"] = said[-SAID_CHARS:]
        state["items"] = answers.numbered(prose, answers.TITLE_CHARS)
        notes.told(state, statements.keep(state, said))
        mentions.said(state, said, mentions.OWN)
    for call, tool, inputs in rows.tool_uses(row):
        tool_events.called(state, call, tool, inputs)


def plan(state: dict[str, Any]) -> list[dict[str, str]]:
    """The plan's items as they stand, {text, status}: pending, in_progress, completed or cancelled."""
    return plans.items(state)
