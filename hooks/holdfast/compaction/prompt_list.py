"""How are all of the user's requests listed in little room?

Rule: every prompt in its order, in its own words, the long ones shortened (text/prompts.py). Where the room is too
small for all, the short ones stay whole and the longest give way, so that no request is lost to another one's length;
those of earlier windows go first, then the oldest, and how many were left out is said. A sentence that is listed as a
rule, the objective and the latest request stand above, and a request that the client's summary holds is not said
again. Source: requirement W5.
"""

from typing import Any, NamedTuple

from holdfast.compaction.overlap import Summary
from holdfast.text import prompts
from holdfast.text.lines import clip
from holdfast.worklog import notes

ELSEWHERE = "- user: (quoted above)"
_FRAME = 11  # characters around a request
_KEEP = 90  # characters that a request has at least where it cannot have what it needs
LEAST = 45  # characters of a line that still says something
_RULES = ("constraint", "correction", "cancelled")


class Need(NamedTuple):
    """What has to be said of each request, by the number of its message."""

    said: dict[int, str]
    """As it is shown where there is room; "" for one that stands in another section."""
    brief: dict[int, str]
    """The least that says most of its words."""

    since: int = 0
    """The message at which the present window began."""

    def rank(self, entry: tuple[int, str]) -> tuple[bool, int, int]:
        """What comes first when there is little room: this window's requests, then the short ones."""
        return entry[0] <= self.since, len(entry[1]), entry[0]

    @property
    def least(self) -> int:
        """Characters of this window's requests at their briefest."""
        return sum(len(text) + _FRAME for number, text in self.brief.items() if number > self.since)


def need(work: dict[str, Any], page: str, summary: Summary) -> Need:
    """What is left to say of each prompt. `page`: the sections that stand before."""
    ruled = {note["text"] for note in notes.of(work, *_RULES) if note["text"] in page}
    texts = {prompt["n"]: _without(prompt["text"], ruled) for prompt in work["prompts"]}
    texts.update((prompt["n"], "") for prompt in (*work["prompts"][:1], *work["prompts"][-1:]))
    kept = set(summary.without([text for text in texts.values() if text]))
    said = {
        number: prompts.shorten(text, len(text), prompts.MOST) if text in kept else "" for number, text in texts.items()
    }
    since = work["boundaries"][-1].get("n", 0) if work["boundaries"] else 0
    return Need(said, {number: prompts.brief(text) if said[number] else "" for number, text in texts.items()}, since)


def lines(needed: Need, chars: int) -> dict[int, str]:
    """The line of each prompt in at most `chars`: all in brief, then as many in full as there is room for.

    Where there is no room for so many lines that still say something, the oldest are left out; those of earlier
    windows are shown only where they fit whole.
    """
    recent = [number for number in needed.brief if number > needed.since]
    fitting = recent[max(0, len(recent) - chars // LEAST) :]
    older = [number for number in needed.brief if number <= needed.since] if fitting == recent else []
    recent = fitting
    chosen: dict[int, str] = {}
    least, left = min(_KEEP, chars // max(1, len(recent))), chars
    ranked = sorted(needed.brief.items(), key=needed.rank)
    for place, (number, text) in enumerate(entry for entry in ranked if entry[0] in recent):
        others = len(recent) - place - 1
        chosen[number] = clip(text, max(least, left - least * others) - _FRAME)
        left -= len(chosen[number]) + _FRAME
    for number, text in (entry for entry in ranked if entry[0] in older):
        if len(text) + _FRAME <= left:
            chosen[number] = text
            left -= len(text) + _FRAME
    for number, text in sorted(needed.said.items(), key=needed.rank):
        more = len(text) - len(chosen.get(number, ""))
        if number in chosen and chosen[number] == needed.brief[number] and 0 < more <= left:
            chosen[number], left = text, left - more
    return {
        number: f'- user: "{chosen[number]}"' if chosen[number] else ELSEWHERE
        for number in needed.said
        if number in chosen
    }


def _without(text: str, ruled: set[str]) -> str:
    """The prompt without what is listed as a rule and without pasted code; whole where nothing else is left."""
    parts = notes.asked_sentences(text)
    return " ".join(part for part in parts if part not in ruled) if parts else text
