"""What stands in one window, what of it is sent, and what does a plan change?

Rule: every message is read once, and a plan is carried out as a whole. What is sent is the history with what plans have
put in place of its texts; after a compaction the user's own messages and the summary as the user's first message, then
the messages from the cut on. What was replaced once stays so, and messages that nothing was done to are
shared, so that the prompt cache keeps its prefix. The caller may go on with its own history or with the view; a list
that differs from both is refused. Neither is kept with cache marks: what is sent bears those of the list given last,
where their blocks are sent as they are. Sources: requirements E, K1 and K6.
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, NotRequired, TypedDict

from holdfast.engine import blocks
from holdfast.engine.block_index import BlockIndex
from holdfast.engine.blocks import Block, Count, Plan, cost
from holdfast.engine.messages import (
    Message,
    Part,
    Place,
    bare,
    check,
    content,
    marks_in,
    replaced,
    same,
    unmarked,
)
from holdfast.engine.strategy import ScoringContext
from holdfast.errors import BadInput

HAND_OVER = 95  # per cent of the limit at which what is left is to hand over to a new window


class Changed(TypedDict):
    """What became of a block; before and after: tokens."""

    id: str
    about: str
    before: int
    after: int
    why: str


class Audited(TypedDict):
    """What was done to the window: by a step, by the API, or at a hand-over."""

    turn: int
    by: str
    freed: int
    calls: int
    note: str
    rewritten: NotRequired[int]
    changes: NotRequired[list[Changed]]
    checkpoint: NotRequired[str]


class View(NamedTuple):
    """What stands in place of what."""

    texts: Mapping[Place, str | None] = {}
    cut: int = 0  # messages before this index have given way to `summary`; 0 for none
    summary: str = ""
    carried: tuple[Place, ...] = ()
    """Blocks before the cut that are sent all the same, in order: what the user said."""

    def after(self, plan: Plan, places: Mapping[str, Place]) -> "View":
        """The view when a plan has been carried out; places: of the blocks that it changes, by id."""
        texts = {**self.texts, **{places[change.id]: change.text for change in plan.changes}}
        if not plan.cut:
            return self._replace(texts=texts)
        behind = {place: text for place, text in texts.items() if place[0] >= plan.cut}
        return View(behind, plan.cut, plan.summary, plan.carried)

    def holds(self, place: Place) -> bool:
        """Whether a block of the history is sent at all, whole or shortened."""
        return (place[0] >= self.cut or place in self.carried) and self.texts.get(place, "") is not None

    def of(self, messages: Sequence[Message]) -> list[Message]:
        """What is sent of the whole history."""
        found = replaced(messages, self.texts)
        if not self.cut:
            return found
        kept = [content(messages[index])[number] for index, number in self.carried]
        return [{"role": "user", "content": [*kept, {"type": "text", "text": self.summary}]}, *found[self.cut :]]


class WindowState:
    """One window. It changes from turn to turn; a new window is a new one."""

    def __init__(self, count: Count) -> None:
        self.index, self.view = BlockIndex(count), View()
        self.history: list[Message] = []  # all messages so far
        self.sent: list[Message] = []  # what was sent of them last
        self._given: list[Message] = []
        self._marks: dict[int, list[Part]] = {}  # of that list: 0, or index from the end -> marked blocks of a message
        self._count, self._shown, self._showed = count, 0, self.view

    @property
    def blocks(self) -> list[Block]:
        """In the order in which they are sent."""
        return self.index.blocks

    def read(self, messages: Sequence[Message], system: Any = None, tools: Any = None) -> None:
        """Take in what is new. Raises BadInput where the messages break the API's rules or have changed.

        system, tools: None for those of the request before.
        """
        given = list(messages)
        new = self._new(given)
        check([*self.history, *new], len(self.history), self.index.calls)
        marked = ((at and at - len(given), one) for at, one in enumerate(given) if marks_in(one))
        marks = {at: list(filter(marks_in, content(one))) for at, one in marked}
        if (count := sum(map(marks_in, chain.from_iterable(marks.values())))) > 4:
            raise BadInput(f"{count} cache marks", "messages", "The API takes 4 in a request: take the oldest off")
        for name, value in ((blocks.BlockKind.SYSTEM, system), (blocks.BlockKind.TOOLS, tools)):
            text = value if isinstance(value, str) else str(value or "")
            if value is not None and text != (self.index[name].text if name in self.index else ""):
                self.index.put(Block(name, name, text, self._count(text)))
        self.history = [*self.history, *(bare(one) if marks_in(one) else one for one in new)]
        self.index.take(self.history)
        self._given, self._marks = given, marks

    def _new(self, given: list[Message]) -> list[Message]:
        """What is new in a list. Raises BadInput where it begins with another conversation than the one so far."""
        for known in (self.history, self.sent, self._given):
            if same(known, given[: len(known)]):
                return given[len(known) :]
        raise BadInput("the messages read before have changed", "messages", "Append only, or take a new manager")

    def show(self) -> list[Message]:
        """What is to be sent now; where nothing was changed since, what was sent last with what is new."""
        new = self.history[self._shown :]
        self.sent = [*self.sent, *new] if self._showed is self.view else self.view.of(self.history)
        self._shown, self._showed = len(self.history), self.view
        return self.marked(self.sent)

    def marked(self, sent: list[Message]) -> list[Message]:
        """With cache marks; the list is the caller's own: it may be appended to."""
        return (
            [_marked(one, self._marks.get(at and at - len(sent), [])) for at, one in enumerate(sent)]
            if self._marks
            else [*sent]
        )

    def fits(self, limit: int, factor: float) -> None:
        """Raises BadInput when what every window holds leaves no room in `limit` tokens: then no hand-over helps."""
        goal = self.index[self.index.goal].place[0] if self.index.goal else -1
        always = (block for block in self.blocks if block.place[0] < 0 or block.place[0] == goal)
        taken = round(factor * blocks.tokens_of(always))
        if taken * 100 >= limit * HAND_OVER:
            told = f"system prompt, tools and first message take about {taken:,} of {limit:,} tokens"
            raise BadInput(told, "messages", "Shorten them, or give a larger limit")

    def context(self) -> ScoringContext:
        """What the blocks are judged against."""
        index = self.index
        return ScoringContext(index.turn, index.goal, index.request, index.answering)

    def carry_out(self, plan: Plan) -> Audited:
        """Make a plan's changes; the record of it for the log."""
        found = {change.id: self.index[change.id] for change in plan.changes}
        spent = cost(self.blocks, plan.changes)
        if plan.by != "api":  # what the API has cleared for itself is still sent
            self.view = self.view.after(plan, {name: block.place for name, block in found.items()})
        self.index.change(plan.changes)
        changes = [
            Changed(id=one.id, about=old.about, before=old.tokens, after=one.tokens, why=one.why)
            for one, old in zip(plan.changes, found.values(), strict=True)
        ]
        told = Audited(turn=self.index.turn, by=plan.by, freed=plan.freed, calls=plan.calls, note=plan.note)
        return {**told, "rewritten": spent.rewritten, "changes": changes}


def _marked(message: Message, marks: list[Part]) -> Message:
    if not marks and not marks_in(message):
        return message
    found, left = list[Part](), [*marks]
    for part in map(unmarked, reversed(content(message))):
        found.append(left.pop() if left and unmarked(left[-1]) == part else part)
    return {**message, "content": found[::-1]}
