"""Do the documents agree with each other, with the files and with the memory?

Rule: every marker leads to something; every summary has its details; the percentage of level 1 is within 5 of the
mean of level 2; every decision that is named is in the memory; each document is there, within its tokens, and no code
stands at levels 1 and 2. All of a text counts, also what people wrote. Source: requirement L (consistency checks).
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping

from holdfast.errors import BadInput
from holdfast.knowledge import markers, navigation
from holdfast.knowledge.document import parts
from holdfast.knowledge.levels import mean
from holdfast.knowledge.markers import LIMITS, OVERVIEW
from holdfast.knowledge.schema import Misfit
from holdfast.text.tokens import measure

BUILD = "Run `holdfast knowledge build`"
_DECISION = re.compile(r"\bDEC-\d{4}-\d\d-\d\d-\d{3,6}\b")
_Row = tuple[str, str, str, str]


def findings(texts: Mapping[str, str], decisions: Collection[str], is_file: Callable[[str], bool]) -> list[Misfit]:
    """texts: marker of each document -> its text as it stands; decisions: codes of all in the memory, archived too.

    is_file: whether a path within the project is a file or folder there.
    """
    if OVERVIEW not in texts:
        return [Misfit(check="missing", marker=OVERVIEW, what="there is no overview", todo=BUILD)]
    mend, summaries = f"{BUILD}, or mend the text", [f"§2{one[2:]}" for one in texts if one.startswith("§3.")]
    found = [("missing", one, "the summary of a section is gone", BUILD) for one in summaries if one not in texts]
    for marker, text in texts.items():
        lost = [one for one in markers.found(text) if not leads(one, texts, is_file)]
        unknown = [code for code in dict.fromkeys(_DECISION.findall(text)) if code not in decisions]
        found += [("dangling", marker, f"it refers to {one}, which is not there", mend) for one in lost]
        found += [("unknown-decision", marker, f"{code} is not in the memory", mend) for code in unknown]
        found += _form(marker, text, texts)
    found += _status(texts)
    return [Misfit(check=check, marker=marker, what=what, todo=todo) for check, marker, what, todo in found]


def _form(marker: str, text: str, texts: Mapping[str, str]) -> Iterator[_Row]:
    """What does not fit in one document, whatever it refers to."""
    level, details = int(marker[1]), f"§3.{marker[3:]}"
    if level == 2 and not any(body for title, body in parts(texts.get(details, "")).items() if title):
        yield "no-details", marker, f"there is nothing at {details}", f"{BUILD}, or move what is written there"
    size = measure(text, LIMITS[level])
    if size > LIMITS[level]:
        yield "too-long", marker, f"it has {size:,} tokens of {LIMITS[level]:,}", "Shorten what is written by hand"
    if level < 3 and any(line.lstrip().startswith(("```", "~~~")) for line in text.split("\n")):
        yield "misplaced", marker, f"code snippets do not belong at level {level}", "Move it to level 3"


def leads(marker: str, texts: Mapping[str, str], is_file: Callable[[str], bool]) -> bool:
    """Whether something stands behind a marker."""
    try:
        place = markers.parse(marker)
    except BadInput:
        return False
    if place.level == 4:
        return is_file(place.path)
    name, part = f"§{place.level}.{place.section}", f"3.{place.section}.{place.part} "
    if not place.section or not place.part:
        return not place.section or name in texts
    return any(title.startswith(part) for title in parts(texts.get(name, "")))


def _status(texts: Mapping[str, str]) -> Iterator[_Row]:
    own = navigation.percent(texts[OVERVIEW])
    below = mean(navigation.percent(text) for marker, text in texts.items() if marker.startswith("§2."))
    if (own is None) != (below is None) or abs((own or 0) - (below or 0)) > 5:
        told = ["no figure" if one is None else f"{one} %" for one in (own, below)]
        todo = "Run `holdfast knowledge update --change progress`"
        yield "status", OVERVIEW, f"it says {told[0]}, the sections come to {told[1]}", todo
