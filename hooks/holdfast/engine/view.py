"""What of the caller's history is sent?

Rule: the history with what the plans have put in place of its texts; after a compaction the task's goal and the summary
as the user's first message, then the messages from the cut on. What was replaced once stays so, and messages that
nothing was done to are shared, so that the prompt cache keeps its prefix. Sources: requirements E and K1.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from holdfast.engine.messages import Message, Place, content, replaced
from holdfast.engine.plan import Plan


class View(NamedTuple):
    """What stands in place of what."""

    texts: Mapping[Place, str | None] = {}
    cut: int = 0
    """Messages before this index have given way to `summary`; 0 for none."""
    summary: str = ""
    carried: tuple[Place, ...] = ()
    """Blocks before the cut that are sent all the same: images of the newest request."""

    def after(self, plan: Plan, places: Mapping[str, Place]) -> "View":
        """The view when a plan has been carried out; places: of the blocks that it changes, by id."""
        texts = {**self.texts, **{places[change.id]: change.text for change in plan.changes}}
        if not plan.cut:
            return self._replace(texts=texts)
        return View(
            {place: text for place, text in texts.items() if place[0] >= plan.cut}, plan.cut, plan.summary, plan.carried
        )

    def holds(self, place: Place) -> bool:
        """Whether a block of the history is sent at all, whole or shortened."""
        return (place[0] >= self.cut or place in self.carried) and self.texts.get(place, "") is not None

    def of(self, messages: Sequence[Message], goal: Place | None) -> list[Message]:
        """What is sent of the whole history; goal: where the task's goal stands, None when there is none."""
        found = replaced(messages, self.texts)
        if not self.cut:
            return found
        kept = spoken(found[goal[0]]) if goal and goal[0] < self.cut else []
        kept += [content(messages[index])[number] for index, number in self.carried]
        summary = {"type": "text", "text": self.summary}
        return [{"role": "user", "content": [*kept, summary]}, *found[self.cut :]]


def spoken(message: Message) -> list[Mapping[str, Any]]:
    """A user's message without the results in it: its texts, images and documents."""
    return [block for block in content(message) if block.get("type") != "tool_result"]
