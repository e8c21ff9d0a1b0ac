"""Which sessions have not been put into the memory yet, and how many there were before this one.

A session's name stands in `unsaved/` from its start until what it leaves is in the memory: where it was killed, or had
no time at its end, the next start finds it. The last line of `logs/sessions.log` tells of those before: number, epoch
seconds, how it ended. A clone may bring notes as well: a name counts where the session itself was noted on this machine
(session/liveness.py), and nothing goes through a link. `memory.json` in a session's own folder has what its window
holds, so that nothing is told twice in it; a compaction begins a new epoch, in which nothing is told yet.
"""

import contextlib
import os
from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.checkpoint import git
from holdfast.hot import paths, provenance, thresholds
from holdfast.hot.files import append, make_folder, names_in, read_bytes, read_from, safe_name, size_of, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.jsonc import broken, dumps, field, loads_object, whole
from holdfast.hot.paths import InSession, InState
from holdfast.memory.location import folder_of, note_uses, notes_of, users_folder
from holdfast.session import liveness
from holdfast.session.context import Session

FILE = "memory.json"
OF_LAST = ("project", "transcript", "called", "open")
"""What a session's note repeats of its `last.json`, which is gone where its worktree is removed."""


def add(session: Session) -> None:
    """Note that there is something to put away later. Raises OSError."""
    provenance.private_folder(f"{notes(session)}/unsaved")
    known = noted(session)
    note = {"begun": known["begun"] or session.now, "child": known["child"] or _is_child(session)}
    last = {name: value for name, value in liveness.noted(session.folder).items() if name in OF_LAST}
    write_atomic(_marker(session), dumps({**last, **note, "folder": session.folder}))


def notes(session: Session) -> str:
    """The folder of these notes, made if need be and kept out of git. Raises OSError."""
    folder = notes_of(session.project)
    make_folder(folder)  # the main checkout, where no session has run yet
    provenance.marked(folder)
    provenance.keep_out_of_git(folder)
    return folder


def noted(session: Session) -> dict[str, Any]:
    """{begun: epoch seconds, 0.0 where that is not known, child: whether a session of this project started it}."""
    note = _read(_marker(session))
    begun = note.get("begun")
    is_time = isinstance(begun, (int, float)) and 0 < begun <= session.now
    return {"begun": begun if is_time else 0.0, "child": note.get("child") is True}


def has_memory(session: Session) -> bool:
    """Whether there may be a memory: a look that a project without one can afford at every start."""
    return os.path.isdir(folder_of(session.project)) or os.path.isdir(users_folder() or "/nonexistent")


def mark_done(session: Session, how: str, seen: float) -> None:
    """Note that all that this session left is in the memory. seen: epoch seconds of its last sign. Raises OSError."""
    last, (count, ended, other) = session.read(InSession.LAST), before(session)
    count = count + (0 if last.get("counted") else 1)
    if seen < ended <= session.now:  # another one has ended since
        seen, how = ended, other
    # first: where it fails, the next try must not count it again
    session.write(InSession.LAST, {**last, "counted": True})
    with contextlib.suppress(OSError):  # a link, a full disk: what it left is in the memory all the same
        folder = notes(session)
        line = f"{count} {int(seen)} {safe_name(how, 30)}"
        provenance.private_folder(f"{folder}/logs")
        append(f"{folder}/{InState.SESSIONS}", f"{line} {_seal(folder, line)}\n")
    drop(session)


def tell_later(session: Session, line: str) -> None:
    """Have the next start show this to the user, if the disk lets it: what a session's end prints, nobody sees."""
    with contextlib.suppress(OSError):
        folder = notes(session) if line else ""
        if folder and not git.tracked(folder, [InState.KEPT]):
            provenance.private_folder(f"{folder}/logs")
            append(f"{folder}/{InState.KEPT}", f"{_seal(folder, line)} {line}\n")


def waiting_lines(session: Session) -> list[str]:
    """What was to be shown later, once. Only what this machine noted counts. Raises OSError."""
    folder = notes_of(session.project)
    path = f"{folder}/{InState.KEPT}"
    if not provenance.is_there(path) or git.tracked(folder, [InState.KEPT]):
        return []
    rows = [row.partition(" ") for row in read_bytes(path, 20_000).decode("utf-8", "replace").splitlines()]
    os.unlink(path)
    return [line for seal, _, line in rows if provenance.mark(folder) and seal == _seal(folder, line)]


def drop(session: Session) -> None:
    """Nothing of this session is left to be put away. Raises OSError."""
    if provenance.is_there(_marker(session)):
        os.unlink(_marker(session))


def pending(session: Session) -> list[Session]:
    """Other sessions of this project that are over and not put away, as they were; the first few of them. One whose
    worktree is gone has a folder made here first.

    Those that were not tried come first, then the one whose last try is the longest ago.
    """
    found = []
    for name, note in _others(session).items():
        other = _as_it_was(session, name, note)
        if _lost_its_place(note):
            _make_anew(other, note)
        elif "begun" in note and not os.path.lexists(other.folder):  # somebody has removed it
            drop(other)
        last = liveness.noted(other.folder)
        if liveness.is_over(last):
            tried = _tried(note, session.now)
            if len(tried) < 3:  # a day: what fails each time must not hold up the others for good
                found.append((tried[-1:], other))
    found.sort(key=lambda row: row[0])
    return [other for _, other in found[:3]]  # nobody should wait for more


def _lost_its_place(note: Mapping[str, Any]) -> bool:
    """Whether the folder that a session was at work in is gone, as a worktree is removed, and its transcript is not."""
    project, transcript = str(note.get("project") or ""), str(note.get("transcript") or "")
    is_gone = not os.path.lexists(project) or _is_newer(f"{project}/.git", note.get("begun"))
    return is_gone and str(note.get("folder")).startswith(f"{project}/") and size_of(transcript) > 0


def _is_newer(pointer: str, begun: object) -> bool:
    """Whether a worktree's `.git` was made after that: another one has the place of the first."""
    return isinstance(begun, float) and provenance.is_plain(pointer) and os.stat(pointer).st_mtime > begun


def _make_anew(session: Session, note: Mapping[str, Any]) -> None:
    """Give such a session, once it is over, a folder here; its last sign is its transcript's, its end nobody noted."""
    if liveness.noted(session.folder) or not liveness.is_over(note):
        return
    with contextlib.suppress(OSError):  # the next start tries it again
        provenance.real_folder(os.path.dirname(session.folder))
        made = provenance.marked(provenance.real_folder(session.folder))
        last = {name: note[name] for name in (*OF_LAST, "begun") if name in note}
        seen = os.stat(str(note["transcript"])).st_mtime
        session.write(InSession.LAST, {**last, "made": made, "ended": "other", "time": seen})


def note_try(session: Session) -> None:
    """Note that this session is being put away: who fails or is killed at it leaves the note. Raises OSError."""
    note = _read(_marker(session))
    write_atomic(_marker(session), dumps({**note, "tried": [*_tried(note, session.now), session.now]}))


def _tried(note: dict[str, Any], now: float) -> list[float]:
    """Epoch seconds of the tries within a day of now, oldest first; whatever else stands there is none."""
    found = note.get("tried")
    times = [one for one in found if isinstance(one, (int, float))] if isinstance(found, list) else []
    return sorted(one for one in times if abs(now - one) < 86_400)


def _as_it_was(session: Session, name: str, note: dict[str, Any]) -> Session:
    """The other session of this name, in the worktree that it was at work in, with the state folder of that.

    Where the one or the other is gone (the project was moved), it is the present one.
    """
    folder = str(note.get("folder") or "")
    if not folder.endswith(f"/sessions/{name}") or not provenance.is_real(folder):
        folder = paths.session_folder(session.state, name)
    project = str(liveness.noted(folder).get("project") or "")
    state = folder.removesuffix(f"/sessions/{name}")
    project = project if os.path.isdir(project) else session.project
    return session._replace(state=state, folder=folder, project=project, call=0)


def before(session: Session) -> tuple[int, float, str]:
    """(how many were put away, epoch seconds at which the last ended, how it ended); zeros and "" for none."""
    folder, end = notes_of(session.project), 160  # bytes that hold the last line
    path = f"{folder}/{InState.SESSIONS}"
    data = read_from(path, max(0, size_of(path) - end), end) if provenance.is_there(path) else b""
    for line in reversed(data.decode("utf-8", "replace").splitlines()):
        said, _, seal = line.rpartition(" ")
        if provenance.mark(folder) and seal == _seal(folder, said):
            count, ended, how = said.split(" ")
            return whole(count), broken(ended), how
    return 0, 0.0, ""


def _seal(folder: str, line: str) -> str:
    """What only this machine can put behind a line: a clone's would be told in our own words."""
    return fingerprint(f"{provenance.mark(folder)} {line}".encode("utf-8", "replace"))


def _marker(session: Session) -> str:
    """Its name is sealed, so that a clone's are passed over unread, however many they are."""
    folder, name = notes_of(session.project), os.path.basename(session.folder)
    return f"{folder}/unsaved/{name}.{_seal(folder, name)}"


def _read(marker: str) -> dict[str, Any]:
    return loads_object(read_bytes(marker)) if provenance.is_there(marker) else {}


def _others(session: Session) -> dict[str, dict[str, Any]]:
    """What is noted of the other sessions, by their names; of what is no note, {}."""
    top, (folder, own) = notes_of(session.project), os.path.split(_marker(session))
    rows = ((file, *file.rpartition(".")[::2]) for file in names_in(folder) if file != own)
    return {name: _read(f"{folder}/{file}") for file, name, seal in rows if seal == _seal(top, name)}


def _is_child(session: Session) -> bool:
    """Whether a client that runs a session of this project is above ours: it started it, e.g. by `claude -p`.

    Only what was noted on this machine counts. A number is given again, so the client is known by when it began too.
    """
    noted_here = (liveness.noted(_as_it_was(session, *one).folder) for one in _others(session).items())
    others = [last["open"] for last in noted_here if last.get("open")]
    above = liveness.client()
    for _ in range(12 if others else 0):
        above = liveness.parent_of(above)
        if above["pid"] and above in others:
            return True
    return False


def note_told(session: Session, folder: str, ids: Iterable[str]) -> None:
    """Count the uses, and note what the window holds now, so that no prompt brings it again; a disk that refuses keeps
    none, and it is told all the same.
    """
    names = list(ids)
    note_uses(folder, names, session.now)
    with contextlib.suppress(OSError):
        session.write(FILE, {**session.read(FILE), **also_told(session, names)})


def also_told(session: Session, ids: Iterable[str]) -> dict[str, Any]:
    """What FILE says of the window when it holds these, too."""
    return {"epoch": _epoch(session), "told": list(dict.fromkeys([*told(session), *ids]))}


def told(session: Session) -> list[str]:
    """Ids of the records that the window holds; none after a compaction."""
    known = session.read(FILE)
    ids = field(known, "told", list[object]()) if known.get("epoch") == _epoch(session) else []
    return [one for one in ids if isinstance(one, str)]


def _epoch(session: Session) -> int:
    return int(thresholds.load(session.path(InSession.THRESHOLDS)).get("epoch") or 0)
