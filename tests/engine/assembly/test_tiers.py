"""What stands in a request, in which order, and what that is worth in the cache."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine.assembly import cache, prompt, tiers
from holdfast.engine.assembly.prompt import SECTIONS
from holdfast.engine.assembly.tiers import TIERS, Part, assemble, fenced
from holdfast.errors import BadInput
from holdfast.text.tokens import estimate

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
    assert not found.over or set(sent) == must
    places = [sent.index(one) for one in found.breakpoints]
    assert places == sorted(places)[:4]


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
    assert written.partition(">")[0].endswith('source="web &quot;page&quot;"')


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
    with pytest.raises(BadInput, match=told):
        assemble(parts, budget)


def test_the_hit_is_the_common_beginning() -> None:
    """From the second request on, and only when it is long enough to be cached."""
    first, second = [("a", 2_000), ("b", 500), ("c", 100)], [("a", 2_000), ("b", 500), ("d", 100)]
    assert cache.rate([first, second]) == cache.Rate(5_200, 2_500)
    assert cache.rate([[("a", 1_023)], [("a", 1_023)]]).hit == 0
    assert cache.rate([[("a", 1_024)], [("a", 1_024)]]).share == 0.5
    assert cache.rate([]).share == 0.0


def test_the_cache_aware_order_hits_what_the_listed_one_misses() -> None:
    """The same parts, thirty requests: the changing task stands early in the list of tiers."""
    stable = [Part("a", "provider", "policy " * 800), Part("b", "instructions", "rule " * 2_000)]
    stable.append(Part("c", "tools", "tool " * 4_000))
    requests = [
        [
            *stable,
            *(Part(tier, tier, f"{tier} {number}") for tier in ("task", "plan", "reminders")),
            Part("seen", "observations", f"result {number} " * 200),
            *(Part(f"turn {n}", "history", f"turn {n} " * 100) for n in range(number)),
        ]
        for number in range(30)
    ]
    listed, aware = cache.compare(requests)
    assert listed.share < 0.15
    assert aware.share > 0.85
    assert listed.sent == aware.sent


LONG = "a line of some words\n" * 3_000


def test_the_parts_of_a_system_prompt_stand_in_one_order() -> None:
    """Whatever order they come in; empty ones are left out, unknown ones named."""
    found = prompt.build({"resources": "see §3", "role": "You test.", "task": " "})
    assert (found.text, found.notes) == ("## Role\nYou test.\n\n## Resources\nsee §3", ())
    with pytest.raises(BadInput, match="Parts are role, summary"):
        prompt.build({"mood": "good"})


@pytest.mark.parametrize("name", SECTIONS)
def test_a_part_over_its_cap_loses_lines_and_it_is_told(name: str) -> None:
    """Only that part; what is critical is never cut: it is told as being over, and so is the whole."""
    found = prompt.build({"critical": "never delete", name: LONG})
    if name == "critical":
        assert LONG.strip() in found.text
        assert found.notes[0].startswith(f"{name}: ")
        assert "10,000 at most" in found.notes[-1]
        return
    assert 0.9 * SECTIONS[name][1] < found.sizes[name] <= SECTIONS[name][1]
    assert "never delete" in found.text
    assert found.notes[0].startswith(f"{name}: cut from")


@given(st.text(max_size=300), st.integers(1, 60))
def test_a_head_has_at_most_its_tokens(text: str, tokens: int) -> None:
    """And is a beginning, of one long line too."""
    assert estimate(prompt.head("word " * 500 + text, tokens)) <= tokens
    assert 0.8 * tokens - 2 < estimate(prompt.head("予約の" * 500, tokens)) <= tokens
    assert 0.8 * tokens - 2 < estimate(prompt.head("word " * 500, tokens))
    assert prompt.head("word " * 500, 50).startswith("word word")
