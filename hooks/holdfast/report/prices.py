"""List prices of the API in US dollars for a million tokens: the one table, with its date and its source.

Left out, so "unknown": models that are priced by the length of a request (Haiku 5.5), and those of other vendors, who
have price lists of their own. Batches, fast modes and long contexts cost otherwise, and a subscription costs what it
costs: this says what the tokens would come to.
"""

from collections.abc import Mapping
from typing import NamedTuple

AS_OF = "2026-10-24"
SOURCE = "https://platform.claude.com/docs/en/about-claude/pricing"


class Price(NamedTuple):
    """Of fresh input, of writing it to the cache for five minutes or an hour, of reading it from there, of output."""

    input: float
    cache_5m: float
    cache_1h: float
    cache_read: float
    output: float


def _priced(tokens_in: float, read: float) -> Price:
    """Of each model writing costs 1.25 and 2 times its input, and output 5 times."""
    return Price(tokens_in, tokens_in * 1.25, tokens_in * 2, tokens_in * read, tokens_in * 5)


LIST = {
    **dict.fromkeys(("claude-fable-5-1", "claude-mythos-5-1"), _priced(10, 0.025)),
    **dict.fromkeys(("claude-fable-5", "claude-mythos-5"), _priced(10, 0.1)),
    "claude-opus-5-5": _priced(4, 0.05),
    **dict.fromkeys((f"claude-opus-{version}" for version in ("5", "4-8", "4-7", "4-6", "4-5")), _priced(5, 0.1)),
    **dict.fromkeys(("claude-opus-4-1", "claude-opus-4-0", "claude-opus-4", "claude-3-opus"), _priced(15, 0.1)),
    "claude-sonnet-5-5": _priced(2, 0.05),
    "claude-sonnet-5": _priced(2, 0.1),
    **dict.fromkeys((f"claude-sonnet-{version}" for version in ("4-6", "4-5", "4-0", "4")), _priced(3, 0.1)),
    **dict.fromkeys(("claude-3-7-sonnet", "claude-3-5-sonnet"), _priced(3, 0.1)),
    "claude-haiku-4-5": _priced(1, 0.1),
    "claude-3-5-haiku": _priced(0.8, 0.1),
}


def of(model: str) -> Price | None:
    """The price of a model by its id, with or without a date or a size of the window; None where it is not known."""
    name = model.partition("[")[0]
    head, _, date = name.rpartition("-")
    return LIST.get(name) or (LIST.get(head) if len(date) == 8 and date.isdigit() else None)


def cost(price: Price, tokens: Mapping[str, int]) -> float:
    """Dollars; tokens: by the names of the price's parts."""
    return sum(tokens.get(kind, 0) * each for kind, each in zip(Price._fields, price, strict=True)) / 1_000_000
