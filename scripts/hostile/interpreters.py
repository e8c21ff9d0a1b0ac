"""Faults of what runs the hooks: an interpreter, a pack, a launcher, a package, a signal, closed ends."""

import contextlib
import os
import signal
import subprocess
import time

from hostile.clone import disturbed, worked
from hostile.place import ROOT, Place


def old_python(place: Place) -> str:
    """The baked interpreter is an old one, or a program that dies: silent, and healed at the next start."""
    bodies = ("echo 'SyntaxError: invalid syntax' >&2; exit 1", "kill -SEGV $$", "exit 127", "echo boom >&2; exit 2")
    for body in (*bodies, "if true; then ("):  # a shell itself ends with 2
        place.baked(str(place.program(place.root / "python", body)))
        place.start("handoff_wake", [str(ROOT / "hooks" / "run"), "handoff_wake"], b"{}")
        place.baked(str(place.root / "python"))
        worked(place).session("SessionStart.startup", "PostToolUse.Bash", "Stop")
        place.session("SessionStart.startup")
        told = place.fire("PreCompact.auto")
        if "login" not in "".join(told.told):
            return disturbed(place) or f"an interpreter that does `{body}` does not heal"
    return disturbed(place)


def torn_pack(place: Place) -> str:
    """A module, its compiled form, a data file of the pack are torn: every hook ends with 0 and prints nothing."""
    place.install()
    library = place.pack / "hooks" / "holdfast"
    worked(place).session("SessionStart.startup")
    names = [
        "hot/files.py",
        "session/context.py",
        "config/settings.json",
        "text/redaction.py",
        "errors.py",
        "hook/fast.py",
    ]
    for name in [*names, "hook/runner.py", "_data/secret_rules.json"]:
        path = library / name
        whole = path.read_bytes()
        for part in (b"", whole[: len(whole) // 2], b"def (:\n", b"\0" * 99):
            path.write_bytes(part)
            place.session("PostToolUse.Bash", "Stop")
            if disturbed(place):
                return f"{name}: {disturbed(place)}"
        path.write_bytes(whole)
    for name in ("hot", "session", "compaction", "cli"):
        for path in library.glob(f"{name}/__pycache__/*.pyc"):
            path.write_bytes(path.read_bytes()[:40])
        place.session("PreCompact.auto", "PreCompact.auto")
        if "login" not in "".join(place.ran[-1].told):
            return f"compiled files of {name}/ that are torn do not heal"
    asked = place.start("holdfast status", [str(place.pack / "bin" / "holdfast"), "status"], b"")
    return disturbed(place) or ("a torn command does not heal" if asked.code else "")


def torn_launcher(place: Place) -> str:
    """The launcher ends in the middle of a line, as after a crash while it was written."""
    place.install()
    run = place.pack / "hooks" / "run"
    whole = run.read_bytes()
    for share in range(1, 24):
        run.write_bytes(whole[: len(whole) * share // 24])
        ran = place.fire(("PostToolUse.Bash", "PreCompact.auto", "Stop")[share % 3])
        if ran.code or ran.err or ran.out:
            return f"cut at {share}/24: code {ran.code}, {(ran.err or ran.out)[:60]!r}"
    return ""


def panic(place: Place) -> str:
    """A package raises what is no Exception (as a Rust extension's PanicException), or ends the process."""
    site = place.root / "site"
    for name in ("tiktoken", "pydantic", "filelock", "snowballstemmer", "regex"):
        (site / name).mkdir(parents=True)
        (site / name / "__init__.py").write_text(
            "class PanicException(BaseException): pass\nraise PanicException('x')\n"
        )
    place.site = str(site)
    place.baked(place.python)
    worked(place).session()
    place.fire("SubagentStop.first", last_assistant_message="long " * 9_000)
    for name in ("tiktoken", "pydantic"):
        (site / name / "__init__.py").write_text("raise SystemExit(3)\n")
    place.session()
    place.fire("SubagentStop.first", last_assistant_message="long " * 9_000)
    return disturbed(place)


def interrupted(place: Place) -> str:
    """SIGINT and SIGTERM-proof: Ctrl+C while each hook runs leaves no trace on stderr and no code but the signal's."""
    worked(place).session("SessionStart.startup")
    for delay in (0.01, 0.02, 0.03, 0.04, 0.06):
        for script, event in (
            ("stop", "Stop"),
            ("post_tool_use", "PostToolUse.Bash"),
            ("pre_compact", "PreCompact.auto"),
        ):
            process = subprocess.Popen(
                [str(ROOT / "hooks" / "run"), script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=place.environment(),
                cwd=place.project,
                start_new_session=True,
            )
            time.sleep(delay)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)
            out, err = process.communicate(b"{}", timeout=20)
            if err or b"Traceback" in out:
                return f"{event}: {err[-80:]!r}"
            if process.returncode not in (0, -signal.SIGINT, 130):
                return f"{event}: ended with {process.returncode}"
    return ""


def closed_ends(place: Place) -> str:
    """stdout, stderr or stdin are closed, full, or a pipe that nobody reads."""
    worked(place).session("SessionStart.startup")
    for ends in (">&-", "2>&-", "<&-", ">/dev/full", "2>/dev/full", ">&- 2>&- <&-", "</dev/null", "| true"):
        for event, script in (
            ("PreCompact.auto", "pre_compact"),
            ("SessionStart.startup", "session_start"),
            ("Stop", "stop"),
        ):
            line = f'"$0" {script} {ends}'
            ran = place.fire(event, command=lambda command, line=line: ["/bin/sh", "-c", line, command[0]])
            if ran.code or ran.err:
                return f"{event} {ends}: code {ran.code}, {ran.err[:60]!r}"
    return ""
