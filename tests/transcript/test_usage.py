from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text.tokens import IMAGE_TOKENS, estimate
from holdfast.transcript import usage as usages
from holdfast.transcript.usage import Added, ApiTurn
from tests.worklog.states import Rows, attached, boundary, result, user

OLDER, LATER = "claude-sonnet-4-5", "claude-opus-4-5"


def answer(name: str, size: int, *blocks: dict[str, Any], model: str = LATER, **fields: Any) -> Rows:
    """An assistant's row whose request held `size` tokens."""
    usage = {"input_tokens": 3, "cache_read_input_tokens": size - 3, "output_tokens": 1}
    message = {"id": name, "model": model, "usage": usage, "content": list(blocks)}
    return [{"type": "assistant", "message": message, **fields}]


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


CALL = {"type": "tool_use", "id": "c", "name": "Read", "input": {"file_path": "/p/a.py", "limit": 20}}


def read(*steps: Rows) -> list[ApiTurn]:
    return list(usages.turns(row for step in steps for row in step))


def test_a_turn_is_what_stands_between_two_requests() -> None:
    rows = (answer("m1", 1000, text("I look."), CALL), result("line\n" * 50), user("and now?"), answer("m2", 1300))
    first, second = read(*rows)
    assert (first.before, first.after, first.added) == (0, 1000, Added())
    assert (second.before, second.after, second.model) == (1000, 1300, LATER)
    added = second.added
    assert added.said == estimate("I look.", "old") + estimate("file_path: /p/a.py\nlimit: 20", "old")
    assert (added.results, added.told) == (estimate("line\n" * 50, "old"), estimate("and now?", "old"))
    assert added.frames == usages.Frame.CALL + 2 * usages.Frame.ARGUMENT + usages.Frame.MESSAGE
    assert added.total() == added.said + added.results + added.told + added.frames


def test_rows_of_one_message_are_one_turn() -> None:
    """The client writes a row per block, with the same id; results may stand between them."""
    rows = (answer("m1", 1000, CALL), result("one"), answer("m1", 1000, CALL), result("two"), answer("m2", 1200))
    _, turn = read(*rows)
    assert turn.added.results == estimate("one", "old") + estimate("two", "old")
    assert turn.added.frames == 2 * (usages.Frame.CALL + 2 * usages.Frame.ARGUMENT)


def test_a_compaction_begins_a_window() -> None:
    """Nothing is compared across it, and what stood before it is not in the new one."""
    rows = (answer("m1", 9000, text("x " * 500)), boundary(), user("summary"), answer("m2", 2000), answer("m3", 2100))
    _, second, third = read(*rows)
    assert (second.before, second.window) == (0, 1)
    assert second.added.text() == estimate("summary", "old")
    assert (third.before, third.window) == (2000, 1)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(answer("m2", 9000, text("aside"), isSidechain=True), id="a sub-agent's"),
        pytest.param(answer("m2", 9000, model="<synthetic>"), id="the client's own"),
        pytest.param(answer("m2", 9000, isApiErrorMessage=True), id="an error"),
        pytest.param([{"type": "assistant", "message": {"id": "m2", "usage": {"input_tokens": "9"}}}], id="no number"),
        pytest.param([{"type": "assistant", "message": "torn"}], id="torn"),
    ],
)
def test_rows_without_a_usage_of_this_window(row: Rows) -> None:
    found = read(answer("m1", 1000), row, answer("m3", 1100))
    assert [(turn.before, turn.after) for turn in found] == [(0, 1000), (1000, 1100)]


def test_another_model_is_not_compared() -> None:
    assert [turn.before for turn in read(answer("m1", 1000), answer("m2", 900, model=OLDER))] == [0, 0]


def test_a_copy_of_earlier_messages_is_passed_over() -> None:
    """A resumed session repeats its messages; the next new one has nothing to be compared with."""
    first = answer("m1", 1000, text("a"))
    found = read(first, answer("m2", 1100), first, user("again"), answer("m3", 1200), answer("m4", 1300))
    assert [(turn.before, turn.after) for turn in found] == [(0, 1000), (1000, 1100), (0, 1200), (1200, 1300)]
    assert found[2].added.text() == estimate("again", "old")


THOUGHT = {"type": "thinking", "thinking": "short", "signature": "s" * 1175}


def test_thinking_is_as_long_as_its_signature_says() -> None:
    """Its text is shortened; without a signature the text is all there is."""
    _, signed, bare = read(
        answer("m1", 1000, THOUGHT), answer("m2", 1200, {"type": "thinking", "thinking": "short"}), answer("m3", 1300)
    )
    assert signed.added.thinking == 194
    assert (bare.added.thinking, bare.added.shown) == (estimate("short", "old"), estimate("short", "old"))


@pytest.mark.parametrize(("model", "left"), [(OLDER, 388), (LATER, 0)], ids=["older", "later"])
def test_older_models_forget_their_thinking_when_the_user_speaks(model: str, left: int) -> None:
    """That of every request since the user spoke last, and only once."""
    rows = [
        answer("m1", 1000, THOUGHT, model=model),
        result("x"),
        answer("m2", 1200, THOUGHT, model=model),
        user("go on"),
        answer("m3", 1100, model=model),
        user("more"),
        answer("m4", 1150, model=model),
    ]
    assert [turn.added.dropped for turn in read(*rows)] == [0, 0, left, 0]


def test_images_and_attachments() -> None:
    """An image costs what the house says; what hooks put in is memory."""
    picture = result([{"type": "image"}, text("seen")])
    added = attached("hook_additional_context", content=["rules", 7])
    _, turn = read(answer("m1", 1000), picture, added, answer("m2", 3000))
    assert turn.added.results == IMAGE_TOKENS + estimate("seen", "old")
    assert turn.added.memory == estimate("rules", "old")


ODD: st.SearchStrategy[Any] = (
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just([{}]) | st.just({"id": []})
)
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "thinking", "tool_use", "tool_result", "image", "?"])},
    optional=dict.fromkeys(["text", "thinking", "signature", "input", "content"], ODD),
)
MESSAGE = st.fixed_dictionaries(
    {"content": st.lists(BLOCK, max_size=3) | ODD},
    optional={"usage": st.dictionaries(st.just("input_tokens"), ODD) | ODD, "id": ODD, "model": ODD},
)
ROW = st.fixed_dictionaries(
    {"type": st.sampled_from(["user", "assistant", "attachment", "system"])},
    optional={"message": MESSAGE | ODD, "attachment": ODD, "subtype": st.just("compact_boundary") | ODD},
)


@given(st.lists(ROW, max_size=12))
def test_any_row_is_read(rows: Rows) -> None:
    """A field of another type reads as empty; sizes are those of usages, and nothing that came in is negative."""
    for turn in read(rows):
        assert turn.after > 0
        assert min(turn.added) >= 0
