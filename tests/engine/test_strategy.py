"""What the strategies are given."""

from holdfast.engine.blocks import ASSISTANT, RESULT, USER
from tests.engine.conversations import asked, looked, scene


def test_wanted_is_what_lies_above_the_target() -> None:
    """Nothing below it."""
    messages = [asked("Go on with the port of src/api.py")]
    assert scene(messages, used=900, limit=1_000).wanted == 300
    assert scene(messages, used=500, limit=1_000).wanted == 0
    assert scene(messages, used=900, limit=1_000)._replace(factor=1.5).wanted == 200


def test_free_are_blocks_that_no_guard_holds() -> None:
    """The goal, the newest request and what is still being answered stay out of every strategy's reach."""
    messages = [asked("Port src/api.py"), *(m for n in range(6) for m in looked(n, "Read", {"file_path": "a.py"}, "x"))]
    found = scene(messages)
    assert {block.about for block in found.free(frozenset({USER}))} == set()
    assert [block.turn for block in found.free(frozenset({RESULT}))] == [2, 3, 4]
    assert [block.turn for block in found.free(frozenset({ASSISTANT}))] == [1, 2, 3, 4, 5]
