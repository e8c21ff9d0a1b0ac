"""The benchmark of retrieval, on a conversation that is made up."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from benchmarks import retrieval
from benchmarks.retrieval import TARGETS, measures, read
from holdfast.cli.main import main


def said(number: str, text: str, **more: str) -> dict[str, str]:
    """One turn."""
    return {"speaker": "Ada", "dia_id": number, "text": text, **more}


def asked(question: str, *evidence: str) -> dict[str, Any]:
    """One question."""
    return {"question": question, "evidence": list(evidence), "answer": "", "category": 1}


TALK = {
    "speaker_a": "Ada",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [said("D1:1", "I bought a kayak.", blip_caption="a red boat"), said("D1:2", "It rained.")],
    "session_2_date_time": "9:00 am on 1 June, 2023",
    "session_2": [said("D2:1", "The bakery closed."), said("D2:2", "Bread is dear.")],
}
QUESTIONS = [asked("What did Ada buy?", "D1:1"), asked("Which bread?", "D2:2; D2:1", "D"), asked("Who?")]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with the conversation."""
    (tmp_path / "talk.json").write_text(json.dumps([{"conversation": TALK, "qa": QUESTIONS}]), encoding="utf-8")
    return tmp_path


def test_conversations_are_read(data: Path) -> None:
    """Sessions with their days, captions, evidence also where it is written loosely; without evidence no question."""
    (one,) = read(str(data))
    assert [row[0] for row in one.turns] == ["D1:1", "D1:2", "D2:1", "D2:2"]
    assert one.sessions[0] == ("D1", "", "Ada: I bought a kayak. [a red boat]\nAda: It rained.", "2023-05-08")
    assert [(sorted(ask.turns), sorted(ask.sessions)) for ask in one.questions] == [
        (["D1:1"], ["D1"]),
        (["D2:1", "D2:2"], ["D2"]),
    ]


def test_the_table_and_its_json(
    data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both questions find their session, so the targets are met; one that is missed is the exit code."""
    assert main(["bench", "retrieval", "--data", str(data)]) == 0
    out = capsys.readouterr().out
    assert "sessions 1.000 1.000 1.000 1.000" in " ".join(out.split())
    assert "targets: met" in out
    monkeypatch.setitem(TARGETS, "hit@1", 1.1)
    assert main(["bench", "retrieval", "--data", str(data), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["questions"], found["missed"]) == (2, ["hit@1"])
    assert set(found["sessions"]) == set(found["turns"]) == set(TARGETS)
    assert (found["room"]["tokens"], found["room"]["turns"]) == (
        retrieval.ROOM,
        0.75,
    )  # one has nothing of it
    assert 0 < found["room"]["used"] <= retrieval.ROOM


def test_measures() -> None:
    """One of two wanted, at the second place; then nothing found."""
    found = measures(["x", "a", "y", "z", "v", "b"], frozenset("ab"))
    ideal = 1 + 1 / math.log2(3)
    assert found == {"hit@1": 0.0, "r@5": 0.5, "r@10": 1.0, "ndcg@5": pytest.approx(1 / math.log2(3) / ideal)}
    assert set(measures([], frozenset("a")).values()) == {0.0}


@pytest.mark.parametrize("text", ["{", "[]", '[{"qa": []}]', "[1]"], ids=str)
def test_other_files_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    """With what is wanted."""
    (tmp_path / "other.json").write_text(text)
    assert main(["bench", "retrieval", "--data", str(tmp_path)]) == 1
    assert "locomo10.json" in capsys.readouterr().err
