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
    """What is asked of an agent; data: tokens that a reply in JSON may have."""

    limit: int = 500
    blocks: int = 2
    decision: bool = True
    data: int = 2_500


class Judgement(NamedTuple):
    """What to do with a report of so many tokens: "accept", "block" (with a reason for the agent) or "outline"."""

    action: str
    reason: str = ""
    tokens: int = 0


_CUTS = {
    "file contents": "quoted code; name file and symbol, or the line",
    "search queries": "how you searched; name only what you found",
    "tool calls": "calls and marks of the client; state what they gave",
}
_SEARCH = re.compile(r"(?:[$>] ?)?(?:(?:git )?grep|rg|ag|ack) +[-\"']|(?:[$>] ?)?find [\w./~-]+ -\w|\"?pattern\"?: \S")
_CALL = re.compile(r"[⏺●]?\s*(?:Read|Grep|Glob|Bash|Edit|Write|WebFetch|WebSearch|Task|Agent)\(|</?(?:\w+:)?"
                   r"(?:invoke|function_calls|tool_use|tool_result|thinking)\b")  # fmt: skip
_WORDS_SHOWN, _ROWS_SHOWN = 70, 6
WORDS_PER_TOKEN = 0.33
"""Measured in the new tokenizer family: 0.30 in 54 sub-agents' reports, 0.37 in 406 plainer assistant texts. The 400
words for 500 tokens of the rule's source would be 1,100-1,300 tokens."""


def lint(text: str) -> list[Breach]:
    """Breaches of the rules that the structure of `text` shows, at most two examples of each."""
    found = sorted(_breaches(structure.scan(text)), key=lambda breach: breach[0])
    return [
        Breach(rule, clip(" ".join(line.text.split()), _WORDS_SHOWN), _CUTS[rule])
        for rule, group in groupby(found, key=lambda breach: breach[0])
        for _, line in islice(group, 2)
    ]


def _breaches(lines: list[Line]) -> Iterator[tuple[str, Line]]:
    for is_code, block in groupby(lines, key=lambda line: line.kind == "code" and line.language != "json"):
        inside = list(block)
        if is_code and len(inside) >= 5:
            yield "file contents", inside[0]
        for line in inside:
            if _SEARCH.match(line.plain):
                yield "search queries", line
            elif _CALL.match(line.text):
                yield "tool calls", line


def allowed(parsed: model.Parsed, terms: Terms) -> int:
    """Tokens that this reply may have."""
    return max(terms.limit, terms.data) if parsed.form == "data" else terms.limit


def judge(text: str, terms: Terms, asked: int = 0, count: Callable[[str], int] | None = None) -> Judgement:
    """Accept, block with a reason, or give up asking and outline; asked: how often this agent has been."""
    parsed = model.parse(text)
    read, limit = model.parent_text(parsed), allowed(parsed, terms)
    size = tokens.measure(read, limit, count)
    decided = parsed.handoff.decision or decision.find(read).words
    missing = terms.decision and parsed.form != "data" and not decided
    if size <= limit:
        short = size * 2 <= limit  # one word, a list of names, a short answer
        ask = missing and not short and terms.blocks and not asked
        return Judgement("block", _ASK_DECISION.format(size=size), size) if ask else Judgement("accept", "", size)
    if asked >= terms.blocks:
        return Judgement("outline", "", size)
    data = parsed.form == "data"
    form = "as JSON from end to end" if data else f"about {int(limit * WORDS_PER_TOKEN)} words"
    reason = [
        f"The handoff has {size:,} tokens; the limit is {limit:,} ({form}). The full text is saved already. Send the "
        "complete handoff again within the limit, as your whole answer."
    ]
    lines = structure.scan(read)
    must_stay = {line.number: line for line in (*outline.severe(lines), *outline.to_do(lines))}
    decided = "" if data else "it is missing, so state it" if missing else "as you made it"
    reason += _to_keep(list(must_stay.values()), decided)
    reason += _to_cut(read, lines, {*must_stay, *(line.number for line, _ in decision.statements(lines))})
    return Judgement("block", "\n".join(reason), size)


_ASK_DECISION = (
    "The handoff ({size:,} tokens) states no decision. Send the complete handoff again, all of it, with a first line "
    '"Decision: PROCEED", "Decision: STOP" or "Decision: CLARIFY" and its reason.'
)


def _to_keep(rows: list[Line], decided: str) -> list[str]:
    """What the shorter handoff must still have, by kind; what the report labels as severe or open is named.

    decided: what to do about the decision, "" where the form has none.
    """
    named = "; ".join(f'"{clip(row.plain, _WORDS_SHOWN)}"' for row in rows[:_ROWS_SHOWN])
    more = f" and {len(rows) - _ROWS_SHOWN} more of that kind" if len(rows) > _ROWS_SHOWN else ""
    return [
        "Keep, in this order:",
        *([f"- first line: Decision: PROCEED, STOP or CLARIFY ({decided}) with its reason;"] if decided else []),
        "- every finding that blocks or is severe, each with path and line, and each required fix"
        f"{': ' if rows else ''}{named}{more};",
        "- errors still open, with their exact message;",
        "- the answer to what your task asked for, with exact names and numbers; files changed; constraints.",
    ]


def _to_cut(text: str, lines: list[Line], must_stay: set[int]) -> list[str]:
    """What may go: breaches, then up to three sections of an eighth of the text and more in which nothing must stay."""
    raw = text.split("\n")
    titles = [line for line in lines if line.kind == "heading" and line.depth < structure.BOLD]
    sections = []
    for title, end in zip(titles, [*(line.number for line in titles[1:]), len(raw) + 1], strict=False):
        size = tokens.estimate("\n".join(raw[title.number - 1 : end - 1]))
        if must_stay.isdisjoint(range(title.number, end)) and size * 8 >= tokens.estimate(text):
            sections.append((size, clip(title.plain, _WORDS_SHOWN)))
    broken: dict[str, list[str]] = {}
    for breach in lint(text):
        broken.setdefault(breach.rule, []).append(f'"{breach.words}"')
    longest = ", ".join(f'"{title}" ({size:,} tokens)' for size, title in sorted(sections, reverse=True)[:3])
    return [
        "Cut:",
        *(f"- {rule}, e.g. {' / '.join(words)}: {_CUTS[rule]}" for rule, words in broken.items()),
        *([f"- most of the longest sections: {longest}"] if longest else []),
        "- steps on the way, alternatives not chosen, errors already resolved.",
    ]
