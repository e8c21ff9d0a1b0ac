"""What the client tells a hook, what a hook answers, and the line that it leaves in the log."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.session import hook_log
from holdfast.session.event import from_fields, parse_event
from holdfast.session.reply import NOTHING, Reply, clip_utf16, encode, utf16_length


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "stdin is empty"),
        (b"\n ", "stdin is empty"),
        (b"{", "stdin is not JSON"),
        (b"\x00\x00", "stdin is not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b"[1]", "a JSON list, not an object"),
        (b"null", "a JSON NoneType, not an object"),
        (b'{"hook_event_name": "Stop"}', "payload is of 'Stop'"),
        (b'{"hook_event_name": 5}', "payload is of 5"),
    ],
    ids=["empty", "blank", "torn", "nul", "deep", "list", "null", "other event", "number"],
)
def test_bad_input_says_what_is_wrong(raw: bytes, words: str) -> None:
    with pytest.raises(BadInput, match="PostToolUse") as caught:
        parse_event(raw, "PostToolUse")
    assert words in str(caught.value)


ODD: st.SearchStrategy[Any] = st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)


@given(
    st.dictionaries(st.sampled_from(["session_id", "cwd", "agent_id", "agent_type", "transcript_path", "prompt"]), ODD)
)
def test_mistyped_fields_read_as_empty(fields: dict[str, Any]) -> None:
    event = from_fields(fields, "Stop")
    for key in ("session_id", "cwd", "agent_id", "agent_type", "transcript_path"):
        value = fields.get(key)
        assert getattr(event, key) == (value if isinstance(value, str) else "")
    assert isinstance(event.text("prompt"), str)
    assert event.mapping("prompt") == {}


def test_a_text_is_looked_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many ask for it: a prompt of a megabyte was looked through seven times."""
    text = "password\tb\n" * 30
    event = from_fields({"prompt": text}, "UserPromptSubmit")
    asked = event.text("prompt")
    monkeypatch.setattr("holdfast.text.redaction._redacted", pytest.fail)
    assert (event.text("prompt"), from_fields({"prompt": text}, "Stop").text("prompt")) == (asked, asked)


TEXT = st.text(st.characters(codec=None) | st.sampled_from("a😀é\n"), max_size=60)


@given(TEXT, st.integers(-1, 70))
def test_clip_is_the_longest_head_that_fits(text: str, limit: int) -> None:
    head = clip_utf16(text, limit)
    assert text.startswith(head)
    assert utf16_length(head) <= max(0, limit)
    assert head == text or utf16_length(text[: len(head) + 1]) > limit


def specific(**parts: object) -> dict[str, object]:
    """The part for the event E."""
    return {"hookSpecificOutput": {"hookEventName": "E", **parts}}


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Reply(user="u"), {"systemMessage": "u"}),
        (Reply(block="r"), {"decision": "block", "reason": "r"}),
        (Reply(context="c"), specific(additionalContext="c")),
        (Reply(output=""), specific(updatedToolOutput="")),
        (Reply(output=[]), specific(updatedToolOutput=[])),
        (Reply(inputs={"a": 1}), specific(updatedInput={"a": 1})),
        (Reply(deny="d"), specific(permissionDecision="deny", permissionDecisionReason="d")),
    ],
    ids=["user", "block", "context", "empty output", "empty list", "inputs", "deny"],
)
def test_each_part_has_its_place(reply: Reply, expected: object) -> None:
    """Where the client reads it; an empty replacement is still a replacement, the normal answer no output at all."""
    assert json.loads(encode(reply, "E")) == expected
    assert encode(NOTHING, "E") == ""
    assert encode(reply._replace(plain="keep this"), "PreCompact") == "keep this"
    prompt = json.loads(encode(reply, "UserPromptSubmit")).get("hookSpecificOutput", {})
    assert prompt.get("suppressOriginalPrompt", False) is bool(reply.block)


@given(st.integers(4_990, 5_010))
def test_context_stays_under_the_clients_limit(emoji: int) -> None:
    sent = json.loads(encode(Reply(context="😀" * emoji), "SessionStart"))["hookSpecificOutput"]["additionalContext"]
    assert utf16_length(sent) == min(10_000, 2 * emoji)


ENTRY = hook_log.HookRun(1_800_000_000.5, "SessionStart", "compact", 42.5, 4_000, 0)


def test_what_is_noted_is_read(tmp_path: Path) -> None:
    """Whatever kind stdin sends; torn lines are passed over, and a disk that refuses loses its own line alone."""
    assert hook_log.load(str(tmp_path)) == []
    for kind in ("compact", "a b\n../c", ""):
        hook_log.note(str(tmp_path), ENTRY._replace(kind=kind))
        hook_log.note(str(tmp_path / "none"), ENTRY)
        with (tmp_path / hook_log.NAME).open("ab") as file:
            file.write(b"1 Stop - x 1 1\n1.0 Stop\n\xff\n")
    assert hook_log.load(str(tmp_path)) == [ENTRY, ENTRY._replace(kind="a_b_.._c"), ENTRY._replace(kind="-")]
    assert not (tmp_path / "none").exists()
