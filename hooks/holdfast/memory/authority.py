"""Whose word changes what: one rule for superseding, archiving, forgetting, editing, resolving and letting through.

In a shell of their own it is the user who speaks. In the client's shell nobody can tell; there a record of the user's
is changed by the user's word: one of their last requests in this conversation names it by its code or id. What an
assistant or a tool has said, an assistant may change. New words are the user's where they stand in a request of theirs.
"""

import os
import time
from collections.abc import Iterable

from holdfast.errors import BadInput
from holdfast.hot import paths
from holdfast.memory.record import Record, called
from holdfast.memory.store import SHORTEST_ID
from holdfast.session import liveness, worklog
from holdfast.session.context import Session
from holdfast.session.event import from_fields
from holdfast.text import identifiers


def requests() -> list[str]:
    """What the user has asked in the conversation that this shell belongs to; [] where none is known here."""
    state, name = paths.state_folder(), os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    folder = paths.session_folder(state, name)
    transcript = str(liveness.noted(folder).get("transcript") or "") if name else ""
    if not transcript:
        return []
    session = Session(state, folder, paths.project_folder(), {}, [], time.time(), 0)
    work = worklog.fold(from_fields({"transcript_path": transcript, "session_id": name}, "Stop"), session)
    return [prompt["text"] for prompt in work["prompts"]]


def refuse(records: Iterable[tuple[Record, str]], what: str) -> None:
    """Raises BadInput where one of these is the user's and no request of theirs names it: for the client's shell.

    records: each with how far it is trusted here; what: is to be done, e.g. "forget".
    """
    users = [record for record, trust in records if trust == "trusted"]
    said = requests()[-3:] if users else []
    for record in users:
        names = filter(None, (record.code, record.id, record.id[:SHORTEST_ID]))
        if not any(identifiers.occurs(name, one) for name in names for one in said):
            why = f"it is the user's word, and no request of theirs names it to {what} it"
            todo = f"Ask the user to say `{what} {called(record)}` here, or to do it in a shell outside of the client"
            raise BadInput(why, called(record), todo)
