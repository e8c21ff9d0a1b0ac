"""What came of a compaction: which facts stand in the summary or in what was restored, and what must be told yet.

Rule: facts are looked for as exact strings (compaction/preservation.py). What must be held and stands neither in the
summary nor in the restored text is told once, by the next hook that reaches the model, as the record has it; at most
1,500 characters, and what does not fit is counted with the page that has it. Sources: requirements H8, K8, F1.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from holdfast.compaction import preservation
from holdfast.compaction.preservation import Checked, Counts, Fact, MustStay
from holdfast.session.reply import utf16_length
from holdfast.text.lines import one_line
from holdfast.text.tokens import estimate

CHARS = 1_500
NAMED = 12  # missing facts that a record names
OPENING = (
    "Holdfast compared the summary of this conversation, and what was restored, with the session's own record. These "
    "stand in neither; this is recorded data, not a new request."
)
SAYS = {
    "request": "the user's newest request",
    "goal": "the user's first request",
    "rule": "a marked rule",
    "decision": "a marked decision",
    "bug": "a marked bug",
    "todo": "marked to do",
    "task": "an item of the plan",
    "error": "failed and has not worked since",
    "file": "a changed file",
}


class Named(TypedDict):
    """A fact in a record."""

    kind: str
    text: str


class Restored(TypedDict):
    """What was restored."""

    characters: int
    tokens: int
    sections: list[str]


class Outcome(TypedDict):
    """What a compaction's record says of fidelity."""

    facts: Counts
    """In summary and restored text together."""
    facts_in_summary: Counts
    facts_of_last_time: Counts | None
    """Of those that the compaction before had to carry already: the chain's second link."""
    must: MustStay
    missing: list[Named]
    packet: Restored
    correction: int
    """Characters of what is told yet; 0 for nothing."""


class Texts(NamedTuple):
    """What an agent can read after a compaction."""

    summary: str
    restored: str
    page: str
    """Of the checkpoint, where summary or restored text name it; else ""."""
    where: str = ""
    """Its path."""


def check(found: Sequence[Fact], texts: Texts, before: Sequence[tuple[str, str]]) -> tuple[Outcome, str]:
    """The record's part, and what must be told yet ("" for nothing). before: (kind, text) of the last time's facts."""
    both = preservation.validate(found, (texts.summary, texts.restored), texts.page)
    alone = preservation.validate(found, (texts.summary,))
    known = [fact for fact in found if (fact.kind, fact.text) in before]
    again = preservation.validate(known, (texts.summary, texts.restored), texts.page)
    told = correction(both, texts.where)
    titles = [line[3:] for line in texts.restored.splitlines() if line.startswith("## ")]
    lost = both.of("missing")
    outcome: Outcome = {
        "facts": both.counts(),
        "facts_in_summary": alone.counts(),
        "facts_of_last_time": again.counts() if before else None,
        "must": both.must(),
        "missing": [{"kind": fact.kind, "text": one_line(fact.text, 160)} for fact in lost[:NAMED]],
        "packet": {"characters": len(texts.restored), "tokens": estimate(texts.restored), "sections": titles},
        "correction": len(told),
    }
    return outcome, told


def correction(checked: Checked, where: str) -> str:
    """What must be held and is in neither text, at most CHARS UTF-16 units; "" for nothing."""
    lost = [fact for fact in checked.of("missing", "recoverable") if fact.must]
    if not lost:
        return ""
    left, taken = CHARS - utf16_length(OPENING) - utf16_length(where) - 40, []  # 40: the line that counts the rest
    for fact in lost:
        state = f" ({fact.state.replace('_', ' ')})" if fact.state else ""
        line = f"- {SAYS[fact.kind]}{state}: {one_line(fact.text, 400)}"
        if utf16_length(line) + 1 <= left:
            taken.append(line)
            left -= utf16_length(line) + 1
    rest = len(lost) - len(taken)
    return "\n".join([OPENING, *taken, *([f"- and {rest} more: read {where or 'the checkpoint'}"] if rest else [])])
