"""Recorded sessions as a replay needs them: sub-agents' reports, tool results, and windows with their usage.

One pass over the main conversation of a transcript. A report is what an Agent or Task call returned, what a
`<task-notification>` brought, or, for a background agent whose notification is not recorded, the last words in
its own file under `subagents/`.
"""

import os
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.errors import BadInput
from holdfast.hot import call_log as calls
from holdfast.hot.usage_tail import context_tokens
from holdfast.transcript import rows as transcript

_NOTIFICATION = re.compile(r"<task-id>([^<]*)</task-id>.*?<result>(.*?)</result>", re.DOTALL)
_NOTE = re.compile(r"^agentId: |^<usage>")


class Report(NamedTuple):
    """One sub-agent's return and what the parent said and had around it."""

    text: str
    agent_type: str
    prompt: str
    had: str
    """The main conversation before it, whole."""
    window: str
    """The part of `had` since the last compaction: what is still before the parent's eyes."""
    used: str
    """What the parent said and put into tool calls afterwards."""


class Result(NamedTuple):
    """One tool result of the main conversation."""

    tool: str
    inputs: dict[str, Any]
    text: str
    window: int
    response: Any = None
    """As PostToolUse gets it; None for a call that failed, which that hook does not see."""
    cwd: str = ""
    """Where it was called."""


class Window(NamedTuple):
    """One context window: from the start or a compaction to the next."""

    calls: int
    grown: int
    """Tokens between its first and its last recorded usage."""
    compacted: bool


class Session(NamedTuple):
    """One transcript."""

    path: str
    model: str
    reports: tuple[tuple[int, Report], ...]
    """With the window that each fell into."""
    results: tuple[Result, ...]
    windows: tuple[Window, ...]


def transcripts(names: list[str]) -> list[str]:
    """The session files among and below `names`, sorted. Raises BadInput for what does not exist."""
    found: set[str] = set()
    for name in names:
        if os.path.isdir(name):
            found.update(_below(name))
        elif os.path.isfile(name):
            found.add(name)
        else:
            raise BadInput("no such file or folder", name, "Give a transcript (.jsonl) or a folder that holds some")
    if not found:
        raise BadInput("no transcripts in there", " ".join(names), "Transcripts are files ending in .jsonl")
    return sorted(found)


def _below(folder: str) -> Iterator[str]:
    for place, _, files in os.walk(folder):
        if os.path.basename(place) != "subagents":
            yield from (os.path.join(place, name) for name in files if name.endswith(".jsonl"))


def read_session(path: str) -> Session:
    """One transcript read. Raises BadInput when it cannot be read or holds no rows."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise BadInput(f"cannot be read ({error.strerror})", path, "Check the path and its permissions") from None
    chunk = transcript.parse_chunk(data if data.endswith(b"\n") else data + b"\n")
    if not chunk.rows:
        raise BadInput("holds no transcript rows", path, "A transcript has one JSON object per line")
    reader = _Reader(os.path.splitext(path)[0])
    for row in chunk.rows:
        reader.take(row)
    return reader.session(path)


class _Reader:
    """Collects while the rows go by."""

    def __init__(self, beside: str) -> None:
        """beside: the folder where the client keeps the session's other files."""
        self._beside = beside
        self.pieces: list[tuple[bool, str]] = []  # (the parent's own words, text)
        self.returns: list[tuple[int, int, int, str, dict[str, Any]]] = []
        self.results: list[Result] = []
        self.windows: list[Window] = []
        self.model = ""
        self._calls: dict[str, tuple[str, dict[str, Any], str]] = {}
        self._launched: dict[str, tuple[dict[str, Any], int, int, int]] = {}
        self._start = 0
        self._count, self._sizes = 0, list[int]()
        self._seen: set[str] = set()

    def take(self, row: dict[str, Any]) -> None:
        """One row."""
        if transcript.is_boundary(row):
            self._close(True)
        elif transcript.is_main(row) and row.get("type") == "assistant":
            self._assistant(row)
        elif transcript.is_main(row) and row.get("type") == "user":
            self._user(row)

    def _close(self, compacted: bool) -> None:
        grown = max(self._sizes) - self._sizes[0] if self._sizes else 0
        self.windows.append(Window(self._count, grown, compacted))
        self._start, self._count, self._sizes = len(self.pieces), 0, []

    def _assistant(self, row: dict[str, Any]) -> None:
        message = transcript.message(row)
        name, size = str(message.get("id")), context_tokens(message.get("usage"))
        model = str(message.get("model") or "")
        if model == "<synthetic>":
            size, model = 0, ""
        self.model = self.model or model
        if size and name not in self._seen:
            self._sizes.append(size)
            self._seen.add(name)
        said = transcript.assistant_text(row)
        if said:
            self.pieces.append((True, said))
        for call, tool, inputs in transcript.tool_uses(row):
            self._count += 1
            self._calls[call] = (tool, inputs, str(row.get("cwd") or ""))
            self.pieces.append((True, _values(inputs)))

    def _user(self, row: dict[str, Any]) -> None:
        for block in transcript.blocks(row):
            if block.get("type") == "tool_result":
                self._result(row, block)
            elif block.get("type") == "text":
                self._text(transcript.block_text(block))

    def _text(self, text: str) -> None:
        for agent, report in _NOTIFICATION.findall(text):
            launched = self._launched.pop(agent, None)
            if launched:
                self._return(report.strip(), launched[0])
        self.pieces.append((False, text))

    def _result(self, row: dict[str, Any], block: dict[str, Any]) -> None:
        tool, inputs, cwd = self._calls.get(str(block.get("tool_use_id")), ("", {}, ""))
        detail = row.get("toolUseResult")
        status = detail.get("status") if isinstance(detail, dict) else ""
        if tool in calls.AGENT_TOOLS and status == "async_launched" and isinstance(detail, dict):
            self._launched[str(detail.get("agentId"))] = (inputs, len(self.pieces), self._start, len(self.windows))
        elif tool in calls.AGENT_TOOLS and block.get("is_error") is not True:
            self._return(_report_text(detail if isinstance(detail, dict) and detail.get("content") else block), inputs)
        else:
            text = transcript.block_text(block)
            failed = block.get("is_error") or isinstance(detail, str)
            response = None if failed else detail or {"content": [{"type": "text", "text": text}]}
            if isinstance(response, dict) and isinstance(kept := response.get("persistedOutputPath"), str):
                moved = os.path.join(self._beside, "tool-results", os.path.basename(kept))
                response = {**response, "persistedOutputPath": kept if os.path.exists(kept) else moved}
            self.results.append(Result(tool, inputs, text, len(self.windows), response, cwd))
            self.pieces.append((False, text))

    def _return(self, text: str, inputs: dict[str, Any]) -> None:
        if text:
            self.returns.append((len(self.pieces), self._start, len(self.windows), text, inputs))

    def session(self, path: str) -> Session:
        """What was collected, with the reports of background agents that were never announced."""
        self._close(False)
        for agent, (inputs, at, start, window) in self._launched.items():
            text = _last_words(path, agent)
            if text:
                self.returns.append((at, start, window, text, inputs))
        reports = tuple(
            (window, self._report(at, start, text, inputs)) for at, start, window, text, inputs in self.returns
        )
        return Session(path, self.model, reports, tuple(self.results), tuple(self.windows))

    def _report(self, at: int, start: int, text: str, inputs: dict[str, Any]) -> Report:
        had = "\n".join(said for _, said in self.pieces[:at])
        window = "\n".join(said for _, said in self.pieces[start:at])
        used = "\n".join(said for own, said in self.pieces[at:] if own)
        kind, prompt = str(inputs.get("subagent_type") or ""), str(inputs.get("prompt") or "")
        return Report(text, kind, prompt, had, window, used)


def _values(value: Any) -> str:
    """The texts within a call's inputs."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "\n".join(filter(None, map(_values, value.values())))
    return "\n".join(filter(None, map(_values, value))) if isinstance(value, list) else ""


def _report_text(block: dict[str, Any]) -> str:
    """An Agent result without the client's own notes around it."""
    content = block.get("content")
    if not isinstance(content, list):
        return transcript.block_text(block).strip()
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str) and not _NOTE.match(text)).strip()


def _last_words(path: str, agent: str) -> str:
    """The final answer in a background agent's own file; "" when there is none."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+", agent):
        return ""
    try:
        with open(os.path.join(os.path.splitext(path)[0], "subagents", f"agent-{agent}.jsonl"), "rb") as file:
            rows = transcript.parse_chunk(file.read() + b"\n").rows
    except OSError:
        return ""
    return next((text for text in map(transcript.assistant_text, reversed(rows)) if text), "")
