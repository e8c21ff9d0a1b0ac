"""What the window holds, and what of it has been named since."""

import json

import pytest
from hypothesis import given

from holdfast.engine.block_index import LONG, SUPERSEDED, names_of, sampled
from holdfast.engine.blocks import ASSISTANT, CALL, DIGEST, KINDS, PLACEHOLDER, RESULT, SYSTEM, THINKING, USER, Block
from holdfast.engine.plan import Change
from holdfast.text.tokens import IMAGE_TOKENS
from holdfast.transcript.usage import ARGUMENT_FRAME, CALL_FRAME
from tests.engine.conversations import Json, asked, conversations, looked, results, said, tracked

READ = {"file_path": "src/api.py"}


def test_each_message_becomes_its_blocks() -> None:
    """In order, with the turn in which they came, what they are about, and which call they belong to."""
    track = tracked(
        [asked("Mend the pool."), said("Looking.", ("c1", "Read", READ)), results(("c1", "def retry_pool"))]
    )
    shown = [(block.id, block.kind, block.turn, block.pair, block.about) for block in track.blocks]
    assert shown == [
        ("0.0", USER, 1, "", "Mend the pool."),
        ("1.0", ASSISTANT, 1, "", ""),
        ("call:c1", CALL, 1, "c1", "Read src/api.py"),
        ("result:c1", RESULT, 2, "c1", "Read src/api.py"),
    ]
    assert (track.goal, track.request, track.turn, track.answering, track.calls) == ("0.0", "0.0", 1, 1, {"c1"})


def test_a_conversation_is_read_once_however_often_it_is_taken() -> None:
    """Only what is new becomes blocks, and it comes to the same as all at once."""
    messages = [asked("Go."), *looked(1, "Read", READ, "retry_pool"), *looked(2, "Bash", {"command": "ls"}, "x")]
    track = tracked(messages[:3])
    assert [block.id for block in track.take(messages)] == ["3.0", "call:c2", "result:c2"]
    assert track.take(messages) == []
    assert track.blocks == tracked(messages).blocks


def test_what_the_model_names_counts_for_the_newest_blocks_that_hold_it() -> None:
    """A later turn that says a name is a use; a result that happens to hold it is none."""
    messages = [
        asked("Go."),
        *looked(1, "Read", READ, "retry_pool"),
        *looked(2, "Grep", {"pattern": "x"}, "retry_pool"),
    ]
    track = tracked(messages)
    assert track["result:c1"].uses == 0
    track.take([*messages, said("retry_pool is too small.")])
    assert (track["result:c1"].uses, track["result:c1"].used) == (1, 3)
    assert track["result:c2"].uses == 0


@pytest.mark.parametrize(("kept", "repeated"), [(20, True), (18, True), (10, False), (0, False)])
def test_an_older_result_is_repeated_when_a_newer_one_of_its_source_holds_its_lines(kept: int, repeated: bool) -> None:
    """From 85 % of its lines on; another source repeats nothing."""
    lines = [f"line {number}" for number in range(20)]
    newer = "\n".join([*lines[:kept], *(f"other {number}" for number in range(30))])
    track = tracked([asked("Go."), *looked(1, "Read", READ, "\n".join(lines)), *looked(2, "Read", READ, newer)])
    assert (track["result:c1"].repeat >= SUPERSEDED) == repeated
    assert track["result:c1"].repeat in (0, kept / 20)
    other = tracked([asked("Go."), *looked(1, "Read", READ, newer), *looked(2, "Bash", {"command": "ls"}, newer)])
    assert other["result:c1"].repeat == 0


def test_the_task_tells_what_is_relevant() -> None:
    """The share of the words of goal and newest request."""
    messages = [asked("Find why login sessions expire early."), *looked(1, "Read", READ, "login sessions expire")]
    track = tracked([*messages, *looked(2, "Read", {"file_path": "b"}, "colours and fonts")])
    assert track["result:c1"].relevance > track["result:c2"].relevance


def test_names_that_leave_are_those_that_stand_nowhere_else() -> None:
    """A name in another block stays; one that only leaving blocks hold is named, of a call by its result."""
    edit = {"file_path": "src/api.py", "new_string": "only_typed"}
    messages = [asked("Go."), *looked(1, "Edit", edit, "both_of_them, only_first"), said("both_of_them is it.")]
    track = tracked(messages)
    first = track["result:c1"]
    assert track.only_in(first) == ["only_first"]
    assert track.only_in(first, {"result:c1", "3.0"}) == ["both_of_them", "only_first"]
    assert "only_typed" in track.only_in(first, {"result:c1", "call:c1"})


def test_a_block_that_has_left_holds_only_what_stands_in_its_place() -> None:
    """So a name that an earlier eviction took along is named by the next block that leaves with it."""
    track = tracked(
        [asked("Go."), *looked(1, "Read", READ, "pool_one pool_two"), *looked(2, "Read", READ, "pool_one pool_two")]
    )
    second = track["result:c2"]
    assert track.only_in(second) == []
    track.change([Change("result:c1", "[Summary: pool_one]", 9, DIGEST, "test")])
    assert track.only_in(second) == ["pool_two"]
    assert (track["result:c1"].tokens, track["result:c1"].state) == (9, DIGEST)


def test_what_the_model_has_said_itself_is_named_first() -> None:
    """Names in order of how often it said them."""
    messages = [asked("Go."), *looked(1, "Read", READ, "one_name two_name"), said("two_name"), asked("On.")]
    track = tracked(messages)
    assert track.only_in(track["result:c1"], {"result:c1", "3.0"}) == ["two_name", "one_name"]


def test_of_a_call_only_long_inputs_can_go() -> None:
    """Its name and its short arguments are fixed."""
    write = {"file_path": "src/api.py", "content": "x = 1\n" * 300}
    track = tracked([asked("Go."), *looked(1, "Write", write, "done"), *looked(2, "Read", READ, "x")])
    assert track["call:c1"].fixed < track["call:c1"].tokens / 5
    assert track["call:c2"].fixed == track["call:c2"].tokens


def test_images_and_thinking_have_their_own_size_and_no_names() -> None:
    """An image counts as many tokens; what was thought is no use of a name."""
    picture = {"type": "image", "source": {"type": "base64", "data": "AAAA"}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "See retry_pool."}, picture]}]
    track = tracked([*messages, {"role": "assistant", "content": [{"type": "thinking", "thinking": "retry_pool"}]}])
    assert track["0.1"].tokens >= IMAGE_TOKENS
    assert track["1.0"].kind == THINKING
    assert track["0.0"].uses == 0


def test_what_stands_outside_the_messages_is_put_once() -> None:
    """A new system prompt takes the old one's place; marks are set and taken off."""
    track = tracked([asked("Go.")])
    track.put(Block(SYSTEM, SYSTEM, "a", 1))
    track.put(Block(SYSTEM, SYSTEM, "bb", 2))
    assert [block.tokens for block in track.blocks if block.kind == SYSTEM] == [2]
    track.keep("0.0")
    assert track["0.0"].keep
    track.keep("0.0", False)
    assert not track["0.0"].keep


PICTURE: Json = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}


def told(*content: Json) -> Json:
    """A message of the user's."""
    return {"role": "user", "content": list(content)}


def text(said_: str) -> Json:
    """A block of text."""
    return {"type": "text", "text": said_}


def test_goal_and_request_are_whole_messages() -> None:
    """All texts of them tell the task, and an image alone is a goal too."""
    track = tracked([told(PICTURE, text("Build this mockup.")), said("Yes."), told(text("SPEC"), text("Do it."))])
    assert (track.goal, track.request, track.asked) == ("0.1", "2.0", (0, 2))
    assert {"mockup", "spec"} <= track.task
    assert tracked([told(PICTURE), said("What?")]).goal == "0.0"


@pytest.mark.parametrize(
    ("beside", "newest"),
    [
        ("<system-reminder>The list is empty.</system-reminder>", "0.0"),
        ("Also mend the tests.", "2.1"),
        ("", "0.0"),
    ],
    ids=["a machine's", "the user's", "none"],
)
def test_what_a_client_puts_beside_results_is_no_request(beside: str, newest: str) -> None:
    """What the user says there is one."""
    track = tracked([asked("Go."), said("", ("c1", "Bash", {"command": "ls"})), results(("c1", "x"), text=beside)])
    assert (track.goal, track.request) == ("0.0", newest)


def test_what_is_no_text_is_kept_to_be_stored() -> None:
    """With the size of its text and of the rest."""
    track = tracked([told(PICTURE, {"type": "document", "source": {"type": "text", "data": "word " * 900}})])
    assert json.loads(track["0.0"].whole) == PICTURE
    assert track["0.1"].tokens > 900
    assert json.loads(track["0.1"].whole)["source"]["data"] == track["0.1"].text


def test_system_and_tools_stand_first_whenever_they_come() -> None:
    """The blocks of the messages keep their ids and places."""
    track = tracked([asked("Go."), *looked(1, "Read", READ, "x")])
    track.put(Block(SYSTEM, SYSTEM, "a", 1))
    track.change([Change(SYSTEM, "b", 7, DIGEST, "test"), Change("result:c1", None, 0, PLACEHOLDER, "test")])
    assert [(block.id, block.tokens) for block in track.blocks][:1] == [(SYSTEM, 7)]
    assert (track["result:c1"].state, SYSTEM in track, track["0.0"].text) == (PLACEHOLDER, True, "Go.")


def test_a_call_has_a_frame_and_one_for_each_argument() -> None:
    """Long inputs within a list are none of what stays."""
    edits = {"path": "a", "edits": [{"old_string": "x = 1\n" * 300}]}
    track = tracked([asked("Go."), *looked(1, "Bash", {}, "x"), *looked(2, "MultiEdit", edits, "x")])
    assert track["call:c1"].tokens == CALL_FRAME
    assert track["call:c2"].fixed < CALL_FRAME + 2 * ARGUMENT_FRAME + 60 < track["call:c2"].tokens


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
    track = tracked(messages)
    assert len({block.id for block in track.blocks}) == len(track.blocks)
    assert [block.place for block in track.blocks] == sorted(block.place for block in track.blocks)
    assert {block.kind for block in track.blocks} <= set(KINDS)
    results_ = [block for block in track.blocks if block.kind == RESULT]
    for block in results_:
        assert set(track.only_in(block)) <= set(names_of(block.text))
    track.change(Change(block.id, None, 0, PLACEHOLDER, "test") for block in results_)
    assert all(track[block.id].state == PLACEHOLDER for block in results_)
