"""JSON for programs, drawn tables on a terminal, plain ones everywhere else."""

import argparse
import json
import re
import sys
from collections.abc import Sequence

import pytest
from rich.cells import cell_len

from holdfast.cli import output
from holdfast.cli.output import Answer, as_json, emit_table, runs, tell
from holdfast.text.lines import seen


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], ""),
        ([("a", "b")], "a  b\n"),
        ([("long", "x"), ("s", "y")], "long  x\ns     y\n"),
        ([("a", ""), ("b", "c", "d")], "a\nb  c  d\n"),
    ],
    ids=["none", "one", "aligned", "ragged"],
)
def test_a_plain_table_is_aligned(
    rows: list[tuple[str, ...]], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Columns are padded, the last is left as it is."""
    emit_table(rows)
    assert capsys.readouterr().out == expected


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    """Both streams say that they are terminals."""
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    return capsys


def test_on_a_terminal_a_long_cell_stays_in_its_column(terminal: pytest.CaptureFixture[str]) -> None:
    """The table is no wider than the screen, and square brackets are text, not markup."""
    emit_table([("one", "[red] " + "word " * 20), ("two",)])
    lines = re.sub(r"\x1b\[[\d;]*m", "", terminal.readouterr().out).splitlines()
    assert max(map(len, lines)) <= 40
    assert lines[0].startswith("one  [red] word")
    assert lines[1].startswith("     ")


def test_a_table_of_many_columns_that_does_not_fit_has_a_line_for_each_row(
    terminal: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its headings stand before the cells; no cell is cut. Where it fits it is a table; NO_COLOR is obeyed."""
    rows = [("name", "calls", "kept out", "state"), ("one", "12", "9k", "whole " * 6), ("two", "3", "-", "new")]
    emit_table(rows)
    told = re.sub(r"\x1b\[[\d;]*m| +(?=\n)", "", terminal.readouterr().out)
    assert re.sub(r"\s+", " ", told) == f"one calls 12 · kept out 9k · state {'whole ' * 6}two calls 3 · state new "
    assert max(map(len, told.splitlines())) <= 40
    emit_table(rows[::2])
    assert "\x1b[1m" in (drawn := terminal.readouterr().out)
    assert drawn.count("\n") == 2
    monkeypatch.setenv("NO_COLOR", "1")
    emit_table([("ok", "fine"), ("!!", "bad")])
    assert not re.search(r"\x1b\[3\d", terminal.readouterr().out)


def test_what_takes_longer_than_a_second_shows_that_it_is_at_work(
    terminal: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On stderr, counted, and wiped away in the end."""
    monkeypatch.setattr(output, "PATIENCE_S", 0.01)
    parser = argparse.ArgumentParser(prog="holdfast slow")

    def slow(_: object) -> Answer:
        told = ""
        while "holdfast slow: 0 s" not in told:
            told += terminal.readouterr().err
        return Answer(told)

    runs(parser, slow)
    options = parser.parse_args([])
    assert options.run(options).facts
    assert terminal.readouterr().err.endswith("\r\x1b[K")


def test_without_packages_a_terminal_gets_the_plain_table(
    terminal: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`doctor` and `config` must work where nothing is installed."""
    for name in ("rich", "rich.console", "rich.table"):
        monkeypatch.setitem(sys.modules, name, None)
    emit_table([("one", "x" * 60)])
    assert terminal.readouterr().out == f"one  {'x' * 60}\n"


STEERING = "\x1b]0;x\x07 \x9b2J \u202e \u2066 \x7f \u2028"


@pytest.mark.parametrize("text", [f"a {STEERING}\tb\nc", [("a", f"b {STEERING}")]], ids=["text", "table"])
def test_nothing_foreign_steers_the_screen(text: str | list[Sequence[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes, control characters and reversed writing are shown as marks; line ends, tabs and emoji stay."""
    tell(Answer({}, text), as_json=False)
    out = capsys.readouterr().out
    assert out.replace("\n", "").replace("\t", "").isprintable()
    assert seen("a\tb\n\U0001f468\u200d\U0001f469") == "a\tb\n\U0001f468\u200d\U0001f469"


def test_json_names_what_would_steer_and_says_the_same() -> None:
    """A program reads back what was there."""
    told = as_json({"text": f"é {STEERING}\U0001f468"})
    assert told.replace("\n", "").isprintable()
    assert json.loads(told) == {"text": f"é {STEERING}\U0001f468"}


@pytest.mark.parametrize("columns", [200, 100, 80, 60, 30])
def test_a_plain_table_with_headings_fits_the_screen(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least important columns go first, and are named; then what is too long is clipped. A model gets it whole."""
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [("day", "calls", "kept", "hooks"), *(("2026-11-04", "12" * 10, "9" * 20, "表" * 20) for _ in range(3))]
    *lines, last = output.fitted(rows, ["calls", "hooks"])
    assert max(cell_len(line) for line in lines) <= columns
    gone = [name for name in rows[0] if name not in lines[0].split()]
    assert gone == {200: [], 100: [], 80: ["calls"], 60: ["calls", "hooks"], 30: ["calls", "hooks"]}[columns]
    assert last.startswith(f"(no room for {', '.join(gone)}: ") == bool(gone)
    monkeypatch.setenv(output.AGENT, "1")
    assert output.fitted(rows, ["calls"]) == output.aligned(rows)


def test_a_pipe_has_a_hundred_columns_unless_it_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By COLUMNS; lists of two or three columns stay whole."""
    row = ("a", "b", "c", "d" * 300)
    for columns, width in {None: 100, "70": 70}.items():
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        emit_table([row])
        assert capsys.readouterr().out == f"{'  '.join(row)[: width - 1]}…\n"
        emit_table([row[1:]])
        assert capsys.readouterr().out == f"{'  '.join(row[1:])}\n"
