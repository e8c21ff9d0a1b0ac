"""The table of hostile cases: it has every point, tells what fails and whose it is, and a few cases for each change."""

import argparse
import json
from pathlib import Path

import pytest

import faults
from hostile.place import Place


def test_every_point_has_its_cases() -> None:
    """Each case once, with what it does."""
    assert {row.point for row in faults.CASES} == set(range(1, 14))
    assert len({row.what for row in faults.CASES}) == len(faults.CASES)


@pytest.mark.parametrize("words", [["13", "hot"], ["a pipe as config"]], ids=["points and rooms", "words"])
def test_cases_are_chosen_by_point_room_or_words(words: list[str]) -> None:
    """A number is a point, and no part of a name."""
    found = faults.wanted(words)
    assert found
    assert all(row.point == 13 or row.room == "hot" or "a pipe as config" in row.what for row in found)


def test_what_fails_is_told_with_its_room_and_ends_with_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(place: Place) -> str:
        raise OSError("no such thing")

    rows = (
        faults.Row(1, "hot", "holds", lambda place: ""),
        faults.Row(2, "install", "fails", lambda place: "it ran"),
        faults.Row(3, "text", "breaks", broken),
    )
    monkeypatch.setattr(faults, "CASES", rows)
    assert faults.run(argparse.Namespace(json=True)) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["failed"] == 2
    assert [row["seen"][:14] for row in told["rows"]] == ["", "it ran", "the case broke"]
    assert faults.run(argparse.Namespace(json=False, words=["holds"])) == 0
    assert capsys.readouterr().out.endswith("1 of 1 cases hold\n")


def test_a_hook_that_waits_is_seen(tmp_path: Path) -> None:
    """The place itself: a process that does not end, that fails or that prints is told."""
    place = Place(tmp_path, tmp_path / "compiled")
    assert place.start("x", ["sh", "-c", "exit 3"], b"").wrong() == "x: ended with 3"
    assert place.start("x", ["sh", "-c", "echo no >&2"], b"").wrong().startswith("x: printed on stderr")
    assert place.start("x", ["sh", "-c", "echo '{'"], b"").wrong() == "x: printed broken JSON"
    assert not place.start("x", ["true"], b"").wrong()
    waits, works = (place.start("x", ["sh", "-c", code], b"") for code in ("sleep 0.3", "seq 10000000 >/dev/null"))
    assert waits.seconds < 0.02 < works.seconds
    assert waits.waited > 0.3
