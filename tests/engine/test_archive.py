"""Where whole texts go, and what the API clears for itself."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anthropic.types.beta import BetaContextManagementResponse
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine import archive as whole
from holdfast.engine.archive import Archive, FolderArchive, MemoryArchive, archived
from holdfast.engine.blocks import Block, BlockKind, BlockState
from holdfast.engine.context_editing import cleared, request_edits
from holdfast.engine.manager import ContextWindowManager
from holdfast.errors import BadInput
from tests.engine.conversations import asked, looked

TEXTS = ("one line", "two\nlines", "", "a zero \x00 and an emoji \U0001f600", "[looks like a head]\nno", "half \ud83d")


@pytest.mark.parametrize("kind", ["memory", "folder"])
@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_what_was_kept_is_read_back_whole(kind: str, text: str, tmp_path: Path) -> None:
    """Each text under its own name, whatever it holds; an unknown name, which a model may give, leads nowhere."""
    archive: Archive = MemoryArchive() if kind == "memory" else FolderArchive(tmp_path / "whole")
    archive.keep("another", "first")
    name = archive.keep(text, "Bash make\ntest")
    archive.keep("a third", "last")
    assert archive.read(name) == text
    for unknown in ("a9", "", "../a1", "a1.txt", "/etc/passwd"):
        with pytest.raises(BadInput, match="no such text"):
            archive.read(unknown)


def test_a_text_has_one_name_in_every_process(tmp_path: Path) -> None:
    """At the same time and later, so that a placeholder made anew is the one that was sent; no name stands for two."""
    code = (
        "import sys; from holdfast.engine.archive import FolderArchive\n"
        f"archive = FolderArchive({str(tmp_path / 'whole')!r})\n"
        "print([archive.keep(f'text {n}', 'x') for n in range(25)], [archive.keep(sys.argv[1], 'y') for _ in '12'])"
    )
    env = {"PYTHONPATH": ":".join(sys.path)}
    running = [
        subprocess.Popen([sys.executable, "-B", "-c", code, str(n)], stdout=subprocess.PIPE, text=True, env=env)
        for n in range(3)
    ]
    printed = [process.communicate()[0].strip() for process in running]
    assert len({line.rpartition(" [")[0] for line in printed}) == 1
    archive = FolderArchive(f"{tmp_path}/whole")
    names = {path.stem for path in (tmp_path / "whole").glob("a*.txt")}
    assert names == {f"a{n}" for n in range(1, 29)}
    assert {archive.read(name) for name in names} == {*(f"text {n}" for n in range(25)), "0", "1", "2"}
    assert archive.keep("text 7", "x") in names
    assert archive.keep("text 7", "another first line") not in names


@pytest.mark.parametrize("name", [f"a{'9' * 250}", f"a{'9' * 18}", "a\u0663"])
def test_a_file_of_somebody_s_keeps_no_text_out(tmp_path: Path, name: str) -> None:
    (tmp_path / f"{name}.txt").write_text("theirs")
    names = [FolderArchive(tmp_path).keep(text, "") for text in ("one", "two")]
    assert [FolderArchive(tmp_path).read(one) for one in names] == ["one", "two"]
    assert (tmp_path / f"{name}.txt").read_text() == "theirs"


def test_a_text_that_cannot_be_written_takes_no_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then nothing may leave the window, and no empty file stays behind. A file says to people what it is."""

    def full(path: str, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    archive = FolderArchive(f"{tmp_path}/whole")
    archive.keep("x", "Bash make\ntest")
    with monkeypatch.context() as patch:
        patch.setattr(whole, "write_atomic", full)
        with pytest.raises(OSError, match="No space"):
            archive.keep("y", "")
    assert [path.read_text() for path in (tmp_path / "whole").glob("*.txt")] == ["[Bash make test]\nx"]
    assert (tmp_path / "whole").stat().st_mode & 0o777 == 0o700
    assert archive.read(archive.keep("y", "")) == "y"
    with pytest.raises(OSError, match=r"whole|a1"):
        FolderArchive(f"{tmp_path}/whole/a1.txt/whole").keep("x", "")


def test_a_window_stores_all_of_a_block_once() -> None:
    """Of an image its JSON."""
    archive = MemoryArchive()
    with pytest.raises(BadInput, match="Nothing is stored yet"):
        archive.read("a1")
    where, image = archived(archive), Block("0.0", BlockKind.USER, "", 1_600, stored='{"type": "image"}')
    assert where(image) == where(image) == "a1"
    assert archive.read("a1") == '{"type": "image"}'


USES = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": 1, "cleared_input_tokens": 4_000}
THOUGHTS = {"type": "clear_thinking_20251015", "cleared_thinking_turns": 2, "cleared_input_tokens": 900}
REPORT: dict[str, Any] = {"applied_edits": [THOUGHTS, USES]}
BLOCKS = [
    Block("1.0", BlockKind.THINKING, "a", 100, 1, (1, 0)),
    Block("result:a", BlockKind.RESULT, "r", 4_000, 2, (2, 0), "a"),
    Block("3.0", BlockKind.THINKING, "b", 100, 2, (3, 0)),
    Block("3.1", BlockKind.THINKING, "b", 100, 2, (3, 1)),
    Block("result:b", BlockKind.RESULT, "r", 4_000, 3, (4, 0), "b"),
    Block("5.0", BlockKind.THINKING, "c", 100, 3, (5, 0)),
]


@pytest.mark.parametrize(
    ("known", "results"),
    [({}, ["result:a"]), ({"state": BlockState.PLACEHOLDER}, []), ({"about": "memory /memories/a.md"}, ["result:b"])],
    ids=["the oldest", "known to be gone", "the memory tool's is none of it"],
)
def test_a_report_means_the_oldest_blocks_of_its_kind(known: dict[str, Any], results: list[str]) -> None:
    """Thinking is counted by turn, with all its blocks; results one by one. The SDK's own object is read as well."""
    sent = [block._replace(**known) if block.id == "result:a" else block for block in BLOCKS]
    for report in (REPORT, BetaContextManagementResponse.model_validate(REPORT)):
        assert [change.id for change in cleared(sent, report).changes] == ["1.0", "3.0", "3.1", *results]


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5), lambda x: st.lists(x) | st.dictionaries(st.text(max_size=5), x)
    )
)
def test_another_report_is_none(report: Any) -> None:
    """A field that is missing, new or of another form clears nothing."""
    assert cleared(BLOCKS, report).changes == ()
    assert cleared(BLOCKS, {"applied_edits": report}).changes == ()


def test_what_is_asked_of_the_api() -> None:
    """The trigger stands at the share of the limit; the memory tool's results are left alone; the rest is refused."""
    assert request_edits("off", 0, 0.75) == {}
    [thinking] = request_edits("thinking", 0, 0.75)["context_management"]["edits"]
    asked = request_edits("tools", 100_000, 0.75)
    assert asked["betas"] == ["context-management-2025-06-27"]
    assert asked["context_management"]["edits"][0] == thinking
    uses = asked["context_management"]["edits"][1]
    assert [edit["type"] for edit in (thinking, uses)] == ["clear_thinking_20251015", "clear_tool_uses_20250919"]
    assert uses["trigger"] == {"type": "input_tokens", "value": 75_000}
    assert uses["exclude_tools"] == ["memory"]
    for edits, limit, said in (("all", 9, "Allowed: off, thinking, tools"), ("tools", 0, "needs a limit")):
        with pytest.raises(BadInput, match=said):
            request_edits(edits, limit, 0.75)


def test_what_the_api_cleared_is_neither_counted_nor_cleared_again() -> None:
    """The manager's block is small then, its audit says who did it, and what the API cleared stays as it is."""
    manager, messages = ContextWindowManager(20_000), [asked("Look at all files.")]
    for n in range(24):
        messages += looked(n, "read_file", {"path": f"src/f{n}.py"}, f"value_{n} = 1\n" * 150)
    manager.on_turn_start(messages[:13])
    manager.on_turn_end({"input_tokens": 4_000, "output_tokens": 50}, {"applied_edits": [USES]})
    assert manager.audit[-1]["by"] == "api"
    assert {block.id: block.state for block in manager.blocks}["result:c0"] == BlockState.PLACEHOLDER
    assert 4_050 <= manager.used < 5_000
    turn = manager.on_turn_start(messages)
    assert turn.plans
    changed = [number for number, (sent, own) in enumerate(zip(turn.messages, messages, strict=False)) if sent != own]
    assert 2 not in changed
    assert 4 in changed
