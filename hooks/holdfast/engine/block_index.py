"""What does the window hold, block by block, and what of it has been named since?

Rule: each message is read once. A turn names a block when it says a path or identifier that stands in it; a name that
many blocks hold speaks for the newest three. A block is repeated when a newer one of the same source holds 85 % of its
lines. Relevance is the share of the task's words that a block holds. A block that is no longer whole holds the names
that still stand there. Of a very long text the size is told by samples, names and words by its beginning. Source:
requirements E (reuse, relevance, duplication), K9; limits are ours, they keep a turn's cost in step with what it
brings.
"""

import operator
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby

from holdfast.engine.blocks import PER_BLOCK, UNKNOWN, Block, BlockKind, BlockState, Count, Edit
from holdfast.engine.messages import ContentBlock, Message, named, pieces, with_short_inputs
from holdfast.text import identifiers
from holdfast.text.scripts import UNSPACED
from holdfast.transcript.rows import input_text
from holdfast.transcript.usage import Frame

LONG = 100_000  # characters up to which a text is read as a whole


class BlockIndex:
    """The blocks of one window, in the order in which they are sent."""

    def __init__(self, count: Count) -> None:
        self._outside: dict[str, Block] = {}
        self._inside: dict[str, Block] = {}
        self.turn = 0
        self.read = 0  # messages that have been read
        self.goal = self.request = ""  # ids of the first texts of the task's message, and of the user's newest
        self.answering = -1
        self.task: frozenset[str] = frozenset()
        self._aim = ""
        self.calls: set[str] = set()  # ids of the calls so far
        self._count = count
        self._names: dict[str, list[str]] = {}  # name -> ids of the blocks that say it, oldest first
        self._said: Counter[str] = Counter()  # name -> blocks of the model's own that say it
        self._left: dict[str, frozenset[str]] = {}
        """Id of a block that is no longer whole -> the names that still stand there."""
        self._sources: dict[str, tuple[str, frozenset[int]]] = {}

    @property
    def blocks(self) -> list[Block]:
        """All of them: what stands outside the messages first."""
        return [*self._outside.values(), *self._inside.values()]

    def take(self, messages: Sequence[Message]) -> None:
        """Read the messages that are new."""
        for index, found in groupby(pieces(messages, self.read), lambda piece: piece.place[0]):
            said = list(found)
            is_answer = messages[index].get("role") == "assistant"
            if is_answer and messages[index - 1].get("role") == "user":  # else it goes on after a `pause_turn`
                self.turn += 1
                self.answering = index
            for piece in said:
                self._add(piece)
            self._hear(said)
        self.read = len(messages)

    def put(self, block: Block) -> None:
        """Add a block from outside the messages, in front: the system prompt, the tools."""
        self._outside[block.id] = block

    def __getitem__(self, name: str) -> Block:
        return self._outside[name] if name in self._outside else self._inside[name]

    def __contains__(self, name: str) -> bool:
        return name in self._inside or name in self._outside

    def change(self, changes: Iterable[Edit]) -> None:
        """What a plan has put in place of blocks. A block keeps its whole text here: it is what is archived."""
        for change in changes:
            block = self[change.id]._replace(tokens=change.tokens, state=change.state)
            self._set(block)
            self._left[change.id] = frozenset(names_of(f"{block.about}\n{change.text}" if change.text else ""))

    def keep(self, name: str, kept: bool = True) -> None:
        """Mark a block so that it is never evicted, or take the mark off."""
        self._set(self[name]._replace(keep=kept))

    def _set(self, block: Block) -> None:
        (self._outside if block.id in self._outside else self._inside)[block.id] = block

    def only_in(self, block: Block, leaving: Collection[str] = ()) -> list[str]:
        """Names of a block that the window says nowhere else once the blocks `leaving` (ids) have left.

        First those that the model itself has named, the more often the earlier; then in order of appearance. A result
        speaks for its call where both leave.
        """
        call = f"call:{block.pair}"
        texts = [block.text, *([self[call].text] if block.kind == BlockKind.RESULT and call in leaving else [])]
        names = dict.fromkeys(name for text in texts for name in names_of(text))
        found = [name for name in names if not self._elsewhere(name, block.id, leaving)]
        return sorted(found, key=lambda name: -self._said[name])

    def _elsewhere(self, name: str, own: str, leaving: Collection[str]) -> bool:
        others = (self._inside[other] for other in reversed(self._names.get(name, ())) if other != own)
        return any(
            other.id not in leaving if other.state == BlockState.WHOLE else name in self._left.get(other.id, ())
            for other in others
        )

    def _add(self, piece: ContentBlock) -> None:
        tool, inputs = named(piece.tool, piece.inputs) if piece.tool else ("", {})
        mark = {BlockKind.CALL: "call", BlockKind.RESULT: "result"}.get(piece.kind)
        name = f"{mark}:{piece.pair}" if mark else f"{piece.place[0]}.{piece.place[1]}"
        text = piece.text[:LONG]
        about, found = _about(tool, inputs, piece), words(text) if piece.kind != BlockKind.THINKING else frozenset()
        shares = len(found & self.task) / len(self.task) if self.task else UNKNOWN
        turn = self.turn if piece.kind in (BlockKind.ASSISTANT, BlockKind.CALL, BlockKind.THINKING) else self.turn + 1
        size = sampled(piece.text, self._count) + _frame(piece) + piece.beside
        block = Block(name, piece.kind, piece.text, size, turn, piece.place, piece.pair, about, stored=piece.stored)
        block = block._replace(relevance=min(1, 3 * shares) if self.task else shares, fixed=self._fixed(piece))
        self._inside[name] = block
        self._refer(block)
        if piece.kind == BlockKind.CALL:
            self.calls.add(piece.pair)
        if piece.kind == BlockKind.RESULT:
            self._supersede(about, text, name)

    def _hear(self, said: Sequence[ContentBlock]) -> None:
        """Whether a message is a request of the user's, and the first one the goal."""
        own = [piece for piece in said if piece.kind == BlockKind.USER]
        if not own:
            return
        first = next((piece for piece in own if piece.text), own[0])
        self.request = "{}.{}".format(*first.place)
        self.goal = self.goal or self.request
        told = "\n".join(piece.text for piece in own)[:LONG]
        self._aim = self._aim or told
        self.task = words(f"{self._aim}\n{told}")

    def _fixed(self, piece: ContentBlock) -> int:
        if piece.kind != BlockKind.CALL:
            return 0
        mark = "[Evicted: 99,999 tokens; whole: a999]"  # as long as what stands in place of a long input
        return self._count(input_text(with_short_inputs(piece.inputs, mark))) + _frame(piece)

    def _refer(self, block: Block) -> None:
        """Count what this block names, where the model wrote it, and remember its own names."""
        found = names_of(block.text)
        if block.kind in (BlockKind.ASSISTANT, BlockKind.CALL):
            self._said.update(found)
            for spoken in {one for name in found for one in self._names.get(name, ())[-3:]}:
                other = self._inside[spoken]
                if other.turn < block.turn:
                    self._inside[spoken] = other._replace(uses=other.uses + 1, used=block.turn)
        if block.kind != BlockKind.THINKING:
            for name in found:
                self._names.setdefault(name, []).append(block.id)

    def _supersede(self, source: str, text: str, name: str) -> None:
        """The older result of the same source is repeated as far as its lines stand in this one."""
        lines = frozenset(hash(line.strip()) for line in text.splitlines() if line.strip())
        before = self._sources.get(source)
        if before and before[1]:
            share = len(before[1] & lines) / len(before[1])
            older = self._inside[before[0]]
            if share * 100 >= 85:
                self._inside[before[0]] = older._replace(repeat=max(older.repeat, share))
        if source:
            self._sources[source] = (name, lines)


def _frame(piece: ContentBlock) -> int:
    """Tokens around a block's text: those of a call were fitted to recorded sessions (transcript/usage.py)."""
    return Frame.CALL + Frame.ARGUMENT * len(piece.inputs) if piece.kind == BlockKind.CALL else PER_BLOCK


_WORD = re.compile(r"\w+")


def words(text: str) -> frozenset[str]:
    """The words of a text that are long enough to say what it is about, in small letters; pairs where not apart."""
    found = _WORD.findall(text.lower())
    apart = frozenset(word for word in found if len(word) > 3)
    if text.isascii():
        return apart
    joined = {word for word in found if UNSPACED.search(word)}
    return (apart - joined).union(*(map(operator.add, word, word[1:]) for word in joined))


def sampled(text: str, count: Count) -> int:
    """Tokens of a text; of one longer than LONG, by twenty samples from all over it."""
    if len(text) <= LONG:
        return count(text)
    size, step = LONG // 20, len(text) // 20
    return round(sum(count(text[at * step : at * step + size]) for at in range(20)) * len(text) / LONG)


def names_of(text: str) -> list[str]:
    """Paths, by their last part, and identifiers of a text, at most 400 of them, in order of appearance."""
    text = text[:LONG]
    found = dict.fromkeys(identifiers.basename(path) for path in identifiers.paths(text))
    found.update(dict.fromkeys(identifiers.identifiers(text)))
    return list(found)[:400]


def _about(tool: str, inputs: Mapping[str, object], piece: ContentBlock) -> str:
    """The tool with its main argument; of a text its first words."""
    if not tool:
        return " ".join(piece.text[:80].split()) if piece.kind in (BlockKind.USER, BlockKind.MEMORY) else ""
    keys = ("file_path", "path", "command", "pattern", "query", "url", "description", "prompt")
    told = next((str(inputs[key]) for key in keys if inputs.get(key)), "")
    told = told or " ".join(str(value) for value in inputs.values() if isinstance(value, str | int | float))
    part = f":{inputs['offset']}" if inputs.get("offset") else ""
    return f"{tool} {' '.join(told.split())[:120]}{part}".strip()
