"""`holdfast doctor`: is everything that the hooks need in place, and does each hook run?"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import NamedTuple

from holdfast.cli.output import emit_json, emit_table
from holdfast.config import load
from holdfast.hot import paths
from holdfast.hot.files import read_text
from holdfast.hot.jsonc import loads_object
from holdfast.install import environment, settings
from holdfast.install.doctor_hooks import fire_all

NAME, HELP = "doctor", "check interpreter, packages, wiring and write access; fire each hook once"

PACK = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TESTED_CLIENT = "2.1.329"
FAULTS_SHOWN = 3


class Finding(NamedTuple):
    """One thing looked at. `todo` says how to mend it when it is not fine."""

    name: str
    ok: bool
    what: str
    todo: str = ""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Exit 1 when something needs mending."""
    findings = [*_surroundings(), *_hooks()]
    if args.json:
        emit_json({"ok": all(f.ok for f in findings), "findings": [f._asdict() for f in findings]})
    else:
        emit_table(("ok" if f.ok else "!!", f.name, f.what if f.ok else f"{f.what}. {f.todo}") for f in findings)
    return 0 if all(finding.ok for finding in findings) else 1


def _surroundings() -> Iterator[Finding]:
    baked = environment.read_sidecar(_sidecar())
    yield _interpreter(baked)
    yield _packages(baked)
    yield _wired()
    yield _writable()
    yield _client()
    state = paths.state_folder()
    _, problems = load.load(state, os.environ)
    yield Finding("configuration", not problems, "; ".join(problems) or "fine", "See `holdfast config schema`")
    faults = read_text(f"{state}/{paths.FAULTS}").splitlines()[-FAULTS_SHOWN:]
    yield Finding(
        "fault log",
        not faults,
        " | ".join(faults) or "empty",
        f"Delete {state}/{paths.FAULTS} when it is mended",
    )


def _sidecar() -> str:
    data = os.environ.get("CLAUDE_PLUGIN_DATA")
    return f"{data}/{environment.SIDECAR}" if data else f"{PACK}/{environment.SIDECAR}"


def _interpreter(baked: environment.Baked | None) -> Finding:
    if baked and os.access(baked.python, os.X_OK):
        return Finding("interpreter", True, baked.python)
    found = sys.version.split()[0]
    return Finding(
        "interpreter",
        False,
        f"none is baked in for the hooks (this is Python {found})",
        "Run scripts/install.py again, or start a session with the plugin once",
    )


def _packages(baked: environment.Baked | None) -> Finding:
    missing = environment.missing_packages(baked.site if baked else "")
    if not missing:
        return Finding("packages", True, baked.site if baked else "")
    return Finding(
        "packages",
        False,
        f"missing: {', '.join(missing)}; token counts are estimates",
        "Run scripts/install.py again with a network",
    )


def _wired() -> Finding:
    """Whether Claude Code knows the hooks: as a drop-in in this project, or as a plugin."""
    project, home = paths.project_folder(), os.environ.get("HOME", "")
    files = [
        f"{project}/.claude/settings.json",
        f"{project}/.claude/settings.local.json",
        f"{home}/.claude/settings.json",
    ]
    for path in files:
        data = loads_object(read_text(path))
        hooks = data.get("hooks")
        groups = (
            [g for event in hooks.values() if isinstance(event, list) for g in event] if isinstance(hooks, dict) else []
        )
        if any(_is_ours(hook) for g in groups if isinstance(g, dict) for hook in g.get("hooks") or ()):
            return Finding("hooks wired", True, f"drop-in, {path}")
        enabled = data.get("enabledPlugins")
        if isinstance(enabled, dict) and any(name.startswith("holdfast@") and on for name, on in enabled.items()):
            return Finding("hooks wired", True, f"plugin, {path}")
    return Finding(
        "hooks wired",
        False,
        f"no entry in {files[0]} and no enabled plugin",
        "Run scripts/install.py --project DIR, or /plugin install (see README)",
    )


def _is_ours(hook: object) -> bool:
    """An installed entry, or a checkout's own that runs hooks/run beside it."""
    return settings.is_ours(hook) or (isinstance(hook, dict) and "HOLDFAST_RUN" in str(hook.get("command")))


def _writable() -> Finding:
    state = paths.state_folder()
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=state):
            return Finding("write access", True, state)
    except OSError as error:
        return Finding(
            "write access",
            False,
            f"{state}: {error.strerror}",
            "Make the folder writable, or set HOLDFAST_DIR",
        )


def _client() -> Finding:
    """The client's version; the pack was tested with one, others usually work."""
    path = os.environ.get("CLAUDE_CODE_EXECPATH") or shutil.which("claude")
    if not path:
        return Finding("client", True, f"claude is not on PATH; tested with {TESTED_CLIENT}")
    try:
        told = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return Finding("client", False, f"{path} --version failed: {error}", "Check the installation of Claude Code")
    version = told.split()[0] if told.split() else "unknown"
    return Finding("client", True, f"{version}; tested with {TESTED_CLIENT}")


def _hooks() -> Iterator[Finding]:
    for name, milliseconds, trouble in fire_all(PACK, time.perf_counter):
        yield Finding(
            f"hook {name}",
            not trouble,
            trouble or f"{milliseconds:.0f} ms",
            "See the fault log and docs/guide.md",
        )
