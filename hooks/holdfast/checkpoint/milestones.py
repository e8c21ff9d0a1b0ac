"""When is a checkpoint due?

Rule: at a commit, green tests after edits, a finished to-do list, a sub-agent's return, and when use crosses
85 % of the limit; for one and the same reason only once. Source: requirement H10.
"""

from typing import Any

from holdfast.checkpoint.trim import slim
from holdfast.handoff import orchestrator
from holdfast.worklog import fold

CROSSING = 0.85
"""Share of the limit at which a checkpoint is due whatever else happens."""
TAIL = 2
"""Newest entries that tell whether something was added; checkpoints always keep as many."""


def milestone(before: dict[str, Any], work: dict[str, Any], agents: dict[str, Any]) -> str:
    """What has been reached since the checkpoint `before`; "" for nothing worth a new one.

    before: the newest checkpoint, {} when there is none.
    """
    old, now = fold.load(before.get("work") or {}), slim(work)  # compared in the form that a checkpoint keeps
    for name, reached in (
        ("commit", bool(now["commits"]) and _grew("commits", old, now)),
        ("tests green", _turned_green(old, now)),
        ("to-do list finished", _finished(now) and not _finished(old)),
        ("sub-agent returned", _returns(agents) > _returns(before.get("agents") or {})),
    ):
        if reached:
            return name
    return ""


def _grew(key: str, old: dict[str, Any], now: dict[str, Any]) -> bool:
    return bool(now[key][-TAIL:] != old[key][-TAIL:])


def _turned_green(old: dict[str, Any], now: dict[str, Any]) -> bool:
    runs = now["tests"]
    return bool(runs) and runs[-1]["ok"] and _grew("tests", old, now) and _grew("changed", old, now)


def _finished(work: dict[str, Any]) -> bool:
    states = {item["status"] for item in fold.plan(work)}
    return "completed" in states and states <= {"completed", "cancelled"}


def _returns(agents: dict[str, Any]) -> int:
    return int(orchestrator.load(agents)["kept_out"]["returns"])


def crossed(before: dict[str, Any], tokens: int, limit: int) -> bool:
    """Whether use has gone over CROSSING since the checkpoint `before`."""
    if limit <= 0 or tokens < limit * CROSSING:
        return False
    return not before or before.get("tokens", 0) < limit * CROSSING
