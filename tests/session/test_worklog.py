"""The session's worklog on disk: made here, from the transcript, at the cost of its reader."""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hot import call_log
from holdfast.hot.files import read_from
from holdfast.session import worklog
from holdfast.worklog import calls, reader
from holdfast.worklog.model import own_words

Make = Callable[..., Any]


@pytest.fixture
def here(event_of: Make, session_of: Make) -> tuple[Any, Any]:
    event = event_of("Stop")
    return event, session_of(event)


def test_a_state_that_was_not_made_here_is_made_anew(here: tuple[Any, Any], transcript: Any) -> None:
    """A pull writes over what git ignores; only the transcript says what was said. No mark on either side is none."""
    event, session = here
    transcript.user("Fix the login")
    work = worklog.fold(event, session)
    session.write("state.json", {**work, "branch": "evil", "messages": 1})
    assert worklog.fold(event, session)["branch"] != "evil"
    stored = session.read("state.json")
    session.write("state.json", {**stored, "branch": "kept"})
    assert worklog.fold(event, session)["branch"] == "kept"
    Path(session.path("here")).unlink()
    Path(session.path("here")).symlink_to("nowhere")
    for made in ({"made": ""}, {}):
        session.write("state.json", {**work, "branch": "evil", **made})
        assert worklog.fold(event, session)["branch"] != "evil"


def test_folding_costs_the_reader(here: tuple[Any, Any], transcript: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has been read is not read again; a shorter file is another one."""
    event, session = here
    transcript.user("one")
    assert worklog.fold(event, session)["messages"] == 1
    read: list[int] = []

    def noted(path: str, offset: int, limit: int, follow: bool) -> bytes:
        read.append(offset)
        return read_from(path, offset, limit, follow)

    monkeypatch.setattr(reader, "read_from", noted)
    before = transcript.path.stat().st_size
    transcript.user("two")
    assert worklog.fold(event, session)["messages"] == 2
    assert worklog.fold(event, session)["messages"] == 2
    assert read == [before]
    transcript.path.write_text("")
    transcript.user("x")
    assert worklog.fold(event, session)["messages"] == 1


@pytest.mark.parametrize(("grows", "looks"), [([], 20), ([3], 60), ([3, 9], 9)])
def test_a_result_that_is_late_is_waited_for(
    here: tuple[Any, Any], transcript: Any, monkeypatch: pytest.MonkeyPatch, grows: list[int], looks: int
) -> None:
    """300 ms where the transcript grows; a call that nobody will answer costs 100. grows: the looks with a new row."""
    event, session = here
    transcript.user("make it")
    transcript.assistant(calls=(("t1", "Bash", {"command": "make"}),))
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if grows[1:] == [len(slept)]:
            transcript.result("t1", "ok")
        elif len(slept) in grows:
            transcript.row(type="system", subtype="informational")

    monkeypatch.setattr(time, "sleep", sleep)
    work = worklog.fold_settled(event, session)
    assert bool(work["open_calls"]) is (len(grows) < 2)
    assert len(slept) == looks


@pytest.mark.parametrize(("seconds", "looks"), [(0, 3), (60, 3), (-60, 0)])
def test_rows_of_the_last_call_are_waited_for(
    here: tuple[Any, Any], transcript: Any, monkeypatch: pytest.MonkeyPatch, seconds: int, looks: int
) -> None:
    """The client may compact before it has written so much as the call: the journal has it by then. seconds: between
    the newest row and the newest call.
    """
    event, session = here
    transcript.user("make it")
    written = os.stat(event.transcript_path).st_mtime + seconds
    Path(session.path("calls.log")).write_bytes(call_log.HEADER + call_log.line(0, 0, "Bash"))
    os.utime(session.path("calls.log"), (written, written))
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            transcript.assistant(calls=(("t1", "Bash", {"command": "make"}),))
            transcript.result("t1", "Exit code 2\nmake: stop", failed=True)
            os.utime(event.transcript_path, (written + 90, written + 90))

    monkeypatch.setattr(time, "sleep", sleep)
    errors = worklog.fold_settled(event, session)["errors"]
    assert (len(slept), [error["at"] for error in errors]) == (looks, ["make"] * bool(looks))


def dies_in(act: Callable[[], object]) -> None:
    """Do it in a process of its own, which does not live to its end."""
    child = os.fork()
    if not child:
        act()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


def test_a_fold_that_is_killed_costs_no_row(here: tuple[Any, Any], transcript: Any) -> None:
    """Somebody ended the process: the next one reads the same rows, and all of them."""
    event, session = here
    transcript.user("one")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "fold", lambda *_: os._exit(9))
        dies_in(lambda: worklog.fold(event, session))
    work = worklog.fold(event, session)
    assert (work["messages"], work["skipped"]) == (1, 0)
    assert not os.path.exists(session.path("folding"))


def test_a_row_at_which_every_fold_dies_is_stepped_over(here: tuple[Any, Any], transcript: Any) -> None:
    """The second death shows which one it is; what came before it and behind it is read."""
    event, session = here
    transcript.user("one")
    transcript.did("Skill", skill="deadly")
    transcript.user("two")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "instructed", lambda *_: os._exit(9))
        for _ in range(2):
            dies_in(lambda: worklog.fold(event, session))
        work = worklog.fold(event, session)
    assert [prompt["text"] for prompt in work["prompts"]] == ["one", "two"]
    assert work["skipped"] == 1
    transcript.user("three")
    assert worklog.fold(event, session)["prompts"][-1]["text"] == "three"


def test_rows_at_which_every_fold_dies_are_stepped_over_one_by_one(here: tuple[Any, Any], transcript: Any) -> None:
    event, session = here
    for number in range(3):
        transcript.user(f"{number}")
        transcript.did("Skill", skill="deadly")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(calls, "instructed", lambda *_: os._exit(9))
        for _ in range(4):
            dies_in(lambda: worklog.fold(event, session))
        work = worklog.fold(event, session)
    assert [prompt["text"] for prompt in work["prompts"]] == ["0", "1", "2"]
    assert work["skipped"] == 3


def test_a_fold_that_is_still_at_work_is_no_dead_one(here: tuple[Any, Any], transcript: Any) -> None:
    """Hooks run at once; nor does a note that is none stop anything."""
    event, session = here
    for note in (f"{os.getpid()} row 0", "1 row 0", "x", "-5 row 0", f"{10**30} row x", "\0", f"{10**30} growth 0"):
        Path(session.path("folding")).write_text(note)
        Path(session.path("state.json")).unlink(missing_ok=True)
        transcript.user(note)
        work = worklog.fold(event, session)
        assert (work["prompts"][-1]["text"], work["skipped"]) == (note.strip(), 0)


@pytest.mark.parametrize("is_known", [True, False])
def test_the_clients_command_line_tells_what_of_a_programs_prompt_the_user_wrote(
    here: tuple[Any, Any], transcript: Any, monkeypatch: pytest.MonkeyPatch, is_known: bool
) -> None:
    """For as long as its rows are folded: it may hold a secret. A command at a shell of the user's knows none."""
    monkeypatch.setenv("CLAUDE_PID", str(os.getpid()) * is_known)
    said = Path(f"/proc/{os.getpid()}/cmdline").read_text().split("\0")[0]
    transcript.user(f"{said} and what stdin had", entrypoint="sdk-cli")
    work = worklog.fold(*here)
    assert [own for one in work["prompts"] for own in own_words(one)] == [said] * is_known
    assert work["arguments"] == []
