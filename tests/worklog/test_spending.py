from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.worklog import spending

USAGE = {
    "input_tokens": 4,
    "cache_creation_input_tokens": 100,
    "cache_creation": {"ephemeral_1h_input_tokens": 60, "ephemeral_5m_input_tokens": 40},
    "cache_read_input_tokens": 900,
    "output_tokens": 1,
}


def row(name: object, at: object = "2026-11-01T10:00:00Z", model: object = "m", **usage: Any) -> dict[str, Any]:
    return {"timestamp": at, "message": {"id": name, "model": model, "usage": {**USAGE, **usage}}}


def spent(*rows: dict[str, Any]) -> dict[str, spending.Spent]:
    sums, last = dict[str, spending.Spent](), spending.NewestAnswer(id="", at="", spent=spending.nothing())
    for one in rows:
        sums, last = spending.added(sums, last, one)
    return sums


def test_an_answer_counts_once_and_by_its_last_row() -> None:
    """It streams into several rows; each model has its own sum; what is written to the cache is told apart by time."""
    found = spent(row("a"), row("a", output_tokens=70), row("b", model="n"), row("c", "2026-11-01T10:00:05Z"))
    whole = {"answers": 2, "input": 8, "cache_5m": 80, "cache_1h": 120, "cache_read": 1_800, "output": 71}
    assert found == {"m": whole, "n": {**{key: value // 2 for key, value in whole.items()}, "output": 1}}


def test_what_is_copied_or_made_up_does_not_count() -> None:
    """A row that is older than the newest came before; the client's own words and errors have no model or id."""
    later = row("b", "2026-11-01T11:00:00Z")
    assert spent(row("a"), later, row("a"), row("x", "2026-11-01T10:30:00Z")) == spent(row("a"), later)
    bare: list[dict[str, Any]] = [{"message": {"id": "a"}}, {}]
    assert spent(row(""), row("a", model="<synthetic>"), row("a", model=None), *bare) == {}


@given(st.dictionaries(st.sampled_from([*USAGE]), st.none() | st.text(max_size=3) | st.integers() | st.booleans()))
def test_counts_of_any_shape(usage: dict[str, Any]) -> None:
    found = spent(row("a", **usage), row("a"), row("b", **usage))["m"]
    assert min(found["input"], found["cache_5m"], found["cache_1h"], found["cache_read"], found["output"]) >= 0
