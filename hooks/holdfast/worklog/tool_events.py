"""What do a tool call and its result say about the work?

Rule: a call tells what is meant to happen, its result what did; so plans are taken from calls, and everything that
claims to have happened (read, changed, run, committed, failed, chosen, refused) from results. Words are the user's
only where the client's own record says so: answers to a question, what was said with a refusal. Sources: W2, W3.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from holdfast.text.lines import beginning, clip
from holdfast.transcript.commands import plainly
from holdfast.transcript.tool_output import EDIT_TOOLS
from holdfast.worklog import outcomes, plan
from holdfast.worklog.model import Call, Prompt, Refused, Source, Worklog

ABOUT_CHARS, PROMPT_CHARS = 600, 4_000
PROMPTS, OPEN_CALLS, REFUSED, INSTRUCTIONS = 120, 40, 12, 20
_INSTRUCTION_FILES = ("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "SKILL.md", ".cursorrules")
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


def heard(state: Worklog, text: str, source: Source, about: str = "") -> None:
    """Note words of the user's, and what they came upon. The first always stay, and the newest."""
    known, shown = state["prompts"], beginning(text, PROMPT_CHARS)
    entry = Prompt(n=state["messages"], text=shown, source=source, to=clip(about, ABOUT_CHARS))
    state["before"] = state["last_message"]
    if source in ("typed", "command"):  # what the user asks now stands above what was merely interrupted before
        state["refused"] = [one for one in state["refused"] if one["reasoned"]]
    state["prompts"] = [*known[:1], *known[1:][2 - PROMPTS :], entry]


def instructed(state: Worklog, what: str) -> None:
    """Note an instruction file or a skill that is loaded."""
    state["instructions"] = outcomes.newest_last(state["instructions"], what)[-INSTRUCTIONS:]


def called(state: Worklog, call: str, tool: str, inputs: Mapping[str, Any]) -> None:
    """A call that has no result yet."""
    about = next((str(inputs[key]) for key in _ABOUT if inputs.get(key)), "")
    kept: Call = {"tool": tool, "about": clip(about, ABOUT_CHARS)}
    state["open_calls"] = dict([*state["open_calls"].items(), (call, kept)][-OPEN_CALLS:])
    if tool in _CALLED:
        _CALLED[tool](state, inputs)


def returned(state: Worklog, call: Call, result: Result) -> None:
    """The result of a call."""
    tool, about = call["tool"], call["about"]
    if not result.refused and (not result.failed or outcomes.was_run(result.text)):
        state["refused"] = [one for one in state["refused"] if not _same(one, call)]
    if result.refused:
        _refused(state, tool, about, result.text)
    elif result.failed:
        outcomes.failed(state, tool, about, result.text)
    elif tool in EDIT_TOOLS:
        made = result.told.get("type") == "create" or result.text.startswith("File created successfully")  # 1.0.0
        outcomes.changed(state, about, made)
    elif tool in _RETURNED:
        _RETURNED[tool](state, about, result)


def _same(refused: Refused, call: Call) -> bool:
    """Whether a call is about the same path or command as one that was refused, however its output is cut."""
    one, other = refused["about"], call["about"]
    if call["tool"] == "Bash":
        one, other = plainly(one), plainly(other)
    return (refused["tool"], one) == (call["tool"], other)


def _refused(state: Worklog, tool: str, about: str, text: str) -> None:
    """What the user did not let run, and the words that came with it."""
    why = (
        "" if tool == "AskUserQuestion" else text.partition("the user said:\n")[2].strip()
    )  # of a question the client speaks
    state["refused"] = [*state["refused"], Refused(tool=tool, about=about, reasoned=bool(why))][-REFUSED:]
    if tool == "ExitPlanMode":
        plan.answered(state, "refused")
    if why:
        heard(state, why, "refusal", f"{tool} {about}".strip())


def _read(state: Worklog, about: str, result: Result) -> None:
    state["read"] = outcomes.newest_last(state["read"], about)
    if about.endswith(_INSTRUCTION_FILES):
        instructed(state, about)


def _planned(state: Worklog, about: str, result: Result) -> None:
    """ExitPlanMode, when the user let it pass."""
    plan.answered(state, "approved")
    heard(state, "", "approval", state["planned"]["path"] or "the plan")


def _asked(state: Worklog, about: str, result: Result) -> None:
    """AskUserQuestion: what the user chose, of an option all that it says, or wrote."""
    answers = result.told.get("answers")
    for question, answer in answers.items() if isinstance(answers, dict) else ():
        asked = [one for one in _mappings(result.told.get("questions")) if one.get("question") == question][:1]
        options = (option for one in asked for option in _mappings(one.get("options")) if option.get("label") == answer)
        meant = (str(option.get("description") or "") for option in options)
        heard(state, ": ".join(filter(None, (str(answer), *meant))), "answer", str(question))


def _mappings(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


_CALLED: dict[str, Callable[[Worklog, Mapping[str, Any]], None]] = {
    "TodoWrite": plan.written,
    "TaskUpdate": plan.updated,
    "ExitPlanMode": plan.proposed,
    "Write": plan.filed,
}
_RETURNED: dict[str, Callable[[Worklog, str, Result], None]] = {
    "Read": _read,
    "Bash": lambda state, about, result: outcomes.succeeded(state, about, result.text),
    "TaskCreate": lambda state, about, result: plan.created(state, about, result.text),
    "ExitPlanMode": _planned,
    "AskUserQuestion": _asked,
    "Skill": lambda state, about, result: instructed(state, f"skill {about}"),
}
