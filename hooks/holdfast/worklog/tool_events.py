"""What do a tool call and its result say about the work?

Rule: a call tells what is meant to happen, its result what did; so plans are taken from calls, and everything that
claims to have happened (read, changed, run, committed, failed) from results. What a tool printed lends its names
and its outcome, never a rule or a decision. Sources: requirements W2, W3.
"""

import re
import textwrap
from collections.abc import Callable
from typing import Any

from holdfast.text.phrasing import clip
from holdfast.transcript.tool_output import EDIT_TOOLS
from holdfast.worklog import mentions, notes, outcomes, plan, statements

ABOUT_CHARS = 600
OPEN_CALLS, INSTRUCTIONS = 40, 20
_INSTRUCTION_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "SKILL.md", ".cursorrules")


def instructed(state: dict[str, Any], what: str) -> None:
    """Note an instruction file or a skill that is loaded."""
    state["instructions"] = [*(known for known in state["instructions"] if known != what), what][-INSTRUCTIONS:]


_ABOUT = ("command", "file_path", "notebook_path", "subject", "skill", "pattern", "query", "url", "description")
"""Keys of a call's input that say what it is about, the most telling first."""


def _brief(tool: str, inputs: dict[str, Any]) -> list[Any]:
    """[tool, what it is about] and of an edit the names that it adds and takes out: for when the result comes."""
    about = next((inputs[key] for key in _ABOUT if inputs.get(key)), "")
    names = outcomes.names_of_edit(inputs) if tool in EDIT_TOOLS else []
    return [tool, clip(str(about or ""), ABOUT_CHARS), *names]


def called(state: dict[str, Any], call: str, tool: str, inputs: dict[str, Any]) -> None:
    """A call that has no result yet."""
    state["open_calls"] = dict([*state["open_calls"].items(), (call, _brief(tool, inputs))][-OPEN_CALLS:])
    _mention_inputs(state, tool, inputs)
    _CALLED.get(tool, _nothing)(state, inputs)


def _mention_inputs(state: dict[str, Any], tool: str, inputs: dict[str, Any]) -> None:
    path = str(inputs.get("file_path") or inputs.get("notebook_path") or "")
    text = "\n".join(str(value) for value in inputs.values())
    mentions.mention(state, text, mentions.SHOWN if tool == "Read" else mentions.TYPED, path)


def returned(state: dict[str, Any], known: list[Any], text: str, failed: bool, refused: bool = False) -> None:
    """The result of a call; `known`: what `_brief` kept of it."""
    tool, about, *names = known
    mentions.mention(state, text, mentions.SHOWN, about if tool == "Read" else "")
    if failed:
        outcomes.failed(state, tool, about, text, refused)
    elif names:
        outcomes.changed(state, about, names, text)
    else:
        _RETURNED.get(tool, _nothing_returned)(state, about, text)


def _read(state: dict[str, Any], path: str, text: str) -> None:
    outcomes.remember(state, "read", path)
    if path.endswith(_INSTRUCTION_FILES):
        instructed(state, path)


def _asked(state: dict[str, Any], about: str, text: str) -> None:
    """AskUserQuestion: what the user chose, in the client's words around the user's own."""
    notes.note(state, "approval", " ".join(text.split()), "user")


def _reported(state: dict[str, Any], about: str, text: str) -> None:
    """A sub-agent's report: told as such, without the client's words around it and without what it claims to settle."""
    body = _AROUND.sub("", text)
    found = (line for line in body.splitlines() if not _CLAIM.search(line))
    statements.keep(state, textwrap.dedent("\n".join(found)), statements.SUB_AGENT)


_AROUND = re.compile(
    r"\A\[Subagent hand-back\].*?The report follows:\n|^agentId: [^\n]*|^<usage>.*?(?:</usage>|\Z)",
    re.DOTALL | re.MULTILINE,
)
_CLAIM = re.compile(
    r"^\W*(?:IMPORTANT|SYSTEM|DECISION|DECIDED|ADR|user|human)\b[^:\n]{0,20}:"
    r"|\bthe user(?:'s)? (?:has |have |had )?(?:wants?|says?|said|asks?|asked|approve[sd]?|agree[sd]?"
    r"|requires?|told|insists?|allow(?:s|ed)|decided)\b",
    re.IGNORECASE,
)
"""Decisions have their place with the sub-agents' work, and for the user nobody speaks but the user."""


def _nothing(state: dict[str, Any], inputs: dict[str, Any]) -> None:
    """Most calls say nothing before their result is there."""


def _nothing_returned(state: dict[str, Any], about: str, text: str) -> None:
    """Most results change nothing that is tracked."""


_CALLED: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
    "TodoWrite": plan.written,
    "TaskUpdate": plan.updated,
    "ExitPlanMode": plan.proposed,
    "Write": plan.filed,
}
_RETURNED: dict[str, Callable[[dict[str, Any], str, str], None]] = {
    "Read": _read,
    "Bash": outcomes.command,
    "TaskCreate": plan.created,
    "ExitPlanMode": lambda state, about, text: plan.answered(state, text),
    "AskUserQuestion": _asked,
    **dict.fromkeys(("Agent", "Task"), _reported),
    "Skill": lambda state, about, text: instructed(state, f"skill {about}"),
}
