"""What stands in a system prompt, and how much of each?

Rule: six parts with a cap each, in one order: who the agent is, the executive summary, the task, what is critical, when
it is done, where the rest is. Together 8,000 tokens, within the 5,000 to 10,000 that a system prompt should have. A
part over its cap loses whole lines from its end, except what is critical, which is told as being over: a constraint
that is cut is none. Source: requirement N (system prompt construction).
"""

from bisect import bisect_right
from collections.abc import Mapping
from typing import NamedTuple

from holdfast.errors import BadInput
from holdfast.text.lines import clip
from holdfast.text.tokens import estimate

SECTIONS = {
    "role": ("Role", 500),
    "summary": ("Project", 1_000),
    "task": ("Current task", 2_000),
    "critical": ("Decisions and constraints", 3_000),
    "criteria": ("Done when", 1_000),
    "resources": ("Resources", 500),
}
"""Part -> title, and tokens at most; "critical" is never cut."""


class Prompt(NamedTuple):
    """A system prompt."""

    text: str
    tokens: int
    sizes: dict[str, int]  # part -> tokens
    notes: tuple[str, ...]  # what was cut or is over, one line each


def build(parts: Mapping[str, str]) -> Prompt:
    """The prompt of these parts; empty ones are left out. Raises BadInput for a part that there is not."""
    unknown = [name for name in parts if name not in SECTIONS]
    if unknown:
        raise BadInput(f"no part {unknown[0]!r}", "system prompt", f"Parts are {', '.join(SECTIONS)}")
    texts, sizes, notes = [], {}, []
    for name, (title, cap) in SECTIONS.items():
        given = parts.get(name, "").strip()
        kept = given if name == "critical" else head(given, cap)
        sizes[name] = estimate(kept)
        if kept:
            texts.append(f"## {title}\n{kept}")
        if kept != given:
            notes.append(f"{name}: cut from {estimate(given):,} to {sizes[name]:,} tokens")
        elif sizes[name] > cap:
            notes.append(f"{name}: {sizes[name]:,} tokens, planned are {cap:,}")
    text = "\n\n".join(texts)
    tokens = estimate(text)
    if tokens > 10_000:
        notes.append(f"{tokens:,} tokens, a system prompt should have 10,000 at most")
    return Prompt(text, tokens, sizes, tuple(notes))


def head(text: str, tokens: int) -> str:
    """The whole lines at the beginning of `text` that have at most `tokens`; of one long line its beginning."""
    if estimate(text) <= tokens:
        return text
    lines = text.split("\n")
    most = bisect_right(range(len(lines)), tokens, key=lambda number: estimate("\n".join(lines[:number])))
    if most > 1:
        return "\n".join(lines[: most - 1]).rstrip()
    chars = bisect_right(range(len(lines[0])), tokens, key=lambda number: estimate(clip(lines[0], number)))
    return clip(lines[0], chars - 1)
