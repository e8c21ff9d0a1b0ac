"""Ageing texts."""

import pytest
from hypothesis import given, settings

from holdfast.engine import progressive
from holdfast.engine.blocks import DIGEST, MEMORY, PLACEHOLDER, Block
from holdfast.engine.plan import Change
from holdfast.engine.progressive import level, shortened, standing_rules
from holdfast.engine.strategy import Scene
from holdfast.text import tokens
from tests.engine.conversations import Json, Model, asked, conversations, said, scene

LONG = " ".join(f"The handler handle_{n} waits for pool_{n}, which takes {n + 20} ms." for n in range(40))
MARKED = f"{LONG} DECISION: keep one pool because two of them deadlock. {LONG}"


@pytest.mark.parametrize(
    ("age", "name"),
    [(0, "full"), (1, "full"), (2, "key points"), (5, "key points"), (6, "one line"), (20, "one line"), (21, "title")],
)
def test_the_level_follows_the_age(age: int, name: str) -> None:
    """Requirement K4."""
    assert level(age).name == name


def talk(turns: int, text: str = LONG, user: str = "Go on.") -> Scene:
    """A conversation without tools: the same long text in every turn."""
    messages = [asked("Find out why the pool is exhausted.")]
    for turn in range(turns):
        messages += [said(f"{turn}. {text}"), asked(user)]
    return scene(messages)._replace(limit=1)


def changes(found: Scene) -> dict[str, Change]:
    """Id -> what stands there now."""
    return {change.id: change for change in progressive.progressive(found).changes}


def test_each_age_has_its_size() -> None:
    """30 %, 5 % and 1 % of the whole, or the smallest size where that is more; about a fifth for the head."""
    found = talk(24)
    whole = tokens.estimate(LONG)
    made = {change.why: change for change in changes(found).values()}
    assert set(made) == {"key points", "one line", "title"}
    assert made["key points"].tokens <= 0.3 * whole + 25
    assert made["one line"].tokens <= max(24, 0.05 * whole) + 25
    assert made["title"].tokens <= max(10, 0.01 * whole) + 25
    assert [made[name].state for name in made] == [PLACEHOLDER, DIGEST, DIGEST]


def test_the_last_turn_and_the_goal_stay_whole() -> None:
    """And so does the newest request."""
    found = talk(4)
    touched = {found.blocks[place].turn for place, block in enumerate(found.blocks) if block.id in changes(found)}
    assert touched == {1, 2}
    assert not {found.moment.goal, found.moment.request} & set(changes(found))


def test_a_level_is_made_from_the_whole_text() -> None:
    """A text that was brought to key points before gives the same line as one that was not: nothing drifts."""
    found = talk(12)
    first = found.free(progressive.KINDS)[0]
    shorter = [block._replace(tokens=300, state=DIGEST) if block.id == first.id else block for block in found.blocks]
    assert changes(found)[first.id].text == changes(found._replace(blocks=shorter))[first.id].text


def test_decisions_go_before_all_else() -> None:
    """What the assistant marked itself is the key point."""
    assert "DECISION: keep one pool because two of them deadlock." in shortened(MARKED, 60, tokens.estimate)


def test_a_rule_of_the_user_stays_word_by_word() -> None:
    """At every level."""
    rule = "Never open more than 12 connections to the replica."
    for turns in (4, 12, 30):
        made = changes(talk(turns, text="Fine.", user=f"{LONG[:800]}\n{rule} {LONG[:400]}"))
        assert made
        assert all(rule in str(change.text) for change in made.values())


def test_rules_are_constraints_corrections_and_what_was_called_off() -> None:
    """A question lays nothing down."""
    text = "Please look at it. Always run make check. No, that is wrong. Never mind the export. Must it be so?"
    assert standing_rules(text) == ["Always run make check.", "No, that is wrong.", "Never mind the export."]


def test_a_memory_ages_as_well() -> None:
    """And nothing else that was put in by a tool."""
    found = talk(8)
    memory = Block("m", MEMORY, LONG, 900, 1, (2, 1))
    assert "m" in changes(found._replace(blocks=[*found.blocks, memory]))
    assert "m" not in changes(found._replace(blocks=[*found.blocks, memory._replace(keep=True)]))


def test_a_title_names_what_it_was_about() -> None:
    """The names of the most telling sentence; its beginning where there are none."""
    assert shortened("We saw it. The fault is in src/pool.py, see open_pool.", 12, tokens.estimate, True) == (
        "pool.py, open_pool"
    )
    assert shortened("All of it went well today.", 4, tokens.estimate, True) == "All of…"


def test_a_model_gives_the_key_points_and_nothing_smaller() -> None:
    """One line is not worth a call."""
    model = Model("The pool is too small.")
    made = progressive.progressive(talk(12)._replace(ask=model.ask))
    asked_for = [change for change in made.changes if "The pool is too small." in str(change.text)]
    assert {change.why for change in asked_for} == {"key points"}
    assert made.calls == len(asked_for) == 4


@given(conversations())
@settings(max_examples=40, deadline=None)
def test_nothing_grows_and_every_run_is_the_same(messages: list[Json]) -> None:
    """Whatever was said."""
    found = scene(messages)._replace(limit=1)
    made = progressive.progressive(found)
    sizes = {block.id: block.tokens for block in found.blocks}
    assert all(change.tokens < sizes[change.id] for change in made.changes)
    assert made == progressive.progressive(scene(messages)._replace(limit=1))
