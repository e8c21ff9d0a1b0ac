"""What came of a call: what did it change, did it pass, is the error that it met still open?

Rule: an error stays open until the same command or file works; what was changed or run meanwhile has been tried.
The outcome of a command is the line of its output that says how it went. Sources: requirements W2, H8.
"""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.text import identifiers
from holdfast.text.lines import clip
from holdfast.transcript.commands import (
    TEST_COMMAND,
    commit_made,
    is_look,
    last_lines,
    outcome_line,
    plainly,
    supersedes,
    telling_line,
    tests_passed,
)
from holdfast.transcript.tool_output import EDIT_TOOLS
from holdfast.worklog import notes

EVENTS, ERRORS, RUNS, FILES, COMMANDS = 12, 8, 40, 300, 60
AT_CHARS, LINE_CHARS, NAME_CHARS = 160, 300, 100
ADDED, REMOVED, TRIED = 14, 8, 4
_REASON = re.compile(r"the user said:\s*(.+)", re.IGNORECASE | re.DOTALL)
_INTERRUPTED = ("[Request interrupted", "Request interrupted")


def failed(state: dict[str, Any], tool: str, about: str, text: str, refused: bool) -> None:
    """A call that the client calls failed: an error, or one that the user did not let run (`refused`)."""
    if refused:
        _rejected(state, tool, about, text)
    if refused or text.startswith(_INTERRUPTED):
        return
    if text.lstrip().startswith(_MECHANICS):
        return
    if tool == "Bash":
        _run(state, about, False, text)
    if (tool == "Bash" and not is_look(about)) or tool in _WORKING:
        _error(state, about, text)


_MECHANICS = ("<tool_use_error>", "String to replace not found", "File has not been read yet", "Sibling tool call")
"""How the client marks a call that it did not carry out (a file not read before, a string not found): nothing broke."""
_WORKING = (*EDIT_TOOLS, "WebFetch", "Agent", "Task")
"""Tools whose failure may stop the work; a search that finds nothing does not."""


def _rejected(state: dict[str, Any], tool: str, about: str, text: str) -> None:
    """What the user refused is an approach not to repeat; the reason is in the user's own words."""
    reason = _REASON.search(text)
    why = f"; the user said: {clip(' '.join(reason[1].split()), 200)}" if reason else ""
    notes.note(state, "failed", f"the user refused {tool}: {clip(about, AT_CHARS)}{why}", "user")


def command(state: dict[str, Any], about: str, text: str) -> None:
    """A command that ended well, as far as its exit code tells."""
    made = commit_made(about, text)
    if made:
        state["commits"] = [*state["commits"], clip(made, AT_CHARS)][-EVENTS:]
        state["dirty"] = False
    passed = not TEST_COMMAND.search(about) or tests_passed(text)
    _run(state, about, passed, text)
    if not passed:
        _error(state, about, text)
        return
    if TEST_COMMAND.search(about):
        _test_run(state, about, True, text)
    _fixed(state, about)
    state["errors"] = [error for error in state["errors"] if not supersedes(about, error["at"])]


def changed(state: dict[str, Any], path: str, names: list[list[str]], text: str, told: Mapping[str, Any]) -> None:
    """A file that was written or edited; text: its result; told: the client's record of it."""
    _edited(state, path, *names)
    entry = state["edits"][path]
    if text.startswith(_CREATED) or told.get("type") == "create":
        entry["created"] = True
    plus, minus = _lines_of(told)
    entry.update(plus=entry["plus"] + plus, minus=entry["minus"] + minus)
    remember(state, "changed", path)
    state["dirty"] = True
    _try(state, f"edited {identifiers.basename(path)}")
    _fixed(state, path)


def _lines_of(told: Mapping[str, Any]) -> tuple[int, int]:
    """Lines that went in and out, by the client's patch; of a new file all that it holds."""
    content, patch = told.get("content"), told.get("structuredPatch")
    if told.get("type") == "create" and isinstance(content, str):
        return len(content.splitlines()), 0
    hunks = [hunk.get("lines") for hunk in patch if isinstance(hunk, dict)] if isinstance(patch, list) else []
    lines = [line for hunk in hunks if isinstance(hunk, list) for line in hunk if isinstance(line, str)]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)


_CREATED = "File created successfully"
"""How the client begins the result of a call that made its file; seen from 1.0.0 on, whatever the tool is called."""


def remember(state: dict[str, Any], key: str, path: str) -> None:
    """Put a path at the end of a list of distinct ones."""
    if path:
        state[key] = [*(known for known in state[key] if known != path), path][-FILES:]


def names_of_edit(inputs: dict[str, Any]) -> list[list[str]]:
    """[names that an edit adds to its file, names that it takes out], the first ones of each."""
    pairs = inputs.get("edits") if isinstance(inputs.get("edits"), list) else [inputs]
    old = [part for pair in pairs or [] for part in _names(pair, ("old_string",))]
    new = [part for pair in pairs or [] for part in _names(pair, ("new_string", "content", "new_source"))]
    in_old, in_new = set(old), set(new)
    return [[name for name in new if name not in in_old][:ADDED], [name for name in old if name not in in_new][:ADDED]]


def _edited(state: dict[str, Any], path: str, added: list[str], removed: list[str]) -> None:
    known = state["edits"].get(path) or {
        "times": 0,
        "created": False,
        "plus": 0,
        "minus": 0,
        "added": [],
        "removed": [],
    }
    entry = {
        **known,
        "times": known["times"] + 1,
        "added": _merged([name for name in known["added"] if name not in removed], added)[-ADDED:],
        "removed": _merged([name for name in known["removed"] if name not in added], removed)[-REMOVED:],
    }
    rest = [(key, value) for key, value in state["edits"].items() if key != path]
    state["edits"] = dict([*rest, (path, entry)][-FILES // 4 :])


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


def _run(state: dict[str, Any], about: str, ok: bool, text: str) -> None:
    line = telling_line(text) if not ok else outcome_line(text)
    plain = clip(plainly(about), AT_CHARS)
    head = clip(" / ".join(part.strip() for part in text.split("\n", 6)[:5] if part.strip()), 240)
    before = next((known["times"] for known in state["runs"] if known["command"] == plain), 0)
    run = {
        "command": plain,
        "ok": ok,
        "exit": exit_code(text) if not ok else 0,
        "end": clip(line, 200),
        "n": state["messages"],
        "times": before + 1,
        "test": bool(TEST_COMMAND.search(about)),
        "head": head,
    }
    state["runs"] = [*(known for known in state["runs"] if known["command"] != plain), run][-RUNS:]
    if not is_look(plain):
        times = state["commands"].pop(plain, 0) + 1
        state["commands"] = dict([*state["commands"].items(), (plain, times)][-COMMANDS:])


_EXIT = re.compile(r"(?:Error: )?Exit code (-?\d{1,10})\b")


def exit_code(text: str) -> int | None:
    """The exit code with which the client begins the text of a command that failed; None where it tells none."""
    found = _EXIT.match(text)
    return int(found[1]) if found else None


def _test_run(state: dict[str, Any], about: str, ok: bool, printed: str) -> None:
    known = state["runs"][-1]
    run = {**known, "command": clip(about, AT_CHARS), "ok": ok, "end": _last_line(printed)}
    state["tests"] = [*state["tests"], run][-EVENTS:]


def _error(state: dict[str, Any], about: str, text: str) -> None:
    if TEST_COMMAND.search(about):
        _test_run(state, about, False, text)
    at = clip(about, AT_CHARS)
    before = next((error for error in state["errors"] if error["at"] == at), None)
    others = [error for error in state["errors"] if error["at"] != at]
    tried = before["tried"] if before else []
    error = {"at": at, "what": clip(telling_line(text), LINE_CHARS), "n": state["messages"], "tried": tried}
    state["errors"] = [*others, error][-ERRORS:]


def _try(state: dict[str, Any], what: str) -> None:
    """Whatever is done while an error is open has been tried against it."""
    state["errors"] = [
        {**error, "tried": [*(done for done in error["tried"] if done != what), what][-TRIED:]}
        for error in state["errors"]
    ]


def _fixed(state: dict[str, Any], about: str) -> None:
    at = clip(about, AT_CHARS)
    done = [error for error in state["errors"] if error["at"] == at]
    if done:
        state["errors"] = [error for error in state["errors"] if error["at"] != at]
        by = [what for what in done[-1]["tried"] if what.startswith("edited ")][-2:]
        fixed = {"at": at, "what": done[-1]["what"], "by": ", ".join(by)}
        state["fixed"] = [*state["fixed"], fixed][-EVENTS:]


def _last_line(text: str) -> str:
    return clip((last_lines(text, 1) or [""])[-1], AT_CHARS)
