import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.cli import sessions
from holdfast.cli.main import main
from holdfast.errors import BadInput
from holdfast.ledger import hooks as ledger
from holdfast.report import prices, stats
from holdfast.report.schema import Money, Reduction
from tests.memory.memories import brought, record

Known = Callable[..., None]
OPUS = {"spent claude-opus-4-5-20251101 input": 1_000_000, "spent claude-opus-4-5-20251101 answers": 2}
HOSTILE = "/p/<script>alert('1')</script>\x1b[31m\u202e"


def test_sums_by_day_project_and_session(known: Known, state: Path) -> None:
    cut = {"digests": 2, "digests_before": 9_000, "digests_after": 1_000}
    known("a", {"2026-11-01": cut, "2026-11-02": {**cut, "handoffs_before": 500, "handoffs_after": 600}}, used=1.0)
    known("b", {"2026-11-02": {"hot_runs": 10, "warm_runs": 2, "warm_ms": 90}}, "/q/shop", used=3.0)
    known("c", {"2026-11-02": cut}, used=2.0)
    found = stats.gather(str(state))
    assert [one.day for one in found.days] == ["2026-11-01", "2026-11-02"]
    assert [one.project for one in found.projects] == ["/p/shop", "/q/shop"]
    assert [(one.session, one.files) for one in found.sessions] == [("a", False), ("c", False), ("b", False)]
    for parts in (found.days, found.projects, found.sessions):
        assert sum(one.kept_out for one in parts) == found.total.kept_out == 3 * 8_000 - 100
        assert sum(one.hooks.ms for one in parts) == found.total.hooks.ms == 90 + 10 * stats.HOT_MS
    assert found.total.digests == Reduction(count=6, before=27_000, after=3_000)
    assert (found.total.sessions, found.days[1].sessions, found.projects[0].sessions) == (3, 3, 2)
    later = stats.gather(str(state), "2026-11-02", "/p/shop")
    assert (later.total.sessions, later.total.digests.count) == (2, 4)
    assert (later.since, later.project) == ("2026-11-02", "/p/shop")


HAIKU = {"spent_by_agents claude-haiku-4-5 input": 1_000_000, "spent_by_agents claude-haiku-4-5 answers": 9}
OTHER = {"spent other input": 5, "spent other answers": 9}


@pytest.mark.parametrize(
    ("spent", "money"),
    [
        (OPUS, (5.0, 0.005, 0.0, [])),
        ({**OPUS, **HAIKU}, (6.0, 0.005, 0.0, [])),
        ({**OPUS, **OTHER}, (5.0, None, None, ["other"])),
        (OTHER, (None, None, None, ["other"])),
        ({}, (None, None, None, [""])),
    ],
    ids=["all known", "by sub-agents too", "some known", "none known", "no model at all"],
)
def test_money(known: Known, state: Path, spent: dict[str, int], money: tuple[Any, ...]) -> None:
    """At list prices, and never a sum that looks whole where a price is missing.

    What is kept out is priced as the conversation's, though sub-agents answer more.
    """
    known("a", {"2026-11-01": {"digests_before": 1_000, **spent}})
    assert stats.gather(str(state)).total.money == Money(**dict(zip(Money.model_fields, money, strict=True)))


def test_what_sub_agents_spend_is_spent(known: Known, state: Path) -> None:
    known("a", {"2026-11-01": {**OPUS, **HAIKU}})
    found = stats.gather(str(state))
    assert (found.total.spent.input, found.total.spent_by_agents.input) == (2_000_000, 1_000_000)
    assert found.sessions[0].models == ["claude-haiku-4-5", "claude-opus-4-5-20251101"]


def test_the_table_of_prices() -> None:
    """By the model's id, with a date or a window's size; each part as listed; nothing is guessed for another."""
    tokens = dict.fromkeys(prices.Price._fields, 1_000_000)
    listed = {"claude-opus-4-1-20250805": (15, 18.75, 30, 1.5, 75), "claude-sonnet-4-6[1m]": (3, 3.75, 6, 0.3, 15)}
    listed["claude-fable-5-1"] = (10, 12.5, 20, 0.25, 50)
    for model, parts in listed.items():
        price = prices.of(model)
        assert price
        assert [round(part, 6) for part in price] == [*parts]
        assert prices.cost(price, tokens) == pytest.approx(sum(parts))
    for model in ("", "gpt-5", "claude-haiku-5-5", "us.anthropic.claude-opus-4-6", "claude-opus-4-6-20261", "opus"):
        assert prices.of(model) is None


def test_what_cannot_be_meant(known: Known, state: Path) -> None:
    known("a", {}, "/p/shop")
    known("b", {}, "/q/shop")
    for since in ("7", "d", "0d", "-1d", "²d", "7x", "2026-13-01", "yesterday", "99999d"):
        with pytest.raises(BadInput, match="Give days or weeks"):
            stats.first_day(since, 1_800_000_000.0)
    with pytest.raises(BadInput, match=r"several projects have this name.*/p/shop, /q/shop"):
        stats.gather(str(state), project="shop")
    with pytest.raises(BadInput, match=r"no session of this project is known.*/p/shop, /q/shop"):
        stats.gather(str(state), project="other")


@pytest.mark.usefixtures("state")
@pytest.mark.parametrize("compactions", [0, 2])
def test_what_a_compaction_cost_is_said_to_be_missing(
    compactions: int, known: Known, capsys: pytest.CaptureFixture[str]
) -> None:
    known("a", {"2026-11-01": {"turns": 3, "compactions": compactions}})
    assert main(["stats"]) == 0
    said = "spent lacks the client's summariser, at 2 compactions: no transcript has it."
    assert (said in capsys.readouterr().out) == bool(compactions)


@pytest.mark.usefixtures("state")
def test_what_a_reader_sees(known: Known, capfd: pytest.CaptureFixture[str]) -> None:
    """Three tables, the newest first and each of a few rows; a name with marks of all kinds is text."""
    known("late", {f"2026-11-{day:02}": {"digests": 1, "digests_before": 2_000} for day in range(1, 10)}, HOSTILE)
    Path(ledger.folder(), "torn.json").write_text('{"v":')
    assert main(["stats"]) == 0
    out, err = capfd.readouterr()
    assert out.index("2026-11-09") < out.index("2026-11-03")
    assert "2026-11-02" not in out
    assert "2 more: --by day" in out
    assert "price unknown: of a session whose model is not known" in out
    assert out.count(f"at the API's list prices of {prices.AS_OF}, {prices.SOURCE}; no subscription's bill") == 1
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert [line for line in err.splitlines() if "cannot be read" in line] == err.splitlines() != []
    assert main(["stats", "--by", "day"]) == 0
    assert "2026-11-02" in capfd.readouterr().out
    assert main(["sessions", "--all"]) == 0
    assert "late " in capfd.readouterr().out
    assert main(["sessions"]) == 0
    assert capfd.readouterr().out == "no session is known here; try --all\n"
    assert main(["stats", "--since", "1d"]) == 0
    assert capfd.readouterr().out.startswith("no session matches")
    assert not os.path.exists(os.environ["CLAUDE_PROJECT_DIR"] + "/.claude")


def test_a_session_is_known_by_what_was_asked_first(
    known: Known, state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 80 columns too: of an id 8 signs stand there, more only where another begins so."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sessions, "is_here", lambda entry: True)
    ids = ["40147efc-7c68-4e59-9230-9775651f2a89", "bda3b8f3-ecc2-43d6", "bda3b8f3-0c58-4f1d"]
    for number, name in enumerate(ids):
        known(name, {"2026-11-04": {"turns": number + 1}}, os.environ["CLAUDE_PROJECT_DIR"])
        folder = state / "sessions" / name
        folder.mkdir(parents=True)
        (folder / "state.json").write_text(json.dumps({"prompts": [{"text": f"Mend login {number}"}, {"text": "no"}]}))
    assert main(["sessions"]) == 0
    told = capsys.readouterr().out
    assert "no room for" not in told
    rows = [line.split() for line in told.splitlines()]
    assert {(row[0], row[4], row[-1]) for row in rows[1:]} == {
        ("40147efc", "1", "0"), (ids[1], "2", "1"), (ids[2], "3", "2")
    }  # fmt: skip


def test_memory_over_time_is_that_of_all_projects(
    known: Known, state: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    brought(state / "memory", record(number=1), record(number=2, time="2026-11-06T00:00:00Z"))
    brought(other / ".claude/holdfast/memory", record(number=3))
    Path(os.environ["HOME"], ".claude.json").write_text(json.dumps({"projects": {str(other): {}, "relative": {}}}))
    known("there", {"2026-11-04": {"digests": 1}}, str(other))
    told = []
    for arguments in (["stats", "--json"], ["stats", "--json", "--project", str(other)]):
        assert main(arguments) == 0
        told.append([(one["day"], one["records"]) for one in json.loads(capsys.readouterr().out)["memory"]])
    assert told == [[("2026-11-04", 2), ("2026-11-06", 3)], [("2026-11-04", 1)]]


@pytest.mark.usefixtures("state")
def test_figures_are_not_broken_on_a_narrow_screen(
    known: Known, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = {"handoffs": 4, "handoffs_before": 25_400, "handoffs_after": 1_900, "digests": 3, "digests_before": 250_000}
    known("a", {"2026-11-01": {**cut, **OPUS, "send_backs": 2}})
    for columns, figures in ((80, ("25k→1,900", " 2 ", "$5.00")), (40, ("273k", "$5.00"))):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert main(["stats", "--by", "day"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert all(figure in lines[1] for figure in figures), lines
