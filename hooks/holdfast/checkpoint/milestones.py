"""When is a checkpoint due?

Rule: at a commit, green tests after edits, a finished to-do list, a sub-agent's return, and when use crosses 85 % of
the limit; for one and the same reason only once. Source: requirement H10.
"""

from collections.abc import Mapping
from typing import Any

from holdfast.checkpoint.model import Checkpoint, returns, slim
from holdfast.worklog import model as worklog
from holdfast.worklog.model import Worklog
from holdfast.worklog.plan import is_finished, items


def due(before: Checkpoint | None, work: Worklog, agents: Mapping[str, Any], tokens: int, limit: int) -> str:
    """What has been reached since the newest checkpoint; "" for nothing worth a new one. tokens: in the window."""
    old, now = before["work"] if before else worklog.empty(), slim(work)  # compared as a checkpoint keeps it
    tests_grew = now["tests"] != old["tests"] and now["changed"] != old["changed"]
    over = limit * 85
    reached = {
        "commit": bool(now["commits"]) and now["commits"] != old["commits"],
        "tests green": bool(now["tests"]) and now["tests"][-1]["ok"] and tests_grew,
        "to-do list finished": is_finished(items(now)) and not is_finished(items(old)),
        "sub-agent returned": returns(agents) > returns(before["agents"] if before else {}),
        "context over 85 %": 0 < over <= tokens * 100 and (not before or before["tokens"] * 100 < over),
    }
    return next((name for name, is_reached in reached.items() if is_reached), "")
