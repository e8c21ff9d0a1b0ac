"""What of a large tool result does the model need to see?

Rule: how much there was, where the whole is, and what its kind of content asks for: of JSON its shape, of a diff its
files and hunks, of search results counts and first hits (the modules beside this one), of all else, a log, head, tail
and the lines that tell of an error or a warning. Never a digest that saves less than half: the model would pay for the
loss and gain little. Repeated problem lines are shown once with their count, those that differ in numbers only, where
they are many, as one that says so; errors go before warnings when space ends, and how many are not shown is said.

Source: requirement H7 for the threshold and the half. Hot-path module: lean imports only and no regular expressions,
and what is not told is not cleaned: `holdfast bench hooks` holds what a megabyte of each kind costs.
"""

from holdfast import TYPE_CHECKING
from holdfast.digest import cleaning, hits
from holdfast.digest.content import Content
from holdfast.text.lines import unposing, without_colours
from holdfast.text.tokens import approximate, rough

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Problem = tuple[int, str, str]


class Room:
    """Lines and characters of a digest's parts."""

    HEAD_LINES, TAIL_LINES = 15, 20
    EDGE = 1_600  # characters of head and of tail together at most, each
    LINE = cleaning.LINE
    LINES = 20_000  # of a diff or of search results; more are told as a log: how many, and both ends
    PROBLEMS = 4_000  # for the problem lines together
    ALIKE = 12  # so many lines that differ in digits only are told each, where all else has room
    BODY = 6_000  # for what another kind than a log shows


ERRORS = (
    *(b"error", b"fail", b"exception", b"traceback", b"fatal", b"panic", b"critical", b"segfault", b"abort"),
    *(b"not found", b"no such", b"denied", b"cannot", b"could not", b"undefined", b"unresolved", b"timed out"),
    *(b"refused", b"err!", b"segmentation fault", b"out of memory", b"not ok "),
)
WARNINGS = (b"warn", b"deprecat")
"""How programs mark a line of trouble: compilers, test runners, loggers and shells."""
CALM = (
    *(b"0 error", b"no error", b"0 fail", b"no fail", b"0 warn", b"no warn", b"without error", b"errors: 0"),
    *(b"failed: 0", b"failures: 0", b"warnings: 0", b"error: 0"),
)
"""How their counts say that there was none."""
LISTINGS = ("Grep", "Glob")  # their lines are search hits; a word in them says nothing of trouble


def digest(text: str, tool: str, whole: str, tokens: int, content: "Content | None" = None) -> str:
    """The digest of `text`, or "" when none is worth it.

    tool: the tool's name; whole: path where the whole text is; tokens: the threshold, in Claude tokens; content: what
    the caller has found in it.
    """
    size = approximate(text)
    if size <= tokens:
        return ""
    room = min(Room.BODY, len(text) // 2 - len(whole) - 300)
    plain = without_colours(text)
    count, body = _body(content if content and plain == text else Content(plain), tool, room)
    count -= text.endswith("\n")  # as wc -l counts
    said = f"{len(text):,} characters, {_lines(count)}, about {size:,} tokens"
    short = "\n".join([f"[Holdfast digest of {said}. Whole result: {whole}]", *body])
    return short if len(short) * 2 <= len(text) else ""


def _body(content: Content, tool: str, room: int) -> "tuple[int, list[str]]":
    """(lines of the text, what its kind of content asks for). room: characters, for all but logs."""
    kind = kind_of(content)
    if kind == "JSON":  # what of it is told is not settled by its lines
        clean = cleaning.without_cells(content.text)
        content = content if clean is content.text else Content(clean)
        kind = kind_of(content)
    text = content.text
    if not kind:
        count, problems = search(text)
        if "JSON" in content.may_be:
            from holdfast.digest import shape

            problems = shape.settled(text, problems, _speaks)
        return count, _of_log(text, count, [] if tool in LISTINGS else problems)
    body, other = _of_kind(content, kind, room)
    inner, beside = content.inner, cleaning.without_cells("\n".join(other))
    if inner is not content:
        body += ["--- its longest text ---", *_body(inner, tool, room)[1]]
    rest = list(filter(str.strip, beside.split("\n")))
    if rest:
        body += ["--- beside it ---", *_of_log("\n".join(rest), len(rest), search(beside)[1], True)]
    return text.count("\n") + 1, body


def kind_of(content: Content) -> str:
    """Whether it is JSON, a diff or search results; "" for a log."""
    if content.json[0] is not None:
        return "JSON"
    if content.text.count("\n") >= Room.LINES:
        return ""
    return "diff" if content.diff else "hits" if content.hits else ""


def _of_kind(content: Content, kind: str, room: int) -> "tuple[list[str], list[str]]":
    """(digest of such a text, lines that are none of it, in their places)."""
    if kind == "JSON":
        return _of_json(content, room)

    def clean(places: "Iterable[int]") -> "dict[int, str]":
        return cleaning.cleaned_at(content, places)

    if content.diff:
        from holdfast.digest import diff

        return _quoted(list(map(_cut, diff.digest(content.diff, content.lines, room, clean)))), content.diff[1]
    return _quoted(hits.digest(content.hits, content.lines, room, clean)) if content.hits else [], []


def _of_json(content: Content, room: int) -> "tuple[list[str], list[str]]":
    from holdfast.digest import shape

    text, (value, start, end, is_cut) = content.text, content.json
    least = 1_000 if content.inner is not content else room
    first, *after = text[end:].split("\n")  # of a line within which it breaks off nothing else is told
    inside = [""] * text.count("\n", start, end)
    around = [*text[:start].split("\n"), *inside, *([""] if is_cut else [first]), *after]
    return _quoted(cleaning.cleaned(shape.digest(value, least, cleaning.safe, is_cut))), around


def _of_log(text: str, count: int, problems: "list[Problem]", is_clean: bool = False) -> "list[str]":
    """Head, lines of trouble, tail. count: its lines; problems: what the search has found in it; is_clean: no cell of
    it is a secret.
    """
    sizes = (min(len(line), Room.LINE) + 12 for _, line, _ in problems)
    shown = problems[: hits.count_fitting(sizes, Room.PROBLEMS)]
    if not is_clean:
        ends = {*range(Room.HEAD_LINES), *range(count - Room.TAIL_LINES - cleaning.ABOVE, count)}
        places = {place for place in (*ends, *(number - 1 for number, _, _ in shown)) if 0 <= place < count}
        text = cleaning.without_cells(whole := text, places)
        lines = [] if text is whole else text.split("\n")
        shown = [
            (number, lines[min(number, len(lines)) - 1] if lines else line, often) for number, line, often in shown
        ]
    first, last = _first_lines(text), _last_lines(text)
    above, below = _fitting(first), _fitting(last[: -Room.TAIL_LINES - 1 : -1])
    head = _edge(cleaning.cleaned(first[: above + cleaning.ABOVE])[:above])
    tail = _edge(cleaning.cleaned(last[-below - cleaning.ABOVE :])[: -below - 1 : -1])[::-1]
    tail = tail[max(0, len(head) + len(tail) - count) :]
    parts = [f"--- first {_lines(len(head))} ---", *head]
    if problems:
        some = f"{len(shown)} of {len(problems)}" if len(shown) < len(problems) else str(len(problems))
        parts.append(f"--- lines that speak of errors, then of warnings: {some}, with line numbers ---")
        parts += [f"{number}: {unposing(_cut(_from_word(line.strip())))}{often}" for number, line, often in shown]
    return [*parts, f"--- last {_lines(len(tail))} ---", *tail] if tail else parts


def is_data(content: Content, is_cut: bool = False) -> bool:
    """Whether a text is JSON that holds records rather than what somebody writes: of that only the shape is needed.

    is_cut: the model would read the first 2 KB of it, by which nobody edits either.
    """
    value = content.json[0]
    if value is None:
        return False
    from holdfast.digest import shape

    return is_cut or shape.is_data(value)


def reference(tool: str, whole: str, chars: int) -> str:
    """What stands in for a result that is already in the window."""
    said = f"the same result as an earlier {tool} call above, unchanged, about {rough(chars):,} tokens"
    return f"[Holdfast: {said}. Whole text: {whole}]"


def _first_lines(text: str) -> "list[str]":
    """`split` and `rsplit` with a limit would copy the rest, half a millisecond a megabyte."""
    end = -1
    for _ in range(Room.HEAD_LINES):
        end = text.find("\n", end + 1)
        if end < 0:
            return text.split("\n")
    return text[:end].split("\n")


def _last_lines(text: str) -> "list[str]":
    """And some before them: a name may stand above its value."""
    start = len(text)
    for _ in range(Room.TAIL_LINES + cleaning.ABOVE):
        start = text.rfind("\n", 0, start)
        if start < 0:
            return text.split("\n")
    return text[start + 1 :].split("\n")


def _quoted(body: "list[str]") -> "list[str]":
    """Nothing but its caption as a line of ours."""
    return [*body[:1], *map(unposing, body[1:])]


def _edge(lines: "list[str]") -> "list[str]":
    """The first of these lines, within their room; one long line is cut rather than left out."""
    cut = [unposing(_cut(line)) for line in lines]
    return cut[: hits.count_fitting((len(line) + 1 for line in cut), Room.EDGE)]


def _fitting(lines: "list[str]") -> int:
    """How many of these have room there at most: of long ones few, and only those are cleaned."""
    return hits.count_fitting((min(len(line), Room.LINE) + 1 for line in lines), Room.EDGE)


def _cut(line: str) -> str:
    if len(line) <= Room.LINE:
        return line
    first, last = line[: Room.LINE // 2].rstrip(), line[-Room.LINE // 2 :].lstrip()  # of one long word nothing
    return f"{first} …[{len(line) - len(first) - len(last)} characters]… {last}".strip()


def _from_word(line: str) -> str:
    """A line without its secrets; one too long to show whole from a little before its word of trouble on."""
    low = line.lower() if len(line) > Room.LINE else ""
    at = min((low.find(word) for word in map(bytes.decode, (*ERRORS, *WARNINGS)) if word in low), default=0)
    start = max(0, at - cleaning.NEAR // 2)
    (line,) = cleaning.cleaned([line[start:]]) if at > 100 else cleaning.cleaned([line])
    return "…" + line[at - start - 50 :] if at > 100 else line


def search(text: str) -> "tuple[int, list[Problem]]":
    """The number of lines, and (line number, line, how often, in words) of each that tells of trouble, errors first.

    Lines that differ only in digits are looked at once, which makes a large log small before it is searched: most of
    its lines are the same but for time stamps and numbers. A few such are shown each, because 404 and 500 are not the
    same; of many the first stands for all, and says so, beside the first of each value of a number that takes few.
    """
    alike = bytes(range(256)).lower().translate(bytes.maketrans(b"123456789", b"000000000"))
    looked_at, kinds, count = set[bytes](), dict[bytes, int](), 0
    same: "dict[bytes, dict[str, list[int]]]" = {}
    for piece in _pieces(text):
        keys = piece.encode("utf-8", "replace").translate(alike).split(b"\n")
        new = {*keys} - looked_at
        looked_at |= new
        distinct = b"\n".join(new)
        kinds |= {
            **dict.fromkeys(_lines_with(distinct, WARNINGS), 1),
            **dict.fromkeys(_lines_with(distinct, ERRORS), 0),
        }
        at, lines = -1, list[str]()
        for key in filter(kinds.__contains__, keys):  # a loop over all of them would take three times as long
            at, lines = keys.index(key, at + 1), lines or piece.split("\n")
            same.setdefault(key, {}).setdefault(lines[at], []).append(count + at + 1)
        count += len(keys)
    found, left = list["tuple[int, int, str, str]"](), Room.PROBLEMS
    many = list["list[tuple[int, int, str, str]]"]()
    for key, variants in same.items():
        doubtful = any(phrase in key for phrase in CALM)
        said = [(line, numbers) for line, numbers in variants.items() if not doubtful or not _is_calm(line)]
        rows = [(kinds[key], numbers[0], line, f"  (x{len(numbers)})" * (len(numbers) > 1)) for line, numbers in said]
        if len(rows) > 3:
            many.append(rows)
            first = (*rows[0][:3], f"  (x{sum(len(numbers) for _, numbers in said)}, alike but for numbers)")
            rows = [first, *_told_apart(rows)]
        found += rows
        left -= sum(map(_shown, rows))
    for rows in sorted(many):
        more = sum(map(_shown, rows[1:]))
        if len(rows) <= Room.ALIKE and more <= left:
            numbers = {row[1] for row in rows}
            found, left = [*(row for row in found if row[1] not in numbers), *rows], left - more
    return count, [row[1:] for row in sorted(found)]


def _told_apart(rows: "list[tuple[int, int, str, str]]") -> "list[tuple[int, int, str, str]]":
    """Of lines that differ in digits alone those with another value of a number that takes two to four: a status, say.

    Of very many the first 2,000 are looked at.
    """
    digits = bytes(byte if 48 <= byte <= 57 else 32 for byte in range(256))
    values = [line.encode("ascii", "replace").translate(digits).split() for _, _, line, _ in rows[:2_000]]
    told: "dict[int, None]" = {}
    for column in zip(*values, strict=False):
        if 1 < len({*column}) <= 4:
            told |= dict.fromkeys(column.index(value) for value in {*column} - {column[0]})
    return [rows[at] for at in sorted(told)]


def _shown(row: "tuple[int, int, str, str]") -> int:
    return min(len(row[2]), Room.LINE) + 12


def _pieces(text: str) -> "Iterator[str]":
    """Whole lines, some 60,000 characters at a time: what is made of them stays in memory that is still warm."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start + 60_000)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _lines_with(text: bytes, words: "tuple[bytes, ...]") -> "set[bytes]":
    """The lines that hold one of the words."""
    lines: "set[bytes]" = set()
    for word in words:
        found = text.find(word)
        while found >= 0:
            start, end = text.rfind(b"\n", 0, found) + 1, text.find(b"\n", found)
            end = len(text) if end < 0 else end
            lines.add(text[start:end])
            found = text.find(word, end)
    return lines


def _speaks(low: str) -> bool:
    return not _is_calm(low) and any(word in low.encode("utf-8", "replace") for word in (*ERRORS, *WARNINGS))


def _is_calm(line: str) -> bool:
    """Whether the line only says that there was no trouble, as in "0 errors" (but not in "10 errors")."""
    whole = rest = line.encode("utf-8", "replace").lower()
    for phrase in CALM:
        at = rest.find(phrase)
        end = at + len(phrase)
        longer = rest[end : end + 1].isdigit() or rest[end : end + 1] in (b"x", b".")  # "error: 0x8007000e"
        if at >= 0 and not longer and not rest[at - 1 : at].isdigit():
            rest = rest[:at] + rest[end:]
    return rest is not whole and not any(word in rest for word in (*ERRORS, *WARNINGS))


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count:,} lines"
