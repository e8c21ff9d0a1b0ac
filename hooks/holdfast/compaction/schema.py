"""What `holdfast packet` and `holdfast compactions` print as JSON: a contract for programs. Hooks never import it.

Tokens are whole numbers, None (of a limit 0) where nobody has told them; times are ISO.
"""

from pydantic import BaseModel, ConfigDict


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Section(_Closed):
    """One part of a packet."""

    title: str
    lines: list[str]


class Packet(_Closed):
    """What a session is told after a compaction."""

    text: str
    characters: int
    """UTF-16 units, as the client counts them."""
    sections: list[Section]
    """None with --instructions."""
    skipped: int
    """Lines of the transcript that could not be read."""


class Verdicts(_Closed):
    """Facts of the window by where they are afterwards."""

    retained: int
    recoverable: int
    missing: int


class MustStay(_Closed):
    """Facts that must be held: in what the model reads, on the page that it is told of, in neither."""

    items: int
    held: int
    on_page: int
    missing: int


class Lost(_Closed):
    """A fact that is in neither."""

    kind: str
    text: str


class Restored(_Closed):
    """What SessionStart told."""

    characters: int
    tokens: int
    sections: list[str]


class Compaction(_Closed):
    """One compaction. What came of it is missing until the client has told it, or a hook has compared."""

    v: int
    key: str
    session: str
    time: str
    trigger: str
    instructions: str
    tokens_before: int
    limit: int
    tool_calls: int
    tokens_after: int | None = None
    after_source: str | None = None
    """client, or summary: then of the summary alone."""
    ratio: float | None = None
    seconds: float | None = None
    hooks_ms: float | None = None
    facts: Verdicts | None = None
    facts_in_summary: Verdicts | None = None
    facts_of_last_time: Verdicts | None = None
    must: MustStay | None = None
    missing: list[Lost] | None = None
    packet: Restored | None = None
    correction: int | None = None
    """Characters that had to be told yet."""
    corrected: str | None = None
    """The event that told them."""
    corrected_at: float | None = None
    judge: dict[str, object] | None = None
    """Of `--judge`: score 0 to 5, model, what was lost."""
