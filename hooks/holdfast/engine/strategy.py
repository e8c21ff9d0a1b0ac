"""What are the steps that make room given, and how do they go about it?

Rule: all of them take one input and answer with one plan. What needs files, a model or the whole history stands in it
as a function, so that nothing is read, stored or asked unless a step wants it. A model's answer is untrusted: fences
around it go, one that is a little too long is cut at a line, one that is empty or far too long is refused. After the
first failure of a plan the rest of that plan is done offline, and its note says so. Sources: requirements K6 and K7.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from math import ceil
from typing import NamedTuple

from holdfast.engine.blocks import Block, BlockKind, BlockState, Count, Edit, Plan, plan
from holdfast.engine.messages import Message
from holdfast.engine.options import Options
from holdfast.errors import Fault, HoldfastError
from holdfast.worklog.model import Worklog

Ask = Callable[[str, int], str]
"""(prompt, tokens of the answer at most) -> the answer. Raises Fault, or whatever a model of the caller's raises."""
EVICTED = "[Evicted: "
"""How a placeholder begins."""


class ScoringContext(NamedTuple):
    """What the blocks are judged against."""

    turn: int  # the newest turn: the number of the last answer of the model
    goal: str = ""  # id of the first text of the task's goal; "" when there is none
    request: str = ""  # id of the first text of the user's newest request
    answering: int = -1  # Index of the first message of the last answer: its thinking must stay

    def protects(self, block: Block) -> bool:
        """Whether a block must not leave, whatever it scores."""
        if block.keep or block.kind in (BlockKind.SYSTEM, BlockKind.TOOLS, BlockKind.OTHER, BlockKind.USER):
            return True
        if block.kind in (BlockKind.RESULT, BlockKind.CALL):
            return block.turn >= self.turn - 1  # the step that it serves is often not over
        return block.turn >= self.turn if block.kind != BlockKind.THINKING else block.place[0] >= self.answering >= 0


class StrategyInput(NamedTuple):
    """What the steps decide about. Sizes in tokens."""

    blocks: Sequence[Block]  # as they are sent, in order
    context: ScoringContext
    used: int
    limit: int
    options: Options
    count: Count
    where: Callable[[Block], str]
    """Stores a block's whole text once and says where it is. Raises OSError when it cannot be stored."""
    names: Callable[[Block, Collection[str]], Sequence[str]]
    """Names of a block that no other block of the window holds once those of these ids have left."""
    messages: Sequence[Message]  # the whole history, as the caller has it
    work: Callable[[], Worklog]
    cut: int = 0  # messages before this index have given way to a summary already
    notes: str = ""  # notes taken on the way, as text
    kept: Mapping[str, str] = {}  # text -> what it is, of what was marked to be kept in windows before
    ask: Ask | None = None
    factor: float = 1
    """What a block's tokens, which are estimated, are multiplied by to be those of `used` and `limit`."""

    @property
    def wanted(self) -> int:
        """Tokens to free until the target is met, in those of the blocks."""
        return max(0, ceil((self.used - self.limit * self.options.target) / self.factor))

    def free(self, *kinds: str) -> list[Block]:
        """Blocks of these kinds that may be shortened: unprotected, and more than a placeholder."""
        unprotected = (block for block in self.blocks if block.kind in kinds and not self.context.protects(block))
        return [block for block in unprotected if block.state != BlockState.PLACEHOLDER]


class Asker:
    """Asks a model on behalf of one plan, until it fails or the plan has had its calls.

    It is given a third more than is asked for, since its own count differs.
    """

    def __init__(self, ask: Ask | None, count: Count) -> None:
        self.calls, self.note = 0, ""
        self._ask, self._count = ask, count

    def __call__(self, prompt: Callable[[], str], tokens: int, cut: bool = True) -> str:
        """The answer, at most `tokens` long where it is to be cut; "" where the offline way is to be taken."""
        if self._ask is None or self.note or self.calls >= 6:
            return ""
        self.calls += 1
        try:
            return taken(self._ask(prompt(), tokens * 13 // 10 + 50), tokens, self._count, cut)
        except Exception as error:  # noqa: BLE001 - the model is the caller's: whatever it raises means no answer
            why = str(error) if isinstance(error, HoldfastError) else f"{type(error).__name__}: {error}"
            self.note = f"the model failed, the rest was done offline ({' '.join(why.split())[:200]})"
        return ""


def taken(answer: object, tokens: int, count: Count, cut: bool = True) -> str:
    """What of an answer may be used. Raises Fault for one that is no text, empty or far too long (twice `tokens`)."""
    if not isinstance(answer, str):
        raise Fault(f"the answer is no text but {type(answer).__name__}")
    lines = answer.strip().split("\n")
    fenced = len(lines) > 1 and lines[0].startswith("```") and lines[-1] == "```"
    text = "\n".join(lines[1:-1] if fenced else lines).replace(EVICTED[:-2], EVICTED[1:-2]).strip()
    if not text:
        raise Fault("the answer is empty")
    size = count(text)
    if size > tokens * 2:
        raise Fault(f"the answer has about {size} tokens, {tokens} were asked for")
    kept = fitting(text.split("\n"), tokens, count) if cut else [text]
    if not kept:
        raise Fault(f"the answer has about {size} tokens in one piece, {tokens} were asked for")
    return "\n".join(kept).rstrip()


def fitting(lines: Iterable[str], tokens: float, count: Count) -> list[str]:
    """The first of these lines that fit into so many tokens."""
    kept: list[str] = []
    for line in lines:
        tokens -= count(line) + 1
        if tokens < -1:
            break
        kept.append(line)
    return kept


def clipped(text: str, tokens: int, count: Count) -> str:
    """The beginning of a text on one line, within so many tokens where eight characters allow it, marked where cut."""
    line = " ".join(text.split())
    if count(line) <= tokens:
        return line
    chars = min(len(line) - 1, 4 * tokens)
    while chars > 8 and count(line[:chars]) + 1 > tokens:
        chars = chars * 3 // 4
    return f"{line[:chars].rstrip()}…"


Shorten = Callable[[Block, StrategyInput, Asker], Edit | None]
"""What is to stand in place of a block; None to leave it."""


def until_enough(by: str, candidates: Iterable[Block], given: StrategyInput, shorten: Shorten) -> Plan:
    """The candidates shortened in their order until enough is free. Raises OSError; see StrategyInput.where."""
    asker, freed = Asker(given.ask, given.count), 0
    changes: list[Edit] = []
    for block in candidates:
        if freed >= given.wanted:
            break
        change = shorten(block, given, asker)
        if change:
            changes.append(change)
            freed += block.tokens - change.tokens
    made = plan(by, {block.id: block for block in given.blocks}, changes, given.wanted)
    return made._replace(calls=asker.calls, note=asker.note)
