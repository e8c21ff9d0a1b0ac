"""Which blocks leave, which never do, and what stands in their place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine import eviction
from holdfast.engine.blocks import Block, BlockKind, BlockState
from holdfast.engine.eviction import LEAST, SCORERS, TOKENS, chosen
from holdfast.engine.options import DEFAULTS, Options
from holdfast.engine.strategy import EVICTED, ScoringContext, StrategyInput
from holdfast.text import tokens
from holdfast.worklog.model import empty
from tests.engine.conversations import Json, conversations, indexed

NOW = 40
CONTEXT = ScoringContext(turn=20, goal="goal", request="request", answering=40)
OLD = Block("old", BlockKind.RESULT, "text", 900, 2, (4, 0), "c1", "Read a.py")
NEW = OLD._replace(id="new", turn=38)
CALLED = Block("call:c1", BlockKind.CALL, "content: long", 700, 2, (3, 1), "c1", "Write a.py", fixed=60)
ALL = 10**9


def window(blocks: list[Block], wanted: int) -> StrategyInput:
    """These blocks, and how many tokens are to leave; the names that stand nowhere else say how many blocks leave."""
    return StrategyInput(
        blocks,
        CONTEXT,
        wanted,
        0,
        Options(),
        tokens.estimate,
        where=lambda block: "a1",
        names=lambda block, leaving: [f"of_{len(leaving)}"],
        messages=(),
        work=empty,
    )


@pytest.mark.parametrize(
    ("policy", "leaves", "stays"),
    [
        ("fifo", OLD, NEW),
        ("lru", OLD._replace(turn=30), OLD._replace(used=39, uses=1)),
        ("priority", OLD, OLD._replace(relevance=0.9)),
        ("priority", OLD, OLD._replace(uses=5)),
        ("priority", OLD, OLD._replace(kind=BlockKind.MEMORY)),
        ("priority", OLD, OLD._replace(keep=True)),
        ("type", NEW._replace(kind=BlockKind.THINKING, turn=38), NEW._replace(kind=BlockKind.RESULT, turn=36)),
        ("type", OLD._replace(kind=BlockKind.MEMORY, turn=15), OLD._replace(kind=BlockKind.ASSISTANT, turn=15)),
        ("hybrid", OLD._replace(repeat=1.0), OLD),
        ("hybrid", OLD, OLD._replace(used=39)),
        ("hybrid", OLD, NEW),
    ],
)
def test_the_lower_score_leaves(policy: str, leaves: Block, stays: Block) -> None:
    """Each policy by its own measure; above all, what is idle leaves before what is used."""
    assert SCORERS[policy](leaves, NOW, DEFAULTS) < SCORERS[policy](stays, NOW, DEFAULTS)


@pytest.mark.parametrize(
    "block",
    [
        *(OLD._replace(kind=kind) for kind in (BlockKind.SYSTEM, BlockKind.TOOLS, BlockKind.USER, BlockKind.OTHER)),
        OLD._replace(keep=True),
        OLD._replace(turn=21),
        OLD._replace(turn=19),
        CALLED._replace(turn=20),
        OLD._replace(kind=BlockKind.ASSISTANT, turn=20),
        OLD._replace(kind=BlockKind.THINKING, place=(40, 0)),
    ],
    ids=lambda block: f"{block.kind} of turn {block.turn}",
)
def test_what_is_protected_never_leaves(block: Block) -> None:
    """Whatever it scores and however much is wanted, under every policy: also all that the user says."""
    assert all(chosen([block], ALL, CONTEXT, policy) == () for policy in SCORERS)


SMALL = OLD._replace(tokens=TOKENS + LEAST - 1)
THREE = [OLD._replace(id=f"r{turn}", turn=turn, pair=f"p{turn}") for turn in (9, 3, 6)]


@pytest.mark.parametrize(
    ("blocks", "target", "leave"),
    [
        (THREE, ALL, ("r3", "r6", "r9")),
        (THREE, 900, ("r3", "r6")),
        (THREE, 0, ()),
        ([CALLED, OLD], ALL, ("old", "call:c1")),
        ([CALLED, OLD._replace(keep=True)], ALL, ()),
        ([CALLED._replace(tokens=60), OLD], ALL, ("old",)),
        ([SMALL], ALL, ()),
        ([SMALL._replace(tokens=TOKENS + LEAST)], ALL, ("old",)),
        ([SMALL._replace(kind=BlockKind.THINKING)], ALL, ("old",)),
        ([OLD._replace(state=BlockState.PLACEHOLDER)], ALL, ()),
    ],
    ids=[
        *("in the order of scores", "until the target is met", "nothing wanted", "a call with its result"),
        *("no call alone", "a call that gains nothing", "less than a placeholder costs", "just enough"),
        *("thinking needs none", "what has left already"),
    ],
)
def test_what_leaves(blocks: list[Block], target: int, leave: tuple[str, ...]) -> None:
    """Only as much as is wanted, and nothing that saves less than it costs to say."""
    assert chosen(blocks, target, CONTEXT, "fifo") == leave


def test_changes_say_what_stands_there_and_what_was_freed() -> None:
    """A result its placeholder, a call what is fixed of it, thinking nothing; what gains nothing is no change."""
    found = [CALLED, OLD, Block("t", BlockKind.THINKING, "hm", 300, 2, (3, 0)), OLD._replace(id="tiny", tokens=2)]
    made = eviction.planned(window(found, 1_500), [block.id for block in found])
    old = "[Evicted: Read a.py, turn 2: of_4; whole: a1]"
    size = tokens.estimate(old)
    changes = [(change.id, change.text, change.tokens) for change in made.changes]
    assert changes == [("call:c1", "[Evicted: 700 tokens; whole: a1]", 60), ("old", old, size), ("t", None, 0)]
    assert (made.freed, made.short) == (640 + 900 - size + 300, 0)


@given(conversations(), st.sampled_from(sorted(SCORERS)), st.integers(1, 4_000))
def test_over_any_conversation(messages: list[Json], policy: str, target: int) -> None:
    """Nothing protected leaves, nothing twice, no more than one block beyond the target, each call with its result."""
    index = indexed(messages)
    context = ScoringContext(index.turn, index.goal, index.request, index.answering)
    ids = chosen(index.blocks, target, context, policy)
    assert len(set(ids)) == len(ids)
    assert not any(context.protects(index[name]) for name in ids)
    results = [name for name in ids if index[name].kind != BlockKind.CALL]
    assert {f"result:{index[name].pair}" for name in ids if index[name].kind == BlockKind.CALL} <= {*results}
    assert sum(eviction.gain(index[name]) for name in results[:-1]) < target or len(results) <= 1


READ = Block("result:c1", BlockKind.RESULT, "", 2_345, 7, pair="c1", about="Read src/api/users.py")
NAMES = ["parseHeader", "retry_pool"]


@pytest.mark.parametrize(
    ("about", "whole", "names", "shown"),
    [
        (READ.about, "a12", NAMES, "Read users.py, turn 7: parseHeader, retry_pool; whole: a12"),
        ("Bash cat /etc/hosts | sort", "", [], "Bash cat /etc/hosts | sort, turn 7"),
        ("Bash " + "make test " * 9, "", [], "Bash make test make test make test…, turn 7"),
        (READ.about, f"/{'x1-Y2_z3/' * 40}a120.txt", NAMES[:1], "Read users.py, turn 7: parseHeader; whole: a120"),
    ],
    ids=["names", "command", "long command", "long path"],
)
def test_a_placeholder_says_what_it_was_and_where_the_whole_is(
    about: str, whole: str, names: list[str], shown: str
) -> None:
    """Of a path its last part; of a folder that is too long the name in the archive, which `recall` takes."""
    assert eviction.placeholder(READ._replace(about=about), whole, names) == f"[Evicted: {shown}]"


_words = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "Zs", "Cc")), max_size=400)
_places = st.sampled_from(["", "a1", "archive/a99.txt", "/x1-Y2_z3" * 30])


@given(_words, st.lists(_words.filter(bool), max_size=20), _places)
def test_a_placeholder_never_has_more_than_its_tokens(about: str, names: list[str], whole: str) -> None:
    """Whatever it has to say, and its place is never left out."""
    shown = eviction.placeholder(READ._replace(about=about), whole, names)
    assert tokens.estimate(shown) <= TOKENS
    assert shown.startswith(EVICTED)
    assert ("; whole: " in shown) == bool(whole)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("PRUNE: src/a.py - read and used", {"src/a.py": "read and used"}),
        ("- **PRUNE:** `Read a - b.py` — no longer needed", {"Read a - b.py": "no longer needed"}),
        ("```\nPRUNE: a.py - x\n```\n> PRUNE: b.py - x", {}),
        ("One could PRUNE: a.py - x", {}),
        ("PRUNE: a.py", {}),
    ],
    ids=["bare", "marked", "code and quotes", "within a line", "no reason"],
)
def test_what_the_agent_asks_to_let_go(text: str, asked: dict[str, str]) -> None:
    assert eviction.prune_requests([text]) == asked


SAYS = Block("a", BlockKind.ASSISTANT, "", 9, 20, (40, 0))
FRESH = OLD._replace(id="fresh", turn=20, pair="c2")
WINDOW = [Block(BlockKind.SYSTEM, BlockKind.SYSTEM, "", 9), CALLED, OLD, FRESH]


@pytest.mark.parametrize(
    ("blocks", "asks", "gone", "note"),
    [
        (WINDOW, "a.py", {"old": "asked: it", "fresh": "asked: it", "call:c1": "asked: its result"}, ""),
        (WINDOW, "Read a.py", {"old": "asked: it", "fresh": "asked: it", "call:c1": "asked: its result"}, ""),
        (WINDOW, "fresh", {"fresh": "asked: it"}, ""),
        (WINDOW, "system_prompt", {}, "not let go: system_prompt (it is kept by rule)"),
        (WINDOW, "b.py", {}, "not let go: b.py (no such block)"),
        ([OLD._replace(keep=True)], "old", {}, "not let go: old (it is kept by rule)"),
        ([OLD._replace(state=BlockState.PLACEHOLDER)], "old", {}, ""),
    ],
    ids=["argument", "about", "id", "the system's", "unknown", "marked", "gone already"],
)
def test_what_the_agent_lets_go_leaves_by_its_name(
    blocks: list[Block], asks: str, gone: dict[str, str], note: str
) -> None:
    said = SAYS._replace(text=f"PRUNE: {asks} - it")
    made = eviction.prune(window([*blocks, said], 0))
    assert ({change.id: change.why for change in made.changes}, made.note) == (gone, note)
