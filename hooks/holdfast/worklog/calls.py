"""What do a tool call and its result say about the work?

Rule: a call tells what is meant to happen, its result what did: plans are taken from calls, all else from results. An
error stays open until the same command or file works; what may be the same is told with it by how it ended. Words are
the user's only where the client's own record says so: answers, what was said with a refusal. Sources: requirements W2,
W3, H8.
"""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

from holdfast.text import late as re
from holdfast.text.identifiers import basename
from holdfast.text.lines import both_ends, clip, one_line, without_colours
from holdfast.text.markdown import own_paragraphs
from holdfast.text.redaction import redacted, redacted_answer
from holdfast.transcript import check_runs, commands, outputs, rows
from holdfast.transcript.commands import plainly
from holdfast.transcript.shell import steps, unquoted
from holdfast.transcript.tool_output import EDIT_TOOLS
from holdfast.worklog import plan
from holdfast.worklog.model import (
    Call,
    FileEdits,
    OpenError,
    PlanItem,
    Run,
    Source,
    UserPrompt,
    Worklog,
    as_told,
    may_answer,
    newest,
    works,
)


def heard(state: Worklog, text: str, source: Source, about: str = "", own: str | None = None) -> None:
    """Note words of the user's, and what they came upon. The first always stay, and the newest.

    own: what of it the user has written themself, not only chosen or handed on; all of it where nothing is said.
    """
    text, typed, most = redacted(text), redacted(text if own is None else own), 4_000
    shown = both_ends(rows.unwrapped(text), most)
    entry = UserPrompt(n=state["messages"], text=shown, source=source, to=clip(redacted(about), 600))
    own = "" if state["called"] else "\n\n".join(own_paragraphs(rows.without_pastes(typed)))
    if len(own) > most:  # whole paragraphs from both ends
        first, last = own[: most // 2].rpartition("\n\n")[0], own[-most // 2 :].partition("\n\n")[2]
        own = f"{first}\n\n{last}"
    if own != entry["text"]:
        entry["own"] = own
    state["before"] = state["last_message"]
    if source in ("typed", "command"):  # what the user asks now stands above what was merely interrupted before
        _forget(state, lambda _: True)
        state["turns"] += 1
    state["prompts"] = [*state["prompts"][:1], *newest(state["prompts"][1:], entry, 119)]


def _forget(state: Worklog, over: Callable[[str], bool]) -> None:
    """Let go of the refusals without a word that are over, by what they are about."""
    bare = (one["source"] == "refusal" and not one["text"] and over(one["to"]) for one in state["prompts"])
    state["prompts"] = [one for one, gone in zip(state["prompts"], bare, strict=True) if not gone]


def _carried_out(state: Worklog, named: str) -> None:
    """A call that was refused is made now. The words with it stay; of the same command it is said that it ran, of an
    edit that there was another since, which may be what they asked for.
    """
    _forget(state, lambda of: of == named)
    for at, one in enumerate(state["prompts"]):
        if one["source"] == "refusal" and one["to"] == named and named.startswith(("Bash ", "Edit ")):
            since = "run since" if named.startswith("Bash ") else "edited since"
            state["prompts"][at] = {**one, "to": f"{named}; {since}"}


def instructed(state: Worklog, what: str) -> None:
    """Note an instruction file or a skill that is loaded."""
    state["instructions"] = newest(state["instructions"], what, 20)


def called(state: Worklog, call: str, tool: str, inputs: Mapping[str, Any]) -> None:
    """A call that has no result yet, and what its input says that it is about, the most telling first.

    None of a question to which the model itself brings the answers, as its input may: where the host lets it run as it
    is, nobody was asked.
    """
    if tool == "AskUserQuestion" and (inputs.get("answers") or inputs.get("annotations")):
        return
    telling = ("command", "file_path", "notebook_path", "taskId", "subject", "skill", "pattern", "query", "url")
    about = clip(redacted(next((str(inputs[key]) for key in (*telling, "description") if inputs.get(key)), "")), 600)
    entry = Call(tool=tool[:200], about=about)
    if tool == "TaskUpdate":
        text, status, note = (
            redacted(str(inputs.get(key) or ""))[:600] for key in ("subject", "status", "description")
        )
        entry["task"] = PlanItem(text=text, status=status, note=note)
    state["open_calls"] = dict([*state["open_calls"].items(), (call, entry)][-40:])
    planned: dict[str, Callable[[Worklog, Mapping[str, Any]], None]] = {
        "TodoWrite": plan.written,
        "ExitPlanMode": plan.proposed,
        "Write": plan.filed,
    }
    if tool in planned:
        planned[tool](state, inputs)


def returned(state: Worklog, call: Call, row: dict[str, Any], text: str, is_failed: bool) -> None:
    """The result of a call, and the transcript's row that it stands in."""
    tool, about, told = call["tool"], call["about"], rows.part(row, "toolUseResult")
    refused = is_failed and rows.was_refused(row, tool)
    tells_code = tool == "Bash" and not rows.is_before(state["client"] or "1", (2,))
    ran = not refused and (not is_failed or outputs.was_run(text, tells_code))
    if ran and not about.endswith("…"):  # clipped: it may be another
        _carried_out(state, _named(state, call))
    text = without_colours(both_ends(text, 100_000))
    if refused:
        _refused(state, call, text)
    elif not ran:
        return
    elif is_failed:
        failed(state, tool, about, text)
    elif tool in EDIT_TOOLS:
        changed(state, about, told.get("type") == "create" or text.startswith("File created successfully"))  # 1.0.0
    elif tool == "Bash":
        _done(state, about, told.get("backgroundTaskId"), text)
    elif tool == "TaskCreate":
        plan.created(state, about, text)
    elif "task" in call and told.get("success") is not False:
        task = call["task"]
        plan.updated(state, about, task["status"], task["text"], task.get("note", ""))
    elif tool in _RETURNED:
        _RETURNED[tool](state, about, told)


def _done(state: Worklog, about: str, job: object, text: str) -> None:
    """A command that ended well, or, as a job in the background, has only begun (2.1.329)."""
    if job:
        begun = _at(commands.placed(about, state["folder"], state["root"]))
        state["jobs"] = dict([*state["jobs"].items(), (one_line(job, 60), begun)][-12:])
    else:
        succeeded(state, about, text)


def _named(state: Worklog, call: Call) -> str:
    """A call as a refusal names it: by its path, or its command and where it runs, however its output is cut, by
    whatever edits.
    """
    tool = "Edit" if call["tool"] in EDIT_TOOLS else call["tool"]
    return f"{tool} {_placed(state, call['about']) if tool == 'Bash' else call['about']}".strip()


def _refused(state: Worklog, call: Call, text: str) -> None:
    """What the user did not let run, with the words that came with it; of a question the client speaks."""
    said = "" if call["tool"] == "AskUserQuestion" else text.partition("the user said:\n")[2]
    why = said.partition("\n\nNote: The user's next message")[0].strip()  # the client's own ending (2.1.329)
    if call["tool"] == "ExitPlanMode":
        plan.answered(state, "refused")
    heard(state, why, "refusal", _named(state, call))


def _read(state: Worklog, about: str, told: Mapping[str, Any]) -> None:
    state["read"] = newest(state["read"], about, 300)
    if about.endswith(("CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "SKILL.md", ".cursorrules")):
        instructed(state, about)


def agreed(state: Worklog, _about: str = "", _told: Mapping[str, Any] | None = None) -> None:
    """The user let the plan pass that was proposed: ExitPlanMode, or the message that begins upon it."""
    plan.answered(state, "approved")
    title = state["planned"]["text"].partition("; ")[0]
    heard(state, "", "approval", state["planned"]["path"] or clip(f"the plan {title}".strip(), 160))


def _asked(state: Worklog, about: str, told: Mapping[str, Any]) -> None:
    """AskUserQuestion: what the user wrote is their own; of what they chose only the label, and they only chose it.

    Labels and descriptions are the model's, and the client joins several to one answer: what has a label in it is
    chosen. What a chosen option says stands with the question, a note beside the choice with the answer.
    """
    asked = rows.objects(told.get("questions"))
    options = [(one.get("question"), option) for one in asked for option in rows.objects(one.get("options"))]
    labels = list(filter(None, (one_line(option.get("label") or "") for _, option in options)))
    for question, answer in rows.part(told, "answers").items():
        parts = (answer, *str(answer).split(", "))
        meant = [str(option.get("description") or "") for of, option in options
                 if of == question and option.get("label") in parts]  # fmt: skip
        note = rows.part(rows.part(told, "annotations"), question).get("notes")
        is_own = bool(asked) and not any(label in one_line(answer) for label in labels)
        said, own = str(answer), str(answer) * is_own
        if isinstance(note, str) and note.strip():
            said, own = (note, note) if answer == "(notes only)" else (f"{answer} ({note})", f"{own}\n\n{note}")
        said, own = redacted_answer(question, said), redacted_answer(question, own)
        heard(state, said, "answer", f"{question} {'; '.join(meant)}".strip(), own)


def notified(state: Worklog, text: str) -> None:
    """The client's own word of the background; an agent's stand behind that, a command's name in quotation marks."""
    head, _, said = text.partition("<summary>") if text.startswith("<task-notification>") else ("",) * 3
    code = re.search(r"\bexit code (\d+)\)?$", said.partition("</summary>")[0].rpartition('"')[2])
    _over(state, head.partition("<status>")[2], code and int(code[1]), *head.split("<task-id>"))


def _looked(state: Worklog, _about: str, told: Mapping[str, Any]) -> None:
    """A look at it (2.0), or its stop, of which the client has no other word (2.1.329)."""
    is_stopped = str(told.get("message")).startswith("Successfully ")  # else it "may still be running"
    status = "stopped" if is_stopped else told.get("status")
    _over(state, status, told.get("exitCode"), *map(told.get, ("task_id", "shell_id", "shellId")))


def _over(state: Worklog, status: object, code: object, *ids: object) -> None:
    """Note what has ended, before what still runs, so that it goes first; tags may follow. code: None if not told."""
    status, *names = (str(one).partition("<")[0] for one in (status, *ids))
    if status not in ("completed", "failed", "killed", "stopped"):
        return
    over = [command for job, command in state["jobs"].items() if job in names and command]
    jobs = ((job, "" if job in names else command) for job, command in state["jobs"].items())
    state["jobs"] = dict(sorted(jobs, key=lambda one: bool(one[1])))
    folder, state["folder"] = state["folder"], state["root"]  # from there a job is told
    for command in over if status in ("completed", "failed") else ():
        if code == 0:
            succeeded(state, command, "")
        elif isinstance(code, int) and code <= 128:  # else a signal ended it
            failed(state, "Bash", command, f"Exit code {code}")
    state["folder"] = folder


_RETURNED: dict[str, Callable[[Worklog, str, Mapping[str, Any]], None]] = {
    "Read": _read,
    "ExitPlanMode": agreed,
    "AskUserQuestion": _asked,
    "Skill": lambda state, about, _: instructed(state, f"skill {about}"),
    **dict.fromkeys(("BashOutput", "KillShell", "TaskStop"), _looked),
    "TaskList": lambda state, _, told: plan.listed(state, told.get("tasks")),
}


def failed(state: Worklog, tool: str, about: str, text: str) -> None:
    """A call that the client calls failed. It may stop the work, but for a look or a search that finds nothing."""
    if outputs.last_lines(text) == ["nothing to commit, working tree clean"] and _only_commits(about):
        return
    if tool == "Bash" and commands.ends_with_look(about):
        shown, is_own = outputs.without_code(text), outputs.exit_code(text) in (1, 2)
        if not shown.strip():
            return
        counted = outputs.passes(shown)
        is_count = shown.strip().isdigit()  # as of `grep -c`
        if is_own and outputs.tests_passed(shown) and (counted or is_count or commands.shows_looks_alone(about)):
            if counted or not commands.runs_tests(about):
                succeeded(state, about, shown)
            return
    if tool == "Bash":  # what else stands on its line may have failed
        _committed(state, about, text, ok=False)
        is_test = commands.runs_tests(about) and not commands.has_own_exit(about)
        _run(state, about, bool(is_test and outputs.passes(text)) and outputs.tests_passed(text), text)
    if (tool == "Bash" and not commands.is_look(about)) or tool in (*EDIT_TOOLS, "WebFetch", "Agent", "Task"):
        _error(state, tool, _placed(state, about) if tool == "Bash" else about, text)


def succeeded(state: Worklog, command: str, text: str) -> None:
    """A command that ended well, as far as its exit code tells; a test run may have counted failures all the same."""
    _committed(state, command, text)
    is_told = commands.has_own_exit(command) or not commands.runs_tests(command)
    passed = is_told or (outputs.tests_passed(text) and not outputs.printed_code(command, text))
    run = _run(state, command, passed, text)
    at = run["command"]
    if not passed:
        _error(state, "Bash", at, text)
        return
    if outputs.ran_none(command, text):
        return
    left = list[OpenError]()
    for error in state["errors"]:
        if error["n"] < state["away"]:  # what is checked now is not what failed
            left.append(error)
        elif not (works(run) and f"{at} && ".startswith(f"{error['at']} && ")):  # it, or more behind it
            left.append(_with_run(error, run))
    state["errors"] = left


def _committed(state: Worklog, command: str, text: str, ok: bool = True) -> None:
    """Note what was committed; a conflict is over with it, and a commit that was not made."""
    if made := redacted(commands.commit_made(command, text, ok)):
        here = _where(_placed(state, command))
        for one in made.splitlines():
            state["commits"] = newest(state["commits"], clip(one, 160), 12)
        if commands.amends(command) and not here:
            del state["commits"][-2:-1]
        state["dirty"] = False
        there = [one for one in state["errors"] if _where(one["at"]) == here]
        over = [one for one in there if one["what"].startswith("CONFLICT ") or _only_commits(one["at"])]
        state["errors"] = [one for one in state["errors"] if one not in over]


def _only_commits(command: str) -> bool:
    """Whether it is a commit, with nothing but git's work on its line."""
    verbs = [commands.git_words(step.words)[:1] for step in steps(command) if step.words[:1] != ["cd"]]
    return verbs[-1:] == [["commit"]] and all(verbs)


def _where(placed: str) -> str:
    """The folder of a command that ran elsewhere, as it is told; "" where it ran in the session's own."""
    return placed.partition(" && ")[0] if placed.startswith("cd ") else ""


def _with_run(error: OpenError, run: Run) -> OpenError:
    """With a run that may answer it: it begins alike, tests too, or names the program that was missing."""
    command, program = run["command"], outputs.missing_program(error["what"])
    is_named = program and program in (unquoted(word) for step in steps(command) for word in step.words)
    is_near = check_runs.touches(command, error["at"]) or (is_named and not commands.is_look(command))
    if error.get("tool", "Bash") != "Bash" or not is_near or check_runs.moves(command, False) is not None:
        return error
    ran = [*error.get("ran", []), *error["tried"][-1:], as_told(run)][-2:]
    answered: OpenError = {**error, "answered": True} if may_answer(run, error["at"]) else error
    return {**answered, "tried": [], "ran": ran}


def failing_checks(state: Worklog) -> list[OpenError]:
    """The open errors of checks that have checked something, where nothing that may have answered them went well."""
    codes = {run["command"]: run["exit"] for run in state["runs"]}
    ran = (one for one in state["errors"] if one.get("tool", "Bash") == "Bash")
    checks = [one for one in ran if "answered" not in one and check_runs.is_check(one["at"])]
    found = (one for one in checks if outputs.missing_program(one["what"]) not in one["at"].split())
    return [one for one in found if not outputs.ran_none(one["at"], one["what"], codes.get(one["at"]))]


def changed(state: Worklog, path: str, created: bool) -> None:
    """A file that was written or edited."""
    edits = dict(state["edits"])
    known = edits.pop(path, FileEdits(times=0, created=False))
    edits[path] = {"times": known["times"] + 1, "created": known["created"] or created}
    state["edits"] = dict([*edits.items()][-75:])
    state["changed"] = newest(state["changed"], path, 300)
    state["dirty"], state["edited"], state["away"] = True, state["messages"], 0  # the work goes on there
    done = f"edited {basename(path)}"
    state["errors"] = [
        {**one, "tried": newest(one["tried"], done, 4)} for one in state["errors"] if one["at"] != _at(path)
    ]


def _at(about: str) -> str:
    """A command or path as runs and errors name it."""
    return clip(about, 400)


def _placed(state: Worklog, command: str) -> str:
    """By where it runs: a result's row has the folder behind it, the one before that in which it was called."""
    return plainly(command, state["folder"], state["root"])


def _run(state: Worklog, about: str, ok: bool, text: str) -> Run:
    """Note how a command ended; a check that checked nothing is none that others go by."""
    is_test, counted = commands.runs_tests(about), ""
    if is_test:
        counted = "".join(outputs.failures(text)[:1] if not ok else ()) or outputs.passes(text)
    code = 0 if ok else outputs.exit_code(text)
    if not commands.has_own_exit(about):
        printed = outputs.printed_code(about, text)
        code = printed if ok or printed else None
    is_shown = not ok or code is not None or "head" not in about or not outputs.cuts_end(about, text)
    run: Run = {
        "n": state["messages"],
        "command": _at(_placed(state, about)),
        "ok": ok,
        "exit": code,
        "end": clip(redacted(counted) or "".join(outputs.end_of(text, 1)), 300) if is_shown else "",
    }
    away = check_runs.moves(run["command"], bool(state["away"]), text, state["branch"])
    if away or ok:  # a way back that failed is none
        _moved(state, away)
    if not ok or not outputs.ran_none(about, text):
        state["runs"] = newest(state["runs"], run, 40, itemgetter("command"))
        if is_test:
            state["tests"] = newest(state["tests"], run, 12, itemgetter("command"))
    return run


def _moved(state: Worklog, away: bool | None) -> None:
    """Note that other sources are there, or (False) those of before: what was checked meanwhile is none of them."""
    if away:
        state["away"] = state["away"] or state["messages"]
    elif away is False and state["away"]:
        both: tuple[list[Any], ...] = (state["runs"], state["tests"], state["errors"])
        for found in both:
            found[:] = [one for one in found if one["n"] < state["away"]]
        state["away"] = 0


def _error(state: Worklog, tool: str, about: str, text: str) -> None:
    at, ended = _at(about), outputs.ended(text)
    named = [*map(redacted, outputs.failures(text)[:3])] if commands.runs_tests(about) else []
    named = sorted(named, key=lambda line: line.startswith("="))  # pytest's sum behind what it sums up
    what = clip(" / ".join(ended if named in ([], ended[-1:]) else named), 300)  # a sum alone names nothing
    before = next((error for error in state["errors"] if error["at"] == at), None)
    if before and before["n"] < state["away"]:  # it stands for the work's own sources
        return
    tried = before["tried"] if before else []
    error: OpenError = {"at": at, "what": what, "n": state["messages"], "tried": tried, "tool": tool}
    state["errors"] = newest(state["errors"], error, 8, itemgetter("at"))
