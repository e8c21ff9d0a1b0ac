"""What a session's sub-agents spent, from their own transcripts.

Each is read on from where the last look ended, so an agent that returns twice counts once, and one whose file is gone
keeps what was seen of it. What cannot be known is counted: agents that came back without a transcript, and torn ones.
"""

import os
from typing import TypedDict

from holdfast.hot.files import names_in, read_bytes, read_from, size_of
from holdfast.hot.jsonc import loads_object
from holdfast.hot.paths import InSession
from holdfast.ledger.model import Figures, spendings
from holdfast.session import folders, liveness
from holdfast.worklog import spending


class AgentSpending(TypedDict):
    """How far its transcript is read, in bytes, and what stands there; torn: rows of answers that cannot be read."""

    offset: int
    torn: int
    spent: dict[str, spending.Spent]
    answer: spending.NewestAnswer


def look(session_folder: str) -> tuple[dict[str, AgentSpending], bool]:
    """(the agents' transcripts by name as they are now, whether that is more than is noted). Nothing is written."""
    noted = loads_object(read_bytes(f"{session_folder}/{InSession.AGENTS}"))
    known = {name: one for name, one in noted.items() if _is_agent(one)}
    transcript, more = str(liveness.noted(session_folder).get("transcript") or ""), False
    for path in folders.transcripts_of_agents(transcript):
        name, size = os.path.basename(path).removesuffix(".jsonl"), size_of(path)
        agent = known.get(name) or _blank()
        known[name] = _read_on(path, size, agent) if size > agent["offset"] else agent
        more |= known[name]["offset"] > agent["offset"]
    return known, more


def _blank() -> AgentSpending:
    return {"offset": 0, "torn": 0, "spent": {}, "answer": spending.no_answer()}


def _is_agent(value: object) -> bool:
    """Whether it is whole; else the transcript is read anew."""
    if not isinstance(value, dict) or any(type(value.get(key)) is not type(one) for key, one in _blank().items()):
        return False
    answer, blank = value["answer"], spending.nothing()
    parts = [*value["spent"].values(), answer.get("spent")]
    counted = all(isinstance(part, dict) and all(type(part.get(key)) is int for key in blank) for part in parts)
    return counted and all(isinstance(answer.get(key), str) for key in ("id", "at"))


def _read_on(path: str, size: int, known: AgentSpending) -> AgentSpending:
    """Half a row at the end is left for the next look."""
    data = read_from(path, known["offset"], size - known["offset"], follow=True)
    end, torn, spent, answer = data.rfind(b"\n") + 1, known["torn"], known["spent"], known["answer"]
    for line in data[:end].split(b"\n"):
        if b'"usage"' not in line or b'"assistant"' not in line:
            continue
        row = loads_object(line)
        torn += not row
        if row.get("type") == "assistant":
            spent, answer = spending.added(spent, answer, row)
    return {"offset": known["offset"] + end, "torn": torn, "spent": spent, "answer": answer}


def figures(session_folder: str) -> Figures:
    """What they spent together, and how many there are of whom that is not known, or not all of it."""
    known, _ = look(session_folder)
    kept = (name for name in names_in(f"{session_folder}/{InSession.HANDOFFS}") if name.endswith(".handoff.md"))
    unseen = {f"agent-{name.removesuffix('.handoff.md')}" for name in kept} - known.keys()
    found: Figures = {"agents_unknown": len(unseen) + sum(one["torn"] > 0 for one in known.values())}
    for one in known.values():
        for key, count in spendings("spent_by_agents", one["spent"]).items():
            found[key] = found.get(key, 0) + count
    return found
