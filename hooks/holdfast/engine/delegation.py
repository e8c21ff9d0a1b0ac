"""Should a piece of work go to a sub-agent, and which piece of this window should have gone?

Rule: five questions, each with a weight for or against: whether the work is independent, needs ten calls or more,
needs the whole conversation, gives a result that must be put together, and whether quality is worth the price. More
for than against: delegate; work that needs the conversation never. Of a window, the piece is the longest run of reads
and searches of which no later turn used a name. What a sub-agent returns comes back as a handoff of at most 500 tokens.
Source: requirement K5; the weights are ours, the source lists the questions only.
"""

from collections.abc import Sequence
from typing import NamedTuple

from holdfast.engine.blocks import Block, BlockKind, Plan, tokens_of
from holdfast.engine.progressive import shortened
from holdfast.engine.strategy import StrategyInput
from holdfast.text.tokens import estimate

MANY = 10  # calls from which on an exploration is large


class Piece(NamedTuple):
    """A piece of work that could be delegated."""

    independent: bool  # can be told in one or two sentences
    calls: int  # of tools, expected or counted
    needs_history: bool  # makes no sense without the whole conversation
    synthesis: bool  # its result is an analysis, not a value or a yes
    thrifty: bool = False  # the cost of a second window counts more than the quality


class Advice(NamedTuple):
    """Whether to delegate, and why."""

    delegate: bool
    reasons: tuple[str, ...]  # one for each question, "for: …" or "against: …"


def decide(piece: Piece) -> Advice:
    """Whether a piece of work is worth a sub-agent."""
    questions = (  # (holds, weight, reason)
        (piece.independent, 2, "for: it can be told in one or two sentences"),
        (not piece.independent, -2, "against: it is tied to the work around it"),
        (piece.calls >= MANY, 2, f"for: {MANY} calls or more, whose output nobody needs again"),
        (piece.calls < 5, -2, "against: fewer than 5 calls are cheaper here"),
        (piece.needs_history, -4, "against: it needs the conversation, which a sub-agent does not have"),
        (piece.synthesis, 1, "for: the result is to be put together from much"),
        (not piece.synthesis, -1, "against: the result is one value, a single look may do"),
        (piece.thrifty, -1, "against: a second window costs its own prompt"),
    )
    weight = sum(weight for holds, weight, _ in questions if holds)
    return Advice(weight > 0 and not piece.needs_history, tuple(reason for holds, _, reason in questions if holds))


def exploration(blocks: Sequence[Block], turn: int) -> list[Block]:
    """The calls and results of the largest run of looks of which no turn after it used a name; [] for none of MANY."""
    looks = ("Read", "Grep", "Glob", "LS", "WebFetch", "WebSearch", "NotebookRead")
    runs: list[list[Block]] = [[]]
    for block in blocks:
        if block.kind not in (BlockKind.CALL, BlockKind.RESULT) or not block.tokens:
            continue
        if block.about.partition(" ")[0] in looks and block.turn < turn:
            runs[-1].append(block)
        elif runs[-1]:
            runs.append([])
    large = (run for run in runs if sum(block.kind == BlockKind.CALL for block in run) >= MANY)
    unused = (run for run in large if max(block.used for block in run) <= run[-1].turn)  # which is that of the answer
    return max(unused, key=tokens_of, default=[])


def advice(given: StrategyInput) -> Plan:
    """At the end of the window: what should go to a sub-agent next time. Changes nothing."""
    run = exploration(given.blocks, given.context.turn)
    if not run:
        return Plan("delegation", note="the window is nearly full: hand over to a new one", short=given.wanted)
    looks = [block.about for block in run if block.kind == BlockKind.CALL]
    told = (
        f"the {len(looks)} looks of turns {run[0].turn} to {run[-1].turn} (~{tokens_of(run)} tokens, from {looks[0]}) "
        "were not used again: the next exploration of this kind is work for a sub-agent"
    )
    return Plan("delegation", note=f"{told}; hand over to a new window", short=given.wanted)


def returned(report: str, path: str = "") -> str:
    """What a sub-agent's report brings here: whole within 500 tokens, else its outline, with the path of the whole.

    The outline is verbatim: headings, table rows and list items, then first lines, as many as fit.
    """
    if estimate(report) <= 500:
        return report
    tail = f"\nWhole report: {path}" if path else ""
    room = 499 - estimate(tail)
    while estimate(told := shortened(report, room, estimate) + tail) > 500 and room > 0:  # more than lines' sum
        room = room * 9 // 10
    return told
