"""What does the client's own summary say already, so that the packet need not say it again?

Rule: a line is said already when the summary holds nearly all of its words (four letters and more) and all of its
names and numbers. The more of the user's words and decisions the summary holds, the less room the packet takes.
Without a summary, or with one that says nothing, everything is missing. Source: requirement H8.
"""

import re

from holdfast.text import identifiers
from holdfast.worklog import mentions

ENOUGH = 0.8  # of a line's words
LEAST = 400  # characters below which a text is no summary ("OK done.")
FLOOR = 0.35  # of the room that a packet has beside the best of summaries
_WORD = re.compile(r"[^\W\d_]{4,}")
_NUMBER = re.compile(r"\b\d\w*")  # of one digit too, and with its unit: "3", "30s"


class Summary:
    """The summary's words, to compare lines with. Counts what it was asked, which tells how much it holds."""

    def __init__(self, text: str) -> None:
        self.text = text if len(text) >= LEAST else ""
        self._words = frozenset(_WORD.findall(self.text.lower()))
        self._asked = self._held = 0

    def holds(self, line: str) -> bool:
        """Whether the summary says this already."""
        words = set(_WORD.findall(line.lower()))
        if not self.text or not words:
            return False
        return len(words & self._words) >= ENOUGH * len(words) and all(
            identifiers.occurs(name, self.text) for name in (*mentions.telling(line), *_NUMBER.findall(line))
        )

    def without(self, lines: list[str]) -> list[str]:
        """The lines that it does not hold."""
        missing = [line for line in lines if not self.holds(line)]
        self._asked += len(lines)
        self._held += len(lines) - len(missing)
        return missing

    @property
    def missing(self) -> float:
        """How much of the room the rest needs: 1 where the summary holds nothing, FLOOR where it holds all."""
        held = self._held / self._asked if self._asked else 0.0
        return 1 - (1 - FLOOR) * held
