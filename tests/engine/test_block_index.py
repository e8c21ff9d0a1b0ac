"""What the window holds, and what of it has been named since."""

import pytest
from hypothesis import given

from holdfast.engine.block_index import LONG, names_of, sampled
from holdfast.engine.blocks import Block, Edit, Kind, State
from holdfast.text.tokens import IMAGE_TOKENS
from tests.engine.conversations import Json, asked, conversations, indexed, looked, results, said

READ = {"file_path": "src/api.py"}


def test_each_message_becomes_its_blocks() -> None:
    """In order, with the turn in which they came, what they are about, and which call they belong to."""
    index = indexed(
        [asked("Mend the pool."), said("Looking.", ("c1", "Read", READ)), results(("c1", "def retry_pool"))]
    )
    shown = [(block.id, block.kind, block.turn, block.pair, block.about) for block in index.blocks]
    assert shown == [
        ("0.0", Kind.USER, 1, "", "Mend the pool."),
        ("1.0", Kind.ASSISTANT, 1, "", ""),
        ("call:c1", Kind.CALL, 1, "c1", "Read src/api.py"),
        ("result:c1", Kind.RESULT, 2, "c1", "Read src/api.py"),
    ]
    assert (index.goal, index.request, index.turn, index.answering, index.calls) == ("0.0", "0.0", 1, 1, {"c1"})


def test_what_a_client_or_a_hand_over_put_there_is_no_word_of_the_users() -> None:
    """A slash command is one."""
    texts = ("<system-reminder>x", "[Holdfast: x]", "<memory>x", "<command-name>/x</command-name>")
    found = indexed([asked("Go."), said("Yes."), told(*map(text, texts))])
    assert [block.kind for block in found.blocks[2:]] == [Kind.MEMORY, Kind.OTHER, Kind.MEMORY, Kind.USER]
    assert found.request == "2.3"


def test_a_conversation_is_read_once_however_often_it_is_taken() -> None:
    """Only what is new becomes blocks, and it comes to the same as all at once."""
    messages = [asked("Go."), *looked(1, "Read", READ, "retry_pool"), *looked(2, "Bash", {"command": "ls"}, "x")]
    index = indexed(messages[:3])
    assert [block.id for block in index.take(messages)] == ["3.0", "call:c2", "result:c2"]
    assert index.take(messages) == []
    assert index.blocks == indexed(messages).blocks


def test_what_the_model_names_counts_for_the_newest_blocks_that_hold_it() -> None:
    """A later turn that says a name is a use; a result that happens to hold it is none."""
    messages = [
        asked("Go."),
        *looked(1, "Read", READ, "retry_pool"),
        *looked(2, "Grep", {"pattern": "x"}, "retry_pool"),
    ]
    index = indexed(messages)
    assert index["result:c1"].uses == 0
    index.take([*messages, said("retry_pool is too small.")])
    assert (index["result:c1"].uses, index["result:c1"].used) == (1, 3)
    assert index["result:c2"].uses == 0


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
    """A name in another block stays; one that only leaving blocks hold is named, of a call by its result."""
    edit = {"file_path": "src/api.py", "new_string": "only_typed"}
    messages = [asked("Go."), *looked(1, "Edit", edit, "both_of_them, only_first"), said("both_of_them is it.")]
    index = indexed(messages)
    first = index["result:c1"]
    assert index.only_in(first) == ["only_first"]
    assert index.only_in(first, {"result:c1", "3.0"}) == ["both_of_them", "only_first"]
    assert "only_typed" in index.only_in(first, {"result:c1", "call:c1"})


def test_a_block_that_has_left_holds_only_what_stands_in_its_place() -> None:
    """So a name that an earlier eviction took along is named by the next block that leaves with it."""
    index = indexed(
        [asked("Go."), *looked(1, "Read", READ, "pool_one pool_two"), *looked(2, "Read", READ, "pool_one pool_two")]
    )
    second = index["result:c2"]
    assert index.only_in(second) == []
    index.change([Edit("result:c1", "[Summary: pool_one]", 9, State.DIGEST, "test")])
    assert index.only_in(second) == ["pool_two"]
    assert (index["result:c1"].tokens, index["result:c1"].state) == (9, State.DIGEST)


def test_of_a_call_only_long_inputs_can_go() -> None:
    """Its name and its short arguments are fixed."""
    write = {"file_path": "src/api.py", "content": "x = 1\n" * 300}
    index = indexed([asked("Go."), *looked(1, "Write", write, "done"), *looked(2, "Read", READ, "x")])
    assert index["call:c1"].fixed < index["call:c1"].tokens / 5
    assert index["call:c2"].fixed == index["call:c2"].tokens


def test_images_and_thinking_have_their_own_size_and_no_names() -> None:
    """An image counts as many tokens; what was thought is no use of a name."""
    picture = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "See retry_pool."}, picture]}]
    index = indexed([*messages, {"role": "assistant", "content": [{"type": "thinking", "thinking": "retry_pool"}]}])
    assert index["0.1"].tokens >= IMAGE_TOKENS
    assert index["1.0"].kind == Kind.THINKING
    assert index["0.0"].uses == 0


PICTURE: Json = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}


def told(*content: Json) -> Json:
    """A message of the user's."""
    return {"role": "user", "content": list(content)}


def text(said_: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": said_}


def test_goal_and_request_are_whole_messages() -> None:
    """All texts of them tell the task, and an image alone is a goal too."""
    index = indexed([told(PICTURE, text("Build this mockup.")), said("Yes."), told(text("SPEC"), text("Do it."))])
    assert (index.goal, index.request) == ("0.1", "2.0")
    assert {"mockup", "spec"} <= index.task
    assert indexed([told(PICTURE), said("What?")]).goal == "0.0"


def test_system_and_tools_stand_first_whenever_they_come() -> None:
    """The blocks of the messages keep their ids and places."""
    index = indexed([asked("Go."), *looked(1, "Read", READ, "x")])
    index.put(Block(Kind.SYSTEM, Kind.SYSTEM, "a", 1))
    index.change(
        [Edit(Kind.SYSTEM, "b", 7, State.DIGEST, "test"), Edit("result:c1", None, 0, State.PLACEHOLDER, "test")]
    )
    assert [(block.id, block.tokens) for block in index.blocks][:1] == [(Kind.SYSTEM, 7)]
    assert (index["result:c1"].state, Kind.SYSTEM in index, index["0.0"].text) == (State.PLACEHOLDER, True, "Go.")


def test_a_very_long_text_is_read_in_parts() -> None:
    """Its size is that of its parts, its names those of its beginning."""
    seen: list[int] = []

    def count(part: str) -> int:
        seen.append(len(part))
        return part.count("x")

    assert sampled("x." * (5 * LONG), count) == 5 * LONG
    assert sum(seen) <= LONG
    assert sampled("xx", count) == 2
    assert names_of("first_name " + "word " * LONG + " last_name") == ["first_name"]


@given(conversations())
def test_over_any_conversation(messages: list[Json]) -> None:
    """Ids are unique, turns never fall, kinds are known, and names of what left are names of its text."""
    index = indexed(messages)
    assert len({block.id for block in index.blocks}) == len(index.blocks)
    assert [block.place for block in index.blocks] == sorted(block.place for block in index.blocks)
    assert {block.kind for block in index.blocks} <= set(Kind)
    results_ = [block for block in index.blocks if block.kind == Kind.RESULT]
    for block in results_:
        assert set(index.only_in(block)) <= set(names_of(block.text))
    index.change(Edit(block.id, None, 0, State.PLACEHOLDER, "test") for block in results_)
    assert all(index[block.id].state == State.PLACEHOLDER for block in results_)
