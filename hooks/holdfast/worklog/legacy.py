"""Fills the keys of the worklog that die. Goes with the last of their readers."""

import re
import textwrap
from typing import Any

from holdfast.text import authorship, identifiers
from holdfast.text.lines import beginning, clip
from holdfast.transcript.commands import TEST_COMMAND, is_look, plainly
from holdfast.transcript.tool_output import EDIT_TOOLS
from holdfast.worklog import answers, mentions, notes, statements
from holdfast.worklog.tool_events import Result

SAID_CHARS = 1_200
ADDED, REMOVED, NAME_CHARS, COMMANDS, EVENTS = 14, 8, 100, 60, 12


def prompted(state: Any, prompt: str) -> None:
    """The user's words."""
    asked = notes.proposal(authorship.prose(state["asked"])) if len(state["prompts"]) > 1 else ""
    state["proposal"] = state["asked"] if asked and notes.is_approval(prompt) else ""
    state["goal"] = state["goal"] or beginning(prompt, 4_000)
    state["prompts"][-1] = {
        **state["prompts"][-1],
        "re": asked if notes.is_answer(prompt) else "",
        "after": state["said_at"],
    }
    notes.heard(state, prompt, asked)
    answers.answered(state, prompt)
    mentions.said(state, prompt, mentions.PROMPT)


def summarised(state: Any, text: str) -> None:
    """The client's own summary."""
    statements.keep(state, text)
    mentions.said(state, text, mentions.OWN)


def told(state: Any, said: str) -> None:
    """The assistant's words."""
    prose = authorship.prose(said)
    state["said"], state["said_at"] = clip(prose, SAID_CHARS), state["messages"]
    state["asked"] = said[-SAID_CHARS:]
    state["items"] = answers.numbered(prose, answers.TITLE_CHARS)
    notes.told(state, statements.keep(state, said))
    mentions.said(state, said, mentions.OWN)


def called(state: Any, call: str, tool: str, inputs: dict[str, Any]) -> None:
    """Names in a call."""
    path = str(inputs.get("file_path") or inputs.get("notebook_path") or "")
    text = "\n".join(str(value) for value in inputs.values())
    mentions.mention(state, text, mentions.SHOWN if tool == "Read" else mentions.TYPED, path)
    if tool in EDIT_TOOLS:
        state["open_calls"][call] = {**state["open_calls"][call], "names": names_of_edit(inputs)}


def returned(state: Any, known: Any, result: Result) -> None:
    """Names in a result, and what was run."""
    tool, about = known["tool"], known["about"]
    mentions.mention(state, result.text, mentions.SHOWN, about if tool == "Read" else "")
    if result.refused:
        notes.note(state, "failed", f"the user refused {tool}: {clip(about, 160)}", "user")
    elif tool == "Bash":
        _ran(state, about, result)
    elif tool in EDIT_TOOLS and not result.failed and about in state["edits"]:
        edit = state["edits"][about]
        added, removed = known.get("names") or [[], []]
        state["edits"][about] = {
            **edit,
            "added": _merged([name for name in edit.get("added", []) if name not in removed], added)[-ADDED:],
            "removed": _merged([name for name in edit.get("removed", []) if name not in added], removed)[-REMOVED:],
        }
    elif tool == "AskUserQuestion" and not result.failed:
        notes.note(state, "approval", " ".join(result.text.split()), "user")
    elif tool in ("Agent", "Task") and not result.failed:
        body = _AROUND.sub("", result.text)
        found = (line for line in body.splitlines() if not _CLAIM.search(line))
        statements.keep(state, textwrap.dedent("\n".join(found)), statements.SUB_AGENT)


def _ran(state: Any, about: str, result: Result) -> None:
    plain = clip(plainly(about), 160)
    last = state["runs"][-1] if state["runs"] else {}
    if last.get("command") != plain or last["n"] != state["messages"]:
        return
    head = clip(" / ".join(part.strip() for part in result.text.split("\n", 6)[:5] if part.strip()), 240)
    state["runs"][-1] = {**last, "head": head}
    if not is_look(plain):
        times = state["commands"].pop(plain, 0) + 1
        state["commands"] = dict([*state["commands"].items(), (plain, times)][-COMMANDS:])
    if TEST_COMMAND.search(about):
        state["tests"] = [*state["tests"], {**last, "command": clip(about, 160)}][-EVENTS:]


def names_of_edit(inputs: dict[str, Any]) -> list[list[str]]:
    """[names that an edit adds to its file, names that it takes out], the first ones of each."""
    pairs = inputs.get("edits") if isinstance(inputs.get("edits"), list) else [inputs]
    old = [part for pair in pairs or [] for part in _names(pair, ("old_string",))]
    new = [part for pair in pairs or [] for part in _names(pair, ("new_string", "content", "new_source"))]
    in_old, in_new = set(old), set(new)
    return [[name for name in new if name not in in_old][:ADDED], [name for name in old if name not in in_new][:ADDED]]


def _names(pair: Any, keys: tuple[str, ...]) -> list[str]:
    """Names in an edit's texts, definitions first: they say best what a change is about."""
    text = "\n".join(str(pair[key]) for key in keys if isinstance(pair, dict) and isinstance(pair.get(key), str))
    found = dict.fromkeys(
        [*identifiers.definitions(text), *identifiers.qualified(text), *identifiers.identifiers(text)]
    )
    return [name for name in found if len(name) <= NAME_CHARS]


def _merged(old: list[str], new: list[str]) -> list[str]:
    """Newest last, each once."""
    return [*(name for name in old if name not in new), *new]


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
