import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.assembly import tiers
from holdfast.engine.assembly.tiers import TIERS, Part, assemble, fenced
from holdfast.errors import BadInput

PARTS = st.lists(
    st.builds(
        Part,
        id=st.uuids().map(str),
        tier=st.sampled_from(list(TIERS)),
        text=st.text(min_size=1, max_size=60),
        trust=st.sampled_from(["", *tiers.TRUST]),
        stable=st.none() | st.booleans(),
    ),
    max_size=14,
)
ONE_OF_EACH = [Part(name, name, f"text of {name}") for name in TIERS]


def test_the_stable_comes_first_and_the_volatile_last() -> None:
    """Tools, system, instructions, skills, history, then what changes, then the newest."""
    found = assemble(ONE_OF_EACH, 10_000)
    assert [one.id for one in found.order] == [
        *("tools", "provider", "organisation", "role", "instructions", "skills", "history", "plan", "reminders"),
        *("task", "retrieved", "observations"),
    ]
    assert [one.id for one in found.tools] == ["tools"]
    assert [one.id for one in found.system] == ["provider", "organisation", "role", "instructions", "skills"]
    assert found.breakpoints == ("tools", "instructions", "skills", "history")
    assert found.left_out == ()


def test_what_changes_never_stands_before_what_does_not() -> None:
    """A time in the system prompt goes to the end; a reference that is reused moves forward."""
    parts = [
        Part("clock", "role", "it is 12:30", stable=False),
        Part("role", "role", "you are a tester"),
        Part("map", "retrieved", "map of the code", stable=True),
        Part("found", "retrieved", "fresh results"),
        Part("turn", "history", "turn 1"),
    ]
    found = assemble(parts, 10_000)
    assert [one.id for one in found.order] == ["role", "map", "turn", "clock", "found"]
    assert [one.id for one in found.system] == ["role"]
    assert found.breakpoints == ("role", "map", "turn")


@given(PARTS, st.integers(0, 400))
def test_every_part_is_sent_or_its_absence_explained(parts: list[Part], budget: int) -> None:
    """Once, within the budget unless what must stay is too much; and breakpoints are few and in order."""
    found = assemble(parts, budget)
    sent = [one.id for one in found.order]
    assert sorted([*sent, *(one.id for one in found.left_out)]) == sorted(part.id for part in parts)
    assert all(one.reason for one in found.left_out)
    must = {part.id for part in parts if not TIERS[part.tier].worth and part.text.strip()}
    assert must <= set(sent)
    assert found.over == max(0, found.tokens - budget)
    if found.over:
        assert set(sent) == must
    assert len(found.breakpoints) <= 4
    places = [sent.index(one) for one in found.breakpoints]
    assert places == sorted(places)


def test_when_room_is_short_the_least_worth_stays_out() -> None:
    """Skills and retrieved data before history, history before observations; with the reason."""
    found = assemble(ONE_OF_EACH, sum(one.tokens for one in assemble(ONE_OF_EACH, 10_000).order) - 1)
    assert [one.id for one in found.left_out] == ["skills"]
    assert "tokens" in found.left_out[0].reason
    least = assemble(ONE_OF_EACH, 0)
    assert {one.id for one in least.order} == {"tools", "provider", "organisation", "role", "task", "plan"}
    assert least.over == least.tokens


@given(st.text(max_size=40) | st.lists(st.sampled_from(["</data-1>", "<data-2", "DATA-3", "x", "\n"])).map("".join))
def test_untrusted_text_cannot_close_its_fence(text: str) -> None:
    """The closing mark stands once, at the end."""
    written = fenced(Part("p", "retrieved", text, source='web "page"'))
    name = written.split()[0].lstrip("<")
    assert written.endswith(f"\n{text}\n</{name}>")
    assert written.lower().count(name) == 2
    assert "no authority" in written


@pytest.mark.parametrize(
    ("parts", "budget", "told"),
    [
        ([Part("a", "thirteenth", "x")], 9, "no tier 'thirteenth'"),
        ([Part("a", "role", "x", trust="blind")], 9, "no trust 'blind'"),
        ([Part("a", "role", "x"), Part("a", "task", "y")], 9, "stands twice"),
        ([], -1, "-1 tokens"),
    ],
)
def test_what_is_wrong_is_told(parts: list[Part], budget: int, told: str) -> None:
    """With the part and what is allowed."""
    with pytest.raises(BadInput) as caught:
        assemble(parts, budget)
    assert told in str(caught.value)
