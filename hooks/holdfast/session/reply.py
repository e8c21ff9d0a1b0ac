"""What a hook answers: a value, and its one encoding for the client.

`context` reaches the model, `user` only the person at the screen, `plain` stands on stdout as it is (the
summariser's instructions at PreCompact), `block` sends an agent back to work (or drops a notification) with
a reason, `output` replaces a tool's result, `inputs` a call's arguments, `deny` keeps a call from being made. An empty
Reply is the normal answer and prints nothing at all.
"""

import itertools
from typing import Any, NamedTuple

from holdfast.hot import jsonc
from holdfast.text.redaction import redacted


class Reply(NamedTuple):
    """One answer. At most one of `plain` and the JSON parts is used."""

    context: str = ""
    user: str = ""
    plain: str = ""
    block: str = ""
    output: Any = None
    inputs: dict[str, Any] | None = None
    deny: str = ""


NOTHING = Reply()


def encode(reply: Reply, event: str) -> str:
    """Text for stdout; "" when there is nothing to say."""
    if reply.plain:
        return redacted(reply.plain)
    body: dict[str, Any] = {}
    if reply.block:
        body.update(decision="block", reason=redacted(reply.block))
    if reply.user:
        body["systemMessage"] = redacted(reply.user)
    parts = {
        # above 10,000 UTF-16 units the client shows 2 KB and a path (2.1.329)
        "additionalContext": clip_utf16(redacted(reply.context), 10_000) or None,
        "updatedToolOutput": reply.output,
        "updatedInput": reply.inputs,
        "permissionDecision": "deny" if reply.deny else None,
        "permissionDecisionReason": redacted(reply.deny) or None,
        "suppressOriginalPrompt": (bool(reply.block) and event == "UserPromptSubmit") or None,
    }
    specific = {key: part for key, part in parts.items() if part is not None}
    if specific:
        body["hookSpecificOutput"] = {"hookEventName": event, **specific}
    return jsonc.dumps(body) if body else ""


def encode_context(context: str, event: str) -> str:
    """As `encode`, of what has no secrets: a text of ours, or one that was redacted."""
    specific = {"hookEventName": event, "additionalContext": clip_utf16(context, 10_000)}
    return jsonc.dumps({"hookSpecificOutput": specific})


def utf16_length(text: str) -> int:
    """Length as the client measures it: UTF-16 units, so an emoji counts twice."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def clip_utf16(text: str, limit: int) -> str:
    """The longest head of `text` that has at most `limit` UTF-16 units."""
    if utf16_length(text) <= limit:
        return text
    ends = itertools.accumulate(1 + (character > "\uffff") for character in text)
    return text[: sum(end <= limit for end in ends)]
