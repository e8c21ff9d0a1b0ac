"""Made-up conversations and what the steps are given of them: what the tests of the engine share."""

from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

from holdfast.engine import blocks
from holdfast.engine.archive import MemoryArchive, archived
from holdfast.engine.block_index import BlockIndex
from holdfast.engine.manager import ContextWindowManager, Turn
from holdfast.engine.messages import Message, pieces, rows
from holdfast.engine.options import Options
from holdfast.engine.strategy import StrategyInput
from holdfast.engine.window_state import WindowState
from holdfast.text import tokens
from holdfast.transcript.rows import Chunk
from holdfast.worklog import fold
from holdfast.worklog.model import empty

Json = dict[str, Any]


def said(text: str, *calls: tuple[str, str, Json]) -> Json:
    """What the model answers: a text and calls of (id, tool, inputs)."""
    found: list[Json] = [{"type": "text", "text": text}] if text else []
    found += [{"type": "tool_use", "id": name, "name": tool, "input": inputs} for name, tool, inputs in calls]
    return {"role": "assistant", "content": found}


def results(*texts: tuple[str, str], text: str = "") -> Json:
    """Results of (id, text), and what the user says beside them."""
    found: list[Json] = [{"type": "tool_result", "tool_use_id": name, "content": shown} for name, shown in texts]
    return {"role": "user", "content": found + ([{"type": "text", "text": text}] if text else [])}


def asked(text: str) -> Json:
    """What the user says."""
    return {"role": "user", "content": text}


def looked(number: int, tool: str, inputs: Json, shown: str) -> list[Json]:
    """A call and its result."""
    return [said(f"Step {number}.", (f"c{number}", tool, inputs)), results((f"c{number}", shown))]


def texts(messages: Sequence[Message]) -> str:
    """All that is said in them."""
    return "\n".join(piece.text for piece in pieces(messages))


def play(manager: ContextWindowManager, messages: list[Json], start: int = 1) -> list[Turn]:
    """Every turn of a conversation that grows by one answer and its result; start: messages of the first turn."""
    return [manager.on_turn_start(messages[:end]) for end in range(start, len(messages) + 1, 2)]


def indexed(messages: Sequence[Message]) -> BlockIndex:
    """The blocks of a conversation."""
    index = BlockIndex(tokens.estimate)
    index.take(messages)
    return index


def given(messages: Sequence[Message], used: int = 0, limit: int = 0, **settings: Any) -> StrategyInput:
    """A whole conversation as the steps see it; by default it is full and nearly all must go."""
    archive = archived(MemoryArchive())
    state = WindowState(tokens.estimate)
    state.read(messages)
    size = used or blocks.tokens_of(state.blocks)
    work = fold.fold(empty(), Chunk(rows(messages), 0, 0))
    window = (state.blocks, state.context(), size, limit or size, Options(**settings), tokens.estimate)
    return StrategyInput(*window, archive, state.index.only_in, messages, lambda: work)


class Model:
    """A model that answers as it is told, and remembers what it was asked."""

    name = "made-up"

    def __init__(self, answer: str | Callable[[str, int], str]) -> None:
        self.asked: list[str] = []
        self._answer = answer

    def ask(self, prompt: str, tokens: int) -> str:
        """The answer."""
        self.asked.append(prompt)
        return self._answer if isinstance(self._answer, str) else self._answer(prompt, tokens)


WORDS = ("the pool retries", "src/api/users.py", "parseHeader", "fails with ECONNRESET", "42 of 180", "is ready")
RULES = ("Never touch the public API.", "Always run make check before a commit.", "Don't add dependencies, please.")
MARKS = ("DECISION: use fetch because axios leaks sockets.", "BUG: critical, login_user raises KeyError 'sid'.", "")
TOOLS = (("Read", "file_path"), ("Bash", "command"), ("Grep", "pattern"), ("lookup", "query"))

_sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=30).map(" ".join)
_printed = st.tuples(st.lists(_sentence, min_size=1, max_size=6), st.integers(1, 12))


@st.composite
def conversations(draw: st.DrawFn, most: int = 12, times: int = 1) -> list[Json]:
    """A well-formed conversation that ends with the user: goal, then answers with calls, results, later requests.

    times: how often each result is as long.
    """
    found = [asked("Move user-service to fetch. " + draw(_sentence))]
    for turn in range(draw(st.integers(1, most))):
        names = [f"c{turn}_{number}" for number in range(draw(st.integers(0, 3)))]
        tools = [draw(st.sampled_from(TOOLS)) for _ in names]
        calls = [(name, tool, {key: draw(_sentence)}) for name, (tool, key) in zip(names, tools, strict=True)]
        found.append(said(f"{draw(_sentence)}. {draw(st.sampled_from(MARKS))}", *calls))
        request = draw(st.one_of(st.just(""), st.sampled_from(RULES), _sentence)) if names else draw(_sentence)
        found.append(results(*((name, _output(draw(_printed), times)) for name in names), text=request))
    return found


def _output(drawn: tuple[list[str], int], times: int) -> str:
    lines, count = drawn
    return "\n".join(f"{line} {number}" for number in range(count * times) for line in lines)
