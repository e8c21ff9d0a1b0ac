"""Is this handoff small and whole enough for the parent, and if not, what must the agent cut?

Rules (B1): at most `limit` tokens (500, about 400 words). In: findings that the next phase needs, the decision,
paths that need attention, patterns to follow, constraints. Out: what the table below names. Breaches never
block by themselves: they say what to cut once a handoff is over its limit. An agent is asked at most twice
(H4), and for a missing decision alone once; after that its report is condensed.
"""

import re
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple

from holdfast.handoff import decision as verdict
from holdfast.handoff import model
from holdfast.text import tokens


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


class Verdict(NamedTuple):
    """What to do with a report: "accept", "block" (with a reason for the agent) or "condense"."""

    action: str
    reason: str = ""
    tokens: int = 0
    breaches: tuple[Breach, ...] = ()


# rule, pattern of the offending words, what to cut
_RULES = (
    (
        "search queries",
        r"\b(?:i |we )?(?:searched|grepped|ran (?:a )?(?:grep|rg|find|search|glob)|search(?:ing)? for"
        r"|looked (?:for|up))\b[^.\n]{0,80}|^[ \t]*(?:\$ )?(?:grep|rg|find|ag|glob)\s+[-\"'/.\w][^\n]{0,80}"
        r"|\bgrep pattern[^\n]{0,60}",
        "how you searched; name only what you found",
    ),
    (
        "thinking steps",
        r"\b(?:let me|first,? i|then,? i|next,? i|i (?:then|also|started|began|looked|checked|noticed|think|thought"
        r"|realized|wondered)|i'll|i will (?:now )?|now i|after analy[sz]ing|perfect!|excellent!|great!"
        r"|based on my (?:thorough |comprehensive )?(?:search|analysis|research|exploration|review))\b[^.\n]{0,80}",
        "the account of your steps; state results",
    ),
    (
        "file contents",
        r"^[ \t]*```(?!json)[^\n]*\n(?:[^\n]*\n){4,}?[ \t]*```|(?:^[ \t]*\d{1,5}(?:\u2192|\t|: )[^\n]*\n){4,}",
        "quoted code; name file and symbol, or the line",
    ),
    (
        "resolved errors",
        r"\b(?:error|failure|bug|issue|warning|problem)s?\b[^.\n]{0,40}\b(?:(?:was|were|is|are|has been|have been"
        r"|now) (?:now )?(?:fixed|resolved|solved|corrected|addressed)|no longer occurs?|went away)\b[^.\n]{0,40}",
        "errors that are resolved; keep those still open",
    ),
    (
        "alternatives not chosen",
        r"\b(?:alternatively|another (?:option|approach|way)|option [b-f2-6]\b|we could (?:also|instead)"
        r"|i considered|rejected (?:because|the)|other approaches|instead of this)[^.\n]{0,60}",
        "options not chosen; keep the choice and its reason",
    ),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE | re.MULTILINE), cut) for name, pattern, cut in _RULES)
_WORDS_SHOWN = 70
_EXAMPLES = 2
WORDS_PER_TOKEN = 0.33
"""Measured in the new tokenizer family: 0.30 in 54 sub-agents' reports, 0.37 in 406 plainer assistant texts. The 400
words for 500 tokens of the rule's source would be 1,100-1,300 tokens."""


def lint(text: str) -> tuple[Breach, ...]:
    """Breaches of the rules in `text`, at most two examples of each rule."""
    found: list[Breach] = []
    for name, pattern, cut in _COMPILED:
        found += [Breach(name, _quote(match.group()), cut) for match in islice(pattern.finditer(text), _EXAMPLES)]
    return tuple(found)


def _quote(words: str) -> str:
    line = " ".join(words.split())
    return line if len(line) <= _WORDS_SHOWN else line[: _WORDS_SHOWN - 1].rstrip() + "…"


def parent_text(parsed: model.Parsed) -> str:
    """What of a report the parent would read: of a structured handoff everything but its findings."""
    if parsed.form == "prose":
        return parsed.handoff.context_summary
    return model.render(parsed.handoff, rest=parsed.rest)


def states_decision(parsed: model.Parsed) -> bool:
    """Whether a decision is recognisable; generous, because asking again costs the agent a turn."""
    return bool(parsed.handoff.decision or verdict.decide(parent_text(parsed)).name)


def judge(
    text: str,
    limit: int | Terms,
    blocks_so_far: int = 0,
    count: Callable[[str], int] | None = None,
    report_path: str = "",
) -> Verdict:
    """Accept, block with a reason, or give up asking and condense. A number as `limit` stands for Terms(limit)."""
    asked = Terms(limit) if isinstance(limit, int) else limit
    parsed = model.parse(text)
    read = parent_text(parsed)
    size = tokens.measure(read, asked.limit, count)
    missing = asked.decision and not states_decision(parsed)
    if size <= asked.limit:
        if not missing or asked.blocks < 1 or blocks_so_far:
            return Verdict("accept", "", size)
        return Verdict("block", _ASK_DECISION + _path_line(report_path), size)
    breaches = lint(read)
    if blocks_so_far >= asked.blocks:
        return Verdict("condense", "", size, breaches)
    ask = _ask_cut(read, Verdict("block", "", size, breaches), asked.limit, missing)
    return Verdict("block", ask + _path_line(report_path), size, breaches)


_ASK_DECISION = (
    "The handoff states no decision. Send the complete handoff again with a first line "
    '"Decision: PROCEED", "Decision: STOP" or "Decision: CLARIFY" and its reason.'
)


def _ask_cut(text: str, found: Verdict, limit: int, missing: bool) -> str:
    words = int(limit * WORDS_PER_TOKEN)
    lines = [
        f"The handoff has {found.tokens:,} tokens; the limit is {limit:,} (about {words} words). The full text "
        "is saved already. Send the complete handoff again within the limit, as your whole answer."
    ]
    if found.breaches:
        lines.append("Cut:")
        lines += [f"- {rule}, e.g. {quoted}: {cut}" for rule, quoted, cut in _by_rule(found.breaches)]
    lines += [f"{'Cut also' if found.breaches else 'Cut'} {what}." for what in _bulk(text)]
    lines.append(
        "Keep: the decision (PROCEED, STOP or CLARIFY), findings that the next step needs, exact paths and names, "
        "errors still open, constraints."
    )
    if missing:
        lines.append("The decision is missing: state it in the first line.")
    return "\n".join(lines)


def _by_rule(breaches: tuple[Breach, ...]) -> list[tuple[str, str, str]]:
    rules: dict[str, list[Breach]] = {}
    for breach in breaches:
        rules.setdefault(breach.rule, []).append(breach)
    return [(rule, " / ".join(f'"{breach.words}"' for breach in found), found[0].cut) for rule, found in rules.items()]


def _bulk(text: str) -> list[str]:
    """The longest sections, named with their sizes: where cutting pays."""
    parts = re.split(r"(?m)^(?=#{1,6} )", text)
    sized = sorted(((tokens.estimate(part), part.split("\n", 1)[0].strip("# \t")) for part in parts), reverse=True)
    total = sum(size for size, _ in sized)
    large = [f'"{_quote(title)}" ({size:,} tokens)' for size, title in sized[:3] if title and size >= total / 8]
    return [f"most of the longest sections: {', '.join(large)}"] if len(parts) > 2 and large else []


def _path_line(report_path: str) -> str:
    return f"\nEnd with the line: Full report: {report_path}" if report_path else ""
