import json
from pathlib import Path

import pytest

from holdfast.cli import main as cli
from holdfast.compaction import store
from loopback import Loopback, rule


def test_fidelity(state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A column for the summary alone, per verdict, what must stay, what was told late; older records have none."""
    monkeypatch.setenv("COLUMNS", "200")
    (state / "logs").mkdir(parents=True)
    log = str(state / "logs" / "compactions.jsonl")
    base = {"time": "t", "trigger": "auto", "tokens_before": 160_000, "tool_calls": 7, "instructions": "keep x"}
    facts = {"retained": 40, "recoverable": 3, "missing": 0}
    store.add(log, base)
    alone = {"retained": 1, "recoverable": 0, "missing": 42}
    store.add(log, {**base, "facts": facts, "facts_in_summary": alone, "correction": 300, "hooks_ms": 120.5})
    must = {"items": 12, "held": 9, "on_page": 2, "missing": 1}
    store.add(log, {**base, "facts": facts, "must": must, "correction": 300, "corrected": "PostToolUse"})
    assert cli.main(["compactions"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[0][6:11] == ["in", "summary", "retained", "recoverable", "missing"]
    counted = [["1/43", "40", "3", "0", "-", "waiting"], ["-", "40", "3", "0", "11/12", "yes"]]
    assert [row[6:12] for row in rows[1:4]] == [["-"] * 6, *counted]


@pytest.mark.parametrize("width", ["80", "100"])
def test_each_compaction_is_a_line_with_its_session_on_a_screen_of_usual_width(
    width: str, state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", width)
    (state / "logs").mkdir(parents=True)
    time = "2026-11-26 21:55:27"
    base = {"time": time, "trigger": "manual", "tokens_before": 160_000, "tool_calls": 7}
    base |= {"instructions": f"keep the changes in {'hooks_claudecode_' * 3}handlers.go and more words " * 9}
    for session in ("11111111-a", "22222222-b"):
        store.add(str(state / "logs" / "compactions.jsonl"), {**base, "session": session})
    assert cli.main(["compactions"]) == 0
    told = [line.split()[:4] for line in capsys.readouterr().out.splitlines() if line.startswith("2026")]
    assert told == [[*time.split(), session, "manual"] for session in ("11111111", "22222222")]


def test_a_judge_s_score_stands_beside_the_record(
    state: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked of the API that the environment names; without a model there is no such column."""
    folder = state / "sessions" / "s1"
    for place in (folder, state / "logs"):
        place.mkdir(parents=True)
    base = {"key": "s1-9", "session": "s1", "time": "t", "trigger": "auto", "tokens_before": 9, "tool_calls": 7}
    store.add(str(state / "logs" / "compactions.jsonl"), {**base, "facts": {"retained": 1}, "instructions": ""})
    rows = [["goal", "Fix the login", ""]]
    (folder / "verified.json").write_text(json.dumps({"v": 1, "key": "s1-9", "facts": rows}))
    (folder / "summary.txt").write_text("They are fixing the login.")
    assert cli.main(["compactions"]) == 0
    assert "judge" not in capsys.readouterr().out
    answers = [rule("You take over", '{"1": "the login"}', within="body"), rule("Grade", '{"1": 4}', within="body")]
    with Loopback(answers) as api:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-test-000000")
        assert cli.main(["compactions", "--judge", "claude-x"]) == 0
        assert len(api.requests) == 2
    assert "4.0/5 by claude-x" in capsys.readouterr().out
    assert cli.main(["compactions", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["judge"]["score"] == 4.0
