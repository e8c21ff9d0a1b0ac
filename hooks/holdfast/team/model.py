"""What agents share: who is here, who owns what, who took, gave and lost it, and states with a version.

All times are epoch seconds. An agent is a session's own conversation, whose id is the session's, a sub-agent, or a
delegation that no agent has taken up yet, whose id is that of the tool call. Sources: requirement O; source 000.
"""

from typing import Literal, NamedTuple

Mode = Literal["exclusive", "shared", "read"]
"""exclusive: nobody else writes there; shared: whoever wants writes there; read: nobody does."""
Deed = Literal["took", "gave", "lost", "released"]
MAIN = "main"
"""The kind of a session's own conversation."""
USER = "user"
"""Kind and id of a person in a shell of their own; their claims last as long as they said."""


class Agent(NamedTuple):
    """One that works here. kind: its type; seen: its last sign; place: its checkout; parent: who called it, an id."""

    id: str
    session: str
    kind: str = MAIN
    task: str = ""
    branch: str = ""
    started: float = 0
    seen: float = 0
    place: str = ""
    parent: str = ""


class Wanted(NamedTuple):
    """What somebody asks for. why: edit, task or command; within: the patterns of the sections that it stands in."""

    pattern: str
    mode: Mode = "exclusive"
    why: str = "edit"
    within: tuple[str, ...] = ()


class Claim(NamedTuple):
    """Files, a glob of them or `path#Heading`, held by an agent from `since` until `until`, its lease's end."""

    pattern: str
    mode: Mode
    holder: str
    since: float
    until: float
    why: str = "edit"


class Refusal(NamedTuple):
    """What was not given, the claim that is in the way, and who holds that (None: nobody who is known)."""

    wanted: Wanted
    claim: Claim
    holder: Agent | None = None


class AuditEntry(NamedTuple):
    """Who did what when. other: to whom it went, or from whom; "" for nobody."""

    at: float
    deed: Deed
    agent: str
    pattern: str
    mode: Mode
    other: str = ""


class Versioned(NamedTuple):
    """A state under its key; version 0 is none yet."""

    key: str
    value: str = ""
    version: int = 0
    by: str = ""
    at: float = 0


class Moved(NamedTuple):
    """A change that came too late. base: the version that it was made from, None where that is not kept any more."""

    now: Versioned
    base: Versioned | None
