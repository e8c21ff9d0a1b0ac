"""The figures of packets on recorded sessions: HOLDFAST_DATA, else ../shared/data beside the checkout."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compaction import chain, report, run, score
from benchmarks.replay import sessions
from holdfast.compaction import critical_facts, fidelity
from holdfast.handoff import orchestrator
from holdfast.session.reply import utf16_length
from holdfast.transcript import rows as transcript
from holdfast.worklog import fold, reader

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("HOLDFAST_DATA") or ROOT.parent / "shared" / "data")
DATA, FACTS = SHARED / "transcripts", SHARED / "facts"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no recorded sessions at {DATA}; set HOLDFAST_DATA to a folder with transcripts/"
)


@pytest.fixture(scope="module")
def cases() -> list[run.Case]:
    """Every compaction of the recorded sessions that have one."""
    return [case for file in sessions.transcripts([str(DATA / "entireio-cli")]) for case in run.cases_of(file)]


@pytest.mark.parametrize("half", [0, 1])
@pytest.mark.parametrize(
    ("chars", "least"),
    [
        pytest.param(10_000, (1.0, 0.97, 0.99, 0.82, 0.97), id="10,000"),
        pytest.param(5_000, (0.99, 0.85, 0.97, 0.68, 0.91), id="5,000"),
    ],
)
def test_either_half_of_the_compactions_holds_up(
    cases: list[run.Case], chars: int, least: tuple[float, ...], half: int
) -> None:
    """Edited, read and re-used files, identifiers, prompts: no half carries the figures alone."""
    scores = [score.score(case.event, run.made(case.work, chars)) for case in cases[half::2]]
    kept = [share or 0.0 for share in score.mean(scores)[:5]]
    assert [share for share, floor in zip(kept, least, strict=True) if share < floor] == []


def test_facts_survive_two_compactions(cases: list[run.Case]) -> None:
    """Nine tenths of what stood before two compactions in a row are read after the second, a third in the summary."""
    found = report.figures(run.sessions_of(cases))
    kept = {(row["name"], row["after"]): row["retained"] / found["facts"] for row in found["rows"]}
    assert found["pairs"] >= 9
    assert kept[chain.TOGETHER, 2] >= 0.9
    assert kept[chain.PACKET, 2] >= 0.85
    assert kept[chain.SUMMARY, 2] < kept[chain.PACKET, 2]


def test_what_must_stay_is_held_after_nearly_every_compaction(cases: list[run.Case]) -> None:
    """Of the items of score 100, in the client's summary and the packet beside it; the rest is what H8 delivers."""
    total = held = 0
    for case in cases:
        asked = critical_facts.critical(case.work, orchestrator.empty())
        texts = (case.event.summary, run.made(case.work, 10_000, case.event.summary))
        summary, packet = (fidelity.judge(asked, text, critical_facts.known_names(case.work)) for text in texts)
        found = fidelity.must_stay(fidelity.together(summary, packet))
        total, held = total + found["items"], held + found["held"]
    assert held >= 0.95 * total


def test_what_readers_called_important_is_mostly_there(cases: list[run.Case]) -> None:
    """Labelled facts: more than the client's own summary holds, by a tenth at the least."""
    rows = run.facts_of(cases, str(FACTS))
    packet, summary = rows[-1]["packet"], rows[-1]["summary"]
    assert packet[0] > summary[0] + 0.1
    assert packet[1] > summary[1] + 0.1


@pytest.mark.parametrize("chars", [500, 2_000, 10_000, 40_000])
def test_every_session_of_every_version_has_a_packet_within_its_room(chars: int) -> None:
    """From 1.0.17 on, entry kinds of every sort, torn lines, sub-agents' files."""
    for file in sessions.transcripts([str(DATA)])[:: 1 if chars == 10_000 else 5]:
        text = run.made(reader.read_whole(file), chars)
        assert utf16_length(text) <= chars, file


def test_only_prompts_of_the_user_become_rules(cases: list[run.Case]) -> None:
    """Every rule, correction and cancellation stands word for word in something that the user typed."""
    for file in sessions.transcripts([str(DATA / "entireio-cli")])[::4]:
        rows = transcript.parse_chunk(Path(file).read_bytes() + b"\n").rows
        typed = " ".join(" ".join(transcript.human_prompt(row).split()) for row in rows if transcript.is_main(row))
        notes = fold.fold(fold.empty(), transcript.Chunk(rows, 0, 0))["notes"]
        assert [note for note in notes if _is_rule(note) and not _stands_in(note["text"], typed)] == []


def _is_rule(note: dict[str, Any]) -> bool:
    return note["by"] == "user" and note["kind"] in ("constraint", "correction", "cancelled")


def _stands_in(text: str, typed: str) -> bool:
    return " ".join(text.removesuffix("…").split()) in typed


def test_labels_are_read(cases: list[run.Case]) -> None:
    """Each label names a compaction that is there."""
    named = {(case.file, case.number) for case in cases}
    labels = [json.loads(path.read_text()) for path in FACTS.glob("*.json")]
    assert {(Path(label["transcript"]).name, label["compaction"]) for label in labels} <= named
