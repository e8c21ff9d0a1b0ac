"""What the client tells a hook: one JSON object on stdin, read into an `Event`. Fields as in Claude Code 2.1.329.

A missing or mistyped one reads as empty, because the format may change under us and a hook must not fail over it.
"""

from functools import lru_cache
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.hot import jsonc
from holdfast.text.redaction import redacted


class Event(NamedTuple):
    """One hook event. Texts are "" where the client sent none."""

    name: str
    session_id: str
    transcript_path: str
    cwd: str
    agent_id: str
    """Set only inside a sub-agent: the mark that tells its events from the main session's."""
    agent_type: str
    fields: dict[str, Any]

    def text(self, key: str) -> str:
        """A text field without its secrets, or ""; `fields` has it as it was sent."""
        value = self.fields.get(key)
        return _clean(value) if isinstance(value, str) else ""

    def mapping(self, key: str) -> dict[str, Any]:
        """An object field, or {}."""
        value = self.fields.get(key)
        return value if isinstance(value, dict) else {}

    @property
    def in_subagent(self) -> bool:
        """Whether this event belongs to a sub-agent and not to the main session."""
        return bool(self.agent_id)


_clean = lru_cache(8)(redacted)  # of a prompt of 1 MB each asker would pay .3 s


def parse_event(raw: bytes, name: str) -> Event:
    """Read a payload. Raises BadInput when it is empty, no JSON object, or of another event than `name`."""
    if not raw.strip():
        raise BadInput("stdin is empty", name, "The client sends one JSON object; run the hook through the client")
    try:
        fields = jsonc.loads(raw)
    except ValueError as error:
        raise BadInput(f"stdin is not JSON ({error})", name, "The client sends one JSON object") from None
    if not isinstance(fields, dict):
        raise BadInput(f"stdin is a JSON {type(fields).__name__}, not an object", name)
    sent = fields.get("hook_event_name")
    if sent is not None and sent != name:
        raise BadInput(f"payload is of {sent!r}", name, "Check the event in hooks.json or settings.json")
    return from_fields(fields, name)


def from_fields(fields: dict[str, Any], name: str) -> Event:
    """An Event from an already parsed payload."""
    texts = {key: value if isinstance(value := fields.get(key), str) else "" for key in Event._fields[1:-1]}
    return Event(name=name, fields=fields, **texts)
