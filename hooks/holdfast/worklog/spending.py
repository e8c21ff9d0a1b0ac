"""What the API has recorded for the main conversation, by model: a reducer over the rows of answers.

One answer stands in several rows, of which the last has the whole output: each replaces what the one before it said. A
row that is older than the newest one is a copy, of a session that was resumed into the same file; it is passed over.
"""

from typing import Any, TypedDict

from holdfast.hot.jsonc import sane
from holdfast.transcript import rows


class Spent(TypedDict):
    """Answers, and tokens by what they are billed as."""

    answers: int
    input: int
    cache_5m: int
    """Written to the cache for five minutes; where the client does not say for how long, too."""
    cache_1h: int
    cache_read: int
    output: int


class NewestAnswer(TypedDict):
    """The newest answer as far as it is known; at: ISO time of its row, "" before the first."""

    id: str
    at: str
    spent: Spent


def nothing() -> Spent:
    """No answer yet."""
    return Spent(answers=0, input=0, cache_5m=0, cache_1h=0, cache_read=0, output=0)


def no_answer() -> NewestAnswer:
    """Before the first one."""
    return NewestAnswer(id="", at="", spent=nothing())


def added(spent: dict[str, Spent], last: NewestAnswer, row: dict[str, Any]) -> tuple[dict[str, Spent], NewestAnswer]:
    """(model -> what was spent, the newest answer) after an answer's row."""
    message = rows.message(row)
    usage, name, model = message.get("usage"), str(message.get("id") or "")[:200], str(message.get("model") or "")[:200]
    if not isinstance(usage, dict) or not name or not model or model == "<synthetic>":
        return spent, last
    at, before = str(row.get("timestamp") or "")[:100], last["spent"]
    if name != last["id"]:
        if at < last["at"]:
            return spent, last
        before = nothing()
    now, known = _spent(usage), spent.get(model) or nothing()
    grown = {key: known[key] + now[key] - before[key] for key in known}  # type: ignore[literal-required]
    return {**spent, model: Spent(**grown)}, NewestAnswer(id=name, at=max(at, last["at"]), spent=now)  # type: ignore[typeddict-item]


def _spent(usage: dict[str, Any]) -> Spent:
    split = usage.get("cache_creation")
    long = _count(split, "ephemeral_1h_input_tokens") if isinstance(split, dict) else 0
    written = _count(usage, "cache_creation_input_tokens")
    return Spent(
        answers=1,
        input=_count(usage, "input_tokens"),
        cache_5m=max(0, written - long),
        cache_1h=min(long, written),
        cache_read=_count(usage, "cache_read_input_tokens"),
        output=_count(usage, "output_tokens"),
    )


def _count(counts: dict[str, Any], key: str) -> int:
    return max(0, sane(counts.get(key)))
