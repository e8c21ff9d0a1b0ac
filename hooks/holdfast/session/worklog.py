"""The session's worklog, kept in `state.json`: what the transcript has grown by is folded in."""

import time

from holdfast.hot import provenance
from holdfast.hot.files import size_of
from holdfast.hot.paths import InSession
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.worklog import model as worklog
from holdfast.worklog import reader
from holdfast.worklog.model import Worklog


def fold(event: Event, session: Session) -> Worklog:
    """The worklog with the transcript's growth folded in. Raises OSError when it cannot be stored.

    What does not bear the mark of the session's folder is made anew: a pull writes over what git ignores.
    """
    stored = session.read(InSession.STATE)
    work = worklog.load(stored if provenance.bears(session.folder, stored.get("made")) else {})
    size = size_of(event.transcript_path)
    if 0 <= size < work["offset"]:  # another file under the same name: begin again
        work = worklog.empty()
    if size > work["offset"]:
        work = reader.grown(event.transcript_path, work, size)
        session.write(InSession.STATE, {**work, "made": provenance.mark(session.folder)})
    return work


def fold_settled(event: Event, session: Session) -> Worklog:
    """As `fold`, but waits for results that are not in the transcript yet: before a compaction they count.

    The client writes it up to 100 ms late (client 2.1.329); 300 ms are enough.
    """
    work = fold(event, session)
    for _ in range(60):
        if not work["open_calls"]:
            break
        time.sleep(5 / 1_000)
        work = fold(event, session)
    return work
