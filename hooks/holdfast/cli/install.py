"""`scripts/install.py --project DIR`: puts the pack into a project, and takes it out again.

Order matters: the settings are read first (what cannot be edited is left alone and nothing else is done), and
written last, so that no hook runs before the pack is whole.
"""

import argparse
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from holdfast.errors import BadInput, Fault, HoldfastError
from holdfast.install import environment, pack
from holdfast.install.installer import Wiring
from holdfast.text import tokenizer

HELP = "put the pack into a project, or take it out again"
SOURCE = Path(__file__).resolve().parents[3]
KEEP = ("config.json", "memory", "progress.md", "sessions", "logs")


def main(argv: list[str] | None = None) -> int:
    """`scripts/install.py`: the command on its own."""
    parser = argparse.ArgumentParser(prog="scripts/install.py", description=HELP)
    add_arguments(parser)
    return run(parser.parse_args(argv))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--project", default=os.getcwd(), help="the project's folder (default: here)")
    parser.add_argument("--uninstall", action="store_true", help="take out exactly what was put in")
    parser.add_argument("--purge", action="store_true", help="with --uninstall: everything recorded too")
    parser.add_argument("--env", help="folder of an environment to use instead of one in the project")
    parser.add_argument("--json", action="store_true", help="the result as JSON")


def run(options: argparse.Namespace) -> int:
    """Installs or uninstalls; prints what it did; 0 when it was done."""
    project = Path(options.project).expanduser().resolve()
    try:
        if not project.is_dir():
            raise BadInput("there is no such folder", str(project), "Give an existing project folder")
        result = uninstall(project, options.purge) if options.uninstall else install(project, options.env)
    except (HoldfastError, OSError) as error:
        return _fail(error, options.json)
    print(json.dumps(result, indent=2) if options.json else told(result))
    return 0


def install(project: Path, env: str | None = None) -> dict[str, Any]:
    """Puts the pack in; twice is the same as once."""
    claude = project / ".claude"
    home = claude / "holdfast"
    wiring = Wiring(claude, SOURCE)
    wiring.check()
    made = not claude.exists()
    pack.make_home(home)
    pack.copy(SOURCE, home)
    site, notes = _packages(Path(env).expanduser() if env else home / "env")
    baked = environment.Baked(environment.real_interpreter(), site)
    environment.write_sidecar(str(home / "pack" / "hooks" / environment.SIDECAR), baked)
    environment.compile_pack(baked.python, str(home / "pack" / "hooks"))
    if site:
        tokenizer.prepare(str(home / "cache"))  # else the first hook that counts would pay for it
    known = wiring.record.get("files", {})
    files, kept = pack.put_shared(claude, home / "pack", known)
    notes += [f".claude/{path} is yours and was left as it is" for path in kept]
    wiring.put(files, made)
    return {
        "done": "installed",
        "project": str(project),
        "pack": str(home / "pack"),
        "settings": str(claude / "settings.json"),
        "hooks": sorted(wiring.wanted.hooks),
        "status_line": wiring.status_line_is_ours(),
        "python": baked.python,
        "site_packages": baked.site,
        "missing_packages": list(environment.missing_packages(site)),
        "files": sorted(files),
        "notes": notes,
    }


def uninstall(project: Path, purge: bool = False) -> dict[str, Any]:
    """Takes out what was put in; memory, configuration and progress stay unless purged."""
    claude = project / ".claude"
    home = claude / "holdfast"
    wiring = Wiring(claude, SOURCE)
    state = wiring.take()
    changed = pack.take_shared(claude, wiring.record.get("files", {}))
    notes = [f".claude/{path} was changed since and stays" for path in changed]
    for name in ("pack", "pack.new", "pack.old", "env", "cache"):
        shutil.rmtree(home / name, ignore_errors=True)
    wiring.forget()
    kept = [name for name in KEEP if _holds_something(home / name)]
    if purge or not kept:
        shutil.rmtree(home, ignore_errors=True)
        kept = []
    if wiring.record.get("made_folder") and claude.is_dir() and not any(claude.iterdir()):
        claude.rmdir()
    return {"done": "uninstalled", "project": str(project), "settings": state, "kept": kept, "notes": notes}


def _holds_something(path: Path) -> bool:
    """Whether a file is there, or a folder with a file somewhere in it."""
    return path.is_file() or any(inner.is_file() for inner in path.rglob("*"))


def _packages(folder: Path) -> tuple[str, list[str]]:
    """The folder of packages, made where it is missing; without a network the pack works with estimates."""
    site = environment.site_of(str(folder))
    if not environment.missing_packages(site):
        return site, []
    try:
        return environment.make(str(folder)), []
    except (Fault, OSError) as error:
        lost = ", ".join(environment.missing_packages(site))
        return "", [f"packages missing ({lost}): {error}. Hooks work with estimates; install again to complete"]


def told(result: dict[str, Any]) -> str:
    """The result in a few lines."""
    if result["done"] == "uninstalled":
        kept = f"; kept: {', '.join(result['kept'])} (--purge removes them)" if result["kept"] else ""
        lines = [f"Holdfast is out of {result['project']}; settings {result['settings']}{kept}"]
    else:
        lines = [
            f"Holdfast is in {result['project']}",
            f"  hooks      {', '.join(result['hooks'])}",
            f"  settings   {result['settings']}",
            f"  python     {result['python']}",
            f"  packages   {result['site_packages'] or 'none: token counts are estimates'}",
            f"  status     {'in the status line' if result['status_line'] else 'your own status line stays'}",
        ]
    return "\n".join(lines + [f"  note: {note}" for note in result["notes"]])


def _fail(error: Exception, as_json: bool) -> int:
    what = f"{error.filename or ''}: {error.strerror}" if isinstance(error, OSError) else str(error)
    if as_json:
        print(json.dumps({"done": "failed", "error": what}))
    print(f"holdfast: {what}", file=sys.stderr)
    return 1
