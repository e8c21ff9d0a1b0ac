"""Which agents of the main session run at this moment?

Each launch is one line of `launches.log`, and looks at those before it: of several at once the first is always well.
A launch has ended when its result, or for a background agent its notification, stands in what the transcript has
grown by since. Lean imports: nearly every launch is alone, and then nothing more is looked at.
"""

from typing import Any

from holdfast.hot import jsonc, paths
from holdfast.hot.files import append_capped, read_from, read_text, size_of
from holdfast.session.context import Session
from holdfast.session.event import Event

KEPT, PROMPT_CHARS = 40, 8_000
LONGEST = 900
"""Seconds after which a launch is no longer thought of as running."""
GROWTH = 8_000_000
"""Bytes of transcript that are searched for a result; after more, the agent is taken to be back."""

Row = dict[str, Any]


def note(event: Event, session: Session, background: bool) -> list[Row]:
    """Note this launch, and give those that run with it, itself last.

    Raises OSError when it cannot be noted.
    """
    append_capped(session.path(paths.LAUNCHES), jsonc.dumps(_row(event, session, background)), KEPT)
    rows = _rows(session)
    own = next((place for place, row in enumerate(rows) if row.get("id") == event.text("tool_use_id")), len(rows))
    return [row for row in rows[: own + 1] if runs(row, event, session.now)]


def returned(event: Event, session: Session) -> list[Row]:
    """The launches of this turn that are back."""
    turn = [row for row in _rows(session) if row.get("turn") == event.text("prompt_id")]
    return [row for row in turn if not runs(row, event, session.now)]


def _rows(session: Session) -> list[Row]:
    """The launches in their order, each once: where the pack is there twice, so is its hook."""
    found: dict[str, Row] = {}
    for line in read_text(session.path(paths.LAUNCHES)).splitlines():
        row = jsonc.loads_object(line)
        found.setdefault(str(row.get("id")), row)
    return list(found.values())


def _row(event: Event, session: Session, background: bool) -> Row:
    inputs = event.mapping("tool_input")
    return {
        "id": event.text("tool_use_id"),
        "turn": event.text("prompt_id"),
        "time": session.now,
        "from": max(0, size_of(event.transcript_path)),
        "background": background,
        "name": str(inputs.get("description") or ""),
        "type": str(inputs.get("subagent_type") or ""),
        "prompt": str(inputs.get("prompt") or "")[:PROMPT_CHARS],
    }


def runs(row: Row, event: Event, now: float) -> bool:
    """Whether a launch belongs to this turn and is not back yet; a torn line does not."""
    if row.get("id") == event.text("tool_use_id"):
        return True
    try:
        begun, start, mark = float(row["time"]), int(row["from"]), str(row["id"])
    except (KeyError, TypeError, ValueError):
        return False
    grown = size_of(event.transcript_path) - start
    near = abs(now - begun) <= LONGEST  # of two at once, the later line may have the earlier time
    if row.get("turn") != event.text("prompt_id") or not near or not 0 <= grown <= GROWTH:
        return False
    end = f"<tool-use-id>{mark}</tool-use-id>" if row.get("background") else f'"tool_use_id":"{mark}"'
    data = read_from(event.transcript_path, start, GROWTH).replace(b'": "', b'":"')
    return end.encode() not in data
