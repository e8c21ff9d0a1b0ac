"""Repositories that a clone brings: programs that git is to start, a fetch, a bare one within, a git that hangs."""

import os
import subprocess
from pathlib import Path

from hostile.clone import disturbed, worked
from hostile.place import Place, committed

GIT_PROGRAMS = (
    *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "diff.external", "gpg.program"),
    *("credential.helper", "core.askPass", "alias.status", "alias.rev-list", "uploadpack.packObjectsHook"),
    *("filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "diff.evil.textconv", "core.gitProxy"),
)
HOOKS_OF_GIT = ("post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout", "pre-auto-gc")


def hostile_repository(place: Place, folder: Path) -> None:
    """A repository whose config and hooks name programs, for each way that git knows."""
    folder.mkdir(parents=True, exist_ok=True)
    committed(folder)
    evil = place.program(place.root / "evil")
    (folder / ".gitattributes").write_text("* filter=evil diff=evil\n")
    (folder / "tracked.txt").write_text("x\n")
    subprocess.run(["git", "add", "tracked.txt"], cwd=folder, check=True, capture_output=True)
    (folder / "tracked.txt").write_text("changed\n")
    for hook in HOOKS_OF_GIT:
        place.program(folder / ".git" / "hooks" / hook)
    for key in GIT_PROGRAMS:
        subprocess.run(["git", "config", key, f"{evil}"], cwd=folder, check=True, capture_output=True)
    place.marker.unlink(missing_ok=True)


def git_programs(place: Place) -> str:
    """The repository's config and hooks name a program for fsmonitor, pager, filters, helpers …: none runs."""
    hostile_repository(place, place.project)
    worked(place).session()
    place.holdfast("checkpoint", "save", "--note", "x")
    place.holdfast("status")
    place.holdfast("knowledge", "build")
    return "a program of the repository ran" if place.marker.exists() else disturbed(place)


def lazy_repository(place: Place) -> None:
    """A partial clone whose trees are missing, and are to be fetched by a program."""
    (place.project / "src").mkdir()
    (place.project / "src" / "a.py").write_text("x\n")
    committed(place.project)
    settings = {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::{place.program(place.root / 'evil')}",
        "remote.origin.promisor": "true",
        "protocol.ext.allow": "always",
        "index.sparse": "true",
        "core.sparseCheckout": "true",
        "core.sparseCheckoutCone": "true",
    }
    for key, value in settings.items():
        subprocess.run(["git", "config", key, value], cwd=place.project, check=True, capture_output=True)
    for path in (place.project / ".git" / "objects").glob("[0-9a-f][0-9a-f]/*"):
        name = f"{path.parent.name}{path.name}"
        kind = subprocess.run(["git", "cat-file", "-t", name], cwd=place.project, capture_output=True, check=False)
        if kind.stdout.strip() == b"tree":
            path.unlink()
    (place.project / "src" / "a.py").write_text("changed\n")


def git_fetch(place: Place) -> str:
    """A partial clone whose promisor is `ext::PROGRAM`, with missing objects: nothing is fetched."""
    lazy_repository(place)
    place.marker.unlink(missing_ok=True)
    worked(place).session()
    place.holdfast("checkpoint", "save", "--note", "x")
    place.holdfast("status")
    return "a program of the repository ran" if place.marker.exists() else disturbed(place)


def embedded_repository(place: Place) -> str:
    """A bare repository among the project's files, and the session works in it: its config is nobody's."""
    bare = place.project / "vendor" / "data"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True, capture_output=True)
    evil = place.program(place.root / "evil")
    for key in ("core.fsmonitor", "core.pager", "alias.status"):
        subprocess.run(["git", "config", "--file", str(bare / "config"), key, str(evil)], check=True)
    subprocess.run(["git", "config", "--file", str(bare / "config"), "core.bare", "false"], check=True)
    subprocess.run(["git", "config", "--file", str(bare / "config"), "core.worktree", str(bare)], check=True)
    place.marker.unlink(missing_ok=True)
    worked(place)
    place.env["CLAUDE_PROJECT_DIR"] = str(bare)
    place.session(cwd=str(bare))
    return "a program of the repository ran" if place.marker.exists() else disturbed(place)


def slow_git(place: Place) -> str:
    """A git that does not end: it is left within its seconds."""
    hostile_repository(place, place.project)
    tools = place.root / "tools"
    place.program(tools / "git", "exec sleep 60")
    place.env["PATH"] = f"{tools}:{os.environ['PATH']}"
    worked(place)
    for event in ("SessionStart.startup", "PreCompact.auto", "SessionStart.compact", "Stop"):
        place.fire(event)
    slowest = max(place.ran, key=lambda ran: ran.waited)
    return f"{slowest.what} took {slowest.waited:.0f} s" if slowest.waited > 10 else ""


def pipes_within(place: Place) -> str:
    """Pipes as .gitignore and .gitattributes of folders within: one hook waits for git, and is told the rest."""
    (place.project / "src" / "deep").mkdir(parents=True)
    (place.project / "src" / "a.py").write_text("x")
    committed(place.project)
    for name in (".gitignore", ".gitattributes"):
        os.mkfifo(place.project / "src" / "deep" / name)
    worked(place).session()
    place.session("SessionStart.startup", "PreCompact.auto", "SessionStart.compact", "Stop")
    waited = [ran.what for ran in place.ran if ran.waited - ran.seconds > 2.5]
    return disturbed(place) or (f"waited in {waited}" if len(waited) > 1 else "")
