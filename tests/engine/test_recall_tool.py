"""The tool with which a model asks for what left the window."""

import re
from collections.abc import Callable

import pytest

from holdfast.digest import policy
from holdfast.engine import compaction, handover, merge, placeholder, progressive, summarise_results
from holdfast.engine.blocks import RESULT, Block
from holdfast.engine.recall_tool import MARKS, RECALL_TOOL, WHOLE
from holdfast.engine.strategy import Scene
from tests.engine.conversations import Json, asked, looked, said, scene

LINES = "\n".join(f"worker_{number} took {number} jobs from pool_{number}" for number in range(120))


def evicted(found: Scene) -> list[str]:
    """A placeholder."""
    return [placeholder.text(Block("result:t", RESULT, "x" * 900, 300, 2), placeholder.Left("a7"))]


def changed(found: Scene) -> list[str]:
    """What stands where the strategies changed something."""
    steps = (merge.merge, summarise_results.summarise, progressive.progressive)
    return [change.text for step in steps for change in step(found).changes if change.text]


def digested(found: Scene) -> list[str]:
    """A long result as it comes in."""
    return [policy.digest(LINES * 9, "Bash", "a7", 900)]


def compacted(found: Scene) -> list[str]:
    """A summary after an earlier one."""
    made = compaction.compact(found._replace(cut=3))
    head = next(line for line in made.summary.splitlines() if line.startswith("[Holdfast"))
    return [head, f"[What came before: {found.where(compaction.part(3, 'earlier'))}]"]


def handed_over(found: Scene) -> list[str]:
    """What a new window says of the one before."""
    (message,) = handover.opening(handover.Said((), "", "a7"), found.work(), {}, "")
    return [part["text"] for part in message["content"] if "a7" in part["text"]]


ALL = (evicted, changed, digested, compacted, handed_over)


def talk() -> Scene:
    """Results that repeat and texts that age, in a window that is full."""
    messages: list[Json] = [asked("Find out why the pool is exhausted.")]
    for number in range(30):
        messages += looked(number, "Bash", {"command": f"poll {number % 15}"}, f"{number % 15}\n{LINES}")
        messages += [said(LINES), asked("Go on.")]
    whole = scene(messages)
    return whole._replace(limit=int(whole.used / 0.95))


@pytest.mark.parametrize("texts", ALL)
def test_every_text_that_stands_for_a_longer_one_is_described(texts: Callable[[Scene], list[str]]) -> None:
    """By how it begins and how it says where the whole is, so that a model finds the name."""
    shown = texts(talk())
    assert shown
    for text in shown:
        assert text.startswith(MARKS), text[:80]
        assert any(re.search(rf"{re.escape(way.removesuffix('NAME'))}\w", text) for way in WHOLE), text[:300]


def test_no_mark_is_described_that_nothing_leaves() -> None:
    """And each strategy leaves its own."""
    found = talk()
    shown = [text for texts in ALL for text in texts(found)]
    assert {mark for mark in MARKS if any(text.startswith(mark) for text in shown)} == set(MARKS)
    assert all(f"`{word}`" in RECALL_TOOL["description"] for word in (*MARKS, *WHOLE))
    assert RECALL_TOOL["input_schema"]["required"] == ["name"]
