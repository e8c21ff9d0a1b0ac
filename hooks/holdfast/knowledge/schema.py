"""What `holdfast knowledge --json` and `holdfast show --json` print: a contract for programs. Hooks never import it.

The commands print these models themselves; what is None is not printed.
"""

from pydantic import BaseModel, ConfigDict


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class BuiltDocument(_Closed):
    """What became of one document. state: written, unchanged or removed."""

    marker: str
    state: str
    path: str


class Built(_Closed):
    """`knowledge build`."""

    folder: str
    documents: list[BuiltDocument]


class Misfit(_Closed):
    """One thing that does not fit. check: a word for programs."""

    check: str
    marker: str
    what: str
    todo: str


class ConsistencyCheck(_Closed):
    """`knowledge check`."""

    ok: bool
    findings: list[Misfit]


class ReachedLevel(_Closed):
    """What a change asks for at one level, and what was written."""

    level: int
    due: bool
    why: str
    documents: list[BuiltDocument]


class Updated(_Closed):
    """`knowledge update`."""

    change: str
    levels: list[ReachedLevel]


class RuleTables(_Closed):
    """`knowledge table`."""

    belongs: list[dict[str, str]]
    reaches: dict[str, list[str]]
    limits: dict[int, int]


class IndexEntry(_Closed):
    """One place that can be shown."""

    marker: str
    title: str
    about: str


class NavigationIndex(_Closed):
    """`show` without a marker."""

    folder: str
    index: list[IndexEntry]


class ShownPlace(_Closed):
    """`show MARKER`, without secrets. path: absolute, or within the project for level 4."""

    marker: str
    level: int
    path: str
    text: str
    changed: str | None = None  # of a file, as what follows
    bytes: int | None = None
    lines: int | None = None
    tokens: int | None = None
    purpose: str | None = None
    files: list[str] | None = None  # of a folder


class StaleDocument(_Closed):
    """A document that does not say what would be written now. parts: those that differ, [] for all of it."""

    marker: str
    path: str
    parts: list[str]
    why: str


class Stale(_Closed):
    """`show --stale`."""

    stale: list[StaleDocument]
