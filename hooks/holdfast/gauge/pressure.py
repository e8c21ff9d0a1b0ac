"""How full is the window, and how soon will it be a problem? Lean imports: the status line uses this.

Zones are shares of the limit, the point where compaction fires, not of the model's window. For limits up to 32K tokens
each bound is lowered by a tenth: one large result is a larger share there. Velocity is the mean growth over the last
five turns. Sources: requirements P and R7.
"""

ZONES = ("green", "yellow", "orange", "red")
PRESETS = {"default": (50, 75, 90), "capacity": (80, 90, 95)}
"""Percent of the limit at which yellow, orange and red begin."""
VELOCITY_TURNS = 5
FAR = 2 * VELOCITY_TURNS
"""Turns left beyond which nothing is told: of figures from 21 to 50 one in seven is right in real sessions, within a
factor of two, of those up to here two in three."""

ADVICE = {
    "green": ("no hurry to compact", "normal work"),
    "yellow": (
        "compact at the next natural breakpoint",
        "plan a compaction within ten calls, and choose what may go",
    ),
    "orange": (
        "compact soon, at a breakpoint of your choice",
        "compact before the next large step, and put off files that are not needed for it",
    ),
    "red": (
        "compact now, before the client does it at a bad moment",
        "compact at once, and drop what is least needed",
    ),
}
"""By the default marks, and by the late ones: there a zone leaves less room, so the same colour asks for more."""


def marks(limit: int, preset: str) -> "list[int]":
    """Tokens at which yellow, orange and red begin; [] when the limit is not known (0)."""
    tenths = 9 if limit <= 32_000 else 10
    return [limit * percent * tenths // 1_000 for percent in PRESETS[preset]] if limit > 0 else []


def zone(tokens: int, bounds: "list[int]") -> str:
    """The zone's name; "unknown" without bounds or without a size."""
    return ZONES[sum(tokens >= bound for bound in bounds)] if bounds and tokens > 0 else "unknown"


def advice(zone: str, preset: str) -> str:
    """What to do in this zone; says so when size or limit is not known."""
    return ADVICE[zone][preset == "capacity"] if zone in ADVICE else "size or limit is not known yet"


def next_mark(tokens: int, bounds: "list[int]") -> int:
    """The next bound above `tokens`; 0 when there is none."""
    return next((bound for bound in bounds if bound > tokens), 0)


def velocity(sizes: "list[int]") -> float:
    """Mean growth per turn over the last turns, tokens; `sizes` oldest first. 0 when it cannot be told.

    A compaction between two sizes makes the window shrink; such a step is left out.
    """
    recent = sizes[-(VELOCITY_TURNS + 1) :]
    pairs = zip(recent, recent[1:], strict=False)  # noqa: RUF007 - itertools.pairwise is one more import
    steps = [after - before for before, after in pairs if after >= before]
    return sum(steps) / len(steps) if steps else 0


def per_turn(sizes: "list[int]", now: int) -> float:
    """As `velocity`; 0 for less than two turns, which say little of the next. The running turn counts too, where that
    makes it more: it has not come to its end. now: tokens at this moment.
    """
    return max(velocity(sizes), velocity([*sizes, now])) if len(sizes) > 2 else 0.0


def turns_left(tokens: int, limit: int, per_turn: float) -> "int | None":
    """Turns until the limit at this rate; None when the rate or the limit is not known."""
    return max(0, int((limit - tokens) / per_turn)) if limit > 0 and per_turn > 0 else None


def short(tokens: int) -> str:
    """12,345 -> "12k"; 950 -> "950"; 1,200,000 -> "1.2M"."""
    if tokens >= 1_000_000:
        return f"{tokens / 1_000_000:.1f}M"
    return f"{tokens // 1000}k" if tokens >= 1000 else str(tokens)


def percent(part: float, whole: float = 1, digits: int = 0) -> str:
    """A share as people read it everywhere: "77 %"; cut, not rounded, since only all is 100 %."""
    parts = int(round(part * 100 * 10**digits / whole, 6))
    return f"{parts / 10**digits:,.{digits}f} %"


def use(tokens: int, limit: int) -> str:
    """ "84k of 167k tokens used (50 %)", honest about what is not known."""
    if tokens <= 0:
        return "size known after the next answer"
    if limit <= 0:
        return f"{short(tokens)} tokens used, limit unknown"
    if is_past(tokens, limit):  # no share of it: the client compacts after the answer that crosses it, or not by itself
        return f"{short(tokens)} tokens used, past the limit of {short(limit)}"
    return f"{short(tokens)} of {short(limit)} tokens used ({percent(min(tokens, limit), limit)})"


def is_past(tokens: int, limit: int) -> bool:
    """Whether they are more than the limit, and read so."""
    return tokens > limit and short(tokens) != short(limit)


def left(turns: "int | None") -> str:
    """ "about 8 turns left"; "" when it cannot be told. A turn: from one prompt of the user's to the next."""
    if turns is None or turns > FAR:
        return ""
    return f"about {turns} {'turn' if turns == 1 else 'turns'} left" if turns else "less than a turn left"
