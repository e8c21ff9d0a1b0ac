from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import preservation
from holdfast.compaction.preservation import Item, Moment
from holdfast.worklog import fold

MOMENT = Moment(
    now=100,
    task=preservation.words("Move the login tokens into src/auth/session.py"),
    uses={"refreshToken": 5, "src/auth/session.py": 2},
    changed=("/p/0.py", "/p/1.py", "/p/2.py", "/p/3.py", "/p/4.py", "/p/5.py"),
)


@pytest.mark.parametrize(
    "item",
    [
        Item("decision", "Use one table for tokens, because two drifted apart"),
        Item("constraint", "never push to main"),
        Item("correction", "no, the other file"),
        Item("cancelled", "leave the mobile part"),
        Item("issue", "login times out under load", level="critical"),
        Item("bug", "BUG-12 [HIGH] tokens leak", level="high"),
        Item("learning", "CRITICAL: the email index is case-insensitive"),
        Item("change", "/p/1.py"),
        Item("task", "Write the migration", state="in_progress"),
        Item("task", "Run it", state="next"),
    ],
    ids=lambda item: f"{item.kind}-{item.state or item.level or 'any'}",
)
def test_what_must_stay_has_100(item: Item) -> None:
    """Each kind that the requirement names, however old it is."""
    assert preservation.score(item, MOMENT) == preservation.MUST


@pytest.mark.parametrize(
    "item",
    [
        Item("prompt", "ok, thanks!"),
        Item("prompt", "Hello"),
        Item("prompt", "Great."),
        Item("learning", "  "),
        Item("issue", "File saved successfully"),
        Item("issue", "login times out", at=20, state="resolved", level="critical"),
        Item("issue", "login times out", at=95, state="resolved", level="critical"),
        Item("decision", "Use two tables", state="superseded"),
        Item("task", "Read the docs", state="completed"),
        Item("task", "Port it to Windows", state="cancelled"),
        Item("search", "rg refreshToken", state="repeated"),
    ],
    ids=lambda item: f"{item.kind}-{item.state or item.text.strip()[:8]}",
)
def test_what_may_go_has_30_at_most(item: Item) -> None:
    """Politeness, confirmations, and whatever no longer holds, also where it held at 100 before."""
    assert preservation.score(item, MOMENT) <= preservation.DISCARDABLE


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (Item("learning", "the parser is slow", at=90), Item("learning", "the parser is slow", at=10)),
        (Item("learning", "look at refreshToken", at=50), Item("learning", "look at rotateToken", at=50)),
        (Item("learning", "the login tokens expire", at=50), Item("learning", "the logo looks pale", at=50)),
        (Item("learning", "cut at 4096 of 9000 in a.py"), Item("learning", "cut it somewhere in that file")),
        (Item("issue", "slow", at=95, state="resolved"), Item("issue", "slow", at=50, state="resolved")),
    ],
    ids=["recency", "references", "relevance", "density", "just resolved"],
)
def test_the_rest_is_ranked(better: Item, worse: Item) -> None:
    """Each of the four shares counts, all else being equal."""
    assert preservation.score(better, MOMENT) > preservation.score(worse, MOMENT)


def test_an_old_change_is_an_ordinary_line() -> None:
    """Only the last five changes are held; the sixth is ranked."""
    assert preservation.score(Item("change", "/p/0.py"), MOMENT) < preservation.MUST


ITEMS = st.builds(
    Item,
    st.sampled_from(["decision", "constraint", "issue", "change", "task", "prompt", "learning"]),
    st.text(max_size=40) | st.sampled_from(["ok", "/p/5.py", "see refreshToken in src/auth/session.py", "CRITICAL: x"]),
    st.integers(-5, 200),
    st.sampled_from(["", "open", "next", "in_progress", *preservation.GONE]),
    st.sampled_from(["", "low", "high", "critical"]),
    st.text(max_size=5),
)
MANY = st.lists(ITEMS, max_size=12)


@given(ITEMS)
def test_a_score_is_in_one_of_the_three_bands(item: Item) -> None:
    """0-30, 31-99 or 100, whatever the item."""
    mark = preservation.score(item, MOMENT)
    assert 0 <= mark <= 100
    assert mark == preservation.MUST or mark <= preservation.DISCARDABLE or 31 <= mark <= 99


@given(MANY, st.integers(0, 300))
def test_a_choice_never_drops_what_must_stay(items: list[Item], budget: int) -> None:
    """Kept and left are the items given; every 100 is kept; the budget holds unless the 100s alone exceed it."""
    choice = preservation.choose(items, budget, MOMENT)
    must = [item for item in items if preservation.score(item, MOMENT) == preservation.MUST]
    assert [item for item in must if item not in choice.kept] == []
    assert choice.over == max(0, sum(len(item.text) + 1 for item in must) - budget)
    assert sorted([*choice.kept, *choice.left]) == sorted(items)
    assert all(preservation.score(item, MOMENT) < preservation.MUST for item in choice.left)
    used = sum(len(line) + 1 for line in choice.lines)
    assert used <= budget or used - budget <= choice.over
    assert all(line in (item.text, item.brief) for item, line in zip(choice.kept, choice.lines, strict=True))


@given(MANY)
def test_with_room_for_all_only_the_worthless_is_left(items: list[Item]) -> None:
    """Nothing is shortened, the order is that of the items, and what is left scores 30 at most."""
    choice = preservation.choose(items, 10_000, MOMENT)
    assert choice.lines == tuple(item.text for item in choice.kept)
    assert all(preservation.score(item, MOMENT) <= preservation.DISCARDABLE for item in choice.left)
    assert choice.over == 0


def test_the_oldest_is_shortened_first_and_the_excess_is_told() -> None:
    """With little room the newest decision keeps its reason; `over` is what all of them whole would need more."""
    old = Item("decision", "Use sqlite, because it needs no server", 1, brief="Use sqlite")
    new = Item("decision", "Use WAL, because readers must not wait", 9, brief="Use WAL")
    choice = preservation.choose([old, new, Item("learning", "tests are slow", 9)], 55, MOMENT)
    assert choice.lines == ("Use sqlite", new.text)
    assert [item.text for item in choice.left] == ["tests are slow"]
    whole = len(f"{old.text}\n{new.text}\n")
    assert [preservation.choose([old, new], budget, MOMENT).over for budget in (10, 55, whole)] == [
        whole - 10,
        whole - 55,
        0,
    ]


def state(**fields: Any) -> dict[str, Any]:
    """A worklog with these fields."""
    return {**fold.empty(), "messages": 50, "notes": [], "fixed": [], "commands": {}, **fields}


def test_the_items_of_a_worklog() -> None:
    """Requests, notes, errors, changes and plan; the next three actions stay, later and finished ones do not."""
    plan = [("a", "completed"), ("b", "in_progress"), *((name, "pending") for name in "cdef")]
    work = state(
        goal="Mend it",
        prompts=[{"text": "Mend it", "n": 1, "re": ""}, {"text": "both", "n": 9, "re": "Which one?"}],
        notes=[
            {"kind": "constraint", "text": "never push", "by": "user", "n": 3},
            {"kind": "constraint", "text": "never sleep", "by": "assistant", "n": 4},
            {"kind": "bug", "text": "BUG-7 (high): leak", "by": "assistant", "n": 5},
        ],
        errors=[
            {"at": "pytest -q", "what": "1 failed", "n": 40, "tried": []},
            {"at": "ls x", "what": "no such file", "n": 2, "tried": []},
        ],
        fixed=[{"at": "go build", "what": "undefined", "by": "go build"}],
        changed=["/p/a.py"],
        todos=[{"text": text, "status": status} for text, status in plan],
    )
    items, moment = preservation.gather(work), preservation.moment_of(work)
    kept = [item.text for item in items if preservation.score(item, moment) == preservation.MUST]
    asked = ["Which one? both", "Mend it"]
    assert kept == [*asked, "never push", "BUG-7 (high): leak", "1 failed", "/p/a.py", "b", "c", "d", "e"]
    low = [item.text for item in items if preservation.score(item, moment) <= preservation.DISCARDABLE]
    assert low == ["undefined", "a"]


def test_a_rule_that_is_said_again_is_one_item_that_must_stay() -> None:
    """In its newest words; an assistant's decision in the same words takes nothing from the user's rule."""
    texts = [("constraint", "Never push to main."), ("constraint", "Please never push to main!")]
    notes = [{"kind": kind, "text": text, "by": "user", "n": n} for n, (kind, text) in enumerate(texts)]
    notes.append({"kind": "decision", "text": texts[1][1], "by": "assistant", "n": 9})
    work = state(notes=notes)
    marks = [(item.kind, preservation.score(item, preservation.moment_of(work))) for item in preservation.gather(work)]
    assert marks == [("constraint", 5), ("constraint", 100), ("decision", 100)]


def test_the_moment_of_a_worklog() -> None:
    """The task is what the newest prompts and the step in work speak of; names are counted wherever they were used."""
    work = state(
        goal="Fix the login",
        prompts=[{"text": f"look at refreshToken {n}", "n": n, "re": ""} for n in range(4)],
        commands={"rg refreshToken src/a.py": 2},
        todos=[{"text": "Write migration", "status": "in_progress"}],
        changed=["/p/a.py"],
    )
    moment = preservation.moment_of(work)
    assert {"login", "refreshtoken", "migration"} <= moment.task
    assert moment.uses["refreshToken"] == 5
    assert moment.uses["src/a.py"] == 1
    assert moment.changed == ("/p/a.py",)


@pytest.mark.parametrize(
    ("text", "level"),
    [("BUG-1 [CRITICAL]: x", "critical"), ("a non-critical one", ""), ("not high", ""), ("low: y", "low"), ("x", "")],
)
def test_the_level_of_a_bug(text: str, level: str) -> None:
    """As its text says; a denial is none."""
    assert preservation._level(text) == level
