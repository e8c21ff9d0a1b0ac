import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from holdfast.hot.files import read_from
from holdfast.recall import passages, store
from holdfast.text import quoting

Make = Callable[..., Any]


@pytest.fixture
def ask(transcript: Any, tmp_path: Path) -> Callable[..., list[store.FoundPassage]]:
    """`ask("why")`: the answers of the record of this transcript, with an index that stays."""

    def run(query: str, limit: int = 5, folder: str = "") -> list[store.FoundPassage]:
        return store.ask(query, limit, str(tmp_path / store.INDEX), store.sources(str(transcript.path), folder))

    return run


def texts(found: list[store.FoundPassage]) -> list[str]:
    return ["\n".join(piece.text for piece in one.pieces) for one in found]


def test_what_was_added_is_found_and_the_rest_not_read_again(
    transcript: Any, ask: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a row at the end waits for its other half."""
    transcript.user("keep the cookie for a week")
    assert texts(ask("cookie")) == ["keep the cookie for a week"]
    read: list[int] = []

    def reading(path: str, start: int, room: int) -> bytes:
        read.extend([start] * (room == store.AT_ONCE))  # not the few bytes that stand before it
        return read_from(path, start, room)

    monkeypatch.setattr(store, "read_from", reading)
    assert len(ask("cookie")) == 1
    assert read == []
    before = transcript.path.stat().st_size
    with transcript.path.open("a") as file:
        file.write('{"type": "user", "message": {"content": "the zeb')
    assert ask("zebra") == []
    with transcript.path.open("a") as file:
        file.write('ra is striped"}}\n')
    (found,) = ask("zebra")
    assert (found.row, texts([found])) == (2, ["the zebra is striped"])
    assert min(read) == before


@pytest.mark.parametrize("now", ["now giraffes", "now giraffes, and what they eat, which is a longer list by far"])
def test_a_file_that_was_written_anew_is_read_anew(transcript: Any, ask: Make, now: str) -> None:
    """Shorter or longer: what it said is told no more, but what another file of the record says as well."""
    beside = transcript.path.with_suffix("") / "tool-results"
    beside.mkdir(parents=True)
    for text in ("an otter at the river, and nothing else", "a beginning about zebras and what they eat"):
        transcript.user(text)
    (beside / "b.txt").write_text("zebras in a file")
    assert len(ask("zebras")) == 2
    transcript.path.write_text("")
    assert len(ask("zebras")) == 2
    transcript.user(now)
    transcript.user("the end")
    assert texts(ask("giraffes")) == [now]
    assert texts(ask("zebras")) == ["zebras in a file"]
    transcript.path.unlink()
    assert (texts(ask("giraffes")), texts(ask("otter"))) == ([now], [])


def test_other_rules_of_passages_make_the_index_anew(
    transcript: Any, ask: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was kept by the old ones was told for ever."""
    transcript.user("the lynx")
    transcript.user("the end")
    with monkeypatch.context() as patched:
        patched.setattr(passages, "RULES", passages.RULES - 1)
        patched.setattr(passages, "redacted", lambda text: text.replace("lynx", "otter"))
        assert texts(ask("otter")) == ["the otter"]
    assert (texts(ask("lynx")), texts(ask("otter"))) == (["the lynx"], [])


def test_an_answer_is_known_where_its_question_was_read_before(transcript: Any, ask: Make) -> None:
    """While the record is asked the call stands in it already, and its result does not."""
    for more in ("", "; make"):
        transcript.assistant(calls=(("t1", "Bash", {"command": f"/x/bin/holdfast recall lynx{more}"}),))
        ask("lynx")
        transcript.result("t1", f"{quoting.RECORD}\nuser: the zebra{more}")
    assert [text.splitlines()[-1] for text in texts(ask("zebra"))] == ["user: the zebra; make"]


def test_a_passage_of_two_files_stays_where_one_was_written_anew(transcript: Any, ask: Make) -> None:
    row = '{"type": "user", "message": {"content": "%s"}}\n'
    agent = transcript.path.with_suffix("") / "subagents" / "agent-1.jsonl"
    agent.parent.mkdir(parents=True)
    transcript.path.write_text(row % "one badger")
    agent.write_text(row % "one badger")
    assert [one.name for one in ask("badger")] == ["agent-1"]
    agent.write_text(row % "two wolves")
    assert [one.name for one in ask("badger")] == ["transcript"]


def test_five_passages_are_of_five_rows(transcript: Any, ask: Make) -> None:
    """Files that have the question's words all over leave room for what was said of them."""
    transcript.user("look at the kennel")
    for name in "abc":
        text = "".join(f"kennel gate fence {name}{number}, fence gate kennel\n" for number in range(130))
        transcript.did("Read", text, file_path=f"/p/{name}.txt")
        transcript.assistant(f"Read {name}.")
    transcript.user("the builder will come on Monday, and he takes the old gate of the kennel with him")
    assert any("come on Monday" in text for text in texts(ask("which gate and fence has the kennel?")))


def test_agents_and_archived_results_belong_to_the_record(transcript: Any, ask: Make, tmp_path: Path) -> None:
    transcript.user("count the animals")
    beside = transcript.path.with_suffix("")
    (beside / "subagents").mkdir(parents=True)
    row = '{"type": "assistant", "message": {"content": [{"type": "text", "text": "I saw seven otters"}]}}\n'
    (beside / "subagents" / "agent-7.jsonl").write_text(row)
    folder = tmp_path / "session"
    (folder / "archive").mkdir(parents=True)
    (folder / "archive" / "bash-1.txt").write_text("one badger\n")
    (folder / "handoffs").mkdir()
    for kind, text in (("report-2", "one"), ("outline", "From the report: one"), ("handoff", "From it: one")):
        (folder / "handoffs" / f"a7.{kind}.md").write_text(f"{text} heron")
    (agent,) = ask("otters", folder=str(folder))
    (archived,) = ask("badger", folder=str(folder))
    (report,) = ask("heron", folder=str(folder))  # not what was made of it
    assert (agent.name, agent.row) == ("agent-7", 1)
    assert (archived.name, archived.row) == ("bash-1.txt", 1)
    assert report.name == "a7.report-2.md"


def test_the_same_text_is_one_answer_and_the_newest_place_is_told(transcript: Any, ask: Make) -> None:
    for _ in range(3):
        transcript.user("the walrus is out")
    assert [one.row for one in ask("walrus")] == [3]


def test_what_holds_the_question_verbatim_comes_first(transcript: Any, ask: Make) -> None:
    """An exact string, a path or an id is meant as it stands."""
    transcript.user("error error error in the code, code 42 and error code")
    transcript.user("it printed: error code E-42 on line 7")
    assert texts(ask("error code E-42", 1)) == ["it printed: error code E-42 on line 7"]


def test_what_has_none_of_the_words_is_no_answer(transcript: Any, ask: Make) -> None:
    """Letters that are alike make none, nor does a part of the one word that was asked for."""
    transcript.user("the interest of recent centuries in integrals")
    transcript.user("an error in the log")
    assert texts(ask("integer cents")) == []
    transcript.user("it failed with AssertionError")
    assert texts(ask("AssertionError")) == ["it failed with AssertionError"]


def test_secrets_are_neither_kept_nor_told(transcript: Any, ask: Make, tmp_path: Path) -> None:
    secret = "hunter2-" + "Xk9" * 6
    transcript.did("Bash", f"password={secret}", command="cat .env")
    (found,) = ask("password")
    assert secret not in texts([found])[0]
    transcript.did(
        "mcp__db__login", "ok", user="giraffe", password="Tr0ub4dor&3xyz"
    )  # only its name tells that it is one
    (found,) = ask("giraffe")
    assert "Tr0ub4dor" not in str(found)
    assert all(secret.encode() not in path.read_bytes() for path in tmp_path.glob(f"{store.INDEX}*"))


@pytest.mark.parametrize("line", [b"{torn", b"[1, 2]", b'{"type": "user", "message": 7}', b"\xff\xfe\x00", b""])
def test_a_broken_row_is_stepped_over_and_counts(transcript: Any, ask: Make, line: bytes) -> None:
    """Rows are numbered as an editor numbers the lines."""
    transcript.path.write_bytes(line + b"\n")
    transcript.user("the lynx sleeps")
    assert [one.row for one in ask("lynx")] == [2]


@pytest.mark.parametrize("time", ["\ud800", {"a": 1}, "x" * 9_000])
def test_a_time_that_is_none_ends_no_reading(transcript: Any, ask: Make, time: object) -> None:
    """Half an emoji in one ended it before any row was told."""
    row = {"type": "user", "timestamp": time, "message": {"role": "user", "content": "the okapi"}}
    transcript.path.write_text(json.dumps(row) + "\n")
    (found,) = ask("okapi")
    assert len(found.time) <= 40


@pytest.mark.parametrize("place", ["tool-results", "subagents", "archive"])
def test_nothing_is_read_through_a_folder_that_is_a_link(
    transcript: Any, ask: Make, tmp_path: Path, place: str
) -> None:
    """A transcript of a clone may have one beside it, to what the user keeps elsewhere."""
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "session"
    elsewhere.mkdir()
    (elsewhere / "key").write_text("the kudu")
    (elsewhere / "agent-1.jsonl").write_text('{"type": "user", "message": {"content": "the kudu"}}\n')
    transcript.user("hello")
    above = folder if place == "archive" else transcript.path.with_suffix("")
    above.mkdir(parents=True)
    (above / place).symlink_to(elsewhere)
    assert ask("kudu", folder=str(folder)) == []


def test_a_row_that_is_too_long_hides_none_behind_it(
    transcript: Any, ask: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is stepped over, and counts; what comes after it later is found as well."""
    monkeypatch.setattr(store, "AT_ONCE", 1_000)
    monkeypatch.setattr(store, "LONGEST", 4_000)
    transcript.user("y" * 9_500)
    transcript.user("the tapir")
    assert [one.row for one in ask("tapir")] == [2]
    transcript.user("the gnu")
    assert [one.row for one in ask("gnu")] == [3]


def test_one_word_is_shown_where_it_stands_and_each_line_once(transcript: Any, ask: Make) -> None:
    """Before any passage that has a word like it; also far behind in a line; copies of what was shown are left out."""
    transcript.user("The gatekeepers keep gates and gated fences, gating the gatekeeping of gates.")
    for number in range(3):
        transcript.did("Bash", f"run {number}\nerror: the gate-7 of the kennel is open\nend {number}", command="x")
        transcript.assistant(f"Looked, time {number}.")
    transcript.user(f"{'far behind in a long line ' * 40} stands gate-7 too {'and more of it ' * 60}")
    shown = texts(ask("gate-7"))
    holding = ["gate-7" in one for one in shown]
    assert holding == sorted(holding, reverse=True)
    assert sum(holding) == 2
    assert sum("of the kennel is open" in one for one in shown) == 1
