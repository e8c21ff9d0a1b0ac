"""Is everything that the hooks need in place, and does each hook run? Works without any package.

Every hook is fired once, as the client would, in a throw-away project.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from holdfast.config import edit, load
from holdfast.errors import BadInput
from holdfast.hot import paths, presence
from holdfast.hot.files import names_in, read_text
from holdfast.hot.paths import PACK, InState
from holdfast.hot.patterns import matches
from holdfast.hot.programs import program
from holdfast.hot.provenance import PRIVATE, is_real
from holdfast.hot.wiring import MANAGED, settings_files
from holdfast.install import environment, observed, pack, settings
from holdfast.install.results import Diagnosis, Examined
from holdfast.memory import location
from holdfast.session.context import stamp, usable_state

TESTED = "Holdfast was tested with Claude Code 2.1.329"

# script -> what its payload says beside the fields that every event has
PAYLOADS: dict[str, dict[str, Any]] = {
    "session_start": {"hook_event_name": "SessionStart", "source": "startup"},
    "user_prompt_submit": {"hook_event_name": "UserPromptSubmit", "prompt": "hello"},
    "handoff_wake": {"hook_event_name": "UserPromptSubmit", "prompt": "<task-notification>"},  # else it does not look
    "pre_tool_use": {"hook_event_name": "PreToolUse", "tool_name": "Agent", "tool_input": {"prompt": "look"}},
    "post_tool_use": {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": {"stdout": ""}},
    "post_tool_use_failure": {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "error": ""},
    "subagent_start": {"hook_event_name": "SubagentStart", "agent_id": "a1", "agent_type": "Explore"},
    "subagent_stop": {"hook_event_name": "SubagentStop", "agent_id": "a1", "last_assistant_message": "PROCEED"},
    "pre_compact": {"hook_event_name": "PreCompact", "trigger": "manual", "custom_instructions": None},
    "post_compact": {"hook_event_name": "PostCompact", "trigger": "manual", "compact_summary": "Nothing yet."},
    "stop": {"hook_event_name": "Stop", "stop_hook_active": False, "last_assistant_message": "Done."},
    "session_end": {"hook_event_name": "SessionEnd", "reason": "other"},
    "status_line": {"context_window": {"context_window_size": 200_000, "total_input_tokens": 1_000}},
}


def examined() -> Examined:
    """Everything, in the order in which it is to be mended."""
    found = list(_findings(str(Path(__file__).resolve().parents[2])))
    return Examined(all(one.ok for one in found), found)


def _findings(hooks: str) -> Iterator[Diagnosis]:
    data = os.environ.get("CLAUDE_PLUGIN_DATA")
    baked = environment.read_sidecar(f"{data or hooks}/{environment.SIDECAR}")
    yield _copy(hooks)
    yield _interpreter(baked)
    yield _packages(baked)
    yield _wired()
    yield _writable()
    yield _client()
    yield from _state()
    for name, milliseconds, trouble in fire_all(hooks):
        off = _switched_off(PAYLOADS[name].get("hook_event_name", ""))
        what, todo = trouble or off or f"{milliseconds:.0f} ms", "Install this pack again (see README), or report it"
        yield Diagnosis(f"hook {name}", not trouble, what, todo, off=bool(off and not trouble))


def _copy(hooks: str) -> Diagnosis:
    """Which one is looked at: a checkout has no interpreter and packages of its own."""
    own, other = os.path.dirname(hooks), str(pack.user_folder() / "pack")
    is_other = os.path.isdir(other) and os.path.realpath(other) != os.path.realpath(own)
    apart = f"; projects run the pack at {other}; check that one with: {other}/bin/holdfast doctor" if is_other else ""
    return Diagnosis("pack", True, own + apart)


def _interpreter(baked: environment.Baked | None) -> Diagnosis:
    if baked and os.access(baked.python, os.X_OK):
        return Diagnosis("interpreter", True, baked.python)
    what = f"none is chosen for the hooks yet (this is Python {sys.version.split()[0]})"
    what = f"{baked.python} is gone, or is no program" if baked else what
    todo = "Run `holdfast install`, or start a session with the plugin once"
    return Diagnosis("interpreter", False, what, todo)


def _packages(baked: environment.Baked | None) -> Diagnosis:
    site = baked.site if baked else ""
    missing = environment.missing_packages(site)
    what = f"missing: {', '.join(missing)}; token counts are estimates" if missing else site
    return Diagnosis("packages", not missing, what, "Run `holdfast install` while online")


def _wired() -> Diagnosis:
    """Whether Claude Code knows the hooks where it is started: dropped into this project, or as a plugin."""
    project, is_agents = paths.project_folder(), "CLAUDE_CODE_SESSION_ID" in os.environ  # its shell may be anywhere
    start = os.environ.get("CLAUDE_PROJECT_DIR") or (project if is_agents else os.getcwd())
    found = settings.wired(start)
    dropped, gone, is_whole = found.dropped, found.gone, bool(found.dropped and not found.lacking)
    if found.disabled:
        what, is_managed = f"switched off: {found.disabled}", f" in {MANAGED}/" in found.disabled
        todo = "Ask whoever manages this machine" if is_managed else "Take it out of that file"
        return Diagnosis("hooks wired", False, what, todo)
    lacks = f"{gone}, which is gone" if gone else f"{dropped} lacks hooks of Holdfast's at {', '.join(found.lacking)}"
    told = [f"by the entries in {dropped}" if is_whole else lacks] if dropped else []
    listed = "it steps aside here; its skills and agents are listed a second time"
    aside = f" ({listed} until you run here: {presence.DISABLE})" * is_whole
    told += [f"by the plugin that {found.enabled} enables{aside}"] if found.enabled else []
    told += [f"{found.absent} enables the plugin, which is not installed"] if found.absent else []
    told += [f"{found.torn}: Claude Code ignores that whole file"] if found.torn else []
    if found.enabled or is_whole:
        return _seen("; ".join(told), start, dropped if is_whole else found.enabled)
    above = settings.wired(project)
    if above.dropped and not above.lacking:
        what = f"{above.dropped} does not hold for sessions that are started here, in {start}"
        return Diagnosis("hooks wired", False, what, f"Start Claude Code in {shlex.quote(project)}")
    install = f"`holdfast install {shlex.quote(project)}`"
    out = f", or take it out: {install[:-1]} --uninstall`" * (gone.startswith(f"{project}/") and gone.endswith(PACK))
    todo = f"Install it again: {install}{out}" if gone else f"Run {install}, or /plugin install (see README)"
    todo = "Mend it, and ask again" if found.torn else todo
    if paths.is_one(project, os.environ.get("HOME", "")):
        todo = "This is your home, which takes the plugin alone: /plugin install (see README)"
    what = "; ".join(told) or f"no entry in {project}/.claude/settings.json or settings.local.json, no plugin"
    return Diagnosis("hooks wired", False, what, todo)


def _seen(what: str, start: str, entries: str) -> Diagnosis:
    """Whether hooks that should run do. entries: the file that has them."""
    files, state = settings_files(start), paths.state_folder()
    users = os.path.dirname(files[-1])
    since = observed.changed([*files, f"{users}/plugins/installed_plugins.json"])
    when, seen = observed.ran_none(start, state, users, since), observed.signed(state)
    if when > seen:
        what = f"{what}, but the client's last session here, at {stamp(when)}, ran no hook of Holdfast"
        todo = "Start Claude Code here: it says what it cannot take of its settings, and /hooks has those that run"
        return Diagnosis("hooks wired", False, what, todo)
    is_seen = seen > observed.changed([entries])
    what += "" if is_seen else "; none has run since that file was changed"
    return Diagnosis("hooks wired", True, what, unchecked=not is_seen)


def _writable() -> Diagnosis:
    """Asked, not tried: looking writes nothing. Also what is within `.git`, and the folders in each."""
    try:
        state = usable_state("")
        memory = location.folder_of()
    except BadInput as refused:
        return Diagnosis("write access", False, f"{refused.where}: {refused.what}", refused.todo)
    cache = location.cache_of(memory)
    places = [state, memory, os.path.dirname(cache), cache]
    top, shut, why = next(((top, *found) for top in places if (found := _shut(top))[0]), ("", "", ""))
    if not shut:
        return Diagnosis("write access", True, state)
    todo, owner = "Make it one that you may write, or set HOLDFAST_DIR", os.lstat(shut).st_uid
    is_ours = is_real(shut) and f"{shut}/".startswith(f"{top}/")
    if is_ours and owner != os.geteuid():  # as one `sudo claude` left it
        why += f", and belongs to user {owner}"
        todo = f'Make it yours: `sudo find {shlex.quote(top)} -user {owner} -exec chown -h "$(id -un)" {{}} +`'
    return Diagnosis("write access", False, f"{top}: " * (top != shut) + f"{shut} {why}", todo)


def _shut(place: str) -> tuple[str, str]:
    """The folder there, in it, or above where it is not there yet, that cannot be used, and why; "" for none."""
    own = ("sessions", InState.MEMORY, *PRIVATE)
    inner = [one for name in names_in(place) if is_real(one := f"{place}/{name}") or name in own]
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    for one in (place, *inner):
        if not os.path.isdir(one) or (one in inner and not is_real(one)):
            return one, "is a link or a file, not a folder"
        if not os.access(one, os.W_OK | os.X_OK):
            return one, "may not be written"
    return "", ""


def _client() -> Diagnosis:
    """The client's version; the pack was tested with one, others usually work."""
    path = os.environ.get("CLAUDE_CODE_EXECPATH", "")
    path = path if paths.is_whole(path) else program("claude")
    if not path:
        what = f"not checked: claude is not on PATH; {TESTED}"
        return Diagnosis("client", True, what, unchecked=True)
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return Diagnosis("client", False, f"{path} --version failed: {error}", "Check the installation of Claude Code")
    version = told.split()[0] if told.split() else "unknown"
    return Diagnosis("client", True, f"{version}; {TESTED}")


def _state() -> Iterator[Diagnosis]:
    """The settings, and what hooks have kept to themselves."""
    state = paths.state_folder()
    values, problems = load.load(state, os.environ)
    todo = "Correct that, or take it out; `holdfast config schema` has what a setting may be"
    yield Diagnosis("configuration", not problems, "; ".join(problems) or "fine", todo)
    for key, value in values.items():
        if value in (False, "off") and value != load.KEYS[key]["default"]:
            yield Diagnosis(key, True, _said_by(key), off=True)
    log = f"{state}/{InState.FAULTS}"
    faults = read_text(log).splitlines()[-3:]
    yield Diagnosis("fault log", not faults, " | ".join(faults) or "empty", f"Delete {log} when it is mended")


def _switched_off(event: str) -> str:
    """Who keeps the hooks of an event from running; "" when nobody does."""
    if os.environ.get("HOLDFAST_OFF") == "1":
        return "by HOLDFAST_OFF=1 in the environment"
    values, _ = load.load(paths.state_folder(), os.environ)
    return _said_by("hooks.off") if event and matches(event, values["hooks.off"]) else ""


def _said_by(key: str) -> str:
    said = next(one for one in edit.why(key, paths.state_folder(), os.environ) if not one.note)
    return f"by {key} in {said.source}"


def fire_all(pack: str) -> Iterator[tuple[str, float, str]]:
    """(script, milliseconds, what went wrong or "") for each hook in turn."""
    with tempfile.TemporaryDirectory(prefix="holdfast-doctor-") as project:
        os.mkdir(f"{project}/.git")  # else a repository that the temporary folder lies in is the project
        for script, fields in PAYLOADS.items():
            common = {"session_id": "doctor", "transcript_path": f"{project}/none.jsonl", "cwd": project}
            start = time.perf_counter()
            trouble = _fire(f"{pack}/run", script, json.dumps({**common, **fields}), project)
            taken = (time.perf_counter() - start) * 1_000
            session = paths.session_folder(f"{project}/.claude/holdfast", "doctor")
            came = os.path.exists(presence.sign_of(session, script))
            yield script, taken, trouble or _fault(project) or ("" if came else "it left no sign that it ran")


def _fire(run: str, script: str, stdin: str, project: str) -> str:
    own = {"CLAUDE_PROJECT_DIR": project, "HOME": project, "CLAUDE_CODE_SESSION_ATTENDED": "1"}
    environment = {**os.environ, **own, "HOLDFAST_CHECK": "1"}  # the launcher hides no fault
    for name in ("HOLDFAST_DIR", "HOLDFAST_OFF", "CLAUDE_PLUGIN_ROOT"):  # one that is off, a plugin's, gives no sign
        environment.pop(name, None)
    try:
        done = subprocess.run(
            [run, script], input=stdin, env=environment, capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"did not run: {error}"
    return f"ended with {done.returncode}: {done.stderr.strip()[:200]}" if done.returncode or done.stderr else ""


def _fault(project: str) -> str:
    """The first line that the hook left in the fault log."""
    path = Path(project, ".claude/holdfast", InState.FAULTS)
    first = read_text(str(path)).partition("\n")[0]
    path.unlink(missing_ok=True)
    return first
