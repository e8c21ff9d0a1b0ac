"""What came of a call: what did it change, did it pass, is the error that it met still open?

Rule: an error stays open until the same command or file works; what was changed meanwhile has been tried. How a
command went is its exit code and the last line of what it printed; commands stand in the order of their last
runs. Sources: requirements W2, H8.
"""

from holdfast.text.identifiers import basename
from holdfast.text.lines import clip
from holdfast.transcript import commands
from holdfast.transcript.commands import last_lines, supersedes
from holdfast.transcript.tool_output import EDIT_TOOLS
from holdfast.worklog.model import Edit, OpenError, Run, Worklog

COMMITS, ERRORS, RUNS, TESTS, FILES, EDITS, TRIED = 12, 8, 40, 12, 300, 75, 4
AT_CHARS, LINE_CHARS, ERROR_LINES = 160, 300, 3
_NOT_RUN = (
    *("[Request interrupted", "Request interrupted", "<tool_use_error>", "String to replace not found"),
    *("File has not been read yet", "Sibling tool call", "This command requires approval"),
    *("Claude requested permissions", "Permission to use"),
)
"""How the client begins the result of a call that it did not carry out: nothing broke."""
_WORKING = (*EDIT_TOOLS, "WebFetch", "Agent", "Task")
"""Tools whose failure may stop the work; a search that finds nothing does not."""


def was_run(text: str) -> bool:
    """Whether the client carried out a call that failed with this text."""
    return not text.lstrip().startswith(_NOT_RUN)


def failed(state: Worklog, tool: str, about: str, text: str) -> None:
    """A call that the client calls failed."""
    if not was_run(text):
        return
    if tool == "Bash":
        _run(state, about, False, text)
    if (tool == "Bash" and not commands.is_look(about)) or tool in _WORKING:
        _error(state, about, text)


def succeeded(state: Worklog, command: str, text: str) -> None:
    """A command that ended well, as far as its exit code tells; a test run may have counted failures all the same."""
    made = commands.commit_made(command, text)
    if made:
        state["commits"] = [*state["commits"], clip(made, AT_CHARS)][-COMMITS:]
        state["dirty"] = False
    passed = not commands.TEST_COMMAND.search(command) or commands.tests_passed(text)
    _run(state, command, passed, text)
    if passed:
        at = clip(command, AT_CHARS)
        _close(state, [one for one in state["errors"] if one["at"] == at or supersedes(command, one["at"])])
    else:
        _error(state, command, text)


def changed(state: Worklog, path: str, created: bool) -> None:
    """A file that was written or edited."""
    edits = dict(state["edits"])
    known = edits.pop(path, Edit(times=0, created=False))
    edits[path] = {"times": known["times"] + 1, "created": known["created"] or created}
    state["edits"] = dict([*edits.items()][-EDITS:])
    state["changed"] = newest_last(state["changed"], path)
    state["dirty"], state["edited"] = True, state["messages"]
    done = f"edited {basename(path)}"
    state["errors"] = [{**error, "tried": newest_last(error["tried"], done)[-TRIED:]} for error in state["errors"]]
    _close(state, [error for error in state["errors"] if error["at"] == clip(path, AT_CHARS)])


def newest_last(known: list[str], new: str) -> list[str]:
    """Distinct entries, the newest last."""
    return [*(one for one in known if one != new), new][-FILES:] if new else known


def _run(state: Worklog, about: str, ok: bool, text: str) -> None:
    command = clip(commands.plainly(about), AT_CHARS)
    run: Run = {
        "n": state["messages"],
        "command": command,
        "ok": ok,
        "exit": 0 if ok else commands.exit_code(text),
        "end": clip("".join(last_lines(text)), LINE_CHARS),
    }
    if commands.TEST_COMMAND.search(about):
        state["tests"] = _ran(state["tests"], run)[-TESTS:]
    state["runs"] = _ran(state["runs"], run)[-RUNS:]


def _ran(known: list[Run], new: Run) -> list[Run]:
    """Each command with its last run, in the order of these."""
    return [*(run for run in known if run["command"] != new["command"]), new]


def _error(state: Worklog, about: str, text: str) -> None:
    at = clip(about, AT_CHARS)
    tried = next((error["tried"] for error in state["errors"] if error["at"] == at), [])
    what = clip(" / ".join(last_lines(text, ERROR_LINES)), LINE_CHARS)
    error: OpenError = {"at": at, "what": what, "n": state["messages"], "tried": tried}
    state["errors"] = [*(known for known in state["errors"] if known["at"] != at), error][-ERRORS:]


def _close(state: Worklog, done: list[OpenError]) -> None:
    state["errors"] = [error for error in state["errors"] if error not in done]
