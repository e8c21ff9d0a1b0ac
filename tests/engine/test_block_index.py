"""What the window holds, and what of it has been named since."""

import pytest
from hypothesis import given

from holdfast.engine.block_index import LONG, names_of, sampled
from holdfast.engine.blocks import Block, BlockKind, BlockState, Edit
from holdfast.text.tokens import IMAGE_TOKENS
from tests.engine.conversations import Json, asked, conversations, indexed, looked, results, said

READ = {"file_path": "src/api.py"}
PICTURE: Json = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}


def told(*parts: str | Json) -> Json:
    """A message of the user's."""
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"role": "user", "content": content}


def test_each_message_becomes_its_blocks() -> None:
    """In order, with the turn in which they came, what they are about, and which call they belong to."""
    index = indexed(
        [asked("Mend the pool."), said("Looking.", ("c1", "Read", READ)), results(("c1", "def retry_pool"))]
    )
    shown = [(block.id, block.kind, block.turn, block.pair, block.about) for block in index.blocks]
    assert shown == [
        ("0.0", BlockKind.USER, 1, "", "Mend the pool."),
        ("1.0", BlockKind.ASSISTANT, 1, "", ""),
        ("call:c1", BlockKind.CALL, 1, "c1", "Read src/api.py"),
        ("result:c1", BlockKind.RESULT, 2, "c1", "Read src/api.py"),
    ]
    assert (index.goal, index.request, index.turn, index.answering, index.calls) == ("0.0", "0.0", 1, 1, {"c1"})
    assert indexed([asked("Go."), said("I search."), said("Found.")]).answering == 1


@pytest.mark.parametrize(
    ("message", "kinds", "request_"),
    [
        (
            told("<system-reminder>x</system-reminder>", "[Holdfast: x]", "<memory>x</memory>"),
            [BlockKind.MEMORY, BlockKind.OTHER, BlockKind.MEMORY],
            "0.1",
        ),
        (told("<command-name>/x</command-name>"), [BlockKind.USER], "2.0"),
        (told(PICTURE, "Do it."), [BlockKind.USER, BlockKind.USER], "2.1"),
        (told(PICTURE), [BlockKind.USER], "2.0"),
    ],
    ids=["a client's, ours, a memory's", "a slash command", "an image and a text", "an image alone"],
)
def test_whose_a_message_is(message: Json, kinds: list[BlockKind], request_: str) -> None:
    """What a client or a hand-over put in the user's place is no word of the user's; goal and request are messages."""
    index = indexed([told(PICTURE, "Build this mockup.", "SPEC"), said("Yes."), message])
    assert [block.kind for block in index.blocks[4:]] == kinds
    assert (index.goal, index.request) == ("0.1", request_)
    assert {"build", "mockup", "spec"} <= index.task


def test_a_conversation_is_read_once_however_often_it_is_taken() -> None:
    """Only what is new becomes blocks, and it comes to the same as all at once."""
    messages = [asked("Go."), *looked(1, "Read", READ, "retry_pool"), *looked(2, "Bash", {"command": "ls"}, "x")]
    index = indexed(messages[:3])
    for _ in range(2):
        index.take(messages)
        assert index.blocks == indexed(messages).blocks


def test_what_the_model_names_counts_for_the_newest_blocks_that_hold_it() -> None:
    """A later turn that says a name is a use; a result that happens to hold it is none, and neither is a thought."""
    held = [looked(n, "Read", {"file_path": f"{n}.py"}, "retry_pool") for n in (1, 2)]
    thought = {"role": "assistant", "content": [{"type": "thinking", "thinking": "retry_pool"}]}
    messages = [asked("Go."), *held[0], *held[1]]
    index = indexed([*messages, thought])
    assert (index["result:c1"].uses, index["result:c2"].uses, index["5.0"].kind) == (0, 0, BlockKind.THINKING)
    index.take([*messages, thought, asked("And?"), said("retry_pool is too small.")])
    assert (index["result:c2"].uses, index["result:c2"].used) == (1, 4)


@pytest.mark.parametrize(("kept", "repeated"), [(20, True), (18, True), (10, False), (0, False)])
def test_an_older_result_is_repeated_when_a_newer_one_of_its_source_holds_its_lines(kept: int, repeated: bool) -> None:
    """From 85 % of its lines on; another source repeats nothing."""
    lines = [f"line {number}" for number in range(20)]
    newer = "\n".join([*lines[:kept], *(f"other {number}" for number in range(30))])
    index = indexed([asked("Go."), *looked(1, "Read", READ, "\n".join(lines)), *looked(2, "Read", READ, newer)])
    assert (index["result:c1"].repeat >= 0.85) == repeated
    assert index["result:c1"].repeat in (0, kept / 20)
    other = indexed([asked("Go."), *looked(1, "Read", READ, newer), *looked(2, "Bash", {"command": "ls"}, newer)])
    assert other["result:c1"].repeat == 0


def test_the_task_tells_what_is_relevant() -> None:
    """The share of the words of goal and newest request."""
    messages = [asked("Find why login sessions expire early."), *looked(1, "Read", READ, "login sessions expire")]
    index = indexed([*messages, *looked(2, "Read", {"file_path": "b"}, "colours and fonts")])
    assert index["result:c1"].relevance > index["result:c2"].relevance


def test_names_that_leave_are_those_that_stand_nowhere_else() -> None:
    """A name in another block stays, where that is whole or still says it; of a call by its result."""
    edit = {"file_path": "src/api.py", "new_string": "only_typed"}
    messages = [asked("Go."), *looked(1, "Edit", edit, "both_of_them, only_first"), said("both_of_them is it.")]
    index = indexed(messages)
    first = index["result:c1"]
    assert index.only_in(first) == ["only_first"]
    assert index.only_in(first, {"result:c1", "3.0"}) == ["both_of_them", "only_first"]
    assert "only_typed" in index.only_in(first, {"result:c1", "call:c1"})
    index.change([Edit("3.0", "[Summary: only_last]", 9, BlockState.DIGEST, "test")])
    assert index.only_in(first) == ["both_of_them", "only_first"]
    assert (index["3.0"].tokens, index["3.0"].state) == (9, BlockState.DIGEST)


def test_sizes() -> None:
    """Of a call only long inputs can go; an image has its own; a very long text is counted and named by its parts."""
    write = {"file_path": "src/api.py", "content": "x = 1\n" * 300}
    index = indexed([told("Go.", PICTURE), *looked(1, "Write", write, "done"), *looked(2, "Read", READ, "x")])
    assert index["call:c1"].fixed < index["call:c1"].tokens / 5
    assert index["call:c2"].fixed == index["call:c2"].tokens
    assert index["0.1"].tokens >= IMAGE_TOKENS
    assert sampled("x." * (5 * LONG), lambda part: part.count("x")) == 5 * LONG
    assert names_of("first_name " + "word " * LONG + " last_name") == ["first_name"]


@given(conversations())
def test_over_any_conversation(messages: list[Json]) -> None:
    """Ids are unique, turns never fall, what stands outside is first, names of what left are names of its text."""
    index = indexed(messages)
    assert [block.place for block in index.blocks] == sorted(block.place for block in index.blocks)
    index.put(Block(BlockKind.SYSTEM, BlockKind.SYSTEM, "a", 1))
    assert len({block.id for block in index.blocks}) == len(index.blocks)
    assert {block.kind for block in index.blocks} <= set(BlockKind)
    found = [block for block in index.blocks if block.kind in (BlockKind.RESULT, BlockKind.SYSTEM)]
    for block in found[1:]:
        assert set(index.only_in(block)) <= set(names_of(block.text))
    index.change(Edit(block.id, None, 7, BlockState.PLACEHOLDER, "test") for block in found)
    assert {(index[block.id].state, index[block.id].tokens) for block in found} == {(BlockState.PLACEHOLDER, 7)}
    assert (index.blocks[0].id, index["0.0"].text) == (BlockKind.SYSTEM, messages[0]["content"])
