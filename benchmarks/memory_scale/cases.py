"""The cases of `holdfast bench memory`: hooks and commands that work with the memory of a project."""

import contextlib
import io
import os
import sys
from typing import Any

from benchmarks.hook_cost.cases import HOOKS
from benchmarks.hook_cost.run import Case
from benchmarks.memory_scale.material import CALLED, DONE, Project
from holdfast.errors import BadInput
from holdfast.memory.pending_sessions import FILE as TOLD

START, END = "SessionStart, ms", "SessionEnd, ms"


def start(project: Project, session: str) -> Case:
    """A new session's start."""
    fields = {"source": "startup", "model": "claude-sonnet-4-5"}
    case = hook(START, project, session, "session_start", fields)
    return case._replace(before=project.fresh(session), says=b"earlier sessions left")


def hook(name: str, project: Project, session: str, script: str, fields: dict[str, Any]) -> Case:
    """An event of a session, with the fields that this kind of event has beside the common ones."""
    make, event = project.maker(session), script.title().replace("_", "")
    return Case(name, make.command(script), make.payload(event, session, **fields), variables=variables(project))


def command(name: str, project: Project, *words: str) -> Case:
    """`holdfast memory …`, as bin/holdfast starts it in the end."""
    path = os.pathsep.join(filter(None, [HOOKS, os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-P", "-s", "-m", "holdfast", "memory", *words]
    return Case(name, command, b"", variables={**variables(project), "PYTHONPATH": path})


def variables(project: Project) -> dict[str, str]:
    """The client is this process, which runs: no session counts as cut off."""
    return {"CLAUDE_PROJECT_DIR": project.folder, "CLAUDE_PID": str(os.getpid())}


def cases(project: Project) -> list[Case]:
    """What is done in each round after the other: each leaves the memory as the next finds it."""
    decides, done = (project.decides,), {"last_assistant_message": DONE, "stop_hook_active": False}
    prompt, calls = "user_prompt_submit", {"prompt": f"why is it that {CALLED}?"}
    kept = hook("Stop, a decision kept, ms", project, "work", "stop", done)
    nothing = hook("Stop, nothing kept, ms", project, "work", "stop", done)
    end = hook(END, project, "end", "session_end", {"reason": "other"})
    recalls = hook("UserPromptSubmit, a memory called up, ms", project, "prompt", prompt, calls)
    told = b"Markdown files"
    add = command("memory add, ms", project, "add", "learning", "The store holds Markdown files, one for each")
    first = command("memory search, first after an add, ms", project, "search", "Markdown files of the store")
    return [
        kept._replace(before=project.goes_on("work", *decides)),
        nothing._replace(before=project.goes_on("work")),
        end._replace(before=project.goes_on("end", *decides)),
        recalls._replace(before=project.without("prompt", TOLD), says=b"this project's memory"),
        hook("UserPromptSubmit, nothing called up, ms", project, "prompt", prompt, {"prompt": "go on"}),
        add,
        first._replace(says=told),
        first._replace(name="memory search, ms", says=told),
        command("memory list, ms", project, "list")._replace(says=b"The store"),
    ]


def asked(project: Project, *words: str) -> str:
    """What `holdfast memory …` says, in this process. Raises BadInput where it fails."""
    from holdfast.cli.main import main

    told, before = io.StringIO(), dict(os.environ)
    os.environ.update(variables(project))
    os.environ.pop("HOLDFAST_DIR", None)
    try:
        with contextlib.redirect_stdout(told):
            code = main(["memory", *words])
    finally:
        os.environ.clear()
        os.environ.update(before)
    if code:
        raise BadInput(f"ended with {code}", f"memory {words[0]}", "Run `holdfast doctor`")
    return told.getvalue()
