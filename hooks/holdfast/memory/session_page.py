"""What did a session do, as one page that can be read after its transcript is gone?

Rule: seven parts in this order: the session itself with what was asked for, decisions, issues, where the work stands,
learnings, changes to files, figures; what is empty is left out. At most 5,000 tokens: longer lists give their oldest
lines first. Each line of a record begins with its id, so that it goes when the record is forgotten. Source:
requirement J5.
"""

from collections.abc import Iterable
from typing import NamedTuple

from holdfast.memory.record import Record, first
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate
from holdfast.worklog.model import Edit, Worklog

LIMIT = 5_000
FILES, LINE, AGENTS, ASKED = 60, 300, 40, 12
_TITLES = (("decision", "Decisions"), ("issue", "Issues"), ("state", "State"), ("learning", "Learnings"))


class Facts(NamedTuple):
    """What the page draws on beside the records."""

    session: str
    project: str
    begun: str
    """When, ISO 8601 with its zone; "" when not known."""
    ended: str
    minutes: int
    how: str
    """How it ended."""
    tokens: int
    """In the window at its end."""
    calls: int
    gone: tuple[str, ...] = ()
    """Of the files changed, those that are not there any more."""
    agents: tuple[str, ...] = ()
    """Ids of the agents that worked in it, beside the main one."""


def page(work: Worklog, records: Iterable[Record], facts: Facts) -> str:
    """The page as Markdown."""
    own = list(records)
    parts = [
        ("Session", _session(work, facts)),
        *((title, [_line(record) for record in own if record.kind == kind]) for kind, title in _TITLES),
        ("Files", _files(work, facts)),
        ("Figures", _figures(work, facts)),
    ]
    return _within(f"# Session {facts.session}", [(title, lines) for title, lines in parts if lines])


def _within(head: str, parts: list[tuple[str, list[str]]]) -> str:
    """The page; while it is too long its longest part loses its oldest line."""
    cut: dict[str, int] = {}
    while True:
        text = "\n".join([head, *(_part(title, lines, cut.get(title, 0)) for title, lines in parts)]) + "\n"
        longest = max(parts, key=lambda part: sum(map(len, part[1])))
        if estimate(text) <= LIMIT or len(longest[1]) < 2:
            return text
        drop = max(1, len(longest[1]) // 8)
        cut[longest[0]] = cut.get(longest[0], 0) + drop
        del longest[1][:drop]


def _part(title: str, lines: list[str], left: int) -> str:
    return "\n".join([f"\n## {title}", *([f"- ({left} older ones left out)"] if left else []), *lines])


def _session(work: Worklog, facts: Facts) -> list[str]:
    told = [
        ("project", facts.project),
        ("begun", facts.begun),
        ("ended", f"{facts.ended}{f' ({facts.how})' if facts.how else ''}"),
        ("minutes", str(facts.minutes) if facts.begun else ""),
        ("agents", ", ".join(["main", *facts.agents[:AGENTS]]) + _more(len(facts.agents) - AGENTS)),
        ("model", work["model"]),
        ("branch", work["branch"]),
        *(("asked for", one_line(prompt["text"], LINE)) for prompt in work["prompts"][-ASKED:] if prompt["text"]),
    ]
    return [f"- {label}: {text}" for label, text in told if text]


def _more(number: int) -> str:
    return f" and {number} more" if number > 0 else ""


def _line(record: Record) -> str:
    said = one_line(first(record.kind, record.content), LINE)
    more = {
        "decision": record.content.get("rationale"),
        "issue": record.content.get("severity"),
        "state": "; ".join(record.content.get("substeps_remaining") or ()),
    }.get(record.kind)
    label = {"decision": "because", "issue": "severity", "state": "to do"}.get(record.kind)
    after = f" ({label}: {one_line(str(more), LINE)})" if more else ""
    return f"- {record.id[:8]}{f' {record.code}' if record.code else ''}: {said}{after}"


def _files(work: Worklog, facts: Facts) -> list[str]:
    """Newest last: what became of each, and the commits."""
    known = work["edits"]
    lines = [f"- {path} ({_became(known.get(path), path in facts.gone)})" for path in work["changed"][-FILES:]]
    return [*lines, *(f"- commit {one_line(commit, 120)}" for commit in work["commits"])]


def _became(edit: Edit | None, gone: bool) -> str:
    """Created, edited or deleted; a file that was made here and is gone was both."""
    made, times = (edit["created"], edit["times"]) if edit else (False, 0)
    if gone:
        return f"{'created, ' if made else ''}deleted since"
    edits = times - made
    told = [*(["created"] if made else []), *([f"edited {edits}x"] if edits else [])]
    return ", ".join(told) or "edited"


def _figures(work: Worklog, facts: Facts) -> list[str]:
    return [
        f"- {facts.tokens:,} tokens in the window at the end; {facts.calls} tool calls; {work['window']} compactions; "
        f"{len(work['read'])} files read, {len(work['changed'])} changed"
    ]
