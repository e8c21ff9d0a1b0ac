"""Where things are on disk: `<project>/.claude/holdfast/` and, per session, `sessions/<id>/`.

Only names are built here; nothing is created. The environment says which project, or where that is silent, as in the
client's own shell, the folders above.
"""

from holdfast.hot.files import kind_of, names_in, os, read_text, safe_name, variable

PACK = "/.claude/holdfast/pack/hooks/run"
"""The launcher of the pack in the user's home."""


def project_folder(cwd: str = "") -> str:
    """The project that this process works for: the one around CLAUDE_PROJECT_DIR, where the client was started, else
    around `cwd` or the current folder.
    """
    started = variable("CLAUDE_PROJECT_DIR")
    return _started_in(started) if started else _project_of(cwd or os.getcwd())


def _started_in(start: str) -> str:
    """Within a repository the nearest folder, from here upwards, that has our state, settings of the client's or is its
    top; elsewhere `start` itself, as the client has it.
    """
    place, found = start, ""
    while place and (place == start or _may_hold_projects(place)):
        names = (".git", ".claude/settings.json", ".claude/holdfast") if not found else (".git",)
        if any(kind_of(f"{place}/{name}", follow=True) for name in names):
            found = found or place
            if kind_of(f"{place}/.git", follow=True):
                return found
        place = place.rpartition("/")[0]
    return start


def _project_of(start: str) -> str:
    """The nearest folder, from here upwards, that has our state or is the top of a repository; else `start` itself."""
    place = start
    while place and (place == start or _may_hold_projects(place)):
        if kind_of(f"{place}/.claude/holdfast", follow=True) == "folder" or _is_top(place):
            return place
        place = place.rpartition("/")[0]
    return start


def _may_hold_projects(place: str) -> bool:
    """Whether a folder above may be the project: not another user's, but for root one that not everybody may write to,
    nor one for everybody's files as /tmp is, nor the home, below which one works elsewhere.
    """
    try:
        found = os.stat(place)
    except OSError:
        return True
    is_own = found[4] == os.geteuid() and found[0] & 0o1002 != 0o1002
    is_trusted = is_own or (os.geteuid() == 0 and not found[0] & 0o002)
    return is_trusted and not is_one(place, variable("HOME"))


def _is_top(place: str) -> bool:
    """Whether git's top is here; that of a submodule is a part of a project."""
    kind = kind_of(f"{place}/.git", follow=True)
    return kind == "folder" or (kind == "file" and "/modules/" not in read_text(f"{place}/.git", 4_096))


def state_folder(cwd: str = "") -> str:
    """Holdfast's folder in the project; HOLDFAST_DIR moves it elsewhere, where that is a place for it."""
    elsewhere = variable("HOLDFAST_DIR")
    project = project_folder(cwd)
    return elsewhere if may_hold_state(elsewhere, project) else f"{project}/.claude/holdfast"


def may_hold_state(path: str, project: str) -> bool:
    """Whether HOLDFAST_DIR may name this: a whole path, since the current folder, from which another one would go, is a
    clone's; with room for our names below it, since a system may take none above 1,024 bytes; not within git's own. The
    folder is not there yet, is empty, or has our state already: in one of the user's own our ignore file would hide
    from them what is new there.
    """
    if not is_whole(path) or len(path.encode("utf-8", "replace")) > 800 or "/.git/" in f"{path}/":
        return False
    if any(is_one(path, own) for own in (project, variable("HOME"))):
        return False
    from holdfast.hot.provenance import HERE, OF_STATE  # only who has it elsewhere needs it

    names = names_in(path)
    return not {*names} - {"config.json"} or HERE in names or read_text(f"{path}/.gitignore", 200) in OF_STATE


def is_one(path: str, other: str) -> bool:
    """Whether both lead to one folder."""
    try:
        return os.stat(path)[1:3] == os.stat(other)[1:3]  # inode and device
    except OSError:
        return False


def is_whole(path: str) -> bool:
    """Whether a path leads to the same place from everywhere."""
    return path.startswith("/")


def session_folder(state: str, session_id: str) -> str:
    """Folder of one session. The id comes from stdin, so it is made a safe name first."""
    return f"{state}/sessions/{safe_name(session_id)}"


class InSession:
    """Names in a session's folder. They are a format: other versions of the pack read them."""

    CALLS = "calls.log"
    AGENTS_CALLS = "agents_calls"
    AGENTS = "agents.json"
    THRESHOLDS = "thresholds.json"
    STATE = "state.json"
    FOLDING = "folding"
    COMPACTING = "compacting.json"
    LAST = "last.json"
    SUMMARY = "summary.txt"
    PACKET = "packet.txt"
    VERIFIED = "verified.json"
    CORRECTION = "correction.json"
    WINDOW = "window.json"
    ORCHESTRATOR = "orchestrator.json"
    SUBAGENT = "subagent_start.txt"
    SAVED = "saved.log"
    CHECKPOINTS = "checkpoints"
    HANDOFFS = "handoffs"
    ARCHIVE = "archive"
    SEEN = "seen"
    CLAIMS = "claims"
    FOLDERS = (CHECKPOINTS, HANDOFFS, ARCHIVE, SEEN, CLAIMS)


class InState:
    """Names in the state folder."""

    PROGRESS = "logs/progress.md"
    KEPT = "logs/kept.txt"
    SESSIONS = "logs/sessions.log"
    TOLD = "logs/config.told"
    TWICE = "logs/twice.told"
    WELCOME = "logs/welcome.told"
    IGNORES = "logs/ignores.told"
    DIFFERS = "logs/differs.told"
    COMPACTIONS = "logs/compactions.jsonl"
    FAULTS = "logs/faults.log"
    MEMORY = "memory"
    PACKAGES = "packages"
    PROJECTS = "projects"
    REMOVED = "logs/removed.log"
    MEMORY_LOG = "logs/memory.log"
