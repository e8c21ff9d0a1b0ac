"""What came into the window between two recorded usages, and how far the window grew meanwhile.

Rows of a transcript in, one `Turn` per API message out. A transcript does not show all that was counted: the frames of
calls, the whole of the thinking, reminders that the client adds. The first two can be told from what it does show, and
their prices stand here, fitted to 5,518 growths of 45 recorded sessions (clients 1.0.17-2.1.42, Claude 4 to 4.6) by
least relative error; `holdfast bench tokens` shows what they are worth.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.hot.jsonc import sane
from holdfast.text import tokens
from holdfast.transcript import rows as transcript
from holdfast.transcript.rows import Json


class Frame:
    """Tokens that a call, each of its arguments, and a block of the user's cost beside their texts."""

    CALL, ARGUMENT, MESSAGE = 45, 15, 10


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


class ApiTurn(NamedTuple):
    """From the request of one API message to the request of the next."""

    model: str
    before: int
    """Tokens of the first request; 0 where there is none to compare with: at the start and after a compaction."""
    after: int
    added: Added
    window: int = 0
    """How many compactions came before."""
    asked: bool = False
    """Whether the user spoke before it: what a reader calls a turn begins there."""
    time: str = ""
    """When its answer began, as the row says."""


def held(usage: Json) -> int:
    """Tokens of the request that this usage is of, without its answer; 0 when it does not tell.

    The answer's own count is left out: rows that the client wrote while it streamed hold a part of it.
    """
    parts = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return sum(max(0, sane(usage.get(part))) for part in parts)


def turns(rows: Iterable[Json]) -> Iterator[ApiTurn]:
    """One per API message of the main conversation, when its request is known: at the first of its rows.

    A message that comes again later is a copy, of a session that was resumed into the same file; it is passed over.
    """
    size, model, name, thought, window = 0, "", "", 0, 0
    between: list[Json] = []
    seen: set[str] = set()
    for row in filter(transcript.is_main, rows):
        if transcript.is_boundary(row):
            size, thought, between, window = 0, 0, [], window + 1
        size_now, fresh = _size(row)
        if fresh in seen and fresh != name:
            size, between = 0, []
            continue
        if size_now and fresh != name:
            speaker = str(transcript.message(row).get("model") or "")
            asked = any(map(transcript.human_prompt, between))
            added, thought = _added(between, thought, model or speaker)
            before, time = size if speaker == model else 0, str(row.get("timestamp"))
            yield ApiTurn(speaker, before, size_now, added, window, asked, time)
            size, model, name, between = size_now, speaker, fresh, []
            seen.add(fresh)
        between.append(row)


def _added(between: list[Json], thought: int, model: str) -> tuple[Added, int]:
    """What these rows brought, and the thinking of this request and those before it that is in the window afterwards.

    thought: tokens of the thinking since the user last spoke, which the earlier sizes hold.
    """
    found: Counter[str] = Counter()
    for row in between:
        _count(found, row, tokens.family(model))
    spoken = any(map(transcript.human_prompt, between))
    thought += found["thinking"]
    older = ("3", "haiku-4", "sonnet-4-2", "sonnet-4-5", "opus-4-1", "opus-4-2")
    if spoken and model.startswith(tuple(f"claude-{name}" for name in older)):  # later ones keep what they thought
        return Added(**{**found, "dropped": thought}), 0
    return Added(**found), thought


def _size(row: Json) -> tuple[int, str]:
    """The request's tokens by an assistant's row, and its message's id; (0, "") for any other row."""
    message = transcript.message(row)
    own = message.get("model") == "<synthetic>" or row.get("isApiErrorMessage")
    size = held(transcript.part(message, "usage")) if row.get("type") == "assistant" and not own else 0
    return (size, str(message.get("id"))) if size else (0, "")


def _count(found: Counter[str], row: Json, family: str) -> None:
    """Add what one row brought, by the names of `Added`."""
    if row.get("type") == "attachment":
        content = transcript.part(row, "attachment").get("content")
        parts = content if isinstance(content, list) else [content]
        found["memory"] += tokens.estimate("\n".join(part for part in parts if isinstance(part, str)), family)
    for block in transcript.blocks(row):
        _count_block(found, block, row.get("type") == "assistant", family)


def _count_block(found: Counter[str], block: Json, assistant: bool, family: str) -> None:
    sort, text = block.get("type"), transcript.block_text(block)
    if sort == "thinking":  # recorded shortened or not at all; its signature grows with it, 0.194 tokens a character
        told, signature = (
            value if isinstance(value := block.get(key), str) else "" for key in ("thinking", "signature")
        )
        shown = tokens.estimate(told, family)
        found.update(shown=shown, thinking=max(0, int(0.194 * (len(signature) - 175))) if signature else shown)
    elif sort == "tool_use":
        inputs = transcript.part(block, "input")
        found["said"] += tokens.estimate(transcript.input_text(inputs), family)
        found["frames"] += Frame.CALL + Frame.ARGUMENT * len(inputs)
    elif sort == "tool_result":
        images = sum(one.get("type") == "image" for one in transcript.objects(block.get("content")))
        found["results"] += tokens.estimate(text, family) + tokens.IMAGE_TOKENS * images
    elif sort == "image":
        found["told"] += tokens.IMAGE_TOKENS
    elif assistant:
        found["said"] += tokens.estimate(text, family)
    else:
        found.update(told=tokens.estimate(text, family), frames=Frame.MESSAGE)
