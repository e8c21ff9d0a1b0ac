"""What in a summary's record does the session's own record, or the world as it is now, not bear out?

Rule: W7. Only what a program can compare is compared: a rule with the user's own words, a commit with the history and
the transcript, a path with the disk and the transcript, a finished or open item with the task list, what is over with
what has failed and not worked since, a branch with the one that is checked out, what is staged with git's index, a
command in the background with its end. Each correction names its line and says what stands; prose is not judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from holdfast.checkpoint import model
from holdfast.checkpoint.sections import FAILED, error_lines, flat, says
from holdfast.text import late as re
from holdfast.text.identifiers import identifiers, names_file, occurs, paths
from holdfast.text.lines import one_line
from holdfast.text.scripts import letters
from holdfast.transcript.commands import commit_hash
from holdfast.worklog import fold, record
from holdfast.worklog.model import OpenError, Worklog
from holdfast.worklog.plan import TOLD, items
from holdfast.worklog.record import RecordLine

_STAGED = re.compile(r"(?:\A|[.;,]) {0,3}staged:")
_COMMIT = re.compile(r"(?<![\w./-])(?=[a-f]{0,39}\d)[0-9a-f]{7,40}(?![\w/-])")


class Now(NamedTuple):
    """The world as it is: the branch, "" where unknown; of this session the commits and paths that are gone; the user's
    rules of earlier sessions, as the memory has them; of what reads as a commit's id or a path what neither the history
    or the disk nor the transcript has; what is staged, None where unknown.
    """

    branch: str = ""
    commits_gone: tuple[str, ...] = ()
    paths_gone: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    staged: Sequence[str] | None = None


def commit_ids(lines: Sequence[RecordLine]) -> list[str]:
    """What may be the id of a commit; a bare number only where something is said to be done or to stand."""
    found = ((line["kind"], one) for line in lines if line["kind"] != "RULE" for one in _COMMIT.findall(line["text"]))
    return list(dict.fromkeys(one for kind, one in found if kind in ("DONE", "STATE") or not one.isdecimal()))


def files(lines: Sequence[RecordLine]) -> list[str]:
    """Paths that are told of as done, standing or found: what is to come may have a new name. "Node.js" is none."""
    told = (line["text"] for line in lines if line["kind"] in ("DONE", "STATE", "FACT"))
    return list(dict.fromkeys(path for text in told for path in paths(text) if "/" in path))


def corrections(
    lines: Sequence[RecordLine], work: Worklog, now: Now, over: Mapping[str, str] | None = None
) -> list[str]:
    """One text per line that is not borne out, in their order: "R1: …"; before them "tests: …", in the words of a line
    that says them to be over. over: id -> how that line ended.
    """
    wrong = [f"{line['id']}: {what}" for line in lines for what in _wrong(line, work, now)]
    ended = [f"{name}: {what}" for name, how in (over or {}).items() for what in _fails(name, how, work)]
    return [*_untold_run(lines, work), *wrong, *ended]


def _fails(name: str, how: str, work: Worklog) -> Iterator[str]:
    """What has failed and not worked since, of all that the line that is over names."""
    names = identifiers(" ".join([*(one["text"] for one in work["record"] if one["id"] == name), how]))
    for error in model.open_errors(work):
        if names and all(one in f"{error['at']} {error['what']}" for one in names):
            yield from _failed(error, work)


def _failed(error: OpenError, work: Worklog) -> Iterator[str]:
    lines = error_lines({**work, "errors": [error]})
    yield from (f"{FAILED.lower()}: {line[2:]}" for line in lines)


def _untold_run(lines: Sequence[RecordLine], work: Worklog) -> Iterator[str]:
    """The last test run where it failed, lines tell how things stand, and none of them of that failure."""
    last, told = [run for run in work["tests"][-1:] if not run["ok"]], flat("\n".join(line["text"] for line in lines))
    for error in model.open_errors(work) if any(line["kind"] in ("STATE", "DONE") for line in lines) else ():
        is_told = says(told, *model.failure(error)) or any(name in told for name in identifiers(error["what"]))
        if error["at"] in [run["command"] for run in last] and not is_told:
            yield from (f"tests: {what}" for what in _failed(error, work))


def _names(line: RecordLine, now: Now) -> Iterator[str]:
    for commit in now.commits_gone:
        if commit_hash(commit) and commit_hash(commit)[:7] in line["text"]:
            yield f"commit {commit_hash(commit)[:9]} is not in the history any more"
    for commit in commit_ids([line]):
        if commit in now.unseen:
            yield f"{commit} stands nowhere in this session, and is no commit of the history"
    for path in files([line]):
        if path in now.unseen:
            yield f"{one_line(path, 160)} stands nowhere in this session, and was not found"


def _as_it_is(line: RecordLine, work: Worklog, now: Now) -> Iterator[str]:
    for path in now.paths_gone:
        if line["kind"] != "DONE" and names_file(line["text"], path, work["folder"]):
            yield f"{one_line(path, 160)} is not there any more"
    for job in (job for job, command in work["jobs"].items() if not command and line["kind"] in ("STATE", "NEXT")):
        if occurs(job, line["text"]):
            yield f"the background command {job} has ended, well or not: see its output"
    named = line["text"].replace("`", " ").replace(",", " ").split()
    was = now.branch not in named and any(one in named for one in work.get("branches", ()))
    if line["kind"] == "STATE" and now.branch and was:
        yield f"the branch is {one_line(now.branch, 80)} now"
    said = _STAGED.search(line["text"]) if line["kind"] == "STATE" else None
    if said and now.staged is not None:
        yield from _staging(line["text"][said.end() :], work["folder"], now.staged)


def _staging(said: str, root: str, staged: Sequence[str]) -> Iterator[str]:
    """What is staged, where a line lists other files than these, or "nothing"; what is no list is not compared."""
    listed = said.partition(";")[0].replace("`", "").rstrip(" .")
    names = {one.strip().removeprefix(f"{root}/").removeprefix("./") for one in listed.split(",")} - {"nothing"}
    is_list = all(paths(name) == [name] for name in names)
    is_so = len(names) == len(staged) and all(any(f"/{path}".endswith(f"/{name}") for path in staged) for name in names)
    if is_list and not is_so:
        told = [one_line(path, 80) for path in staged[:8]] + [f"{len(staged) - 8} more"] * (len(staged) > 8)
        yield f"staged now: {', '.join(told) or 'nothing'}"


def _wrong(line: RecordLine, work: Worklog, now: Now) -> Iterator[str]:
    text = line["text"]
    rule = next((one["text"] for one in work["record"] if one["users"] and one["id"] == line["id"]), text)
    if rule != text and line["kind"] == record.OVER:
        yield f'the summary ended this rule ("{text}"); only the user can, so it still holds: {rule}'
    elif rule != text and line["users"]:
        yield f"the summary put another rule under this id; the earlier one still holds too: {rule}"
    elif rule != text:
        yield f"this is reworded; the user's own words hold: {rule}"
    elif line["kind"] == "RULE" and not line["users"]:
        heard = [*fold.words(work), *work["queued"], *now.rules]  # whatever the user may have said
        if not record.quotes(text, heard):
            yield "the user did not type this; it is their rule only if a command or file that they gave says so"
    yield from _names(line, now)
    yield from _as_it_is(line, work, now)
    for item in items(work):
        said, state = one_line(item["text"]).casefold(), item["status"]
        against = ("OPEN", "NEXT") if state in ("completed", "cancelled") else ("DONE",)
        is_told = letters(said) >= 12 and said in text.casefold()  # shorter ones stand in any sentence
        if is_told and line["kind"] in against:
            yield f"the to-do list has it as {TOLD.get(state, 'planned')}"
