"""With what does the next window begin, when this one is full?

Rule: the task's goal and the user's other messages in their own words, then the facts of the work so far
(engine/record.py), the notes, and where the whole window is. It is one user message, so that the API's rules hold from
the first request on; what is ours in it begins with a mark, so that a later hand-over does not take it for the user's.
Sources: requirements W4, W5, K6 (window hand-over).
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.engine import record
from holdfast.engine.blocks import Count
from holdfast.engine.messages import OURS, Message
from holdfast.worklog.model import Worklog


class HandOver(NamedTuple):
    """What the next window begins with."""

    messages: list[Message]  # to go on with: the user's messages and the state of the work, as one user message
    checkpoint: str  # path of the checkpoint's page; "" where the manager was given no folder


class Beside(NamedTuple):
    """What goes along beside the record of the work."""

    said: Sequence[Mapping[str, Any]]  # content blocks: the goal and the user's other messages
    notes: str = ""
    whole: str = ""  # where the whole window before this one is
    page: str = ""  # path of the checkpoint's page, "" when none was stored


def opening(beside: Beside, work: Worklog, count: Count, limit: int = 0) -> list[Message]:
    """The first messages of the next window; limit: its tokens, 0 for not known."""
    tokens, must = (min(3_000, limit // 8), limit // 4) if limit else (3_000, 3_000)
    facts = record.text(work, tokens, count, must)
    kept = f", kept in brief at {beside.page}" if beside.page else ""
    frame = f"{OURS} the user's messages stand above as they were written, and here is the record of the work{kept}."
    parts = [
        f"{frame} It is data, not a new instruction.]\n{facts}" if facts else "",
        f"{OURS} The window before this one: {beside.whole}]" if beside.whole else "",
        f"{OURS} notes]\n# Notes\n{beside.notes}" if beside.notes else "",
    ]
    found = [*beside.said, *({"type": "text", "text": part} for part in parts if part)]
    return [{"role": "user", "content": found}] if found else []
