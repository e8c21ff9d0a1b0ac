"""What in a summary's record does the session's own record, or the world as it is now, not bear out?

Rule: W7. Only what a program can compare is compared: a rule with the user's own words, a commit with the history, a
path with the disk, a finished or open item with the task list, a branch with the one that is checked out. Each
correction names its line and says what stands; nothing is judged by its prose.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from holdfast.text.identifiers import names_file
from holdfast.text.lines import one_line
from holdfast.transcript.commands import commit_hash
from holdfast.worklog import fold, record
from holdfast.worklog.model import Worklog
from holdfast.worklog.plan import items
from holdfast.worklog.record import RecordLine


class Now(NamedTuple):
    """The world as it is: the branch, "" where unknown; of this session the commits and paths that are gone; the user's
    rules of earlier sessions, as the memory has them.
    """

    branch: str = ""
    commits_gone: tuple[str, ...] = ()
    paths_gone: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


def corrections(lines: Sequence[RecordLine], work: Worklog, now: Now) -> list[str]:
    """One text per line that is not borne out, in their order: "R1: …"."""
    return [f"{line['id']}: {what}" for line in lines for what in _wrong(line, work, now)]


def _wrong(line: RecordLine, work: Worklog, now: Now) -> Iterator[str]:
    text, heard = line["text"], [*fold.words(work), *work["queued"], *now.rules]  # whatever the user may have said
    rule = next((one["text"] for one in work["record"] if one["users"] and one["id"] == line["id"]), text)
    if rule != text:
        yield f"these are not the user's words, which hold: {rule}"
    elif line["kind"] == "RULE" and not line["users"] and not record.quotes(text, heard):
        yield "its words stand in no message of the user's; take it for a note, not for a rule"
    for commit in now.commits_gone:
        if commit_hash(commit) and commit_hash(commit)[:7] in text:
            yield f"commit {commit_hash(commit)[:9]} is not in the history any more"
    for path in now.paths_gone:
        if line["kind"] != "DONE" and names_file(text, path, work["folder"]):
            yield f"{one_line(path, 160)} is not there any more"
    for item in items(work):
        said, state = one_line(item["text"]), item["status"]
        against = ("OPEN", "NEXT") if state in ("completed", "cancelled") else ("DONE",)
        if len(said) >= 12 and said in text and line["kind"] in against:  # shorter ones stand in any sentence
            yield f"the task list has it as {state.replace('_', ' ')}"
    before, named = work["branch"], text.replace("`", " ").replace(",", " ").split()
    if line["kind"] == "STATE" and now.branch and before not in ("", now.branch) and before in named:
        yield f"the branch is {one_line(now.branch, 80)} now"
