"""What `holdfast packet` and `holdfast compactions` print as JSON: a contract for programs. Hooks never import it.

Tokens are whole numbers, None (of a limit 0) where nobody has told them; times are ISO.
"""

from collections.abc import Iterable, Iterator, Mapping

from pydantic import BaseModel, ValidationError


class Section(BaseModel):
    """One part of a packet."""

    title: str
    lines: list[str]


class Packet(BaseModel, extra="forbid"):
    """What a session is told after a compaction."""

    text: str
    characters: int
    """UTF-16 units, as the client counts them."""
    sections: list[Section]
    """None with --instructions."""
    skipped: int
    """Lines of the transcript that could not be read."""


class Compaction(BaseModel):
    """One compaction, as the log has it. What came of it is missing until the client or a hook has told it."""

    v: int
    key: str = ""
    session: str = ""
    time: str
    trigger: str
    instructions: str
    tokens_before: int
    limit: int = 0
    tool_calls: int
    tokens_after: int | None = None
    after_source: str | None = None
    """client, or summary: then of the summary alone."""
    ratio: float | None = None
    seconds: float | None = None
    hooks_ms: float | None = None
    facts: dict[str, int] | None = None
    """Of the window, by where they are afterwards: retained, recoverable, missing."""
    facts_in_summary: dict[str, int] | None = None
    facts_of_last_time: dict[str, int] | None = None
    must: dict[str, int] | None = None
    """Facts that must be held: items, and of these held by what the model reads, on_page that it names, missing."""
    missing: list[dict[str, str]] | None = None
    """kind and text of the first that are in neither."""
    packet: dict[str, int | list[str]] | None = None
    """characters, tokens, and the titles of its sections."""
    correction: int | None = None
    """Characters that had to be told yet."""
    corrected: str | None = None
    """The event that told them."""
    corrected_at: float | None = None
    judge: dict[str, object] | None = None
    """Of `--judge`: score 0 to 5, model, what was lost."""


def whole(rows: Iterable[Mapping[str, object]]) -> Iterator[Compaction]:
    """Those rows of the log that are whole; another version may have written others, a clone may bring any."""
    for row in rows:
        try:
            yield Compaction.model_validate(row)
        except ValidationError:
            continue
