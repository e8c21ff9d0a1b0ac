"""What must a session be told that has just lost its conversation to a compaction?

Rule: the sections of requirement W5, most important first: what is wanted, the user's rules, where the work stands
and what comes next, the plan, open errors, decisions; then what was found, request by request, what was done, what
not to do again, how work is done here; an index of files and names closes it. Each section has a share of the room,
and what it does not need goes to the findings and the index. Everything is quoted or counted from the record. Where
the client's summary is known, what it says already is left out, and the packet is as much smaller.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from holdfast.compaction import file_index, preservation, prompt_list, standing, story
from holdfast.compaction.overlap import Summary
from holdfast.handoff import orchestrator
from holdfast.session.reply import utf16_length
from holdfast.worklog import statements

Section = tuple[str, list[str]]
LEAN, FULL = 5_000, 10_000
SHARES = {
    "objective": (0.065, 0.075),
    "latest": (0.1, 0.12),
    "agreed": (0.04, 0.12),
    "prompts": (0.33, 0.17),
    "rules": (0.07, 0.15),
    "done": (0.03, 0.05),
    "stands": (0.05, 0.1),
    "plan": (0.06, 0.09),
    "errors": (0.035, 0.085),
    "decisions": (0.06, 0.12),
    "approvals": (0.01, 0.03),
    "actions": (0.02, 0.05),
    "redo": (0.05, 0.10),
    "agents": (0.06, 0.08),
    "workflow": (0.02, 0.05),
    "index": (0.49, 0.25),
    "must": (0.0, 0.25),
}
"""Of the whole room, at LEAN characters and fewer and at FULL and more; between them in proportion. The sums are above
1, because most sections of most sessions need less than they may have. "must" is what rules, and likewise decisions,
may take when their share is too small: they go before findings and names."""
_TITLE = 26  # characters of a section's title line


class Material(NamedTuple):
    """What a packet is made of."""

    work: dict[str, Any]
    agents: Mapping[str, Any]
    drift: tuple[str, ...] = ()
    reports: str = ""
    """Folder of the sub-agents' full reports."""
    note: str = ""
    """What the newest checkpoint was saved with."""
    summary: str = ""
    """The client's own summary where it is known: it stands beside the packet."""
    page: str = ""
    """Path of the newest checkpoint's page, which has every note."""


def rooms(chars: int) -> dict[str, int]:
    """Characters that each section may have."""
    full = min(1.0, max(0.0, (chars - LEAN) / (FULL - LEAN)))
    small = min(1.0, max(_SMALLEST, chars / _SMALL))  # below that, names and old requests give way to the rest
    shares = {name: lean + (rich - lean) * full for name, (lean, rich) in SHARES.items()}
    return {name: int(chars * (share * small if name in _LISTS else share / small)) for name, share in shares.items()}


_SMALL, _SMALLEST, _LISTS = 4_500, 0.4, ("index", "prompts")


def sections(material: Material, chars: int) -> list[Section]:
    """The packet's sections, most important first, in at most `chars` UTF-16 units; empty ones are left out.

    Where much room is left because there is little to say, nothing of that little is cut for its share.
    """
    shares = rooms(chars)
    spare = max(0, shares["prompts"] - prompt_list.need(material.work, "", Summary("")).least)
    found = _laid_out(material, chars, shares, spare)
    if length(found) < _SPARSE * chars:
        wider = _laid_out(
            material, chars, {**{name: _WIDER * room for name, room in shares.items()}, **_same(shares)}, spare
        )
        found = wider if length(wider) <= chars else found
    return _within(found, chars)


_SPARSE, _WIDER = 0.7, 4


def _same(shares: dict[str, int]) -> dict[str, int]:
    return {name: shares[name] for name in ("index", "prompts")}


def _laid_out(material: Material, chars: int, room: dict[str, int], spare: int) -> list[Section]:
    """The sections with these rooms; they may still be too long together.

    spare: what the requests leave of their room; a long objective may have it.
    """
    summary = Summary(material.summary)
    first = _before(material, {**room, "objective": room["objective"] + spare}, summary)
    last = _after(material, room, summary)
    used = length(first) + length(last)
    page = "\n".join(line for _, body in (*first, *last) for line in body)
    asked = prompt_list.need(material.work, page, summary)
    free = chars - used - 2 * _TITLE
    wanted = min(asked.least, room["prompts"])  # requests go before names, names before findings
    left = int(max(free - room["index"], min(wanted, free)) * summary.missing)
    reported = any(title == "Sub-agents' work" for title, _ in last)
    work = statements.without_reports(material.work) if reported else material.work
    told = story.lines(work, prompt_list.lines(asked, min(room["prompts"], max(0, left))), left, page, summary)
    middle = _kept([("Key facts and decisions, request by request", told)])
    known = "\n".join([page, *told, material.summary])
    left = int((chars - used - length(middle) - _TITLE) * summary.missing)
    return [*first, *middle, *last, *_kept([("Files and names", file_index.lines(material.work, left, known))])]


_LEARNED = ("decision", "learning", "bug", "todo")


def _before(material: Material, room: dict[str, int], summary: Summary) -> list[Section]:
    work = material.work
    found = [
        ("Saved with this note", [material.note] if material.note else []),
        ("Objective, in the user's words", summary.without(standing.objective(work, room["objective"]))),
        ("The user's latest request", standing.latest(work, room["latest"])),
        ("Agreed with that, to do now", standing.agreed(work, room["agreed"])),
        ("Changed since the record was made", [f"- {line}" for line in material.drift]),
        (
            "Rules and corrections by the user",
            summary.without(standing.noted(work, preservation.DECREED, room["rules"], room["must"], material.page)),
        ),
        ("Done when", standing.fitting(summary.without(standing.done_when(work)), room["done"])),
        ("Where it stands, next step", standing.now(work, room["stands"])),
        ("Plan", standing.fitting(standing.plan(work), room["plan"])),
        ("Errors and attempted fixes", standing.fitting(summary.without(standing.errors(work)), room["errors"])),
        ("Do not redo (failed or refused)", summary.without(standing.noted(work, ("failed",), room["redo"]))),
        (
            "Decisions and lessons",
            summary.without(standing.noted(work, _LEARNED, room["decisions"], room["must"], material.page)),
        ),
    ]
    return _kept(found)


def _after(material: Material, room: dict[str, int], summary: Summary) -> list[Section]:
    work = material.work
    agents = orchestrator.summary_lines(orchestrator.load(material.agents), material.reports)
    approved = summary.without(standing.approvals(work))
    found = [
        ("Approvals", standing.fitting(approved, room["approvals"], newest=True)),
        ("Actions taken", summary.without(standing.actions(work, room["actions"]))),
        ("Sub-agents' work", standing.fitting(agents, room["agents"])),
        ("Workflow", standing.fitting(summary.without(standing.workflow(work)), room["workflow"])),
    ]
    return _kept(found)


def _kept(found: list[Section]) -> list[Section]:
    """Sections that have lines, each of them one line: nothing of the record may look like a heading of ours."""
    return [(title, [" ".join(line.splitlines()) for line in body]) for title, body in found if body]


def length(found: list[Section]) -> int:
    """UTF-16 units of sections as they are shown."""
    return sum(utf16_length(title) + 6 + sum(utf16_length(line) + 1 for line in body) for title, body in found)


def _within(found: list[Section], chars: int) -> list[Section]:
    """Lines are taken from the end until the rest fits: the least important stands last."""
    over = length(found) - chars
    while over > 0 and found:
        title, body = found.pop()
        while body and over > 0:
            over -= utf16_length(body[-1]) + 1
            body = body[:-1]
        if body:
            found.append((title, body))
        else:
            over -= utf16_length(title) + 6
    return found
