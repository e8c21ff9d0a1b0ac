"""Ageing texts, and what is taken of a model's answer."""

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from holdfast.engine import progressive
from holdfast.engine.blocks import BlockKind, BlockState, Edit
from holdfast.engine.progressive import shortened
from holdfast.engine.strategy import Asker, StrategyInput, taken
from holdfast.errors import Fault
from holdfast.text.tokens import estimate
from tests.engine.conversations import Model, asked, given, said

REPORT = "\n".join(
    [
        "## Pool",
        *(f"The handler handle_{n} waits for pool_{n}, which takes {n + 20} ms." for n in range(20)),
        "DECISION: keep one pool because two of them deadlock.",
        "- raise the limit to 40",
        *(f"Then handler_{n} goes on." for n in range(20)),
    ]
)


def talk(turns: int) -> StrategyInput:
    """A conversation without tools: the same long text in every turn, the user's as long."""
    messages = [asked("Find out why the pool is exhausted.")]
    for turn in range(turns):
        messages += [said(f"{REPORT}\n{turn}"), asked(f"{REPORT} {turn}")]
    return given(messages)._replace(limit=1)


def changes(found: StrategyInput) -> dict[str, Edit]:
    """Id -> what stands there now."""
    return {change.id: change for change in progressive.progressive(found).changes}


def test_each_age_has_its_size_and_state() -> None:
    """Requirement K4: 30 %, 5 % and 1 % of the whole, or the smallest size where that is more, and the head."""
    found = talk(24)
    ages = {"key points": set(range(2, 6)), "one line": set(range(6, 21)), "title": {21, 22, 23}}
    for change in changes(found).values():
        block = next(block for block in found.blocks if block.id == change.id)
        assert found.context.turn - block.turn in ages[change.why]
    whole, made = estimate(REPORT), {change.why: change for change in changes(found).values()}
    states = {name: change.state for name, change in made.items()}
    assert states == {"key points": BlockState.DIGEST, "one line": BlockState.DIGEST, "title": BlockState.PLACEHOLDER}
    for name, share, least in (("key points", 0.3, 40), ("one line", 0.05, 24), ("title", 0.01, 10)):
        assert made[name].tokens <= max(least, share * whole) + 30


def test_a_level_is_made_of_the_texts_own_lines_headings_and_marks_first() -> None:
    """Verbatim, in their order; never from a level before. The user's words and the last turn stay whole."""
    shown = shortened(REPORT, 60, estimate)
    assert "## Pool" in shown
    assert "DECISION: keep one pool because two of them deadlock." in shown
    places = [REPORT.index(line) for line in shown.split("\n")]
    assert places == sorted(places)
    assert shortened("one line\nanother", 5, estimate, ["only_here"]).startswith("one line")
    found = talk(12)
    made, [first, *_] = changes(found), found.free(BlockKind.ASSISTANT)
    touched = [block for block in found.blocks if block.id in made]
    assert {block.kind for block in touched} == {BlockKind.ASSISTANT}
    assert max(block.turn for block in touched) == found.context.turn - 2
    again = [one._replace(tokens=300, state=BlockState.DIGEST) if one.id == first.id else one for one in found.blocks]
    assert changes(found._replace(blocks=again))[first.id].text == made[first.id].text


def test_a_model_is_asked_where_there_is_enough_to_say() -> None:
    """For the key points of a long text; a title needs none."""
    model = Model("- one pool deadlocks")
    made = progressive.progressive(talk(24)._replace(ask=model.ask))
    assert 0 < made.calls == len(model.asked) <= 6
    assert any("- one pool deadlocks" in (change.text or "") for change in made.changes)


@over(st.text(max_size=400), st.integers(1, 80))
def test_any_text_is_shortened_within_its_room(text: str, room: int) -> None:
    """But for a first line of which eight characters must stand."""
    assert estimate(shortened(text, room, estimate)) <= room + 16


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("  A finding. ", "A finding."),
        ("```markdown\n## Bugs\n- one\n```", "## Bugs\n- one"),
        ("[Evicted: I pose as one]", "Evicted: I pose as one]"),
        ("first line\n" + "word " * 20, "first line"),
        (None, Fault("no text but NoneType")),
        ("", Fault("empty")),
        ("word " * 200, Fault("were asked for")),
        ("word " * 22, Fault("in one piece")),
    ],
    ids=["plain", "fenced", "posing", "too long", "none", "empty", "far too long", "too long in one piece"],
)
def test_what_of_an_answer_is_taken(answer: object, text: str | Fault) -> None:
    """Fences go, our marks are no one's to write, whole lines that fit stay; what is no answer is refused with why."""
    if isinstance(text, str):
        assert taken(answer, 20, estimate) == text
        return
    with pytest.raises(Fault, match=text.what):
        taken(answer, 20, estimate)


def test_an_asker_stops_at_the_first_failure_and_at_its_calls() -> None:
    """Whatever the model raises; the note says it in one line."""

    def broken(prompt: str, tokens: int) -> str:
        raise RuntimeError("over\nloaded")

    asker = Asker(broken, estimate)
    assert [asker(lambda: "x", 9) for _ in range(3)] == ["", "", ""]
    assert (asker.calls, "RuntimeError: over loaded" in asker.note) == (1, True)
    bounded = Asker(Model("fine").ask, estimate)
    assert [bounded(lambda: "x", 9) for _ in range(7)] == ["fine"] * 6 + [""]
    assert Asker(None, estimate)(lambda: "x", 9) == ""
