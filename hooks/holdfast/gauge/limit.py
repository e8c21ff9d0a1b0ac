"""At how many tokens will compaction fire?

Rule, first that answers wins: the user's own setting; the client's formula over the window's size, where the
size is told by the status line, by a model that exists in one size only, or by the environment; the size at
which this session was compacted before. A model that comes with 200K and with
1M leaves it open, and then the answer is 0, *unknown*: a wrong percentage is worse than none.

The formula (client 2.1.329): W = min(window, configured), E = W - min(output, 20,000), T = E - 13,000, with
a percentage override min(E*p/100, E - 13,000). On windows of 1M the client compacts by threshold only when a
window is configured; the request limit then stands in. Lean imports.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OUTPUT_RESERVE, MARGIN = 20_000, 13_000
LEAST_CONFIGURED = 100_000
TOLERATED = 115
"""Percent of a limit: the client compacts after the answer that crosses it, so a little more proves nothing."""
ONE_MILLION = 1_000_000

# Window by the start of a model's id; of models with two sizes the one that an id without `[1m]` means.
WINDOWS = (
    ("claude-3", 200_000),
    ("claude-haiku-4", 200_000),
    ("claude-opus-4-1", 200_000),
    ("claude-opus-4-0", 200_000),
    ("claude-opus-4-2025", 200_000),
    ("claude-opus-4-5", 200_000),
    ("claude-opus-5", ONE_MILLION),
    ("claude-sonnet-5", ONE_MILLION),
    ("claude-haiku-5", ONE_MILLION),
)
TWO_SIZES = (("claude-sonnet-4", 200_000), ("claude-opus-4-6", 200_000))


def window_of(model: str, marked: bool = False) -> int:
    """The window of a model id in tokens, 0 when the id leaves it open.

    marked: the id comes from where a 1M variant carries `[1m]` (SessionStart, the status line). Ids in a
    transcript never carry it, so from there a model with two sizes stays open (client 2.1.329).
    """
    if "[1m]" in model:
        return ONE_MILLION
    table = WINDOWS + TWO_SIZES if marked else WINDOWS
    return next((size for start, size in table if model.startswith(start)), 0)


def threshold(window: int, environment: "Mapping[str, str]") -> int:
    """Tokens at which the client compacts by itself; 0 when the window is not known or too small for the formula."""
    configured = _number(environment.get("CLAUDE_CODE_AUTO_COMPACT_WINDOW"))
    if configured:
        configured = max(configured, LEAST_CONFIGURED)
    size = min(window, configured) if window and configured else window or configured
    if not size:
        return 0
    effective = size - OUTPUT_RESERVE
    percent = _number(environment.get("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"))
    if percent and 0 < percent <= 100:
        return max(0, min(effective * percent // 100, effective - MARGIN))
    return max(0, effective - MARGIN)


def _number(text: "str | None") -> int:
    return int(text) if text and text.strip().isdecimal() else 0


def choose(candidates: "list[tuple[int, str]]", used: int) -> "tuple[int, str]":
    """The first known (limit, source) that the observed use does not contradict; (0, "") when none is left.

    Use above a limit proves it wrong, e.g. 300K tokens in what was taken for a 200K window.
    """
    for limit, source in candidates:
        if limit > 0 and used * 100 <= limit * TOLERATED:
            return limit, source
    return 0, ""
