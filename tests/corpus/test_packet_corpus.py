"""What is told after a compaction, on recorded sessions."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.compaction import run
from holdfast.compaction import instructions, verify
from holdfast.session.reply import utf16_length
from holdfast.transcript import rows as transcript
from holdfast.worklog import reader, record


@pytest.fixture(scope="module")
def cases(one_project: list[str]) -> list[run.Case]:
    """Every compaction of the recorded sessions that have one."""
    return [case for file in one_project for case in run.cases_of(file)]


def test_what_must_stay_is_held_after_every_compaction(cases: list[run.Case]) -> None:
    """In the client's summary and what is told beside it."""
    for case in cases:
        found = verify.facts(case.work)
        checked = verify.validate(found, (case.summary, run.made(case.work, case.summary)))
        lost = [fact for fact, verdict in checked if verdict == "missing" and fact.must]
        assert lost == [], (case.file, case.number)


@pytest.mark.parametrize("chars", [500, 2_000, 10_000])
def test_every_session_of_every_version_can_be_told_within_its_room(files: list[str], chars: int) -> None:
    """From 1.0.17 on, entry kinds of every sort, torn lines, sub-agents' files."""
    for file in files[:: 1 if chars == 10_000 else 5]:
        work: Any = reader.read_whole(file)
        assert utf16_length(run.made(work, chars=chars)) <= chars, file
        assert len(instructions.for_summariser(work)) <= instructions.CHARS + 1 + len(record.request(True)), file


def test_only_the_user_s_words_stand_as_such(one_project: list[str]) -> None:
    """Every quoted line of the newest request stands word for word in something that the user typed."""
    for file in one_project[::4]:
        rows = transcript.parse_chunk(Path(file).read_bytes() + b"\n").rows
        typed = " ".join(" ".join(str(row.get("message")).split()) for row in rows if row.get("type") == "user")
        last = [prompt for prompt in reader.read_whole(file)["prompts"] if prompt["source"] == "typed"][-1:]
        for prompt in last:
            assert prompt["text"][:60].split("\n")[0].strip("'\" ") in typed
