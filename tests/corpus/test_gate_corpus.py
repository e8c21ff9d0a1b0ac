"""How often the gate would speak on recorded sessions: HOLDFAST_DATA, else ../shared/data beside the checkout."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from benchmarks.replay import sessions
from holdfast.handoff import fanout, running_agents
from holdfast.hot.call_log import AGENT_TOOLS
from holdfast.session.context import open_session
from holdfast.session.event import from_fields
from holdfast.transcript import rows

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("HOLDFAST_DATA") or ROOT.parent / "shared" / "data") / "transcripts"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no recorded sessions at {DATA}; set HOLDFAST_DATA to a folder with transcripts/"
)


class Launch(NamedTuple):
    """One call of the Agent tool: what came before its message, and in which turn."""

    before: bytes
    call: str
    inputs: dict[str, Any]
    turn: str


def launched(path: Path) -> Iterator[Launch]:
    """The launches of a session. A message is as many rows as it has blocks; all its launches see what stood before."""
    data, offset, begun, message, turn = path.read_bytes(), 0, 0, "", ""
    for line in data.splitlines(keepends=True):
        for row in rows.parse_chunk(line).rows:
            turn = str(row.get("uuid")) if rows.human_prompt(row) else turn
            if row.get("type") == "assistant" and str(rows.message(row).get("id")) != message:
                message, begun = str(rows.message(row).get("id")), offset
            if rows.is_main(row):
                uses = (use for use in rows.tool_uses(row) if use[1] in AGENT_TOOLS)
                yield from (Launch(data[:begun], call, inputs, turn) for call, _, inputs in uses)
        offset += len(line)


def spoken(path: Path, project: Path) -> list[str]:
    """What the gate says to each launch of a session, "" for nothing."""
    found, copy = [], project / "transcript.jsonl"
    for launch in launched(path):
        copy.write_bytes(launch.before)
        fields = {"session_id": "s", "transcript_path": str(copy), "cwd": str(project), "prompt_id": launch.turn}
        event = from_fields({**fields, "tool_use_id": launch.call, "tool_input": launch.inputs}, "PreToolUse")
        background = launch.inputs.get("run_in_background") is True
        session = open_session(event, 1_800_000_000.0)
        refusal = fanout.judged(event, session, running_agents.note(event, session, background))
        found.append(refusal.text if refusal else "")
    return found


def test_the_gate_hardly_ever_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the launches of real sessions, many of them side by side, fewer than one in twenty."""
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    told: list[str] = []
    for number, file in enumerate(sessions.transcripts([str(DATA)])):
        project = tmp_path / str(number)
        project.mkdir()
        told += spoken(Path(file), project)
    assert len(told) >= 60
    assert sum(map(bool, told)) < len(told) / 20, json.dumps([one for one in told if one], indent=1)
