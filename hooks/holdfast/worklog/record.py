"""The closing record of a summary: lines that the summariser writes for programs to read.

    line   KIND id: text         one line each; list marks, numbers, bold, quotes and tables around it are passed over
    kind   of KINDS
    id     a letter and a number (R1, C12), from whoever wrote the line first; it stays while the line holds, also when
           its kind changes (OPEN O3 becomes DONE O3)
    over   OVER id, id: how      lines of the record before that hold no more; of a summary's never a user's rule

Rule: W7. Words are the summariser's, in any language; kinds and ids stay as they are here. What has no id gets one,
what has another line's gets its own. Whoever dropped a line without a word is told it once more (`following`).
"""

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, NotRequired, TypedDict

from holdfast.text import late as re
from holdfast.text.lines import one_line
from holdfast.text.markdown import ELSEWHERE, ITEM


class LineKind(NamedTuple):
    """What a kind is for, as the summariser is told; name: of one that lasts: neither kept nor closed it was lost."""

    letter: str
    form: str
    name: str = ""


KINDS = {
    "RULE": LineKind("R", '"the user\'s own words", only what they want in all later tasks too', "rule"),
    "CHOSE": LineKind("C", "what (also what the user wants of this task), because why, instead of what", "decision"),
    "FAILED": LineKind("F", "approach given up, why it failed", "failed attempt"),
    "OPEN": LineKind("O", "problem, question, promise", "open point"),
    "NEXT": LineKind("N", "step"),
    "STATE": LineKind("S", "tests, pushed, running; `staged: path, path` if you know it"),
    "DONE": LineKind("D", "what"),
    "FACT": LineKind("K", "number, name, finding", "finding"),
}
OVER = "OVER"
MOST, CHARS = 60, 400
"""Lines of a record (40 are asked for), and characters of one: what is more is counted and left out."""
_QUOTED = re.compile(
    r"\"([^\"\n]+)\"|\u201c([^\u201c\u201d\n]+)\u201d|\u201e([^\u201e\u201c\u201d\n]+)[\u201c\u201d]"
    r"|\u00ab([^\u00ab\u00bb\n]+)\u00bb|\u300c([^\u300c\u300d\n]+)\u300d|`([^`\n]+)`"
)
_AROUND = re.compile('["\u201c\u201e\u00ab\u300c](.+)["\u201d\u201c\u00bb\u300d]')
"""One quotation from end to end: those that stand in it are part of what was said."""
_LINE = re.compile(
    rf"[\s>|*_`#+\u2022\u2013\u2014\-\[\]().\d]{{0,24}}(?P<kind>{'|'.join((*KINDS, OVER))})[*_`]{{0,3}}"
    r"(?:[\s|\[(*_`]{1,6}(?P<id>[A-Z]\d{1,4})(?P<more>(?:[\s,;&/*_`\u3001]{1,6}(?:and\s)?[A-Z]\d{1,4}(?!\w)){0,60}))?"
    r"[*_`\])]{0,6}"
    r"(?:[ \t]?[:\uff1a](?:\*\*)?|[ \t]+(?:[\u2013\u2014|]|--?)[ \t])[ \t]*(?P<text>\S.*)"
)
_JOINED = re.compile(rf" \| (?=(?:{'|'.join((*KINDS, OVER))}) [A-Z]\d{{1,4}}(?:, [A-Z]\d{{1,4}}){{0,60}}:)")
"""Between lines that stand on one, as in what is asked for."""
_ID = re.compile(r"[A-Z]\d{1,4}")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b[^\W\d]\.)(?<!\d\.)(?<!\.\.)\s(?=[^\d\s])|(?<=[.!?][\"')\]])\s(?=\S)|(?<=[\u3002\uff01\uff1f])"
)
"""A point behind one letter ends none: it would turn "never use e.g. Redis" round; nor do three points."""
_SIGN = re.compile("[^\\w\\s,;.!?'\u2019/\u3001\u3002\uff01\uff0c\uff1f-]|(?<!\\w)['\u2019/_-]|['\u2019/_-](?!\\w)")
"""What may begin somebody else's words in a line: all but letters, what joins them, and the signs of a statement."""
_ENDS = (".", "!", "?", "\u3002", "\uff01", "\uff1f")
_ITEM = re.compile(ITEM)
_MARK = re.compile(r"(?:\d{1,3}[.)][ \t]{1,8}|[-*+# \t]{0,9})(?:RULE|Rule)[:\uff1a][ \t]{0,8}")
"""A mark, which begins no sentence."""
_LATER = re.compile(r"[.!?]\s+(?=RULE:\s)|[\u3002\uff01\uff1f]\s*(?=RULE[:\uff1a])")
_KEYS = str.maketrans(
    dict.fromkeys("'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d\u300e\u300f", '"')
    | {"\u2013": "-", "\u2014": "-", "\u2026": "...", "`": "", "*": ""}
)


class RecordLine(TypedDict):
    """A line of the record."""

    kind: str
    id: str
    text: str
    told: bool
    """It was dropped once, and put back."""
    users: bool
    """A RULE whose quotation stood in the user's own words when the line came; else its words are the model's."""
    n: NotRequired[int]
    """Number of the message with which it came into a worklog."""


class ReadRecord(NamedTuple):
    """What a summary's record says; over: id -> how it ended; left_out: lines beyond the bounds."""

    lines: list[RecordLine]
    over: dict[str, str]
    left_out: int = 0

    @property
    def came(self) -> bool:
        """Whether there is a record at all."""
        return bool(self.lines or self.over)


class Following(NamedTuple):
    """The record as it stands now, what of it the summary has dropped without a word, and which lines of the summary's
    would have taken the place of a rule of the user's, or ended it.
    """

    record: list[RecordLine]
    dropped: list[RecordLine]
    aside: list[RecordLine]


def request(earlier: bool = False) -> str:
    """What the summariser is asked for, in one paragraph: a screen shows it. earlier: there is a record of before."""
    asked = (
        "End the summary, before its end tag, with a closing record: at most 40 lines `KIND id: text`, one per item. "
        "Copy numbers, names, paths, messages exactly. Use these kinds where they apply: "
    )
    kept = (
        " Repeat each line of the earlier record that still holds, with its id, even if its kind changes (a finished "
        "step becomes DONE N1). Number new lines on. Close what is over or was wrong, but no RULE; alike ones "
        f"together: {OVER} id, id: how they ended."
    )
    forms = " | ".join(f"{kind} {about.letter}1: {about.form}" for kind, about in KINDS.items())
    return f"{asked}{forms}.{kept if earlier else ''}"


def listed(lines: Iterable[RecordLine]) -> list[str]:
    """The lines as they were written, one entry each."""
    return [f"- {line['kind']} {line['id']}: {line['text']}" for line in lines]


def read(text: str) -> ReadRecord:
    """The lines of a record, wherever they stand in the summary; a kind counts in capitals only."""
    lines: list[RecordLine] = []
    over: dict[str, str] = {}
    left_out = 0
    for line in _JOINED.sub("\n", text).replace("<summary>", "\n").replace("</summary>", "\n").splitlines():
        found = _LINE.match(line[: 2 * CHARS])
        said = one_line(found["text"].strip(" \t*_|"), CHARS) if found else ""
        if not found or not said:
            continue
        name, more = found["id"] or "", _ID.findall(found["more"] or "")
        if found["kind"] == OVER:
            over |= dict.fromkeys([name] * bool(name) + more, said)
        elif len(lines) < MOST:
            lines.append(RecordLine(kind=found["kind"], id=name, text=said, told=False, users=False))
            if found["kind"] == "DONE":  # several steps and open points at once
                over |= {one: said for one in more if one[0] in (KINDS["NEXT"].letter, KINDS["OPEN"].letter)}
        else:
            left_out += 1
    return ReadRecord(lines, over, left_out)


def following(before: Sequence[RecordLine], found: ReadRecord, said: Sequence[str] = ()) -> Following:
    """The record after a summary whose record was `found`; without one the old lines stand as they were.

    A line of `before` that lasts and is neither kept, by its id or its words, nor over was dropped: it stays, once.
    A rule of the user's is no summary's to close or to word anew, whose words are the model's about the past: only what
    is said between two of them closes it (`added`). said: the user's own words so far, which rules are held against.
    """
    if not found.came:
        return Following(list(before), [], [])
    named, aside = _named(before, found.lines, said)
    laid_down = {line["id"] for line in before if line["users"]}
    kept = {line["id"] for line in named} | found.over.keys() - laid_down
    alike = {_flat(line["text"]) for line in named}  # two halves of one sentence are one rule
    gone = [line for line in lasting(before) if line["id"] not in kept and _flat(line["text"]) not in alike]
    back = [RecordLine(**{**line, "told": True}) for line in gone if not line["told"]]
    stays = [line for line in gone if line["told"] and line["users"]]
    ends = {name: how for name, how in found.over.items() if name in laid_down - {line["id"] for line in named}}
    aside += [RecordLine(kind=OVER, id=name, text=how, told=False, users=False) for name, how in ends.items()]
    contested = {line["id"] for line in aside}
    return Following([*named, *back, *stays], [line for line in back if line["id"] not in contested], aside)


def lasting(lines: Sequence[RecordLine]) -> list[RecordLine]:
    """Those that hold until somebody closes them: no rule among them that the user never laid down."""
    return [line for line in lines if KINDS[line["kind"]].name and (line["kind"] != "RULE" or line["users"])]


def added(before: Sequence[RecordLine], found: ReadRecord, said: Sequence[str] = ()) -> list[RecordLine]:
    """The record after lines that were written between two summaries: they are added, or replace those of their ids.

    Not rules of the user's, which only OVER closes here.
    """
    named, _ = _named(before, found.lines, said)
    over = {line["id"] for line in named} | found.over.keys()
    now = [*(line for line in before if line["id"] not in over), *named]
    gone = [line for line in now if not line["users"]][: max(0, len(now) - MOST)]
    return [line for line in now if line not in gone][-MOST:]


def users_words(text: str, said: Sequence[str], most: int = CHARS) -> str:
    """The sentences of the user's that a rule has words of: those in quotes, else all; "" where no paragraph has all.

    Whole sentences (`_sentences`): a part may say the opposite. A line of which less than half is quoted says more than
    the user did, and is not theirs. said: paragraphs of the user's own (model.own_words); most: characters of a
    sentence or paragraph, "" where it has more.
    """
    around = _AROUND.fullmatch(text)
    whole = _sentences_with(around[1], said, most) if around else ""
    if whole:
        return whole
    if 2 * sum(map(len, _quoted(text))) < len(one_line(text)) or not quotes(text, said):
        return ""
    told = ([_sentences_with(part, [one], most) for part in _parts(text)] for one in said)
    return next(("; ".join(dict.fromkeys(found)) for found in told if all(found)), "")


def _sentences_with(part: str, said: Sequence[str], most: int) -> str:
    """The sentence that these words stand in, or the neighbouring ones; "" where that is more than `most`."""
    wanted = _typed(part).strip(" .")
    for told in (_sentences(one) for one in said if wanted and wanted in _typed(one)):
        spans = ((first, first + many) for many in range(1, 5) for first in range(len(told) - many + 1))
        for found in (" ".join(told[first:end]) for first, end in spans):
            is_asked = found.endswith(("?", "\uff1f")) and not told[-1].endswith(found)  # what follows answers it
            if not is_asked and (wanted in _typed(found) or wanted in _typed(found.replace(" ", ""))):
                return found if len(found) <= most else ""
    return ""


def _sentences(paragraph: str) -> list[str]:
    """What of a paragraph is told by itself: the sentences of each line, with those that it goes on in, what is marked
    whole; all as one where a line leads to the others: nobody can tell which of them it turns.
    """
    lines, units, first, last = paragraph.split("\n"), list[list[str]](), "", ""
    others = [line.strip() for line in lines if not _MARK.match(line)]
    begins = [bool(_ITEM.match(line)) for line in lines if line[:1].strip() and not _MARK.match(line)]
    has_lead = any(is_item and not was_item for was_item, is_item in itertools.pairwise(begins))
    if has_lead or any(line.startswith(("#", "**")) or line.endswith((":", "\uff1a")) for line in others):
        return [one_line(paragraph)]
    for line in lines:
        parts = apart(line)
        for part in filter(str.strip, [line] if may_quote(parts[0]) else parts):
            if units and goes_on(first, last, part, is_marked=bool(_MARK.match(units[-1][0]))):
                units[-1].append(part)
            else:
                units.append([part])
                first = line
        last = line
    told = list[str]()
    for said in map(" ".join, units):
        told += [_MARK.sub("", said, count=1)] if _MARK.match(said) else _split(one_line(said))
    return [one_line(one) for one in told if one.strip()]


def without(text: str, is_gone: Callable[[str], bool]) -> str:
    """The user's words without the sentences, or those that follow each other, of which this is true."""
    left = list[str]()
    for paragraph in text.split("\n\n"):
        told = _sentences(paragraph)
        spans = [(first, first + many) for many in range(1, 5) for first in range(len(told) - many + 1)]
        gone = {at for first, end in spans if is_gone(" ".join(told[first:end])) for at in range(first, end)}
        left += filter(None, [" ".join(one for at, one in enumerate(told) if at not in gone)]) if gone else [paragraph]
    return "\n\n".join(left)


def apart(line: str) -> tuple[str, str]:
    """A line of the user's before a RULE: behind a sentence, and from there on; else "" and the line."""
    found = None if _MARK.match(line) else _LATER.search(_blanked(line))
    return (line[: found.end()], line[found.end() :]) if found else ("", line)


def may_quote(text: str) -> bool:
    """Whether what follows may be somebody else's words: a sign that they begin with stands before it."""
    return bool(_SIGN.search(_blanked(text)))


def goes_on(first: str, last: str, line: str, is_marked: bool = True) -> bool:
    """Whether what the user wrote goes on in this line, as they stand there; first, last: of the lines that it has.

    It goes on where an editor broke it, behind 60 characters or more, where a sign leaves it open, behind somebody
    else's words, and in what is indented under it. What is marked ends with its line else, with a sentence, and before
    a capital unless it is open: an order that is told as a rule is worse than a rule cut short. What is not goes on to
    the end of a sentence: of a part nobody can tell what turns it.
    """
    is_below, is_item = _depth(line) > _depth(first), bool(_ITEM.match(line.strip()))
    if _MARK.match(line) or (is_item and not is_below and _ITEM.match(first.strip())):
        return False
    end = last.rstrip("*_`\"')]\u201d ")[-1:]
    is_open = end in (",", ";", ":", "\uff0c", "\u3001", "\uff1a", "\uff1b")
    is_over = end in _ENDS or (line[:1].isupper() and not is_open)
    is_broken = len(last) >= 60 or line == ELSEWHERE or (last == ELSEWHERE and line[:1].islower())
    is_listed = is_item and bool(_ITEM.match(last.strip()))
    if is_below or is_listed or is_item or is_marked:
        return is_below or is_listed or ((is_open or is_broken) and not (is_marked and is_over))
    return end not in _ENDS


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _split(line: str) -> list[str]:
    """Before the first sign that plain statements do without: behind it stands, up to the line's end, what may be
    somebody else's, who is contradicted before or after. No sentence begins with a small letter.
    """
    sign = _SIGN.search(line)
    shown = sign.start() if sign else len(line)
    behind = (end.end() for end in _SENTENCE_END.finditer(line))
    ends = [end for end in behind if end <= shown and not line[end : end + 1].islower()]
    return [line[start:end].strip() for start, end in itertools.pairwise([0, *ends, len(line)])]


def _blanked(line: str) -> str:
    """With an x for each character of a quotation."""
    return _QUOTED.sub(lambda found: "x" * len(found[0]), line)


def first_sentence(text: str) -> str:
    """On one line; by it a rule is called that goes on."""
    return _split(one_line(text))[0]


def quotes(text: str, said: Sequence[str]) -> bool:
    """Whether what a rule has in quotes, else all of it, stands in what the user has said, however much is around."""
    known, parts = [_typed(one) for one in said], _parts(text)
    return bool(parts) and all(any(part in one for one in known) for part in parts)


def _parts(text: str) -> list[str]:
    """What is quoted, without what is left out within it."""
    parts = (part.strip(" .") for word in _quoted(text) for part in _typed(word).split("..."))
    return list(filter(None, parts))


def _quoted(text: str) -> list[str]:
    """What stands in quotation marks; code only where nothing does."""
    found = [("".join(parts), parts[-1]) for parts in _QUOTED.findall(text)]
    return [said for said, code in found if not code] or [said for said, _ in found] or [text]


def _typed(text: str) -> str:
    """On one line, with one sign for all quotation marks, the dashes and dots of a keyboard, in small letters, without
    marks of code and bold: models set them as a printer does. What is told is what the user typed.
    """
    return one_line(text).translate(_KEYS).casefold()


def _named(
    before: Sequence[RecordLine], lines: Sequence[RecordLine], said: Sequence[str]
) -> tuple[list[RecordLine], list[RecordLine]]:
    """The new lines, each with an id of its own: its words', its own, or the next one that is free for its kind; and
    those that would stand in the place of a rule of the user's; which are set aside where they are not their words.
    """
    same = {_flat(line["text"]): line for line in before}
    taken = {line["id"] for line in (*before, *lines)}
    used, aside = dict[str, RecordLine](), list[RecordLine]()
    rules = {one["id"]: one for one in before if one["users"]}
    laid_down = [*said, *(_unquoted(one["text"]) for one in rules.values())]
    for said_so, line in ((one["text"], _in_users_words(one, laid_down)) for one in lines):
        known = same.get(_flat(line["text"]))
        name = known["id"] if known else line["id"]
        rule, kept = rules.get(name), line
        if rule and (line["kind"] != "RULE" or not line["users"]):
            aside.append(RecordLine(**{**line, "id": name}))
            continue
        if rule:
            is_kept = users_words(said_so, [_unquoted(rule["text"])])
            aside += [] if is_kept else [line]  # another of theirs: it has an id of its own
            kept, name = (RecordLine(**{**rule, "told": False}), name) if is_kept else (line, "")
        again = (
            [one for one in used.values() if one["users"]] if line["users"] else [used[name]] if name in used else []
        )
        if any(_flat(one["text"]) == _flat(kept["text"]) for one in again):
            continue
        if not name or name in used:
            letter = KINDS[line["kind"]].letter
            name = next(one for number in itertools.count(1) if (one := f"{letter}{number}") not in taken)
            taken.add(name)
        used[name] = RecordLine(**{**kept, "id": name})
    return list(used.values()), aside


def _in_users_words(line: RecordLine, said: Sequence[str]) -> RecordLine:
    """A rule as the user has said it, in whole sentences; any other line as it stands."""
    words = users_words(line["text"], said) if line["kind"] == "RULE" else ""
    is_same = _typed(_unquoted(line["text"])).strip(" .") == _typed(words).strip(" .")
    return RecordLine(**{**line, "text": line["text"] if is_same or not words else f'"{words}"', "users": bool(words)})


def _unquoted(text: str) -> str:
    around = _AROUND.fullmatch(text)
    return around[1] if around else text


def _flat(text: str) -> str:
    return " ".join(text.split()).casefold()
