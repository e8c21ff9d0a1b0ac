"""A memory, and what may be asked for of it."""

from holdfast.search.facts import Facts, Where

ABOUT = Facts("decision", 7, 0, ("auth", "api"), expires="2026-12-01T00:00:00Z")
ASKED = {
    "anything": (Where(), True),
    "kind": (Where(kind="decision"), True),
    "another kind": (Where(kind="issue"), False),
    "tags": (Where(tags=("api", "auth")), True),
    "a tag that it lacks": (Where(tags=("api", "db")), False),
    "the beginning of a tag": (Where(tags=("aut",)), False),
    "importance": (Where(importance=7), True),
    "more importance": (Where(importance=8), False),
    "after": (Where(after="2026-11-01"), True),
    "after its time": (Where(after="2026-11-02"), False),
    "before": (Where(before="2026-11-02"), True),
    "before its time": (Where(before="2026-11-01T10:00:00Z"), False),
    "archived": (Where(archived=True), False),
    "before it expires": (Where(alive="2026-11-30T00:00:00Z"), True),
    "when it has expired": (Where(alive="2026-12-01T00:00:00Z"), False),
    "two at once": (Where(kind="decision", tags=("db",)), False),
}
