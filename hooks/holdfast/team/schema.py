"""What `holdfast team --json` prints. Times are ISO 8601."""

from typing import Literal

from pydantic import BaseModel, ConfigDict

from holdfast.team.model import Agent, AuditEntry, Claim, Versioned
from holdfast.text.dates import iso


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Held(_Strict):
    """A claim."""

    pattern: str
    mode: Literal["exclusive", "shared", "read"]
    holder: str
    since: str
    until: str
    why: str

    @classmethod
    def of(cls, claim: Claim) -> "Held":
        """As it is printed."""
        return cls(**{**claim._asdict(), "since": iso(claim.since), "until": iso(claim.until)})


class Present(_Strict):
    """One that is at work here."""

    id: str
    session: str
    kind: str
    task: str
    branch: str
    started: str
    seen: str
    place: str
    parent: str

    @classmethod
    def of(cls, agent: Agent) -> "Present":
        """As it is printed."""
        return cls(**{**agent._asdict(), "started": iso(agent.started), "seen": iso(agent.seen)})


class Shown(_Strict):
    """Who is here, and who holds what."""

    mode: str
    agents: list[Present]
    claims: list[Held]


class Entry(_Strict):
    """A line of the audit."""

    at: str
    deed: Literal["took", "gave", "lost", "released"]
    agent: str
    pattern: str
    mode: str
    other: str

    @classmethod
    def of(cls, entry: AuditEntry) -> "Entry":
        """As it is printed."""
        return cls(**{**entry._asdict(), "at": iso(entry.at)})


class State(_Strict):
    """A state; ok: whether it was written or is as it was asked for. base: the value that a change was made from."""

    ok: bool
    key: str
    value: str
    version: int
    by: str
    at: str
    base: str | None = None

    @classmethod
    def of(cls, state: Versioned, ok: bool = True, base: str | None = None) -> "State":
        """As it is printed."""
        return cls(ok=ok, base=base, **{**state._asdict(), "at": iso(state.at) if state.at else ""})
