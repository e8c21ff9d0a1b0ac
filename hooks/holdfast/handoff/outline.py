"""What may a caller read of a report that is too long and that its agent will not shorten?

Rule (B3): lines of the report with their numbers: those that state the decision, with the list under them and the
heading above; those that the report itself labels as severe, to be done or open, or by a box to tick; its last section;
error messages; its headings, the upper levels first; then the first line of each section, the second, and so on.
What is open goes before any heading. Never more than the limit, the same at every run. No decision is taken from a
sentence, nothing is reworded; in a line that has to be cut paths keep their last two parts.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import StrEnum
from itertools import chain, pairwise, takewhile, zip_longest
from operator import itemgetter

from holdfast.handoff import decision, model, structure
from holdfast.handoff.structure import DASHES, LABELS, Depth, ReportLine
from holdfast.text import late as re
from holdfast.text import tokens
from holdfast.text.lines import clip, counted
from holdfast.text.quoting import QUOTE, clean

MARK = "[Holdfast outline, not a summary: lines of a report"
_ERROR = re.compile(
    r"(?:\S+:\d+:(?:\d+:)? ?)?(?:E +)?(?:[\w.]*(?:Error|Exception)|error|ERROR|FATAL|fatal|panic|FAIL|FAILED|--- FAIL)"
    r"(?:\[\w+\])?[: ] ?\S"
)
_RAISED = re.compile(r"\b[A-Z]\w*(?:Error|Exception)[*`]*: \S[^.!?`]{,40}")
_PATH = re.compile(r"(?<![~\w.@+/:#-])[~\w.@+-]*/[\w.@+/:#-]*[\w/]")
_LONG_PATH = re.compile(r"(?<![~\w/:.@+-])[~\w.@+-]*/(?:[\w.@+-]+/)+(?=[\w.@+-]+/[\w.@+-]+)")
_REFERENCE = re.compile(
    r"(?:[^:]{1,40}: )?(?:\[[^\]]*\]\([^()\s]*\)|https?://\S+|[~\w.@+-]*/[\w./@+-]*\w|[\w-]+\.[a-z]{1,5})(?=[\s,;)]|$)"
)
_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=\S)|(?<=\u3002)(?=\S)")
_MARKS = re.compile(r"^(?:[-*+•]|\d+[.)])\s|\*\*|`")


class Lines:
    """How much is shown: characters of a line that counts, as the room allows, at least so many of the decision, and of
    another line; lines of a list under the decision or of the last section that are told whole, else lines at the end;
    headings, and how many of them come at once; characters of a label or number, within which a full stop ends no
    sentence, and of a line told whole where it leads to the next.
    """

    WIDTHS, STATED, OTHER = (600, 400, 280, 200, 140, 100), 280, 90
    WHOLE, END, INDEX, FIRST, LABEL, LEAD = 9, 3, 20, 8, 40, 200


class Caption(StrEnum):
    """What stands above the lines of one kind."""

    STATED = "Decision, as the report states it:"
    LABELLED = "Labelled as severe, to be done or open; others may be missing:"
    ERRORS = "Error messages it quotes (they may be solved):"
    END = "The end of the report's text:"
    NEAR = "Near the end of the report's text:"
    INDEX = "(with the rest)"
    REST = "From the report"
    HIDDEN = "Not shown:"


def outline(
    report: str, limit: int = 500, count: Callable[[str], int] | None = None, path: str = "", first: str = ""
) -> str:
    """At most `limit` tokens of a report's lines; path: where the whole stands. A report that fits stays as it is.

    first: the name of an earlier answer's file beside it, "" for none.
    """

    def fits(text: str) -> bool:
        # A text may in truth be so much larger: measured with a reconstruction of the tokenizer on 356 outlines of 89
        # reports, at most 1.127 and 1.229; none passed its limit.
        return int(count(text) * 1.14 if count else tokens.estimate(text) * 1.25) <= limit

    parsed = model.parse(report)
    source = report if parsed.form == "prose" else parsed.read
    whole = "\n".join(filter(None, (source.strip(), f"Full report: {path}" if path else "")))
    if tokens.rough(len(whole)) <= 2 * limit and fits(whole):
        return whole or "(The report is empty.)"
    read = structure.scan(source)
    found = groups(read)
    size = f"about {tokens.estimate(report):,} tokens"  # as the screen and every table count it
    size += f" of {parsed.holds}" if parsed.holds else ""
    if source.count("\n") >= structure.MOST:
        size += f", read to line {structure.MOST:,}"
        found[Caption.REST] = sorted(found[Caption.REST] + found[Caption.END])
        found[Caption.END] = []  # nobody has looked at it
    earlier = f"; its earlier answers beside it, the first {first}" if first else ""
    mark = f"{MARK}{' by number' * (parsed.form == 'prose')}, word for word, … for gaps."
    head = f"{mark} Full report, {size}: {path}{earlier}]"
    head = head if path and fits(head) else f"{mark} The whole has {size}.]"
    share = {Caption.INDEX: Lines.FIRST, Caption.REST: 0}
    order = _in_turn(found)
    important = sum(len(group[: share.get(caption)]) for caption, group in found.items())
    shown = {**found, Caption.INDEX: [], Caption.REST: [*found[Caption.INDEX], *found[Caption.REST]]}
    filled = sum(bool(line.strip()) for line in source.split("\n"))

    def page(lines: int, width: int) -> str:
        wanted = set(order[:lines])
        headings = sum(line.number not in wanted for line in read if _is_heading(line))
        among = f", {counted(headings, 'heading')} among them" * bool(headings)
        left = [f"{Caption.HIDDEN} {counted(filled - len(wanted), 'line')}{among}"] * (filled > len(wanted))
        return "\n".join([head, *_rows(shown, wanted, width, read, parsed.form == "prose"), *left])

    width = next((width for width in Lines.WIDTHS if fits(page(important, width))), Lines.WIDTHS[-1])
    most = range(1, min(len(order), limit) + 1)  # no line has less than a token
    return page(bisect_right(most, False, key=lambda lines: not fits(page(lines, width))), width)


def essence(text: str) -> list[str]:
    """What an outline has of the report's own words: what is stated, labelled, the errors, a text for each; where there
    is none of them its end. Without head, captions, counts and headings; [] of any other text.
    """
    captions = (Caption.STATED, Caption.LABELLED, Caption.ERRORS)
    found: dict[str, list[str]] = {caption: [] for caption in captions}
    rows = list[str]()
    for row in text.split("\n") if text.startswith(MARK) else ():
        number, _, said = row.partition(": ")
        if row.startswith(QUOTE) or row == "…" or number.isdecimal():
            rows.append(row.removeprefix(QUOTE) if row.startswith(QUOTE) else said or row)
        else:
            rows = found.setdefault(row, [])
    named = [one for one in captions if found[one]] or [one for one in (Caption.END, Caption.NEAR) if one in found]
    once = (enumerate(one for one in found[caption] if one[:1] != "#") for caption in named)
    gapped = ("\n".join({place if one == "…" else one: one for place, one in rows}.values()) for rows in once)
    return [text.removesuffix("\n…") for text in gapped]


def groups(lines: Sequence[ReportLine]) -> dict[Caption, list[ReportLine]]:
    """What an outline is made of, most important first; a line stands in one group only."""
    told = [line for line in lines if line.kind != "code"]
    index = structure.upper([line for line in lines if line.kind == "heading"], Lines.INDEX)
    wanted = {
        Caption.STATED: list(_stated(lines)),
        Caption.LABELLED: labelled(lines),
        Caption.END: _end(told),
        Caption.ERRORS: list(_errors(lines)),
        Caption.INDEX: index,
        Caption.REST: _by_turns(told, {line.number for line in index}),
    }
    taken: set[int] = set()
    for caption, group in wanted.items():
        fresh = {line.number: line for line in group if line.number not in taken}
        if caption == Caption.END and all(line.kind == "heading" for line in fresh.values()):
            fresh = {}  # what it holds is told already
        taken |= fresh.keys()
        wanted[caption] = list(fresh.values())
    return wanted


def _stated(lines: Sequence[ReportLine]) -> Iterator[ReportLine]:
    """The lines that state a decision, each with the list under it, and with its heading.

    The heading is left out at the top and at the end, where a decision is the report's and not that of a part.
    """
    stating = {line.number for line, _ in decision.statements(lines)}
    headings = [line for line in lines if line.kind == "heading"]
    above: list[ReportLine] = []  # the headings that a line stands under
    for place, line in enumerate(lines):
        while line.kind == "heading" and above and above[-1].depth >= line.depth:
            above.pop()
        if line.number in stating:
            amid = above[-1:] if above and above[-1] is not headings[0] and line.number < headings[-1].number else ()
            value = place + 1 + (line.kind == "heading" and not line.field[1])  # then it is the next line
            yield from (*amid, *lines[place:value])
            yield from takewhile(lambda one: one.kind == "item", lines[value : value + Lines.WHOLE])
        if line.kind == "heading":
            above.append(line)


def _end(told: Sequence[ReportLine]) -> list[ReportLine]:
    """The last section, its last line first; of one that is long or nearly the whole report the last lines, without the
    points of points.
    """
    if not told:
        return []
    listed = list(takewhile(lambda line: line.kind in ("item", "row"), reversed(told)))
    entries = [line for line in listed if line.kind == "item"] or listed[:-1]  # a table has a head
    if entries and all(map(_is_reference, entries)):
        told = told[: len(told) - len(listed)] or told  # a list of files or links
        told = (told[:-1] if told[-1].kind == "heading" else told) or told
    above = [place for place, line in enumerate(told) if line.kind == "heading" and line.depth < Depth.COLON]
    last = above[-1] if above else 0
    if last - 1 in above and told[last].number - told[last - 1].number <= 2:
        last -= 1  # the heading of a heading
    if len(told) - last > Lines.WHOLE or 2 * told[last].number <= told[-1].number:
        told = [*told[:last], *_outer(told[last:])]
        last = max(0, len(told) - Lines.END)
    alike = {re.sub(r"\d+", "", line.text): line for line in told[last:]}  # but for numbers: the last says it for all
    told = [*told[:last], *alike.values()]
    lead = last  # a list without the line above it may say the opposite
    while lead and told[lead].kind in ("item", "row"):
        lead -= 1
    end = [*told[lead : min(lead + 1, last)], *told[last:]]
    return [*end[-1:], *end[:-1]]


def _is_reference(line: ReportLine) -> bool:
    """Whether an item begins with a path without a number of a line, or with a link; of a row whether a cell is one."""
    if line.kind == "row":
        return any(map(_REFERENCE.fullmatch, structure.cells(line)))
    return bool(_REFERENCE.match(_MARKS.sub("", line.text)))


def _by_turns(told: Sequence[ReportLine], index: Collection[int]) -> list[ReportLine]:
    """The first line of each section, then the second of each; one turn later what stands before the first of them.

    The only line of a section, where it is no heading itself, goes before the first of several: it says all. Headings
    within a section come with the line under them, with nothing under them they are lines that count; heads of tables
    and lines that only name a file come last.
    """
    found, turn, within = [], int(bool(index)), False
    for before, line, following in zip([None, *told], told, [*told[1:], None], strict=False):
        turn, within = (0, True) if line.number in index else (turn, within)
        only = line.kind != "heading" and all(one is None or one.number in index for one in (before, following))
        ends = not following or (following.kind == "heading" and following.depth <= line.depth)
        names = line.kind == "text" and _REFERENCE.fullmatch(line.plain.partition(" (")[0])
        last = bool(names) or (line.kind == "row" and not (before and before.kind == "row"))
        found.append((last, 0 if line.kind == "heading" and ends else turn, within and not only, line))
        turn += line.kind != "heading" and not last
    return [line for *_, line in sorted(found, key=itemgetter(0, 1, 2))]


def labelled(lines: Sequence[ReportLine]) -> list[ReportLine]:
    """What the report itself labels as severe or as to be done: headings with what they hold, items, rows of tables.

    The first of each section comes first, then the second of each, and so on.
    """
    found: list[tuple[int, ReportLine]] = []
    heading = head = None
    beside = 0  # lines of this section so far that have a label of their own
    for place, line in enumerate(lines):
        label, value = line.field
        before = len(found)
        if line.kind == "row":
            head = line if place == 0 or lines[place - 1].kind != "row" else head
            found += [(beside, head), (beside, line)] if head and _severe_row(line, head) else []
        elif line.kind == "heading":
            heading, beside = line, 0
            counts = _is_severe(line.plain) or structure.is_labelled(line.plain, "to do")
            found += enumerate([line, *_held(lines, place)]) if counts else []
        elif line.kind != "code" and _is_severe(line.plain):
            named = label.casefold() in LABELS["severity"]
            found += [(beside, one) for one in (heading if named else None, line) if one]
        elif line.is_open or (
            line.kind != "code" and structure.is_labelled(label, "to do") and not structure.is_empty([value])
        ):
            found.append((beside, line))
        beside += line.kind != "heading" and len(found) > before
    return [line for _, line in sorted(found, key=itemgetter(0))]


def _is_severe(plain: str) -> bool:
    """Whether a line begins with a severe label, or names its severity: "[HIGH] …", "Critical:", "(Severity: high)".

    A sign has to tell: "HIGH the retry has no limit" reads like "CRITICAL path of the build is fine".
    """
    words = structure.unnumbered(plain).casefold().replace("sev-", "sev").split()
    if not words:
        return False
    first = words[0].strip(f"[](){{}}:#.,!{DASHES}")
    closed = len(words) == 1 or words[0][-1] in ":])}" or words[0][0] in "[({" or not words[1][0].isalnum()
    numbered = len(words) > 1 and words[1].rstrip(":.)").isdecimal() and (words[1][-1] in ":.)" or len(words) == 2)
    holds = len(words) > 1 and words[1].strip("():0123456789").removesuffix("s") in LABELS["finding"]
    if first in LABELS["severe"] and (closed or numbered or holds or not first.isascii()):
        return True
    named = (two for one, two in pairwise(words) if one[-1] == ":" and one.strip("[](*:") in LABELS["severity"])
    return any(word.strip("[]().,;*") in LABELS["severe"] for word in named)


def _severe_row(row: ReportLine, head: ReportLine) -> bool:
    """Whether a cell is a severe label and nothing else, in a column of that name or in capitals.

    Confidence and cost are HIGH too: that counts in a column of severity only.
    """
    columns = (name.casefold() for name in structure.cells(head))
    return any(
        label.casefold() in LABELS["severe"]
        and (column in LABELS["severity"] or (label.upper() == label and label != "HIGH"))
        for column, label in zip_longest(columns, structure.cells(row), fillvalue="")
    )


def _held(lines: Sequence[ReportLine], place: int) -> list[ReportLine]:
    """What a section holds, one line each: its headings of the upper level, else all but code and what is indented."""
    inside = [line for line in structure.section(lines, place) if line.kind != "code"]
    headings = [line for line in inside if line.kind == "heading" and line.depth <= Depth.BOLD]
    least = min((line.depth for line in headings), default=0)
    return [line for line in headings if line.depth == least] or _outer(inside)


def _outer(lines: Sequence[ReportLine]) -> list[ReportLine]:
    """All lines but the points of points."""
    least = min((line.depth for line in lines if line.kind == "item"), default=0)
    return [line for line in lines if line.kind != "item" or line.depth <= least]


def _errors(lines: Sequence[ReportLine]) -> Iterator[ReportLine]:
    """The messages; those that a program printed with the line that leads to them: it says at what state that was."""
    lead: ReportLine | None = None
    for line in lines:
        if _is_error(line):
            yield from (one for one in (lead if line.kind == "code" else None, line) if one)
            lead = None
        elif line.kind != "code":
            lead = line


def _is_error(line: ReportLine) -> bool:
    """Whether a line is a message: in what a program printed, by its fence, or an exception named in prose."""
    if line.kind == "code":
        printed = ("", "text", "txt", "console", "shell", "sh", "bash", "log", "output", "plaintext")
        return line.language in printed and bool(_ERROR.match(line.text))
    return bool(_RAISED.search(line.plain))


def _in_turn(found: dict[Caption, list[ReportLine]]) -> list[int]:
    """Numbers of all lines in the order in which room is given: four of each kind, then one kind after the other.

    Headings beside one that is labelled, which may hold findings too, come before the fifth line of the end.
    """
    beside = {line.depth for line in found[Caption.LABELLED] if _is_heading(line)}
    first = [group[:4] for caption, group in found.items() if caption not in (Caption.INDEX, Caption.REST)]
    near = [line for line in found[Caption.INDEX] if line.depth in beside]
    return list(dict.fromkeys(line.number for line in chain(*first, found[Caption.LABELLED], near, *found.values())))


def _rows(
    found: dict[Caption, list[ReportLine]], wanted: Collection[int], width: int, read: Sequence[ReportLine], prose: bool
) -> Iterator[str]:
    """The lines of these numbers under their captions, those that count that wide; "…" stands for what is left out.

    Between two headings only headings are missed. Two findings of seven would read as all: of a group that has more it
    is said how many. Each line stands behind its number or a quotation mark, so that none poses as one of ours.
    """
    for caption, lines in found.items():
        shown = sorted(line for line in lines if line.number in wanted)
        if not shown:
            continue
        chars = {Caption.STATED: max(width, Lines.STATED), Caption.REST: Lines.OTHER}.get(caption, width)
        behind = read[bisect_right(read, shown[-1]) :]
        alone = ", headings only" * all(map(_is_heading, shown))
        title = Caption.NEAR if caption == Caption.END and behind else caption
        yield f"{caption}{alone}:" if caption == Caption.REST else title
        for before, line in zip([None, *shown], shown, strict=False):
            between = read[bisect_right(read, before) : bisect_left(read, line)] if before else []
            if before and _is_heading(before) and _is_heading(line):
                between = list(filter(_is_heading, between))
            yield from ["…"] * bool(between)
            said = (_quoting if caption == Caption.ERRORS else _cut)(clean(line.text), chars)
            yield (f"{line.number}: " if prose else QUOTE) + said
        missing = len(lines) - len(shown)
        if caption in (Caption.LABELLED, Caption.ERRORS) and missing:
            yield f"({counted(missing, 'more line')})"
        elif caption != Caption.REST and any(one.kind != "heading" and one.number not in wanted for one in behind[:1]):
            yield "…"


def _is_heading(line: ReportLine) -> bool:
    """Whether its mark says so: what is bold or ends in a colon may be a label or a sentence."""
    return line.kind == "heading" and line.depth < Depth.BOLD


def _quoting(text: str, chars: int) -> str:
    """As `_cut`; where that would cut the message away, from its sentence on, else from the message."""
    text = text if len(text) <= chars else _LONG_PATH.sub("…/", text)
    found = _RAISED.search(text)
    message, start = (found[0], found.start()) if found else ("", 0)
    sentence = max((end.end() for end in _SENTENCE_END.finditer(text) if end.end() <= start), default=0)
    cuts = (_cut("…" * bool(begin) + text[begin:], chars) for begin in (0, sentence, start))
    return next((cut for cut in cuts if message in cut), text[start:][:chars])


def _cut(text: str, chars: int) -> str:
    """Some `chars` characters: first of long paths their last two parts, then whole sentences from the beginning.

    Half a sentence may say the opposite, so the first one has twice the room; beyond that never half a path. Of a line
    that leads to what follows it, by a colon, the last sentence: it may say "but not:". Never a middle is taken out.
    """
    if len(text) <= chars:
        return text
    text = _LONG_PATH.sub("…/", text)
    if len(text) > chars and text.rstrip("*_` ").endswith((":", "\uff1a")):
        last = _SENTENCE_END.split(text)[-1]
        text, chars = (text if last == text or len(text) <= Lines.LEAD else f"…{last}"), 2 * chars
    ends = [end.start() for end in _SENTENCE_END.finditer(text) if end.start() > Lines.LABEL]
    whole = [end for place, end in enumerate(ends) if end < (chars if place else 2 * chars)]
    if whole and len(text) > chars:
        return f"{text[: whole[-1]]} …"
    chars = chars if ends or len(text) > 2 * chars else len(text)
    cut = (path.start() for path in _PATH.finditer(text) if path.start() < chars - 1 < path.end())
    return clip(text, max(next(cut, chars), chars // 2))
