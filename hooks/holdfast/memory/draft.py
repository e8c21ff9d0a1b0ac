"""In which form does what was said become a record?

Rule: title and key come from the content's first field; what the text names (files, and names with the file that the
session saw them in) becomes its places and tags; whoever said it decides the trust: the user's words are trusted, an
assistant's half, a tool's not at all. From the importance follows how long a record is kept: 8-10 for good, 5-7 for 30
days, 1-4 for 7 (memory/supersession.py names the exceptions). Sources: requirements J1, J3, N.
"""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.memory.record import first
from holdfast.text import identifiers
from holdfast.text.lines import clip, one_line

Draft = dict[str, Any]
"""Fields of a record that follow from what was said: kind, title, content, tags, importance, trust, agent, paths."""
TITLE, CONTEXT, PATHS, TAGS = 100, 160, 8, 6
TRUST = {"user": "trusted", "assistant": "semi_trusted", "tool": "untrusted"}
"""Who said it -> how far it is trusted."""
KEPT_DAYS = ((8, 0), (5, 30), (1, 7))
"""Importance from which on, days that a record is kept; 0 is for good."""
_MARK = re.compile(
    r"^\W*(?:DECISION|DECIDED|ADR|BUG|TODO|FIXME|NEXT|lessons?(?: learned)?|learned|learning|takeaway|key insight"
    r"|gotcha|failed(?: approach(?:es)?| attempts?)?)(?::|\b[^:\n]{0,20}:)\s*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+")


class Said(NamedTuple):
    """What kind of thing was said, how important it is, by whom (user, assistant, tool), tags that it has anyway."""

    kind: str
    importance: int
    by: str
    tags: tuple[str, ...] = ()


def days(importance: int) -> int:
    """How long a record of this importance is kept, 0 for good."""
    return next(kept for least, kept in KEPT_DAYS if importance >= least)


def unmarked(text: str) -> str:
    """The text without the marker that it was noted by; a number in it stays ("BUG-12: …")."""
    found = _MARK.match(text)
    return text if not found or any(map(str.isdigit, found[0])) else text[found.end() :]


def context(work: Mapping[str, Any]) -> str:
    """What was worked on when it was said."""
    goal = one_line(str(work["goal"]), CONTEXT)
    return f'while at work on: "{goal}"' if goal else ""


def key(draft: Mapping[str, Any]) -> str:
    """By which the same thing said twice is known: the kind and the words of its first field."""
    return " ".join([str(draft["kind"]), *_WORD.findall(first(str(draft["kind"]), draft["content"]).lower())])


def draft(said: Said, content: Mapping[str, Any], work: Mapping[str, Any]) -> Draft:
    """The draft; {} when its first field says nothing. work: the worklog that it comes from."""
    says = first(said.kind, content)
    if not _WORD.search(says):
        return {}
    named = _names(says, work)
    return {
        "kind": said.kind,
        "title": clip(one_line(says, TITLE + 50), TITLE),
        "content": dict(content),
        "tags": [*said.tags, *_tags(named)][:TAGS],
        "importance": said.importance,
        "trust": TRUST.get(said.by, "untrusted"),
        "agent": said.by,
        "paths": named,
    }


def _names(text: str, work: Mapping[str, Any]) -> list[str]:
    """Files that it is about, and names as `file::name` where the session saw them in one; at most PATHS."""
    found = identifiers.paths(text)
    for name in identifiers.identifiers(text):
        entry = work["terms"].get(name)
        place = str(entry[2]) if isinstance(entry, list) and len(entry) > 2 else ""
        found.append(f"{place}::{name}" if place else name)
    return list(dict.fromkeys(found))[:PATHS]


def _tags(names: list[str]) -> list[str]:
    """The names of what it is about, without folders and endings."""
    words = [identifiers.basename(name.rpartition("::")[2]).partition(".")[0].lower() for name in names]
    return list(dict.fromkeys(word for word in words if word.replace("_", "").replace("-", "").isalnum()))
