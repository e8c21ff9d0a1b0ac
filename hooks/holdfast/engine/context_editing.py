"""The Messages API's own context editing: what to ask for, and what an answer says was cleared.

The API clears on its side, in the request as the model sees it; the caller goes on sending the whole. `request_edits`
gives the arguments for `client.beta.messages.create`; `cleared` tells which blocks of a window an answer's report
means, so that they are neither counted nor cleared again. When to use it: docs/decisions/0013-api-context-editing.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdfast.engine.blocks import Block, BlockKind, BlockState, Edit, Plan, tokens_of
from holdfast.errors import BadInput


def request_edits(edits: str, limit: int, act: float) -> dict[str, Any]:
    """Arguments for the beta endpoint, {} for "off"; "tools" includes "thinking".

    limit: tokens of the window; act: the share of it from which on the API clears results, a tenth at least: less
    does not pay for the cache that it breaks. Raises BadInput for an unknown name, and for "tools" without a limit.
    """
    if edits not in ("off", "thinking", "tools"):
        raise BadInput(f"{edits!r} cannot be", "edits", "Allowed: off, thinking, tools")
    if edits == "off":
        return {}
    if edits == "tools" and limit <= 0:
        raise BadInput("needs a limit that is known", "edits", 'Give the limit, or take "thinking"')
    thinking = {"type": "clear_thinking_20251015", "keep": {"type": "thinking_turns", "value": 1}}
    uses = {
        "type": "clear_tool_uses_20250919",
        "exclude_tools": ["memory"],  # what it said is wanted longer
        "trigger": {"type": "input_tokens", "value": int(limit * act)},
        "keep": {"type": "tool_uses", "value": 6},
        "clear_at_least": {"type": "input_tokens", "value": limit // 10},
    }
    found = [thinking, *([uses] if edits == "tools" else [])]
    return {"betas": ["context-management-2025-06-27"], "context_management": {"edits": found}}


def cleared(sent: Sequence[Block], management: Any) -> Plan:
    """What `answer.context_management` says was cleared and was not known to be gone; the caller goes on sending it.

    sent: the blocks of the request, in order. The API clears the oldest first, so a count says which; a turn's thinking
    is all of its thinking blocks. No changes where it is None or of another form.
    """
    counted = {
        "clear_thinking_20251015": (BlockKind.THINKING, "cleared_thinking_turns"),
        "clear_tool_uses_20250919": (BlockKind.RESULT, "cleared_tool_uses"),
    }
    plain = management.to_dict() if hasattr(management, "to_dict") else management
    edits = plain.get("applied_edits") if isinstance(plain, Mapping) else None
    found: list[Block] = []
    for edit in edits if isinstance(edits, list) else ():
        kind, field = counted.get(str(edit.get("type")), ("", "")) if isinstance(edit, Mapping) else ("", "")
        if kind and isinstance(edit.get(field), int):
            found += _oldest(sent, kind, edit[field])
    gone = [block for block in found if block.state != BlockState.PLACEHOLDER]
    changes = (Edit(block.id, None, 0, BlockState.PLACEHOLDER, "context_management") for block in gone)
    return Plan("api", tuple(changes), tokens_of(gone))


def _oldest(sent: Iterable[Block], kind: str, count: int) -> list[Block]:
    found = [block for block in sent if block.kind == kind and block.about.partition(" ")[0] != "memory"]
    first = set(list(dict.fromkeys(map(_unit, found)))[: max(0, count)])
    return [block for block in found if _unit(block) in first]


def _unit(block: Block) -> object:
    """What the API counts as one: a message's thinking, or a result."""
    return block.place[0] if block.kind == BlockKind.THINKING else block.id
