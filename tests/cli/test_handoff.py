import io
import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from holdfast.text import tokenizer
from tests.cli.conftest import Says

COMMAND = ("handoff", "check")
LONG = "## Findings\n" + "\n".join(f"- `readSession{n}` in `src/part{n}.py` fails on empty input." for n in range(90))


def test_of_an_over_long_one_the_outline_is_shown(tmp_path: Path, says: Says) -> None:
    """Exit 1, the size among the problems, and an outline within the limit."""
    (tmp_path / "handoff.md").write_text(LONG)
    checked = json.loads(says(f"{tmp_path}/handoff.md", "--json", "--limit", "300", code=1))
    assert f"{checked['tokens']:,} tokens; the limit is 300" in checked["problems"]
    assert 0 < tokenizer.count(checked["compact"]).tokens <= 300
    shown = says(f"{tmp_path}/handoff.md", code=1)
    assert shown.startswith("not ok: ")
    assert "(estimate; the true number is mostly" in shown
    assert "What the caller gets" in shown


def test_stdin_and_breaches(monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    """`-` reads stdin, bytes that are not UTF-8 included; breaches are listed with their words."""
    data = b"$ grep -n 'auth' src \xff\xfe found it.\n"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    problems = json.loads(says("-", "--json", code=1))["problems"]
    assert any("no line states a decision" in problem for problem in problems)
    assert any("search queries" in problem and "grep -n 'auth'" in problem for problem in problems)


def test_bad_input_is_one_line(says: Says) -> None:
    assert "gone.md: cannot be read (No such file or directory)" in says("gone.md", code=1)
    assert "/dev/zero: has more than 64,000,000 characters" in says("/dev/zero", code=1)
    assert "--limit is 7" in says("-", "--limit", "7", code=1)


def test_exact_without_a_key_says_so_and_estimates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: Says) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "handoff.md").write_text("Decision: PROCEED\nAuth stands in src/auth.ts; extend validateToken.")
    checked = json.loads(says(f"{tmp_path}/handoff.md", "--json", "--exact"))
    assert checked["counted_by"] == "estimate"
    assert any("ANTHROPIC_API_KEY is not set" in problem for problem in checked["problems"])
