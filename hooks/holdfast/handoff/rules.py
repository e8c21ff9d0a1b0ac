"""Is this handoff small and whole enough for the parent, and if not, what is its agent asked?

Rules (B1, H4): at most `limit` tokens, and a decision. A reply of a few lines needs no decision, and JSON from end to
end is the form that its task asked for. An agent is asked at most twice, and for a missing decision alone once; then
the outline stands in. What must be kept is named by kind and by the report's own labels, so that nobody cuts a finding
that is marked as severe. Breaches say what to cut; by themselves they never send anything back.
"""

import re
from collections.abc import Callable, Iterator
from itertools import groupby, islice
from typing import NamedTuple

from holdfast.handoff import decision, model, outline, structure
from holdfast.handoff.structure import Line
from holdfast.text import tokens
from holdfast.text.lines import clip


class Breach(NamedTuple):
    """One rule broken: which, by what words, and what to cut."""

    rule: str
    words: str
    cut: str


class Terms(NamedTuple):
    """What is asked of an agent."""

    limit: int = 500
    blocks: int = 2
    decision: bool = True
    data: int = 2_500
    """Tokens that a reply in JSON may have."""


class Judgement(NamedTuple):
    """What to do with a report: "accept", "block" (with a reason for the agent) or "outline"."""

    action: str
    reason: str = ""
    tokens: int = 0
    breaches: tuple[Breach, ...] = ()


CUTS = {
    "file contents": "quoted code; name file and symbol, or the line",
    "search queries": "how you searched; name only what you found",
    "tool calls": "calls and marks of the client; state what they gave",
}
_SEARCH = re.compile(r"(?:[$>] ?)?(?:(?:git )?grep|rg|ag|ack) +[-\"']|(?:[$>] ?)?find [\w./~-]+ -\w|\"?pattern\"?: \S")
_CALL = re.compile(r"[⏺●]?\s*(?:Read|Grep|Glob|Bash|Edit|Write|WebFetch|WebSearch|Task|Agent)\(|</?(?:\w+:)?"
                   r"(?:invoke|function_calls|tool_use|tool_result|thinking)\b")  # fmt: skip
_CODE_LINES, _EXAMPLES, _WORDS_SHOWN, _ROWS_SHOWN = 5, 2, 70, 6
WORDS_PER_TOKEN = 0.33
"""Measured in the new tokenizer family: 0.30 in 54 sub-agents' reports, 0.37 in 406 plainer assistant texts. The 400
words for 500 tokens of the rule's source would be 1,100-1,300 tokens."""
SHORT = 2
"""A reply of at most the limit divided by this needs no decision: one word, a list of names, a short answer."""


def lint(text: str) -> tuple[Breach, ...]:
    """Breaches of the rules that the structure of `text` shows, at most two examples of each."""
    found = sorted(_breaches(structure.scan(text)), key=lambda breach: breach[0])
    return tuple(
        Breach(rule, clip(" ".join(line.text.split()), _WORDS_SHOWN), CUTS[rule])
        for rule, group in groupby(found, key=lambda breach: breach[0])
        for _, line in islice(group, _EXAMPLES)
    )


def _breaches(lines: list[Line]) -> Iterator[tuple[str, Line]]:
    for is_code, block in groupby(lines, key=lambda line: line.kind == "code" and line.language != "json"):
        inside = list(block)
        if is_code and len(inside) >= _CODE_LINES:
            yield "file contents", inside[0]
        for line in inside:
            if _SEARCH.match(line.plain):
                yield "search queries", line
            elif _CALL.match(line.text):
                yield "tool calls", line


def states_decision(parsed: model.Parsed) -> bool:
    """Whether a line or a field states one, in whatever words."""
    return bool(parsed.handoff.decision or decision.find(model.parent_text(parsed)).words)


def allowed(parsed: model.Parsed, terms: Terms) -> int:
    """Tokens that this reply may have."""
    return max(terms.limit, terms.data) if parsed.form == "data" else terms.limit


def judge(
    text: str,
    terms: Terms,
    blocks_so_far: int = 0,
    count: Callable[[str], int] | None = None,
    report_path: str = "",
) -> Judgement:
    """Accept, block with a reason, or give up asking and outline."""
    parsed = model.parse(text)
    read = model.parent_text(parsed)
    limit = allowed(parsed, terms)
    size = tokens.measure(read, limit, count)
    missing = terms.decision and parsed.form != "data" and not states_decision(parsed)
    path = f"\nEnd with the line: Full report: {report_path}" if report_path else ""
    if size <= limit:
        if not missing or size * SHORT <= limit or terms.blocks < 1 or blocks_so_far:
            return Judgement("accept", "", size)
        return Judgement("block", _ASK_DECISION.format(size=size) + path, size)
    breaches = lint(read)
    if blocks_so_far >= terms.blocks:
        return Judgement("outline", "", size, breaches)
    ask = [*_asked_size(size, terms.limit), *_to_keep(read, missing), *_to_cut(read, breaches)]
    return Judgement("block", "\n".join(ask) + path, size, breaches)


_ASK_DECISION = (
    "The handoff ({size:,} tokens) states no decision. Send the complete handoff again, all of it, with a first line "
    '"Decision: PROCEED", "Decision: STOP" or "Decision: CLARIFY" and its reason.'
)


def _asked_size(size: int, limit: int) -> list[str]:
    return [
        f"The handoff has {size:,} tokens; the limit is {limit:,} (about {int(limit * WORDS_PER_TOKEN)} words). "
        "The full text is saved already. Send the complete handoff again within the limit, as your whole answer."
    ]


def _to_keep(text: str, missing: bool) -> list[str]:
    """What the shorter handoff must still have, by kind; what the report labels as severe or open is named."""
    lines = structure.scan(text)
    named = {line.number: clip(line.plain, _WORDS_SHOWN) for line in (*outline.severe(lines), *outline.to_do(lines))}
    rows = list(named.values())
    more = f" and {len(rows) - _ROWS_SHOWN} more of that kind" if len(rows) > _ROWS_SHOWN else ""
    listed = ": " + "; ".join(f'"{row}"' for row in rows[:_ROWS_SHOWN]) + more if rows else ""
    decided = "it is missing, so state it" if missing else "as you made it"
    return [
        "Keep, in this order:",
        f"- first line: Decision: PROCEED, STOP or CLARIFY ({decided}) with its reason;",
        f"- every finding that blocks or is severe, each with path and line, and each required fix{listed};",
        "- errors still open, with their exact message;",
        "- the answer to what your task asked for, with exact names and numbers; files changed; constraints.",
    ]


def _to_cut(text: str, breaches: tuple[Breach, ...]) -> list[str]:
    """What may go: breaches, then the longest sections in which nothing is labelled as severe, open or decided."""
    cuts = []
    for rule, group in groupby(breaches, key=lambda breach: breach.rule):
        examples = list(group)
        quoted = " / ".join(f'"{breach.words}"' for breach in examples)
        cuts.append(f"- {rule}, e.g. {quoted}: {examples[0].cut}")
    sections = [f'"{title}" ({size:,} tokens)' for size, title in _longest(text)]
    cuts += [f"- most of the longest sections: {', '.join(sections)}"] if sections else []
    return ["Cut:", *cuts, "- steps on the way, alternatives not chosen, errors already resolved."]


def _longest(text: str) -> list[tuple[int, str]]:
    """(tokens, title) of up to three sections of an eighth of the text and more, in which nothing must stay."""
    lines = structure.scan(text)
    kept = {line.number for line in (*outline.severe(lines), *outline.to_do(lines))}
    kept |= {one.line.number for one in decision.statements(lines)}
    starts = [line for line in lines if line.kind == "heading" and line.depth < structure.BOLD]
    raw = text.split("\n")
    found = []
    ends = [line.number for line in starts[1:]]
    for line, end in zip(starts, [*ends, len(raw) + 1], strict=False):
        if kept.isdisjoint(range(line.number, end)):
            found.append((tokens.estimate("\n".join(raw[line.number - 1 : end - 1])), clip(line.plain, _WORDS_SHOWN)))
    least = tokens.estimate(text) / 8
    return [one for one in sorted(found, reverse=True)[:3] if one[0] >= least]
