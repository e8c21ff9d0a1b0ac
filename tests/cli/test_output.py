import argparse
import json
import sys
from collections.abc import Sequence

import pytest

from holdfast.cli import output
from holdfast.cli.main import main
from holdfast.cli.output import Output, as_json, runs, tell
from holdfast.session.context import PROGRAM
from holdfast.text.columns import cells
from holdfast.text.lines import seen


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: True)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    return capsys


def test_a_long_cell_stays_in_its_column(terminal: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The table is no wider than the screen; headings and marks are coloured on a terminal, unless NO_COLOR is set."""
    assert output.fitted([]) == []
    assert output.fitted([("long", "x"), ("s", "y", "z"), ("a", "")]) == ["long  x", "s     y  z", "a"]
    words = ("word " * 7).rstrip()
    assert output.fitted([("one", "word " * 20), ("two",)])[:2] == [f"one  {words}", f"     {words}"]
    rows = [("name", "calls", "kept", "state"), ("one", "12", "9k", "ok")]
    tell(Output({}, rows), for_programs=False)
    drawn = terminal.readouterr().out
    assert drawn.splitlines()[0].startswith("\x1b[1mname\x1b[0m  ")
    assert drawn.endswith("\x1b[32mok\x1b[0m\n")
    monkeypatch.setenv("NO_COLOR", "1")
    tell(Output({}, rows), for_programs=False)
    assert "\x1b" not in terminal.readouterr().out


def test_what_takes_longer_than_a_second_shows_that_it_is_at_work(
    terminal: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On stderr, counted, and wiped away in the end."""
    monkeypatch.setattr(output, "PATIENCE_S", 0.01)
    parser = argparse.ArgumentParser(prog="holdfast slow")

    def slow(_: object) -> Output:
        told = ""
        while "holdfast slow: 0 s" not in told:
            told += terminal.readouterr().err
        return Output(told)

    runs(parser, slow)
    options = parser.parse_args([])
    assert options.run(options).facts
    assert terminal.readouterr().err.endswith("\r\x1b[K")


STEERING = "\x1b]0;x\x07 \x9b2J \u202e \u2066 \x7f \u2028"


@pytest.mark.parametrize("text", [f"a {STEERING}\tb\nc", [("a", f"b {STEERING}")]], ids=["text", "table"])
def test_nothing_foreign_steers_the_screen(text: str | list[Sequence[str]], capsys: pytest.CaptureFixture[str]) -> None:
    """Escapes, control characters and reversed writing are shown as marks; line ends, tabs and emoji stay."""
    tell(Output({}, text), for_programs=False)
    out = capsys.readouterr().out
    assert out.replace("\n", "").replace("\t", "").isprintable()
    assert seen("a\tb\n\U0001f468\u200d\U0001f469") == "a\tb\n\U0001f468\u200d\U0001f469"


def test_json_names_what_would_steer_and_says_the_same() -> None:
    told = as_json({"text": f"é {STEERING}\U0001f468"})
    assert told.replace("\n", "").isprintable()
    assert json.loads(told) == {"text": f"é {STEERING}\U0001f468"}


@pytest.mark.parametrize("columns", [200, 100, 80, 60, 30])
def test_a_table_with_headings_fits_the_screen(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least important columns go first, and are named; then cells are broken. A model gets it whole."""
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = [("day", "calls", "kept", "hooks"), *(("2026-11-04", "12" * 10, "9" * 8, "表" * 40) for _ in range(3))]
    told = output.fitted(rows, ["calls", "hooks"])
    lines = told if columns >= 80 else told[:-1]
    assert max(map(cells, lines)) <= columns
    assert "".join(lines).count("表") == 40 * 3 * (columns > 30)
    gone = [name for name in rows[0] if name not in lines[0].split()]
    assert gone == {200: [], 100: [], 80: [], 60: ["calls"], 30: ["calls", "hooks"]}[columns]
    monkeypatch.setenv(output.AGENT, "1")
    assert len(output.fitted(rows, ["calls"])) == 4


def test_a_column_goes_only_where_it_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """When a wide one has gone, the narrow ones before it come back."""
    monkeypatch.setenv("COLUMNS", "40")
    rows = [("day", "few", "wide", "last"), ("2026-11-04", "12", "9" * 30, "x" * 12)]
    assert output.fitted(rows, ["few", "wide"])[0].split() == ["day", "few", "last"]


def test_a_pipe_has_eighty_columns_unless_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, width in {None: 80, "70": 70}.items():
        monkeypatch.delenv("COLUMNS", raising=False)
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        assert output.screen() == width


def test_an_error_fits_the_terminal(terminal: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Broken between words, a path with blanks and a command whole; one line where it goes elsewhere."""
    gone = "/a folder/of some length/with blanks/in it"
    told = f"{gone}: no such transcript, whatever one looks for there. See `holdfast recall --help --for me`"
    assert main(["recall", "x", "--transcript", gone]) == 1
    broken = terminal.readouterr().err.splitlines()
    assert gone in "\n".join(broken)
    assert max(cells(line) for line in broken if gone not in line) <= 40
    output.aside(told, gone)
    broken = ["no such transcript, whatever one looks", "for there. See", f"`{PROGRAM} recall --help --for me`"]
    assert terminal.readouterr().err.splitlines() == ["holdfast:", f"{gone}:", *broken]
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda self: False)
    output.aside(told, gone)
    assert terminal.readouterr().err == f"holdfast: {output.to_paste(told)}\n"
