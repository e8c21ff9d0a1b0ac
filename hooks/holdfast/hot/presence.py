"""Who is at work in the project, as files: one for each agent, whose date is its last sign, and what it read and wrote.

`agents/<session>~<agent>` is there while the agent is (of the session's own conversation without an agent), and
`marks/<session>~<agent>` has a line for each file that it has written, and for each that a sub-agent, or whoever has
company, has read: letter (r, w), seconds, the file's date in nanoseconds, its size, its path. `held` has a line for
each pattern that is somebody's alone: the holder's id, the path. Nothing is locked. Hot-path module: alone in a project
it costs a listing. `session` is a session's folder throughout.

And which of plugin and drop-in speaks: two would feed each other.
"""

import sys
import time

from holdfast import TYPE_CHECKING
from holdfast.hot.files import (
    append,
    jot,
    kind_of,
    os,
    read_bytes,
    read_text,
    safe_name,
    variable,
    write_atomic,
)
from holdfast.hot.paths import PACK, InSession, is_whole, project_folder, session_folder, state_folder

if TYPE_CHECKING:
    from typing import Any

AGENTS, MARKS, HELD = "agents", "marks", "held"
EDITS = ("Edit", "Write", "MultiEdit", "NotebookEdit")

PATIENCE_S = 1
"""How long a plugin waits for a drop-in's sign: the two run at the same time."""
SPOKE, GONE = b"1", b"0"
DISABLE = "claude plugin disable holdfast@holdfast --scope local"
"""The user's command, run in a project, after which the client lists one set of skills and agents there."""


def text(fields: "dict[str, Any]", key: str) -> str:
    """A text of what the client sent; "" for none."""
    value = fields.get(key)
    return value if isinstance(value, str) else ""


def session_of(fields: "dict[str, Any]") -> str:
    """Folder of the session that an event belongs to."""
    return session_folder(state_folder(text(fields, "cwd")), text(fields, "session_id"))


def silent(fields: "dict[str, Any]") -> bool:
    """Whether this process has nothing to do: HOLDFAST_OFF, or a plugin where a drop-in speaks. A drop-in signs."""
    session = session_of(fields)
    speaks(session)
    return variable("HOLDFAST_OFF") == "1" or _steps_aside(session)


def speaks(session: str) -> None:
    """A drop-in's sign that this hook of its runs. Where it cannot be given, the plugin speaks too."""
    if not variable("CLAUDE_PLUGIN_ROOT"):
        jot(sign_of(session, _script()), SPOKE)


def _steps_aside(session: str) -> bool:
    """Whether this is the plugin, and a hook of ours in the settings speaks here in this one's place.

    Those hooks start the pack in the user's home; where there is none, they do nothing.
    """
    root, home = variable("CLAUDE_PLUGIN_ROOT"), variable("HOME")
    if not root or not is_whole(home) or kind_of(home + PACK, follow=True) != "file":
        return False
    from holdfast.hot.wiring import in_place, settings_files

    found = settings_files(variable("CLAUDE_PROJECT_DIR") or project_folder())
    found = [path for path in found if PACK.encode() in read_bytes(path, follow=True)]
    is_there = any(in_place(path, f"{root}/hooks/hooks.json", _script()) for path in found)
    return is_there and _spoke(sign_of(session, _script()))


def _spoke(sign: str) -> bool:
    """Whether the drop-in's hook has signed at this event or just before, or does while it is waited for.

    Settings do not tell: the client drops a whole file for one bad entry, in mid-session too. Whoever did not come is
    not waited for again.
    """
    late = time.monotonic() + PATIENCE_S
    comes = _script() == "session_start" or kind_of(sign.rpartition("/")[0]) == "folder"
    while not _is_fresh(sign):
        if not comes or read_bytes(sign, 1) == GONE:
            return False
        if time.monotonic() > late:
            jot(sign, GONE)
            return False
        time.sleep(0.005)
    return True


def _is_fresh(sign: str) -> bool:
    try:
        return read_bytes(sign, 1) == SPOKE and abs(time.time() - os.stat(sign).st_mtime) < 5
    except OSError:
        return False


def sign_of(session: str, script: str) -> str:
    """The file with which a drop-in's hook signs."""
    return f"{session}/{InSession.CLAIMS}/spoke-{script}"


def _script() -> str:
    return sys.argv[0].rpartition("/")[2].removesuffix(".py")


def name_of(session: str, agent: str = "") -> str:
    """An agent's name among the files."""
    return f"{session.rpartition('/')[2]}~{safe_name(agent) if agent else ''}"


def others(folder: str, session: str, agent: str = "") -> bool:
    """Whether anybody is at work here, or holds something, but this agent and the conversation that it belongs to."""
    own = (name_of(session, agent), name_of(session))
    try:
        with os.scandir(f"{folder}/{AGENTS}") as found:
            if any(one.name not in own for one in found):
                return True
    except OSError:
        return False
    return bool(held_by_others(folder, session, agent))


def held_by_others(folder: str, session: str, agent: str = "") -> "list[str]":
    """The paths, globs and names of sections with theirs, that somebody else has for themselves."""
    rows = (line.split(" ", 1) for line in read_text(f"{folder}/{HELD}", 100_000).split("\n"))
    own = (agent, session.rpartition("/")[2])
    return [row[1] for row in rows if len(row) == 2 and row[0] not in own]


def changed_by_command(folder: str, session: str, fields: "dict[str, Any]") -> "list[str]":
    """Those of others' files that have another date since this command began, or may be gone since: something in their
    folder is. Of globs nothing is known.
    """
    ran = fields.get("duration_ms")
    late = 2  # seconds, at most, from the call to its hook
    since = time.time() - late - (ran / 1_000 if isinstance(ran, int) else 0)
    changed = []
    for path in held_by_others(folder, session, str(fields.get("agent_id") or "")):
        try:
            changed += [path] * (_date_of(path) > since)
        except (OSError, ValueError):
            pass
    return changed


def _date_of(path: str) -> float:
    """Of the file, or of the folder that is left of its road; 0 for a glob that names none. Raises OSError."""
    while True:
        try:
            return os.stat(path).st_mtime
        except (FileNotFoundError, NotADirectoryError):
            if "*" in path or "/" not in path:
                return 0.0
            path = path.rpartition("/")[0]


def sign(folder: str, session: str, agent: str = "", kind: str = "") -> bool:
    """A sign of life; whoever is not known yet, or any more, is entered where a start has made the folders; whether
    it has. Raises OSError.
    """
    path = f"{folder}/{AGENTS}/{name_of(session, agent)}"
    try:
        os.utime(path)
    except FileNotFoundError:
        from holdfast.hot.jsonc import dumps
        from holdfast.hot.provenance import mark, real_within

        if len(real_within(folder, (AGENTS, MARKS))) < 2:  # or a clone has brought links
            return False
        facts = {"folder": session, "agent": agent, "kind": kind, "started": time.time(), "made": mark(folder)}
        write_atomic(path, dumps(facts))
    return True


def touched(fields: "dict[str, Any]") -> str:
    """The file that a call is about, as the client names it; "" for none."""
    inputs = fields.get("tool_input")
    path = isinstance(inputs, dict) and (inputs.get("file_path") or inputs.get("notebook_path"))
    return path if isinstance(path, str) else ""


def note(folder: str, session: str, fields: "dict[str, Any]") -> None:
    """After a call: the agent's sign of life, and a mark for what it wrote, or read and may not be alone."""
    agent, tool = str(fields.get("agent_id") or ""), fields.get("tool_name")
    try:
        is_in, path = sign(folder, session, agent, str(fields.get("agent_type") or "")), touched(fields)
        if is_in and path and (tool in EDITS or (tool == "Read" and (agent or others(folder, session)))):
            info = os.stat(path)
            line = f"{'w' if tool in EDITS else 'r'} {time.time():.3f} {info.st_mtime_ns} {info.st_size} {path}"
            append(f"{folder}/{MARKS}/{name_of(session, agent)}", line * path.isprintable() + "\n")
    except (OSError, ValueError):  # a file that is gone again, a disk that refuses: a mark less
        pass
