"""At how many tokens will compaction fire?

Rule, first that answers wins: the user's own setting; the client's formula over the window's size, where the size is
told by the status line, by a model that exists in one size only, or by the environment; the size at which this session
was compacted before. A model that comes with 200K and with 1M leaves it open, and then the answer is 0, *unknown*: a
wrong percentage is worse than none.

The formula (client 2.1.329): W = min(window, configured), E = W - min(output, 20,000), T = E - 13,000, with a
percentage override min(E*p/100, E - 13,000); less than 100,000 cannot be configured; where it never compacts by itself
it stops at E - 3,000. On windows of 1M the client compacts by threshold only when a window is configured; the request
limit then stands in. Lean imports.
"""

from holdfast import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

WINDOW, NEVER = "CLAUDE_CODE_AUTO_COMPACT_WINDOW", "DISABLE_AUTO_COMPACT"
WINDOWS = {
    "claude-3": 200_000,
    "claude-haiku-4": 200_000,
    **{f"claude-opus-4-{version}": 200_000 for version in ("1", "0", "2025", "5")},
    **{f"claude-{family}-5": 1_000_000 for family in ("opus", "sonnet", "haiku")},
    "claude-sonnet-4": 0,
    "claude-opus-4-6": 0,
}
"""Beginning of a model's id -> its window; 0: one of 200K, or of 1M with `[1m]` behind the id."""


def window_of(model: str, marked: bool = False) -> int:
    """The window of a model id in tokens, 0 when the id leaves it open.

    marked: the id comes from where a 1M variant carries `[1m]` (SessionStart, the status line). Ids in a
    transcript never carry it, so from there a model with two sizes stays open (client 2.1.329).
    """
    if "[1m]" in model:
        return 1_000_000
    known = next((size for start, size in WINDOWS.items() if model.startswith(start)), -1)
    return 200_000 if marked and known == 0 else max(0, known)


def threshold(window: int, environment: "Mapping[str, str]") -> int:
    """Tokens at which the client compacts by itself; 0 when the window is not known or too small for the formula."""
    configured = _number(environment.get(WINDOW))
    sizes = [size for size in (window, configured and max(configured, 100_000)) if size]
    effective = min(sizes, default=0) - 20_000
    if environment.get(NEVER, "0").lower() not in ("", "0", "false", "no", "off"):
        return max(0, effective - 3_000)
    percent = _number(environment.get("CLAUDE_AUTOCOMPACT_PCT_OVERRIDE"))
    percent = percent if 0 < percent <= 100 else 100
    return max(0, min(effective * percent // 100, effective - 13_000))


def configured(arguments: "Sequence[str]", settings: "Sequence[Mapping[str, Any]]", model: str) -> "dict[str, str]":
    """What the client's command line and its settings files, the most trusted first, say, as variables of the
    environment, which goes before them. A later flag wins, and of a file what it says of this model.
    """
    found: "dict[str, str]" = {}
    for name, value in zip(arguments, [*arguments[1:], ""], strict=False):
        flag, _, own = name.partition("=")
        if flag == "--autocompact":
            found[WINDOW] = _tokens(own or value)
    for one in settings:
        if one.get("autoCompactEnabled") is False:
            found.setdefault(NEVER, "1")
        models = one.get("modelSettings")
        of_model = [
            values.get("autoCompactWindow")
            for name, values in (models.items() if isinstance(models, dict) else ())
            if isinstance(values, dict) and model.startswith(name)
        ]
        told = next((value for value in [*of_model, one.get("autoCompactWindow")] if value is not None), None)
        if told is not None:
            found.setdefault(WINDOW, _tokens(str(told)))
    return found


def _tokens(text: str) -> str:
    """Digits of a size as the client's flag takes it: 500k, 200000, 200 for 200k; "" for `auto`."""
    number = _number(text.lower().removesuffix("k"))
    return str(number * 1_000 if number < 10_000 else number) if number else ""


def _number(text: "str | None") -> int:
    return int(text) if text and text.strip().isdecimal() else 0


def choose(candidates: "list[tuple[int, str]]", used: int, size: int = 0) -> "tuple[int, str]":
    """The first known (limit, source) that the observed use does not contradict; (0, "") when none is left.

    Use above a limit proves it wrong, e.g. 300K tokens in what was taken for a 200K window. The client compacts after
    the answer that crosses it, so 15 % more prove nothing; nor does what the window holds, where its size was told.
    """
    most = [(max(limit * 115, size * 100), limit, source) for limit, source in candidates if limit > 0]
    fitting = ((limit, source) for bound, limit, source in most if used * 100 <= bound)
    return next(fitting, (0, ""))
