"""What stands in one window, what of it is sent, and what does a plan change?

Rule: every message is read once, and a plan is carried out as a whole: in the blocks, in the view, in the record of it.
The caller may go on with its own history or with the view that it was given; a list that differs from both is refused,
since what was decided rests on what was read. Sources: requirements E and K6.
"""

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from holdfast.engine import blocks, placeholder
from holdfast.engine.block_index import Count, Track
from holdfast.engine.blocks import Block
from holdfast.engine.eviction import Moment
from holdfast.engine.messages import ALIASES, Message, check, same
from holdfast.engine.pipeline import HAND_OVER
from holdfast.engine.plan import Change, Plan, cost
from holdfast.engine.view import View, spoken
from holdfast.errors import BadInput

Where = Callable[[Block], str]
"""Stores a block's whole text, once, and says where it is. Raises OSError when it cannot be stored."""


class Room:
    """One window. It changes from turn to turn; a new window is a new one."""

    def __init__(self, count: Count, where: Where) -> None:
        self.track, self.view = Track(count, ALIASES), View()
        self.history: list[Message] = []
        """All messages so far, as the caller has them."""
        self.sent: list[Message] = []
        """What was sent of them last."""
        self._given: list[Message] = []
        self._count, self._where, self._shown = count, where, 0
        self._showed: View | None = self.view

    @property
    def blocks(self) -> list[Block]:
        """In the order in which they are sent."""
        return self.track.blocks

    def read(self, messages: Sequence[Message], system: Any = "", tools: Sequence[Any] = ()) -> None:
        """Take in what is new. Raises BadInput where the messages break the API's rules or have changed."""
        history = self._whole(messages)
        check(history, len(self.history), self.track.calls)
        for name, value in ((blocks.SYSTEM, system), (blocks.TOOLS, tools)):
            text = value if isinstance(value, str) else str(value)
            if value and (name not in self.track or self.track[name].text != text):
                self.track.put(Block(name, name, text, self._count(text)))
        self.track.take(history)
        self.history, self._given = history, list(messages)

    def _whole(self, messages: Sequence[Message]) -> list[Message]:
        """The history with what is new; of what was read before, the cache marks are those of the list given last."""
        given = list(messages)
        for known in (self.history, self.sent, self._given):
            begun, new = given[: len(known)], given[len(known) :]
            if same(known, begun):
                if known is self.sent:
                    self.sent = begun
                elif known is self.history and any(map(operator.is_not, known, begun)):
                    self._showed = None  # what was sent has the old marks: it is made anew
                return [*(begun if known is self.history else self.history), *new]
        raise BadInput("the messages read before have changed", "messages", "Append only, or take a new manager")

    def show(self) -> list[Message]:
        """What is to be sent now; where nothing was changed since, what was sent last with what is new."""
        new = self.history[self._shown :]
        same = self._showed is self.view
        self.sent = [*self.sent, *new] if same else self.view.of(self.history, self._place(self.track.goal))
        self._shown, self._showed = len(self.history), self.view
        return self.sent

    def _place(self, name: str) -> tuple[int, int] | None:
        return self.track[name].place if name else None

    def goal(self) -> list[Mapping[str, Any]]:
        """The content of the message that sets the task; [] for none."""
        place = self._place(self.track.goal)
        return spoken(self.history[place[0]]) if place else []

    def fits(self, limit: int, factor: float) -> None:
        """Raises BadInput when what every window holds leaves no room in `limit` tokens: then no hand-over helps."""
        goal = self.track.asked[:1]
        always = (block for block in self.blocks if block.place[0] < 0 or block.place[0] in goal)
        taken = round(factor * blocks.tokens_of(always))
        if taken >= limit * HAND_OVER:
            told = f"system prompt, tools and goal take about {taken:,} of {limit:,} tokens"
            raise BadInput(told, "messages", "Shorten them, or give a larger limit")

    def moment(self) -> Moment:
        """What the blocks are judged against."""
        track = self.track
        return Moment(track.turn, track.goal, track.request, track.answering, track.asked)

    def standing(self, block: Block, leaving: Collection[str]) -> str:
        """A block's placeholder; its whole text is stored first. Raises OSError when it cannot be."""
        where = self._where(block)
        if block.kind == blocks.CALL:
            return f"{placeholder.START}{block.tokens} tokens; whole: {where}]"
        return placeholder.text(block, placeholder.Left(where, "", self.track.only_in(block, leaving)))

    def carry_out(self, plan: Plan) -> dict[str, Any]:
        """Make a plan's changes; the record of it for the log."""
        found = self.before(plan.changes)
        spent = cost(self.blocks, plan.changes)
        if plan.by != API:
            self.view = self.view.after(plan, {name: block.place for name, block in found.items()})
        self.track.change(plan.changes)
        made = [
            {
                "id": one.id,
                "about": found[one.id].about,
                "before": found[one.id].tokens,
                "after": one.tokens,
                "why": one.why,
            }
            for one in plan.changes
        ]
        told = {"turn": self.track.turn, "by": plan.by, "freed": plan.freed, "calls": plan.calls}
        return {**told, "rewritten": spent.rewritten, "note": plan.note, "changes": made}

    def before(self, changes: Sequence[Change]) -> Mapping[str, Block]:
        """Id -> the block as it stands, for these changes."""
        return {change.id: self.track[change.id] for change in changes}

    def cleared(self, gone: Sequence[Block]) -> Plan:
        """What the API has cleared for itself, as a plan: the caller goes on sending it, so no text is replaced."""
        changes = tuple(Change(block.id, None, 0, blocks.PLACEHOLDER, "context_management") for block in gone)
        return Plan(API, changes, blocks.tokens_of(gone))


API = "api"
"""Who made the plan of what the API cleared for itself."""
