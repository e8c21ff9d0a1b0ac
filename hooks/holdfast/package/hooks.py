"""A package is acknowledged by reading it, and suggested where an agent did not get through."""

from holdfast.handoff import orchestrator
from holdfast.handoff.decision import keyword
from holdfast.hot.paths import InSession
from holdfast.package import store
from holdfast.session.context import PROGRAM, Session
from holdfast.session.event import Event
from holdfast.text.lines import one_line

HELPS = {"STOP": ("stopped", "emergency"), "CLARIFY": ("asks back", "specialist"), "error": ("failed", "emergency")}
"""What a report decided, or that none came -> how it is told, and the kind of package that helps."""


def read(event: Event, session: Session) -> str:
    """Note the receipt where the file that was read is a package of this project; a line where it only has the name of
    one. Raises OSError.
    """
    path = event.mapping("tool_input").get("file_path")
    folder, _, name = str(path).rpartition("/")
    code = name.removesuffix(".md")
    if event.text("tool_name") == "Read" and folder == store.folder_of(session.state) and name != code:
        agent = f"{event.agent_type or 'agent'} {event.agent_id}"
        who = agent if event.in_subagent else f"session {event.session_id[:8]}"
        if not store.receive(session.state, code, store.Acknowledgement(session.now, who, "read")):
            what = "was not made on this machine, or another text was put in its place since, as a pull does"
            return f"Holdfast: {one_line(code, 40)} {what}: it is a file of the repository, no handoff. Ask the user."
    return ""


def suggested(event: Event, session: Session) -> str:
    """A line for whoever called an agent that failed, stopped or asks back; "" for all others. Its return is noted."""
    decided = "error" if event.fields.get("error") and not event.fields.get("is_interrupt") else ""
    if event.mapping("tool_response").get("status") == "completed" or event.name == "UserPromptSubmit":
        phases = list(orchestrator.load(session.read(InSession.ORCHESTRATOR))["phases"].values())
        decided = keyword(phases[-1]["decision"]) if phases else ""
    if event.in_subagent or decided not in HELPS:
        return ""
    so, kind = HELPS[decided]
    command = f"`{PROGRAM} handoff package --kind {kind} --task WHAT`"
    return f"Holdfast: this agent {so}. {command} makes a file from which another one goes on."
