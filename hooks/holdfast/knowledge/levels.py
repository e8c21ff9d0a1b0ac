"""What stands in the documents of levels 1 to 3?

Rule: as `propagation.BELONGS` says. Level 1: goal, status with its percentage, three priorities, blockers, decisions as
links, the sections. Level 2, per section: overview, status, decisions with their ids and reasons, blockers, next
actions, what to know, where the details are. Level 3: everything recorded that holds, field by field,
with its source, and the files with their purposes, those first that records name; a part has the same number in every
section, so that §3.2.3 keeps its meaning. What is missing is said to be missing. The percentage of a section is that of
its newest state, that of the project the mean of those that are known. What a tool or the web said is nobody's
decision, state or blocker: only level 3 has it, with its source. Source: requirements L (levels), J9.
"""

import math
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from holdfast.knowledge.document import Document, DocumentPart
from holdfast.knowledge.markers import LIMITS, OVERVIEW, file_marker
from holdfast.knowledge.sectioning import ProjectSection, relative
from holdfast.memory.record import SEVERITIES, SHAPES, Record, created_at
from holdfast.text.lines import clip

KINDS = {"state": "Status", "decision": "Key decisions", "issue": "Known issues", "learning": "Learnings"}
"""Kind of record -> part of level 3; the place in the table is the part's number."""
LISTED = 120
"""Files of a section."""


class ProjectKnowledge(NamedTuple):
    """What is known when the documents are written."""

    sections: tuple[ProjectSection, ...]
    """With their records from the newest to the oldest."""
    purposes: Mapping[str, str] = {}
    """File or folder -> what it is for; "" is the project as a whole."""
    root: str = ""
    """The absolute path that records may name files by."""
    now: float = math.inf
    """Epoch seconds: a record that is dated later counts as old."""


def documents(project: ProjectKnowledge) -> tuple[Document, ...]:
    """All documents, level by level."""
    files = [file for section in project.sections for file in section.files]
    folders = {file[:end] for file in files for end, character in enumerate(file) if character == "/"}
    whole = [_details(section, project, {*files, *folders}) for section in project.sections]
    summaries = [_summary(section, project, one) for section, one in zip(project.sections, whole, strict=True)]
    return (_overview(project), *summaries, *whole)


def mean(shares: Iterable[int | None]) -> int | None:
    """The mean of those that are known, rounded; None without one."""
    known = [share for share in shares if share is not None]
    return round(sum(known) / len(known)) if known else None


def listed(section: ProjectSection, root: str) -> list[str]:
    """The files of a section that are shown, those first that records name."""
    named = {relative(path, root) for record in section.records for path in record.paths}
    return sorted(section.files, key=lambda path: (path not in named, path.count("/"), path))[:LISTED]


def _flat(text: object, chars: int = 280) -> str:
    """A text as one line of at most so many characters; a section sign in it refers to nothing here."""
    return clip(" ".join(str(text).split()).replace("§", "§ "), chars)


def _short(text: object) -> str:
    return _flat(text, 140)


def _coded(record: Record) -> str:
    return _short(record.title) + (f" [{record.code}]" if record.code else "")


def _weight(record: Record) -> int:
    return -record.importance


def _severity(issue: Record) -> int:
    return SEVERITIES.index(issue.content["severity"])


def _own(section: ProjectSection, kind: str) -> list[Record]:
    """Records of this kind that the user or an assistant made, the most important first."""
    own = (record for record in section.records if record.kind == kind and record.trust != "untrusted")
    return sorted(own, key=_weight)


def _state(section: ProjectSection) -> Record | None:
    return next((one for one in section.records if one.kind == "state" and one.trust != "untrusted"), None)


def _percent(section: ProjectSection) -> int | None:
    state = _state(section)
    return int(state.content["completion_percentage"]) if state else None


def _issues(section: ProjectSection, *severities: str) -> list[Record]:
    return sorted((one for one in _own(section, "issue") if one.content["severity"] in severities), key=_severity)


def _blockers(section: ProjectSection) -> list[str]:
    """What holds the section up: as its newest state says, and its critical issues."""
    state = _state(section)
    return [*(state.content["blockers"] if state else ()), *(one.title for one in _issues(section, "critical"))]


def _steps(state: Record | None) -> list[str]:
    return list(state.content["next_actions"] or state.content["substeps_remaining"]) if state else []


def _overview(project: ProjectKnowledge) -> Document:
    marked = [(section, f"§2.{section.number}") for section in project.sections]
    states = [state for section in project.sections if (state := _state(section))]
    states.sort(key=lambda one: (created_at(one, project.now), one.id), reverse=True)
    share, number = mean(map(_percent, project.sections)), len(states)
    status = [f"{share} %, the mean of {number} section{'s' * (number != 1)}"] if states else []
    status += [f"- {_short(state.content['task_description'])}" for state in states]
    blockers = [f"- {_flat(text)} {mark}" for one, mark in marked for text in _blockers(one)]
    decisions = [(one, mark) for section, mark in marked for one in _own(section, "decision")]
    decisions.sort(key=lambda pair: _weight(pair[0]))
    below = "see §2"
    parts = (
        DocumentPart("Goal", (_flat(project.purposes[""], 300),) if project.purposes.get("") else ()),
        DocumentPart("Status", tuple(status), below),
        DocumentPart("Priorities", tuple(_priorities(project, states))),
        DocumentPart("Blockers", tuple(blockers), below),
        DocumentPart("Key decisions", tuple(f"- {_coded(one)} {mark}" for one, mark in decisions), below),
        DocumentPart("Sections", tuple(f"- {mark} {_headline(one)}" for one, mark in marked), below),
    )
    return Document(OVERVIEW, "Project overview", LIMITS[1], parts)


def _headline(section: ProjectSection) -> str:
    share, issues = _percent(section), len(_own(section, "issue"))
    facts = [f"{share} %"] if share is not None else []
    facts += [f"{issues} open issue{'s' * (issues != 1)}"] if issues else []
    return ": ".join(filter(None, (_flat(section.title), ", ".join(facts))))


def _priorities(project: ProjectKnowledge, states: list[Record]) -> list[str]:
    issues = [one for section in project.sections for one in _issues(section, "critical")]
    found = [f"resolve: {_flat(one.title)}" for one in sorted(issues, key=lambda one: (_weight(one), one.time))]
    for state in sorted(states, key=_weight):
        held = state.content["blockers"]
        blocked = f" [BLOCKED: {_short(held[0])}]" if held else ""
        found += [f"{_short(text)}{blocked}" for text in _steps(state)]
    return [f"{number}. {text}" for number, text in enumerate(dict.fromkeys(found), 1)][:3]


def _summary(section: ProjectSection, project: ProjectKnowledge, whole: Document) -> Document:
    state, places = _state(section), {part.title.partition(" ")[2]: part.title.split()[0] for part in whole.parts}
    status = [f"{_percent(section)} %: {_flat(state.content['task_description'])}"] if state else []
    # The critical ones stand among the blockers.
    status += [f"- {one.content['severity']}: {_flat(one.title)}" for one in _issues(section, *SEVERITIES[1:])]
    about = f"Folder {file_marker(section.folder)}." if section.folder else "What concerns the project as a whole."
    urgent = [one.content["next_actions"] for one in _issues(section, "critical", "high")]
    decided = ((_coded(one), _short(one.content["rationale"] or "")) for one in _own(section, "decision"))
    decisions = [f"- {': '.join(filter(None, row))}" for row in decided]
    told = (  # title, where the rest is, lines
        ("Overview", "", [f"{about} {_flat(project.purposes.get(section.folder, ''))}".strip()]),
        ("Status", "Known issues", status),
        ("Key decisions", "Key decisions", decisions),
        ("Blockers", "Status", [f"- {_flat(text)}" for text in _blockers(section)]),
        ("Next actions", "Status", [f"- {_flat(text)}" for text in (*_steps(state), *filter(None, urgent))]),
        ("To know", "Learnings", [f"- {_short(one.title)}" for one in _own(section, "learning")]),
        ("Details", "", [", ".join(f"§{part.title}" for part in whole.parts)]),
    )
    parts = [
        DocumentPart(title, tuple(lines), f"see §{places.get(rest, whole.marker[1:])}") for title, rest, lines in told
    ]
    kept = tuple(part for part in parts if part.lines or part.title not in ("Blockers", "To know"))
    return Document(f"§2.{section.number}", section.title, LIMITS[2], kept)


def _details(section: ProjectSection, project: ProjectKnowledge, files: Collection[str]) -> Document:
    """files: all of the project, and its folders."""
    parts = []
    for kind, title in KINDS.items():
        found = [one for one in section.records if one.kind == kind]
        if kind != "state":  # of states the newest comes first
            found.sort(key=lambda one: (_severity(one) if one.kind == "issue" else 0, _weight(one)))
        parts.append(
            DocumentPart(title, tuple(_whole(one, project, files) for one in found), "`holdfast memory list` has all")
        )
    shown = ((file_marker(path), _flat(project.purposes.get(path, ""))) for path in listed(section, project.root))
    lines = tuple(f"- {': '.join(filter(None, row))}" for row in shown)
    where = f"see {file_marker(section.folder)}" if section.folder else ""
    parts.append(DocumentPart("Files", lines, where, len(section.files) - len(lines)))
    kept = [one._replace(title=f"3.{section.number}.{place} {one.title}") for place, one in enumerate(parts, 1)]
    name = f"{section.title}: details"
    return Document(f"§3.{section.number}", name, LIMITS[3], tuple(part for part in kept if part.lines))


def _whole(record: Record, project: ProjectKnowledge, files: Collection[str]) -> str:
    rows = [f"- {_coded(record)} ({record.time[:10]}, importance {record.importance}, {record.trust})"]
    for name, rule in SHAPES[record.kind].items():
        value = record.content.get(name)
        said = "; ".join(value) if isinstance(value, (tuple, list)) else "" if value is None else str(value)
        if said and said != record.title:
            sign = " %" if rule["type"] == "integer" else ""
            rows.append(f"{name.replace('_', ' ').capitalize()}: {_flat(said, 500)}{sign}")
    paths = [relative(path, project.root) for path in record.paths[:10]]
    told = [file_marker(path) if path in files else f"`{_flat(path).replace('`', '')}`" for path in paths]
    return "\n".join([*rows, *([f"About: {', '.join(told)}"] if told else [])])
