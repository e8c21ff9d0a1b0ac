import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from holdfast.cli.main import main
from holdfast.text import tokenizer

LONG = "## Findings\n" + "\n".join(f"- `readSession{n}` in `src/part{n}.py` fails on empty input." for n in range(90))
GOOD = "Decision: PROCEED\nAuth stands in src/auth.ts; extend validateToken."


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "handoff.md"


def test_of_an_over_long_one_the_outline_is_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1, the size among the problems, and an outline within the limit."""
    file.write_text(LONG)
    assert main(["handoff", "check", str(file), "--json", "--limit", "300"]) == 1
    checked = json.loads(capsys.readouterr().out)
    assert f"{checked['tokens']:,} tokens; the limit is 300" in checked["problems"]
    assert 0 < tokenizer.count(checked["compact"]).tokens <= 300
    assert main(["handoff", "check", str(file)]) == 1
    shown = capsys.readouterr().out
    assert shown.startswith("not ok: ")
    assert "(estimate; true value mostly" in shown
    assert "In its place" in shown


def test_stdin_and_breaches(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`-` reads stdin, bytes that are not UTF-8 included; breaches are listed with their words."""
    data = b"$ grep -n 'auth' src \xff\xfe found it.\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    assert main(["handoff", "check", "-", "--json"]) == 1
    problems = json.loads(capsys.readouterr().out)["problems"]
    assert any("no line states a decision" in problem for problem in problems)
    assert any("search queries" in problem and "grep -n 'auth'" in problem for problem in problems)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["handoff", "check", "gone.md"], "gone.md: cannot be read (No such file or directory)"),
        (["handoff", "check", "-", "--limit", "7"], "--limit is 7"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.count("\n") == 1


def test_exact_without_a_key_says_so_and_estimates(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked for an exact count that cannot be had, the answer is an estimate and names the reason."""
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    file.write_text(GOOD)
    assert main(["handoff", "check", str(file), "--json", "--exact"]) == 0
    checked = json.loads(capsys.readouterr().out)
    assert checked["counted_by"] == "estimate"
    assert any("ANTHROPIC_API_KEY is not set" in problem for problem in checked["problems"])
