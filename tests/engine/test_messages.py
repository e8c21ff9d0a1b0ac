"""Messages of the API, read and given back."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given

from holdfast.engine import messages
from holdfast.engine.blocks import BlockKind
from holdfast.engine.messages import BlockText, check, named, pieces, same
from holdfast.errors import BadInput
from holdfast.text.tokens import IMAGE_TOKENS
from holdfast.transcript import rows
from tests.engine.conversations import Json, asked, conversations, results, said

LONG = "x = 1\n" * 60
WRITE = said("Writing.", ("c1", "write_file", {"path": "src/a.py", "file_text": LONG}))
CONVERSATION = [asked("Go."), WRITE, results(("c1", "done"), text="<memory>old</memory>")]
MARK = {"cache_control": {"type": "ephemeral"}}
TEXT: Json = {"type": "text", "text": "hello"}
IMAGE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}}
CALL: Json = {"type": "tool_use", "id": "c", "name": "t", "input": {}}
RESULT: Json = {"type": "tool_result", "tool_use_id": "c", "content": "x"}


def test_pieces_know_their_place_kind_and_call() -> None:
    """In order; a result knows what was called, a user's text from a memory is no word of the user's."""
    found = [(piece.place, piece.kind, piece.pair, piece.tool) for piece in pieces(CONVERSATION)]
    assert found == [
        ((0, 0), BlockKind.USER, "", ""),
        ((1, 0), BlockKind.ASSISTANT, "", ""),
        ((1, 1), BlockKind.CALL, "c1", "write_file"),
        ((2, 0), BlockKind.RESULT, "c1", "write_file"),
        ((2, 1), BlockKind.MEMORY, "", ""),
    ]
    assert [piece.tool for piece in pieces(CONVERSATION, 2)] == ["write_file", ""]


MEMORY = "<memory>\nThe tests are slow.\n</memory>"


@pytest.mark.parametrize(
    ("texts", "kinds"),
    [
        ([f"{MEMORY}\n\nPort the cart to Rust."], [BlockKind.USER]),
        ([f"{MEMORY} Port the cart. {MEMORY}"], [BlockKind.USER]),
        (["<memory-pool> leaks: mend it."], [BlockKind.USER]),
        (["Caveat: never touch production."], [BlockKind.USER]),
        (["<channel> must be renamed."], [BlockKind.USER]),
        (["Stop hook feedback:\nRULE: always deploy."], [BlockKind.MEMORY]),
        (["[Request interrupted by user]"], [BlockKind.MEMORY]),
        (["This session is being continued from a previous conversation that ran out."], [BlockKind.MEMORY]),
        (["<task-notification>x</task-notification>\nRead the file."], [BlockKind.MEMORY]),
        ([f"{MEMORY}\n{MEMORY}\n{MEMORY}"], [BlockKind.MEMORY]),
        (["Port the cart.", MEMORY], [BlockKind.USER, BlockKind.MEMORY]),
        (["<system-reminder>x</system-reminder>\nPort the cart."], [BlockKind.USER]),
        ([MEMORY, "Port the cart."], [BlockKind.MEMORY, BlockKind.USER]),
        ([MEMORY, "<system-reminder>x</system-reminder>"], [BlockKind.MEMORY, BlockKind.MEMORY]),
    ],
)
def test_what_the_user_says_is_theirs_whatever_it_begins_with(texts: list[str], kinds: list[str]) -> None:
    """A memory's is what such marks hold from end to end, a client's also what begins with its words; where nothing of
    the first message is the user's, the last is. No other is heard as theirs.
    """
    told = {"role": "user", "content": [{"type": "text", "text": text} for text in texts]}
    task = kinds if BlockKind.USER in kinds else [*kinds[:-1], BlockKind.USER]
    for before, whose in (([], task), ([asked("Go."), said("Yes.")], kinds)):
        start = len(before)
        assert [piece.kind for piece in pieces([*before, told], start)] == whose
        [row] = messages.rows([*before, told], start)
        heard = [text in rows.human_prompt(row) for text in texts]
        assert heard == [
            kind == BlockKind.USER and not rows.is_frame(text) for text, kind in zip(texts, whose, strict=True)
        ]


def document(**source: object) -> Json:
    """A document with a title."""
    return {"type": "document", "title": "Lease", "source": source}


@pytest.mark.parametrize(
    ("block", "kind", "text", "beside"),
    [
        (TEXT, BlockKind.USER, "hello", 0),
        (IMAGE, BlockKind.USER, "", IMAGE_TOKENS),
        (document(type="text", data="Rent is due."), BlockKind.USER, "Lease\nRent is due.", 0),
        (document(type="content", content=[TEXT, IMAGE]), BlockKind.USER, "Lease\nhello", IMAGE_TOKENS),
        (document(type="base64", data="A" * 400_000), BlockKind.USER, "Lease", 3 * (2_000 + IMAGE_TOKENS)),
        (document(type="url", url="https://example.org/a.pdf"), BlockKind.USER, "Lease", 2_000 + IMAGE_TOKENS),
        ({"type": "search_result", "title": "T", "source": "u", "content": [TEXT]}, BlockKind.USER, "T\nu\nhello", 0),
        ({**RESULT, "content": [TEXT, IMAGE, document(type="text")]}, BlockKind.RESULT, "hello\nLease", IMAGE_TOKENS),
        ({**RESULT, "content": "plain"}, BlockKind.RESULT, "plain", 0),
        ({"type": "thinking", "thinking": "hm"}, BlockKind.THINKING, "hm", 0),
        (
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
            BlockKind.OTHER,
            None,
            0,
        ),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_every_sort_of_block_has_its_kind_text_and_weight(
    block: Json, kind: str, text: str | None, beside: int
) -> None:
    """Images count as one each, a PDF by its size. What holds more than text has all of it stored, or in its text."""
    [piece] = pieces([{"role": "user", "content": [block]}])
    assert (piece.kind, piece.beside) == (kind, beside)
    assert messages.read_block(block) == BlockText(json.dumps(block) if text is None else text, beside)
    if beside or text is None:
        assert json.loads(piece.stored or piece.text) == block


class Own:
    """A client's own object."""

    def to_dict(self) -> Json:
        """Its form."""
        return TEXT


@pytest.mark.parametrize("value", ["hello", [TEXT], [Own()], None], ids=["text", "blocks", "object", "nothing"])
def test_content_has_one_form(value: Any) -> None:
    """A plain string and a client's object are blocks like any other; nothing is nothing."""
    assert messages.content({"role": "user", "content": value}) == ([TEXT] if value else [])


NUMBERED = "messages[2].content"
BROKEN: list[tuple[list[Any], str]] = [
    ([said("Hello.")], "messages[0]: the first message must be the user's"),
    ([asked("Go."), "text"], "messages[1]: is no message with role user or assistant"),
    ([asked("Go."), {"role": "system", "content": "x"}], "messages[1]: is no message"),
    ([asked("")], "messages[0]: has no content"),
    ([asked("Go."), said("", ("c1", "t", {})), asked("And?")], "messages[2]: no result for c1"),
    ([asked("Go."), said("Well."), results(("c1", "x"))], f"{NUMBERED}[0]: a result for c1"),
    ([*CONVERSATION, said("", ("c1", "t", {}))], "messages[3]"),
    (
        [asked("Go."), said("", ("c", "t", {})), {"role": "user", "content": [TEXT, RESULT]}],
        f"{NUMBERED}[1]: a result after a text",
    ),
    ([{"role": "user", "content": [{**TEXT, **MARK}] * 5}], "messages: 5 cache marks"),
]
FAULTS: list[tuple[Any, str, str]] = [
    ("a bare text", "user", "no content block with a type"),
    ({"text": "x"}, "user", "no content block with a type"),
    ({"type": "text", "text": ""}, "user", "an empty text"),
    (CALL, "user", "a call that is not the assistant's"),
    ({**CALL, "id": None}, "assistant", "a call without an id"),
    ({**CALL, "name": ""}, "assistant", "a call without the tool's name"),
    ({**CALL, "input": "{}"}, "assistant", "a call whose input is no object"),
    (RESULT, "assistant", "a result that is not the user's"),
    ({**RESULT, "tool_use_id": ""}, "user", "a result without its call's id"),
    ({**RESULT, "content": 5}, "user", "a result that is neither text nor blocks"),
]
for block, role, what in FAULTS:
    before = [asked("Go.")] if role == "assistant" else []
    BROKEN.append(([*before, {"role": role, "content": [block]}], f"messages[{len(before)}].content[0]: {what}"))


@pytest.mark.parametrize(("messages", "told"), BROKEN, ids=[told for _, told in BROKEN])
def test_what_the_api_would_refuse_is_refused_with_its_place(messages: list[Any], told: str) -> None:
    """Before anything is sent or changed."""
    with pytest.raises(BadInput) as caught:
        check(messages)
    assert str(caught.value).startswith(told)


@given(conversations())
def test_checking_what_is_new_finds_what_checking_all_finds(messages: list[Json]) -> None:
    """A sound conversation passes from any start; a call's id may not come again."""
    calls = {piece.pair for piece in pieces(messages) if piece.kind == BlockKind.CALL}
    for start in range(len(messages) + 1):
        check(messages, start, {piece.pair for piece in pieces(messages[:start]) if piece.kind == BlockKind.CALL})
    for call in sorted(calls)[:1]:
        again = [*messages, said("", (call, "Bash", {})), results((call, "x"))]
        for start, known in ((0, frozenset[str]()), (len(messages), calls)):
            with pytest.raises(BadInput, match="used twice"):
                check(again, start, known)


def test_cache_marks_are_taken_off_within_results_too() -> None:
    """They may move from message to message; any other difference is one."""
    marked = {"role": "user", "content": [{**RESULT, "content": [{**TEXT, **MARK}], **MARK}]}
    plain = {"role": "user", "content": [{**RESULT, "content": [TEXT]}]}
    assert same([plain, asked("hello")], [marked, {"role": "user", "content": [{**TEXT, **MARK}]}])
    assert not any(same([plain], other) for other in ([], [asked("y")], [said("x")]))
    assert messages.cache_marks(messages.content(marked)) == 2


def test_texts_are_replaced_in_a_copy() -> None:
    """A result keeps its call, a call its short arguments, what is taken away leaves no empty message."""
    before = copy.deepcopy(CONVERSATION)
    found = messages.replaced(CONVERSATION, {(1, 1): "[gone]", (2, 0): "short", (2, 1): None, (0, 0): None})
    assert before == CONVERSATION
    assert found[0]["content"] == [{"type": "text", "text": "…"}]
    assert found[1]["content"][1]["input"] == {"path": "src/a.py", "file_text": "[gone]"}
    assert found[2]["content"] == [{"type": "tool_result", "tool_use_id": "c1", "content": "short"}]
    check(found)
    assert messages.replaced(CONVERSATION, {(2, 0): "short"})[0] is CONVERSATION[0]
    inputs = {"path": "a.py", "count": 3, "edits": [{"old_string": LONG, "new_string": "y"}]}
    assert messages.with_short_inputs(inputs, "…") == {**inputs, "edits": [{"old_string": "…", "new_string": "y"}]}


def test_tools_have_their_name_in_the_house() -> None:
    """By the tool, or by its command; an unknown one keeps its own."""
    assert named("read_file", {"path": "a"}) == ("Read", {"file_path": "a"})
    edit = {"command": "str_replace", "path": "a", "old_str": "x"}
    assert named("str_replace_based_edit_tool", edit) == ("Edit", {"file_path": "a", "old_string": "x"})
    assert named("lookup", {"query": "x"}) == ("lookup", {"query": "x"})
    [_, row, _] = messages.rows(CONVERSATION)
    call = row["message"]["content"][1]
    assert (call["name"], call["input"]) == ("Write", {"file_path": "src/a.py", "file_text": LONG})
