"""What is known of a text beside its words, and what of that a question asks."""

from collections.abc import Collection, Mapping
from typing import NamedTuple


class TextFacts(NamedTuple):
    """What is known of a memory beside its text."""

    kind: str = ""
    importance: int = 5  # 1 to 10
    accessed: int = 0
    tags: tuple[str, ...] = ()
    archived: bool = False
    expires: str = ""  # ISO time, "" for never
    source: str = ""  # where it stands, in the words of whoever adds it; it ranks nothing


class Where(NamedTuple):
    """Which memories are asked for (`sqlite.Among`); an empty field asks nothing.

    Times are compared as texts: give all of them in one form, `2026-11-04T14:32:00Z`.
    """

    kind: str = ""
    tags: Collection[str] = ()  # all of these
    importance: int = 0  # at least
    after: str = ""  # inclusive
    before: str = ""  # exclusive
    archived: bool | None = False  # None for either
    alive: str = ""  # when it has not expired


class SearchMoment(NamedTuple):
    """When it is asked, as ISO time ("" is now), and how often memories were used until then."""

    now: str = ""
    uses: Mapping[str, int] = {}
    """By id; of others it is as often as their facts say."""
