import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.session.event import from_fields, parse_event

PAYLOADS = sorted((Path(__file__).resolve().parents[1] / "payloads").glob("*.json"))


@pytest.mark.parametrize(
    "path", [p for p in PAYLOADS if not p.name.startswith("StatusLine")], ids=lambda path: path.stem
)
def test_recorded_payloads_are_read(path: Path) -> None:
    """Session, folder and event stand where handlers look for them."""
    event = parse_event(path.read_bytes(), path.name.split(".")[0])
    sent = json.loads(path.read_bytes())
    assert (event.session_id, event.cwd, event.transcript_path) == (
        sent["session_id"],
        sent["cwd"],
        sent["transcript_path"],
    )
    assert event.in_subagent is ("agent_id" in sent)


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
    """The error names the event and the fault."""
    with pytest.raises(BadInput, match="PostToolUse") as caught:
        parse_event(raw, "PostToolUse")
    assert words in str(caught.value)


ODD: st.SearchStrategy[Any] = st.none() | st.integers() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)


@given(
    st.dictionaries(st.sampled_from(["session_id", "cwd", "agent_id", "agent_type", "transcript_path", "prompt"]), ODD)
)
def test_mistyped_fields_read_as_empty(fields: dict[str, Any]) -> None:
    """A field of another type is "" or {}, never an error."""
    event = from_fields(fields, "Stop")
    for key in ("session_id", "cwd", "agent_id", "agent_type", "transcript_path"):
        value = fields.get(key)
        assert getattr(event, key) == (value if isinstance(value, str) else "")
    assert isinstance(event.text("prompt"), str)
    assert event.mapping("prompt") == {}
