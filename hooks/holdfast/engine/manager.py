"""ContextWindowManager: the policies of the pack, composed for any agent loop on the Messages API.

`on_turn_start` before each request, `on_turn_end` after it, `on_tool_result` for each result, and `on_overflow` when
the window is full; docs/engine.md has the whole loop, and a test runs it.

`turn.messages` is a view of the history in which some texts are replaced; a text that was replaced once stays as it is,
so that the prompt cache keeps its prefix. The caller may keep the whole history or go on with the view. No call of a
model is made unless one is given.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from holdfast.checkpoint import model as checkpoint
from holdfast.checkpoint import page
from holdfast.digest import policy
from holdfast.engine import assess, compaction, context_editing, handover, notes, pipeline, prune_requests, status
from holdfast.engine.archive import Archive, MemoryArchive, Shelf
from holdfast.engine.blocks import Block
from holdfast.engine.folder import LoopFolder
from holdfast.engine.handover import HandOver
from holdfast.engine.health import Alert
from holdfast.engine.messages import Message, named, rows
from holdfast.engine.options import limit_of, options
from holdfast.engine.plan import Plan, cost
from holdfast.engine.recall_tool import RECALL_TOOL
from holdfast.engine.strategy import Embed, Scene
from holdfast.engine.turn import Turn
from holdfast.engine.usage_tracker import Meter
from holdfast.engine.window_state import Room
from holdfast.errors import BadInput
from holdfast.gauge import budget
from holdfast.gauge.budget import Verdict
from holdfast.text import tokens
from holdfast.transcript import tool_output
from holdfast.transcript.rows import Chunk
from holdfast.worklog import fold

LARGEST = 0.25
"""Share of the limit above which a result becomes a digest whatever it is: a window full of it leaves no work."""


class ContextWindowManager:
    """One agent's loop, window after window. Not for threads."""

    def __init__(
        self,
        limit: int,
        *,
        archive: Archive | None = None,
        folder: str = "",
        model: Any = None,
        embed: Embed | None = None,
        **settings: Any,
    ) -> None:
        """limit: tokens at which the window is full, 0 when not known; folder: for checkpoints, "" for none.

        model: asked for summaries (`models.ask.named`, or any object with its `ask`); embed: texts -> vectors.
        settings: see engine/options.py. Raises BadInput for an option that does not exist or cannot be.
        """
        if model is not None and not callable(getattr(model, "ask", None)):
            raise BadInput(f"{model!r} has no ask(prompt, max_tokens)", "model", "Give what models.ask.named gives")
        self._folder, self._ask, self._embed = LoopFolder(folder), getattr(model, "ask", None), embed
        self.notes = list[notes.Note]()
        self.limit, self.options = limit_of(limit), options(settings)
        self.archive: Archive = MemoryArchive() if archive is None else archive
        self.audit: list[dict[str, Any]] = []
        self._count: Callable[[str], int] = functools.partial(tokens.estimate, family=self.options.family)
        self._work = fold.empty()
        self.meter = Meter(self.limit, self.options)
        self._start_over()

    def _start_over(self) -> None:
        """An empty window; what the loop has learned stays."""
        self._where = Shelf(self.archive)
        self._room = Room(self._count, self._where)
        self._folded = 0
        self._asked: dict[str, int] = {}
        self.meter.start_over()

    def on_turn_start(self, messages: Sequence[Message], system: Any = "", tools: Sequence[Any] = ()) -> Turn:
        """Before each request: what to send. Raises BadInput where the messages break the API's rules."""
        room = self._room
        room.read(messages, system, tools)
        reading = self.meter.read(room.blocks)
        before, plans = list(room.blocks), self._pruned()
        if self.limit and self.used >= self.limit * self.options.act:
            plans += self._make_room(self.used)
        changes = [change for plan in plans for change in plan.changes]
        spent = cost(before, changes) if changes else None
        full = bool(self.limit) and self.used >= self.limit * pipeline.HAND_OVER
        if full:
            room.fits(self.limit, self.meter.factor)
        return Turn(room.show(), self.used, reading, plans, spent, full)

    def on_turn_end(self, usage: Any, management: Any = None) -> tuple[Alert, ...]:
        """After each answer: `answer.usage`, or a mapping with its keys. Gives what the window's health alerts to.

        management: `answer.context_management` of the beta endpoint; what the API cleared is not cleared again here.
        """
        room = self._room
        sent = [block for block in room.blocks if management and room.view.holds(block.place)]
        gone = context_editing.cleared(sent, management).blocks
        if gone:
            self._carry_out(room.cleared(gone))
        self.meter.reported(usage, room.blocks)
        return self.meter.alerts

    def on_tool_result(self, tool: str, text: str, inputs: Mapping[str, Any] | None = None) -> str:
        """A new result as it should go into the messages: whole, or a digest when it is very long.

        inputs: of the call; a file that was read stays whole, as an edit must match it; but not a log or data, or what
        would fill a quarter of the window. Raises OSError when the whole text cannot be stored.
        """
        name, known = named(tool, inputs or {})
        size = tokens.rough(len(text), self.options.family)
        exact = name == "Read" and not tool_output.is_data_file(str(known.get("file_path") or ""))
        stays = exact or name in (*tool_output.EDIT_TOOLS, RECALL_TOOL["name"])
        most = self.limit * LARGEST if stays else self.options.digest
        if size <= most or not most or not self.options.digest:
            return text
        whole = self.archive.where(self.archive.keep(text, name))
        return policy.digest(text, name, whole, self.options.digest) or text

    def on_overflow(self, messages: Sequence[Message], note: str = "") -> HandOver:
        """When the window is full: save a checkpoint, and begin the next window with what it says.

        note: what is to stand first in the checkpoint. Raises OSError when it cannot be saved; nothing is changed then.
        """
        room = self._room
        room.read(messages)
        work = self.work()
        asked = self._take_notes(work)
        taken = notes.rendered(self.notes, self._count)
        data = {**checkpoint.contents(work, {}, "loop"), "reason": "window full", "tokens": self.used}
        left = "\n".join(text for text in (note, taken) if text)
        whole = self._where(compaction.part(len(room.history), compaction.whole(room.blocks))) if room.blocks else ""
        data |= {"limit": self.limit, "note": {"text": left} if left else {}}
        path = self._folder.save(data, lambda saved: page.readable(saved, work["notes"]))
        goal = [{"type": "text", "text": self.options.goal}] if self.options.goal else room.goal()
        first = handover.opening(handover.Said(goal, taken, whole), work, data, path)
        told = {"turn": room.track.turn, "by": "hand_over", "freed": self.used, "checkpoint": path}
        self._log({**told, "calls": asked.calls, "note": asked.said})
        self._start_over()
        self._folded = len(first)  # it tells of the work so far; nothing in it is new, least of all a user's word
        return HandOver(first, path)

    def _take_notes(self, work: Mapping[str, Any]) -> notes.Taken:
        """A model's notes of the window, where one is given; without one the packet says what they would."""
        if not self._ask:
            return notes.Taken(())
        shown = compaction.conversation(self._room.blocks, int(self.limit * compaction.FOR_MODEL), self._count)
        found = notes.taken(shown, work, self._ask, self._count)
        self.notes += [one for one in found.notes if one not in self.notes]
        return found

    def note(self, category: str, text: str, importance: str = "normal") -> None:
        """Something to know later, also after a compaction. Raises BadInput for what nobody will understand then."""
        self.notes.append(notes.checked(category, text, importance, self._room.track.turn))

    def keep(self, name: str, kept: bool = True) -> None:
        """Mark a block that must never leave, or take the mark off; name: an id of `blocks`. Raises BadInput."""
        if name not in self._room.track:
            raise BadInput("no such block", name, "Ids are those of `manager.blocks`, e.g. result:toolu_01")
        self._room.track.keep(name, kept)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What stands in the window, in the order in which it is sent."""
        return tuple(self._room.blocks)

    def allow(self, component: str, tokens: int) -> Verdict | None:
        """Whether so much more fits the component's share of the budget; None without one. Raises BadInput."""
        return budget.allow(self.meter.budget, component, tokens) if self.meter.budget else None

    def assess(self, **known: Any) -> dict[str, Any]:
        """The window by the policy for shared context; known: what only the caller can tell. Raises BadInput."""
        return assess.report(self._room.blocks, self._room.moment(), self.meter, self.audit, known)

    def status(self) -> dict[str, Any]:
        """How the window stands, as plain JSON: gauge, budget, health, what was done so far."""
        return status.report(self.meter, self.used, self.audit)

    def recall(self, name: str) -> str:
        """The whole text of what left the window, by the name that its placeholder gives. Raises BadInput."""
        if not isinstance(name, str):
            raise BadInput(f"{name!r} is no name", "recall", "Give what stands after `whole:`")
        try:
            return self.archive.read(name)
        except BadInput:  # a path, as the placeholders of a folder have it
            return self.archive.read(name.rpartition("/")[2].removesuffix(".txt"))

    def work(self) -> Any:
        """The state of the work so far, as the hooks extract it (worklog/fold.py), over all windows."""
        history = self._room.history
        self._work = fold.fold(self._work, Chunk(rows(history[self._folded :]), 0, 0))
        self._folded = len(history)
        return self._work

    @property
    def used(self) -> int:
        """Tokens of the next request: as reported for the last one, with what has been added since."""
        return self.meter.used(self._room.blocks)

    def _pruned(self) -> tuple[Plan, ...]:
        """What the newest answer lets go by itself. It is asked for, so nothing is too little."""
        plan = pipeline.attempt(prune_requests.BY, prune_requests.prune, self._scene(0))
        if plan.changes:
            self._carry_out(plan)
        return (plan,) if plan.changes or plan.note else ()

    def _make_room(self, used: int) -> tuple[Plan, ...]:
        """Step by step until the target is met."""
        made: list[Plan] = []
        for name, step in pipeline.due(used / self.limit, self.options.steps):
            if used <= self.limit * self.options.target:
                break
            scene = self._scene(used)
            tried = name in self._asked and used < self._asked[name] + pipeline.least(used, self.limit)
            plan = pipeline.attempt(name, step, scene._replace(ask=None) if tried else scene)
            if plan.calls and not plan.changes:
                self._asked[name] = used
            if plan.changes or plan.calls:
                self._carry_out(plan)
                used = self.used
            if plan.changes or plan.note or plan.calls:
                made.append(plan)
        return tuple(made)

    def _scene(self, used: int) -> Scene:
        room = self._room
        scene = Scene(room.blocks, room.moment(), used, self.limit, self.options, self._count, room.standing)
        return scene._replace(
            where=self._where,
            names=room.track.only_in,
            messages=room.history,
            cut=room.view.cut,
            work=self.work,
            notes=notes.rendered(self.notes, self._count),
            ask=self._ask,
            embed=self._embed,
            factor=self.meter.factor,
        )

    def _carry_out(self, plan: Plan) -> None:
        found = self._room.before(plan.changes)
        told = self._room.carry_out(plan)
        self.meter.made(plan, found)
        self._log(told)

    def _log(self, told: dict[str, Any]) -> None:
        self.audit.append(told)
        self._folder.log(told)
