"""What has this session done so far, and where does it stand?

A reducer over transcript rows. Each row is fed once and the state is a plain JSON object, so a grown transcript
costs its growth. What a row means stands in rooms of their own: toolcalls, plans, outcomes (what came of calls),
remarks (what binds), spoken (what was told), vocabulary (names in play). Bounds keep the state small after any
number of rows: the newest entries stay, and the first prompt always does, because it is the goal until the user
says otherwise. Sources: requirements W1, W2.
"""

from typing import Any

from holdfast.text import authorship
from holdfast.text.lines import beginning, clip
from holdfast.transcript import rows
from holdfast.worklog import answers, marks, mentions, model, notes, statements, tool_events
from holdfast.worklog import plan as plans

PROMPTS, PROMPT_CHARS, BOUNDARIES = 120, 4_000, 12
SAID_CHARS = 1_200  # dies
MESSAGE_CHARS = 4_000


def empty() -> Any:
    """As worklog/model.py has it; untyped until every reader says Worklog."""
    return model.empty()


def load(data: dict[str, Any]) -> Any:
    """As worklog/model.py has it; untyped until every reader says Worklog."""
    return model.load(data)


def fold(state: Any, chunk: rows.Chunk) -> Any:
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
    prompt, command = rows.human_prompt(row), rows.slash_command(row)
    if prompt or command:
        _prompted(state, prompt or command, "typed" if prompt else "command")
    for call, text, failed in rows.tool_results(row):
        known = state["open_calls"].pop(call, None)
        if known:
            result = tool_events.Result(text, failed, rows.was_refused(row, known["tool"]), rows.structured(row))
            tool_events.returned(state, known, result)


def _prompted(state: dict[str, Any], prompt: str, source: model.Source) -> None:
    asked = notes.proposal(authorship.prose(state["asked"])) if state["prompts"] else ""
    state["proposal"] = state["asked"] if asked and notes.is_approval(prompt) else ""
    state["goal"] = state["goal"] or beginning(prompt, PROMPT_CHARS)
    tool_events.heard(state, prompt, source, answers=asked if notes.is_answer(prompt) else "")
    marks.keep(state, prompt, "user")  # type: ignore[arg-type]  # untyped until the dying keys are gone
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
        state["last_message"] = {"n": state["messages"], "text": beginning(said, MESSAGE_CHARS)}
        marks.keep(state, said, "assistant")  # type: ignore[arg-type]  # untyped until the dying keys are gone
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
