"""A recorded session as if a window's manager had run in its loop.

The manager is the real one and reads the messages as the loop would have sent them. The session's windows are taken as
one, without the client's compactions. Sizes come from recorded usage: a request without management is the one before
plus the growth that was recorded (where the client compacted or the user went back, the estimate of what came in); with
management it is that less what the view leaves out, in estimated tokens times the session's own factor. Thinking that
the view leaves out is not taken off, since the API drops most of it anyway. The size is handed to the manager as its
usage. Nothing is extrapolated here: a recording that ends before the limit is reached is only known to go on so far.
"""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from benchmarks.replay.api_messages import Recording
from benchmarks.replay.retention import Losses, Tally, added
from holdfast.engine.archive import MemoryArchive
from holdfast.engine.blocks import BlockKind
from holdfast.engine.manager import ContextWindowManager, Turn
from holdfast.engine.messages import Message, content, pieces
from holdfast.errors import BadInput
from holdfast.text import tokens

_ALL = {"act": 0.02, "target": 0.01, "steps": ("evict",)}
REWOUND = 0.9
"""A request below this share of the one before says that the user went back: what was left behind stays in here."""


class Manager(NamedTuple):
    """What runs in the loop: a ContextWindowManager's methods, or a baseline's."""

    start: Callable[[Sequence[Message]], Turn]
    """`on_turn_start`."""
    end: Callable[[Any], object]
    """`on_turn_end`."""
    read: Callable[[str], str]
    """The archived text that a placeholder names, or ""."""


class Ask(NamedTuple):
    """One request without management, tokens."""

    at: int
    """Index of the assistant message that answers it."""
    recorded: int
    """What was sent when it was recorded."""
    size: int
    """What would have been sent without any management."""
    written: int
    """How much of it was not read from the cache."""
    calls: int
    """Calls in the answer."""


class Growth(NamedTuple):
    """Of one window over a whole recording, tokens."""

    before: int
    """Without management."""
    least: int
    """When everything has left that may."""


class Run(NamedTuple):
    """What came of one session, tokens."""

    calls: int = 0
    """Of the whole recording."""
    before: int = 0
    """Calls until a request without management was over the limit."""
    after: int = 0
    """Calls until one with management was, or the recording ended."""
    ended: int = 0
    """1 when it ended first."""
    peak_before: int = 0
    peak_after: int = 0
    input_recorded: int = 0
    """As it was, with the client's compactions."""
    input_before: int = 0
    input_after: int = 0
    written_before: int = 0
    """Of the input, what was not read from the cache."""
    written_after: int = 0
    rewritten: int = 0
    """Of that, what plans made the cache miss."""
    evictions: int = 0
    """Turns with a plan."""
    models: int = 0
    """Calls of a model that plans took."""
    turns: int = 0
    seconds: float = 0.0
    """Of the manager alone."""
    slowest: float = 0.0
    """Of its turns, seconds."""
    harm: Tally = Tally()


def asks(recording: Recording) -> list[Ask]:
    """The recorded requests as those of one window without management."""
    messages, found, size = recording.messages, list[Ask](), 0
    bounds = [at for at, _ in recording.compacted]
    before, last = None, 0
    for index, request in sorted(recording.requests.items()):
        shrunk = before is not None and request.size < before.size * REWOUND
        crossed = before is not None and (shrunk or any(last < at <= index for at in bounds))
        if crossed:
            new = (tokens_of(message, recording.model) for message in messages[last:index])
            grown = written = int(recording.factor * sum(new))
        else:
            grown, written = request.size - (before.size if before else 0), request.size - request.cached
        size += grown
        found.append(Ask(index, request.size, size, min(size, written), _calls(messages[index])))
        before, last = request, index
    return found


def _calls(message: Message) -> int:
    return sum(block.get("type") == "tool_use" for block in content(message))


def tokens_of(message: Message, model: str) -> int:
    """The estimate of a message without its thinking."""
    family = tokens.family(model)
    parts = (piece for piece in pieces([message]) if piece.kind != BlockKind.THINKING)
    return sum(tokens.estimate(piece.text, family) + piece.beside for piece in parts)


def managed(limit: int, model: str, **options: Any) -> Manager:
    """A new ContextWindowManager that keeps what it evicts in memory."""
    archive = MemoryArchive()
    manager = ContextWindowManager(limit, archive=archive, family=tokens.family(model), **options)

    def read(place: str) -> str:
        try:
            return archive.read(place)
        except BadInput:
            return ""

    return Manager(manager.on_turn_start, manager.on_turn_end, read)


def run(recording: Recording, manager: Manager, limit: int, harm: bool = True) -> Run:
    """Replay all of a recording through a new manager; `harm`: follow what the agent uses as well."""
    play = _Play(recording, manager, limit)
    losses = Losses(recording.messages, manager.read) if harm else None
    tallies = []
    for ask in asks(recording):
        turn = play.turn(ask)
        if losses:
            tallies.append(losses.use(ask.at, turn.messages, bool(turn.plans)))
    if losses and tallies:
        tallies.append(losses.told(ask.at, turn.messages))
    return play.found._replace(harm=added(tallies))


def floor(recording: Recording, limit: int) -> Growth:
    """How far one window of the whole recording grows without management, and when all leaves that may."""
    asked = asks(recording)
    if not asked:
        return Growth(0, 0)
    manager = managed(limit, recording.model, **_ALL)
    history, grown = recording.messages[: asked[-1].at], asked[-1].size - asked[0].size
    less = _Play(recording, manager, limit).left_out(history, manager.start(history).messages)
    return Growth(grown, max(0, grown - less))


class _Play:
    """What stands between two requests."""

    def __init__(self, recording: Recording, manager: Manager, limit: int) -> None:
        self._recording, self._manager, self._limit = recording, manager, limit
        self._sizes: dict[int, int] = {}
        self._own = frozenset(map(id, recording.messages))
        self._less = 0
        self.found = Run(ended=1)

    def turn(self, ask: Ask) -> Turn:
        """One request and its answer; the turn as it was sent."""
        history = self._recording.messages[: ask.at]
        began = time.perf_counter()
        turn = self._manager.start(history)
        took = time.perf_counter() - began
        if turn.plans:
            self._less = self.left_out(history, turn.messages)
        size = ask.size - self._less
        self._manager.end({"input_tokens": size})
        self._note(ask, turn, size)
        self.found = self.found._replace(
            turns=self.found.turns + 1, seconds=self.found.seconds + took, slowest=max(self.found.slowest, took)
        )
        return turn

    def _note(self, ask: Ask, turn: Turn, size: int) -> None:
        found = self.found
        under = found.ended and size <= self._limit
        rewritten = int(self._recording.factor * turn.cost.rewritten) if turn.cost else 0
        self.found = found._replace(
            calls=found.calls + ask.calls,
            before=found.before + (0 if max(found.peak_before, ask.size) > self._limit else ask.calls),
            after=found.after + (ask.calls if under else 0),
            ended=int(under),
            peak_before=max(found.peak_before, ask.size),
            peak_after=max(found.peak_after, size),
            input_recorded=found.input_recorded + ask.recorded,
            input_before=found.input_before + ask.size,
            input_after=found.input_after + size,
            written_before=found.written_before + ask.written,
            written_after=found.written_after + min(size, ask.written + rewritten),
            rewritten=found.rewritten + rewritten,
            evictions=found.evictions + bool(turn.plans),
            models=found.models + sum(plan.calls for plan in turn.plans),
        )

    def left_out(self, history: Sequence[Message], view: Sequence[Message]) -> int:
        """Tokens of the history that are not in the view."""
        less = sum(map(self._size, history)) - sum(map(self._size, view))
        return int(self._recording.factor * less)

    def _size(self, message: Message) -> int:
        known = self._sizes.get(id(message))
        if known is None:
            known = tokens_of(message, self._recording.model)
            if id(message) in self._own:
                self._sizes[id(message)] = known
        return known
