"""Who may write where: which patterns have a file in common, which claim is in the way.

A pattern is a path within the main checkout, with `*` and `?` within a name and `**` for any folders; `path/`, and any
folder that is there, is all below; `path.md#Heading` a section of a Markdown file. What an edit took is a file by its
name, whatever letters that has. Rule: an exclusive claim keeps others out, a shared one those who want it for
themselves, a read one everybody; what its caller holds an agent may use. A lease that is over keeps nobody out, nor
does one from the future: clocks differ by minutes, not by more. Source: 000, Context Coordination Rules.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import get_args

from holdfast.errors import BadInput
from holdfast.team.model import Agent, Claim, Mode, Wanted

SKEW = 300
"""Seconds that clocks may differ by."""
LONGEST = 86_400
"""Seconds of a lease, at most."""
GIVEN, WILDCARDS, PATTERNS = 200, 8, 20
"""Of a pattern that somebody has written, at most: characters, wildcards; and patterns of a task."""
EXAMPLE = "Name a file, src/pay/** or docs/a.md#Heading"


def normal(pattern: str, root: str, stands: Callable[[str], str] = str) -> str:
    """The pattern as it is kept: within `root`, a whole path, where it lies there. Raises BadInput.

    stands: where the disk has the path of it, with a / behind a folder.
    """
    text = pattern.strip().strip("`'\"")
    path, heading = parts(text)
    if not text or len(text) > 1_000 or not text.isprintable():
        raise BadInput("this is no path or glob", ascii(pattern)[:80], EXAMPLE)
    path = stands(path)
    whole = (path if path.startswith("/") else f"{root}/{path}") + ("**" if path.endswith("/") else "")
    steps: list[str] = []
    for step in whole.split("/"):
        if step == "..":
            del steps[-1:]
        elif step not in ("", ".", *(step for last in steps[-1:] if last == step == "**")):
            steps.append(step)
    within = f"/{'/'.join(steps)}/".removeprefix(f"{root}/").strip("/")
    path = within if f"/{'/'.join(steps)}/".startswith(f"{root}/") else f"/{within}"
    return (path or "**") + (f"#{heading}" if heading else "")


def given(pattern: str, roots: Sequence[str], stands: Callable[[str], str] = str) -> str:
    """As `normal`, for what somebody has written: within the checkouts, of which the first is the main one, and within
    bounds that keep every comparison short. Raises BadInput.
    """
    kept = normal(pattern, roots[0], stands)
    if not any(char.isalnum() or char in "*?" for char in kept):
        raise BadInput("this is no path or glob", ascii(pattern)[:80], EXAMPLE)
    if kept.startswith("/") and not any(kept.startswith(f"{root}/") for root in roots):
        raise BadInput("this is outside of the project", ascii(pattern)[:80], EXAMPLE)
    if re.search(r"\{[^{}]*,[^{}]*\}", parts(kept)[0]):
        raise BadInput("braces are not supported", ascii(pattern)[:80], "Name each by itself: src/api/**, src/web/**")
    if len(pattern) > GIVEN or len(re.findall(r"[*]+|[?]", kept)) > WILDCARDS:
        bounds = f"A pattern has at most {GIVEN} characters and {WILDCARDS} wildcards"
        raise BadInput("this pattern is too much", ascii(pattern)[:80], bounds)
    return kept


def parts(pattern: str) -> tuple[str, str]:
    """(path, heading; "" for the whole file)"""
    for end in (".md", ".markdown", ".mdx"):
        at = pattern.lower().find(f"{end}#")
        if at >= 0:
            return pattern[: at + len(end)], pattern[at + len(end) :].lstrip("#").strip()
    return pattern, ""


def is_everything(pattern: str) -> bool:
    """Whether nothing in it says which files."""
    return not pattern.strip("*?./")


def overlap(one: str, other: str) -> bool:
    """Whether the patterns have a file in common, and of one file a section."""
    (path, heading), (beside, title) = parts(one), parts(other)
    if heading and title and " ".join(heading.casefold().split()) != " ".join(title.casefold().split()):
        return False
    if not set(path + beside) & set("*?"):
        return path == beside
    return _meet(tuple(path.split("/")), tuple(beside.split("/")))


@lru_cache(maxsize=4_096)
def _meet(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return _common(one, other, "**", _same_name)


@lru_cache(maxsize=4_096)
def _same_name(one: str, other: str) -> bool:
    if not set(one + other) & set("*?"):
        return one == other
    return _common(one, other, "*", lambda a, b: a == b or "?" in (a, b))


def _common(one: Sequence[str], other: Sequence[str], many: str, same: Callable[[str, str], bool]) -> bool:
    """Whether two rows have a reading in common; `many` stands for any number of steps.

    Where both have it, their ends alone decide: what stands between them can be one behind the other. Else each part
    of the one is found as early as may be. At most the product of their lengths.
    """
    one, other = (one, other) if many in one else (other, one)
    if many not in one:
        return len(one) == len(other) and all(map(same, one, other))
    (first, *between, last), (head, *rest) = _cut(one, many), _cut(other, many)
    if rest:
        return all(map(same, first, head)) and all(map(same, reversed(last), reversed(rest[-1])))
    at, end = len(first), len(other) - len(last)
    if end < at or not all(map(same, first, other)) or not all(map(same, last, other[end:])):
        return False
    for part in between:
        while at + len(part) <= end and not all(map(same, part, other[at : at + len(part)])):
            at += 1
        at += len(part)
    return at <= end


def _cut(row: Sequence[str], many: str) -> list[list[str]]:
    """What stands between each `many`."""
    found: list[list[str]] = [[]]
    for step in row:
        if step == many:
            found.append([])
        else:
            found[-1].append(step)
    return found


def holds(claim: Claim, now: float) -> bool:
    """Whether its lease runs, and it is a claim at all: on a server a member may write any row."""
    is_one = claim.mode in get_args(Mode) and claim.since >= 0
    return is_one and claim.since <= now + SKEW and now <= claim.until <= now + LONGEST + SKEW


def covers(claim: Claim, wanted: Wanted) -> bool:
    """Whether a claim is about what is wanted, or about a section that this stands in."""
    held = _by_name(claim.pattern, claim.why)
    return any(overlap(held, _by_name(one, wanted.why)) for one in (wanted.pattern, *wanted.within))


def _by_name(pattern: str, why: str) -> str:
    """The pattern; of what an edit took, with other letters for those that stand for any: a clone names its files."""
    path, _ = parts(pattern)
    return path.translate({ord("*"): "\1", ord("?"): "\2"}) + pattern[len(path) :] if why == "edit" else pattern


def lines_of(agent: Agent, agents: Mapping[str, Agent]) -> set[str]:
    """Ids of the agent, who called it, who called that one, and so on: what they hold it may use."""
    found, one = {agent.id}, agent.parent
    while one and one not in found:
        found.add(one)
        one = agents[one].parent if one in agents else ""
    return found


def in_the_way(claims: Iterable[Claim], wanted: Wanted, own: set[str], now: float) -> Claim | None:
    """The claim that keeps an agent from what it wants; None where it may have it. own: ids as in `lines_of`."""
    for claim in claims:
        others = claim.holder not in own
        if wanted.mode == "read":
            keeps = others and claim.mode != "read"
        else:
            keeps = claim.mode == "read" or (others and "exclusive" in (claim.mode, wanted.mode))
        if keeps and holds(claim, now) and covers(claim, wanted):
            return claim
    return None
