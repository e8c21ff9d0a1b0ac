"""Clocks, slow input, torn rows and logs, disks, very many records, uninstalling, returns of agents."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from hostile.clone import WORK, disturbed, worked
from hostile.place import AT_ONCE, Place, returned

YEAR = 365 * 86_400  # seconds
NOBODY = 65_534
GO_ON = "os.execv(sys.argv[1], sys.argv[1:])"
SESSIONS = [f"{number}{number}{number}{number}0000-0000-4000-8000-00000000000{number}" for number in range(1, 8)]


def clock(place: Place, ahead: int, counter: int = 0, boot: str = "") -> None:
    """Let the hooks' Python believe that it is so many seconds later; counter: that the machine counted; boot: its
    start.
    """
    late, started = place.root / "late.py", str(place.root / boot) if boot else "/proc/sys/kernel/random/boot_id"
    if boot:
        Path(started).write_text(boot)
    late.write_text(
        "import os, posix, sys, time\n"
        f"opened = posix.open\nat = lambda path: {started!r} if str(path).endswith('/boot_id') else path\n"
        "posix.open = os.open = lambda path, *more, **named: opened(at(path), *more, **named)\n"
        f"real = time.time\ntime.time = lambda: real() + {ahead}\n"
        f"real_ns = time.time_ns\ntime.time_ns = lambda: real_ns() + {ahead} * 10**9\n"
        f"ticks = time.clock_gettime\ntime.clock_gettime = lambda of: ticks(of) + {counter}\n"
        "local = time.localtime\ntime.localtime = lambda s=None: local(time.time() if s is None else s)\n"
        "path = sys.argv[1]; sys.argv = sys.argv[1:]; sys.path[0] = path.rpartition('/')[0]\n"
        "import runpy; runpy.run_path(path, run_name='__main__')\n"
    )
    wrapper = place.root / "late-python"
    arguments = 'while [ "${1#-}" != "$1" ]; do [ "$1" = -X ] && shift; shift; done'
    cache = f"-X pycache_prefix='{place.compiled}'"
    wrapper.write_text(f"#!/bin/sh\n{arguments}\nexec '{place.python}' -S -E -s {cache} '{late}' \"$@\"\n")
    wrapper.chmod(0o755)
    place.baked(str(wrapper))


def kept(place: Place) -> set[str]:
    """Sessions and records that there are."""
    found = [*(place.state / "sessions").glob("*"), *(place.state / "memory").glob("*s/*.md")]
    return {str(path.relative_to(place.state)) for path in found}


def clock_ahead(place: Place, *starts: tuple[int, str]) -> str:
    """Seven sessions, then two with a clock a year ahead, the second by a day more: nothing is deleted."""
    for number, name in enumerate(SESSIONS):
        place.transcript = place.root / f"{number}.jsonl"
        place.user(WORK)
        place.says(f"Lesson: the importer {number} needs two passes over its file.\nDECISION: use way {number} for it.")
        place.session("SessionStart.startup", "Stop", "SessionEnd", session_id=name)
    before = kept(place)
    for number, ahead, start in zip((8, 9), (YEAR, YEAR + 2 * 86_400), starts or ((0, ""),) * 2, strict=True):
        clock(place, ahead, *start)
        name = f"99999999-0000-4000-8000-00000000000{number}"
        place.session("SessionStart.startup", "Stop", "SessionEnd", session_id=name)
    gone = before - kept(place)
    return f"{len(gone)} of {len(before)} are gone" if gone else disturbed(place)


def clock_over_starts(place: Place) -> str:
    """The same where the machine is started anew before each of the two."""
    counted = int(time.clock_gettime(time.CLOCK_BOOTTIME))
    return clock_ahead(place, (600 - counted, "second"), (60 - counted, "third"))


def clock_back(place: Place) -> str:
    """The clock goes back by a year in the middle of a session."""
    worked(place).session("SessionStart.startup", "PostToolUse.Bash")
    clock(place, -YEAR)
    place.session(
        "UserPromptSubmit", "PostToolUse.Bash", "PreCompact.auto", "SessionStart.compact", "Stop", "SessionEnd"
    )
    told = "".join(place.ran[-3].told)
    return disturbed(place) or ("" if "login" in told else "nothing is restored")


SHAPES = (
    *("(" * 1_000_000, "a" * 1_000_000, "*" * 1_000_000, "`" * 1_000_000, " " * 1_000_000 + "x", "\n" * 1_000_000),
    *("<" * 1_000_000, "<a " * 330_000, "[" * 1_000_000, "\\" * 1_000_000, "#" * 1_000_000, "| " * 500_000),
    *("a=" * 500_000, "a.b/" * 250_000, "- " * 500_000, "1" * 1_000_000, "-" * 1_000_000, "x:" * 500_000),
    *('"' * 1_000_000, "https://" * 125_000, "error: " * 140_000, "def a(" * 160_000, "DECISION: " * 100_000),
    *("password is " * 80_000, "eyJ." * 250_000, "@" * 1_000_000, "git commit -m '" * 66_000, "a_" * 500_000),
    *("é" * 1_000_000, "\u202e" * 1_000_000, "<b>" * 330_000, "```\n" * 250_000, "because " * 125_000),
    "\t" * 1_000_000,
)


def slow(event: str, field: str, chars: int = 1_000_000) -> Callable[[Place], str]:
    """34 texts of a megabyte, each the worst for some pattern, one event each: none takes long."""

    def case(place: Place) -> str:
        worked(place).session("SessionStart.startup")
        for shape in (text[:chars] for text in SHAPES):
            value: object = shape
            if field == "tool_response":
                value = {"stdout": shape, "stderr": "", "interrupted": False, "isImage": False}
            began = place.fire(event, **{field: value})
            if began.seconds > 2:
                return f"{shape[:12]!r} takes {began.seconds:.1f} s"
        return disturbed(place)

    return case


def slow_transcript(place: Place) -> str:
    """The same texts in a transcript, as prompts, answers, inputs and outputs: no hook takes long."""
    worked(place).session("SessionStart.startup")
    for number, shape in enumerate(SHAPES):
        text = shape[:200_000]
        place.user(text)
        place.did("Bash", text, failed=number % 2 == 0, command=text[:50_000])
        place.says(f"{text}\nDECISION: {text[:9_000]}")
        place.did("Edit", file_path=f"/{text[:4_000]}", old_string=text, new_string=text)
    place.says("Half done.", 150_000)
    for event in ("Stop", "PreCompact.auto", "SessionStart.compact", "SessionEnd"):
        ran = place.fire(event)
        if ran.seconds > AT_ONCE:
            return f"{event} takes {ran.seconds:.1f} s"
    slow_ones = [ran for ran in place.ran if ran.code or ran.err]
    return f"{slow_ones[0].what}: ended with {slow_ones[0].code}" if slow_ones else ""


def bad_rows(place: Place) -> str:
    """Rows that are torn, nested without end, of other types, NUL: what follows is still seen."""
    worked(place).session("SessionStart.startup")
    deep = '{"type":"user","message":' + "[" * 200_000 + "\n"
    values: list[object] = [None, 7, [], "x", {"content": 7}]
    call: object = {"type": "tool_use", "id": [], "name": {}, "input": 7}
    result: object = {"type": "tool_result", "tool_use_id": {}, "content": [[7]]}
    values += [{"content": [call]}, {"content": [result]}, {"content": [[], None, call, result]}]
    odd = [{"type": kind, "message": value} for kind in ("user", "assistant") for value in values]
    with place.transcript.open("a") as file:
        file.write(deep + '{"torn\n\0\0\0\n"x"\n[]\n' + "".join(json.dumps(row) + "\n" for row in odd))
    place.session("Stop", "PreCompact.auto")
    place.user("Please sharpen the otter.")
    place.did("Edit", file_path=str(place.project / "otter.py"), old_string="x", new_string="y")
    place.session("Stop", "PreCompact.auto")
    told = "".join(place.ran[-1].told)
    return disturbed(place) or ("" if "otter.py" in told else "what came later is not seen")


def dead_folds(place: Place) -> str:
    """Two hooks died at one row of the transcript: it is stepped over, and what came later is seen."""
    worked(place).session("SessionStart.startup", "Stop")
    (folder,) = (place.state / "sessions").iterdir()
    offset = place.transcript.stat().st_size
    place.user("Please sharpen the cedar.")
    place.user("Please sharpen the otter.")
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    (folder / "folding").write_text(f"{dead.pid} row {offset}")
    place.session("Stop", "PreCompact.auto")
    told = "".join(place.ran[-1].told)
    return disturbed(place) or ("" if "otter" in told and "cedar" not in told else "the row is not stepped over")


def torn_logs(place: Place) -> str:
    """A kill has torn the last line of every log: the lines behind it are whole."""
    worked(place).session("SessionStart.startup", "PreCompact.auto", "PostCompact.auto", "Stop")
    logs = [path for path in place.state.rglob("*") if path.suffix in (".log", ".jsonl") and path.is_file()]
    for path in logs:
        with path.open("ab") as file:
            file.write(b'{"half \xff\x00')
    place.user("Please sharpen the otter.")
    place.session("PostToolUse.Bash", "PreCompact.auto", "PostCompact.auto", "SessionStart.compact", "Stop")
    glued = [path.name for path in logs if b'{"half \xff\x00{' in path.read_bytes()]
    told = "".join(place.ran[-2].told)
    return disturbed(place) or (f"lines are lost in {glued}" if glued else "" if told else "nothing is restored")


def odd_numbers(place: Place) -> str:
    """NaN and 400 digits in the place of every number on disk: hooks and commands go on."""
    for number in ("NaN", "9" * 400):
        worked(place).session()
        for path in (
            path for folder in (place.state, place.home) for path in folder.rglob("*.json*") if path.is_file()
        ):
            path.write_text(re.sub(r"(?<=[:\[,] )-?\d[\d.]*(?=[],}])", number, path.read_text()))
        place.says("Done.", 10**400 if number.startswith("9") else 5)
        for command in ("stats", "sessions", "status", "compactions", "doctor"):
            place.holdfast(command)
        place.session()
    log = place.state / "logs" / "faults.log"
    return disturbed(place) or (log.read_text()[-200:] if log.exists() else "")


@contextlib.contextmanager
def tiny_disk(place: Place) -> Iterator[bool]:
    """The state lies on a file system of 64 KB without a free byte; False where mounting is not permitted."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place.state)]
    place.state.mkdir(parents=True)
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        yield False
        return
    try:
        with contextlib.suppress(OSError), (place.state / "ballast").open("wb", buffering=0) as ballast:
            while ballast.write(b"x" * 4096):
                pass
        yield True
    finally:
        subprocess.run(["umount", "-l", str(place.state)], check=True, capture_output=True)


def nothing_written(command: list[str]) -> list[str]:
    """The command in a process that may write no byte into a file, as on a full disk."""
    code = "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))"
    return [sys.executable, "-I", "-S", "-c", f"import os, resource, sys; {code}; {GO_ON}", *command]


def without_privilege(command: list[str]) -> list[str]:
    """The command without the superuser's right to read and write everything; as it is for anybody else."""
    drop = "[ctypes.CDLL(None).prctl(24, right, 0, 0, 0) for right in (1, 2)]"  # PR_CAPBSET_DROP, CAP_DAC_*
    return [sys.executable, "-I", "-S", "-c", f"import ctypes, os, sys; os.geteuid() or {drop}; {GO_ON}", *command]


def restored(place: Place, command: Callable[[list[str]], list[str]], *before: str) -> str:
    """What a compaction says where nothing can be written, and how often the user is told why."""
    events = (*before, "PreCompact.auto", "SessionStart.compact", "Stop", "SessionStart.compact")
    ran = [place.fire(event, command=command) for event in events]
    if not any("login" in text for text in ran[len(before) + 1].told):
        return "the restore is empty"
    warned = sum("cannot be written" in one.out for one in ran)
    return disturbed(place) or ("" if warned == 1 else f"the user is told {warned} times")


def full_disk(place: Place) -> str:
    """From the start no byte can be written: a compaction still restores, and the user is told once."""
    worked(place)
    with tiny_disk(place) as mounted:
        return restored(place, (lambda command: command) if mounted else nothing_written, "SessionStart.startup")


def full_later(place: Place) -> str:
    """The disk fills up in the middle of a session."""
    worked(place).session("SessionStart.startup", "PostToolUse.Bash", "Stop")
    return restored(place, nothing_written)


def anothers_state(place: Place) -> str:
    """The state folder belongs to another user and is closed."""
    worked(place)
    place.state.mkdir(parents=True)
    place.state.chmod(0o500)
    if not os.geteuid():
        os.chown(place.state, NOBODY, NOBODY)
    return restored(place, without_privilege, "SessionStart.startup")


def own_hook(place: Place) -> str:
    """A hook and a status line of the user's mention our path: both survive an uninstallation, byte for byte."""
    place.project.joinpath(".claude").mkdir()
    path = place.project / ".claude" / "settings.json"
    own = 'test -x "$HOME/.claude/holdfast/pack/hooks/run" && echo there'
    for mark, end in (("", "\n"), ("\ufeff", "\r\n")):
        text = json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": own}]}]}}, indent=4)
        content = (mark + text.replace("\n", end) + end).encode()
        path.write_bytes(content)
        place.install()
        place.install("--uninstall")
        if path.read_bytes() != content:
            return "the settings are not as they were"
        place.install()
        changed = json.loads(path.read_text("utf-8-sig"))
        changed["model"] = "x"
        path.write_text(json.dumps(changed))
        place.install("--uninstall")
        if own not in json.dumps(json.loads(path.read_text()))[:].replace('\\"', '"'):
            return "the user's hook is gone"
        if "HOLDFAST_RUN" in path.read_text():
            return "a hook of ours stays"
    return ""


def odd_settings(place: Place) -> str:
    """Settings that are not UTF-8, or 5 MB of them: refused by name, or done within 5 seconds."""
    place.project.joinpath(".claude").mkdir()
    path = place.project / ".claude" / "settings.json"
    place.install()
    path.write_bytes(b'{"a": "\xff\xfe"}')
    ran = place.install("--uninstall")
    if "Traceback" in ran.err or path.read_bytes() != b'{"a": "\xff\xfe"}':
        return f"not UTF-8: {ran.err[-80:]!r}"
    path.unlink()
    shutil.rmtree(place.state)
    rows = {f"key{number}": {"nested": [number] * 9} for number in range(28_000)}
    path.write_text(json.dumps({"permissions": {"allow": ["Bash(ls)"]}, "env": rows}, indent=2))
    for options in ((), ("--uninstall",)):
        ran = place.install(*options)
        if ran.seconds > 5 or ran.code:
            return f"5 MB: install {options} took {ran.seconds:.1f} s, ended with {ran.code}"
    return ""


def relative_folder(place: Place) -> str:
    """HOLDFAST_DIR is a relative path: refused, since it would be another folder for each working directory."""
    place.env["HOLDFAST_DIR"] = "state"
    worked(place).session()
    below = place.project / "src"
    below.mkdir(exist_ok=True)
    place.fire("Stop", cwd=str(below))
    return "a folder was made" if list(place.project.rglob("state")) else disturbed(place)


def users_folder(place: Place) -> str:
    """HOLDFAST_DIR is the project, its git, a home: refused, since our ignore file would hide what is new there."""
    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    for named in (place.project, place.project / ".git" / "state", place.home):
        place.env["HOLDFAST_DIR"] = str(named)
        worked(place).session()
        if (named / ".gitignore").exists() or (named / "sessions").exists():
            return f"the state went to {named}"
    return disturbed(place)


def lost_return(place: Place) -> str:
    """The first return of an agent is lost (its hook was killed): the second is judged by itself, as a first one."""
    worked(place).session("SessionStart.startup")
    first = [place.fire(f"SubagentStop.{name}", last_assistant_message=REPORT) for name in ("retry", "retry", "retry")]
    second = place.fire("SubagentStop.first", last_assistant_message=REPORT)
    sent_back = [ran.reply.get("decision") == "block" for ran in (*first, second)]
    return disturbed(place) or ("" if sent_back == [True, True, False, True] else f"sent back: {sent_back}")


def full_handoff(place: Place) -> str:
    """Nothing can be written: an agent is told its rules, its report, the only copy, reaches the caller as it is."""
    worked(place)
    told, stops = place.fire("SubagentStart", command=nothing_written), ("first", "retry", "retry")
    ran = [place.fire(f"SubagentStop.{name}", last_assistant_message=REPORT, command=nothing_written) for name in stops]
    output = place.fire("PostToolUse.Agent", tool_response=returned(REPORT), command=nothing_written)
    if "500 tokens" not in told.context:
        return "the agent is not told its rules"
    cut = [one for one in ran if one.reply.get("decision") == "block"] or "[Holdfast outline" in "".join(output.told)
    return disturbed(place) or ("a report is cut that stands nowhere else" if cut else "")


REPORT = "# Review\n\nDecision: PROCEED\n\n" + "The parser drops what it has read when the stream ends.\n" * 300
