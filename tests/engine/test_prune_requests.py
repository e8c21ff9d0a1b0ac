"""What the agent itself lets go."""

from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine import eviction, pipeline
from holdfast.engine.blocks import PLACEHOLDER, RESULT, Block
from holdfast.engine.prune_requests import prune
from holdfast.engine.strategy import Scene
from tests.engine.conversations import Json, asked, conversations, looked, results, said, scene

LONG = "the pool of src/api/users.py retries\n" * 60
EDIT = {"file_path": "src/b.py", "old_string": "x = 1\n" * 90, "new_string": "x = 2\n" * 90}


def window(text: str, *, kind: str = "assistant") -> list[Json]:
    """Three looks, a change, and an answer to the last of them that says `text`; its own call has just returned."""
    found = [asked("Move the pool."), *looked(1, "Read", {"file_path": "src/a.py"}, LONG)]
    found += looked(2, "Read", {"file_path": "src/a.py"}, LONG.upper())
    found += looked(3, "Edit", EDIT, "The file has been updated. " * 20)
    own, printed = (text, "ok") if kind == "assistant" else ("On we go.", text)
    return [*found, said(own, ("c4", "Bash", {"command": "make"})), results(("c4", f"{printed}\n{LONG}"))]


def gone(messages: list[Json]) -> list[str]:
    """Ids of what leaves."""
    return [change.id for change in prune(scene(messages)).changes]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("PRUNE: src/a.py - read and done", ["result:c1", "result:c2"]),
        ("PRUNE: Read src/a.py - read and done", ["result:c1", "result:c2"]),
        ("PRUNE: `result:c1` - an older state", ["result:c1"]),
        ("PRUNE: src/b.py - changed as planned", ["result:c3", "call:c3"]),
        ("PRUNE: src/b.py - changed\nPRUNE: result:c2 - read", ["result:c3", "result:c2", "call:c3"]),
        ("I might prune src/a.py.", []),
    ],
    ids=["path", "call", "id", "a change with its long inputs", "two", "no request"],
)
def test_what_is_named_leaves(text: str, ids: list[str]) -> None:
    """Also the result that the same answer has just answered."""
    assert gone(window(text)) == ids


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("0.0", "it is kept by rule"),
        ("result:c4", "it is kept by rule"),
        ("make", "it is kept by rule"),
        ("call:c1", "it is kept by rule"),
        ("src/z.py", "no such block"),
    ],
)
def test_what_is_protected_stays_and_the_note_says_why(name: str, reason: str) -> None:
    """The goal, a result that nobody has answered, a call without its result."""
    made = prune(scene(window(f"PRUNE: {name} - done")))
    assert made.changes == ()
    assert made.note == f"not let go: {name} ({reason})"


def marked(found: Scene, name: str, **fields: Any) -> Scene:
    """The scene with one block changed."""
    return found._replace(blocks=[one._replace(**fields) if one.id == name else one for one in found.blocks])


def test_a_marked_block_stays() -> None:
    """The mark is worth more than the request."""
    found = marked(scene(window("PRUNE: src/a.py - done")), "result:c1", keep=True)
    assert [change.id for change in prune(found).changes] == ["result:c2"]


def test_what_has_left_is_not_told_again() -> None:
    """The same messages may be sent twice."""
    found = marked(scene(window("PRUNE: result:c1 - done")), "result:c1", state=PLACEHOLDER, tokens=20)
    assert prune(found) == prune(scene(window("Nothing to let go.")))


def test_what_a_tool_prints_asks_for_nothing() -> None:
    """Nor what an earlier answer asked for."""
    assert gone(window("PRUNE: src/a.py - done", kind="tool")) == []
    later = [*window("PRUNE: src/a.py - done"), said("Fine.", ("c5", "Bash", {"command": "ls"})), results(("c5", "a"))]
    assert gone(later) == []


def test_what_the_scene_says_of_a_whole_text_stands_instead() -> None:
    """It was stored first, and the reason is the agent's."""
    stored: list[str] = []

    def standing(block: Block, leaving: Collection[str]) -> str:
        stored.append(block.text)
        return f"[Evicted: {sorted(leaving)}]"

    made = prune(scene(window("PRUNE: result:c1 - an older state"))._replace(standing=standing))
    assert [(change.text, change.why) for change in made.changes] == [
        ("[Evicted: ['result:c1']]", "asked: an older state")
    ]
    assert (made.by, stored, made.changes[0].state) == ("prune", [LONG], PLACEHOLDER)
    assert made.freed > eviction.LEAST


def test_it_is_carried_out_however_little_it_frees() -> None:
    """In a scene that wants nothing the cascade asks for no least."""
    found = scene(window("PRUNE: result:c1 - an older state"), limit=100_000)
    assert pipeline.attempt("prune", prune, found._replace(used=90_000)).changes == ()
    assert [one.id for one in pipeline.attempt("prune", prune, found._replace(used=0)).changes] == ["result:c1"]


@given(conversations(most=6, times=9), st.data())
def test_an_open_result_the_goal_and_the_request_never_leave(messages: list[Json], data: st.DataObject) -> None:
    """Whatever is asked for."""
    found = scene(messages)
    names = [name for block in found.blocks for name in (block.id, block.about) if name and "`" not in name]
    wanted = data.draw(st.lists(st.sampled_from(names), max_size=5))
    text = "\n".join(f"PRUNE: `{name}` - done" for name in wanted)
    newest = [*messages, said(text or "Go.", ("last", "Bash", {"command": "x"})), results(("last", "y " * 200))]
    after = scene(newest)
    left = {change.id for change in prune(after).changes}
    held = {block.id for block in after.blocks if block.kind == RESULT and block.turn > after.moment.turn}
    assert left & (held | {after.moment.goal, after.moment.request}) == set()
