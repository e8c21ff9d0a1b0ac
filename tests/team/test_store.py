"""What every store of the team keeps to. `opened` gives the stores that there are."""

import contextlib
import itertools
import multiprocessing
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.postgres.connection import Place, connected
from holdfast.postgres.coordination import PostgresStore
from holdfast.team.location import FILE
from holdfast.team.model import Agent, Claim, Moved, Refusal, Versioned, Wanted
from holdfast.team.ownership import LONGEST
from holdfast.team.store import SqliteStore, Store

NOW = 1_800_000_000.0
LATER = NOW + 600
A, B = Agent("a", "s1", task="move the ledger", started=NOW), Agent("b", "s2", started=NOW + 1)
Open = Callable[[], Store]
NUMBERS = itertools.count()


@pytest.fixture(params=["sqlite", "postgres"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens the one store, each time as another process would; PostgreSQL where it is installed."""
    if request.param == "sqlite":
        yield lambda: SqliteStore(str(tmp_path / "team"), 10)
        return
    server, name = request.getfixturevalue("server"), f"s{next(NUMBERS)}"
    server.team(name, {"alice": "writer"})
    url = server.url(name, "alice")
    with contextlib.ExitStack() as stack:
        yield lambda: PostgresStore(stack.enter_context(connected(url)), Place("core", "shop"))


def test_one_has_it_the_other_is_told_who(opened: Open) -> None:
    """Until it is released; what overlaps is refused as well, the rest is given."""
    first, second = opened(), opened()
    assert isinstance(first.claim(A, Wanted("src/**", why="task"), LATER, NOW), Claim)
    refused = second.claim(B, Wanted("src/a.py"), LATER, NOW)
    assert isinstance(refused, Refusal)
    assert (refused.claim.pattern, refused.holder) == ("src/**", A._replace(seen=NOW))
    assert isinstance(second.claim(B, Wanted("docs/a.md"), LATER, NOW), Claim)
    assert [one.holder for one in first.holders(NOW)] == ["b", "a"]
    assert [one.pattern for one in first.release("a", "", NOW)] == ["src/**"]
    assert isinstance(second.claim(B, Wanted("src/a.py"), LATER, NOW), Claim)
    assert [one.id for one in first.agents(NOW)] == ["b"]
    assert [(one.deed, one.agent) for one in first.audit(2)] == [("took", "b"), ("released", "a")]


def test_a_lease_ends_and_is_renewed(opened: Open) -> None:
    """Renewed it holds on; over, it is lost to whoever asks, and the audit says to whom."""
    store = opened()
    store.claim(A, Wanted("a", why="task"), LATER, NOW)
    store.claim(A, Wanted("e"), LATER, NOW)
    store.renew(A, LATER + 600, LATER - 1)
    assert isinstance(store.claim(B, Wanted("e"), LATER + 700, LATER + 100), Claim), "an edit's lease goes by edits"
    assert isinstance(store.claim(B, Wanted("a"), LATER + 700, LATER + 100), Refusal)
    assert isinstance(store.claim(B, Wanted("a"), LATER + 2_000, LATER + 601), Claim)
    assert isinstance(store.claim(A, Wanted("a"), LATER + 2_000, LATER + 602), Refusal)
    assert [tuple(one)[1:] for one in store.audit(2)] == [
        ("took", "b", "a", "exclusive", ""),
        ("lost", "a", "a", "exclusive", "b"),
    ]


def test_what_an_agent_holds_goes_over(opened: Open) -> None:
    store = opened()
    store.claim(A, Wanted("a"), LATER, NOW)
    store.claim(A, Wanted("b/**", "shared", "task"), LATER, NOW)
    assert len(store.give("a", B, NOW)) == 2
    assert {(one.pattern, one.mode, one.holder) for one in store.holders(NOW)} == {
        ("a", "exclusive", "b"),
        ("b/**", "shared", "b"),
    }
    assert [one.id for one in store.agents(NOW)] == ["b"]
    assert {(one.deed, one.agent, one.other) for one in store.audit(2)} == {("gave", "a", "b")}


def test_an_agent_may_use_what_its_caller_holds_and_siblings_may_not(opened: Open) -> None:
    """The caller itself does not get what its agent holds."""
    store, child = opened(), Agent("c", "s1", "Explore", parent="a")
    store.claim(A, Wanted("src/**", why="task"), LATER, NOW)
    assert isinstance(store.claim(child, Wanted("src/pay/**", why="task"), LATER, NOW), Claim)
    assert isinstance(store.claim(child._replace(id="d"), Wanted("src/pay/x"), LATER, NOW), Refusal)
    assert isinstance(store.claim(A, Wanted("src/pay/x"), LATER, NOW), Refusal)


def test_of_two_changes_from_one_version_the_second_is_told(opened: Open) -> None:
    """What stands there now, and what it was made from."""
    one, other = opened(), opened()
    assert one.read_state("plan") == Versioned("plan")
    first = one.compare_and_set(Versioned("plan", "build", 0, "a"), NOW)
    assert first == Versioned("plan", "build", 1, "a", NOW)
    assert one.compare_and_set(Versioned("plan", "test", 1, "a"), NOW) == Versioned("plan", "test", 2, "a", NOW)
    lost = other.compare_and_set(Versioned("plan", "ship", 1, "b"), NOW)
    assert lost == Moved(Versioned("plan", "test", 2, "a", NOW), first)
    assert other.read_state("plan", 1) == first
    assert other.read_state("plan", 7) is None
    with pytest.raises(BadInput, match="64,000 bytes"):
        one.compare_and_set(Versioned("plan", "x" * 64_001, 2), NOW)


def test_who_was_not_seen_for_a_day_is_forgotten(opened: Open) -> None:
    """When somebody leaves, with all that it held, and the audit has it."""
    store = opened()
    store.claim(A, Wanted("a"), LATER, NOW)
    assert store.agents(NOW + LONGEST + 1) == []
    store.release(B.id, "", LATER + LONGEST + 1)
    assert [tuple(one)[1:3] for one in store.audit(1)] == [("lost", "a")]


def _work(folder: str, name: str) -> tuple[int, int]:
    store, had, written = SqliteStore(folder, 60), 0, 0
    for number in range(40):
        had += isinstance(store.claim(Agent(name, name), Wanted(f"f{number}"), LATER, NOW), Claim)
    while written < 10:
        there = store.read_state("sum") or Versioned("sum")
        new = there._replace(value=str(int(there.value or 0) + 1), by=name)
        written += isinstance(store.compare_and_set(new, NOW), Versioned)
    return had, written


def test_four_processes_at_once(tmp_path: Path) -> None:
    folder = str(tmp_path / "team")
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        done = pool.starmap(_work, [(folder, name) for name in "abcd"])
    assert sum(had for had, _ in done) == 40
    store = SqliteStore(folder)
    assert len(store.holders(NOW)) == 40
    state = store.read_state("sum")
    assert state is not None
    assert (state.value, state.version) == ("40", 40)


def _torn(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:3_000] + b"\0" * 5_000)


def _foreign(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("UPDATE made SET mark = 'elsewhere'")


def _hostile(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("CREATE TRIGGER t AFTER INSERT ON agents BEGIN DELETE FROM claims; END")


def _endless(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE made")
        endless = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT count(*) AS mark FROM r"
        db.execute("CREATE VIEW made AS " + endless)


def _newer(path: Path) -> None:
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 4")


@pytest.mark.parametrize(
    "harm", [_torn, _foreign, _hostile, _endless, _newer, lambda path: path.write_text("not a database")]
)
def test_a_store_that_is_torn_or_not_ours_is_set_aside(tmp_path: Path, harm: Callable[[Path], object]) -> None:
    """One line says so, a new one works, and the old file is kept."""
    path = tmp_path / "team" / FILE
    with SqliteStore(str(path.parent)) as store:
        store.claim(A, Wanted("a"), LATER, NOW)
    for beside in path.parent.glob("*-wal"):
        beside.unlink()
    harm(path)
    with SqliteStore(str(path.parent)) as store:
        assert "begins anew" in store.told
        assert isinstance(store.claim(B, Wanted("a"), LATER, NOW), Claim)
    assert path.with_name(f"{FILE}.foreign").stat().st_size
    with SqliteStore(str(path.parent)) as store:
        assert store.told == ""
