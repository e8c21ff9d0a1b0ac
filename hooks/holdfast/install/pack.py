"""Copies the pack into a project and takes it out again: hooks, command, agents, skills, protocols."""

import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

PARTS = ("hooks", "bin", "subagents", "protocols", "skills")
LEAVE_OUT = ("__pycache__", "*.pyc", "interpreter", "interpreter.*", "engine")
"""The engine is for programs of one's own: they import it from a checkout; no hook and no command does."""
IGNORE = "# Holdfast's own state stays out of git, except what a team shares.\n*\n" + "".join(
    f"!{name}\n" for name in (".gitignore", "config.json", "memory/", "memory/**")
)
# A plugin's names are `holdfast:x`; the same files dropped into a project are named `holdfast-x`.
RENAMES = (
    (re.compile(r"\bholdfast:(?=[a-z])"), "holdfast-"),
    (re.compile(r"\"?\$\{CLAUDE_PLUGIN_ROOT\}\"?/bin/holdfast"), ".claude/holdfast/pack/bin/holdfast"),
    (re.compile(r"\$\{CLAUDE_PLUGIN_ROOT\}"), ".claude/holdfast/pack"),
    (
        re.compile(r"^(\s*(?:[-*>] )?[`$!]*\s*)holdfast (?=[a-z])", re.MULTILINE),
        r"\1.claude/holdfast/pack/bin/holdfast ",
    ),
)
NAME_LINE = re.compile(r"\A(---\n(?:.*\n)*?name:[ \t]*)(?!holdfast|[ \t])([^\n]+)")


def copy(source: Path, home: Path) -> None:
    """Puts the pack at home/pack: copied beside and renamed, so that no half pack is ever run."""
    fresh, place, old = home / "pack.new", home / "pack", home / "pack.old"
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    for part in PARTS:
        if (source / part).is_dir():
            shutil.copytree(source / part, fresh / part, ignore=shutil.ignore_patterns(*LEAVE_OUT))
    (fresh / "hooks" / "run").chmod(0o755)
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def lines(folder: Path) -> int:
    """How many lines of Python were put in."""
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))


def make_home(home: Path) -> None:
    """The state folder, its owner's alone and ignored by git."""
    home.mkdir(parents=True, exist_ok=True)
    home.chmod(0o700)
    (home / ".gitignore").write_text(IGNORE, encoding="utf-8")


def shared_files(pack: Path) -> Iterator[tuple[str, str]]:
    """What goes into the client's own folders: (path under .claude, text)."""
    for agent in sorted((pack / "subagents").glob("*.md")):
        name = agent.stem if agent.stem.startswith("holdfast") else f"holdfast-{agent.stem}"
        yield f"agents/{name}.md", localise(agent.read_text(encoding="utf-8"), name)
    for skill in sorted((pack / "skills").glob("*/**/*")):
        if skill.is_file():
            folder, *inner = skill.relative_to(pack / "skills").parts
            name = folder if folder.startswith("holdfast") else f"holdfast-{folder}"
            text = skill.read_text(encoding="utf-8")
            yield "/".join(("skills", name, *inner)), localise(text, name) if skill.suffix == ".md" else text


def localise(text: str, name: str) -> str:
    """A plugin's agent or skill in the words of a project without the plugin."""
    text = NAME_LINE.sub(lambda found: found[1] + name, text)
    for pattern, instead in RENAMES:
        text = pattern.sub(instead, text)
    return text


def digest(content: bytes) -> str:
    """How a file's content is recognised."""
    return hashlib.sha256(content).hexdigest()


def put_shared(claude: Path, pack: Path, known: dict[str, str]) -> tuple[dict[str, str], list[str]]:
    """Writes agents and skills; gives {path: digest} of ours, and the paths that are the user's and stay."""
    ours: dict[str, str] = {}
    kept: list[str] = []
    for path, text in shared_files(pack):
        place, content = claude / path, text.encode()
        there = place.read_bytes() if place.is_file() else None
        if there is not None and there != content and digest(there) != known.get(path):
            kept.append(path)
            continue
        if there != content:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        ours[path] = digest(content)
    kept += take_shared(claude, {path: mark for path, mark in known.items() if path not in ours})
    return ours, kept


def take_shared(claude: Path, known: dict[str, str]) -> list[str]:
    """Removes the files that are still as installed; gives those that the user has changed since."""
    changed: list[str] = []
    for path, mark in known.items():
        place = claude / path
        if not place.is_file():
            continue
        if digest(place.read_bytes()) != mark:
            changed.append(path)
            continue
        place.unlink()
        remove_empty(place.parent, claude)
    return changed


def remove_empty(folder: Path, top: Path) -> None:
    """Removes a folder and its parents below `top` while they are empty."""
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
