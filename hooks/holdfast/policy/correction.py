"""What must the agent be told after a compaction, so that it does not work from a wrong or thin summary?

Rule: first what the summary states differently than the record, then what is in neither summary nor packet and
binds the work: the user's requests, constraints and corrections, the step at hand, what was called off, open errors,
failed approaches, decisions. What can be looked up (files, commits, finished items) is left out when missing. At most
1,500 characters; what does not fit is counted, never cut in half. Source: requirement H8.
"""

from holdfast.core.replies import utf16_length
from holdfast.policy.fidelity import ALTERED, MISSING, STALE, Verdict
from holdfast.policy.keep import one_line

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
}
"""What is worth a message when it is missing, by kind."""


def worth_telling(verdicts: list[Verdict]) -> list[Verdict]:
    """The verdicts that a correction is made of, the most important first."""
    wrong = [one for one in verdicts if one.verdict in (ALTERED, STALE)]
    wrong = [one for one in wrong if not any(_says_it_closer(other, one) for other in wrong)]
    return wrong + [one for one in verdicts if one.verdict == MISSING and one.fact.kind in _NAMES]


def _says_it_closer(other: Verdict, one: Verdict) -> bool:
    """Whether the other is the part of this fact that the same passage alters: a rule within the goal."""
    return other.said == one.said and other.fact.text != one.fact.text and other.fact.text in one.fact.text


def text(verdicts: list[Verdict], chars: int = CHARS) -> str:
    """The message, at most `chars` UTF-16 units; "" when there is nothing to correct."""
    lines = [_line(one) for one in worth_telling(verdicts)]
    if not lines:
        return ""
    left, taken = chars - utf16_length(OPENING) - 40, []  # 40: the line that counts the rest
    for line in lines:
        if utf16_length(line) + 1 <= left:
            taken.append(line)
            left -= utf16_length(line) + 1
    rest = len(lines) - len(taken)
    return "\n".join([OPENING, *taken, *([f"- and {rest} more in the checkpoint"] if rest else [])])


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
