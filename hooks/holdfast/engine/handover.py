"""With what does the next window begin, when this one is full?

Rule: the task's goal in the user's own words, then the packet of the work so far: the same that a session gets after a
compaction, made by the same extraction, since a loop that starts over has lost the same things. It is one user
message, so that the API's rules hold from the first request on. Sources: requirements W4, W5, K6 (window hand-over).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.compaction import packet, restore
from holdfast.engine.messages import Message
from holdfast.handoff import orchestrator

CHARS = 10_000
"""Characters of the packet unless the caller says otherwise; as a hook may inject."""


class HandOver(NamedTuple):
    """What the next window begins with."""

    messages: list[Message]
    """To go on with: the goal and the state of the work, as one user message."""
    checkpoint: str
    """Path of the checkpoint's page; "" where the manager was given no folder."""


class Said(NamedTuple):
    """What goes along beside the record of the work."""

    goal: Sequence[Mapping[str, Any]]
    """Content blocks: the user's own first message."""
    notes: str = ""
    whole: str = ""
    """Where the whole window before this one is."""


def opening(
    said: Said, work: dict[str, Any], checkpoint: dict[str, Any], path: str, chars: int = CHARS
) -> list[Message]:
    """The first messages of the next window. path: of the checkpoint's page, "" when none was stored."""
    known = restore.Known(checkpoint, {}, "", -1.0 if not path else 0.0, (), path)
    text = restore.packed(known, packet.Material(work, orchestrator.load({})), chars)[1]
    whole = f"[The window before this one: {said.whole}]" if said.whole else ""
    texts = (text, whole, said.notes and f"# Notes\n{said.notes}")
    parts = [*said.goal, *({"type": "text", "text": part} for part in texts if part)]
    return [{"role": "user", "content": parts}] if parts else []
