import pytest

from holdfast.engine.blocks import Block, Kind
from holdfast.engine.shared import quality


def said(name: str, tokens: int = 100, relevance: float = 0.8, repeat: float = 0.0, keep: bool = False) -> Block:
    """A block of the first turn that belongs to the task."""
    return Block(name, Kind.USER, "", tokens, 1, relevance=relevance, repeat=repeat, keep=keep)


GOOD = [said("a", keep=True), *map(said, "bcde")]
LISTING = Block("x", Kind.RESULT, "", 100, 1, relevance=0.8, about="ls")


@pytest.mark.parametrize(
    ("blocks", "measure", "value"),
    [
        ([*GOOD, said("x", 140, relevance=0.1)], "relevance", 500 / 640),
        (GOOD[::-1], "placement", 0.9),
        ([*GOOD, said("x", 130, repeat=1.0)], "redundancy", 130 / 630),
        ([*GOOD, LISTING, LISTING._replace(id="y")], "staleness", 100 / 700),
        ([*GOOD, said("x", 2_000)], "block_size", 2_500 / 6),
        ([Block("a", Kind.USER, "", 10)], "relevance", None),
        ([Block("a", Kind.USER, "", 10)], "placement", None),
    ],
    ids=["foreign", "buried", "twice", "superseded", "long", "nobody has measured", "nothing critical"],
)
def test_each_measure_tells_its_own(blocks: list[Block], measure: str, value: float | None) -> None:
    """A clean context is relevant, has the critical first and nothing twice; an empty one tells nothing."""
    assert getattr(quality.measure(blocks, 2), measure) == pytest.approx(value)
    assert quality.measure(GOOD, 2) == quality.Quality(1.0, 0.1, 0.0, 0.0, 1.0, 100.0)
    assert quality.measure([], 1) == quality.Quality()


@pytest.mark.parametrize(("tokens", "bound"), [(0, 0.2), (499, 0.2), (500, 0.3), (2_000, 0.3), (2_001, 0.4)])
def test_the_bound_for_foreign_content_grows_with_the_task(tokens: int, bound: float) -> None:
    """A complex task is compressed a tenth earlier."""
    assert quality.irrelevant_bound(tokens) == bound
    assert quality.irrelevant_bound(tokens, complex_task=True) == pytest.approx(bound - 0.1)
