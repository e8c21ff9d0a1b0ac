"""A package is acknowledged by reading it: the hook after a Read notes who did."""

from holdfast.package import store
from holdfast.session.context import Session
from holdfast.session.event import Event


def read(event: Event, session: Session) -> None:
    """Note the receipt where the file that was read is a package of this project. Raises OSError."""
    path = event.mapping("tool_input").get("file_path")
    folder, _, name = str(path).rpartition("/")
    if event.text("tool_name") == "Read" and folder == store.folder_of(session.state) and name.endswith(".md"):
        who = (
            f"{event.agent_type or 'agent'} {event.agent_id}"
            if event.in_subagent
            else f"session {event.session_id[:8]}"
        )
        store.receive(session.state, name.removesuffix(".md"), store.Receipt(session.now, who, "read"))
