from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Make = Callable[..., Any]
LONG = "all is well in this line\n" * 2_000 + "error: one\n" + "all is well in this line\n" * 2_000
MIDDLE = "".join(f"row {n} of a table\n" for n in range(320))


@pytest.mark.parametrize(
    ("name", "response", "where"),
    [
        ("PostToolUse.Bash", {"stdout": LONG}, ("stdout",)),
        ("PostToolUse.Grep.content", {"content": LONG}, ("content",)),
        ("PostToolUse.WebFetch", {"result": LONG}, ("result",)),
        ("PostToolUse.Mcp.blocks", {"text": [{"type": "text", "text": LONG}]}, (0, "text")),
        ("PostToolUse.Mcp.string", {"text": LONG}, ()),
    ],
)
def test_a_digest_names_the_whole(name: str, response: dict[str, Any], where: tuple[Any, ...], shorten: Make) -> None:
    short = shorten(name, **response)
    for key in where:
        short = short[key]
    assert len(short) < len(LONG) / 2
    assert Path(short.split("Whole result: ")[1].split("]")[0]).read_text() == LONG


@pytest.mark.parametrize(
    ("name", "inputs", "response"),
    [
        ("PostToolUse.Bash", None, {"stdout": "short"}),
        ("PostToolUse.Bash", None, {"stdout": LONG, "isImage": True}),
        ("PostToolUse.Bash", None, {"stdout": LONG, "persistedOutputPath": "/none", "persistedOutputSize": 9}),
        ("PostToolUse.Read", {"file_path": "/p/src/main.py"}, {"file": {"content": LONG}}),
        ("PostToolUse.Read", {"file_path": "/p/audit.log.ts"}, {"file": {"content": LONG}}),
        ("PostToolUse.Read", {"file_path": 5}, {"file": {"content": LONG}}),
        ("PostToolUse.Write", None, {"content": LONG}),
        ("PostToolUse.Edit", None, {"originalFile": LONG}),
    ],
    ids=["short", "image", "file is gone", "source", "source named log", "odd path", "write", "edit"],
)
def test_what_is_left_as_it_is(name: str, inputs: Any, response: dict[str, Any], shorten: Make) -> None:
    """Above all whatever an edit must match."""
    assert shorten(name, inputs, **response) is None


def test_a_result_is_large_by_its_tokens_in_any_script(shorten: Make) -> None:
    text = "予約の期限切れは店舗で解放される。\n" * 200
    assert "200 lines, about 3,8" in shorten("PostToolUse.Bash", stdout=text)["stdout"]


def test_a_log_that_was_read_is_its_own_whole(shorten: Make, state: Path) -> None:
    file = {"content": LONG, "filePath": "/p/build.log"}
    short = shorten("PostToolUse.Read", {"file_path": "/p/build.log"}, file=file)
    assert "Whole result: /p/build.log]" in short["file"]["content"]
    assert not list(state.glob("sessions/*/archive/*"))


def test_the_clients_preview_is_replaced(shorten: Make, tmp_path: Path) -> None:
    """Of a very long output the digest is that of the file, and errors far down are in it."""
    path = tmp_path / "out.txt"
    path.write_text(LONG * 5 + "fatal: far down\n" + LONG * 5)
    short = shorten("PostToolUse.Bash", stdout=LONG[:30_000], persistedOutputPath=str(path), persistedOutputSize=9)
    assert "fatal: far down" in short["stdout"]
    assert f"Whole result: {path}]" in short["stdout"]
    assert "persistedOutputPath" not in short


def test_stderr_beside_a_file_is_kept_apart(shorten: Make, tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    path.write_text(LONG)
    fields = {"stdout": "x", "stderr": LONG + "e", "persistedOutputPath": str(path), "persistedOutputSize": 9}
    short = shorten("PostToolUse.Bash", **fields)
    assert Path(short["stderr"].split("Whole result: ")[1].split("]")[0]).read_text() == LONG + "e"


@pytest.mark.parametrize("agent", ["", "a1"])
def test_a_repeated_result_is_a_reference_where_it_stands_above(agent: str, shorten: Make, transcript: Any) -> None:
    """A compaction takes it out of the window, and so does the user who goes back; then it is shown whole again. What
    another window holds is not in this one.
    """
    rows = type(transcript)(transcript.path.with_suffix("") / f"subagents/agent-{agent}.jsonl") if agent else transcript
    rows.path.parent.mkdir(parents=True, exist_ok=True)
    parent = rows.row(type="user", parentUuid=None, isSidechain=bool(agent)) or "u-1"

    def called(call: str, parent: str) -> str:
        rows.assistant(calls=((call, "Bash", {}),), parentUuid=parent, isSidechain=bool(agent))
        rows.result(call, MIDDLE, parentUuid=f"u-{rows.rows}", isSidechain=bool(agent))
        return f"u-{rows.rows}"

    def is_reference(call: str) -> bool:
        said = shorten("PostToolUse.Bash", agent=agent, call=call, stdout=MIDDLE)
        assert not said or Path(said["stdout"].split("Whole text: ")[1].rstrip("]")).read_text() == MIDDLE
        return bool(said) and "the same result as an earlier Bash call above" in said["stdout"]

    assert not is_reference("c1")
    above = called("c1", parent)
    assert is_reference("c2")
    assert shorten("PostToolUse.Bash", agent="other", call="c3", stdout=MIDDLE) is None
    called("c4", parent)  # the user has gone back: another branch
    assert not is_reference("c4")
    assert is_reference("c5")
    rows.user("on from there", parentUuid=above, isSidechain=bool(agent))
    assert not is_reference("c6")
    above = called("c6", f"u-{rows.rows}")
    rows.row(type="system", subtype="compact_boundary", parentUuid=None, isSidechain=bool(agent))
    rows.user("a summary", parentUuid=f"u-{rows.rows}", isSidechain=bool(agent))
    assert not is_reference("c7")


def test_a_repeated_result_stays_where_no_row_tells_what_stands_above(shorten: Make, transcript: Any) -> None:
    """As in a transcript without parents, or none."""
    assert [shorten("PostToolUse.Bash", stdout=MIDDLE) for _ in range(2)] == [None, None]
    transcript.assistant(calls=(("toolu_b658e0d5f2d86c253c93", "Bash", {}),))
    transcript.user("go on")
    assert shorten("PostToolUse.Bash", stdout=MIDDLE) is None


def test_a_second_digest_of_a_text_keeps_the_whole_that_is_there(shorten: Make, state: Path) -> None:
    """And is no repetition: above stands only a digest."""
    first = shorten("PostToolUse.Bash", stdout=LONG)["stdout"]
    (kept,) = state.glob("sessions/*/archive/*")
    inode = kept.stat().st_ino
    assert shorten("PostToolUse.Bash", stdout=LONG)["stdout"] == first
    assert [path.stat().st_ino for path in state.glob("sessions/*/archive/*")] == [inode]


@pytest.mark.parametrize("folder", ["archive", "seen"])
def test_nothing_is_kept_through_a_link(folder: str, shorten: Make, state: Path, tmp_path: Path) -> None:
    place = next(state.glob("sessions/*/")) / folder
    place.rmdir()
    place.symlink_to(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert [shorten("PostToolUse.Bash", stdout=text) for text in (LONG, MIDDLE)] == [None, None]
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("folder", ["archive", "seen"])
def test_what_cannot_be_kept_or_noted_stays(folder: str, shorten: Make, state: Path) -> None:
    """A reference would lose what was never shown."""
    place = next(state.glob("sessions/*/")) / folder
    place.rmdir()
    place.write_text("a file")
    if folder == "seen":
        assert [shorten("PostToolUse.Bash", stdout=MIDDLE) for _ in range(2)] == [None, None]
    else:
        with pytest.raises(OSError):  # noqa: PT011 - which one depends on the system
            shorten("PostToolUse.Bash", stdout=LONG)
