"""Is this handoff small and whole enough for the parent, and if not, what must the agent cut?"""

from collections.abc import Callable
from typing import NamedTuple

from holdfast.core import tokens


class Breach(NamedTuple):
    """One rule broken: which, by what words, and what to cut."""

    rule: str
    words: str
    cut: str


class Verdict(NamedTuple):
    """What to do with a report: "accept", "block" (with a reason for the agent) or "condense"."""

    action: str
    reason: str = ""
    tokens: int = 0
    breaches: tuple[Breach, ...] = ()


def lint(text: str) -> tuple[Breach, ...]:
    """Every breach of the handoff rules in `text`."""
    return ()


def judge(
    text: str, limit: int, blocks_so_far: int, count: Callable[[str], int] | None = None, report_path: str = ""
) -> Verdict:
    """Accept, block with a reason, or give up asking and condense."""
    size = tokens.measure(text, limit, count)
    if tokens.within(text, limit, count):
        return Verdict("accept", "", size)
    if blocks_so_far >= 2:
        return Verdict("condense", "", size)
    return Verdict("block", f"The report has {size} tokens; the limit is {limit}.", size)
