"""What a clone may bring: files that block, programs that want to run, links, a config, names."""

import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

from holdfast.hot import wiring
from hostile.place import EVENTS, ROOT, Place, files_of

Case = Callable[[Place], str]
WORK = "Fix the login in src/login.py. Never touch the cookie."


def worked(place: Place) -> Place:
    """A bit of work in the transcript."""
    place.user(WORK)
    place.did("Edit", file_path=str(place.project / "src/login.py"), old_string="x", new_string="y")
    place.did("Bash", "1 failed", failed=True, command="pytest -q")
    place.says("Half done.", 150_000)
    return place


def disturbed(place: Place) -> str:
    """What of all that ran would have disturbed the session."""
    return next(filter(None, (ran.wrong() for ran in place.ran)), "")


def in_place(names: Sequence[str], make: Callable[[Path], object]) -> Case:
    """Something else stands at names of the project, of its `.git` or of the state folder, and all events fire."""

    def case(place: Place) -> str:
        worked(place)
        for name in names:
            path = place.transcript if name == "transcript" else place.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            make(path)
        place.session()
        return disturbed(place)

    return case


def fifo(*names: str) -> Case:
    """A pipe that nobody writes to."""
    return in_place(names, os.mkfifo)


def linked(name: str, target: str) -> Case:
    """A link to a device."""
    return in_place((name,), lambda path: path.symlink_to(target))


KINDS: tuple[Callable[[Path], object], ...] = (
    *(os.mkfifo, lambda path: path.symlink_to("/dev/ptmx"), lambda path: path.symlink_to("/dev/zero")),
)
"""A pipe, a terminal, endless zeros."""


def session_files(place: Place) -> str:
    """After a session each file of it, of the memory and of the logs is one of these: no event waits."""
    worked(place).says('RULE: "Never touch the cookie."')
    for make in (lambda path: None, *KINDS):
        for path in [*place.state.rglob("*"), place.transcript]:
            if make in KINDS and not path.is_dir() and path.name != ".gitignore":  # git would wait for that one, once
                path.unlink()
                make(path)
        place.session(*EVENTS, "PreToolUse.Agent", "PostToolUse.Agent", "SubagentStop.first", "StatusLine")
        place.fire("SessionStart.resume")
    return disturbed(place)


def team_files(place: Place) -> str:
    """A pipe beside the team's database, a folder in its place, a file of 2,000 folders that somebody holds: no event
    waits, and a large result becomes a digest.
    """
    team, many = place.state / "team", "all is well in this line\n" * 4_000
    (base := team / "team.sqlite").parent.mkdir(parents=True)
    (team / "held").write_text(f"somebody /none{'/a' * 2_000}\n")
    sqlite3.connect(base).executescript("CREATE TABLE x(a); INSERT INTO x VALUES (1)")
    os.mkfifo(f"{base}-journal")
    worked(place).session(*EVENTS[:-1], "PreToolUse.Edit")
    for path in team.glob("team.sqlite*"):
        path.unlink()
    (base / "x").mkdir(parents=True)
    (team / "held").write_text(f"somebody /none{'/a' * 2_000}\n")
    output = {"stdout": many, "stderr": "", "interrupted": False, "isImage": False}
    if "Holdfast digest" not in place.fire("PostToolUse.Bash", tool_response=output).out:
        return "a large result stays as it is"
    place.session("PreToolUse.Edit", "SessionEnd")
    return disturbed(place)


def named_journal(place: Place) -> str:
    """A journal beside the team's database names a file of the user's, as one of several databases': it stays."""
    base, precious = place.state / "team" / "team.sqlite", place.home / "precious"
    base.parent.mkdir(parents=True)
    (base.parent / "held").write_text("somebody /x\n")
    sqlite3.connect(base).executescript("CREATE TABLE x(a); INSERT INTO x VALUES (1)")
    precious.write_text("mine")
    magic, name = bytes.fromhex("d9d505f920a163d7"), str(precious).encode()
    head = magic + struct.pack(">5I", 0, 1, base.stat().st_size // 4096, 512, 4096)
    tail = struct.pack(">I", (1 << 30) // 4096 + 1) + name + struct.pack(">2I", len(name), sum(name)) + magic
    Path(f"{base}-journal").write_bytes(head.ljust(512, b"\0") + tail)
    worked(place).session("SessionStart.startup", "PreToolUse.Edit", "SessionEnd")
    return disturbed(place) if precious.exists() else "the file is gone"


def own_config(place: Place) -> str:
    """The user's own config.json is one of these: it counts for nothing, and the user is told."""
    path = place.home / ".claude" / "holdfast" / "config.json"
    path.parent.mkdir(parents=True)
    for number, make in enumerate(KINDS):
        path.unlink(missing_ok=True)
        make(path)
        start, *_ = place.session("SessionStart.startup", "UserPromptSubmit", "Stop", session_id=f"one-{number}")
        if f"{path}: this is no plain file" not in start.reply.get("systemMessage", ""):
            return "the user is not told"
    return disturbed(place)


def sparse_config(place: Place) -> str:
    """A config.json of 4 GB: read within a bound."""
    place.state.mkdir(parents=True)
    with (place.state / "config.json").open("wb") as file:
        file.truncate(4 << 30)
    place.session("SessionStart.startup", "Stop")
    return disturbed(place)


def linked_config(place: Place) -> str:
    """config.json is a link to a file outside: it is no config."""
    place.state.mkdir(parents=True)
    (place.root / "other.json").write_text(json.dumps({"no-such-KEY": 1}))
    (place.state / "config.json").symlink_to(place.root / "other.json")
    start = place.fire("SessionStart.startup")
    return disturbed(place) or ("it was read" if "no-such-KEY" in start.out else "")


def skills(place: Place) -> str:
    """The skills of the plugin name and allow the installed command alone; those dropped in, the pack in the home."""
    installed = 'Bash("${CLAUDE_PLUGIN_ROOT}/bin/holdfast" '
    for path in sorted((ROOT / "skills").glob("*/SKILL.md")):
        text = path.read_text()
        if ".claude/holdfast/pack" in text or text.count("Bash(") != text.count(installed):
            return f"{path.parent.name} allows or names another program"
    place.install()
    own = "$HOME/.claude/holdfast/pack/bin/holdfast"
    for path in sorted((place.project / ".claude" / "skills").glob("*/SKILL.md")):
        text = path.read_text()
        named = set(re.findall(r"[^\s\"'`(]*bin/holdfast", text))
        if not named <= {own} or not all(own in one for one in re.findall(r"Bash\(([^)]*)", text)):
            return f"dropped in, {path.parent.name} names {named}"
    return ""


def shadows(place: Place) -> str:
    """The project has modules with names of the library: no hook, command or installer imports them."""
    for name in ("importlib", "os", "re", "json", "subprocess", "compileall", "py_compile", "venv", "sitecustomize"):
        (place.project / f"{name}.py").write_text(f"open({str(place.marker)!r}, 'w')\n")
    worked(place).session()
    place.holdfast("status")
    place.start(
        "set-up", [str(ROOT / "bin" / "holdfast"), "doctor"], b"", XDG_CACHE_HOME=str(place.root), HOLDFAST_OFF="1"
    )
    place.install()
    place.session("SessionStart.startup", "Stop")
    return "a module of the project ran" if place.marker.exists() else ""


def committed_environment(place: Place) -> str:
    """A committed pack, env/, interpreter and compiled library: nothing of them is run."""
    env, pack = place.state / "env", place.state / "pack" / "hooks"
    evil = f"open({str(place.marker)!r}, 'w')\n"
    site = env / "lib" / "python3.11" / "site-packages" / "pydantic"
    site.mkdir(parents=True)
    (site / "__init__.py").write_text(evil)
    place.program(env / "bin" / "python")
    pack.mkdir(parents=True)
    (pack / "interpreter").write_text(f"{place.program(place.project / 'python3')}\n{site.parent}\n\n")
    (pack / "holdfast").mkdir()
    (pack / "holdfast" / "__init__.py").write_text(evil)
    place.program(pack / "run")
    place.install()
    place.session("SessionStart.startup", "Stop")
    baked = (place.pack / "hooks" / "interpreter").read_text().splitlines()
    if place.marker.exists() or baked[0] != place.python:
        return "it ran" if place.marker.exists() else f"{baked[0]} is baked in"
    return disturbed(place)


def named_programs(place: Place) -> str:
    """PATH and the places of the environment lead into the project, with a program of every name: none of it runs."""
    names = ("claude", "git", "python3", "python3.11", "python3.13", "cat", "mv", "rm", "readlink", "xdg-open", "node")
    for name in names:
        place.program(place.project / "tools" / name)
        place.program(place.project / name)
    evil = place.project / "rel"
    for inner in (f"holdfast/env/python{v}-x/bin/python" for v in ("3.11", "3.12", "3.13")):
        place.program(evil / inner)
    place.program(evil / ".pyenv" / "versions" / "1" / "bin" / "python3")
    (evil / "interpreter").write_text(f"{place.project}/python3\n\n\n")
    real = place.env.get("PATH") or os.environ.get("PATH", "")
    bare = {"PATH": f".::tools:{place.project / 'tools'}:{real}", "CLAUDE_PROJECT_DIR": str(place.project)}
    bare["PIP_NO_INDEX"] = "1"  # a set-up goes all its way, and fetches nothing
    relative = dict.fromkeys(("XDG_CACHE_HOME", "CLAUDE_PLUGIN_DATA", "CLAUDE_CONFIG_DIR", "TMPDIR"), "rel")
    for more in ({}, relative, {**relative, "HOME": "rel"}):
        place.start(
            "holdfast doctor", [str(ROOT / "bin" / "holdfast"), "doctor"], b"", HOLDFAST_OFF="1", **bare, **more
        )
        place.start("Stop", [str(ROOT / "hooks" / "run"), "stop"], b"{}", **bare, **more)
    (place.data / "interpreter").unlink()
    place.env |= bare
    worked(place).session()
    place.install()
    place.session()
    shutil.rmtree(place.pack)
    place.session("SessionStart.startup", "PreCompact.auto", "Stop")
    return "a program of the project ran" if place.marker.exists() else disturbed(place)


def silenced(place: Place) -> str:
    """Settings hold what our hooks look like, in notes, at other events, with shell code behind, or the hook itself in
    a file that the client drops: the plugin speaks.
    """
    launcher = place.home / ".claude" / "holdfast" / "pack" / "hooks" / "run"
    launcher.parent.mkdir(parents=True)
    launcher.touch()
    table = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    [start] = [dict(hook) for group in table["SessionStart"] for hook in group["hooks"]]
    [name] = start.pop("args")
    very = {**start, "command": wiring.shell_command(name)}
    ours = 'HOLDFAST_RUN="$HOME/.claude/holdfast/pack/hooks/run"; [ -r "$HOLDFAST_RUN" ] && set -- session_start'
    command = ours + ' && . "$HOLDFAST_RUN"; {}'
    real = {"type": "command", "command": command.format("cat >/dev/null"), "timeout": 15}
    forged = (
        {"hooks": {"SessionStart": [{"hooks": [very]}]}, "permissions": 5},
        {"note": real},
        {"hooks": {"SessionEnd": [{"hooks": [real]}]}},
        {"hooks": {"SessionStart": [{"hooks": [{**real, "timeout": 0.01}]}]}},
        {"hooks": {"SessionStart": [{"hooks": [real], "matcher": "never"}]}},
        {"hooks": {"SessionStart": [{"hooks": [{**real, "command": command.format("(")}]}]}},
    )
    for name in ("settings.json", "settings.local.json"):
        for one in forged:
            path = place.project / ".claude" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(one))
            if not place.fire("SessionStart.startup", session_id=f"{name}-{forged.index(one)}").context:
                return f"silent by {path.read_text()[:60]}"
            path.unlink()
    return disturbed(place)


def compiled_by_others(place: Place) -> str:
    """The library unmarshals nothing: no compiled form of a state folder is code."""
    found = [
        path.name
        for path in (ROOT / "hooks").rglob("*.py")
        if "marshal" in path.read_text() or "pickle" in path.read_text()
    ]
    return f"{found[0]} does" if found else ""


def leads_out(name: str) -> Case:
    """A folder of the state leads to a folder of the user's: nothing there is read, written, chmod'ed or removed."""

    def case(place: Place) -> str:
        victim = place.root / "victim"
        for inner in ("", "sessions/old", "memory/decisions", "logs", "agents", "marks"):
            (folder := victim / inner).mkdir(parents=True)
            (folder / "mine.md").write_text("mine")
            os.utime(folder, (1_000_000_000, 1_000_000_000))
        before = files_of(victim)
        if name.startswith(".git/"):
            subprocess.run(["git", "init", "-q"], cwd=place.project, check=True, capture_output=True)
        path = place.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(victim)
        worked(place).session(*EVENTS[:-1])  # what a session's end would remove again
        within = files_of(victim)
        place.session("SessionEnd")
        place.says('Noted.\n\nRULE: "Never touch the cookie."\n\nDECISION: use tabs because they are shorter.')
        place.session("Stop", "SessionEnd", "SessionStart.startup")
        found = (before.items() ^ within.items()) | (before.items() ^ files_of(victim).items())
        return next((f"{key} was touched" for key, _ in found), disturbed(place))

    return case


def allowed_to_lead_out(place: Place) -> str:
    """The user's own HOLDFAST_DIR leads out: there the state goes."""
    elsewhere = place.root / "elsewhere"
    place.env["HOLDFAST_DIR"] = str(elsewhere)
    worked(place).session()
    return disturbed(place) or ("" if (elsewhere / "sessions").is_dir() else "it is not obeyed")


def install_targets(place: Place) -> str:
    """`.claude/settings.json`, the skills, the pack lead out: the installer refuses, and nothing is written there."""
    victim = place.root / "victim"
    victim.mkdir()
    (victim / "settings.json").write_text("{}")
    for name in ("settings.json", "skills", "agents", "holdfast"):
        before = files_of(victim)
        link = place.project / ".claude" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(victim / "settings.json" if name.endswith(".json") else victim)
        place.install()
        if files_of(victim) != before:
            return f"{name} was written through"
        if link.is_symlink():
            link.unlink()
        subprocess.run(["rm", "-rf", str(place.project / ".claude")], check=True)
    return ""


def odd_targets(place: Place) -> str:
    """Links that lead nowhere, folders and pipes in the place of our files: refused in words; taking out goes on."""
    place.state.mkdir(parents=True)
    link = place.project / ".claude" / "settings.json"
    link.symlink_to("../made-by-it.json")
    place.install()
    if (place.project / "made-by-it.json").exists():
        return "a link was written through"
    link.unlink()
    for make in (Path.mkdir, os.mkfifo):
        make(place.state / "here")
        refused, out = place.install(), place.install("--uninstall")
        if not refused.code or out.code or "Traceback" in refused.err + out.err:
            return f"here: {refused.code} {out.code} {out.err[-90:]}"
        place.install("--uninstall", "--purge")
        place.state.mkdir(parents=True, exist_ok=True)
    (skill := place.project / ".claude" / "skills" / "holdfast-x").parent.mkdir(exist_ok=True)
    skill.symlink_to("/usr")
    if "/usr" in (ran := place.install("--uninstall")).out or ran.waited > 5:
        return f"a link was walked through, {ran.waited:.1f} s"
    return ""


def listed_files(place: Place) -> str:
    """A committed install.json lists files outside, by climbing and by full paths: uninstalling leaves them."""
    victim = place.root / "victim.md"
    victim.write_text("mine")
    listed = dict.fromkeys(("../../victim.md", str(victim), "agents/mine.md", "skills/../../README.md"), "")
    (place.project / "README.md").write_text("mine")
    (place.project / ".claude" / "agents").mkdir(parents=True)
    (place.project / ".claude" / "agents" / "mine.md").write_text("mine")
    place.state.mkdir()
    for version in (1, 2):
        record = {"version": version, "mark": "", "before": None, "left": "", "files": listed, "made_folder": True}
        (place.state / "install.json").write_text(json.dumps(record))
        place.install("--uninstall", "--purge")
        for path in (victim, place.project / "README.md", place.project / ".claude" / "agents" / "mine.md"):
            if not path.exists():
                return f"{path.name} was removed"
        place.state.mkdir(exist_ok=True)
    return ""


def config_takes_away(place: Place) -> str:
    """A project's config switches hooks and features off and shortens what is kept: all goes on, one line says what."""
    place.state.mkdir(parents=True)
    taken = {"hooks.off": EVENTS_OFF, "retention.days": 1, "restore": {"on": False, "max_chars": 500}}
    allowed = {"digest.on": False, "suggest.on": False, "handoff.limit": 501, "handoff.agents": ["a"], "suggest.gap": 9}
    text = json.dumps({"checkpoint.on": False, "memory.mode": "off", **taken, **allowed})
    (place.state / "config.json").write_text(text)
    worked(place)
    first = place.fire("SessionStart.startup")
    if not any(all(f"{key} is " in line for key in allowed) for line in first.lines):
        return f"not all that it changes is told: {first.lines}"
    place.session("PreCompact.auto", "Stop")
    if not any("login" in text for text in place.ran[-2].told):
        return "PreCompact was silenced without a word"
    said = [line for line in first.lines if "hooks.off" in line]
    again = [line for line in place.fire("SessionStart.startup").lines if "hooks.off" in line]
    if len(said) != 1 or again:
        return f"it is told {len(said)} times, then {len(again)} times"
    return disturbed(place)


def home_as_project(place: Place) -> str:
    """The home is the project: what the user has switched off there is off, and nothing of it is refused."""
    place.project = place.home
    place.state.mkdir(parents=True)
    (place.state / "config.json").write_text(json.dumps({"hooks.off": ["PreCompact"], "memory.mode": "off"}))
    worked(place)
    if refused := [line for line in place.fire("SessionStart.startup").lines if "config.json" in line]:
        return f"their own settings are refused: {refused}"
    return "a hook that is off speaks" if place.fire("PreCompact.auto").out else disturbed(place)


EVENTS_OFF = ["SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStart", "SubagentStop", "PreCompact", "Stop"]
