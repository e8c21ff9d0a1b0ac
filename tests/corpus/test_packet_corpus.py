"""What is told after a compaction, on recorded sessions: HOLDFAST_DATA, else ../shared/data beside the checkout."""

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.compaction import run
from benchmarks.replay import sessions
from holdfast.compaction import instructions, verify
from holdfast.session.reply import utf16_length
from holdfast.transcript import rows as transcript
from holdfast.worklog import reader, record

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("HOLDFAST_DATA") or ROOT.parent / "shared" / "data")
DATA = SHARED / "transcripts"

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no recorded sessions at {DATA}; set HOLDFAST_DATA to a folder with transcripts/"
)


@pytest.fixture(scope="module")
def cases() -> list[run.Case]:
    """Every compaction of the recorded sessions that have one."""
    return [case for file in sessions.transcripts([str(DATA / "entireio-cli")]) for case in run.cases_of(file)]


def test_what_must_stay_is_held_after_every_compaction(cases: list[run.Case]) -> None:
    """In the client's summary and what is told beside it."""
    for case in cases:
        found = verify.facts(case.work)
        checked = verify.validate(found, (case.summary, run.made(case.work, case.summary)))
        lost = [fact for fact in checked.of("missing") if fact.must]
        assert lost == [], (case.file, case.number)


@pytest.mark.parametrize("chars", [500, 2_000, 10_000])
def test_every_session_of_every_version_can_be_told_within_its_room(chars: int) -> None:
    """From 1.0.17 on, entry kinds of every sort, torn lines, sub-agents' files."""
    for file in sessions.transcripts([str(DATA)])[:: 1 if chars == 10_000 else 5]:
        work: Any = reader.read_whole(file)
        assert utf16_length(run.made(work, chars=chars)) <= chars, file
        assert len(instructions.for_summariser(work)) <= instructions.CHARS + 1 + len(record.request(True)), file


def test_only_the_user_s_words_stand_as_such(cases: list[run.Case]) -> None:
    """Every quoted line of the newest request stands word for word in something that the user typed."""
    for file in sessions.transcripts([str(DATA / "entireio-cli")])[::4]:
        rows = transcript.parse_chunk(Path(file).read_bytes() + b"\n").rows
        typed = " ".join(" ".join(str(row.get("message")).split()) for row in rows if row.get("type") == "user")
        last = [prompt for prompt in reader.read_whole(file)["prompts"] if prompt["source"] == "typed"][-1:]
        for prompt in last:
            assert prompt["text"][:60].split("\n")[0].strip("'\" ") in typed
