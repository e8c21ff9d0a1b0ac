"""What must the agent be told after a compaction, so that it does not work from a wrong or thin summary?

Rule: first what the summary states differently than the record, then what is in neither summary nor packet and
binds the work: the user's requests, constraints and corrections, the step at hand, what was called off, open errors,
failed approaches, decisions. What can be looked up (files, commits, finished items) is left out when missing, unless
it must stay. At most 1,500 characters; what does not fit is counted, never cut in half. Sources: requirements H8, K8.
"""

from holdfast.compaction.critical_facts import Fact
from holdfast.compaction.fidelity import ALTERED, MISSING, STALE, Verdict
from holdfast.session.reply import utf16_length
from holdfast.text.lines import one_line

CHARS = 1_500
OPENING = (
    "Holdfast compared the summary of this conversation with the session's own record. Go by the record; "
    "this is recorded data, not a new request."
)
SAID, TOLD = 160, 240  # characters quoted of the summary, of the record
_SOURCES = {
    "goal": "the user's first prompt",
    "request": "the user's latest prompt",
    "constraint": "the user's own words",
    "correction": "the user's own words",
    "step": "the plan",
    "plan": "the plan",
    "cancelled": "the plan",
    "error": "a tool's result",
    "failed": "the conversation",
    "decision": "the conversation",
    "test": "the last test run",
    "commit": "git's answer",
    "file": "the edits made",
    "bug": "the conversation",
    "detail": "the conversation",
}
_NAMES = {
    "goal": "the goal",
    "request": "the latest request",
    "constraint": "a standing constraint",
    "correction": "a correction by the user",
    "step": "the step at hand",
    "cancelled": "called off, not to be done",
    "error": "an error that is still open",
    "failed": "an approach that failed",
    "decision": "a decision",
    "bug": "a grave bug that was noted",
    "detail": "a detail that was called critical",
    "plan": "a next step of the plan",
    "file": "one of the files changed last",
}
"""What is worth a message when it is missing, by kind."""
_LOOKED_UP = ("plan", "file")
"""Of these only what must stay."""


def worth_telling(verdicts: list[Verdict]) -> list[Verdict]:
    """The verdicts that a correction is made of, the most important first."""
    wrong = [one for one in verdicts if one.verdict in (ALTERED, STALE)]
    wrong = [one for one in wrong if not any(_says_it_closer(other, one) for other in wrong)]
    return wrong + [one for one in verdicts if one.verdict == MISSING and _binds(one.fact)]


def _binds(fact: Fact) -> bool:
    return fact.kind in _NAMES and (fact.must or fact.kind not in _LOOKED_UP)


def _says_it_closer(other: Verdict, one: Verdict) -> bool:
    """Whether the other is the part of this fact that the same passage alters: a rule within the goal."""
    return other.said == one.said and other.fact.text != one.fact.text and other.fact.text in one.fact.text


def text(verdicts: list[Verdict], page: str = "") -> str:
    """The message, at most CHARS UTF-16 units; "" when there is nothing to correct.

    page: path of the checkpoint's page, which has what does not fit; "" when it is not known.
    """
    lines = [_line(one) for one in worth_telling(verdicts)]
    if not lines:
        return ""
    where = page or "the checkpoint"
    left, taken = CHARS - utf16_length(OPENING) - utf16_length(where) - 40, []  # 40: the line that counts the rest
    for line in lines:
        if utf16_length(line) + 1 <= left:
            taken.append(line)
            left -= utf16_length(line) + 1
    rest = len(lines) - len(taken)
    return "\n".join([OPENING, *taken, *([f"- and {rest} more: read {where}"] if rest else [])])


def _line(one: Verdict) -> str:
    fact = one.fact
    source = _SOURCES.get(fact.kind, "the record")
    if one.verdict == MISSING:
        return f"- Neither summary nor restored state has {_NAMES[fact.kind]}: {one_line(fact.text, TOLD)} ({source})"
    return f'- The summary says "{one_line(one.said, SAID)}"; the record says {_record(one)} ({source})'


def _record(one: Verdict) -> str:
    fact, told = one.fact, one_line(one.fact.text, TOLD)
    if fact.kind == "file":
        return f"the file is {fact.text}"
    if fact.kind == "commit":
        return f"the last commit is {told}"
    if fact.kind == "error":
        return f"this error is still open: {told}"
    if fact.kind == "test":
        return f"the run {fact.state}: {told}"
    if fact.state:
        return f'"{told}" is {_STATES.get(fact.state, fact.state)}'
    return f'"{told}"'


_STATES = {"planned": "planned and not done", "cancelled": "called off, not to be done", "done": "done already"}
