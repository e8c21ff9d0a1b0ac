"""What of a large tool result does the model need to see?

Rule: how much there was, its head, its tail, every line that tells of an error or a warning, and where the
whole is. Never a digest that saves less than half: the model would pay for the loss and gain little.
Repeated problem lines are shown once with their count; errors go before warnings when space ends.

Sources: tool results are 66 % of a session's text (reference measurements of 139 real sessions); the
threshold and the half are requirement H7. Hot-path module: no imports beyond the lean ones, no regular
expressions, because a result of 1 MB must stay within 2.5 times a bare interpreter.
"""

from holdfast.core.tokens import rough

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

HEAD_LINES, TAIL_LINES = 15, 20
EDGE_CHARS = 1_600  # of head and of tail together at most, each
LINE_CHARS = 300  # a longer line is cut in its middle
PROBLEM_CHARS = 4_000  # for the problem lines together
KEEP_SHARE = 0.5  # a digest may be at most this share of the whole

ERRORS = (
    "error", "fail", "exception", "traceback", "fatal", "panic", "critical", "segfault", "abort",
    "not found", "no such", "denied", "cannot", "could not", "undefined", "unresolved", "timed out", "refused",
)
WARNINGS = ("warn", "deprecat")
CALM = (
    "0 error", "no error", "0 fail", "no fail", "0 warn", "no warn", "errors: 0", "failed: 0", "failures: 0",
    "warnings: 0", "error: 0", "without error",
)
LISTINGS = ("Grep", "Glob")  # their lines are search hits; a word in them says nothing of trouble


def digest(text: str, tool: str, whole: str, tokens: int) -> str:
    """The digest of `text`, or "" when none is worth it.

    tool: the tool's name; whole: path where the whole text is; tokens: the threshold, in Claude tokens.
    """
    if rough(len(text)) <= tokens:
        return ""
    lines = text.split("\n")
    head, tail = _edge(lines, HEAD_LINES), _edge(lines[::-1], TAIL_LINES)[::-1]
    if len(head) + len(tail) > len(lines):
        tail = tail[len(head) + len(tail) - len(lines) :]
    problems = [] if tool in LISTINGS else problem_lines(text)
    shown = _spend(problems, PROBLEM_CHARS)
    short = _compose(lines, head, tail, (shown, len(problems)), whole)
    return short if len(short) <= len(text) * KEEP_SHARE else ""


def reference(tool: str, whole: str, chars: int) -> str:
    """What stands in for a result that is already in the window."""
    return (
        f"[Holdfast: the same result as an earlier {tool} call above, unchanged, "
        f"about {rough(chars)} tokens. Whole text: {whole}]"
    )


def _edge(lines: "list[str]", count: int) -> "list[str]":
    """The first lines, within both bounds; one long line is cut rather than left out."""
    taken: "list[str]" = []
    chars = 0
    for line in lines[:count]:
        cut = _cut(line)
        chars += len(cut) + 1
        if taken and chars > EDGE_CHARS:
            break
        taken.append(cut)
    return taken


def _cut(line: str) -> str:
    if len(line) <= LINE_CHARS:
        return line
    half = LINE_CHARS // 2
    return f"{line[:half]} …[{len(line) - 2 * half} characters]… {line[-half:]}"


def problem_lines(text: str) -> "list[tuple[int, str, int]]":
    """(line number, line, how often) of every distinct line that tells of trouble, errors first."""
    low = text.lower()
    if len(low) != len(text):  # a few characters change length in lower case; then positions would be off
        low = text
    errors = _starts(low, ERRORS)
    warnings = _starts(low, WARNINGS) - errors
    order = [*sorted(errors), *sorted(warnings)]
    numbers = _line_numbers(text, sorted({*order}))
    return _distinct((numbers[start], _line_at(text, start)) for start in order)


def _starts(low: str, words: "tuple[str, ...]") -> "set[int]":
    """Where the lines begin that hold one of the words."""
    starts: "set[int]" = set()
    for word in words:
        found = low.find(word)
        while found >= 0:
            start = low.rfind("\n", 0, found) + 1
            end = low.find("\n", found)
            end = len(low) if end < 0 else end
            if start not in starts and not _is_calm(low[start : min(end, start + 2_000)], word):
                starts.add(start)
            found = low.find(word, end)
    return starts


def _is_calm(line: str, word: str) -> bool:
    """Whether the line only says that there was no trouble, as in "0 errors"."""
    if not any(phrase in line for phrase in CALM):
        return False
    for phrase in CALM:
        line = line.replace(phrase, "")
    return not any(word in line for word in ERRORS)


def _line_numbers(text: str, starts: "list[int]") -> "dict[int, int]":
    numbers, number, position = {}, 1, 0
    for start in starts:
        number += text.count("\n", position, start)
        position = start
        numbers[start] = number
    return numbers


def _line_at(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start:] if end < 0 else text[start:end]


def _distinct(lines: "Iterable[tuple[int, str]]") -> "list[tuple[int, str, int]]":
    """Lines that differ only in digits are one, shown as it came first."""
    first: "dict[str, tuple[int, str]]" = {}
    counts: "dict[str, int]" = {}
    for number, line in lines:
        key = line.strip().translate(_NO_DIGITS)
        first.setdefault(key, (number, line))
        counts[key] = counts.get(key, 0) + 1
    return [(number, line, counts[key]) for key, (number, line) in first.items()]


_NO_DIGITS = {ord(digit): None for digit in "0123456789"}


def _spend(problems: "list[tuple[int, str, int]]", chars: int) -> "list[tuple[int, str, int]]":
    taken: "list[tuple[int, str, int]]" = []
    for problem in problems:
        chars -= min(len(problem[1]), LINE_CHARS) + 12
        if chars < 0 and taken:
            break
        taken.append(problem)
    return taken


def _compose(
    lines: "list[str]",
    head: "list[str]",
    tail: "list[str]",
    problems: "tuple[list[tuple[int, str, int]], int]",
    whole: str,
) -> str:
    shown, total = problems
    chars = sum(map(len, lines)) + len(lines) - 1
    parts = [
        f"[Holdfast digest of {chars:,} characters, {len(lines):,} lines, about {rough(chars):,} tokens. "
        f"Whole result: {whole}]",
        f"--- first {_lines(len(head))} ---",
        *head,
    ]
    if total:
        some = f"{len(shown)} of {total}" if len(shown) < total else str(total)
        parts.append(f"--- error and warning lines: {some}, by line number ---")
        parts += [f"{number}: {_cut(line.strip())}" + (f"  (x{n})" if n > 1 else "") for number, line, n in shown]
    if tail:
        parts += [f"--- last {_lines(len(tail))} ---", *tail]
    return "\n".join(parts)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
