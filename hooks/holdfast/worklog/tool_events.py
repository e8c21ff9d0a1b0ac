"""What do a tool call and its result say about the work?

Rule: a call tells what is meant to happen, its result what did; so plans are taken from calls, and everything that
claims to have happened (read, changed, run, committed, failed) from results. What a tool printed lends its names
and its outcome, never a rule or a decision. Sources: requirements W2, W3.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from holdfast.text.lines import beginning, clip
from holdfast.transcript.tool_output import EDIT_TOOLS
from holdfast.worklog import mentions, notes, outcomes, plan, statements
from holdfast.worklog.model import Source

ABOUT_CHARS = 600
PROMPTS, PROMPT_CHARS = 120, 4_000
OPEN_CALLS, INSTRUCTIONS = 40, 20
_INSTRUCTION_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "SKILL.md", ".cursorrules")


def instructed(state: dict[str, Any], what: str) -> None:
    """Note an instruction file or a skill that is loaded."""
    state["instructions"] = [*(known for known in state["instructions"] if known != what), what][-INSTRUCTIONS:]


_ABOUT = ("command", "file_path", "notebook_path", "subject", "skill", "pattern", "query", "url", "description")
"""Keys of a call's input that say what it is about, the most telling first."""


class Result(NamedTuple):
    """What came back from a call."""

    text: str
    failed: bool = False
    refused: bool = False
    """By the client's own mark."""
    told: Mapping[str, Any] = MappingProxyType({})
    """The client's own record of it (transcript/rows.py, structured)."""


def heard(state: dict[str, Any], text: str, source: Source, about: str = "", answers: str = "") -> None:
    """Note words of the user's. The first always stay, and the newest."""
    entry = {
        "n": state["messages"],
        "text": beginning(text, PROMPT_CHARS),
        "source": source,
        "to": clip(about, ABOUT_CHARS),
        "re": answers,  # dies
        "after": state["said_at"],  # dies
    }
    known = state["prompts"]
    state["prompts"] = [*known[:1], *known[1:][-(PROMPTS - 2) :], entry]


def _brief(tool: str, inputs: dict[str, Any]) -> dict[str, Any]:
    """What is kept of a call for when the result comes."""
    about = next((inputs[key] for key in _ABOUT if inputs.get(key)), "")
    names = outcomes.names_of_edit(inputs) if tool in EDIT_TOOLS else []
    return {"tool": tool, "about": clip(str(about or ""), ABOUT_CHARS), **({"names": names} if names else {})}


def called(state: dict[str, Any], call: str, tool: str, inputs: dict[str, Any]) -> None:
    """A call that has no result yet."""
    state["open_calls"] = dict([*state["open_calls"].items(), (call, _brief(tool, inputs))][-OPEN_CALLS:])
    _mention_inputs(state, tool, inputs)
    _CALLED.get(tool, _nothing)(state, inputs)


def _mention_inputs(state: dict[str, Any], tool: str, inputs: dict[str, Any]) -> None:
    path = str(inputs.get("file_path") or inputs.get("notebook_path") or "")
    text = "\n".join(str(value) for value in inputs.values())
    mentions.mention(state, text, mentions.SHOWN if tool == "Read" else mentions.TYPED, path)


def returned(state: dict[str, Any], known: dict[str, Any], result: Result) -> None:
    """The result of a call; `known`: what `_brief` kept of it."""
    tool, about = known["tool"], known["about"]
    mentions.mention(state, result.text, mentions.SHOWN, about if tool == "Read" else "")
    if result.refused:
        _refused(state, tool, about, result.text)
    if result.failed:
        outcomes.failed(state, tool, about, result.text, result.refused)
    elif tool in EDIT_TOOLS:
        outcomes.changed(state, about, known.get("names") or [[], []], result.text, result.told)
    else:
        _RETURNED.get(tool, _nothing_returned)(state, about, result)


_WORDS = "the user said:\n"
"""Before the user's own words, in the client's text of a refusal."""


def _refused(state: dict[str, Any], tool: str, about: str, text: str) -> None:
    """What the user did not let run, and the words that came with it."""
    why = text.partition(_WORDS)[2].strip() if tool != "AskUserQuestion" else ""  # there the client speaks
    entry = {"tool": tool, "about": clip(about, ABOUT_CHARS), "why": beginning(why, PROMPT_CHARS)}
    state["refused"] = [*state["refused"], {**entry, "n": state["messages"]}][-OPEN_CALLS:]
    if tool == "ExitPlanMode":
        plan.answered(state, "refused")
    if why:
        heard(state, why, "refusal", f"{tool} {about}".strip())


def _read(state: dict[str, Any], path: str, result: Result) -> None:
    outcomes.remember(state, "read", path)
    if path.endswith(_INSTRUCTION_FILES):
        instructed(state, path)


def _asked(state: dict[str, Any], about: str, result: Result) -> None:
    """AskUserQuestion: what the user chose, of an option all that it says, or wrote."""
    notes.note(state, "approval", " ".join(result.text.split()), "user")
    for question, answer in _answers(result.told):
        heard(state, answer, "answer", question)


def _answers(told: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    answers, asked = told.get("answers"), told.get("questions")
    questions = [one for one in asked if isinstance(one, dict)] if isinstance(asked, list) else []
    for question, answer in answers.items() if isinstance(answers, dict) else ():
        options = next((one.get("options") for one in questions if one.get("question") == question), None)
        meant = [
            str(option.get("description") or "")
            for option in (options if isinstance(options, list) else [])
            if isinstance(option, dict) and option.get("label") == answer
        ]
        yield str(question), ": ".join(filter(None, (str(answer), *meant)))


def _planned(state: dict[str, Any], about: str, result: Result) -> None:
    """ExitPlanMode, when the user let it pass."""
    plan.answered(state, "approved")
    heard(state, "", "approval", state["planned"]["path"] or "the plan")


def _reported(state: dict[str, Any], about: str, result: Result) -> None:
    """A sub-agent's report: told as such, without the client's words around it and without what it claims to settle."""
    body = _AROUND.sub("", result.text)
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


def _nothing_returned(state: dict[str, Any], about: str, result: Result) -> None:
    """Most results change nothing that is tracked."""


_CALLED: dict[str, Callable[[dict[str, Any], dict[str, Any]], None]] = {
    "TodoWrite": plan.written,
    "TaskUpdate": plan.updated,
    "ExitPlanMode": plan.proposed,
    "Write": plan.filed,
}
_RETURNED: dict[str, Callable[[dict[str, Any], str, Result], None]] = {
    "Read": _read,
    "Bash": lambda state, about, result: outcomes.command(state, about, result.text),
    "TaskCreate": lambda state, about, result: plan.created(state, about, result.text),
    "ExitPlanMode": _planned,
    "AskUserQuestion": _asked,
    **dict.fromkeys(("Agent", "Task"), _reported),
    "Skill": lambda state, about, result: instructed(state, f"skill {about}"),
}
