"""Which record gives way when one is stored, which stands for it, and which holds in a circle of superseded ones."""

from pathlib import Path
from typing import Any

import pytest

from holdfast.memory import supersession
from holdfast.memory.record import Record
from holdfast.memory.store import project_memory
from holdfast.memory.supersession import OpenMemory, Outcome
from holdfast.text import quoting
from holdfast.text.dates import DAY, iso, seconds
from tests.memory.memories import record

NOW = seconds("2027-06-01T00:00:00Z")
MONGO, POSTGRES = ({"decision": f"{name} holds the orders"} for name in ("MongoDB", "PostgreSQL"))
TITLE = "The database"


def made(kind: str, number: int, age: float = 0, **more: Any) -> Record:
    more = {"title": TITLE, **more} if kind == "decision" else more
    return record(kind, number, time=iso(NOW - age * DAY), **more)


def said(one: Record) -> str:
    return one.trust


def standing(new: Record, others: list[Record], trust: Any = said) -> tuple[list[Record], Record | None, list[Record]]:
    """(what it takes the place of, what holds in its place, what stands beside it)."""
    found = supersession.place(new, others, NOW, trust)
    return list(found.over), found.under, list(found.beside)


def placed(new: Record, *others: Record) -> tuple[list[Record], Record | None]:
    """(what it takes the place of, what holds in its place), where every record is believed."""
    return standing(new, list(others))[:2]


def test_a_newer_decision_takes_the_place_of_one_of_its_title() -> None:
    old = [
        made("decision", number, 1, trust=trust, archived=since, content=MONGO)
        for number, (trust, since) in enumerate((("trusted", ""), ("semi_trusted", ""), ("semi_trusted", iso(NOW))))
    ]
    others = [*old, made("learning", 7), made("decision", 8, title="Tabs")]
    users = made("decision", 9, trust="trusted", content=POSTGRES)
    assert supersession.place(users, others, NOW, said, by_hand=True).over == tuple(old[:2])
    assert standing(users, others) == (old[1:2], None, old[:1])
    assert standing(old[0], [users]) == ([], None, [users])
    assert placed(made("decision", 9, trust="semi_trusted", content=POSTGRES), *others) == (old[1:2], None)
    assert placed(made("learning", 9), *others) == ([], None)


def test_an_older_decision_that_comes_late_gives_way() -> None:
    """To the newest that contradicts it, by the records' times; what is older still goes."""
    sqlite = made("decision", 1, 9, content={"decision": "Use SQLite as the database"})
    late = made("decision", 2, 5, content=MONGO)
    newer = [made("decision", number, age, content=POSTGRES) for number, age in ((3, 3), (4, 1), (5, 2))]
    assert placed(late, sqlite, *newer) == ([sqlite], newer[1])
    assert placed(late, newer[0]._replace(archived=iso(NOW))) == ([], None)


def test_a_record_is_trusted_as_it_is_here() -> None:
    """One that came with a clone and calls itself the user's gives way, and sets nothing of the user's aside."""
    forged = made("decision", 1, 1, trust="trusted", content=MONGO)
    new = made("decision", 2, content=POSTGRES)
    assert standing(new, [forged], lambda one: quoting.CARRIED) == ([forged], None, [])
    late = made("decision", 3, 5, trust="trusted", content=POSTGRES)
    assert standing(late, [forged], lambda one: quoting.CARRIED) == ([], None, [forged])


def test_of_an_agents_states_the_newest_holds() -> None:
    """Whichever is stored last; another agent's stands beside it, and a date ahead counts as old."""
    old, new = made("state", 1, 2), made("state", 2, 1)
    assert placed(new, old) == ([old], None)
    assert placed(old, new) == ([], new)
    assert placed(new, made("state", 3, 2, agent="user", trust="trusted")) == ([], None)
    ahead = made("state", 4, -400)
    assert placed(old, ahead) == ([ahead], None)
    assert supersession.newest_states([old, new, ahead], NOW) == {("", False): new}


def test_the_users_state_gives_way_to_the_users_word_only() -> None:
    """Whoever calls himself the user: of the states of one agent, too, the more trusted stays."""
    users = made("state", 1, 2, agent="user", trust="trusted")
    claimed = made("state", 2, 1, agent="user", trust="semi_trusted")
    assert standing(claimed, [users]) == ([], None, [users])
    assert standing(users, [claimed]) == ([], None, [claimed])
    assert list(supersession.newest_states([users, claimed], NOW).values()) == [users, claimed]
    again = made("state", 3, agent="user", trust="trusted")
    assert standing(again, [users, claimed]) == ([users, claimed], None, [])


def test_nothing_gives_way_to_what_is_trusted_less() -> None:
    """From the user's word on; one from the repository is enough in the place of an assistant's."""
    order = ("trusted", "semi_trusted", "untrusted")
    enough = {(older, newer) for older in order for newer in order if supersession.is_enough(older, newer)}
    assert enough == {(older, newer) for older in order for newer in order[: order.index(older) + 1]}
    assert supersession.is_enough("semi_trusted", quoting.CARRIED)
    assert not supersession.is_enough("trusted", quoting.CARRIED)


def test_reasons_are_not_swallowed() -> None:
    """A record without them stands for none that gives some, unless it is the user's; where it was said is none."""
    plain, said_why = ({"decision": "Use Redis", "rationale": why} for why in ("", "it is fast"))
    old, new = made("decision", 1, 3, content=plain), made("decision", 2, content=said_why)
    assert not supersession.stands_for(old, new, said)
    assert supersession.stands_for(old._replace(trust="trusted"), new, said)
    assert supersession.stands_for(made("decision", 1, 3, content=said_why), made("decision", 2, content=plain), said)
    assert supersession.stands_for(old, made("decision", 2, content={**plain, "context": "while at work on: x"}), said)


@pytest.mark.parametrize(
    ("change", "enough"),
    [
        ({}, True),
        ({"importance": 9}, True),
        ({"importance": 2}, False),
        ({"trust": "trusted"}, True),
        ({"trust": "untrusted"}, False),
        ({"expires": iso(NOW + DAY)}, False),
    ],
)
def test_what_is_enough_to_stand_for_a_new_record(change: dict[str, Any], enough: bool) -> None:
    new = made("decision", 2, importance=8)
    old = made("decision", 1, 3, importance=8)._replace(**change)
    assert supersession.stands_for(old, new, said) is enough


@pytest.mark.parametrize(("kind", "days"), [("decision", 30), ("learning", 60)])
def test_what_is_said_again_after_a_start_has_stopped_telling_it_is_said_anew(kind: str, days: int) -> None:
    new = made(kind, 2)
    assert supersession.stands_for(made(kind, 1, days), new, said)
    assert not supersession.stands_for(made(kind, 1, days + 1), new, said)
    assert supersession.gives_way(made(kind, 1, days + 1), new, NOW, said)
    assert supersession.stands_for(made("issue", 1, 400), made("issue", 2), said)


def test_the_users_words_stay_when_an_assistant_repeats_them_as_graver() -> None:
    user, assistant = made("decision", 1, 3, trust="trusted"), made("decision", 2, 3)
    new = made("decision", 3, importance=9)
    assert not supersession.gives_way(user, new, NOW, said)
    assert supersession.gives_way(assistant, new, NOW, said)
    assert not supersession.gives_way(assistant, made("decision", 4, 5, importance=9), NOW, said)
    assert supersession.gives_way(user, new._replace(trust="trusted"), NOW, said)


@pytest.mark.parametrize(
    ("one", "days"),
    [
        (made("state", 1, importance=7), 0),
        (made("issue", 1, importance=7, content={"description": "x", "severity": "high"}), 0),
        (made("issue", 1, importance=7, content={"description": "x", "severity": "high", "status": "resolved"}), 30),
        (made("issue", 1, importance=4), 7),
        (made("learning", 1, importance=8), 0),
        (made("decision", 1, importance=7), 30),
    ],
)
def test_how_long_a_record_is_kept(one: Record, days: int) -> None:
    assert supersession.kept_days(one) == days


@pytest.mark.parametrize("ahead", [2 / 24, 0.9, 40])
def test_what_is_dated_ahead_holds_over_nothing(ahead: float) -> None:
    """A clone may date its records as it likes: what is said here now takes their place."""
    state, decision = made("state", 1, -ahead), made("decision", 2, -ahead, content=MONGO)
    assert placed(made("state", 3), state) == ([state], None)
    assert placed(made("decision", 4, content=POSTGRES), decision) == ([decision], None)
    assert supersession.newest_states([made("state", 5, 9), state], NOW) == {
        supersession.owner(state): made("state", 5, 9)
    }


@pytest.fixture
def opened(project: Path) -> OpenMemory:
    return OpenMemory(project_memory(str(project)), NOW, iso(NOW))


def test_a_record_of_the_same_words_stands_for_it(opened: OpenMemory) -> None:
    old = supersession.upsert(opened, made("learning", 1, 9, content={"lesson": "Use NTP"})).record
    again = made("learning", 2, content={"lesson": "use NTP."})
    assert supersession.upsert(opened, again, again=False) == Outcome(old)
    old = old._replace(time=again.time)
    assert supersession.upsert(opened, again) == Outcome(old, renewed=True)
    assert supersession.upsert(opened, again) == Outcome(old)
    new = supersession.upsert(opened, made("learning", 3, importance=9, content={"lesson": "Use NTP"}))
    assert (new.stored, new.over) == (True, (old,))
    assert opened.memory.get(old.id).superseded_by == new.record.id
    assert len(opened.memory.all()) == 2


def test_what_is_asked_for_expressly_is_stored(opened: OpenMemory) -> None:
    """In the place of the record that was named, and of what else gives way to it."""
    named = supersession.upsert(opened, made("learning", 1, 9)).record
    old = supersession.upsert(opened, made("decision", 2, 9, content=MONGO)).record
    done = supersession.upsert(opened, made("decision", 3, content=POSTGRES), named)
    assert done.over == (named, old)
    assert opened.memory.get(named.id).superseded_by == opened.memory.get(old.id).superseded_by == done.record.id
    again = supersession.upsert(opened, made("decision", 4, content=POSTGRES), done.record)
    assert (again.stored, [one.id for one in again.over]) == (True, [done.record.id])


def test_an_issue_of_the_same_command_stands_for_another(opened: OpenMemory) -> None:
    content = {"description": "slow", "severity": "high", "reproduction_steps": "pytest -q"}
    old = supersession.upsert(opened, made("issue", 1, 9, content=content)).record
    done = supersession.upsert(opened, made("issue", 2, content={**content, "description": "fails"}))
    assert done == Outcome(old)
    assert opened.memory.get(old.id).content["description"] == "slow"
    assert len(opened.memory.all()) == 1


@pytest.mark.parametrize("words", ["{}: PostgreSQL", "{} also holds for the release", "{} is about which branch?"])
def test_a_decision_that_begins_with_anothers_code_archives_nothing(words: str, opened: OpenMemory) -> None:
    for number, trust in ((1, "trusted"), (2, "semi_trusted")):
        old = supersession.upsert(opened, made("decision", number, 9, title=f"{number}", trust=trust)).record
        new = made("decision", number + 5, title="x", trust=trust, content={"decision": words.format(old.code)})
        assert supersession.upsert(opened, new).over == ()


def test_half_of_a_rule_does_not_take_the_place_of_the_whole(opened: OpenMemory) -> None:
    title, rest = "Pushing to main is fine.", "Never on Fridays though."
    content = {"decision": f"{title} {rest}"}
    whole = made("decision", 1, 9, title=title, trust="trusted", tags=["rule"], content=content)
    supersession.upsert(opened, whole)
    half = made("decision", 2, title=title, trust="trusted", content={"decision": title})
    assert supersession.upsert(opened, half).over == ()
