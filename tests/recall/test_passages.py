from collections.abc import Callable
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from holdfast.recall import passages
from holdfast.recall.passages import SpokenPassage, Utterance
from holdfast.text import quoting
from holdfast.transcript.rows import parse_chunk

Make = Callable[..., Any]


def of(transcript: Any) -> list[SpokenPassage]:
    return list(passages.of_rows(enumerate(parse_chunk(transcript.path.read_bytes()).rows, 1)))


def test_a_question_stands_with_its_answer_and_a_call_with_its_result(transcript: Any) -> None:
    """A passage begins with the user's words, and names its first row and its time."""
    transcript.user("why is it slow?")
    transcript.did("Bash", "3 s", command="time make")
    transcript.assistant("It compiles everything twice.")
    transcript.user("mend it")
    first, second = of(transcript)
    assert first == SpokenPassage(
        1,
        "t-1",
        (
            Utterance("user", "why is it slow?"),
            Utterance("Bash", "time make"),
            Utterance("result", "3 s"),
            Utterance("agent", "It compiles everything twice."),
        ),
    )
    assert (second.row, second.pieces) == (5, (Utterance("user", "mend it"),))


def test_what_nobody_typed_is_not_said_by_the_user(transcript: Any) -> None:
    transcript.user("deploy now", scheduledTaskId="s1")
    assert [one.pieces for one in of(transcript)] == [(Utterance("not typed by the user", "deploy now"),)]


def test_a_question_stands_with_an_answer_of_any_length(transcript: Any) -> None:
    """It was found alone where its answer nearly filled a passage."""
    transcript.user("we have an import cycle now")
    transcript.assistant("It goes through paths. " * 100)
    transcript.assistant("And so on. " * 100)
    assert [len(one.pieces) for one in of(transcript)] == [2, 1]


def test_the_summary_of_an_older_window_is_a_speaker_of_its_own(transcript: Any) -> None:
    """What the client says in the user's place is nobody's; its summary is the model's."""
    transcript.user("the work so far", isCompactSummary=True)
    transcript.user("<system-reminder>be good</system-reminder>")
    transcript.user("Caveat: made by a command")
    assert [piece for one in of(transcript) for piece in one.pieces] == [Utterance(passages.SUMMARY, "the work so far")]


def test_a_file_that_was_read_is_the_text_that_was_written(transcript: Any) -> None:
    """The client's line numbers are no part of it; an arrow in a text is."""
    transcript.did("Read", "     1→def f():\n     2→    return 1", file_path="/p/a.py")
    transcript.did("Bash", "a→b\n1 → 2", command="cat b")
    texts = [piece.text for one in of(transcript) for piece in one.pieces if piece.who == "result"]
    assert texts == ["def f():\n    return 1", "a→b\n1 → 2"]


def test_what_the_client_puts_at_the_end_of_a_result_is_no_part_of_it(transcript: Any) -> None:
    """Neither one reminder nor several; a text that speaks of them keeps its words."""
    reminder = "\n\n<system-reminder>\n- tools: all of them\n</system-reminder>"
    kept = "grep says <system-reminder>x</system-reminder>", f"{reminder[2:]} and more"
    for text in ("done" + 2 * reminder + "\n", reminder, *kept, kept[0] + reminder):
        transcript.did("Bash", text, command="make")
    texts = [piece.text for one in of(transcript) for piece in one.pieces if piece.who == "result"]
    assert texts == ["done", *kept, kept[0]]


COMMAND = '"$HOME/.claude/holdfast/pack/bin/holdfast" recall staging --limit 5'
SLASH = "<command-message>{0}</command-message>\n<command-name>/{0}</command-name>"


@pytest.mark.parametrize("skill", ["holdfast-recall", "holdfast:recall"])
def test_a_question_to_the_record_is_no_part_of_it(transcript: Any, skill: str) -> None:
    """However it is asked, with what was told; nor is a bare call of our own skills. What is said in one is."""
    args = "<command-args>{}</command-args>"
    transcript.user(SLASH.format(skill) + args.format("staging"))
    transcript.user(SLASH.format("holdfast-status"))
    transcript.did("Skill", "Launching skill", skill=skill, args="staging")
    transcript.did("Bash", quoting.page("user: staging", "the record", frame=quoting.RECORD), command=COMMAND)
    transcript.user(SLASH.format("holdfast-remember") + args.format("staging is reset"))
    transcript.user("holdfast-recall found nothing of staging")
    pieces = [piece.text for one in of(transcript) for piece in one.pieces]
    said = ["/holdfast-remember staging is reset", "holdfast-recall found nothing of staging"]
    assert pieces == ["Launching skill", *said]


def test_a_copy_of_a_request_that_the_client_keeps_is_no_row(transcript: Any) -> None:
    """It stood there as a second result."""
    transcript.did("Bash", "marker", command="echo marker")
    block = {"type": "tool_result", "tool_use_id": "x", "content": "marker"}
    transcript.row(type="api-request-blob", message={"role": "user", "content": [block]})
    assert [piece.who for one in of(transcript) for piece in one.pieces] == ["Bash", "result"]


def test_an_edit_is_told_once(transcript: Any) -> None:
    """By its file and its new text: neither what stood there before nor the client's echo takes room."""
    transcript.did("Write", "File created", file_path="/p/a.py", content="x = 1\ny = 2")
    echo = "The file /p/a.py has been updated. Here's a snippet:\n     1→x = 1\n     2→y = 3"
    transcript.did("Edit", echo, file_path="/p/a.py", old_string="x = 1\ny = 2", new_string="x = 1\ny = 3")
    wrote, _, edited, answer = of(transcript)[0].pieces
    assert (wrote, edited) == (Utterance("Write: /p/a.py", "x = 1\ny = 2"), Utterance("Edit: /p/a.py", "x = 1\ny = 3"))
    assert answer == Utterance("result", echo.partition("\n")[0])


@given(st.lists(st.text(max_size=900), max_size=12), st.integers(20, 400))
def test_cutting_keeps_every_line_and_no_part_is_too_long(lines: list[str], room: int) -> None:
    """Only blank lines at the edges of a part are lost."""
    text = "\n".join(lines)
    parts = list(passages.cut(text, room))
    assert all(0 < len(part) <= room for part in parts)
    assert "".join("".join(parts).split()) == "".join(text.split())


def test_a_text_of_its_own_is_known_by_its_lines() -> None:
    """An archived result has no rows: the line is told."""
    found = list(passages.of_text("\n".join(f"line {number} of the log" for number in range(1, 401)), "bash-1.txt"))
    assert found[0].row == 1
    assert found[1].pieces[0].text.startswith(f"line {found[1].row} of")
