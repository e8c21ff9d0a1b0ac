"""What a project's repository says of itself. All of the library's git is run here.

Branch and commit are read from `.git`, since starting git costs more than the hook that asks; for the rest git itself
is asked, where a moment's wait is no matter. Without a repository or git, or where it takes too long, nothing is said.

Rule: a repository is data. Its configuration names programs in many places (fsmonitor, filters, hooks, pagers, aliases,
remotes that are fetched from, includes of other files), so git never reads it: each run has a folder of its own in the
place of `.git`, with a configuration that is ours, and is pointed at the index, the objects and the work tree alone.
Nor does it read the user's configuration or variables, which may name programs that a repository's files call up.
"""

import contextlib
import itertools
import os
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.hot.files import append, claim, kind_of, names_in, read_bytes, read_text
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.programs import program
from holdfast.session.context import elsewhere
from holdfast.transcript.commands import commit_hash

SAFE = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat", "-c", "gc.auto=0"),
    *("-c", "safe.bareRepository=explicit", "-c", "protocol.allow=never", "-c", "submodule.recurse=false"),
    *("-c", "diff.ignoreSubmodules=all", "-c", "core.attributesFile=/dev/null", "--no-pager", "--literal-pathspecs"),
)
"""What our configuration says anyway, said once more for every version of git."""
MOST_OF_INDEX = 1 << 26
"""Bytes; of half a million files it has as many. A larger one is not searched beforehand."""


class Places(NamedTuple):
    """Of a checkout: its top, its `.git` folder, and the one that all worktrees share."""

    top: str
    folder: str
    shared: str


class GitStatus(NamedTuple):
    """What `git status` tells; ahead and behind are 0 without an upstream."""

    dirty: list[str] | None
    """Paths from the project on: changed, staged or new, of a new folder that alone ("new/", the project's own is "");
    None where git does not tell.
    """
    staged: list[str] | None = None
    """Of these the ones whose index differs from HEAD; None where the project is not the whole work tree."""
    upstream: str = ""
    ahead: int = 0
    behind: int = 0


def head(project: str) -> tuple[str, str]:
    """(branch, commit) of the project's checkout; "" for what cannot be told (detached, no repository)."""
    at = _known(project)
    return _head(at) if at else ("", "")


def _head(at: Places) -> tuple[str, str]:
    text = read_text(f"{at.folder}/HEAD", 4_096).strip()
    if not text.startswith("ref: "):
        return "", _hash(text)
    return text[5:].removeprefix("refs/heads/"), _commit(at, text[5:])


def _commit(at: Places, ref: str) -> str:
    """The commit that a ref stands for; "" where it names none. No ref leads out of the repository."""
    if not ref.startswith("refs/") or ".." in ref or not ref.isprintable():
        return ""
    loose = (read_text(f"{folder}/{ref}", 100).strip() for folder in (at.folder, at.shared))
    return next(filter(None, map(_hash, loose)), "") or _packed(at, ref)


def _packed(at: Places, ref: str) -> str:
    """The same from the file of all refs: a clone's may have a million lines."""
    text = read_bytes(f"{at.shared}/packed-refs")
    end = text.find(f" {ref}\n".encode())
    return _hash(text[max(0, end - 64) : end].rpartition(b"\n")[2].decode("ascii", "replace")) if end > 0 else ""


def _hash(text: str) -> str:
    return text if len(text) in (40, 64) and not text.strip("0123456789abcdef") else ""


def main_checkout(project: str) -> str:
    """The place of this project in the checkout that all worktrees of its repository share, or in the folder that names
    their bare repository (`.git` beside `.bare`); else the project itself.
    """
    at = _known(project)
    main = os.path.dirname(at.shared) if at and at.shared != at.folder else ""
    there = _places(main) if main else None
    # Beside a bare repository that no `.git` names several may lie.
    if not at or not there or (there.top, there.folder) != (main, at.shared):
        return os.path.abspath(project)
    return os.path.normpath(f"{main}/{os.path.relpath(os.path.abspath(project), at.top)}")


def own_folder(path: str) -> str:
    """The folder within `.git` for what git is never to see of this place; it is not made. "" where no repository that
    knows of the checkout is around it on its disk.
    """
    at = _known(path)
    try:
        if not at or os.stat(at.folder).st_dev != os.stat(at.top).st_dev:
            return ""
    except OSError:  # gone meanwhile, or not ours to look at
        return ""
    own = f"{at.folder}/holdfast"  # where an archive has brought a link, that itself: nobody writes into it
    name = fingerprint(os.path.relpath(path, at.top).encode("utf-8", "replace"))
    return own if os.path.islink(own) else f"{own}/{name}"


def tracked(folder: str, names: Iterable[str]) -> list[str]:
    """Those of these files and folders which git tracks, or something below: what is written there goes into the next
    commit, whatever an ignore file says. git is asked only where its index may name one. Where a clone brings a link in
    the place of a folder above, the index has the path behind it.
    """
    at = _places(os.path.realpath(folder))
    index = read_bytes(f"{at.folder}/index", MOST_OF_INDEX).lower() if at else b""
    if not at or not index:
        return []
    whole = ((name, *os.path.split(f"{folder}/{name}")) for name in names)
    paths = {name: os.path.relpath(f"{os.path.realpath(above)}/{last}", at.top) for name, above, last in whole}
    is_part = b"sdir" in index or any(one.startswith("sharedindex.") for one in names_in(at.folder))  # sparse or split
    if index[7:8] in b"\2\3" and not is_part and len(index) < MOST_OF_INDEX:  # it has each path whole
        paths = {name: path for name, path in paths.items() if _ascii_end(path) in index}
    told = run(at.top, "ls-files", "-z", at=at) if paths else ""
    if told is None:
        return list(paths)
    rows = [_folded(f"{row}/") for row in told.split("\0")]
    return [name for name, path in paths.items() if any(row.startswith(_folded(f"{path}/")) for row in rows)]


def indexed(project: str, names: list[str]) -> list[str]:
    """Those of these files, from the project on, which git tracks and is not told to overlook. git is not started: of
    an index that does not have each path whole nothing is told.
    """
    at = _known(project)
    index = read_bytes(f"{at.folder}/index", MOST_OF_INDEX) if at and names else b""
    if not at or index[7:8] not in (b"\2", b"\3"):
        return []
    paths = {name: os.path.relpath(f"{project}/{name}", at.top).encode("utf-8", "surrogateescape") for name in names}
    rows = {name: len(path).to_bytes(2, "big") + path + b"\0" for name, path in paths.items()}  # the length: no flags
    return [name for name, row in rows.items() if row in index]


def hides(path: str) -> bool:
    """Whether an ignore file keeps this file out of what `git add` takes."""
    folder, name = os.path.split(path)
    return bool(run(folder, "ls-files", "--others", "--ignored", "--exclude-standard", "--", name))


def _folded(path: str) -> str:
    """As a disk has it that tells neither A from a nor the two forms of Ü apart."""
    if path.isascii():
        return path.lower()
    from unicodedata import normalize  # rarely needed

    return normalize("NFC", path).lower()


def _ascii_end(path: str) -> bytes:
    """What follows the last letter beyond ASCII, in small letters: it has one form, and stands so in the index."""
    return "".join(itertools.takewhile(str.isascii, reversed(path)))[::-1].lower().encode()


def refuse_tracked(path: str) -> None:
    """Raises OSError where git tracks this file, or one in this folder: nothing private is written there."""
    folder, name = os.path.split(path)
    if tracked(folder, [name]):
        raise PermissionError(1, "git tracks it, so nothing private is written there; `git rm --cached` it", path)


def status(project: str) -> GitStatus:
    """What is not committed below the project, and how the branch stands to its upstream."""
    what = ("--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=all")
    told = run(project, "status", *what, "--", ".")
    # Untracked files are looked for by ignore files in every folder, of which one may be a pipe.
    some = run(project, "status", *what, "-uno", "--", ".") if told is None else told
    rows = (some or "").split("\0")
    heads = dict(row[2:].split(" ", 1) for row in rows if row.startswith("# ") and row.count(" ") > 1)
    ahead, behind = (abs(int(count)) for count in heads.get("branch.ab", "+0 -0").split())
    fields = {"1": 8, "u": 10, "?": 1}  # first letter of a row of porcelain v2 -> fields before its path
    paths = {row.split(" ", fields[row[0]])[-1]: row[:3] for row in rows if row[:1] in fields}
    at = _known(project)
    below = f"{os.path.relpath(os.path.abspath(project), at.top)}/" if at else ""
    dirty = None if some is None else [path.removeprefix(below) for path in paths]
    staged = [path for path, kind in paths.items() if kind[0] == "1" and kind[2] != "."]
    upstream = _upstream(at)[0] if at and "branch.ab" in heads else ""
    return GitStatus(dirty, staged if dirty is not None and below == "./" else None, upstream, ahead, behind)


def in_history(project: str, commits: list[str], branches: Iterable[str] = ()) -> list[str]:
    """Of these ("hash subject") the ones that HEAD or one of the branches still descends from: a rewrite replaces the
    others.

    One that told no hash stays, since nothing says otherwise. All of them where git does not tell, or the history is
    longer than what is looked at.
    """
    most, at = 10_000, _known(project) if commits else None
    tips = filter(None, (_commit(at, f"refs/heads/{name}") for name in branches)) if at else ()
    known = (run(project, "rev-list", f"--max-count={most}", "HEAD", *tips, at=at) or "").split() if at else []
    if not 0 < len(known) < most:
        return commits
    hashes = [commit_hash(one) for one in commits]
    return [one for one, short in zip(commits, hashes, strict=True) if any(full.startswith(short) for full in known)]


def run(project: str, *arguments: str, seconds: float = 3, at: Places | None = None) -> str | None:
    """What git prints of the project's repository; None where there is none, git fails, or has once taken too long.

    at: of a repository that need not know the checkout.
    """
    at = at or _known(project)
    git = program("git", project=at.top) if at else ""
    if not at or not git or _was_slow(note := f"git {arguments} {at.top}"):
        return None
    if any(kind_of(one, follow=True) not in ("", "file") for one in (f"{at.folder}/index", f"{at.top}/.gitignore")):
        return None  # git would wait for what a pipe never says
    import subprocess  # 6 ms, and most hooks ask nothing

    no = subprocess.DEVNULL
    try:
        with _own_folder(at) as folder:
            command, says = [git, *SAFE, *arguments], _variables(at, folder)
            out = subprocess.check_output(command, cwd=project, env=says, timeout=seconds, stdin=no, stderr=no)
            return os.fsdecode(out)
    except subprocess.TimeoutExpired:
        _SLOW[note] = time.time()
        claim(elsewhere(note))
    except (OSError, ValueError, subprocess.SubprocessError):
        pass
    return None


_SLOW: dict[str, float] = {}
"""What took too long, and when, in this process; for those to come a note among the user's temporary files says it."""


def _was_slow(note: str) -> bool:
    """Whether git was ended at this within the last hour: a pipe among a project's folders would hold up every hook."""
    if note not in _SLOW:
        with contextlib.suppress(OSError):
            _SLOW[note] = os.stat(elsewhere(note, make=False)).st_mtime
    return abs(time.time() - _SLOW.get(note, 0)) < 3_600


def _variables(at: Places, folder: str) -> dict[str, str]:
    """The environment without what it says to git, and with where git is to look."""
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DIR": folder,
        "GIT_INDEX_FILE": f"{at.folder}/index",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OBJECT_DIRECTORY": f"{at.shared}/objects",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_SHALLOW_FILE": f"{folder}/shallow",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_WORK_TREE": at.top,
        "LC_ALL": "C",
    }


@contextlib.contextmanager
def _own_folder(at: Places) -> Iterator[str]:
    """A folder in the place of `.git`, gone afterwards: HEAD and upstream under names of ours. Raises OSError."""
    (_, commit), (_, upstream), settings = _head(at), _upstream(at), _settings(f"{at.shared}/config")
    plain = ("autocrlf", "eol", "filemode", "ignorecase", "precomposeunicode", "symlinks")  # how files stand there
    values = ("true", "false", "input", "lf", "crlf", "native")
    core = [f"{key} = {settings[f'core.{key}']}" for key in plain if settings.get(f"core.{key}") in values]
    form = ["objectformat = sha256"] if len(commit) == 64 else []
    lines = (
        *("[core]", "repositoryformatversion = 1", "bare = false", *core, "[extensions]", *form),
        *('[branch "here"]', "remote = up", "merge = refs/heads/here"),
        *('[remote "up"]', "fetch = +refs/heads/*:refs/remotes/up/*"),
    )
    refs = [f"{one} {name}" for one, name in ((commit, "refs/heads/here"), (upstream, "refs/remotes/up/here")) if one]
    mine = _settings(os.path.expanduser("~/.gitconfig")).get("core.excludesfile", "")
    ignored = [read_text(path, 200_000) for path in (f"{at.shared}/info/exclude", os.path.expanduser(mine)) if path]
    files = {
        "HEAD": "ref: refs/heads/here",
        "config": "\n".join(lines),
        "packed-refs": "\n".join(refs),
        "info/exclude": "\n".join(line for text in ignored for line in text.splitlines() if not line.startswith("#")),
        "shallow": read_text(f"{at.shared}/shallow", 4_000_000).strip(),
    }
    root = os.environ.get("TMPDIR", "")
    root = root if os.path.isabs(root) else "/tmp"  # noqa: S108 - where something stands at the name, nothing is done
    folder = f"{root}/holdfast-git-{os.getpid()}-{time.monotonic_ns():x}"
    os.mkdir(folder, 0o700)
    try:
        os.mkdir(f"{folder}/refs")
        os.mkdir(f"{folder}/info")
        for name in filter(files.get, files):
            append(f"{folder}/{name}", f"{files[name]}\n")
        yield folder
    finally:
        for place, _, names in os.walk(folder, topdown=False):
            for name in names:
                os.unlink(f"{place}/{name}")
            os.rmdir(place)


def _settings(path: str) -> dict[str, str]:
    """A configuration of git's as `section "sub".key` -> value, as git writes it; includes are not followed."""
    found, section = {}, ""
    for line in map(str.strip, read_text(path, 200_000).splitlines()):
        if line.startswith("["):
            section = line[1:].partition("]")[0]
        key, is_set, value = line.partition("=")
        if is_set:
            found[f"{section}.{key.strip().lower()}"] = value.strip()
    return found


def _upstream(at: Places) -> tuple[str, str]:
    """(name, commit) of what the branch is compared with; ("", "") where there is none."""
    branch, settings = _head(at)[0], _settings(f"{at.shared}/config")
    remote, merge = (settings.get(f'branch "{branch}".{key}', "") for key in ("remote", "merge"))
    ref = merge if remote == "." else f"refs/remotes/{remote}/{merge.removeprefix('refs/heads/')}"
    commit = _commit(at, ref) if remote and merge else ""
    return (ref.removeprefix("refs/remotes/").removeprefix("refs/heads/"), commit) if commit else ("", "")


def _known(project: str) -> Places | None:
    """`_places`, where the repository knows of the checkout: an archive may bring a `.git` that leads to anybody's."""
    at = _places(project)
    kind = kind_of(f"{at.top}/.git") if at else ""
    whole = at and kind == "folder" and at.shared == at.folder
    return at if at and (whole or (kind == "file" and _leads_back(at))) else None


def _leads_back(at: Places) -> bool:
    """Whether the folder names the checkout as its worktree, or as its submodule's."""
    if os.path.dirname(at.folder) == f"{at.shared}/worktrees":
        own, named = f"{at.top}/.git", read_text(f"{at.folder}/gitdir", 4_096).strip()
    else:
        own, named = at.top, _settings(f"{at.folder}/config").get("core.worktree", "")
    try:  # newer versions write a relative path
        return bool(named) and os.path.samefile(os.path.join(at.folder, named), own)
    except (OSError, ValueError):  # it has moved, or the repository has
        return False


def _places(project: str) -> Places | None:
    """Those of the project or of a parent; a worktree's .git is a file that names its folder."""
    place = os.path.abspath(project)
    while True:
        path = f"{place}/.git"
        kind = kind_of(path, follow=True)
        if kind == "folder":
            folder = path
        else:
            pointer = read_text(path, 4_096).strip() if kind == "file" else ""
            folder = os.path.normpath(os.path.join(place, pointer[8:])) if pointer.startswith("gitdir: ") else ""
        if folder:
            common = read_text(f"{folder}/commondir", 4_096).strip()
            return Places(place, folder, os.path.normpath(f"{folder}/{common}") if common else folder)
        if place == os.path.dirname(place):
            return None
        place = os.path.dirname(place)
