"""What `holdfast team --json` prints. Times are ISO 8601, "" for never."""

from typing import Self

from pydantic import BaseModel, ConfigDict

from holdfast.team.model import Agent, AuditEntry, Claim, Deed, Mode, Versioned
from holdfast.text.dates import iso


class _Printed(BaseModel):
    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, value: Agent | AuditEntry | Claim | Versioned, **more: object) -> Self:
        """A value of the room as it is printed."""
        shown = {name: iso(one) if one else "" for name, one in value._asdict().items() if name in _TIMES}
        return cls.model_validate({**value._asdict(), **shown, **more})


_TIMES = ("at", "since", "until", "started", "seen")


class Held(_Printed):
    """A claim."""

    pattern: str
    mode: Mode
    holder: str
    since: str
    until: str
    why: str


class Present(_Printed):
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


class Shown(_Printed):
    """Who is here, and who holds what."""

    mode: str
    agents: list[Present]
    claims: list[Held]


class Entry(_Printed):
    """A line of the audit."""

    at: str
    deed: Deed
    agent: str
    pattern: str
    mode: Mode
    other: str


class State(_Printed):
    """A state; ok: whether it was written or is as it was asked for. base: the value that a change was made from."""

    ok: bool = True
    key: str
    value: str
    version: int
    by: str
    at: str
    base: str | None = None
