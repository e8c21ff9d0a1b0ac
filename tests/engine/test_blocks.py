from holdfast.engine import blocks
from holdfast.engine.blocks import Block


def test_every_kind_counts_for_one_component() -> None:
    """A block of any kind is found in the budget, and the output's share has no blocks."""
    found = blocks.by_component(Block(kind, kind, "x", 10) for kind in blocks.KINDS)
    assert found == {"system": 10, "tools": 10, "history": 40, "results": 20, "memory": 10, "output": 0}
    assert sum(found.values()) == blocks.tokens_of(Block(kind, kind, "x", 10) for kind in blocks.KINDS)


def test_no_blocks_weigh_nothing() -> None:
    """An empty window has every component, each with 0."""
    assert set(blocks.by_component([]).values()) == {0}
    assert blocks.tokens_of([]) == 0


def test_the_whole_is_what_is_stored_where_that_is_more_than_the_text() -> None:
    """Of an image its JSON."""
    block = blocks.Block("0.0", blocks.USER, "seen", 1)
    assert block.whole == "seen"
    assert block._replace(stored='{"type": "image"}').whole == '{"type": "image"}'
