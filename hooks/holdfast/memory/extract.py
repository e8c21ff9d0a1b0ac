"""What of a session is worth a record that later sessions read?

Rule: decisions with their reasons, lessons and failed approaches, as the session itself marked or plainly said them;
of the user's words those that are meant for all times, and answers that say what was chosen. All comes from the
worklog, which reads no tool's output for it. The importance follows from what was said and how (`MARKS`). What is left
open: memory/open_items.py.
Sources: requirements J2, J3, J4, N.
"""

import re
from collections.abc import Mapping
from typing import Any

from holdfast.checkpoint import model
from holdfast.memory import conflicts
from holdfast.memory.draft import Draft, Said, context, draft, unmarked
from holdfast.memory.marked import marked

MARKS = {
    ("decision", "user"): 9,
    ("decision", "marked"): 8,
    ("decision", "reasoned"): 7,
    ("decision", "answer"): 4,
    ("decision", "assistant"): 5,
    ("rule", "user"): 9,
    ("learning", "assistant"): 8,
    ("learning", "user"): 8,
    ("failed", "assistant"): 6,
    ("gain", "assistant"): 6,
    ("note", "assistant"): 5,
}
"""(what was said, by whom or how) -> importance."""

_DECIDED = re.compile(r"^\W*(?:DECISION|DECIDED|ADR)\b[^:\n]{0,20}:|\bDEC-\d", re.IGNORECASE)
_RULE = re.compile(
    r"^\W*(?:(?:please|also|and|but|so|ok(?:ay)?|remember|note|important)\b[\s,:]*){0,3}"
    r"(?:(?:always|never)\s+[a-z]+|from now on\b|under no circumstances\b)"
    r"|^\W*(?:[A-Za-z][\w'-]*\s+){0,3}(?:you|we|please|must|should)\s+(?:always|never)\b"
    r"|^\W*(?:use|run|keep|do|put|write|name|ask|test|commit)\b[^:]*,? from now on\W*$"
    r"|^\W*(?:in|for) (?:this|the|our) (?:project|repo\w*|code ?base)\b.*\b(?:use|never|always|must|do ?n[o']t|only)\b",
    re.IGNORECASE,
)
"""The user's word for all times; a sentence that tells what a program never does is none."""
_ANSWER = re.compile(r'^on \d+\. .*: the user said "', re.DOTALL)
_BARE = re.compile(
    r': the user said "\W*(?:(?:yes|yep|yup|yeah|no|nope|nah|ok(?:ay)?|sure|agreed|please|fine|correct|exactly|both'
    r"|right|done|good|do it|thanks?|that)\b\W*)*\Z",
    re.IGNORECASE,
)
"""An answer that says nothing without its question, of which only the beginning is known."""
_SUPPOSED = re.compile(r"\b(?:could|would|might)\b", re.IGNORECASE)
_SETTLED = re.compile(
    r"\b(?:decided|chose|chosen|opted|settled|agreed|going with|we(?:'ll| will)|(?:decision|choice) is)\b",
    re.IGNORECASE,
)
_FIX = re.compile(r"\W*fix(?:e[sd]|ing)?\b", re.IGNORECASE)
_LEAST_WORDS = 3


def lasting(work: Mapping[str, Any]) -> list[Draft]:
    """Decisions and learnings: what holds whatever becomes of the task. Oldest first, without what was replaced."""
    said = [note for note in work["notes"] if len(str(note["text"]).split()) >= _LEAST_WORDS]
    said += [
        {"kind": kind, "text": text, "by": "assistant"}
        for kind in ("note", "gain")
        for text in marked(work, kind)
        if len(text.split()) >= _LEAST_WORDS and not any(text in str(note["text"]) for note in said)
    ]
    made = [_draft(note, dict(work)) for note in said if note["kind"] in _MAKERS]
    return _standing([draft for draft in made if draft])


def _standing(drafts: list[Draft]) -> list[Draft]:
    """Without the decisions that a later one of the same session replaced; the user's go for the user's word only."""
    decided = [(place, draft) for place, draft in enumerate(drafts) if draft["kind"] == "decision"]
    gone = {
        place for place, draft in decided if any(after > place and _replaces(later, draft) for after, later in decided)
    }
    return [draft for place, draft in enumerate(drafts) if place not in gone]


def _replaces(later: Draft, draft: Draft) -> bool:
    may = draft["trust"] != "trusted" or later["trust"] == "trusted"
    return may and conflicts.replaces(*(conflicts.Choice(str(one["content"]["decision"])) for one in (later, draft)))


def _draft(note: Mapping[str, Any], work: dict[str, Any]) -> Draft:
    return _MAKERS[str(note["kind"])](note, work)


def _decision(note: Mapping[str, Any], work: dict[str, Any]) -> Draft:
    text, by = str(note["text"]), str(note["by"])
    parts = model.decision(unmarked(text))
    if _is_none(text, parts["what"]):
        return {}
    how = "marked" if _DECIDED.search(text) else "reasoned" if parts["why"] else "assistant"
    if by == "user":
        how = "answer" if _ANSWER.match(text) else "user"
    content = {
        "decision": " instead of ".join([parts["what"], *parts["alternatives"]]),
        "rationale": parts["why"],
        "alternatives_considered": parts["alternatives"],
        "context": context(work),
    }
    return draft(Said("decision", MARKS["decision", how], by), content, work)


def _is_none(text: str, what: str) -> bool:
    """Whether it only sounds like a decision: a bare answer, or unmarked what was considered or mended."""
    if _DECIDED.search(text):
        return False
    if _ANSWER.match(text):
        return bool(_BARE.search(text))
    return bool(_FIX.match(text) or (_SUPPOSED.search(what) and not _SETTLED.search(what)))


def _rule(note: Mapping[str, Any], work: dict[str, Any]) -> Draft:
    """A wish for the task at hand is no record."""
    text = str(note["text"])
    if note["by"] != "user" or not _RULE.search(text):
        return {}
    content = {"decision": text, "rationale": "", "context": f"laid down by the user; {context(work)}"}
    return draft(Said("decision", MARKS["rule", "user"], "user", ("rule",)), content, work)


def _learning(note: Mapping[str, Any], work: dict[str, Any]) -> Draft:
    text, kind, by = str(note["text"]), str(note["kind"]), str(note["by"])
    if (kind, by) not in MARKS:  # what the user refused was refused in its moment
        return {}
    content = {"lesson": unmarked(text), "context": context(work)}
    return draft(Said("learning", MARKS[kind, by], by, () if kind == "learning" else (kind,)), content, work)


_MAKERS = {
    "decision": _decision,
    "constraint": _rule,
    "learning": _learning,
    "failed": _learning,
    "note": _learning,
    "gain": _learning,
}
