"""What has a session found of an issue that the memory has as open?

Rule: a bug is seen to when a commit or a finished item of the plan names its number, a critical one by a commit alone;
a failed check when the same command works. Where only what may be that check, or hold it, ended well, the issue stays
open with that run in it, and is told at no start until the same command fails again. Sources: requirements J2, J3.
"""

from holdfast.memory.record import Record, first
from holdfast.text import identifiers
from holdfast.text import late as re
from holdfast.text.lines import one_line
from holdfast.transcript import check_runs, commands
from holdfast.worklog import plan
from holdfast.worklog.model import Run, Worklog, as_told, may_answer, works

DOUBT = "may be over"


def found(issue: Record, work: Worklog, stamp: str) -> dict[str, str]:
    """What is new of an open issue, for its record; {} for nothing."""
    run = _its_run(issue, work)
    if why := _resolution(issue, work, run):
        return {"status": "resolved", "investigation_status": f"resolved {stamp}: {why}"}
    severity, is_doubted = issue.content["severity"], str(issue.content["investigation_status"]).startswith(DOUBT)
    if is_doubted and any(error["at"] == _shown(issue, work) for error in work["errors"]):
        return {"severity": "high", "investigation_status": f"failed again, {stamp}"}
    if not run or "error" not in issue.tags or severity != "high":
        return {}
    return {"severity": "medium", "investigation_status": f"{DOUBT}, {stamp}: {as_told(run)}"}


def _its_run(issue: Record, work: Worklog) -> Run | None:
    """The last run of the check by which an issue shows, else of what may be that or hold it; None where one of these
    fails, or ran on other sources.
    """
    shown = _shown(issue, work)

    def is_near(command: str) -> bool:
        return command == shown or check_runs.touches(command, shown)

    fails = any(is_near(error["at"]) for error in work["errors"] if "answered" not in error or error["at"] == shown)
    here = [run for run in work["runs"] if may_answer(run, shown) and not 0 < work["away"] <= run["n"] and not fails]
    near = [run for run in here if is_near(run["command"])]
    return max(near, key=lambda run: (run["command"] == shown, run["n"]), default=None)


def _shown(issue: Record, work: Worklog) -> str:
    return commands.plainly(str(issue.content["reproduction_steps"]), work["root"], work["root"])


def _resolution(issue: Record, work: Worklog, run: Run | None) -> str:
    """Why it is resolved by what this session did; "" when it is not. run: its last one."""
    if run and run["command"] == _shown(issue, work) and works(run):
        return as_told(run)
    said = first("issue", issue.content)
    ticked = (mark for mark in work["marks"] if mark["kind"] == "done" and one_line(mark["text"]) == one_line(said))
    if any(mark["by"] == "user" or issue.trust != "trusted" for mark in ticked):
        return "marked as done"
    is_critical = issue.content["severity"] == "critical"  # a plan that says "done" is no resolution of that
    return seen_to(said, work, by_plan=not is_critical)


def seen_to(text: str, work: Worklog, by_plan: bool = True) -> str:
    """The commit or the finished item of the plan that names the number in front of this; "" for none."""
    number = re.match(r"[A-Z]+-\d[^ :]*(?=:)", text)
    if not number:
        return ""
    told = [(f"commit {one}", one) for one in work["commits"]]
    told += [(f"done: {one}", one) for one in plan.finished(work)] if by_plan else []
    return next((one_line(why, 160) for why, said in told if identifiers.occurs(number[0], said)), "")
