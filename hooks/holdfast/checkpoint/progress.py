"""The progress log: `progress.md` in the state folder, one entry per milestone, for people and for starts."""

from holdfast.hot.files import append, read_from, size_of
from holdfast.hot.provenance import is_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TAIL = 8_192  # bytes that a restore looks at


def add(path: str, stamp: str, title: str, details: "Sequence[tuple[str, str]]") -> None:
    """Append one entry: a heading line and `- label: text` lines. Raises OSError."""
    lines = [f"## {stamp} {_flat(title)}", *(f"- {label}: {_flat(text)}" for label, text in details if text)]
    start = "" if size_of(path) > 0 else "# Progress\n\n"
    append(path, start + "\n".join(lines) + "\n\n")


def _flat(text: str) -> str:
    return " ".join(text.split())


def end(path: str, entries: int = 2) -> str:
    """The last entries, without blank lines; "" when there are none, or a link stands in the log's place."""
    size = size_of(path) if is_plain(path) else 0
    text = read_from(path, max(0, size - TAIL), TAIL).decode("utf-8", "replace") if size > 0 else ""
    parts = text.split("## ")[1:][-entries:]
    return "\n".join(line for part in parts for line in f"## {part}".splitlines() if line.strip())
