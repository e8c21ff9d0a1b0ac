"""A recorded session as the hooks would have seen it: transcript rows turned back into events.

The client writes what happened, not what it told its hooks; both hold the same facts, so the payloads can be
built again. What the rows do not tell (parallel calls, background agents' inner life) is left out.
"""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

AGENT_TOOLS = ("Agent", "Task")
NOT_PROMPTS = ("<command-", "<local-command", "[Request interrupted", "Caveat: The messages below")
Row = dict[str, Any]

CARRIED = Path(__file__).resolve().parents[2] / "examples" / "session" / "recorded.tar.xz"


def carried(folder: Path) -> Path:
    """The recorded session that the project carries, unpacked there."""
    with tarfile.open(CARRIED) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", lambda member, _: member)  # 3.11.4
        packed.extractall(folder)  # noqa: S202 - our own archive
    return next(folder.glob("*.jsonl"))


class Moment(NamedTuple):
    """Something that happens in a session: an event with its own fields, or a row of the transcript."""

    event: str  # "" when only the transcript grows
    fields: Row
    line: bytes = b""


def read_rows(path: Path) -> list[tuple[bytes, Row]]:
    """The lines of a transcript with their values; a torn or foreign line has an empty value."""
    rows: list[tuple[bytes, Row]] = []
    for line in path.read_bytes().splitlines(keepends=True):
        try:
            row = json.loads(line)
        except ValueError:
            row = {}
        rows.append((line, row if isinstance(row, dict) else {}))
    return rows


def moments(path: Path) -> Iterator[Moment]:
    """What happens in this session, in order."""
    rows = read_rows(path)
    yield Moment("SessionStart", {"source": "startup"})
    teller = _Teller(path, rows)
    for place in range(len(rows)):
        yield from teller.row(place)
    yield from teller.end_turn()
    yield Moment("SessionEnd", {"reason": "other"})


class _Teller:
    """Walks through the rows and remembers what later rows refer to."""

    def __init__(self, path: Path, rows: list[tuple[bytes, Row]]) -> None:
        self.path, self.rows = path, rows
        self.calls: dict[str, Row] = {}
        self.said = ""
        self.in_turn = False

    def row(self, place: int) -> Iterator[Moment]:
        line, row = self.rows[place]
        before, after = list(self._before(place, row)), list(self._after(row))
        yield from before
        yield Moment("", {}, line)
        yield from after

    def end_turn(self) -> Iterator[Moment]:
        if self.in_turn:
            self.in_turn = False
            yield Moment("Stop", {"stop_hook_active": False, "last_assistant_message": self.said})

    def _before(self, place: int, row: Row) -> Iterator[Moment]:
        """Events that the client fires before it writes the row."""
        if row.get("isSidechain"):
            return
        if row.get("subtype") == "compact_boundary":
            yield from self._compaction(place, row)
        elif row.get("type") == "user":
            prompt = prompt_of(row)
            if prompt:
                yield from self.end_turn()
                self.in_turn = True
                yield Moment("UserPromptSubmit", {"prompt": prompt})
            for block in blocks_of(row):
                if block.get("type") == "tool_result":
                    yield from self._result(row, block)

    def _after(self, row: Row) -> Iterator[Moment]:
        """Events that follow a row: the calls that an answer asks for."""
        if row.get("type") != "assistant" or row.get("isSidechain"):
            return
        for block in blocks_of(row):
            if block.get("type") == "text":
                self.said = str(block.get("text", ""))
            elif block.get("type") == "tool_use":
                self.calls[str(block.get("id"))] = block
                yield Moment("PreToolUse", _call(block))

    def _result(self, row: Row, block: Row) -> Iterator[Moment]:
        call = self.calls.get(str(block.get("tool_use_id")))
        if call is None:
            return
        response = row.get("toolUseResult")
        if block.get("is_error") or isinstance(response, str):
            yield Moment("PostToolUseFailure", {**_call(call), "error": text_of(block.get("content"))})
            return
        if call.get("name") in AGENT_TOOLS:
            yield from self._agent(call, block, response)
        response = response if response is not None else {"content": [_text(text_of(block.get("content")))]}
        seen = text_of(block.get("content"))
        yield Moment("PostToolUse", {**_call(call), "tool_response": response, "duration_ms": 0, "_seen": seen})

    def _agent(self, call: Row, block: Row, response: object) -> Iterator[Moment]:
        known = response if isinstance(response, dict) else {}
        if known.get("status") == "async_launched":
            return
        inner = call.get("input") if isinstance(call.get("input"), dict) else {}
        kind = known.get("agentType") or (inner or {}).get("subagent_type") or "general-purpose"
        agent = {"agent_id": str(known.get("agentId") or call.get("id")), "agent_type": str(kind)}
        report = text_of(known.get("content")) or text_of(block.get("content"))
        folder = self.path.with_suffix("") / "subagents"
        stop = {
            "agent_transcript_path": str(folder / f"agent-{agent['agent_id']}.jsonl"),
            "last_assistant_message": report,
        }
        yield Moment("SubagentStart", agent)
        yield Moment("SubagentStop", {**agent, **stop, "stop_hook_active": False})

    def _compaction(self, place: int, row: Row) -> Iterator[Moment]:
        trigger = (row.get("compactMetadata") or {}).get("trigger", "auto")
        words, summary = None, ""
        for _, later in self.rows[place + 1 : place + 6]:
            text = text_of((later.get("message") or {}).get("content"))
            if later.get("isCompactSummary"):
                summary = text
            if "<command-args>" in text and trigger == "manual":
                words = text.partition("<command-args>")[2].partition("</command-args>")[0] or None
        if trigger == "manual":
            yield from self.end_turn()
        yield Moment("PreCompact", {"trigger": trigger, "custom_instructions": words})
        yield Moment("SessionStart", {"source": "compact"})
        yield Moment("PostCompact", {"trigger": trigger, "compact_summary": summary})


def blocks_of(row: Row) -> list[Row]:
    """The content blocks of a message row."""
    message = row.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def text_of(content: object) -> str:
    """The text of a message's or result's content, whichever shape it has."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = [b.get("text") for b in content if isinstance(b, dict) and b.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def prompt_of(row: Row) -> str:
    """What the user typed; empty for everything that the client itself put in a user row."""
    if row.get("isMeta") or row.get("isCompactSummary") or row.get("isSidechain"):
        return ""
    message = row.get("message")
    text = text_of(message.get("content") if isinstance(message, dict) else None)
    return "" if text.startswith(NOT_PROMPTS) else text


def _text(text: str) -> Row:
    return {"type": "text", "text": text}


def _call(block: Row) -> Row:
    return {
        "tool_name": block.get("name", ""),
        "tool_input": block.get("input", {}),
        "tool_use_id": block.get("id", ""),
    }
