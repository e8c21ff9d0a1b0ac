"""Who is at work in a project: its agents' files (hot/presence.py), brought together with the store of who owns what.

The store learns of the files whenever somebody asks. Alone in a project an agent pays for neither.
"""

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from holdfast.checkpoint import git
from holdfast.errors import BadInput
from holdfast.hot import presence, provenance
from holdfast.hot.files import names_in, read_bytes, read_from, read_text, size_of, write_atomic
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InSession
from holdfast.session import liveness
from holdfast.session.context import Session
from holdfast.team import ownership, words
from holdfast.team.location import folder_of, meta_of
from holdfast.team.model import MAIN, Agent, Claim, Wanted
from holdfast.team.store import SqliteStore, Store
from holdfast.text.redaction import redacted
from holdfast.transcript.rows import human_prompt, parse_chunk
from holdfast.worklog import model as worklog

TAIL = 200_000
"""Bytes of an agent's marks that are read, the newest."""
MOST = 1_000
"""Names of agents that are looked at, the own session's first: an archive may bring any number."""


class Team(NamedTuple):
    """Who shares this project, as one of them sees it."""

    store: Store
    folder: str
    root: str
    """The main checkout."""
    agents: dict[str, Agent]
    """Who is here on this machine, by id."""
    now: float
    lease: float
    """Seconds."""
    told: str
    """What the user is to know of the store."""


@contextlib.contextmanager
def joined(session: Session, wait: float = 1) -> Iterator[Team]:
    """The team with what its agents' files tell. Raises OSError and Fault."""
    folder, root = folder_of(session.project), os.path.realpath(git.main_checkout(session.project))
    with SqliteStore(folder, wait) as store:
        told = f"Holdfast: {store.told}" if store.told else ""
        team = Team(store, folder, root, {}, session.now, session.config["coordination.lease"] * 60, told)
        _meet(team, session.folder)
        yield team
        _note_held(team)


def _note_held(team: Team) -> None:
    """Leave for the hot road what is somebody's alone: it stops at edits for that, and looks there after commands."""
    path = f"{team.folder}/{presence.HELD}"
    for _ in range(3):  # another may have written meanwhile what stood there before
        claims = (one for one in team.store.holders(team.now) if one.mode != "shared")
        text = "".join(f"{one.holder} {place_of(team, one)}\n" for one in claims)
        if read_text(path) == text:
            return
        with contextlib.suppress(OSError):  # a disk that refuses: others are asked for less
            write_atomic(path, text)


def place_of(team: Team, claim: Claim) -> str:
    """Whole path of what is held; of a section its document's."""
    path, _ = ownership.parts(claim.pattern)
    return path if path.startswith("/") else f"{team.root}/{path}"


def _meet(team: Team, own: str) -> None:
    """Renew who is here, let go of who is gone, hold for each what it wrote while it was alone. own: whoever asks."""
    known, held = {one.id: one for one in team.store.agents(team.now)}, team.store.holders(team.now)
    mine, names = presence.name_of(own), names_in(f"{team.folder}/{presence.AGENTS}")
    for name in sorted(names, key=lambda one: not one.startswith(mine))[:MOST]:
        facts, seen = _facts(team, name)
        if not facts:
            continue
        agent, folder = _agent(team, facts, seen, known), facts.get("folder")
        if folder != own and _is_gone(team, str(folder), agent):
            _leave(team, name, agent.id)
            continue
        team.agents[agent.id] = agent
        team.store.renew(agent, agent.seen + team.lease, team.now)
        before = known[agent.id].seen if agent.id in known else 0
        _hold_written(team, agent, [one for one in held if one.holder == agent.id], before)
    sessions = {one.session for one in team.agents.values()}
    for one in known.values():
        if one.session and one.session not in sessions and one.place.startswith("/"):
            team.store.release(one.id, "", team.now)


def _facts(team: Team, name: str) -> tuple[dict[str, Any], float]:
    """What an agent's file says, {} where this machine has not made it or it is just going; its last sign."""
    path = f"{team.folder}/{presence.AGENTS}/{name}"
    facts = loads_object(read_bytes(path, 4_096))
    with contextlib.suppress(FileNotFoundError):
        if provenance.bears(team.folder, facts.get("made")):
            return facts, min(team.now, os.stat(path).st_mtime)
    return {}, 0


def _is_gone(team: Team, folder: str, agent: Agent) -> bool:
    """Whether its session is over; a sub-agent's lease, or that of a session whose process the client does not tell."""
    noted, is_silent = liveness.noted(folder), agent.seen + team.lease < team.now
    tells = bool(noted.get("ended")) or bool(noted.get("open", {}).get("pid"))
    return (tells and liveness.is_over(noted)) or (is_silent and (not tells or agent.kind != MAIN))


def _agent(team: Team, facts: dict[str, Any], seen: float, known: dict[str, Agent]) -> Agent:
    """The agent of a file; what was kept for its task is its own from now on."""
    folder, id_ = str(facts.get("folder") or ""), str(facts.get("agent") or "")
    session, noted = os.path.basename(folder), liveness.noted(folder)
    place, started = str(noted.get("project") or ""), facts.get("started")
    made = Agent(session, session, MAIN, "", git.head(place)[0], float(started or seen), seen, place)
    if not id_:
        return made._replace(task=short(_asked(folder, str(noted.get("transcript") or ""))))
    meta = meta_of(str(noted.get("transcript") or ""), id_)
    task, call = short(meta.get("description")), known.get(str(meta.get("toolUseId") or ""))
    was = known.get(id_)
    parent = call.parent if call else was.parent if was else session
    made = made._replace(id=id_, kind=words.kind_of(facts.get("kind")), task=task, parent=parent)
    if call:
        team.store.give(call.id, made, team.now)
    return made


def short(text: object) -> str:
    """What is kept of a task's words."""
    return redacted(str(text or ""))[:300]


def _asked(folder: str, transcript: str) -> str:
    """The request in force of what a session has folded; in its first turn there is none: the transcript has it."""
    asked = worklog.load(loads_object(read_bytes(f"{folder}/{InSession.STATE}")))["prompts"]
    if asked:
        return next(filter(worklog.stands_alone, reversed(asked)), asked[-1])["text"]
    return next(filter(None, map(human_prompt, parse_chunk(read_bytes(transcript, 64_000)).rows)), "")


def file_of(agent: Agent) -> str:
    """Its name among the files."""
    return presence.name_of(agent.session, "" if agent.kind == MAIN else agent.id)


def marks_of(team: Team, name: str) -> list[words.Mark]:
    """What the agent of this file has read and written, the oldest first."""
    path = f"{team.folder}/{presence.MARKS}/{name}"
    return words.marks(read_from(path, max(0, size_of(path) - TAIL), TAIL).decode("utf-8", "replace"))


def _hold_written(team: Team, agent: Agent, held: list[Claim], since: float) -> None:
    """What an agent wrote since, while nobody looked, is its own from then on for the rest of the lease."""
    newest = {one.path: one.at for one in marks_of(team, file_of(agent)) if one.letter == "w" and one.at > since}
    for path, at in newest.items():
        pattern = pattern_of(team, os.path.realpath(path)) if at + team.lease > team.now else ""
        known = at > team.now + ownership.SKEW or any(ownership.covers(one, Wanted(pattern)) for one in held)
        if pattern and not known:
            team.store.claim(agent, Wanted(pattern), at + team.lease, min(at, team.now))


def pattern_of(team: Team, path: str) -> str:
    """A file's pattern; "" for one with a name that no line can show: it is nobody's."""
    with contextlib.suppress(BadInput):
        return ownership.normal(path, team.root)
    return ""


def stands(path: str, folders: Sequence[str]) -> str:
    """Where a path that somebody has written lies, by its real place as an edit's, with a / behind a folder: in the
    first of these folders that has what it names up to a wildcard, else in the first that has the folder of that.
    """
    named = path.replace("?", "*").partition("*")[0]
    fixed = path if named == path else os.path.dirname(named)
    rest = path[len(fixed) :].lstrip("/")
    places = [os.path.join(one, fixed) for one in folders]
    near = (one for one in places if os.path.isdir(os.path.dirname(one.rstrip("/"))))
    place = os.path.realpath(next((one for one in places if os.path.lexists(one)), next(near, places[-1])))
    return os.path.join(place, rest) if rest or path.endswith("/") or os.path.isdir(place) else place


def _leave(team: Team, name: str, agent: str) -> None:
    team.store.release(agent, "", team.now)
    for folder in (presence.AGENTS, presence.MARKS):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(f"{team.folder}/{folder}/{name}")
