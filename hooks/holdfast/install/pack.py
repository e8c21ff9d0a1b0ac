"""Copies the pack into a project and takes it out again: hooks, command, agents, skills, protocols.

Nothing is written or removed through a link: a clone may bring one that leads anywhere.
"""

import hashlib
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from holdfast.errors import BadInput
from holdfast.hot.files import write_atomic

# A plugin's names are `holdfast:x`; the same files dropped into a project are named `holdfast-x`.
PLUGIN_NAME = re.compile(r"\bholdfast:(?=[a-z])")
PLUGIN_COMMAND = '"${CLAUDE_PLUGIN_ROOT}/bin/holdfast"'
NAME_LINE = re.compile(r"\A(---\n(?:.*\n)*?name:[ \t]*)(?!holdfast|[ \t])([^\n]+)")


def refuse_links(home: Path) -> None:
    """Raises BadInput where a link stands in the place of a folder or a file of ours, or the path can be no text."""
    if not str(home).isprintable():
        raise BadInput("this path has characters that cannot be printed", ascii(str(home)), "Rename the folder")
    own = ("pack", "pack.new", "pack.old", "env", "cache", "install.json", "install.lock")
    for place in (home.parent, home, *(home / name for name in own)):
        if place.is_symlink():
            told = "a link stands in the place of what is Holdfast's own"
            raise BadInput(told, str(place), "Remove it and try again; nothing was changed")


def set_aside(place: Path) -> list[str]:
    """Renames a folder that was not made here; says so, or nothing where there is none."""
    if not place.is_dir():
        return []
    aside = tempfile.mkdtemp(prefix=f"{place.name}.foreign-", dir=place.parent)
    place.rename(aside)
    return [f"{place} is not known to be made here and was set aside as {aside}"]


def copy(source: Path, home: Path) -> None:
    """Puts the pack at home/pack: copied beside and renamed, so that no half pack is ever run.

    The engine stays behind: programs of one's own import it from a checkout, no hook and no command does.
    """
    fresh, place, old = home / "pack.new", home / "pack", home / "pack.old"
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    left_out = shutil.ignore_patterns("__pycache__", "*.pyc", "interpreter", "interpreter.*", "engine")
    for part in ("hooks", "bin", "subagents", "protocols", "skills"):
        if (source / part).is_dir():
            shutil.copytree(source / part, fresh / part, ignore=left_out)
    (fresh / "hooks" / "run").chmod(0o755)
    if place.exists():
        place.rename(old)
    fresh.rename(place)
    shutil.rmtree(old, ignore_errors=True)


def lines(folder: Path) -> int:
    """How many lines of Python were put in."""
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))


def shared_files(pack: Path, home: Path) -> Iterator[tuple[str, str]]:
    """What goes into the client's own folders: (path under .claude, text)."""
    command = str(home / "pack" / "bin" / "holdfast")
    for agent in sorted((pack / "subagents").glob("*.md")):
        name = agent.stem if agent.stem.startswith("holdfast") else f"holdfast-{agent.stem}"
        yield f"agents/{name}.md", localise(agent.read_text(encoding="utf-8"), name, command)
    for skill in sorted((pack / "skills").glob("*/**/*")):
        if skill.is_file():
            folder, *inner = skill.relative_to(pack / "skills").parts
            name = folder if folder.startswith("holdfast") else f"holdfast-{folder}"
            text = skill.read_text(encoding="utf-8")
            told = localise(text, name, command) if skill.suffix == ".md" else text
            yield "/".join(("skills", name, *inner)), told


def localise(text: str, name: str, command: str) -> str:
    """A plugin's agent or skill in the words of a project without the plugin, with the command of this very pack.

    A path that could mean more than itself in the list of allowed tools is not put there: the client asks then.
    """
    text = NAME_LINE.sub(lambda found: found[1] + name, text)
    text = PLUGIN_NAME.sub("holdfast-", text)
    if re.fullmatch(r"[\w./ @+-]+", command):
        return text.replace(PLUGIN_COMMAND, f'"{command}"')
    text = re.sub(r"^allowed-tools:.*\n", "", text, flags=re.MULTILINE)
    return text.replace(PLUGIN_COMMAND, shlex.quote(command))


def digest(content: bytes) -> str:
    """How a file's content is recognised."""
    return hashlib.sha256(content).hexdigest()


def put_shared(claude: Path, pack: Path, known: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Writes agents and skills; gives {path: digest} of ours, and the paths that are the user's and stay."""
    ours: dict[str, str] = {}
    kept: list[str] = []
    for path, text in shared_files(pack, claude / "holdfast"):
        place, content = claude / path, text.encode()
        mark = _mark_of(claude, path)
        if mark not in ("", digest(content), known.get(path)):
            kept.append(path)
            continue
        if mark != digest(content):
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(str(place), content, 0o644)
        ours[path] = digest(content)
    kept += take_shared(claude, {path: mark for path, mark in known.items() if path not in ours})
    return ours, kept


def take_shared(claude: Path, known: Mapping[str, str]) -> list[str]:
    """Removes the files that are still as installed; gives those that the user has changed since."""
    changed: list[str] = []
    for path, mark in known.items():
        place, found = claude / path, _mark_of(claude, path)
        if found == mark:
            place.unlink()
            _remove_empty(place.parent, claude)
        elif found:
            changed.append(path)
    return changed


def _mark_of(claude: Path, path: str) -> str:
    """Digest of the agent or skill at this path; "" for none, "foreign" for what is none of ours to touch."""
    parts = PurePosixPath(path).parts
    if len(parts) < 2 or parts[0] not in ("agents", "skills") or not parts[1].startswith("holdfast") or ".." in parts:
        return "foreign"
    ways = [claude.joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
    if any(way.is_symlink() or (way.exists() and not way.is_dir()) for way in ways[:-1]) or ways[-1].is_symlink():
        return "foreign"
    if not ways[-1].exists():
        return ""
    return digest(ways[-1].read_bytes()) if ways[-1].is_file() else "foreign"


def _remove_empty(folder: Path, top: Path) -> None:
    """Removes a folder and its parents below `top` while they are empty."""
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
