"""How does a condensed report stand on the page, and what does each addition cost in tokens?

Findings stand under their headings in the order of the report, one line each; open problems, constraints and
files have lines of their own. Files of one folder share its name.
"""

import functools
import re

from holdfast.text import tokens
from holdfast.text.markdown import Statement


@functools.lru_cache(maxsize=8192)
def estimate(text: str) -> int:
    """`tokens.estimate`, remembered: the same pieces are weighed again in every round."""
    return tokens.estimate(text)


FRAME = 14
"""Tokens of the fixed labels."""
LOOSE = "Also named"
_FINDINGS = ("decision", "finding", "praise")
_ENDS = (".", "!", "?", ":", "…")
_BLOCKS = ((("severe", "error"), "Open:"), (("constraint",), "Constraints:"))


class Page:
    """The growing text."""

    def __init__(self) -> None:
        self.decision = ""
        self.covered: set[str] = set()
        self._parts: list[Statement] = []
        self._names: dict[str, list[str]] = {}
        self._files: dict[str, list[str]] = {}
        self._seen: set[str] = set()

    def holds(self, part: Statement) -> bool:
        """Whether the same words are on the page already."""
        return _plain(part.text) in self._seen or _plain(part.text) in _plain(self.decision)

    def cost(self, part: Statement) -> int:
        """Tokens that `part` would add."""
        title = 0 if self._has(part.heading) else title_cost(part.heading)
        return estimate(part.text) + 2 + (title if part.kind in _FINDINGS else 0)

    def add(self, part: Statement) -> None:
        """Put a statement on the page."""
        self._parts.append(part)
        self._seen.add(_plain(part.text))
        self._cover(part.names, part.text)

    def _cover(self, names: "tuple[str, ...]", text: str) -> None:
        self.covered.update(name for name in names if name in text)

    def _has(self, heading: str) -> bool:
        return heading in self._names or any(part.heading == heading and part.kind in _FINDINGS for part in self._parts)

    def file_cost(self, path: str) -> int:
        """Tokens that a path would add to the files."""
        folder, name = _cut(path)
        return estimate(name) + 1 if folder in self._files else estimate(path) + 2

    def add_file(self, path: str) -> None:
        """Put a path among the files."""
        folder, name = _cut(path)
        self._files.setdefault(folder, []).append(name)
        self.covered.add(path)

    def shown(self, headings: list[str]) -> str:
        """The first of these sections that has a line already, or ""."""
        return next((heading for heading in headings if self._has(heading)), "")

    def add_name(self, name: str, heading: str) -> None:
        """Put a bare name after the sentences of its section; LOOSE for one that has none."""
        self._names.setdefault(heading, []).append(name)
        self.covered.add(name)

    def arrange(self, order: dict[str, int]) -> None:
        """Bare names in the report's order, which keeps together what belongs together."""
        for names in self._names.values():
            names.sort(key=lambda name: order.get(name, 0))

    def text(self) -> str:
        """The page."""
        lines = [self.decision] if self.decision else []
        lines += self._findings()
        for kinds, label in _BLOCKS:
            block = [f"- {part.text}" for part in self._ordered(*kinds)]
            lines += [label, *block] if block else []
        if self._files:
            lines.append("Files: " + "; ".join(f"{folder}{', '.join(names)}" for folder, names in self._files.items()))
        return "\n".join(lines)

    def _ordered(self, *kinds: str) -> list[Statement]:
        return sorted((part for part in self._parts if part.kind in kinds), key=lambda part: part.order)

    def _findings(self) -> list[str]:
        sections: dict[str, list[str]] = {}
        for part in self._ordered(*_FINDINGS):
            sections.setdefault(part.heading, []).append(part.text)
        rest = [h for h in self._names if h not in sections and h != LOOSE and self._names[h]]
        headings = [*sections, *rest, *([LOOSE] if self._names.get(LOOSE) else [])]
        lines = [_section_line(h, sections.get(h, []), self._names.get(h, [])) for h in headings]
        return ["Findings:", *lines] if lines else []


def _plain(text: str) -> str:
    """What two statements have in common that say the same: letters only."""
    return " ".join(re.findall(r"[^\W\d_]+", text.lower()))


def title_cost(heading: str) -> int:
    """Tokens of a section's title on its line."""
    return 2 if heading == " " else estimate(heading) + 3


def _section_line(heading: str, sentences: list[str], names: list[str]) -> str:
    said = " ".join(text if text.endswith(_ENDS) else text.rstrip(" ,;-") + "." for text in sentences)
    listed = " ".join(names)
    if said and listed:
        said = f"{said} Also {listed}"
    title = heading.strip()
    return f"- {title}: {said or listed}" if title else f"- {said or listed}"


def _cut(path: str) -> tuple[str, str]:
    at = path.rfind("/") + 1
    return path[:at], path[at:]
