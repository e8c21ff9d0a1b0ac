"""What does the window hold, block by block, and what of it has been named since?

Rule: each message is read once. A turn names a block when it says a path or identifier that stands in it; a name that
many blocks hold speaks for the newest of them only. A block is repeated when a newer one of the same source holds 85 %
of its lines. Relevance is the share of the task's words that a block holds. A block that is no longer whole holds the
names that still stand there. Source: requirement E (reuse, relevance, duplication), K9; the limits on names are ours,
they keep the cost of a turn in step with what it brings.

The one class of this package that changes: blocks are values, this is the list of them and its index.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from holdfast.core import terms
from holdfast.core.blocks import ASSISTANT, CALL, MEMORY, RESULT, THINKING, USER, WHOLE, Block
from holdfast.core.conversation import IMAGE_TOKENS, LONG_INPUT, Alias, Message, Piece, input_text, named, pieces
from holdfast.policy.preserve import words
from holdfast.policy.window.change import Change

NAMES, NEWEST = 400, 3
"""Names of a block that are remembered; blocks that one name speaks for, from the newest."""
PER_BLOCK = 4
"""Tokens around a block's text: its type and ids."""
SUPERSEDED = 0.85
"""Share of a block's lines in a newer one of the same source from which on it is repeated (requirement K9)."""
MARK = "[Evicted: 99,999 tokens; whole: a999]"
"""As long as what stands in place of a call's long input."""

Count = Callable[[str], int]


class Track:
    """The blocks of one window, in the order in which they are sent."""

    def __init__(self, count: Count, aliases: Mapping[str, Alias]) -> None:
        self.blocks: list[Block] = []
        self.turn = 0
        self.read = 0
        """Messages that have been read."""
        self.goal = self.request = ""
        self.answering = -1
        self.task: frozenset[str] = frozenset()
        self.calls: set[str] = set()
        """Ids of the calls so far."""
        self._count, self._aliases = count, aliases
        self._index: dict[str, int] = {}
        self._names: dict[str, list[int]] = {}
        self._said: Counter[str] = Counter()
        """Name -> blocks of the model's own that say it."""
        self._left: dict[str, frozenset[str]] = {}
        """Id of a block that is no longer whole -> the names that still stand there."""
        self._sources: dict[str, tuple[int, frozenset[int]]] = {}

    def take(self, messages: Sequence[Message]) -> list[Block]:
        """Read the messages that are new; the blocks that they brought."""
        first = len(self.blocks)
        last = -1
        for piece in pieces(messages, self.read):
            index = piece.place[0]
            if index != last:
                self.turn += messages[index].get("role") == "assistant"
                self.answering = index if messages[index].get("role") == "assistant" else self.answering
                last = index
            self._add(piece)
        self.read = len(messages)
        return self.blocks[first:]

    def put(self, block: Block) -> None:
        """Add a block from outside the messages, in front: the system prompt, the tools."""
        known = self._index.get(block.id)
        if known is None:
            self._index[block.id] = len(self.blocks)
            self.blocks.append(block)
        else:
            self.blocks[known] = block

    def __getitem__(self, name: str) -> Block:
        return self.blocks[self._index[name]]

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def change(self, changes: Iterable[Change]) -> None:
        """What a plan has put in place of blocks. A block keeps its whole text here: it is what is archived."""
        for change in changes:
            index = self._index[change.id]
            block = self.blocks[index]
            self.blocks[index] = block._replace(tokens=change.tokens, state=change.state)
            self._left[change.id] = frozenset(names_of(f"{block.about}\n{change.text}" if change.text else ""))

    def keep(self, name: str, kept: bool = True) -> None:
        """Mark a block so that it is never evicted, or take the mark off."""
        index = self._index[name]
        self.blocks[index] = self.blocks[index]._replace(keep=kept)

    def only_in(self, block: Block, leaving: Collection[str] = ()) -> list[str]:
        """Names of a block that the window says nowhere else once the blocks `leaving` (ids) have left.

        First those that the model itself has named, the more often the earlier; then in order of appearance. A result
        speaks for its call where both leave.
        """
        call = f"call:{block.pair}"
        texts = [block.text, *([self[call].text] if block.kind == RESULT and call in leaving else [])]
        names = dict.fromkeys(name for text in texts for name in names_of(text))
        found = [name for name in names if not self._elsewhere(name, block.id, leaving)]
        return sorted(found, key=lambda name: -self._said[name])

    def _elsewhere(self, name: str, own: str, leaving: Collection[str]) -> bool:
        for index in reversed(self._names.get(name, ())):
            other = self.blocks[index]
            if other.id == own:
                continue
            if other.id not in leaving if other.state == WHOLE else name in self._left.get(other.id, ()):
                return True
        return False

    def _add(self, piece: Piece) -> None:
        tool, inputs = named(piece.tool, piece.inputs, self._aliases) if piece.tool else ("", {})
        mark = {CALL: "call", RESULT: "result"}.get(piece.kind)
        name = f"{mark}:{piece.pair}" if mark else f"{piece.place[0]}.{piece.place[1]}"
        tokens = self._count(piece.text) + PER_BLOCK + IMAGE_TOKENS * piece.images
        about, found = _about(tool, inputs, piece), words(piece.text) if piece.kind != THINKING else frozenset()
        shares = len(found & self.task) / len(self.task) if self.task else 0.5
        turn = self.turn if piece.kind in (ASSISTANT, CALL, THINKING) else self.turn + 1
        block = Block(name, piece.kind, piece.text, tokens, turn, piece.place, piece.pair, about)
        block = block._replace(relevance=min(1.0, 3 * shares) if self.task else shares, fixed=self._fixed(piece))
        index = self._index[name] = len(self.blocks)
        self.blocks.append(block)
        self._refer(block, index)
        if piece.kind == CALL:
            self.calls.add(piece.pair)
        if piece.kind == RESULT:
            self._supersede(about, piece.text, index)
        if piece.kind == USER and piece.text:
            self.goal, self.request = self.goal or name, name
            self.task = words(f"{self[self.goal].text}\n{piece.text}")

    def _fixed(self, piece: Piece) -> int:
        if piece.kind != CALL:
            return 0
        short = {
            key: MARK if isinstance(value, str) and len(value) >= LONG_INPUT else value
            for key, value in piece.inputs.items()
        }
        return self._count(input_text(short)) + PER_BLOCK

    def _refer(self, block: Block, index: int) -> None:
        """Count what this block names, where the model wrote it, and remember its own names."""
        found = names_of(block.text)
        if block.kind in (ASSISTANT, CALL):
            self._said.update(found)
            spoken = {place for name in found for place in self._names.get(name, ())[-NEWEST:]}
            for place in spoken:
                other = self.blocks[place]
                if other.turn < block.turn:
                    self.blocks[place] = other._replace(uses=other.uses + 1, used=block.turn)
        if block.kind in (RESULT, MEMORY, USER, CALL, ASSISTANT):
            for name in found:
                self._names.setdefault(name, []).append(index)

    def _supersede(self, source: str, text: str, index: int) -> None:
        """The older result of the same source is repeated as far as its lines stand in this one."""
        lines = frozenset(hash(line.strip()) for line in text.splitlines() if line.strip())
        before = self._sources.get(source)
        if before and before[1]:
            share = len(before[1] & lines) / len(before[1])
            older = self.blocks[before[0]]
            if share >= SUPERSEDED:
                self.blocks[before[0]] = older._replace(repeat=max(older.repeat, share))
        if source:
            self._sources[source] = (index, lines)


def names_of(text: str) -> list[str]:
    """Paths, by their last part, and identifiers of a text, at most NAMES of them, in order of appearance."""
    found = dict.fromkeys(terms.basename(path) for path in terms.paths(text))
    found.update(dict.fromkeys(terms.identifiers(text)))
    return list(found)[:NAMES]


_ARGUMENTS = ("file_path", "path", "command", "pattern", "query", "url", "description", "prompt")


def _about(tool: str, inputs: Mapping[str, object], piece: Piece) -> str:
    """The tool with its main argument; of a text its first words."""
    if not tool:
        return " ".join(piece.text[:80].split()) if piece.kind in (USER, MEMORY) else ""
    told = next((str(inputs[key]) for key in _ARGUMENTS if inputs.get(key)), "")
    part = f":{inputs['offset']}" if inputs.get("offset") else ""
    return f"{tool} {' '.join(told.split())[:120]}{part}".strip()
