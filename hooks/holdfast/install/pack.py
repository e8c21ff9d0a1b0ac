"""Copies the pack into the user's folder, and agents and skills into a project; takes them out again.

Nothing is written or removed through a link: a clone may bring one that leads anywhere.
"""

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath

from holdfast.checkpoint.git import main_checkout
from holdfast.errors import BadInput
from holdfast.hot.files import read_text, write_atomic
from holdfast.hot.provenance import is_real
from holdfast.hot.wiring import how_to_get, is_address
from holdfast.install.concurrent_edit import exchange
from holdfast.text.redaction import redacted

# A plugin's names are `holdfast:x`; the same files dropped into a project are named `holdfast-x`.
PLUGIN_NAME = re.compile(r"\bholdfast:(?=[a-z])")
PLUGIN_COMMAND = '"${CLAUDE_PLUGIN_ROOT}/bin/holdfast"'
COMMAND = '"$HOME/.claude/holdfast/pack/bin/holdfast"'
ORIGIN = "origin"
"""In a copy: what `origin_of` says of its checkout."""
OWN = ".gitignore\nsettings.local.json\nagents/holdfast-*\nskills/holdfast-*\n"
"""What git is not to see of an installation for one user."""
SEAL = re.compile(r"(?<=\A---\n)# holdfast .*\n")
NAME_LINE = re.compile(r"\A(---\n(?:.*\n)*?name:[ \t]*)(?!holdfast|[ \t])([^\n]+)")


def user_folder() -> Path:
    """Where the pack lies, once for all projects of a user."""
    return Path.home() / ".claude" / "holdfast"


def refuse_links(home: Path) -> None:
    """Raises BadInput where a link stands in the place of a folder or a file of ours, or the path can be no text."""
    if not str(home).isprintable():
        raise BadInput("this path has characters that cannot be printed", ascii(str(home)), "Rename the folder")
    for place in (home.parent, home):
        if place.is_symlink():
            told = "a link stands in the place of what is Holdfast's own"
            raise BadInput(told, str(place), "Remove it and try again; nothing was changed")


def copy(source: Path, home: Path) -> None:
    """Puts the pack at home/pack: copied beside, then both change places, so that no half pack is ever run.

    The engine stays behind: programs of one's own import it from a checkout, no hook and no command does.
    """
    fresh, place = home / "pack.new", home / "pack"
    shutil.rmtree(fresh, ignore_errors=True)
    left_out = shutil.ignore_patterns("__pycache__", "*.pyc", "interpreter", "interpreter.*", "engine")
    try:
        for part in ("hooks", "bin", "subagents", "protocols", "skills"):
            if (source / part).is_dir():
                shutil.copytree(source / part, fresh / part, ignore=left_out)
    except BaseException:  # a full disk has no room for half of one
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    (fresh / "hooks" / "run").chmod(0o755)
    (fresh / ORIGIN).write_text(origin_of(source))
    if not exchange(str(fresh), str(place)):  # there was none, or the file system cannot
        shutil.rmtree(place, ignore_errors=True)
        fresh.rename(place)
    shutil.rmtree(fresh, ignore_errors=True)


def lines(folder: Path) -> int:
    """How many lines of Python were put in."""
    return sum(path.read_bytes().count(b"\n") for path in folder.rglob("*.py"))


def files_of(pack: Path, origin: str, shared: bool) -> Iterator[tuple[str, str]]:
    """What goes into the client's own folders: (path under .claude, text). shared: git is to see it."""
    if not shared:
        yield ".gitignore", OWN
    for agent in sorted((pack / "subagents").glob("*.md")):
        name = agent.stem if agent.stem.startswith("holdfast") else f"holdfast-{agent.stem}"
        yield f"agents/{name}.md", sealed(localise(agent.read_text(encoding="utf-8"), name, origin))
    for skill in sorted((pack / "skills").glob("*/**/*")):
        if skill.is_file():
            folder, *inner = skill.relative_to(pack / "skills").parts
            name = folder if folder.startswith("holdfast") else f"holdfast-{folder}"
            text = skill.read_text(encoding="utf-8")
            told = sealed(localise(text, name, origin)) if skill.suffix == ".md" else text
            yield "/".join(("skills", name, *inner)), told


def localise(text: str, name: str, origin: str) -> str:
    """A plugin's agent or skill in the words of a project without the plugin, with the command of the user's pack."""
    text = NAME_LINE.sub(lambda found: found[1] + name, text)
    text = PLUGIN_NAME.sub("holdfast-", text)
    if PLUGIN_COMMAND not in text:
        return text
    missing = f"Where that file is missing, say: Holdfast is not on this machine. {how_to_get(origin)}"
    return f"{text.replace(PLUGIN_COMMAND, COMMAND).rstrip()}\n\n{missing}\n"


def sealed(text: str) -> str:
    """With the digest of all else in its front matter: so any pack knows what another one wrote, and nobody changed."""
    bare = SEAL.sub("", text)
    return re.sub(r"\A---\n", f"---\n# holdfast {digest(bare.encode())[:16]}\n", bare)


def origin_of(source: Path) -> str:
    """Where a checkout, or that of this copy, was cloned from, as a URL without a login or a key; else ""."""
    config = read_text(f"{main_checkout(str(source))}/.git/config")
    found = re.search(r'\[remote "origin"\][^\[]*?url = (\S+)\n', config)
    url = found[1] if found else "" if (source / ".git").exists() else read_text(str(source / ORIGIN))
    return url if is_address(url) and not _has_key(url) else ""


def _has_key(address: str) -> bool:
    """Whether it holds what is known for a secret anywhere, or a long part that after the name of one would be."""
    parts = (f"the token is {part}" for part in re.findall(r"[^\W_]{20,}", address))
    return any(redacted(told) != told for told in (address, *parts))


def digest(content: bytes) -> str:
    """How a file's content is recognised."""
    return hashlib.sha256(content).hexdigest()


def put_files(
    claude: Path, files: Iterable[tuple[str, str]], known: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Writes agents and skills; gives {path: digest} of ours, and the paths that are the user's and stay."""
    ours: dict[str, str] = {}
    kept: list[str] = []
    for path, text in files:
        place, content = claude / path, text.encode()
        mark = _mark_of(claude, path)
        if mark not in ("", digest(content), known.get(path)) and not _is_sealed(claude, path, mark):
            kept.append(path)
            continue
        if mark != digest(content):
            place.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(str(place), content, 0o644)
        ours[path] = digest(content)
    kept += take_files(claude, {path: mark for path, mark in known.items() if path not in ours})
    return ours, kept


def files_there(claude: Path, source: Path) -> dict[str, str]:
    """Agents and skills of our names that a project has, e.g. a clone -> digest of this pack's own; "" for none."""
    ours = {path: digest(text.encode()) for path, text in files_of(source, origin_of(source), shared=False)}
    folders = (claude / name for name in ("agents", "skills") if is_real(f"{claude}/{name}"))
    there = [place for folder in folders for place in folder.glob("holdfast*")]
    there += [inner for place in there if is_real(str(place)) for inner in place.glob("**/*")]  # through no link
    found = {str(place.relative_to(claude)) for place in there if not place.is_dir()}
    found |= {".gitignore"} if _mark_of(claude, ".gitignore") == ours[".gitignore"] else set()
    unfinished = [path for path in found if path.endswith(".tmp") and path.rsplit(".", 3)[0] in ours]  # one was killed
    ours |= {path: mark for path in unfinished if (mark := _mark_of(claude, path)) != "foreign"}
    marks = {path: _mark_of(claude, path) for path in sorted(found)}
    return {path: mark if _is_sealed(claude, path, mark) else ours.get(path, "") for path, mark in marks.items()}


def take_files(claude: Path, known: Mapping[str, str]) -> list[str]:
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
    inner = len(parts) > 1 and parts[0] in ("agents", "skills") and parts[1].startswith("holdfast")
    if path != ".gitignore" and (not inner or ".." in parts):
        return "foreign"
    ways = [claude.joinpath(*parts[:end]) for end in range(1, len(parts) + 1)]
    if any(way.is_symlink() or (way.exists() and not way.is_dir()) for way in ways[:-1]) or ways[-1].is_symlink():
        return "foreign"
    if not ways[-1].exists():
        return ""
    return digest(ways[-1].read_bytes()) if ways[-1].is_file() else "foreign"


def _is_sealed(claude: Path, path: str, mark: str) -> bool:
    """Whether a pack wrote the file of this mark, and nobody has changed it."""
    text = read_text(str(claude / path)) if mark not in ("", "foreign") else ""
    return bool(SEAL.search(text)) and sealed(text) == text


def _remove_empty(folder: Path, top: Path) -> None:
    """Removes a folder and its parents below `top` while they are empty."""
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
