"""What belongs at which level?

Rule: the table below, and the limits of tokens: level 1 at most 1,000 in all, level 2 at most 500 a section, level 3
at most 3,000 a section, level 4 the file itself. The lower bounds of the source (200 and 1,000) are what a section
comes to that has enough to say; nothing is padded. What the builder cannot know (endpoints, test results) is for
people to write. Source: requirement L (what belongs where).
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

LIMITS: Mapping[int, int] = {1: 1_000, 2: 500, 3: 3_000}
LARGE = 5_000
"""Tokens of a file of level 4 from which on markers within it are shown."""


class Scope(NamedTuple):
    """How one sort of information stands at each level; "" is not at all."""

    what: str
    level1: str
    level2: str
    level3: str
    level4: str


TABLE = (
    Scope("project goals", "yes", "yes", "", ""),
    Scope("current status", "yes", "yes", "yes", ""),
    Scope("critical blockers", "yes", "yes", "yes", ""),
    Scope("architectural decisions", "summary only", "title and rationale", "full analysis", ""),
    Scope("implementation details", "", "brief mention", "yes", "yes"),
    Scope("code snippets", "", "", "key excerpts", "full files"),
    Scope("configuration", "", "", "critical settings", "full configurations"),
    Scope("API endpoints", "count only", "list", "specifications", "implementation"),
    Scope("database schema", "mention only", "table names", "full schema", "migration files"),
    Scope("test results", "pass or fail", "summary", "detailed results", "raw logs"),
)
_CODE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_SIGNS = (
    ("code snippets", _CODE),
    ("code snippets", re.compile(r"^(?:def|class|func|import|#include)\s", re.MULTILINE)),
)


def misplaced(text: str, level: int) -> tuple[str, ...]:
    """Sorts of information that stand in a document of this level and do not belong there, as far as that shows."""
    barred = {scope.what for scope in TABLE if not scope[level]}
    return tuple(dict.fromkeys(what for what, sign in _SIGNS if what in barred and sign.search(text)))
