"""The few numbers that the hot path compares with, compiled by the warm hooks: `thresholds.json`.

It is written as a whole and read without checks; a file of another version counts as none. gauge/hooks.py compiles it.
"""

from holdfast import TYPE_CHECKING
from holdfast.hot.files import Lock, read_bytes, write_atomic
from holdfast.hot.jsonc import dumps, loads_object

if TYPE_CHECKING:
    from typing import TypedDict

    class Thresholds(TypedDict, total=False):
        """Empty where no warm hook has run yet, else with every key."""

        v: int
        off: "list[str]"
        """Events that are switched off."""
        digest_bytes: int
        """Of a payload, from which a tool result may need a digest."""
        digest_tokens: int
        """Above which a result becomes a digest."""
        digest_tools: "list[str]"
        """Whose results may become a digest; patterns may end in *."""
        digest_repeats: bool
        """Whether a repeated result of that size becomes a reference."""
        epoch: int
        """Compactions so far: an earlier result is only in the window within one epoch."""
        next_check_call: int
        """Number of the tool call at which the ordinary road is due."""
        next_zone_tokens: int
        """Tokens at which it is due; 0 when the limit is not known."""
        check_at_breakpoint: bool
        """Whether a natural breakpoint makes it due."""
        zones: "list[int]"
        """Tokens at which yellow, orange and red begin; [] when the limit is not known."""
        preset: str
        """Of the zones."""
        limit: int
        """Tokens at which compaction fires; 0 when not known."""
        limit_source: str
        """Where the limit is known from; "" when it is not."""
        handoff_limits: "dict[str, int]"
        """Tokens per agent type, "*" for all others; 0 is no limit."""
        queue: bool
        """Whether a text waits that the next prompt or tool result delivers (compaction)."""
        recall: str
        """Path of the words by which a prompt calls up a memory; there may be none yet."""
        team: str
        """Folder of what agents at work here share; "" where coordination is off."""
        asks: bool
        """Whether each edit asks the team's server: then others may be at work on other machines."""
        turns: "list[int]"
        """Tokens in the window at the ends of the last turns, oldest first; with a prompt of the user's one begins."""
        past: "list[int | str]"
        """What has been suggested: gauge.suggest.Past."""


VERSION = 2
CHARS_PER_TOKEN = 2  # below every text kind measured, so nothing that needs a digest is passed over


def load(path: str) -> "Thresholds":
    """The thresholds; empty when there are none or they are of another version."""
    found: "Thresholds" = loads_object(read_bytes(path, 1_000_000))  # type: ignore[assignment]  # read without checks
    return found if found.get("v") == VERSION else {}


def save(path: str, found: "Thresholds") -> None:
    """Replace them. Raises OSError."""
    write_atomic(path, dumps({**found, "v": VERSION}))


def update(path: str, change: "Thresholds") -> None:
    """Change some of those that are there; nothing where there are none. Raises OSError."""
    with Lock(path + ".lock"):
        found = load(path)
        if found and {**found, **change} != found:
            save(path, {**found, **change})
