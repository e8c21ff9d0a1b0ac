"""The status line: zone, use and limit, turns left, handoffs, age of the last checkpoint.

The client tells the window's true size here and nowhere else, so it is left for the hooks in `window.json`.
Lean imports: this runs several times a minute.
"""

import os

from holdfast.gauge import limit, pressure
from holdfast.hot import thresholds
from holdfast.hot.files import names_in, read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object
from holdfast.hot.paths import InSession

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdfast.gauge.hooks import Window


def line(fields: "dict[str, Any]", session: str, now: float) -> str:
    """The text of the status line."""
    window, model = (value if isinstance(value := fields.get(key), dict) else {} for key in ("context_window", "model"))
    tokens = _whole(window.get("total_input_tokens")) + _whole(window.get("total_output_tokens"))
    stored: "Window" = loads_object(read_bytes(f"{session}/{InSession.WINDOW}"))  # type: ignore[assignment]  # checked below
    size, sizes = _whole(window.get("context_window_size")) or _whole(stored.get("size")), _sizes(stored, tokens)
    fresh: "Window" = {**stored, "size": size, "sizes": sizes}
    if model.get("id"):
        fresh["model"] = str(model["id"])
    if fresh != stored and os.path.isdir(session):
        try:
            write_atomic(f"{session}/{InSession.WINDOW}", dumps(fresh))
        except OSError:  # a read-only folder: the line is shown all the same
            pass
    known = thresholds.load(f"{session}/{InSession.THRESHOLDS}")
    bound = known.get("limit") or limit.threshold(size, os.environ)  # they know the user's own limit
    bounds = known.get("zones") or pressure.marks(bound, known.get("preset", "default"))
    return " · ".join([_use(tokens, bound, bounds, sizes), *_work(session, now)])


def _whole(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _sizes(stored: "Window", tokens: int) -> "list[int]":
    """The last sizes, oldest first; one that has not changed is no new turn."""
    known: object = stored.get("sizes")
    sizes = [size for size in known if isinstance(size, int)] if isinstance(known, list) else []
    return sizes if not tokens or sizes[-1:] == [tokens] else [*sizes, tokens][-pressure.VELOCITY_TURNS - 1 :]


def _use(tokens: int, bound: int, bounds: "list[int]", sizes: "list[int]") -> str:
    zone, used = pressure.zone(tokens, bounds), pressure.short(tokens)
    if not tokens:  # before the first answer, and right after a compaction
        return "holdfast: size known after the next answer"
    if zone == "unknown":
        return f"holdfast · {used} used, limit unknown"
    rate = pressure.velocity(sizes) if len(sizes) >= 4 else 0.0  # fewer say little of it
    left = pressure.turns_left(tokens, bound, rate)
    dot = {"green": "●", "yellow": "◐", "orange": "◑", "red": "○"}[zone]
    turns = "" if left is None else f" · ~{left} turns left"
    return f"holdfast {dot} {zone} {used}/{pressure.short(bound)} {tokens * 100 // bound}%{turns}"


def _work(session: str, now: float) -> "list[str]":
    handoffs = sum(name.endswith(".handoff.md") for name in names_in(f"{session}/{InSession.HANDOFFS}"))
    saved = [name for name in names_in(f"{session}/{InSession.CHECKPOINTS}") if name.endswith(".json")]
    parts = [f"{handoffs} handoff{'' if handoffs == 1 else 's'}"]
    if saved:
        minutes = int(now - os.stat(f"{session}/{InSession.CHECKPOINTS}/{saved[-1]}").st_mtime) // 60
        parts.append(f"checkpoint {minutes} min ago" if minutes else "checkpoint just now")
    return parts
