"""Do the documents agree with each other, with the files and with the memory?

Rule: every marker leads to something; every summary has its details; the percentage of level 1 is within 5 of the
mean of level 2; every decision that is named is in the memory; each document is there, within its tokens, and holds no
sort of information that does not belong at its level. All of a text counts, also what people wrote. Source:
requirement L (consistency checks).
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.knowledge import markers, navigation, scope
from holdfast.knowledge.document import Counter, parts
from holdfast.knowledge.markers import OVERVIEW
from holdfast.knowledge.model import mean
from holdfast.text.tokens import measure

TOLERANCE = 5
DECISION = re.compile(r"\bDEC-\d{4}-\d\d-\d\d-\d{3,6}\b")
BUILD = "Run `holdfast knowledge build`"


class Finding(NamedTuple):
    """One thing that does not fit. check: a word for programs."""

    check: str
    marker: str
    what: str
    todo: str


class World(NamedTuple):
    """What the documents are held against."""

    is_file: Callable[[str], bool]
    """Whether a path within the project is a file or folder there."""
    decisions: Collection[str]
    """Codes of all decisions of the memory, archived ones too."""
    sections: Collection[int]
    """Numbers of the sections that were built."""
    counter: Counter | None = None


def findings(texts: Mapping[str, str], world: World) -> list[Finding]:
    """texts: marker of each document -> its text as it stands."""
    if OVERVIEW not in texts:
        return [Finding("missing", OVERVIEW, "there is no overview", BUILD)]
    found: list[Finding] = []
    for check in (_missing, _dangling, _without_details, _status, _unknown, _too_long, _misplaced):
        found += check(texts, world)
    return found


def leads(marker: str, texts: Mapping[str, str], is_file: Callable[[str], bool]) -> bool:
    """Whether something stands behind a marker."""
    try:
        place = markers.parse(marker)
    except BadInput:
        return False
    if place.level == 4:
        return is_file(place.path)
    if not place.section:
        return True
    name = f"{markers.SIGN}{place.level}.{place.section}"
    return name in texts and (
        not place.part or any(title.startswith(f"3.{place.section}.{place.part} ") for title in parts(texts[name]))
    )


def _missing(texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    for number in world.sections:
        if f"§2.{number}" not in texts:
            yield Finding("missing", f"§2.{number}", "the summary of a section is gone", BUILD)


def _dangling(texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    for marker, text in texts.items():
        for named in markers.found(text):
            if not leads(named, texts, world.is_file):
                yield Finding(
                    "dangling", marker, f"it refers to {named}, which is not there", f"{BUILD}, or mend the text"
                )


def _without_details(texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    for marker in texts:
        details = f"§3.{marker[3:]}"
        if marker.startswith("§2.") and not any(body for title, body in parts(texts.get(details, "")).items() if title):
            yield Finding(
                "no-details", marker, f"there is nothing at {details}", f"{BUILD}, or move what is written there"
            )


def _status(texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    own = navigation.percent(texts[OVERVIEW])
    below = mean(navigation.percent(text) for marker, text in texts.items() if marker.startswith("§2."))
    if (own is None) != (below is None) or abs((own or 0) - (below or 0)) > TOLERANCE:
        told = ["no figure" if one is None else f"{one} %" for one in (own, below)]
        todo = "Run `holdfast knowledge update --change progress`"
        yield Finding("status", OVERVIEW, f"it says {told[0]}, the sections come to {told[1]}", todo)


def _unknown(texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    for marker, text in texts.items():
        for code in dict.fromkeys(DECISION.findall(text)):
            if code not in world.decisions:
                yield Finding("unknown-decision", marker, f"{code} is not in the memory", f"{BUILD}, or mend the text")


def _too_long(texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    for marker, text in texts.items():
        limit = scope.LIMITS[int(marker[1])]
        size = measure(text, limit, world.counter)
        if size > limit:
            yield Finding("too-long", marker, f"it has {size:,} tokens of {limit:,}", "Shorten what is written by hand")


def _misplaced(texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    for marker, text in texts.items():
        for what in scope.misplaced(text, int(marker[1])):
            yield Finding("misplaced", marker, f"{what} do not belong at level {marker[1]}", "Move it to level 3")
