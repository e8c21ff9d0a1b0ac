"""What has a session found of an issue that the memory has as open?

Rule: a bug is seen to when a commit or a finished item of the plan names its number, a critical one by a commit alone;
a failed check when the same command works. Where only what may be that check, or hold it, ended well, the issue stays
open with that run in it, and is not told at a start any more. Sources: requirements J2, J3.
"""

from holdfast.memory.record import Record, first
from holdfast.text import identifiers
from holdfast.text import late as re
from holdfast.text.lines import one_line
from holdfast.transcript import check_runs, commands
from holdfast.transcript.outputs import passes
from holdfast.worklog import calls, plan
from holdfast.worklog.model import Run, Worklog, how_it_ended


def found(issue: Record, work: Worklog, stamp: str) -> dict[str, str]:
    """What is new of an open issue, for its record; {} for nothing."""
    if why := resolution(issue, work):
        return {"status": "resolved", "investigation_status": f"resolved {stamp}: {why}"}
    run = _its_run(issue, work) if "error" in issue.tags else None
    return {"severity": "medium", "investigation_status": f"may be over, {stamp}: {_told(run)}"} if run else {}


def _its_run(issue: Record, work: Worklog) -> Run | None:
    """The last run of the check by which an issue shows, else of what may be that or hold it; None where one of these
    fails.
    """
    shown = _shown(issue, work)

    def is_near(command: str) -> bool:
        return command == shown or check_runs.touches(command, shown)

    fails = any(is_near(error["at"]) for error in work["errors"] if "ran" not in error)
    near = [run for run in work["runs"] if run["ok"] and is_near(run["command"]) and not fails]
    return max(near, key=lambda run: (run["command"] == shown, run["n"]), default=None)


def _shown(issue: Record, work: Worklog) -> str:
    return commands.plainly(str(issue.content["reproduction_steps"]), work["root"], work["root"])


def _told(run: Run) -> str:
    return f"`{one_line(run['command'], 120)}`: {how_it_ended(run)}"


def resolution(issue: Record, work: Worklog) -> str:
    """Why it is resolved by what this session did; "" when it is not."""
    run = _its_run(issue, work)
    if run and run["command"] == _shown(issue, work) and (calls.works(run) or passes(run["end"])):
        return _told(run)
    said = first("issue", issue.content)
    ticked = (mark for mark in work["marks"] if mark["kind"] == "done" and one_line(mark["text"]) == one_line(said))
    if any(mark["by"] == "user" or issue.trust != "trusted" for mark in ticked):
        return "marked as done"
    is_critical = issue.content["severity"] == "critical"  # a plan that says "done" is no resolution of that
    return seen_to(said, work, by_plan=not is_critical)


def seen_to(text: str, work: Worklog, by_plan: bool = True) -> str:
    """The commit or the finished item of the plan that names the number in front of this; "" for none."""
    found = re.match(r"[A-Z]+-\d[^ :]*(?=:)", text)
    if not found:
        return ""
    told = [(f"commit {one}", one) for one in work["commits"]]
    told += [(f"done: {one}", one) for one in plan.finished(work)] if by_plan else []
    return next((one_line(why, 160) for why, said in told if identifiers.occurs(found[0], said)), "")
