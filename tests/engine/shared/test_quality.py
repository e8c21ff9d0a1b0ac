import pytest

from holdfast.engine.blocks import Block, Kind
from holdfast.engine.shared import quality


def said(name: str, tokens: int = 100, relevance: float = 0.8, repeat: float = 0.0, keep: bool = False) -> Block:
    """A block of the first turn that belongs to the task."""
    return Block(name, Kind.USER, "", tokens, 1, relevance=relevance, repeat=repeat, keep=keep)


GOOD = [said("a", keep=True), *map(said, "bcde")]
LISTING = Block("x", Kind.RESULT, "", 100, 1, relevance=0.8, about="ls")


def test_a_clean_context_misses_no_target() -> None:
    """Relevant, the critical first, nothing twice, short blocks."""
    found = quality.measure(GOOD, 2)
    assert found == quality.Quality(1.0, 0.1, 0.0, 0.0, 1.0, 100.0)
    assert quality.missed(found) == {}


@pytest.mark.parametrize(
    ("blocks", "missed"),
    [
        ([*GOOD, said("x", 140, relevance=0.1)], {"relevance"}),
        (GOOD[::-1], {"placement"}),
        ([*GOOD, said("x", 130, repeat=1.0)], {"redundancy"}),
        ([*GOOD, LISTING, LISTING._replace(id="y")], {"staleness"}),
        ([*GOOD, said("x", 2_000)], {"block_size"}),
    ],
    ids=["foreign", "buried", "twice", "superseded", "long"],
)
def test_each_measure_misses_its_target_alone(blocks: list[Block], missed: set[str]) -> None:
    """And says what to do about it."""
    found = quality.missed(quality.measure(blocks, 2))
    assert set(found) == missed
    assert all(found.values())


def test_what_cannot_be_told_misses_nothing() -> None:
    """An empty window, and blocks whose relevance nobody has measured."""
    assert quality.missed(quality.measure([], 1)) == {}
    found = quality.measure([Block("a", Kind.USER, "", 10)], 1)
    assert (found.relevance, found.placement) == (None, None)


@pytest.mark.parametrize(("tokens", "bound"), [(0, 0.2), (499, 0.2), (500, 0.3), (2_000, 0.3), (2_001, 0.4)])
def test_the_bound_for_foreign_content_grows_with_the_task(tokens: int, bound: float) -> None:
    """A complex task is compressed a tenth earlier."""
    assert quality.irrelevant_bound(tokens) == bound
    assert quality.irrelevant_bound(tokens, complex_task=True) == pytest.approx(bound - 0.1)
