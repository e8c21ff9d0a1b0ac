"""An agent comes to where a project's agents have what they share, and leaves it.

What others hold stands in a database, which whoever is alone neither loads nor opens.
"""

import os
from collections.abc import Callable, Collection

from holdfast.hot import presence, provenance
from holdfast.hot.files import names_in, size_of
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.team.location import FILE, folder_for, meta_of


def enter(session: Session) -> None:
    """Be among those at work here, where they coordinate. Raises OSError."""
    if folder := folder_for(session):
        for name in (presence.AGENTS, presence.MARKS):
            provenance.real_folder(f"{provenance.private_folder(folder)}/{name}")
        provenance.marked(folder)
        presence.sign(folder, session.folder, "", "main")  # model.MAIN


def company(session: Session, agent: str = "") -> str:
    """Who else is at work here, for the user and the model. "" for nobody. Raises OSError and Fault."""
    folder = folder_for(session)
    if not folder or not presence.others(folder, session.folder, agent):
        return ""
    from holdfast.team import words
    from holdfast.team.members import joined

    own = {os.path.basename(session.folder), agent}
    with joined(session) as team:
        there = [one for one in team.agents.values() if one.id not in own]
        told = words.company(there, team.store.holders(team.now), team.now)
        return "\n".join(filter(None, (team.told, told)))


def agent_started(event: Event, session: Session) -> str:
    """Enter a sub-agent; who else is at work here. Raises OSError and Fault."""
    if folder := folder_for(session):
        presence.sign(folder, session.folder, event.agent_id, event.agent_type)
    return company(session, event.agent_id)


def agent_stopped(event: Event, session: Session) -> None:
    """A sub-agent is done: what it holds is free, and what was kept for its task. Raises OSError and Fault."""
    name = presence.name_of(session.folder, event.agent_id)
    call = str(meta_of(event.transcript_path, event.agent_id).get("toolUseId") or "") if event.agent_id else ""
    _gone(session, lambda one: one == name, {event.agent_id, call} - {""})


def ended(session: Session) -> None:
    """A session is over: all of its agents leave. Raises OSError and Fault."""
    own = presence.name_of(session.folder)
    _gone(session, lambda one: one.startswith(own))


def _gone(session: Session, leaves: Callable[[str], bool], ids: Collection[str] = ()) -> None:
    """Those of these file names leave, and with their ids what they hold. ids: none is all of the session."""
    folder = folder_for(session)
    there = [name for name in names_in(f"{folder}/{presence.AGENTS}") if leaves(name)] if folder else []
    for name in there:
        os.unlink(f"{folder}/{presence.AGENTS}/{name}")
    for name in filter(leaves, names_in(f"{folder}/{presence.MARKS}") if not ids and folder else ()):
        os.unlink(f"{folder}/{presence.MARKS}/{name}")
    if there and size_of(f"{folder}/{FILE}") > 0:
        from holdfast.team.members import joined

        with joined(session) as team:  # who has no file any more has left
            for one in ids:
                team.store.release(one, "", session.now)
