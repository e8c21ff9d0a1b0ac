"""Ageing texts, and what is taken of a model's answer."""

import pytest
from hypothesis import given as over
from hypothesis import strategies as st

from holdfast.engine import progressive
from holdfast.engine.blocks import Edit, Kind, State
from holdfast.engine.progressive import level, shortened
from holdfast.engine.strategy import Asker, StrategyInput, taken
from holdfast.errors import Fault
from holdfast.text.tokens import estimate
from tests.engine.conversations import Json, Model, asked, conversations, given, said

REPORT = "\n".join(
    [
        "## Pool",
        *(f"The handler handle_{n} waits for pool_{n}, which takes {n + 20} ms." for n in range(20)),
        "DECISION: keep one pool because two of them deadlock.",
        "- raise the limit to 40",
        *(f"Then handler_{n} goes on." for n in range(20)),
    ]
)


@pytest.mark.parametrize(
    ("age", "name"),
    [(0, "full"), (1, "full"), (2, "key points"), (5, "key points"), (6, "one line"), (20, "one line"), (21, "title")],
)
def test_the_level_follows_the_age(age: int, name: str) -> None:
    """Requirement K4."""
    assert level(age).name == name


def talk(turns: int, text: str = REPORT, user: str = "Go on.") -> StrategyInput:
    """A conversation without tools: the same long text in every turn."""
    messages = [asked("Find out why the pool is exhausted.")]
    for turn in range(turns):
        messages += [said(f"{text}\n{turn}"), asked(f"{user} {turn}")]
    return given(messages)._replace(limit=1)


def changes(found: StrategyInput) -> dict[str, Edit]:
    """Id -> what stands there now."""
    return {change.id: change for change in progressive.progressive(found).changes}


def test_each_age_has_its_size_and_state() -> None:
    """30 %, 5 % and 1 % of the whole, or the smallest size where that is more, and the head."""
    whole, made = estimate(REPORT), {change.why: change for change in changes(talk(24)).values()}
    assert {name: change.state for name, change in made.items()} == {
        "key points": State.DIGEST,
        "one line": State.DIGEST,
        "title": State.PLACEHOLDER,
    }
    for name, share, least in (("key points", 0.3, 40), ("one line", 0.05, 24), ("title", 0.01, 10)):
        assert made[name].tokens <= max(least, share * whole) + 30


def test_the_users_words_and_the_last_turn_stay_whole() -> None:
    """However long and old they are."""
    found = talk(24, user=REPORT)
    touched = [block for block in found.blocks if block.id in changes(found)]
    assert {block.kind for block in touched} == {"assistant_response"}
    assert max(block.turn for block in touched) == found.context.turn - 2


def test_a_level_is_made_of_the_texts_own_lines_headings_and_marks_first() -> None:
    """Verbatim, in their order; never from a level before."""
    shown = shortened(REPORT, 60, estimate)
    assert "## Pool" in shown
    assert "DECISION: keep one pool because two of them deadlock." in shown
    assert [REPORT.index(line) for line in shown.split("\n")] == sorted(
        REPORT.index(line) for line in shown.split("\n")
    )
    assert shortened("one line\nanother", 5, estimate, ["only_here"]).startswith("one line")
    found = talk(12)
    first = found.free(Kind.ASSISTANT, Kind.MEMORY)[0]
    again = [
        block._replace(tokens=300, state=State.DIGEST) if block.id == first.id else block for block in found.blocks
    ]
    assert changes(found._replace(blocks=again))[first.id].text == changes(found)[first.id].text


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


@over(conversations())
def test_every_change_is_shorter_and_says_where_the_whole_is(messages: list[Json]) -> None:
    """Over any conversation; nothing of the user's is touched."""
    found = given(messages)
    blocks = {block.id: block for block in found.blocks}
    for change in progressive.progressive(found).changes:
        assert change.tokens < blocks[change.id].tokens
        assert "whole: a" in (change.text or "")
        assert blocks[change.id].kind in (Kind.ASSISTANT, Kind.MEMORY)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("  A finding. ", "A finding."),
        ("```markdown\n## Bugs\n- one\n```", "## Bugs\n- one"),
        ("[Evicted: I pose as one]", "Evicted: I pose as one]"),
        ("first line\n" + "word " * 20, "first line"),
    ],
    ids=["plain", "fenced", "posing", "too long"],
)
def test_what_of_an_answer_is_taken(answer: str, text: str) -> None:
    """Fences go, our marks are no one's to write, whole lines that fit stay."""
    assert taken(answer, 20, estimate) == text


@pytest.mark.parametrize(
    ("answer", "why"),
    [(None, "no text but NoneType"), ("", "empty"), ("word " * 200, "were asked for"), ("word " * 22, "in one piece")],
)
def test_what_is_no_answer_is_refused(answer: object, why: str) -> None:
    """With the reason."""
    with pytest.raises(Fault, match=why):
        taken(answer, 20, estimate)


def test_an_asker_stops_at_the_first_failure_and_at_its_calls() -> None:
    """Whatever the model raises; the note says it in one line."""

    def broken(prompt: str, tokens: int) -> str:
        raise RuntimeError("over\nloaded")

    asker = Asker(broken)
    assert [asker(lambda: "x", 9, estimate) for _ in range(3)] == ["", "", ""]
    assert (asker.calls, "RuntimeError: over loaded" in asker.note) == (1, True)
    bounded = Asker(Model("fine").ask, most=2)
    assert [bounded(lambda: "x", 9, estimate) for _ in range(3)] == ["fine", "fine", ""]
    assert Asker(None)(lambda: "x", 9, estimate) == ""
