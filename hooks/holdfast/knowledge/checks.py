"""Do the documents agree with each other, with the files and with the memory?

Rule: every marker leads to something; every summary has its details; the percentage of level 1 is within 5 of the
mean of level 2; every decision that is named is in the memory; each document is there, within its tokens, and no code
stands at levels 1 and 2. All of a text counts, also what people wrote. Source: requirement L (consistency checks).
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.knowledge import markers, navigation
from holdfast.knowledge.document import Counter, parts
from holdfast.knowledge.levels import mean
from holdfast.knowledge.markers import OVERVIEW
from holdfast.text.tokens import measure

TOLERANCE = 5
BUILD = "Run `holdfast knowledge build`"
_DECISION = re.compile(r"\bDEC-\d{4}-\d\d-\d\d-\d{3,6}\b")


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
    gone = [f"§2.{number}" for number in world.sections if f"§2.{number}" not in texts]
    found = [Finding("missing", marker, "the summary of a section is gone", BUILD) for marker in gone]
    for marker, text in texts.items():
        found += _of(marker, text, texts, world)
    return [*found, *_status(texts)]


def _of(marker: str, text: str, texts: Mapping[str, str], world: World) -> Iterator[Finding]:
    """What does not fit in one document."""
    mend = f"{BUILD}, or mend the text"
    for named in markers.found(text):
        if not leads(named, texts, world.is_file):
            yield Finding("dangling", marker, f"it refers to {named}, which is not there", mend)
    details = f"§3.{marker[3:]}"
    if marker.startswith("§2.") and not any(body for title, body in parts(texts.get(details, "")).items() if title):
        todo = f"{BUILD}, or move what is written there"
        yield Finding("no-details", marker, f"there is nothing at {details}", todo)
    for code in dict.fromkeys(_DECISION.findall(text)):
        if code not in world.decisions:
            yield Finding("unknown-decision", marker, f"{code} is not in the memory", mend)
    level = int(marker[1])
    limit = markers.LIMITS[level]
    size = measure(text, limit, world.counter)
    if size > limit:
        yield Finding("too-long", marker, f"it has {size:,} tokens of {limit:,}", "Shorten what is written by hand")
    if level < 3 and any(line.lstrip().startswith(("```", "~~~")) for line in text.split("\n")):
        yield Finding("misplaced", marker, f"code snippets do not belong at level {level}", "Move it to level 3")


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
    name, part = f"{markers.SIGN}{place.level}.{place.section}", f"3.{place.section}.{place.part} "
    return name in texts and (not place.part or any(title.startswith(part) for title in parts(texts[name])))


def _status(texts: Mapping[str, str]) -> Iterator[Finding]:
    own = navigation.percent(texts[OVERVIEW])
    below = mean(navigation.percent(text) for marker, text in texts.items() if marker.startswith("§2."))
    if (own is None) != (below is None) or abs((own or 0) - (below or 0)) > TOLERANCE:
        told = ["no figure" if one is None else f"{one} %" for one in (own, below)]
        todo = "Run `holdfast knowledge update --change progress`"
        yield Finding("status", OVERVIEW, f"it says {told[0]}, the sections come to {told[1]}", todo)
