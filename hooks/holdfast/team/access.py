"""Which agents may write what of a project's knowledge: one table, asked before a sub-agent writes.

Rule (source 000, Context Coordination Rules): the overview and the summaries are common ground, which a session's own
conversation writes; details whoever owns their document; files whoever owns them. What is decided and what is to hold
stands in a sub-agent's report, and whoever called it keeps that. A command counts by its own words, where it is told
apart from a text that names it by the shell's quotes alone: this is order among colleagues, no fence.
"""

import shlex
from collections.abc import Iterator
from typing import Literal

WRITE: dict[str, Literal["always", "owner", "never"]] = {
    "L1": "never",
    "L2": "never",
    "L3": "owner",
    "L4": "owner",
    "decision": "never",
    "issue": "always",
    "state": "always",
    "learning": "always",
}
"""Level, or kind of record (a rule is a decision) -> whether a sub-agent may write it. owner: by task or command, else
nobody's, as `coordination.mode` has it. The user and a session's own conversation are refused none."""
READS = ("search", "list", "show", "check", "export")
CLAIMS = ("claim", "release")


def of_path(path: str) -> str:
    """What stands in this file of the state folder; "" for anything else."""
    room, *steps = path.split("/")
    if room == "knowledge":
        return next((level for step in steps[:2] if (level := step.removesuffix(".md")) in ("L1", "L2", "L3")), "")
    kinds = (step[:-1] for step in steps[:-1] if step.endswith("s") and step[:-1] in WRITE)
    return next(kinds, "") if room == "memory" else ""


def of_command(command: str) -> str:
    """What a shell command writes of memory or knowledge by `holdfast`; "" for nothing. A record's change is one of
    what was decided, and so is one of a kind that is not said.
    """
    for room, verb, kind, *_ in _said(command):
        if room == "knowledge" and verb in ("build", "update"):
            return "L1"
        if room == "memory" and verb and verb not in READS:
            return kind if verb == "add" and kind in WRITE else "issue" if verb == "resolve" else "decision"
    return ""


def claimed(command: str) -> list[str]:
    """What a shell command says to `holdfast team` of ownership: claim or release, and the words behind it."""
    return [" ".join(words).rstrip() for room, *words in _said(command) if room == "team" and words[0] in CLAIMS]


def _said(command: str) -> Iterator[list[str]]:
    """The words behind each `holdfast`: eight, "" where there are fewer."""
    try:
        words = list(shlex.shlex(command, posix=True, punctuation_chars=True))
    except ValueError:  # an open quotation
        words = command.split()
    for at, word in enumerate(words):
        if word.rpartition("/")[2] == "holdfast":
            yield [*words[at + 1 : at + 9], *[""] * 8][:8]


def refused(what: str, owns: bool) -> str:
    """Why a sub-agent may not write that; "" where it may."""
    may = WRITE.get(what, "always")
    if may == "always" or (may == "owner" and owns):
        return ""
    if may == "owner":
        return f"Holdfast: {what} is written by the agent whose task says `Owns:` with its path."
    where = "in a line `CHOSE: …`" if what == "decision" else "as a finding"
    named = "decisions and rules are" if what == "decision" else f"{what} of the project's knowledge is"
    return f"Holdfast: {named} not a sub-agent's to write. Say it in your report {where}; whoever called you keeps it."
