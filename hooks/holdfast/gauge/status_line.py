"""The status line: zone, a bar, use and limit, turns left, handoffs, age of the last checkpoint.

The worse the zone, the louder: a coloured word, a bold one, at last a word on red that says what to do; without colour
(NO_COLOR, a dumb terminal) signs and capitals tell them apart. The client tells the window's true size here and nowhere
else, so it is left for the hooks in `window.json`: `size`, tokens, beside the `model` that a start names, with its mark
where it has the large window. Lean imports: this runs several times a minute.
"""

import os

from holdfast import TYPE_CHECKING
from holdfast.gauge import limit, pressure
from holdfast.hot import thresholds
from holdfast.hot.files import names_in, read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object, whole_numbers
from holdfast.hot.paths import InSession

if TYPE_CHECKING:
    from typing import Any

LOOKS = {
    "green": ("32", "\u25cf green"),
    "yellow": ("33", "\u25b2 yellow"),
    "orange": ("1;38;5;208", "\u25b2\u25b2 ORANGE"),
    "red": ("1;97;41", "\u25b2\u25b2\u25b2 RED: /compact now"),
}
"""Zone -> the terminal's colour codes, and its words."""
CELLS = 10
"""Of the bar."""


def line(fields: "dict[str, Any]", session: str, now: float) -> str:
    """The text of the status line."""
    window, model = (value if isinstance(value := fields.get(key), dict) else {} for key in ("context_window", "model"))
    tokens = _whole(window.get("total_input_tokens")) + _whole(window.get("total_output_tokens"))
    stored = loads_object(read_bytes(f"{session}/{InSession.WINDOW}"))
    size = _whole(window.get("context_window_size")) or _whole(stored.get("size"))
    fresh = {**stored, "size": size}
    if model.get("id"):
        fresh["model"] = str(model["id"])
    if fresh != stored and os.path.isdir(session):
        try:
            write_atomic(f"{session}/{InSession.WINDOW}", dumps(fresh))
        except OSError:  # a read-only folder: the line is shown all the same
            pass
    known = thresholds.load(f"{session}/{InSession.THRESHOLDS}")
    candidates = [(known.get("limit", 0), ""), (limit.threshold(size, os.environ), "")]  # they know the user's own
    bound, _ = limit.choose(candidates, tokens, size)
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    rate = pressure.per_turn(whole_numbers(known.get("turns")), tokens)
    left = pressure.turns_left(tokens, bound, rate)
    preset, parts = known.get("preset", "default"), _work(session, now)
    if left is not None and left <= pressure.FAR:
        parts.insert(0, f"{f'~{left}' if left else '<1'} turn{'s' * (left > 1)} left")
    while parts and len(" \u00b7 ".join([_use(tokens, bound, preset, True), *parts])) > 76:
        parts.pop()  # whole: the client, which shows so much of it on a screen of 80, would cut it in its middle
    return " \u00b7 ".join([_use(tokens, bound, preset, plain), *parts])


def _whole(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _use(tokens: int, bound: int, preset: str, plain: bool) -> str:
    """Zone, bar, use and limit; plain: without colour."""
    zone, used = pressure.zone(tokens, pressure.marks(bound, preset)), pressure.short(tokens)
    if not tokens:  # before the first answer, and right after a compaction
        return "holdfast: size known after the next answer"
    if zone == "unknown":
        return f"holdfast \u00b7 {used} used, limit unknown"
    code, word = LOOKS[zone]
    cells = min(CELLS, max(1, tokens * CELLS // bound))
    bar = "\u2588" * cells + "\u2591" * (CELLS - cells)
    share = f"{used if tokens >= 1_000 else '0k'}/{pressure.short(bound)} {pressure.percent(min(tokens, bound), bound)}"
    told = f"{word} {bar} {f'{used}, past {pressure.short(bound)}' if pressure.is_past(tokens, bound) else share}"
    return f"holdfast {told}" if plain else f"holdfast \x1b[{code}m{told}\x1b[0m"


def _work(session: str, now: float) -> "list[str]":
    handoffs = sum(name.endswith(".handoff.md") for name in names_in(f"{session}/{InSession.HANDOFFS}"))
    saved = [name for name in names_in(f"{session}/{InSession.CHECKPOINTS}") if name.endswith(".json")]
    parts = [f"{handoffs} handoff{'s' * (handoffs != 1)}"] if handoffs else []
    if saved:
        seconds = int(now - os.stat(f"{session}/{InSession.CHECKPOINTS}/{saved[-1]}").st_mtime)
        units = ((86_400, "d"), (3_600, "h"), (60, "min"))
        ago = next((f"{seconds // size} {unit} ago" for size, unit in units if seconds >= size), "just now")
        parts.append(f"checkpoint {ago}")
    return parts
