"""Lines that their author marked to last: RULE: …, CHOSE: …, TODO: …, BUG-7: …, Lesson: …, FAILED: …

Rule: its words are those of a summary's record (worklog/record.py), with or without its ids, and those of the field.
A mark begins a line, after a list mark, a heading's or bold marks at most, the user's RULE: also a sentence; never in
fenced or indented code, in a quotation or between tags (text/markdown.py). Of a prompt that is longer than anybody
types only the first and the last paragraph are read, because what lies between is pasted. Source: requirements W2, J9.
"""

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from holdfast.hot.prompt_match import LONGEST
from holdfast.text import identifiers
from holdfast.text import late as re
from holdfast.text.lines import both_ends, clip, one_line
from holdfast.text.markdown import ELSEWHERE, FOREIGN, Line, leads, lines_of, paragraphs, voices
from holdfast.worklog import record
from holdfast.worklog.model import Kind, MarkedLine, Speaker, Worklog

ASK = (
    "Holdfast keeps lines of three kinds. When one comes up, write it once, on its own line, first word as here, "
    'rest in any language: RULE: "a lasting rule of the user\'s, in their words"; CHOSE: what, because why; '
    "Lesson: what was learned."
)
"""What a start asks of the agent: some 80 tokens, in every window."""
KINDS: Mapping[str, Kind] = {
    "RULE": "rule",
    "FAILED": "failed",
    "LESSON": "lesson",
    "TODO": "todo",
    "FIXME": "todo",
    "BUG": "bug",
    **dict.fromkeys(("CHOSE", "DECISION", "DECIDED", "DEC", "ADR"), "decision"),
}
"""What each mark makes, by its word; DEC and ADR with a number only."""
_MARK = re.compile(
    rf"[*_`]{{0,3}}(?P<word>{'|'.join(KINDS)}|Rule|Decision|Lesson)(?: LEARNED| learned)?"
    r"(?P<id>-\d[\w-]{0,20})?(?:[ \t][A-Z]\d{1,4})?[*_`]{0,3}"
    r"(?::[*_`]{0,3}(?:[ \t]+|(?=[^\x00-\x7f]))|\uff1a[*_`]{0,3}[ \t]*)(?P<text>\S.*)"
)
"""A full-width colon needs no blank behind it: it brings its own."""
OPEN = ("todo", "bug")
"""Kinds that are done when the same line is marked again with a ticked box: - [x] BUG: …"""
WHOLE = 4_000
"""Most characters of what the user lays down, or a rule quotes: its end may turn its sense round."""


def marked(text: str, by: Speaker, n: int) -> list[MarkedLine]:
    """The marked lines of a message, in order; of a very long one those of its two ends."""
    found = (_mark(by, *led) for led in _led(both_ends(text, 50_000)))
    return [MarkedLine(kind=kind, text=said, by=by, n=n) for kind, said in filter(None, found)]


def _mark(by: Speaker, lead: str, raw: str, line: Line, behind: Iterable[tuple[str, Line]]) -> tuple[Kind, str] | None:
    """What a line marks, and as what.

    What lasts of the user's stands behind what leads to it, where they may say that somebody else says it, and goes on
    behind it (record.goes_on).
    """
    before, own = record.apart(line.text) if by == "user" else ("", line.text)
    mark = _MARK.match(own) if ":" in own or "\uff1a" in own else None
    word, code = (mark["word"].upper(), mark["id"]) if mark else ("", "")
    if not mark or (word in ("DEC", "ADR") and not code):
        return None
    kind: Kind = "done" if KINDS[word] in OPEN and line.box == "x" else KINDS[word]
    number = f"{word}{code}: " if code else ""
    if by != "user" or kind in (*OPEN, "done"):
        return kind, number + clip(mark["text"].strip(" \t*_"), WHOLE if by == "user" or word == "RULE" else 400)
    said = one_line(" ".join([mark["text"], *_further(raw, behind)])).strip(" \t*_")
    led = f"{lead}{before}RULE: " if record.may_quote(before) else lead
    return kind, f"{led}{number}{clip(said, WHOLE)}"


def _further(first: str, behind: Iterable[tuple[str, Line]]) -> Iterator[str]:
    """The lines that a marked one goes on in."""
    last = first
    for raw, _ in behind:
        before, _ = record.apart(raw)
        if not record.goes_on(first, last, before or raw):
            return
        yield before or raw
        if before:
            return
        last = raw


def _led(text: str) -> Iterator[tuple[str, str, Line, Iterable[tuple[str, Line]]]]:
    """Each line with those that lead to it in its paragraph, on one line ("Never do this: "), and those behind it.

    A colon before somebody else's words leads to them, a heading to the line below it.
    """
    for paragraph in paragraphs(text):
        lead, before = "", Line("blank", "")
        for at, (raw, line) in enumerate(paragraph):
            if raw == ELSEWHERE or (before.kind == "heading" and line.kind == "text" and not _MARK.match(line.text)):
                lead = ""
            before = line
            yield lead, raw, line, itertools.islice(paragraph, at + 1, None)
            if leads(line) and not (line.kind == "heading" and _MARK.match(line.text)):
                told = one_line(line.text)[:WHOLE].rstrip(":\uff1a")
                lead = both_ends(f"{lead}{told}: ", 400)


def unmarked(text: str, by: Speaker = "user", told: Collection[str] | None = None) -> str:
    """What of a message marks nothing; told: what is told beside it, where nothing else is to be left out."""
    left, first, last = list[str](), "", ""
    for line, voice in zip(lines_of(text), voices(text), strict=False):
        found = marked(line, by, 0) if voice.kind not in FOREIGN else []
        if any(told is None or one["text"] in told for one in found):
            first = last = line
            left += filter(None, [record.apart(line)[0] if by == "user" else ""])
        elif last and line.strip() and record.goes_on(first, last, line):
            last = line
        else:
            last = ""
            left.append(line)
    return "\n".join(left).strip()


def keep(state: Worklog, text: str, by: Speaker) -> None:
    """Add a message's marks."""
    if by == "user" and len(text) > LONGEST:
        lines = voices(text)
        blank = [at for at, line in enumerate(lines) if line.kind == "blank"] or [len(lines)]
        raw = lines_of(text)
        ends = (range(blank[0]), range(blank[-1] + 1, len(lines)))
        first, last = ("\n".join(raw[at] for at in end if lines[at].kind not in FOREIGN) for end in ends)
        text = f"{first[:LONGEST]}\n\n{last[-LONGEST:]}"
    for mark in marked(text, by, state["messages"]):
        add(state, mark)


def add(state: Worklog, mark: MarkedLine) -> None:
    """Add a mark; one that is made again moves to the end and stays the user's, and of each kind and author the newest
    40 stay.
    """
    made = mark["kind"], mark["text"]
    for one in state["marks"]:
        if (one["kind"], one["text"]) == made:
            by = "user" if one["by"] == "user" else mark["by"]
            mark = MarkedLine(**{**one, **mark, "by": by, "first": one.get("first", one["n"])})
        elif mark["kind"] == "done" and _gives_way(one, mark):
            mark = {**mark, "over": one}
    rest = [known for known in state["marks"] if not _gives_way(known, mark)]
    same = [known for known in rest if known["kind"] == mark["kind"] and known["by"] == mark["by"]]
    if len(same) >= 40:
        rest.remove(same[0])
    state["marks"] = [*rest, mark]
    state["taken_back"] = [one for one in state["taken_back"] if (one["kind"], one["text"]) != made]


def quoted(mark: MarkedLine, said: Sequence[str]) -> str:
    """The user's whole sentence that a rule of the assistant's has words of; "" for any other. said: fold.words."""
    if mark["kind"] != "rule" or mark["by"] == "user":
        return ""
    return mark.get("quotes") or one_line(record.users_words(mark["text"], said, WHOLE))


def in_whose_words(mark: MarkedLine, said: Sequence[str]) -> tuple[str, str]:
    """Who has marked a line, for a reader, or that it has the user's sentence; and that, "" for none: a part of it may
    say the opposite.
    """
    whole = quoted(mark, said)
    is_told = bool(whole) and whole.rstrip(" .\u3002") in one_line(mark["text"])
    return ("in the user's words" if is_told else mark["by"]), whole


def as_told(mark: MarkedLine, said: Sequence[str]) -> str:
    """A marked line for a reader: what it is, in whose words."""
    whose, whole = in_whose_words(mark, said)
    what = "decision of which only a summary tells" if mark["kind"] == "retold" else f"{mark['kind']} ({whose})"
    return f"{what}: {one_line(mark['text'])}" + f'; the user said: "{whole}"' * bool(whole and whose == mark["by"])


def says(state: Worklog, kind: Kind, text: str) -> bool:
    """Whether a marked line has the words of this one, all and in order, as a summary says it again: a word less may be
    a "not", but a file's name and the word before it may be left out. Of rules each is its own.
    """
    asked = _words(text)
    others = [one["text"] for one in state["marks"] if one["kind"] == kind != "rule"]
    return any(asked in (_words(one), _words(_without_files(one))) for one in others)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _without_files(text: str) -> str:
    words, names = text.split(), identifiers.paths(text)
    files = {at for at, word in enumerate(words) if any(name in word for name in names)}
    return " ".join(word for at, word in enumerate(words) if at not in files and at + 1 not in files)


def _gives_way(known: MarkedLine, mark: MarkedLine) -> bool:
    """Whether it is made again, ticked off by whoever may, or open once more."""
    if known["text"] != mark["text"]:
        return False
    if mark["kind"] == "done" and known["kind"] in OPEN:
        return mark["by"] == "user" or known["by"] == "assistant"
    return known["kind"] == mark["kind"] or (known["kind"] == "done" and mark["kind"] in OPEN)
