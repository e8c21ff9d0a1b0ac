"""What came into the window between two recorded usages, and how far the window grew meanwhile.

Rows of a transcript in, one `Turn` per API message out. A transcript does not show all that was counted: the frames of
calls, the whole of the thinking, reminders that the client adds. The first two can be told from what it does show, and
their prices stand here, fitted to 5,518 growths of 45 recorded sessions (clients 1.0.17-2.1.42, Claude 4 to 4.6) by
least relative error; `holdfast bench tokens` shows what they are worth.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from holdfast.text import tokens
from holdfast.transcript import rows as transcript

CALL_FRAME, ARGUMENT_FRAME, MESSAGE_FRAME = 45, 15, 10
"""Tokens that a call, each of its arguments, and a block of the user's cost beside their texts."""
SIGNED_TOKENS, SIGNATURE_HEAD = 0.194, 175
"""Thinking is recorded shortened or not at all; its signature grows with it: tokens a character, after a head."""
_OLDER = ("3", "haiku-4", "sonnet-4-2", "sonnet-4-5", "opus-4-1", "opus-4-2")
FORGETFUL = tuple(f"claude-{name}" for name in _OLDER)
"""Models of which the API drops the thinking of earlier requests when the user speaks; later ones keep it."""


class Added(NamedTuple):
    """Estimated tokens of what came in, by what it is."""

    said: int = 0
    """The assistant's texts and what it handed to its tools."""
    results: int = 0
    told: int = 0
    """The user's texts, and what the client says in the user's place."""
    memory: int = 0
    """What hooks and instruction files put in."""
    frames: int = 0
    """Around calls, arguments and messages; no text of the transcript."""
    thinking: int = 0
    """From its signature where it has one."""
    dropped: int = 0
    """Thinking that left the window."""
    shown: int = 0
    """Thinking as far as its text is recorded; no part of the sum."""

    def text(self) -> int:
        """What the visible texts alone come to."""
        return self.said + self.results + self.told + self.memory + self.shown

    def total(self) -> int:
        """The best estimate of the growth without knowledge of this project; negative when more thinking left."""
        return self.said + self.results + self.told + self.memory + self.frames + self.thinking - self.dropped


class Turn(NamedTuple):
    """From the request of one API message to the request of the next."""

    model: str
    before: int
    """Tokens of the first request; 0 where there is none to compare with: at the start and after a compaction."""
    after: int
    added: Added
    window: int = 0
    """How many compactions came before."""


def held(usage: Mapping[str, Any]) -> int:
    """Tokens of the request that this usage is of, without its answer; 0 when it does not tell.

    The answer's own count is left out: rows that the client wrote while it streamed hold a part of it.
    """
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    values = (usage.get(part) for part in parts)
    return sum(value for value in values if isinstance(value, int) and value > 0)


def turns(rows: Iterable[dict[str, Any]]) -> Iterator[Turn]:
    """One per API message of the main conversation, when its request is known: at the first of its rows.

    A message that comes again later is a copy, of a session that was resumed into the same file; it is passed over.
    """
    size, model, name, thought, window = 0, "", "", 0, 0
    between: list[dict[str, Any]] = []
    seen: set[str] = set()
    for row in filter(transcript.is_main, rows):
        if transcript.is_boundary(row):
            size, thought, between, window = 0, 0, [], window + 1
        usage, fresh = _usage(row)
        if fresh in seen and fresh != name:
            size, between = 0, []
            continue
        if usage and fresh != name:
            now, speaker = held(usage), str(transcript.message(row).get("model") or "")
            added, thought = _added(between, thought, model or speaker)
            yield Turn(speaker, size if speaker == model else 0, now, added, window)
            size, model, name, between = now, speaker, fresh, []
            seen.add(fresh)
        between.append(row)


def _added(between: list[dict[str, Any]], thought: int, model: str) -> tuple[Added, int]:
    """What these rows brought, and the thinking of this request and those before it that is in the window afterwards.

    thought: tokens of the thinking since the user last spoke, which the earlier sizes hold.
    """
    found: Counter[str] = Counter()
    for row in between:
        found.update(_brought(row, tokens.family(model)))
    spoken = found.pop("prompts", 0)
    thought += found["thinking"]
    if not (spoken and model.startswith(FORGETFUL)):
        return Added(**found), thought
    return Added(**{**found, "dropped": thought}), 0


def _usage(row: dict[str, Any]) -> tuple[Mapping[str, Any], str]:
    """The usage of an assistant's row and its message's id; ({}, "") for any other row, and for the client's errors."""
    message = transcript.message(row)
    usage = message.get("usage")
    if row.get("type") != "assistant" or not isinstance(usage, dict) or not held(usage):
        return {}, ""
    if message.get("model") == "<synthetic>" or row.get("isApiErrorMessage"):
        return {}, ""
    return usage, str(message.get("id"))


def _brought(row: dict[str, Any], family: str) -> Counter[str]:
    """What one row adds, by the names of `Added`; "prompts" for what the user typed."""
    found: Counter[str] = Counter(prompts=int(bool(transcript.human_prompt(row))))
    if row.get("type") == "attachment":
        found["memory"] += tokens.estimate(_attached(row), family)
    for block in transcript.blocks(row):
        _add(found, block, row.get("type") == "assistant", family)
    return found


def _attached(row: dict[str, Any]) -> str:
    attached = row.get("attachment")
    content = attached.get("content") if isinstance(attached, dict) else ""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part for part in parts if isinstance(part, str))


def _add(found: Counter[str], block: dict[str, Any], assistant: bool, family: str) -> None:
    sort, text = block.get("type"), transcript.block_text(block)
    if sort == "thinking":
        told, signature = (
            value if isinstance(value := block.get(key), str) else "" for key in ("thinking", "signature")
        )
        shown = tokens.estimate(told, family)
        signed = max(0, int(SIGNED_TOKENS * (len(signature) - SIGNATURE_HEAD)))
        found.update(shown=shown, thinking=signed if signature else shown)
    elif sort == "tool_use":
        given = block.get("input")
        inputs = given if isinstance(given, dict) else {}
        found["said"] += tokens.estimate(transcript.input_text(inputs), family)
        found["frames"] += CALL_FRAME + ARGUMENT_FRAME * len(inputs)
    elif sort == "tool_result":
        found["results"] += tokens.estimate(text, family) + tokens.IMAGE_TOKENS * _images(block)
    elif sort == "image":
        found["told"] += tokens.IMAGE_TOKENS
    elif assistant:
        found["said"] += tokens.estimate(text, family)
    else:
        found["told"] += tokens.estimate(text, family)
        found["frames"] += MESSAGE_FRAME


def _images(block: dict[str, Any]) -> int:
    content = block.get("content")
    parts = content if isinstance(content, list) else []
    return sum(isinstance(part, dict) and part.get("type") == "image" for part in parts)
