"""Is this handoff small enough for the parent?

Rule (B1, H4): an agent is sent back exactly where its reply has more tokens than its limit and is neither JSON nor a
fenced block from end to end: that is the form that its task asked for. At most twice; then the outline stands in.
Breaches of the other rules say what to leave out (handoff/sendback.py); by themselves they never send anything back.
"""

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

from holdfast.handoff import model, structure
from holdfast.text import late as re
from holdfast.text import tokens
from holdfast.text.lines import one_line


class Terms(NamedTuple):
    """What is asked of an agent; data: tokens that a reply in JSON or in a fence may have."""

    limit: int = 500
    blocks: int = 2
    data: int = 2_500


class Judgement(NamedTuple):
    """What to do with a reply of so many tokens: "accept", "block" or "outline"."""

    action: str
    tokens: int


CUTS = {
    "file contents": "quoted code, unless it is the message of an open error; name file and symbol, or the line",
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
    """Accept, send back, or give up asking and outline; asked: how often this agent has been."""
    parsed = model.parse(text)
    limit = allowed(parsed, terms)
    size = tokens.measure(parsed.read, limit, count)
    if size <= limit:
        return Judgement("accept", size)
    return Judgement("block" if asked < terms.blocks and parsed.form != "data" else "outline", size)
