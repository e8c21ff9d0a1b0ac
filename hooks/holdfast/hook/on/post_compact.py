"""PostCompact: compare summary and restored text with the record, queue what neither has, complete the record.

What this hook prints reaches nobody but the user; the model gets what is queued with the next prompt or tool result.
"""

from holdfast.compaction import hooks as compaction
from holdfast.gauge import hooks as gauge
from holdfast.session import worklog
from holdfast.session.context import Session
from holdfast.session.event import Event
from holdfast.session.reply import NOTHING, Reply


def handle(event: Event, session: Session) -> Reply:
    """A line to the user when something must be told yet."""
    work = worklog.fold(event, session)
    told = compaction.compare(event, session, work, gauge.read(event, session))
    return Reply(user=told) if told else NOTHING
