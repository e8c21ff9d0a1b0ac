"""What is read of others' words here, and what agents are told of each other: lines, each foreign text quoted in one.

A task says what its agent owns in a line of its own, `Owns: src/pay/**, docs/pay.md#Fees`; `Shares:` is for a place
that others may write to as well. Marks are read as everywhere (text/markdown.py): not in code, quotations or tags.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from holdfast.session.context import PROGRAM
from holdfast.team.model import MAIN, USER, Agent, Claim, Mode, Refusal
from holdfast.text import late as re
from holdfast.text import markdown
from holdfast.text.lines import age, clip, one_line

_OWNS = re.compile(r"[*_`]{0,3}(?P<word>Owns|Shares)[*_`]{0,3}:[*_`]{0,3}[ \t]+(?P<what>\S.*)")
_PARTS = re.compile(r"(?:`[^`]*`|\{[^{}]*\}|\([^()]*\)|[^,])+")
"""What stands between the commas of such a line, but for those of a name, between braces or in a note."""
_SPANS = re.compile(r"(?:`[^`]+`(?:[^\w`()]|\band\b|\([^()`]*\))*)+")
"""Names between backticks, with no word but "and" and notes, which name none, between and behind them."""
HOW: Mapping[Mode, str] = {"exclusive": "owned by", "shared": "shared by", "read": "kept from changes by"}


def owned(prompt: str) -> list[tuple[str, Mode]]:
    """The patterns that a task gives to its agent, as they are written: a name between backticks with these."""
    if "Owns" not in prompt and "Shares" not in prompt:
        return []
    marks = filter(None, (_OWNS.match(line.strip()) for line in markdown.own_lines(prompt)))
    named = ((one, mark) for mark in marks for part in _PARTS.findall(mark["what"]) for one in _named(part.strip()))
    return [(one, "shared" if mark["word"] == "Shares" else "exclusive") for one, mark in named]


def _named(part: str) -> list[str]:
    """The patterns between two commas: each name between backticks where these are all there is, else the whole."""
    plain = re.sub("`+", "`", part)
    spans = re.findall(r"`[^`]+`", plain) if _SPANS.fullmatch(plain) else []
    return spans or [part] * bool(part.strip(" `"))


def sections(text: str, old: str) -> list[str]:
    """The headings that a part of a Markdown text stands under, the nearest first; [] where it spans more."""
    at = text.find(old)
    if at < 0 or not old:
        return []
    first, last = text.count("\n", 0, at), text.count("\n", 0, at + len(old.rstrip("\n")))
    above: list[markdown.Line] = []
    for number, line in enumerate(markdown.read(text)):
        if number > last:
            break
        if line.kind == "heading" and line.depth < markdown.BOLD_LEVEL:
            if number > first:
                return []
            above = [*(one for one in above if one.depth < line.depth), line]
    return [clip(one_line(line.text), 100) for line in reversed(above) if line.text]


class Mark(NamedTuple):
    """How a file stood when an agent had read (r) or written (w) it; at: epoch seconds, date: nanoseconds.

    c: in the path's place what a sub-agent's command tells `holdfast team`.
    """

    letter: str
    at: float
    date: int
    size: int
    path: str


def marks(text: str) -> list[Mark]:
    """The lines of an agent's marks (hot/presence.py), the oldest first; what is torn is left out."""
    rows = (row.split(" ", 4) for row in text.split("\n"))
    return [
        Mark(one[0], float(one[1]), int(one[2]), int(one[3]), one[4])
        for one in rows
        if len(one) == 5
        and one[0] in ("r", "w", "c")
        and all(part.replace(".", "", 1).isdecimal() for part in one[1:4])
    ]


def name(agent: Agent | None, known_as: str = "") -> str:
    """Who it is, for people and models: kind, the beginning of its id, its task."""
    if USER in (known_as, agent and agent.kind):
        return "the user"
    if agent is None:
        return f"agent {_foreign(known_as)[:8]}"
    task = f' ("{_foreign(agent.task, 60)}")' if agent.task else ""
    kind = "session" if agent.kind == MAIN else kind_of(agent.kind)
    return f"{kind} {_foreign(agent.id)[:8]}{task}"


def kind_of(told: object) -> str:
    """A sub-agent's type, which a clone's file names: a plain name stands in our own lines, all else is an agent."""
    name = str(told or "")
    is_plain = len(name) <= 40 and name.translate(dict.fromkeys(map(ord, "-_:."))).isalnum()
    return name if is_plain and name not in (MAIN, USER) else "agent"


def _foreign(text: str, chars: int = 0) -> str:
    """Another's text within our line; it ends no quotation of ours."""
    return one_line(text.translate({ord('"'): "'", ord("`"): "'"}), chars)


def refused(refusal: Refusal, now: float) -> str:
    """What keeps an agent from writing there, and what it is to do."""
    claim = refusal.claim
    held = f"`{_foreign(claim.pattern)}` is {HOW[claim.mode]} {name(refusal.holder, claim.holder)}"
    return f"Holdfast: {held}, taken {age(now - claim.since)} ago, free in {age(claim.until - now)} unless they go on."


def beyond(more: Sequence[tuple[str, Mode]], most: int) -> str:
    """Which patterns of a task are too many."""
    named = few([f"`{_foreign(pattern, 60)}`" for pattern, _ in more])
    return f"Holdfast: a task may own {most} patterns at most; nobody owns the rest: {named}."


def advice(denied: bool) -> str:
    """What to do about a file that another one holds."""
    if denied:
        todo = "Leave it to them: do the rest of your task, and say in your report what that file still needs."
        return f"{todo} `{PROGRAM} team` shows who holds what."
    todo = "If you must change it, read it again right before, change only your part, and say so in your report;"
    return f"{todo} else leave it to them."


def changed(path: str, by: str, seconds: float) -> str:
    """That a file is not any more as its reader knows it."""
    return f"Holdfast: {by} changed `{_foreign(path)}` {age(seconds)} ago, after you read it: read it again."


def beside(claim: Claim, by: str, gone: bool) -> str:
    """That a held file is another one, or none, since a command began."""
    held = f"`{_foreign(claim.pattern)}`, {HOW[claim.mode]} {by},"
    todo = "If that was your command, say so in your report, and leave the file to them from now on."
    became = "was deleted or moved" if gone else "has changed, and by no agent's edit"
    return f"Holdfast: while this command ran, {held} {became}. {todo}"


def company(agents: Sequence[Agent], claims: Iterable[Claim], now: float) -> str:
    """Who else is at work here, in one or two lines; "" for nobody."""
    held: dict[str, list[str]] = {}
    for claim in claims:
        held.setdefault(claim.holder, []).append(f"`{_foreign(claim.pattern)}`")
    told = [f"the user, holds {few(held[USER])}"] if USER in held else []
    told += [
        f"{name(one)}, last sign {age(now - one.seen)} ago{', holds ' * (one.id in held)}{few(held.get(one.id, []))}"
        for one in sorted(agents, key=lambda one: -one.seen)[:4]
    ]
    more = f"; and {len(agents) - 4} more" if len(agents) > 4 else ""
    return f"Holdfast: also at work in this project: {'; '.join(told)}{more}." if told else ""


def few(patterns: Sequence[str]) -> str:
    """The first four, and how many there are beside."""
    more = f" and {len(patterns) - 4} more" if len(patterns) > 4 else ""
    return f"{', '.join(patterns[:4])}{more}"
