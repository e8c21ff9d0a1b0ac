"""A recorded session as messages of the Messages API, with the size that was recorded for each request.

The main conversation only. Rows of one message are put together, results that came in parallel stand in one message of
the user, and a call without its result, or a result without its call, is left out, since the API takes neither. What
the client put in (summaries, its own notes) is left out as well; where it compacted is remembered, with the size.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.engine.messages import Message, content
from holdfast.errors import BadInput
from holdfast.gauge import calibration
from holdfast.transcript import rows as transcript
from holdfast.transcript import usage as usages
from holdfast.transcript.usage import held


class Request(NamedTuple):
    """One request as it was recorded, tokens."""

    size: int
    """What was sent."""
    cached: int
    """How much of that was read from the cache."""


class Recording(NamedTuple):
    """One session."""

    path: str
    model: str
    messages: tuple[Message, ...]
    requests: Mapping[int, Request]
    """Index of an assistant message -> the request that it answers; some have none."""
    compacted: tuple[tuple[int, int], ...]
    """(index of the first message after it, size at which it happened), in order."""
    factor: float = 1.0
    """By how much this session's tokens differ from the estimate (gauge/calibration.py), from its usage."""

    def windows(self) -> "list[tuple[int, int, int]]":
        """(first message, the one behind its last, size at which it was compacted or 0 for the open one)."""
        ends = [*self.compacted, (len(self.messages), 0)]
        starts = [0, *(at for at, _ in self.compacted)]
        return [(start, end, size) for start, (end, size) in zip(starts, ends, strict=True) if end > start]


def read_recording(path: str) -> Recording:
    """One transcript read. Raises BadInput when it cannot be read."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", path, "Check the path and its permissions") from None
    return recording(transcript.parse_chunk(data if data.endswith(b"\n") else data + b"\n").rows, path)


def recording(rows: Sequence[dict[str, Any]], path: str = "") -> Recording:
    """The rows of one transcript as a session."""
    reader = _Reader()
    for row in rows:
        if transcript.is_main(row):
            reader.take(row)
    return reader.recording(path)._replace(factor=_factor(rows))


def _factor(rows: Sequence[dict[str, Any]]) -> float:
    learned = calibration.Calibration()
    for turn in usages.turns(rows):
        if turn.before and turn.added.total() >= 0:
            learned = calibration.observe(learned, turn.added.total(), turn.after - turn.before)
    return learned.factor


class _Reader:
    """Collects while the rows go by."""

    def __init__(self) -> None:
        self.model = ""
        self._messages: list[dict[str, Any]] = []
        self._names: dict[str, int] = {}
        self._answered: set[str] = set()
        self._requests: dict[int, Request] = {}
        self._compacted: list[tuple[int, int]] = []
        self._last = 0
        self._answer = -1
        """Index of the newest assistant message."""

    def take(self, row: dict[str, Any]) -> None:
        """One row of the main conversation."""
        if transcript.is_boundary(row):
            self._boundary(row)
        elif row.get("isCompactSummary") or row.get("isMeta"):
            return
        elif row.get("type") == "assistant":
            self._assistant(row)
        elif row.get("type") == "user":
            self._user(content(transcript.message(row)))

    def _boundary(self, row: dict[str, Any]) -> None:
        told = row.get("compactMetadata")
        size = told.get("preTokens") if isinstance(told, dict) else 0
        self._compacted.append((len(self._messages), size if isinstance(size, int) and size > 0 else self._last))

    def _assistant(self, row: dict[str, Any]) -> None:
        """A message that comes again later is a copy, of a session that was resumed into the same file."""
        message = transcript.message(row)
        name, model = str(message.get("id")), str(message.get("model") or "")
        blocks = [dict(block) for block in content(message)]
        if model == "<synthetic>" or row.get("isApiErrorMessage") or not blocks:
            return
        if name in self._names and self._names[name] != self._answer:
            return
        if name not in self._names and self._role(-1) != "assistant":
            self._messages.append({"role": "assistant", "content": []})
            self._answer = len(self._messages) - 1
        self._names[name] = self._answer
        self._messages[self._answer]["content"] += blocks
        self._size(self._answer, message.get("usage"))
        self.model = self.model or model

    def _size(self, index: int, usage: Any) -> None:
        if isinstance(usage, dict) and held(usage) and index not in self._requests:
            cached = usage.get("cache_read_input_tokens")
            self._last = held(usage)
            self._requests[index] = Request(self._last, cached if isinstance(cached, int) else 0)

    def _user(self, blocks: list[Mapping[str, Any]]) -> None:
        fresh = [dict(block) for block in blocks if str(block.get("tool_use_id")) not in self._answered]
        self._answered.update(str(block["tool_use_id"]) for block in fresh if block.get("type") == "tool_result")
        if fresh and self._role(-1) == "user":
            self._messages[-1]["content"] += fresh
        elif fresh:
            self._messages.append({"role": "user", "content": fresh})

    def _role(self, index: int) -> str:
        return str(self._messages[index]["role"]) if self._messages else ""

    def recording(self, path: str) -> Recording:
        """What was collected, from the user's first message to the last answer, with calls and results in pairs."""
        first = next((at for at in range(len(self._messages)) if self._role(at) == "user"), len(self._messages))
        kept = self._messages[first:]
        for before, after in zip([{}, *kept], [*kept, {}], strict=True):
            _pair(before, after)
        while kept and kept[-1]["role"] == "user":
            kept.pop()
        requests = {index - first: request for index, request in self._requests.items() if first <= index}
        compacted = tuple((min(max(0, at - first), len(kept)), size) for at, size in self._compacted)
        return Recording(path, self.model, tuple(kept), requests, compacted)


def _pair(before: dict[str, Any], after: dict[str, Any]) -> None:
    """Take out calls of `before` and results of `after` that have no partner in the other."""
    calls = {block.get("id") for block in before.get("content", ()) if block.get("type") == "tool_use"}
    results = {block.get("tool_use_id") for block in after.get("content", ()) if block.get("type") == "tool_result"}
    both = (calls & results) if before.get("role") == "assistant" else set()
    _keep(before, "tool_use", "id", both)
    _keep(after, "tool_result", "tool_use_id", both)


def _keep(message: dict[str, Any], sort: str, key: str, allowed: set[Any]) -> None:
    if message:
        kept = [block for block in message["content"] if block.get("type") != sort or block.get(key) in allowed]
        message["content"] = kept or [{"type": "text", "text": "…"}]
