"""The files of the work with what speaks for each, by their loading score.

Rule: what the session did says what counts: named in what is asked, among the last five changed, part of something
open, changed lately, and how it stands to the file that was changed last. 70 and more is told whole where there is room
(package/loading.py). Nothing is taken from a file's name: `core` and `helper` stay for callers who know.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from holdfast.checkpoint import model
from holdfast.package import loading
from holdfast.package.parts import ScoredFile
from holdfast.text import identifiers
from holdfast.text.lines import age, counted
from holdfast.text.tokens import estimate
from holdfast.worklog.model import Worklog

AT_MOST = 10_000
"""Tokens of a file that is told whole; of a larger one only the beginning is read."""


class FileOnDisk(NamedTuple):
    """A file as it lies there; path: from the project's folder on, or whole; age: in seconds, None where it is gone or
    not looked at.
    """

    path: str
    text: str = ""
    age: float | None = None
    is_gone: bool = False
    owned: bool = False
    """By the agent that hands over."""


def scored(work: Worklog, found: Sequence[FileOnDisk], root: str, asked: str, room: int) -> tuple[ScoredFile, ...]:
    """By their score, the highest first. root: the project's folder; room: tokens of the package."""
    changed = [path.removeprefix(f"{root}/") for path in work["changed"]]
    task = _named([asked, *(prompt["text"] for prompt in model.in_force(work)), model.task(work)])
    trouble = _named(_trouble(work))
    active = next((one for one in found if changed and one.path == changed[-1]), FileOnDisk(""))
    files = {
        one.path: loading.File(
            one.path,
            estimate(one.text),
            mentioned=f"{root}/{one.path}".endswith(task),
            just_changed=one.path in changed[-5:],
            open_issue=f"{root}/{one.path}".endswith(trouble),
            age=one.age,
            relation=_relation(one, active),
        )
        for one in found
    }
    lying, known = {one.path: one for one in found}, []
    for placed in loading.plan(files.values(), room):
        one = lying[placed.path]
        is_whole = placed.mode != "on_demand" and placed.tokens <= AT_MOST
        text = one.text if is_whole else ""
        known.append(ScoredFile(placed, _why(work, one, files[one.path], root), text, one.path in changed or one.owned))
    return tuple(known)


def _named(texts: Iterable[str]) -> tuple[str, ...]:
    """How whole paths end that these texts name; people leave out folders."""
    return tuple(f"/{path.removeprefix('./').removeprefix('/')}" for text in texts for path in identifiers.paths(text))


def _trouble(work: Worklog) -> list[str]:
    """What is open."""
    lines = (line["text"] for line in work["record"] if line["kind"] in ("OPEN", "NEXT"))
    errors = (text for one in model.open_errors(work) for text in (one["at"], one["what"]))
    tasks = model.tasks(work)
    return [*lines, *errors, *tasks["in_progress"], *tasks["planned"]]


def _relation(one: FileOnDisk, active: FileOnDisk) -> str:
    """How a file stands to the one that was changed last, by the names in their texts."""
    if not active.path or one.path == active.path:
        return ""
    if _names(active.text, one.path):
        return "direct"
    return "importer" if _names(one.text, active.path) else ""


def _names(text: str, path: str) -> bool:
    """Whether a text names a file with its folder, as a path or as a module."""
    folder, _, name = path.rpartition("/")
    stem, parent = name.partition(".")[0], folder.rpartition("/")[2]
    forms = (name, f"{parent}/{stem}", f"{parent}.{stem}") if parent else (name,)
    return bool(stem) and any(identifiers.occurs(form, text) for form in forms)


def _why(work: Worklog, one: FileOnDisk, file: loading.File, root: str) -> str:
    """What was done with a file, and the signs that it was scored by."""
    whole = f"{root}/{one.path}"
    edit, is_read = work["edits"].get(whole), whole in work["read"] or one.path in work["read"]
    signs = {
        "mentioned": "named in what is asked",
        "just_changed": "among the last changed",
        "open_issue": "part of something open",
        "direct": "named by the file that was changed last",
        "importer": "names the file that was changed last",
    }
    told = {
        "owned": one.owned,
        f"changed {counted(edit['times'], 'time')} in this session" if edit else "": bool(edit),
        "read": is_read and not edit,
        "not there now": one.is_gone,
        f"last changed {age(file.age or 0)} ago": file.age is not None,
        f"{file.tokens:,} tokens" if file.tokens <= AT_MOST else f"over {AT_MOST:,} tokens": file.tokens > 0,
        **{said: getattr(file, sign, False) or file.relation == sign for sign, said in signs.items()},
    }
    return ", ".join(said for said, holds in told.items() if holds)
