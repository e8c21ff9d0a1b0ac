"""What stands in the documents of levels 1 and 2?

Rule: as knowledge/scope.py says what belongs where. Level 1: goal, status with its percentage, three
priorities, blockers, decisions as links, the sections. Level 2, per section: overview, status, decisions with their
ids and reasons, blockers, next actions, what to know, where the details are. What is missing is said to be missing.
Source: requirement L (L1 executive <=1,000 tokens, L2 200-500 per section).
"""

from collections.abc import Iterable

from holdfast.knowledge import details, model
from holdfast.knowledge.document import Document, Line, Part
from holdfast.knowledge.markers import OVERVIEW, file_marker
from holdfast.knowledge.model import SHORT, Project, coded, falling, flat, own, percent
from holdfast.knowledge.propagation import BLOCKERS, DECISIONS, STATUS
from holdfast.knowledge.scope import LIMITS
from holdfast.knowledge.sectioning import Section
from holdfast.memory.record import Record
from holdfast.memory.shapes import SEVERITIES

PRIORITIES = 3
_BELOW, _LEARNT = "see §2", "To know"
_MAY_LACK = (BLOCKERS, _LEARNT)
"""Parts of a summary that are left out where they are empty; the others say so."""


def documents(project: Project) -> tuple[Document, ...]:
    """All documents, level by level."""
    known = frozenset(place for section in project.sections for file in section.files for place in _ways(file))
    whole = [details.document(section, project, known) for section in project.sections]
    return (_overview(project), *map(_summary, project.sections, [project] * len(whole), whole), *whole)


def retired(marker: str, title: str) -> Document:
    """What is left of a document whose section is no more, and in which people wrote."""
    told = "The folder is no section any more. Move what is written below, and build again."
    return Document(marker, title, LIMITS[int(marker[1])], (Part(STATUS, (Line(told),)),))


def _ways(file: str) -> list[str]:
    """A file and the folders that it lies in."""
    return [file, *(file[:end] for end, character in enumerate(file) if character == "/")]


def _overview(project: Project) -> Document:
    marked = [(section, f"§2.{section.number}") for section in project.sections]
    goal = [flat(project.goal, 300)] if project.goal else []
    blockers = [f"- {flat(text)} {mark}" for one, mark in marked for text in model.blockers(one)]
    return Document(
        OVERVIEW,
        "Project overview",
        LIMITS[1],
        (
            Part("Goal", tuple(map(Line, goal))),
            Part(STATUS, falling(_status(project), 900), _BELOW),
            Part("Priorities", falling(_priorities(project), 800)),
            Part(BLOCKERS, falling(blockers, 700), _BELOW),
            Part(DECISIONS, falling(_decisions(marked), 500), _BELOW),
            Part("Sections", tuple(Line(f"- {mark} {_headline(one)}", 600) for one, mark in marked), _BELOW),
        ),
    )


def _status(project: Project) -> list[str]:
    shares = [share for section in project.sections if (share := percent(section)) is not None]
    if not shares:
        return []
    number = f"{len(shares)} section{'s' * (len(shares) != 1)}"
    tasks = [f"- {flat(one.content['task_description'], SHORT)}" for one in model.states(project)]
    return [f"{model.mean(shares)} %, the mean of {number}", *tasks]


def _headline(section: Section) -> str:
    share, issues = percent(section), len(own(section, "issue"))
    facts = [
        *([f"{share} %"] if share is not None else []),
        *([f"{issues} open issue{'s' * (issues != 1)}"] if issues else []),
    ]
    return f"{flat(section.title)}{': ' if facts else ''}{', '.join(facts)}"


def _priorities(project: Project) -> list[str]:
    issues = [one for section in project.sections for one in model.grave(section, "critical")]
    found = [f"resolve: {flat(one.title)}" for one in sorted(issues, key=lambda one: (-one.importance, one.time))]
    for state in sorted(model.states(project), key=lambda one: -one.importance):
        held = state.content["blockers"]
        blocked = f" [BLOCKED: {flat(held[0], SHORT)}]" if held else ""
        found += [f"{flat(text, SHORT)}{blocked}" for text in model.steps(state)]
    return [f"{number}. {text}" for number, text in enumerate(dict.fromkeys(found), 1)][:PRIORITIES]


def _decisions(marked: Iterable[tuple[Section, str]]) -> list[str]:
    found = [(one, mark) for section, mark in marked for one in own(section, "decision")]
    found.sort(key=lambda pair: -pair[0].importance)
    return [f"- {flat(one.title, SHORT)}{coded(one)} {mark}" for one, mark in found]


def _summary(section: Section, project: Project, whole: Document) -> Document:
    state = model.newest(section)
    task = [f"{percent(section)} %: {flat(state.content['task_description'])}"] if state else []
    # The critical ones stand among the blockers.
    issues = [f"- {one.content['severity']}: {flat(one.title)}" for one in model.grave(section, *SEVERITIES[1:])]
    learnt = [f"- {flat(one.title, SHORT)}" for one in own(section, "learning")]
    blockers = [f"- {flat(text)}" for text in model.blockers(section)]
    reasons = [f"- {flat(one.title, SHORT)}{coded(one)}{_reason(one)}" for one in own(section, "decision")]
    parts = (
        Part("Overview", (Line(_about(section, project)),)),
        Part(STATUS, (*map(Line, task), *falling(issues, 400)), f"see {details.place_of(whole, details.ISSUES)}"),
        Part(DECISIONS, falling(reasons, 600), f"see {details.place_of(whole, DECISIONS)}"),
        Part(BLOCKERS, falling(blockers, 700), f"see {details.place_of(whole, STATUS)}"),
        Part("Next actions", falling(_actions(section), 500), f"see {details.place_of(whole, STATUS)}"),
        Part(_LEARNT, falling(learnt, 200), f"see {details.place_of(whole, details.LEARNINGS)}"),
        Part("Details", (Line(", ".join(f"§{part.title}" for part in whole.parts)),)),
    )
    kept = tuple(part for part in parts if part.lines or part.title not in _MAY_LACK)
    return Document(f"§2.{section.number}", section.title, LIMITS[2], kept)


def _about(section: Section, project: Project) -> str:
    if not section.folder:
        return f"What concerns the project as a whole. {flat(project.goal)}".strip()
    return f"Folder {file_marker(section.folder)}. {flat(project.purposes.get(section.folder, ''))}".strip()


def _actions(section: Section) -> list[str]:
    urgent = [one.content["next_actions"] for one in model.grave(section, "critical", "high")]
    return [f"- {flat(text)}" for text in (*model.steps(model.newest(section)), *filter(None, urgent))]


def _reason(record: Record) -> str:
    return f": {flat(record.content['rationale'], SHORT)}" if record.content["rationale"] else ""
