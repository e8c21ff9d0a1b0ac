"""A session's record in passages: what was said and done, in its order, with who spoke.

Rule: W8. A passage begins with words of the user's, or where the one before is full and does not end in such words, so
that a question stands with its answer and a call with its result. A longer text is cut between lines. What the client
says in the user's place is left out, but for its summaries: of an older window they are the model's own words. So are
questions to this record, and what it told: their words are the question's, or stand here already. Of a shell call that
does more than ask nothing is left out.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from holdfast.text import quoting
from holdfast.text.lines import one_line
from holdfast.text.redaction import redacted, redacted_in
from holdfast.transcript import rows, shell
from holdfast.transcript.rows import Json

ROOM = 2_400
"""Characters of a passage: twice of what is shown of it, so that lines can be chosen."""
SUMMARY, THOUGHT, RESULT = "summary of a compaction", "agent, thinking", "result"
NUMBERED = "\u2192"  # 12→ before a line that was read
_ABOUT = 300
RULES = 2
"""Raise it with what a passage says of the same row: then each index is made anew."""
_UNNAMED = ("TodoWrite", "AskUserQuestion")  # the client's own: what each thing is goes without saying


class Utterance(NamedTuple):
    """Words of one speaker: "user", "agent", "agent, thinking", a call ("Edit: a.py", a short one "Bash"), a result."""

    who: str
    text: str


class SpokenPassage(NamedTuple):
    """Some pieces of neighbouring rows; row: of the first one, from 1; time: ISO, "" where the client gave none."""

    row: int
    time: str
    pieces: tuple[Utterance, ...]


def of_rows(read: Iterable[tuple[int, Json]], asked: set[str] | None = None) -> Iterator[SpokenPassage]:
    """The passages of numbered rows, in their order.

    asked: ids of questions to the record that wait for their result; who reads on gives them again, as they are then.
    """
    asking = set[str]() if asked is None else asked
    held: list[SpokenPassage] = []
    size = 0
    for part in (part for number, row in read for part in _parts(number, row, asking)):
        (piece,) = part.pieces
        is_full = held and size + len(piece.text) > ROOM and held[-1].pieces[0].who != "user"
        if is_full or (held and piece.who == "user"):
            yield _joined(held)
            held, size = [], 0
        held.append(part)
        size += len(piece.text) + len(piece.who)
    if held:
        yield _joined(held)


def _parts(number: int, row: Json, asked: set[str]) -> Iterator[SpokenPassage]:
    """What a row says, a piece each, none longer than a passage."""
    time = one_line(row.get("timestamp") or "", 40)
    for piece in _pieces(row, asked):
        if _is_skill(piece):
            continue
        yield from (SpokenPassage(number, time, (Utterance(piece.who, part),)) for part in cut(redacted(piece.text)))


def _joined(parts: list[SpokenPassage]) -> SpokenPassage:
    return parts[0]._replace(pieces=tuple(piece for part in parts for piece in part.pieces))


def of_text(text: str, who: str) -> Iterator[SpokenPassage]:
    """The passages of a file that holds one text; `row` is the number of its line."""
    whole, line, end = redacted(text), 1, 0
    for part in cut(whole):
        start = whole.index(part, end)  # blank lines stand between parts, or nothing does within a long line
        line += whole.count("\n", end, start)
        yield SpokenPassage(line, "", (Utterance(who, part),))
        line, end = line + part.count("\n"), start + len(part)


def cut(text: str, room: int = ROOM) -> Iterator[str]:
    """Parts of at most `room` characters, cut between lines where there are any; none of a blank text."""
    start = 0
    while len(text) - start > room:
        end = text.rfind("\n", start, start + room) + 1 or start + room
        if part := text[start:end].strip("\n"):
            yield part
        start = end
    if rest := text[start:].strip():
        yield rest


def _pieces(row: Json, asked: set[str]) -> Iterator[Utterance]:
    if row.get("isCompactSummary"):
        yield Utterance(SUMMARY, "\n".join(rows.texts(row)))
    elif said := rows.human_prompt(row) or rows.slash_command(row):
        yield Utterance("user" if rows.is_typed(row) else "not typed by the user", said)
    is_said = row.get("type") in ("user", "assistant")  # the client keeps a copy of a request beside them (2.1.329)
    for block in rows.blocks(row) if is_said else ():
        kind = block.get("type")
        if kind == "tool_use" and _asks(block):
            asked.add(str(block.get("id")))
        elif kind == "tool_use":
            yield _call(block)
        elif kind == "tool_result":
            text, call = plain(without_reminders(rows.block_text(block))), str(block.get("tool_use_id"))
            if not (call in asked and text.startswith(quoting.RECORD)):
                yield Utterance(RESULT, text)
            asked.discard(call)
        elif kind == "thinking":
            yield Utterance(THOUGHT, str(block.get("thinking") or ""))
        elif kind == "text" and row.get("type") == "assistant":
            yield Utterance("agent", rows.block_text(block))


def _asks(block: Json) -> bool:
    """Whether a shell's call asks the record and does nothing else."""
    given = block.get("input")
    script = str(given.get("command")) if block.get("name") == "Bash" and isinstance(given, dict) else ""
    if " recall" not in script or len(script) > shell.LONGEST:  # to take one apart is slow
        return False
    if any(sign in script for sign in ("$(", "`", "<(", ">(")):  # another may run within
        return False
    found = [step for step in shell.steps(shell.flat(script)) if step.words or step.file]
    if len(found) != 1 or found[0].file:
        return False
    program, asks = map(shell.unquoted, [*found[0].words, ""][:2])
    return program.rpartition("/")[2] == "holdfast" and asks == "recall"


def _is_skill(piece: Utterance) -> bool:
    """Whether the record is asked by its skill here, or another one of ours is called without a word."""
    who, text = piece
    first, _, given = text.partition(" ")
    skill = first.removeprefix("/").replace("holdfast:", "holdfast-", 1)  # a plugin's
    is_ours = skill.startswith("holdfast-") and (who == "Skill" or first.startswith("/"))
    return is_ours and (not given or skill == "holdfast-recall")


def _call(block: Json) -> Utterance:
    """A call by its tool and its short values, the long ones as its text."""
    given = redacted_in(block.get("input"))  # whole: a name tells that its value is secret
    values = [one for name, one in given.items() if name != "old_string"] if isinstance(given, dict) else [given]
    name = one_line(block.get("name"))
    texts = [_words(value, name not in _UNNAMED) for value in values if not isinstance(value, bool)]
    short = [text for text in texts if len(text) <= _ABOUT and "\n" not in text]
    about = one_line(" ".join(short), _ABOUT)
    rest = "\n".join(text for text in texts if text not in short)
    return Utterance(f"{name}: {about}" if about else name, rest) if rest else Utterance(name, about)


def _words(value: object, is_named: bool) -> str:
    """What a value says: of a list an item a line, of an object each thing, with its name."""
    if isinstance(value, dict):
        said = ((f"{redacted(str(name))}: " if is_named else "") + _words(one, is_named) for name, one in value.items())
        return ", ".join(filter(None, said))
    return "\n".join(_words(one, is_named) for one in value) if isinstance(value, list) else str(value)


def without_reminders(text: str) -> str:
    """A result without the reminders that the client puts at its end (2.1.329); those within a text are the text's."""
    end = len(text.rstrip())
    while text.endswith("</system-reminder>", 0, end):
        start = text.rfind("<system-reminder>\n", 0, end)
        if start < 0 or text[start - 1 : start] not in ("", "\n"):
            break
        end = start
        while end and text[end - 1].isspace():
            end -= 1
    return text[:end] if end < len(text.rstrip()) else text


def plain(text: str) -> str:
    """Without the numbers that the client puts before the lines of a file: so it is the same text as was written.

    Of a sentence that leads to such lines the sentence: they are the echo of an edit.
    """
    if NUMBERED not in text[: 2 * _ABOUT]:
        return text
    lead, _, rest = text.partition("\n")
    if NUMBERED not in lead and rest.partition(NUMBERED)[0].strip().isdigit():
        return lead
    parts = (line.partition(NUMBERED) for line in text.split("\n"))
    return "\n".join(rest if number.lstrip().isdigit() else number + mark + rest for number, mark, rest in parts)
