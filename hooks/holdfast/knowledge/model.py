"""What is known of a project and its sections when the documents are written?

Rule: the percentage of a section is that of its newest state, that of the project the mean of those that are known.
What a tool or the web said is nobody's decision, state or blocker: `own` leaves it out, and only level 3 has it, with
its source. A section sign in a record refers to nothing here. Sources: requirements L, J9.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from holdfast.knowledge.document import Line
from holdfast.knowledge.sectioning import Section
from holdfast.memory.briefing import made
from holdfast.memory.record import Record
from holdfast.memory.shapes import SEVERITIES
from holdfast.text.lines import clip

LONG, SHORT = 280, 140
"""Characters of a statement, and of a title or a reason."""
SPREAD = 5
"""Lines after which a line of a part weighs half of the first."""


class Project(NamedTuple):
    """What is known when the documents are written."""

    goal: str
    sections: tuple[Section, ...]
    purposes: Mapping[str, str] = {}
    """File or folder -> what it is for."""
    root: str = ""
    """The absolute path that records may name files by."""


def flat(text: object, chars: int = LONG) -> str:
    """A text as one line of at most so many characters."""
    return clip(" ".join(str(text).split()).replace("§", "§ "), chars)


def coded(record: Record) -> str:
    """The code of a decision behind its title."""
    return f" [{record.code}]" if record.code else ""


def own(section: Section, kind: str) -> list[Record]:
    """Records of this kind that the user or an assistant made."""
    return [record for record in section.records if record.kind == kind and record.trust != "untrusted"]


def newest(section: Section) -> Record | None:
    """Where the section stands."""
    return max(own(section, "state"), key=lambda record: (made(record, section.now), record.id), default=None)


def states(project: Project) -> list[Record]:
    """Where the sections stand, the newest first."""
    found = [(made(state, section.now), state) for section in project.sections if (state := newest(section))]
    return [state for _, state in sorted(found, key=lambda row: (row[0], row[1].id), reverse=True)]


def percent(section: Section) -> int | None:
    """How far the section is; None where nobody has said so."""
    state = newest(section)
    return int(state.content["completion_percentage"]) if state else None


def mean(shares: Iterable[int | None]) -> int | None:
    """The mean of those that are known, rounded; None without one."""
    known = [share for share in shares if share is not None]
    return round(sum(known) / len(known)) if known else None


def grave(section: Section, *severities: str) -> list[Record]:
    """Open issues of these severities, the gravest first; of any where none is named."""
    wanted = severities or SEVERITIES
    issues = [one for one in own(section, "issue") if one.content["severity"] in wanted]
    return sorted(issues, key=lambda one: SEVERITIES.index(one.content["severity"]))


def blockers(section: Section) -> list[str]:
    """What holds the section up: as its newest state says, and its critical issues."""
    state = newest(section)
    return [*(state.content["blockers"] if state else ()), *(one.title for one in grave(section, "critical"))]


def steps(state: Record | None) -> list[str]:
    """What is to be done next."""
    return list(state.content["next_actions"] or state.content["substeps_remaining"]) if state else []


def falling(texts: Iterable[str], weight: float) -> tuple[Line, ...]:
    """Lines of a part, the most important first: each weighs less than the one before, so that no part takes all."""
    return tuple(Line(text, weight / (1 + place / SPREAD)) for place, text in enumerate(texts))
