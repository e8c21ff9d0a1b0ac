"""How does a checkpoint read to a person?

Rule: the same facts as its JSON, as a page: what is worked on, where it stands, what is open. Source: W1.
"""

from typing import Any

from holdfast.policy import orchestrator, worklog
from holdfast.policy.restore import Known, sections_of_work


def readable(data: dict[str, Any]) -> str:
    """The checkpoint as Markdown."""
    known = Known(data, data["agents"], "", 0.0, (), "", str(data.get("reports") or ""))
    lines = [
        f"# Checkpoint of {data['stamp']}",
        "",
        f"Session {data['session']}; reason: {data['reason']}; {data['calls']} tool calls; "
        f"{data['tokens']:,} tokens in the window" + (f" of {data['limit']:,}." if data["limit"] else "."),
        _place(data["environment"]),
    ]
    for title, body in sections_of_work(known):
        if body:
            lines += ["", f"## {title}", *body]
    return "\n".join(lines) + "\n"


def _place(environment: dict[str, str]) -> str:
    branch, commit = environment.get("branch"), environment.get("commit", "")[:9]
    return f"Branch {branch or '(none)'}, commit {commit or '(none)'}."


def milestone(before: dict[str, Any], work: dict[str, Any], agents: dict[str, Any]) -> str:
    """What has been reached since the checkpoint `before`; "" for nothing worth a new one.

    before: the newest checkpoint, {} when there is none.
    """
    old = worklog.load(before.get("work") or {})
    for name, reached in (
        ("commit", _grew(old["commits"], work["commits"])),
        ("tests green", _turned_green(old, work)),
        ("to-do list finished", _finished(work) and not _finished(old)),
        ("sub-agent returned", _returns(agents) > _returns(before.get("agents") or {})),
    ):
        if reached:
            return name
    return ""


def _grew(old: list[str], new: list[str]) -> bool:
    return bool(new) and new != old


def _turned_green(old: dict[str, Any], work: dict[str, Any]) -> bool:
    runs = work["tests"]
    return bool(runs) and runs[-1]["ok"] and runs != old["tests"] and work["changed"] != old["changed"]


def _finished(work: dict[str, Any]) -> bool:
    plan = worklog.plan(work)
    return bool(plan) and all(item["status"] == "completed" for item in plan)


def _returns(agents: dict[str, Any]) -> int:
    return int(orchestrator.load(agents)["kept_out"]["returns"])


CROSSING = 0.85
"""Share of the limit at which a checkpoint is due whatever else happens (requirement H10)."""


def crossed(before: dict[str, Any], tokens: int, limit: int) -> bool:
    """Whether use has gone over CROSSING since the checkpoint `before`."""
    if limit <= 0 or tokens < limit * CROSSING:
        return False
    return not before or before.get("tokens", 0) < limit * CROSSING
