"""Who may write where: which patterns have a file in common, which claim is in the way.

A pattern is a path within the main checkout, with `*` and `?` within a name and `**` for any folders; `path/` is all
below; `path.md#Heading` a section of a Markdown file. Rule: an exclusive claim keeps others out, a shared one those who
want it for themselves, a read one everybody; what its caller holds an agent may use. A lease that is over keeps nobody
out, nor does one from the future: clocks differ by minutes, not by more. Source: 000, Context Coordination Rules.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from holdfast.errors import BadInput
from holdfast.team.model import Agent, Claim, Wanted

SKEW = 300
"""Seconds that clocks may differ by."""
LONGEST = 86_400
"""Seconds of a lease, at most."""
_DOCUMENTS = (".md", ".markdown", ".mdx")


def normal(pattern: str, root: str) -> str:
    """The pattern as it is kept: within `root`, a whole path, where it lies there. Raises BadInput."""
    text = pattern.strip().strip("`'\"")
    path, heading = parts(text)
    if not text or len(text) > 1_000 or not text.isprintable():
        raise BadInput("this is no path or glob", ascii(pattern)[:80], "Name a file, src/pay/** or docs/a.md#Heading")
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


def parts(pattern: str) -> tuple[str, str]:
    """(path, heading; "" for the whole file)"""
    for end in _DOCUMENTS:
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
    """Whether two rows have a reading in common; `many` stands for any number of steps."""
    reached, ahead = {(0, 0)}, [(0, 0)]
    while ahead:
        i, j = ahead.pop()
        a, b = (row[place] if place < len(row) else "" for row, place in ((one, i), (other, j)))
        if not a and not b:
            return True
        steps = {(i + 1, j)} if a == many or (a and b == many) else set()
        steps |= {(i, j + 1)} if b == many or (b and a == many) else set()
        if not steps and a and b and same(a, b):
            steps = {(i + 1, j + 1)}
        ahead += steps - reached
        reached |= steps
    return False


def holds(claim: Claim, now: float) -> bool:
    """Whether its lease runs."""
    return claim.since <= now + SKEW and now <= claim.until <= now + LONGEST + SKEW


def covers(claim: Claim, wanted: Wanted) -> bool:
    """Whether a claim is about what is wanted, or about a section that this stands in."""
    return any(overlap(claim.pattern, one) for one in (wanted.pattern, *wanted.within))


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
