"""Is this handoff small and whole enough for the parent, and if not, what is its agent asked?

Rules (B1, H4): at most `limit` tokens, and a decision. A reply of a few lines needs no decision, and JSON from end to
end is the form that its task asked for. An agent is asked at most twice, and for a missing decision alone once; then
the outline stands in. What must be kept is named by kind and by the report's own labels, so that nobody cuts a finding
that is marked as severe. Breaches say what to cut; by themselves they never send anything back.
"""

import re
from collections.abc import Callable, Sequence
from itertools import groupby, islice
from typing import NamedTuple

from holdfast.handoff import decision, model, outline, structure
from holdfast.handoff.outline import Caption
from holdfast.handoff.structure import Line
from holdfast.text import tokens
from holdfast.text.lines import one_line


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


CUTS = {
    "file contents": "quoted code; name file and symbol, or the line",
    "search queries": "how you searched; name only what you found",
    "tool calls": "calls and marks of the client; state what they gave",
}
"""Rule -> what is to be cut that breaks it."""
_SEARCH = re.compile(r"(?:[$>] ?)?(?:(?:git )?grep|rg|ag|ack) +[-\"']|(?:[$>] ?)?find [\w./~-]+ -\w|\"?pattern\"?: \S")
_CALL = re.compile(r"[⏺●]?\s*(?:Read|Grep|Glob|Bash|Edit|Write|WebFetch|WebSearch|Task|Agent)\(|</?(?:\w+:)?"
                   r"(?:invoke|function_calls|tool_use|tool_result|thinking)\b")  # fmt: skip


def lint(text: str) -> dict[str, list[str]]:
    """Rule -> at most two quotations of what breaks it, by the structure of `text`."""
    found: dict[str, list[str]] = {rule: [] for rule in CUTS}
    for is_code, block in groupby(structure.scan(text), lambda line: line.kind == "code" and line.language != "json"):
        inside = list(block)
        if is_code and len(inside) >= 5:
            found["file contents"].append(inside[0].text)
        found["search queries"] += [line.text for line in inside if _SEARCH.match(line.plain)]
        found["tool calls"] += [line.text for line in inside if _CALL.match(line.text)]
    return {rule: [f'"{one_line(said, 70)}"' for said in told[:2]] for rule, told in found.items() if told}


def allowed(parsed: model.Parsed, terms: Terms) -> int:
    """Tokens that this reply may have."""
    return max(terms.limit, terms.data) if parsed.form == "data" else terms.limit


def judge(text: str, terms: Terms, asked: int = 0, count: Callable[[str], int] | None = None) -> Judgement:
    """Accept, block with a reason, or give up asking and outline; asked: how often this agent has been."""
    parsed = model.parse(text)
    limit, is_data = allowed(parsed, terms), parsed.form == "data"
    size = tokens.measure(parsed.read, limit, count)
    missing = terms.decision and not is_data and not parsed.decided
    if size <= limit:
        short = size * 2 <= limit  # one word, a list of names, a short answer
        ask = missing and not short and terms.blocks and not asked
        return Judgement("block", _ask_decision(size), size) if ask else Judgement("accept", "", size)
    if asked >= terms.blocks:
        return Judgement("outline", "", size)
    # 0.30 words to a token of the new family in 54 sub-agents' reports, 0.37 in 406 plainer texts of assistants; the
    # 400 words for 500 tokens of the rule's source would be 1,100-1,300 tokens
    form = "as JSON from end to end" if is_data else f"about {int(limit * 0.33)} words"
    stated = "it is missing, so state it" if missing else "as you made it"
    lines = structure.scan(parsed.read)
    severe_or_open = (outline.labelled(lines, of) for of in (Caption.SEVERE, Caption.TO_DO))
    must_stay = {line.number: line for rows in severe_or_open for line in rows}
    reason = [
        f"The handoff has {size:,} tokens; the limit is {limit:,} ({form}). Send the complete handoff "
        "again within the limit, as your whole answer.",
        "Keep, in this order:",
        *([] if is_data else [f"- first line: Decision: PROCEED, STOP or CLARIFY ({stated}) with its reason;"]),
        f"- every finding that blocks or is severe, each with path and line, and each required fix{_named(must_stay)};",
        "- errors still open, with their exact message;",
        "- the answer to what your task asked for, with exact names and numbers; files changed; constraints.",
        *_to_cut(parsed.read, lines, {*must_stay, *(line.number for line, _ in decision.statements(lines))}),
    ]
    return Judgement("block", "\n".join(reason), size)


def _ask_decision(size: int) -> str:
    return (
        f"The handoff ({size:,} tokens) states no decision. Send the complete handoff again, all of it, with a first "
        'line "Decision: PROCEED", "Decision: STOP" or "Decision: CLARIFY" and its reason.'
    )


def _named(rows: dict[int, Line]) -> str:
    """What the report itself labels as severe or open, the first of it by its words."""
    named = "; ".join(f'"{one_line(row.plain, 70)}"' for row in islice(rows.values(), 6))
    more = f" and {len(rows) - 6} more of that kind" if len(rows) > 6 else ""
    return f": {named}{more}" if rows else ""


def _to_cut(text: str, lines: Sequence[Line], must_stay: set[int]) -> list[str]:
    """What may go: breaches, then up to three sections of an eighth of the text and more in which nothing must stay."""
    raw, whole = text.split("\n"), tokens.estimate(text)
    titles = [line for line in lines if line.kind == "heading" and line.depth < structure.Depth.BOLD]
    sections = []
    for title, end in zip(titles, [*(line.number for line in titles[1:]), len(raw) + 1], strict=False):
        size = tokens.estimate("\n".join(raw[title.number - 1 : end - 1]))
        if must_stay.isdisjoint(range(title.number, end)) and size * 8 >= whole:
            sections.append((size, one_line(title.plain, 70)))
    longest = ", ".join(f'"{title}" ({size:,} tokens)' for size, title in sorted(sections, reverse=True)[:3])
    return [
        "Cut:",
        *(f"- {rule}, e.g. {' / '.join(told)}: {CUTS[rule]}" for rule, told in lint(text).items()),
        *([f"- most of the longest sections: {longest}"] if longest else []),
        "- steps on the way, alternatives not chosen, errors already resolved.",
    ]
