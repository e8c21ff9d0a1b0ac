"""ContextWindowManager: the policies of the pack, composed for any agent loop on the Messages API.

`on_turn_start` before each request, `on_turn_end` after it, `on_tool_result` for each result, and `on_overflow` when
the window is full; docs/engine.md has the whole loop, and a test runs it.

`turn.messages` is a view of the history in which some texts are replaced; a text that was replaced once stays as it is,
so that the prompt cache keeps its prefix. The caller may keep the whole history or go on with the view. No call of a
model is made unless one is given.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from holdfast.checkpoint import model as checkpoint
from holdfast.digest import hooks, policy
from holdfast.digest.content import Content
from holdfast.engine import compaction, context_editing, eviction, health, notes, pipeline, summary
from holdfast.engine.archive import BRIEF, RECALL_TOOL, Archive, Folder, LoopFolder, MemoryArchive, archived
from holdfast.engine.blocks import OURS, Block, BlockState, Cost, Count, Plan, cost
from holdfast.engine.messages import Message, named, rows
from holdfast.engine.options import Options, limit_of
from holdfast.engine.strategy import Asker, StrategyInput
from holdfast.engine.usage_tracker import UsageTracker
from holdfast.engine.window_state import HAND_OVER, Audited, View, WindowState
from holdfast.errors import BadInput
from holdfast.gauge import advice, budget, pressure
from holdfast.gauge.budget import Verdict
from holdfast.gauge.monitor import Reading
from holdfast.handoff import orchestrator
from holdfast.package.conversation import pieces
from holdfast.package.parts import Material
from holdfast.text import tokens
from holdfast.transcript import tool_output
from holdfast.transcript.rows import Chunk
from holdfast.worklog import fold
from holdfast.worklog.model import Worklog, empty

Result = TypeVar("Result")


class Turn(NamedTuple):
    """What to send, and what was done to get there."""

    messages: list[Message]
    used: int  # tokens of the request, as far as is known
    reading: Reading  # zone, velocity, turns left and what has changed, before anything was done
    plans: tuple[Plan, ...]  # what was done, in order; () for most turns
    cost: Cost | None  # what that costs in the prompt cache
    hand_over: bool  # True when not even that makes room: call `on_overflow`


class HandOver(NamedTuple):
    """What the next window begins with."""

    messages: list[Message]  # to go on with: the user's messages and the state of the work, as one user message
    checkpoint: str  # path of the checkpoint's page; "" where the manager was given no folder
    package: str  # path of the handoff package, for an agent that reads files; "" without a folder, or for too little


class ContextWindowManager:
    """One agent's loop, window after window. Not for threads."""

    def __init__(
        self, limit: int, *, archive: Archive | None = None, folder: Folder = "", model: Any = None, **settings: Any
    ) -> None:
        """limit: tokens at which the window is full, 0 when not known; folder: for checkpoints, "" for none.

        model: asked for summaries (`llm.ask.named`, or any object with its `ask`). settings: see engine/options.py.
        Raises BadInput for an option that does not exist or cannot be.
        """
        if model is not None and not callable(getattr(model, "ask", None)):
            raise BadInput(f"{model!r} has no ask(prompt, max_tokens)", "model", "Give what llm.ask.named gives")
        made: Any = archive  # a class has all that is asked for, too
        if isinstance(made, type) or (made is not None and not callable(getattr(made, "keep", None))):
            raise BadInput(f"{archive!r} has no keep(text, about)", "archive", "Give FolderArchive(folder)")
        self._folder, self._ask = LoopFolder(folder), getattr(model, "ask", None)
        self.notes = list[notes.Note]()
        self.limit, self.options = limit_of(limit), Options(**settings)
        self.archive: Archive = MemoryArchive() if archive is None else archive
        self.audit = list[Audited]()
        self._count: Count = functools.partial(tokens.estimate, family=self.options.family)
        self._work = empty()
        self._kept: Mapping[str, str] = {}
        self.usage = UsageTracker(self.limit, self.options)
        self._start_over()

    def _start_over(self) -> None:
        """An empty window; what the loop has learned stays."""
        self._where = archived(self.archive)
        self._window = WindowState(self._count)
        self._folded = 0
        self._asked: dict[str, int] = {}
        self.usage.start_over()

    def on_turn_start(self, messages: Sequence[Message], system: Any = "", tools: Sequence[Any] = ()) -> Turn:
        """Before each request: what to send. Raises BadInput where the messages break the API's rules."""
        window = self._window
        self._read(messages, system, tools)
        reading = self.usage.read(window.blocks)
        before, plans = list(window.blocks), self._pruned()
        if self.limit and self.used >= self.limit * self.options.act:
            plans += self._make_room(self.used)
        changes = [change for plan in plans for change in plan.changes]
        spent = cost(before, changes) if changes else None
        full = bool(self.limit) and self.used * 100 >= self.limit * HAND_OVER
        if full:
            window.fits(self.limit, self.usage.factor)
        return Turn(window.show(), self.used, reading, plans, spent, full)

    def _read(self, messages: Sequence[Message], system: Any = None, tools: Any = None) -> None:
        """What is new; where an earlier process has handed over, its checkpoint is gone on from, or its words stay."""
        is_first = not self._window.history and not self._folded
        self._window.read(messages, system, tools)
        for block in self._window.blocks if is_first else ():
            if block.text.startswith(OURS) and block.place[0] == 0:
                left = self._folder.left(block.text)
                if left:
                    self._work, self._folded = left[0], 1
                self._kept = {**self._kept, left[1] if left else block.text: "the window before"}

    def on_turn_end(self, usage: Any, management: Any = None) -> tuple[health.Alert, ...]:
        """After each answer: `answer.usage`, or a mapping with its keys. Gives what the window's health alerts to.

        management: `answer.context_management` of the beta endpoint; what the API cleared is not cleared again here.
        """
        window = self._window
        sent = [block for block in window.blocks if management and window.view.holds(block.place)]
        plan = context_editing.cleared(sent, management)
        if plan.changes:
            self._carry_out(plan)
        self.usage.reported(usage, window.blocks)
        return self.usage.alerts

    def on_tool_result(self, tool: str, text: Result, inputs: Mapping[str, Any] | None = None) -> Result | str:
        """A new result as it should go into the messages: whole, or a digest when it is very long.

        inputs: of the call; a file that was read, by whatever tool, stays whole, as an edit must match it; but not a
        log or data, or what would fill a quarter of the window. Raises OSError when the whole text cannot be stored.
        What is no text is given back as it is.
        """
        if not isinstance(inputs or {}, Mapping):
            raise BadInput(f"{inputs!r:.40} is no mapping", "inputs", "Give the call's `input`")
        name, known = named(tool, inputs or {})
        if not isinstance(text, str) or not self.options.digest:
            return text
        size = tokens.approximate(text, self.options.family)
        if size <= self.options.digest:
            return text
        call = {"tool_name": name, "tool_input": known, "cwd": "."}
        exact = name == "Read" and not tool_output.is_data_file(str(known.get("file_path") or ""))
        stays = exact or name in (*tool_output.EDIT_TOOLS, RECALL_TOOL["name"])
        stays = stays or hooks.is_source(call, Content(text), False)
        if stays and size <= (self.limit // 4 or size):
            return text
        whole = self.archive.where(self.archive.keep(text, name))
        return policy.digest(text, name, whole, self.options.digest) or text

    def on_overflow(self, messages: Sequence[Message], note: str = "") -> HandOver:
        """When the window is full: save a checkpoint, and begin the next window with what it says.

        note: what is to stand first in the checkpoint. Raises OSError when it cannot be saved; nothing is changed then.
        """
        window = self._window
        self._read(messages)
        given, asker = self._input(self.used), Asker(self._ask, self._count)
        found = compaction.everything(given)
        made = summary.written(given, found, asker)
        work: Worklog = {**self.work(), "record": made.record}
        kept = summary.kept(given, found)
        left = "\n".join(text for text in (note, given.notes) if text)
        contents = checkpoint.contents(work, {}, "loop")
        contents["work"]["record"], contents["kept"] = made.record, "\n".join((given.notes, *kept)).strip()
        path = self._folder.save(contents, (self.used, self.limit, len(window.index.calls)), left)
        package = self._folder.hand_over(self._known(work, left), self.limit, self.options.family)
        more = f"; what was said and done, at more length: {package}" if package else ""
        brief = f"\n{OURS} {BRIEF}{path}{more}]" if path else ""
        view = View({}, found.at, made.text + brief, tuple(block.place for block in found.said))
        first = window.marked(view.of(window.history)) if window.history else []
        said = "; ".join(filter(None, (asker.note, made.note)))
        told = Audited(turn=window.index.turn, by="hand_over", freed=self.used, calls=asker.calls, note=said)
        self._log({**told, "checkpoint": path})
        self._start_over()
        self._work, self._folded = {**work, "window": work["window"] + 1}, len(first)  # nothing in it is new
        self._kept = kept
        return HandOver(first, path, package)

    def _known(self, work: Worklog, note: str) -> Material:
        """What the package of this window is made from."""
        return Material(work, orchestrator.empty(), {}, note=note, said=tuple(pieces(rows(self._window.history))))

    def note(self, category: str, text: str, importance: str = "normal") -> None:
        """Something to know later, also after a compaction. Raises BadInput for what nobody will understand then."""
        self.notes.append(notes.checked(category, text, importance, self._window.index.turn))

    def keep(self, name: str, kept: bool = True) -> None:
        """Mark a block that must never leave, or take the mark off; name: an id of `blocks`. Raises BadInput."""
        if name not in self._window.index:
            raise BadInput("no such block", name, "Ids are those of `manager.blocks`, e.g. result:toolu_01")
        if kept and self._window.index[name].state == BlockState.PLACEHOLDER:
            raise BadInput("it has left the window", name, "`manager.recall` has its whole text")
        self._window.index.keep(name, kept)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What stands in the window, in the order in which it is sent."""
        return tuple(self._window.blocks)

    def allow(self, component: str, tokens: int) -> Verdict | None:
        """Whether so much more fits the component's share of the budget; None without one. Raises BadInput."""
        account = self.usage.account(self._window.blocks)
        return budget.allow(account, component, tokens) if account else None

    def assess(self, **known: Any) -> dict[str, Any]:
        """The window by the policy for shared context; known: what only the caller can tell. Raises BadInput."""
        from holdfast.engine import assess  # late: its tables are a tenth of the import, and few ask

        return assess.report(self._window.blocks, self._window.context(), self.usage, self.audit, known)

    def status(self) -> dict[str, Any]:
        """How the window stands, as plain JSON: gauge, budget, health, what was done so far; None is not known."""
        usage, used, limit = self.usage, self.used, self.usage.monitor.limit
        account, speed = usage.account(self._window.blocks), pressure.velocity(list(usage.monitor.sizes))
        lines = [row._asdict() | {"name": row.component} for row in budget.rows(account)] if account else []
        share = used / limit if limit else None
        return {
            "zone": pressure.zone(used, pressure.marks(limit, usage.monitor.preset)),
            "used": used,
            "limit": limit or None,
            "share": share,
            "tokens_per_turn": round(speed) or None,
            "turns_left": pressure.turns_left(used, limit, speed),
            "components": lines,
            "health": health.report(usage.health),
            "alerts": [alert._asdict() for alert in usage.alerts],
            "todo": advice.advice(None, lines, False),  # its steps are a client's
            "estimates": usage.fit.report(),
            "plans": len(self.audit),
            "freed": sum(record["freed"] for record in self.audit),
            "model_calls": sum(record["calls"] for record in self.audit),
            "cache_read_share": usage.cached / usage.sent if usage.sent else None,
        }

    def recall(self, name: str) -> str:
        """The whole text of what left the window, by the name that its placeholder gives. Raises BadInput."""
        if not isinstance(name, str):
            raise BadInput(f"{name!r} is no name", "recall", "Give what stands after `whole:`")
        try:
            return self.archive.read(name)
        except BadInput:  # a path, as the placeholders of a folder have it
            return self.archive.read(name.rpartition("/")[2].removesuffix(".txt"))

    def work(self) -> Worklog:
        """The state of the work so far, as the hooks extract it (worklog/fold.py), over all windows."""
        history = self._window.history
        self._work = fold.fold(self._work, Chunk(rows(history, self._folded), 0, 0))
        self._folded = len(history)
        return self._work

    @property
    def used(self) -> int:
        """Tokens of the next request: as reported for the last one, with what has been added since."""
        return self.usage.used(self._window.blocks)

    def _pruned(self) -> tuple[Plan, ...]:
        """What the newest answer lets go by itself. It is asked for, so nothing is too little."""
        plan = pipeline.attempt("prune", eviction.prune, self._input(0))
        if plan.changes:
            self._carry_out(plan)
        return (plan,) if plan.changes or plan.note else ()

    def _make_room(self, used: int) -> tuple[Plan, ...]:
        """Step by step until the target is met."""
        made: list[Plan] = []
        for name, step in pipeline.due(used / self.limit, self.options.steps):
            if used <= self.limit * self.options.target:
                break
            given = self._input(used)
            tried = name in self._asked and used < self._asked[name] + pipeline.least(used, self.limit)
            plan = pipeline.attempt(name, step, given._replace(ask=None) if tried else given)
            if plan.calls and not plan.changes:
                self._asked[name] = used
            if plan.changes or plan.calls:
                self._carry_out(plan)
                used = self.used
            if plan.changes or plan.note or plan.calls:
                made.append(plan)
        return tuple(made)

    def _input(self, used: int) -> StrategyInput:
        window = self._window
        return StrategyInput(
            window.blocks,
            window.context(),
            used,
            self.limit,
            self.options,
            self._count,
            where=self._where,
            names=window.index.only_in,
            messages=window.history,
            work=self.work,
            cut=window.view.cut,
            notes=notes.rendered(self.notes, self._count) if self.notes else "",
            kept=self._kept,
            ask=self._ask,
            factor=self.usage.factor,
        )

    def _carry_out(self, plan: Plan) -> None:
        told = self._window.carry_out(plan)
        if plan.record is not None:
            self.work()["record"] = list(plan.record)
        self.usage.made(plan)
        self._log(told)

    def _log(self, told: Audited) -> None:
        self.audit.append(told)
        self._folder.log(told)
