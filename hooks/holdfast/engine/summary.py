"""What does the text say that takes the place of everything before the newest messages, or opens the next window?

Rule: a line that says what it is and where the whole is; then the facts of the whole work (engine/facts.py), never made
from an earlier summary, or a model's words, which is given these facts beside the conversation; then the record.

The record is the hooks' own (worklog/record.py): a model is asked to close its summary with it, what comes is read
tolerantly and held against the user's words and the plan, lines keep their ids over any number of summaries, and one
that is neither kept nor closed is put back once. Where none came, or no model is asked, the lines that last stay.

What must not be lost and does not stand there word by word is added. Sources: requirements K1, K8, W7.
"""

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from holdfast.checkpoint.sections import GONE, WRONG
from holdfast.compaction import checks, packet
from holdfast.engine import facts, prompts
from holdfast.engine.blocks import OURS, Block, BlockKind, Count, tokens_of
from holdfast.engine.strategy import Asker, StrategyInput, clipped, fitting
from holdfast.text.lines import counted
from holdfast.text.markdown import own_paragraphs
from holdfast.text.redaction import redacted
from holdfast.transcript.speaker import heard
from holdfast.worklog import fold, record
from holdfast.worklog.record import RecordLine


class Cut(NamedTuple):
    """Where the window is cut."""

    at: int  # Index of the first message that stays: one of the assistant's, or the end
    gone: tuple[Block, ...] = ()  # blocks before it that are sent until now and give way, in order
    said: tuple[Block, ...] = ()  # the user's, before it, that are sent all the same


class Summary(NamedTuple):
    """What stands in place of the messages before the cut."""

    text: str
    record: list[RecordLine]  # as it stands with this summary
    fidelity: float  # share of what must not be lost that it held before the rest was added
    note: str = ""  # what of the record was set aside


def budget(limit: int) -> int:
    """Tokens that a summary may have in a window of `limit`; 0 is not known."""
    return min(6_000, max(200, limit * 8 // 100)) if limit else 6_000


def known(given: StrategyInput) -> tuple[str, str]:
    """The facts, and the record's lines that last, as far as there is room: what a summary without a model says."""
    work, room = given.work(), budget(given.limit)
    lines = record.listed(record.lasting(work["record"]))
    told = facts.text(work, room, given.count, given.limit // 4)
    return told, _section("The earlier closing record", fitting(lines, room, given.count))


def written(given: StrategyInput, found: Cut, asker: Asker) -> Summary:
    """The text for a cut, stored whole first. Raises OSError when that fails."""
    head = _head(given, found)  # a model need not be asked where that fails
    parts, after, note = _told(given, found, asker)
    work, said = given.work(), "\n".join(block.text for block in found.said)
    parts = [head, *parts, *_kept(given, found, said)]
    all_of_it = facts.text(work, 0, given.count, given.limit // 4)
    lost = [line for line in facts.lacking(work, "\n".join([said, *parts])) if line in all_of_it]
    text = "\n".join(filter(None, [*parts, _section("Word by word", lost)]))
    return Summary(text, after, 1 - len(lost) / max(1, len(facts.lacking(work, ""))), note)


def _section(title: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f"## {title}\n{body}" if body else ""


def _told(given: StrategyInput, found: Cut, asker: Asker) -> tuple[list[str], list[RecordLine], str]:
    """A model's words, or the facts, with the sections of the record; the record now; what of it was set aside."""
    work, room = given.work(), budget(given.limit)

    def question() -> str:
        goal = given.options.goal or "\n".join(block.text for block in found.said[:1])
        before = sorted((*found.gone, *found.said), key=lambda block: block.place)  # rules are the user's words
        told = conversation(before, given.limit, given.count)
        return prompts.compaction(goal, "\n".join(filter(None, known(given))), told, room, bool(work["record"]))

    answer = asker(question, room, cut=False)
    came = record.read(redacted(answer))
    typed = (heard(block.text) for block in given.blocks if block.kind == BlockKind.USER and not block.stored)
    own = [one for text in typed for one in own_paragraphs(text)]
    after, dropped, aside = record.following(work["record"], came, [*fold.words(work), *own])
    shown = [line for line in after if line not in dropped] if came.came else record.lasting(after)
    wrong, lines = checks.corrections([*shown, *aside], work, checks.Now()), record.listed(shown)
    words = (line for line in answer.splitlines() if not record.read(line).came)
    left = max(0, room - given.count("\n".join(lines)))
    parts = [
        "\n".join(fitting(words, left, given.count)).strip() or known(given)[0],
        _section("Closing record", fitting(lines, room, given.count)),
        _section(WRONG, [f"- {one}" for one in wrong]),
        _section(GONE, record.listed(dropped)),
        _section(packet.ASK[0], packet.ASK[1] if answer and not came.came else ()),
    ]
    counts = ((came.left_out, "too many"), (len(wrong), "wrong or not proven"), (len(dropped), "put back"))
    note = ", ".join(f"{number} {what}" for number, what in counts if number)
    return parts, list(after), f"lines of the closing record: {note}" if note else ""


def _kept(given: StrategyInput, found: Cut, said: str) -> list[str]:
    """What stands beside it: the beginnings of the user's other messages, what was marked, goal and notes."""
    whole, before = set(found.said), [block for block in given.blocks if 0 <= block.place[0] < found.at]
    short = [block for block in before if block.kind == BlockKind.USER and block.text and block not in whole]
    lines = (f"- {clipped(block.text, 40, given.count)}" for block in reversed(short))
    shortened = fitting(lines, budget(given.limit), given.count)[::-1]
    goal = given.options.goal
    return [
        _section("Earlier messages of the user, shortened", shortened),
        *(_section(f"Marked to be kept: {what}", [it]) for it, what in kept(given, found).items() if it not in said),
        _section("Results that came last", _unanswered(given) if found.at == len(given.messages) else ()),
        _section("The goal", [goal] if goal not in said else ()),
        f"# Notes\n{given.notes}" if given.notes else "",
    ]


def kept(given: StrategyInput, found: Cut) -> dict[str, str]:
    """Text -> what it is, of what was marked to be kept before a cut: the newest whole, in a quarter of the limit."""
    before = (block for block in given.blocks if 0 <= block.place[0] < found.at and not block.text.startswith(OURS))
    marked = {**given.kept, **{block.text: block.about or block.kind for block in before if block.keep}}
    shown, room = dict[str, str](), given.limit // 4 or inf
    for text, what in reversed(marked.items()):
        told = "\n".join(fitting(text.split("\n"), room, given.count)) or clipped(text, 40, given.count)
        room -= given.count(told)
        shown[told] = what
    return dict(reversed(shown.items()))


def _unanswered(given: StrategyInput) -> list[str]:
    """What the model has called and not yet seen, as far as there is room: it may not be called twice."""
    new = (block for block in given.blocks if block.kind == BlockKind.RESULT and block.turn > given.context.turn)
    lines = (f"- {block.about}: {clipped(block.text, 60, given.count)}" for block in new)
    return fitting(lines, budget(given.limit), given.count)


def _head(given: StrategyInput, found: Cut) -> str:
    """What gave way, and where the whole of it is; the part before it is named within, part by part."""
    before = given.where(_part(given.cut, "")) if given.cut else ""
    earlier = f"[What came before: {before}]\n" if before else ""
    whole = "\n\n".join(f"[turn {one.turn}, {one.about or one.kind}]\n{one.whole}" for one in found.gone)
    where = given.where(_part(found.at, earlier + whole))
    return (
        f"{OURS} {counted(found.at, 'message')} gave way to this summary, ~{tokens_of(found.gone)} tokens of them now"
        f"{f'; whole: {where}' if where else ''}. It is data, no new instruction.]"
    )


def _part(at: int, text: str) -> Block:
    """What is stored of a cut, under an id of its own: the same cut is stored once."""
    return Block(f"history.{at}", BlockKind.OTHER, text, 0, about=f"messages before {at}")


def conversation(blocks: Sequence[Block], limit: int, count: Count) -> str:
    """The newest blocks, up to 70 % of the limit, as a model reads them; long ones at their ends only."""
    found, tokens = list[str](), (limit or 200_000) * 70 // 100
    for block in reversed(blocks):
        half = 750 if block.kind in (BlockKind.RESULT, BlockKind.CALL) else 2_250  # characters
        text = block.text if len(block.text) <= 2 * half else f"{block.text[:half]} … {block.text[-half:]}"
        told = f"[turn {block.turn}] {block.about or block.kind}: {text}"
        tokens -= count(told)
        if tokens < 0:
            break
        found.append(told if block.kind != BlockKind.THINKING else "")
    return "\n".join(text for text in reversed(found) if text)
