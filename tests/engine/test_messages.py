"""Messages of the API, read and given back."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from holdfast.engine import blocks
from holdfast.engine.messages import (
    Said,
    cache_marks,
    check,
    content,
    fault_of,
    named,
    pieces,
    read_block,
    replaced,
    rows,
    same,
    unmarked,
    with_short_inputs,
)
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
        ((0, 0), blocks.Kind.USER, "", ""),
        ((1, 0), blocks.Kind.ASSISTANT, "", ""),
        ((1, 1), blocks.Kind.CALL, "c1", "write_file"),
        ((2, 0), blocks.Kind.RESULT, "c1", "write_file"),
        ((2, 1), blocks.Kind.MEMORY, "", ""),
    ]
    assert [piece.tool for piece in pieces(CONVERSATION, 2)] == ["write_file", ""]


IMAGE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}}
MARK = {"cache_control": {"type": "ephemeral"}}


@pytest.mark.parametrize(
    ("block", "kind", "beside"),
    [
        ({"type": "thinking", "thinking": "hm"}, blocks.Kind.THINKING, 0),
        ({"type": "redacted_thinking", "data": "AAAA"}, blocks.Kind.THINKING, 0),
        (IMAGE, blocks.Kind.USER, IMAGE_TOKENS),
        ({"type": "document", "source": {"type": "text", "data": "x"}}, blocks.Kind.USER, 0),
        ({"type": "tool_result", "tool_use_id": "x", "content": [IMAGE]}, blocks.Kind.RESULT, IMAGE_TOKENS),
        ({"type": "something_new", "text": "t"}, blocks.Kind.OTHER, 0),
        ({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}, blocks.Kind.OTHER, 0),
    ],
    ids=["thinking", "redacted", "image", "document", "image in a result", "unknown", "server tool"],
)
def test_every_sort_of_block_is_some_piece(block: Json, kind: str, beside: int) -> None:
    """What holds more than text has all of it in `stored`, or in its text."""
    [piece] = pieces([{"role": "user", "content": [block]}])
    assert (piece.kind, piece.beside) == (kind, beside)
    if kind != blocks.Kind.THINKING:
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


TEXT: Json = {"type": "text", "text": "hello"}
MARKED = {**TEXT, "cache_control": {"type": "ephemeral"}}
BROKEN: list[tuple[list[Any], str]] = [
    ([said("Hello.")], "messages[0]: the first message must be the user's"),
    ([asked("Go."), "text"], "messages[1]: is no message with role user or assistant"),
    ([asked("Go."), {"role": "system", "content": "x"}], "messages[1]: is no message"),
    ([asked("")], "messages[0]: has no content"),
    ([asked("Go."), said("", ("c1", "t", {})), asked("And?")], "messages[2]: no result for c1"),
    ([asked("Go."), said("Well."), results(("c1", "x"))], "messages[2].content[0]: a result for c1"),
    ([*CONVERSATION, said("", ("c1", "t", {}))], "messages[3]"),
    (
        [{"role": "user", "content": ["a bare text", {"type": "text", "text": "x"}]}],
        "messages[0].content[0]: no content",
    ),
    (
        [
            asked("Go."),
            said("", ("c1", "t", {})),
            {"role": "user", "content": [TEXT, results(("c1", "x"))["content"][0]]},
        ],
        "messages[2].content[1]: a result after a text",
    ),
    ([{"role": "user", "content": [MARKED] * 5}], "messages: 5 cache marks"),
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
    calls = {piece.pair for piece in pieces(messages) if piece.kind == blocks.Kind.CALL}
    check(messages)
    for start in range(len(messages) + 1):
        before = {piece.pair for piece in pieces(messages[:start]) if piece.kind == blocks.Kind.CALL}
        check(messages, start, before)
    for call in sorted(calls)[:1]:
        again = [*messages, said("", (call, "Bash", {})), results((call, "x"))]
        with pytest.raises(BadInput, match="used twice"):
            check(again)
        with pytest.raises(BadInput, match="used twice"):
            check(again, len(messages), calls)


def test_cache_marks_may_move() -> None:
    """By copying too; any other difference is one."""
    known = [asked("hello"), said("Well."), {"role": "user", "content": [MARKED]}]
    moved = [{"role": "user", "content": [MARKED]}, copy.deepcopy(known[1]), asked("hello")]
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


def test_tools_have_their_name_in_the_house() -> None:
    """By the tool, or by its command; an unknown one keeps its own."""
    assert named("read_file", {"path": "a"}) == ("Read", {"file_path": "a"})
    edit = {"command": "str_replace", "path": "a", "old_str": "x"}
    assert named("str_replace_based_edit_tool", edit)[0] == "Edit"
    assert named("lookup", {"query": "x"}) == ("lookup", {"query": "x"})
    [_, row, _] = rows(CONVERSATION)
    assert row["message"]["content"][1]["name"] == "Write"
    assert row["message"]["content"][1]["input"] == {"file_path": "src/a.py", "file_text": LONG}


def document(**source: object) -> Json:
    """A document with a title."""
    return {"type": "document", "title": "Lease", "source": source}


@pytest.mark.parametrize(
    ("block", "found"),
    [
        (TEXT, Said("hello")),
        (IMAGE, Said("", IMAGE_TOKENS)),
        (document(type="text", data="Rent is due."), Said("Lease\nRent is due.")),
        (document(type="content", content=[TEXT, IMAGE]), Said("Lease\nhello", IMAGE_TOKENS)),
        (document(type="base64", data="A" * 400_000), Said("Lease", 3 * (2_000 + IMAGE_TOKENS))),
        (document(type="url", url="https://example.org/a.pdf"), Said("Lease", 2_000 + IMAGE_TOKENS)),
        ({"type": "search_result", "title": "T", "source": "u", "content": [TEXT]}, Said("T\nu\nhello")),
        ({"type": "tool_result", "content": [TEXT, IMAGE, document(type="text", data="x")]}, None),
        ({"type": "tool_result", "content": "plain"}, Said("plain")),
        ({"type": "tool_result"}, Said("")),
    ],
    ids=["text", "image", "text document", "blocks", "pdf", "pdf elsewhere", "search", "mixed", "plain", "nothing"],
)
def test_each_sort_has_its_text_and_its_weight(block: Json, found: Said | None) -> None:
    """Texts count by what they say, images as one each, a PDF by its size."""
    assert read_block(block) == (found or Said("hello\nLease\nx", IMAGE_TOKENS))


CALL: Json = {"type": "tool_use", "id": "c", "name": "t", "input": {}}
RESULT: Json = {"type": "tool_result", "tool_use_id": "c", "content": "x"}


@pytest.mark.parametrize(
    ("block", "role", "told"),
    [
        ({"text": "x"}, "user", "no content block with a type"),
        ({"type": "text", "text": ""}, "user", "an empty text"),
        ({"type": "text", "text": None}, "assistant", "an empty text"),
        (CALL, "user", "a call that is not the assistant's"),
        ({**CALL, "id": None}, "assistant", "a call without an id"),
        ({**CALL, "name": ""}, "assistant", "a call without the tool's name"),
        ({**CALL, "input": "{}"}, "assistant", "a call whose input is no object"),
        (RESULT, "assistant", "a result that is not the user's"),
        ({**RESULT, "tool_use_id": ""}, "user", "a result without its call's id"),
        ({**RESULT, "content": 5}, "user", "a result that is neither text nor blocks"),
        ({**RESULT, "content": ["x"]}, "user", "a result that is neither text nor blocks"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_block_is_told(block: Json, role: str, told: str) -> None:
    """In a few words."""
    assert fault_of(block, role) == told


def test_cache_marks_are_counted_and_taken_off_within_results_too() -> None:
    """The block itself stays as it is."""
    block = {**RESULT, "content": [{**TEXT, **MARK}], **MARK}
    assert cache_marks([block, TEXT]) == 2
    assert unmarked(block) == {**RESULT, "content": [TEXT]}
    assert cache_marks([block]) == 2


def test_long_inputs_are_shortened_however_deep() -> None:
    """Short ones, numbers and names stay."""
    inputs = {"path": "a.py", "count": 3, "edits": [{"old_string": LONG, "new_string": "y"}]}
    assert with_short_inputs(inputs, "…") == {**inputs, "edits": [{"old_string": "…", "new_string": "y"}]}
