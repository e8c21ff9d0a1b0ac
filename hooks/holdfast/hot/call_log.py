"""The journal of tool calls: one fixed-size line per call of the main session.

Why fixed size: after an O_APPEND write the descriptor stands at the end of what this process wrote, so
position / size is the number of this very call. Parallel hooks each learn their own number with no lock
and no reading, and call 10,000 costs what call 10 costs.

Line: epoch seconds (10), context tokens (8, 0 when not seen), a letter (a: starts a sub-agent, o: another), newline.
"""

from holdfast.hot.files import open_file, os, read_from, size_of, write_all, write_temporary

LINE = 22
HEADER = b"holdfast calls v1    \n"
AGENT_TOOLS = ("Agent", "Task")
"""The tool that starts a sub-agent, by its present and its older name."""


def line(seconds: float, tokens: int, tool: str) -> bytes:
    """One journal line of exactly LINE bytes."""
    return b"%010d %08d %s\n" % (int(seconds), min(tokens, 99_999_999), b"a" if tool in AGENT_TOOLS else b"o")


def create(path: str) -> None:
    """Start the journal unless there is one. Raises OSError.

    The header goes in by link, so that nobody can append before it stands. Where a file system has no links, it is
    moved there: then a parallel first call may get a wrong number.
    """
    temporary = write_temporary(path, HEADER)
    try:
        os.link(temporary, path)
    except FileExistsError:
        pass  # another hook of this session was first
    except OSError:
        if size_of(path) < 0:
            os.rename(temporary, path)
    finally:
        if size_of(temporary) >= 0:
            os.unlink(temporary)


def record(path: str, entry: bytes) -> int:
    """Append `entry`; the number of this call, from 1. Raises OSError (FileNotFoundError: no journal yet)."""
    fd = open_file(path, os.O_WRONLY | os.O_APPEND)
    try:
        write_all(fd, entry)
        return os.lseek(fd, 0, 1) // LINE - 1
    finally:
        os.close(fd)


def count(path: str) -> int:
    """Calls so far; 0 without a journal."""
    return max(0, size_of(path) // LINE - 1)


def last(path: str, calls: int) -> "list[tuple[int, int, str]]":
    """The last `calls` lines as (seconds, tokens, letter); what is torn is left out."""
    size = size_of(path)
    start = max(LINE, size // LINE * LINE - calls * LINE)
    rows = []
    for entry in read_from(path, start, calls * LINE + LINE).split(b"\n"):
        parts = entry.split(b" ")
        if len(entry) == LINE - 1 and len(parts) == 3 and parts[0].isdigit() and parts[1].isdigit():
            rows.append((int(parts[0]), int(parts[1]), parts[2].decode("ascii", "replace")))
    return rows
