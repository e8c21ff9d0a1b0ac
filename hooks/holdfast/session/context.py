"""One session as a handler sees it: where its files are, its configuration, the time."""

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.config import load
from holdfast.errors import Refused, refusal
from holdfast.hot import call_log, jsonc, paths, provenance
from holdfast.hot.files import claim, kind_of, make_folder, read_bytes, read_text, safe_name, size_of, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import InSession, InState
from holdfast.session.event import Event
from holdfast.text.lines import one_line


class Session(NamedTuple):
    """Everything of the surroundings that a handler may use."""

    state: str
    """`<project>/.claude/holdfast`."""
    folder: str
    """`<state>/sessions/<id>`."""
    project: str
    config: dict[str, Any]
    problems: list[str]
    now: float
    call: int
    """Number of this tool call where it has been counted, else 0."""

    def path(self, name: str) -> str:
        """A file or folder of this session."""
        return f"{self.folder}/{name}"

    def read(self, name: str) -> dict[str, Any]:
        """A JSON object of this session; {} when there is none."""
        return jsonc.loads_object(read_bytes(self.path(name)))

    def write(self, name: str, data: dict[str, Any]) -> None:
        """Replace a JSON object of this session. Raises OSError."""
        write_atomic(self.path(name), jsonc.dumps(data))

    def once(self, key: str) -> bool:
        """True for the first caller with this key in this session; False too where the disk refuses to note it."""
        return claim(f"{self.folder}/{InSession.CLAIMS}/{safe_name(key, 200)}")

    def at_least_once(self, key: str, unsure: bool = True) -> bool:
        """As `once`, for what must be said: where this disk refuses the note stands with temporary files. unsure:
        whether it is said where that is refused too, and so perhaps again.
        """
        path = f"{self.folder}/{InSession.CLAIMS}/{safe_name(key, 200)}"
        return claim(path) or (not os.path.lexists(path) and claim(elsewhere(path), unsure))

    @contextlib.contextmanager
    def noting(self) -> Iterator[None]:
        """What is written in here is for later hooks: where the disk refuses it, this one goes on with what it says."""
        try:
            yield
        except OSError as error:
            _refused(self.problems, self.state, error)

    def is_kept(self) -> bool:
        """Whether what is written in here stays, as far as this hook has seen."""
        return not any(one.startswith(_cannot_be(self.state)) for one in self.problems)


def in_folder(state: str, folder: str, now: float) -> Session:
    """The session whose files are in `folder`, as a handler would have it."""
    values, problems = load.load(state, os.environ)
    made = call_log.count(f"{folder}/{InSession.CALLS}")
    return Session(state, folder, paths.project_folder(), values, problems, now, made)


def elsewhere(path: str, make: bool = True) -> str:
    """A name for a note in a folder of the user's among the temporary files; "" where somebody else has its name."""
    root = os.environ.get("TMPDIR", "")
    folder = f"{root if os.path.isabs(root) else '/tmp'}/holdfast-{os.getuid()}"  # noqa: S108 - looked at below
    with contextlib.suppress(OSError):
        os.mkdir(folder, 0o700) if make else None
    own = provenance.is_real(folder) and os.lstat(folder).st_uid == os.getuid()
    return f"{folder}/{fingerprint(path.encode('utf-8', 'replace'))}" if own else ""


def _refused(problems: list[str], state: str, error: OSError) -> None:
    """A problem that the user is told: the state, or what else the error names, is on a full or read-only disk, or
    somebody else's.
    """
    path = str(error.filename2 or error.filename or state)
    place = state if f"{path}/".startswith(f"{state}/") else os.path.dirname(path)
    if not any(told.startswith(_cannot_be(place)) for told in problems):
        lost = ": nothing of this session is kept from now on" * (place == state)
        problems.insert(0, f"{_cannot_be(place)}({one_line(refusal(error))}){lost}")


def _cannot_be(place: str) -> str:
    return f"{one_line(place)} cannot be written "


def was_seen(event: Event) -> bool:
    """Whether anything is known of the event's session: a folder of its own, or a transcript."""
    folder = paths.session_folder(paths.state_folder(event.cwd), event.session_id)
    return os.path.lexists(folder) or size_of(event.transcript_path) > 0


def open_session(event: Event, now: float, call: int = 0) -> Session:
    """The event's session, with its folders made. Raises OSError, and Refused.

    What a start, the summariser, a sub-agent and whoever called it must be told is told without the folders, but not
    where a link stands in their place: a clone may bring one.
    """
    state = usable_state(event.cwd)
    folder = paths.session_folder(state, event.session_id)
    values, problems = load.load(state, os.environ)
    linked = any(map(os.path.islink, _private(state, folder)))
    if linked or not os.path.exists(f"{folder}/{InSession.CALLS}"):  # what is made last
        try:
            _make_folders(state, folder)
        except OSError as error:
            told = ("SessionStart", "PreCompact", "SubagentStart", "SubagentStop", "PostToolUse")
            if linked:
                raise Refused(refusal(error), state, "Put a folder in the link's place") from error
            if event.name not in told:
                raise
            _refused(problems, state, error)
    provenance.hide_again(state)
    return Session(state, folder, paths.project_folder(event.cwd), values, problems, now, call)


def usable_state(cwd: str) -> str:
    """The state folder of a project. Raises Refused where nothing is to be said or written there."""
    state = paths.state_folder(cwd)
    if not state.encode("utf-8", "replace").decode().isprintable():  # its files are named in what the model reads
        raise Refused("the project's path has characters that could pose as lines", ascii(state), "Rename the folder")
    project = paths.project_folder(cwd)
    if provenance.has_gone(project, state):
        raise Refused("the project's folder is not there any more", project, "Start the client in one that exists")
    refuse_leading_out(project, state)
    return state


def refuse_leading_out(project: str, state: str) -> None:
    """Raises Refused where a link in the project moves its state folder out of it."""
    if to := provenance.leads_out(project, state):
        what = f"it leads out of the project, to {ascii(to)[:300]}, and is not used"
        raise Refused(what, state, "Put a folder there, or name the place in HOLDFAST_DIR")


def _private(state: str, folder: str) -> tuple[str, ...]:
    return f"{state}/sessions", folder, *(f"{folder}/{name}" for name in InSession.FOLDERS)


def _make_folders(state: str, folder: str) -> None:
    make_folder(state)
    for place in _private(state, folder):  # each is to be private, and none may be a link from a clone
        provenance.real_folder(place)
    provenance.marked(folder)
    if kind_of(f"{state}/logs") in ("", "folder"):  # whoever writes there refuses anything else
        provenance.private_folder(f"{state}/logs")
    call_log.create(f"{folder}/{InSession.CALLS}")
    provenance.keep_out_of_git(state)
    provenance.private_folder(folder)  # whole results and reports


def problems_told(session: Session, unsure: bool = True) -> list[str]:
    """What the user is to know of the state's disk and the settings, each once in a session (at_least_once)."""
    keys = {problem: f"problem-{fingerprint(problem.encode('utf-8', 'replace'))}" for problem in session.problems[:3]}
    return [f"Holdfast: {problem}" for problem, key in keys.items() if session.at_least_once(key, unsure)]


def settings_told(session: Session) -> str:
    """What the project's own file changes of the user's settings, once for each state of it; "" else."""
    told = load.changes(session.state, os.environ)
    if not told or told_before(session.state, InState.TOLD, repr(told)):
        return ""
    return f"this project's config.json changes your settings: {'; '.join(told)}"


def ignores_told(session: Session) -> str:
    """What git sees where the state folder's ignore file is a clone's or the user's, once for each; "" for ours."""
    path = f"{session.state}/.gitignore"
    text = read_text(path, 10_000) if kind_of(path) else provenance.ALL
    if text in provenance.OF_STATE or told_before(session.state, InState.IGNORES, text):
        return ""
    what = "so git may list three small files beside it (here, keep.lock, going.json; none has any of your text)"
    return f"Holdfast did not write {one_line(path)}, {what}. Add the lines `*` and `!config.json` to hide them"


def welcome(session: Session) -> str:
    """What is on, once for a project; "" where it was said, or cannot be noted and would be said each time."""
    first, noted = (told_before(session.state, InState.WELCOME, "said") for _ in range(2))
    if first or not noted:
        return ""
    limit, remembers = session.config["handoff.limit"], session.config["memory.mode"] != "off"
    parts = (
        (session.config["digest.on"], "digests of large results"),
        (session.config["handoff.on"], f"handoffs within {limit:,} tokens"),
        (session.config["restore.on"], "restores after compactions"),
        (remembers, "memory"),
    )
    on = ", ".join(told for is_on, told in parts if is_on)
    what = f"is on: {on}" if on else "is here, with digests, handoffs, restores and memory switched off"
    return f"Holdfast {what}. See {skill('status')}"


def skill(name: str) -> str:
    """How a skill is called here: the plugin's have its name before a colon."""
    return f"/holdfast{':' if os.environ.get('CLAUDE_PLUGIN_ROOT') else '-'}{name}"


def near_home(path: str) -> str:
    """As a shell would take it, the home as ~."""
    home = os.environ.get("HOME", "")
    return f"~{path.removeprefix(home)}" if home and path.startswith(f"{home}/") else path


PROGRAM = near_home(os.path.abspath(f"{__file__}/../../../../bin/holdfast"))
"""This pack's, as a shell takes it: it is not on PATH."""


def told_before(state: str, name: str, text: str) -> bool:
    """Whether this was said in the project already; from now on it was.

    A clone cannot claim it: the note bears the mark of this machine.
    """
    path, made = f"{state}/{name}", f"{provenance.marked(state)} {fingerprint(text.encode())}"
    if not made.startswith(" ") and read_text(path, 200) == made:
        return True
    with contextlib.suppress(OSError):
        provenance.private_folder(os.path.dirname(path))
        write_atomic(path, made)
    return False


def packages() -> str:
    """The folder with the packages that the launcher names, from now on looked into; "" for none."""
    site = os.environ.get("HOLDFAST_SITE", "")
    if not paths.is_whole(site):  # it leads into a clone
        return ""
    if site not in sys.path:
        sys.path.append(site)
    return site


def stamp(seconds: float) -> str:
    """Local time for people."""
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
