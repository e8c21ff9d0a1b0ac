"""One block of the API's."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.content_block import (
    PAGE_BYTES,
    PAGE_TOKENS,
    PAGES,
    Read,
    fault,
    marks,
    read,
    replaced,
    shortened,
    stored,
    unmarked,
)
from holdfast.text.tokens import IMAGE_TOKENS
from tests.engine.conversations import Json

IMAGE: Json = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBOR"}}
TEXT: Json = {"type": "text", "text": "hello"}
LONG = "x = 1\n" * 60
MARK = {"cache_control": {"type": "ephemeral"}}


def document(**source: object) -> Json:
    """A document with a title."""
    return {"type": "document", "title": "Lease", "source": source}


@pytest.mark.parametrize(
    ("block", "found"),
    [
        (TEXT, Read("hello")),
        (IMAGE, Read("", IMAGE_TOKENS)),
        (document(type="text", data="Rent is due."), Read("Lease\nRent is due.")),
        (document(type="content", content=[TEXT, IMAGE]), Read("Lease\nhello", IMAGE_TOKENS)),
        (document(type="base64", data="A" * (PAGE_BYTES * 4)), Read("Lease", 3 * PAGE_TOKENS)),
        (document(type="url", url="https://example.org/a.pdf"), Read("Lease", PAGE_TOKENS)),
        ({"type": "search_result", "title": "T", "source": "u", "content": [TEXT]}, Read("T\nu\nhello")),
        ({"type": "tool_result", "content": [TEXT, IMAGE, document(type="text", data="x")]}, None),
        ({"type": "tool_result", "content": "plain"}, Read("plain")),
        ({"type": "tool_result"}, Read("")),
    ],
    ids=["text", "image", "text document", "blocks", "pdf", "pdf elsewhere", "search", "mixed", "plain", "nothing"],
)
def test_each_sort_has_its_text_and_its_weight(block: Json, found: Read | None) -> None:
    """Texts count by what they say, images as one each, a PDF by its size."""
    assert read(block) == (found or Read("hello\nLease\nx", IMAGE_TOKENS))


def test_no_pdf_has_more_pages_than_the_api_takes() -> None:
    """However large it is."""
    assert read(document(type="base64", data="A" * (PAGE_BYTES * 2 * PAGES))).beside == PAGES * PAGE_TOKENS


def test_what_is_not_known_is_read_as_its_json() -> None:
    """So are the blocks of the API's own tools."""
    block = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result"}]}
    assert json.loads(read(block).text) == block


@pytest.mark.parametrize(
    ("block", "whole"),
    [
        (TEXT, False),
        ({"type": "tool_result", "tool_use_id": "c", "content": [TEXT]}, False),
        ({"type": "tool_use", "id": "c", "name": "t", "input": {}}, False),
        ({**TEXT, "citations": [{"url": "u"}]}, True),
        (IMAGE, True),
        (document(type="text", data="x"), True),
        ({"type": "tool_result", "tool_use_id": "c", "content": [TEXT, IMAGE]}, True),
    ],
    ids=["text", "result", "call", "cited", "image", "document", "result with an image"],
)
def test_what_holds_more_than_text_is_stored_as_json(block: Json, whole: bool) -> None:
    """Nothing of it is lost then."""
    assert (json.loads(stored(block)) if whole else stored(block)) == (block if whole else "")


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
    assert fault(block, role) == told


@pytest.mark.parametrize(
    ("block", "role"),
    [
        (TEXT, "user"),
        (CALL, "assistant"),
        (RESULT, "user"),
        ({"type": "tool_result", "tool_use_id": "c"}, "user"),
        ({**RESULT, "content": [TEXT, IMAGE], "is_error": True}, "user"),
        ({"type": "something_new"}, "user"),
        ({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, "assistant"),
    ],
)
def test_what_the_api_takes_passes(block: Json, role: str) -> None:
    """Sorts that are not known too."""
    assert fault(block, role) == ""


def test_cache_marks_are_counted_and_taken_off_within_results_too() -> None:
    """The block itself stays as it is."""
    block = {**RESULT, "content": [{**TEXT, **MARK}], **MARK}
    assert marks([block, TEXT]) == 2
    assert unmarked(block) == {**RESULT, "content": [TEXT]}
    assert marks([block]) == 2


def test_long_inputs_are_shortened_however_deep() -> None:
    """Short ones, numbers and names stay."""
    inputs = {"path": "a.py", "count": 3, "edits": [{"old_string": LONG, "new_string": "y"}]}
    assert shortened(inputs, "…") == {**inputs, "edits": [{"old_string": "…", "new_string": "y"}]}


@given(st.sampled_from([TEXT, IMAGE, CALL, RESULT]), st.text(max_size=20))
def test_another_text_keeps_the_sort_where_the_api_needs_it(block: Json, text: str) -> None:
    """A call stays a call, a result a result; of anything else the text alone stays, or nothing."""
    found = replaced({**block, **MARK}, text)
    if block in (CALL, RESULT):
        assert found is not None
        assert found["type"] == block["type"]
    else:
        assert found == ({"type": "text", "text": text, **MARK} if text else None)
