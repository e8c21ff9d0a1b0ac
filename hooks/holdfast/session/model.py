"""What a session keeps on disk as JSON objects of its own; a missing key is a thing that nobody has told yet."""

from typing import TypedDict


class Process(TypedDict):
    """A process, told apart from a later one with its number."""

    pid: str
    birth: str
    """When it started, in the kernel's ticks; "" where the system does not tell."""


class Last(TypedDict, total=False):
    """`last.json`: how the session stands, for the starts that come after it."""

    made: str
    """Mark of the session's folder (hot/provenance.py)."""
    project: str
    transcript: str
    open: Process
    """The client that opened it; empty once it has ended."""
    ended: str
    """The client's reason; "" while it goes on."""
    time: float
    """Epoch seconds of the last end of a turn."""
    environment: dict[str, object]
    """What the place looked like then (checkpoint/environment.py)."""
    counted: bool
    """Whether the project's memory has counted it."""


class Window(TypedDict, total=False):
    """`window.json`: what the status line and the start tell of the window."""

    size: int
    """Tokens; the client tells it to the status line alone."""
    sizes: list[int]
    """Tokens in it at the last turns, oldest first."""
    model: str
