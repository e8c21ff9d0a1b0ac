"""What belongs at which level, and which levels does a change reach?

Rule: the two tables of requirement L, row by row. A condition is a word that whoever reports the change says, or that
is seen by comparing the documents: "status", "percent", "blocker". Level 4 is the files themselves, so nothing is
written there. Where the source has only the status or the decisions of a level written, the whole document is: the
rest of it says what it said, or was stale.
"""

from collections.abc import Collection, Iterator, Mapping

from holdfast.errors import BadInput

BELONGS: Mapping[str, tuple[str, str, str, str]] = {  # how it stands at levels 1 to 4; "" is not at all
    "project goals": ("yes", "yes", "", ""),
    "current status": ("yes", "yes", "yes", ""),
    "critical blockers": ("yes", "yes", "yes", ""),
    "architectural decisions": ("summary only", "title and rationale", "full analysis", ""),
    "implementation details": ("", "brief mention", "yes", "yes"),
    "code snippets": ("", "", "key excerpts", "full files"),
    "configuration": ("", "", "critical settings", "full configurations"),
    "API endpoints": ("count only", "list", "specifications", "implementation"),
    "database schema": ("mention only", "table names", "full schema", "migration files"),
    "test results": ("pass or fail", "summary", "detailed results", "raw logs"),
}
"""What the builder cannot know (settings, endpoints, test results) is for people to write."""
MATRIX: Mapping[str, tuple[str, str, str, str]] = {  # levels 4, 3, 2, 1
    "code": ("always", "if significant", "if status", "if percent"),
    "fix": ("always", "if notable", "if critical", "if blocker"),
    "config": ("always", "if architecture", "if design", "if exceptional"),
    "feature": ("always", "always", "always", "if major"),
    "progress": ("never", "always", "always", "always"),
    "decision": ("always", "always", "always", "always"),
}
"""Kind of change -> what it asks of each level; "exceptional" stands for the source's "rarely"."""
CONDITIONS = tuple(one[3:] for row in MATRIX.values() for one in row if one.startswith("if "))


def due(change: str, conditions: Collection[str]) -> Iterator[tuple[int, bool, str]]:
    """(level, whether it is due, why) for a change of this kind, from level 4 up to 1.

    Raises BadInput for an unknown kind or condition.
    """
    if change not in MATRIX:
        raise BadInput(f"there is no change {change[:40]!r}", "--change", f"Kinds are {', '.join(MATRIX)}")
    if unknown := [one for one in conditions if one not in CONDITIONS]:
        raise BadInput(f"there is no condition {unknown[0][:40]!r}", "--if", f"Conditions are {', '.join(CONDITIONS)}")
    for level, when in zip((4, 3, 2, 1), MATRIX[change], strict=True):
        word = when.removeprefix("if ")
        met = word in conditions
        yield level, met or when == "always", f"it is {word}" if met else when.replace("if ", "only if ")
