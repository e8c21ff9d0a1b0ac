"""Messages of the API, read and given back."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from holdfast.engine import blocks
from holdfast.engine.messages import CACHE_MARKS, check, content, named, pieces, replaced, rows, same
from holdfast.errors import BadInput
from holdfast.text.tokens import IMAGE_TOKENS
from tests.engine.conversations import Json, asked, conversations, results, said

LONG = "x = 1\n" * 60
WRITE = said("Writing.", ("c1", "write_file", {"path": "src/a.py", "file_text": LONG}))
CONVERSATION = [asked("Go."), WRITE, results(("c1", "done"), text="<memory>old</memory>")]


def test_pieces_know_their_place_kind_and_call() -> None:
    """In order; a result knows what was called, a user's text from a memory is no word of the user's."""
    found = [(piece.place, piece.kind, piece.pair, piece.tool) for piece in pieces(CONVERSATION)]
    assert found == [
        ((0, 0), blocks.USER, "", ""),
        ((1, 0), blocks.ASSISTANT, "", ""),
        ((1, 1), blocks.CALL, "c1", "write_file"),
        ((2, 0), blocks.RESULT, "c1", "write_file"),
        ((2, 1), blocks.MEMORY, "", ""),
    ]
    assert [piece.tool for piece in pieces(CONVERSATION, 2)] == ["write_file", ""]


IMAGE: Json = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}


@pytest.mark.parametrize(
    ("block", "kind", "beside"),
    [
        ({"type": "thinking", "thinking": "hm"}, blocks.THINKING, 0),
        ({"type": "redacted_thinking", "data": "AAAA"}, blocks.THINKING, 0),
        (IMAGE, blocks.USER, IMAGE_TOKENS),
        ({"type": "document", "source": {"type": "text", "data": "x"}}, blocks.USER, 0),
        ({"type": "tool_result", "tool_use_id": "x", "content": [IMAGE]}, blocks.RESULT, IMAGE_TOKENS),
        ({"type": "something_new", "text": "t"}, blocks.OTHER, 0),
        ({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}, blocks.OTHER, 0),
    ],
    ids=["thinking", "redacted", "image", "document", "image in a result", "unknown", "server tool"],
)
def test_every_sort_of_block_is_some_piece(block: Json, kind: str, beside: int) -> None:
    """What holds more than text has all of it in `stored`, or in its text."""
    [piece] = pieces([{"role": "user", "content": [block]}])
    assert (piece.kind, piece.beside) == (kind, beside)
    if kind != blocks.THINKING:
        assert json.loads(piece.stored or piece.text) == block


class Own:
    """A client's own object."""

    def to_dict(self) -> Json:
        """Its form."""
        return {"type": "text", "text": "hello"}


@pytest.mark.parametrize(
    "given_content", ["hello", [{"type": "text", "text": "hello"}], [Own()]], ids=["text", "blocks", "object"]
)
def test_content_has_one_form(given_content: Any) -> None:
    """A plain string and a client's object are blocks like any other; nothing is nothing."""
    assert content({"role": "user", "content": given_content}) == [{"type": "text", "text": "hello"}]
    assert content({"role": "user", "content": None}) == []


TEXT: Json = {"type": "text", "text": "x"}
MARKED = {**TEXT, "cache_control": {"type": "ephemeral"}}
BROKEN: list[tuple[list[Any], str]] = [
    ([said("Hello.")], "messages[0]: the first message must be the user's"),
    ([asked("Go."), "text"], "messages[1]: is no message with role user or assistant"),
    ([asked("Go."), {"role": "system", "content": "x"}], "messages[1]: is no message"),
    ([asked("")], "messages[0]: has no content"),
    ([asked("Go."), said("", ("c1", "t", {})), asked("And?")], "messages[2]: no result for c1"),
    ([asked("Go."), said("", ("c1", "t", {})), said("Well.")], "messages[2]: no result for c1"),
    ([asked("Go."), said("Well."), results(("c1", "x"))], "messages[2].content[0]: a result for c1"),
    ([*CONVERSATION, said("", ("c1", "t", {}))], "messages[3]"),
    (
        [{"role": "user", "content": ["a bare text", {"type": "text", "text": "x"}]}],
        "messages[0].content[0]: no content",
    ),
    ([{"role": "user", "content": [{"type": "text", "text": ""}]}], "messages[0].content[0]: an empty text"),
    (
        [
            asked("Go."),
            said("", ("c1", "t", {})),
            {"role": "user", "content": [TEXT, results(("c1", "x"))["content"][0]]},
        ],
        "messages[2].content[1]: a result after a text",
    ),
    ([{"role": "user", "content": [MARKED] * (CACHE_MARKS + 1)}], "messages: 5 cache marks"),
]


@pytest.mark.parametrize(("messages", "told"), BROKEN, ids=[told for _, told in BROKEN])
def test_what_the_api_would_refuse_is_refused_with_its_place(messages: list[Any], told: str) -> None:
    """Before anything is sent or changed."""
    with pytest.raises(BadInput) as caught:
        check(messages)
    assert str(caught.value).startswith(told)


@given(conversations())
def test_checking_what_is_new_finds_what_checking_all_finds(messages: list[Json]) -> None:
    """A sound conversation passes from any start; a call's id may not come again."""
    calls = {piece.pair for piece in pieces(messages) if piece.kind == blocks.CALL}
    check(messages)
    for start in range(len(messages) + 1):
        before = {piece.pair for piece in pieces(messages[:start]) if piece.kind == blocks.CALL}
        check(messages, start, before)
    for call in sorted(calls)[:1]:
        again = [*messages, said("", (call, "Bash", {})), results((call, "x"))]
        with pytest.raises(BadInput, match="used twice"):
            check(again)
        with pytest.raises(BadInput, match="used twice"):
            check(again, len(messages), calls)


def test_cache_marks_may_move() -> None:
    """By copying too; any other difference is one."""
    known = [asked("x"), said("Well."), {"role": "user", "content": [MARKED]}]
    moved = [{"role": "user", "content": [MARKED]}, copy.deepcopy(known[1]), asked("x")]
    assert same(known, moved)
    assert same(known, known)
    assert not same(known, moved[:2])
    assert not same(known, [*moved[:2], asked("y")])
    assert not same(known, [*moved[:2], said("x")])


def test_texts_are_replaced_in_a_copy() -> None:
    """A result keeps its call, a call its short arguments, what is taken away leaves no empty message."""
    before = copy.deepcopy(CONVERSATION)
    found = replaced(CONVERSATION, {(1, 1): "[gone]", (2, 0): "short", (2, 1): None, (0, 0): None})
    assert before == CONVERSATION
    assert found[0]["content"] == [{"type": "text", "text": "…"}]
    assert found[1]["content"][1]["input"] == {"path": "src/a.py", "file_text": "[gone]"}
    assert found[2]["content"] == [{"type": "tool_result", "tool_use_id": "c1", "content": "short"}]
    check(found)
    untouched = replaced(CONVERSATION, {(2, 0): "short"})
    assert untouched[0] is CONVERSATION[0]


def test_a_cache_mark_stays_where_its_text_is_replaced() -> None:
    """The caller's breakpoints are the caller's."""
    mark = {"cache_control": {"type": "ephemeral"}}
    block = {"type": "tool_result", "tool_use_id": "c1", "content": "done", **mark}
    messages = [asked("Go."), WRITE, {"role": "user", "content": [block]}, {"role": "assistant", "content": "Fine."}]
    assert replaced(messages, {(2, 0): "short"})[2]["content"][0] == {**block, "content": "short"}
    spoken = [{"role": "user", "content": [{"type": "text", "text": "a long request", **mark}]}]
    assert replaced(spoken, {(0, 0): "short"})[0]["content"] == [{"type": "text", "text": "short", **mark}]


def test_tools_have_their_name_in_the_house() -> None:
    """By the tool, or by its command; an unknown one keeps its own."""
    assert named("read_file", {"path": "a"}) == ("Read", {"file_path": "a"})
    edit = {"command": "str_replace", "path": "a", "old_str": "x"}
    assert named("str_replace_based_edit_tool", edit)[0] == "Edit"
    assert named("lookup", {"query": "x"}) == ("lookup", {"query": "x"})
    [_, row, _] = rows(CONVERSATION)
    assert row["message"]["content"][1]["name"] == "Write"
    assert row["message"]["content"][1]["input"] == {"file_path": "src/a.py", "file_text": LONG}
