"""The memory tool's commands over one folder."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from hypothesis import given
from hypothesis import strategies as st

from holdfast.engine import memory_tool
from holdfast.engine.memory_tool import MemoryFiles
from holdfast.errors import BadInput


@pytest.fixture
def files(tmp_path: Path) -> MemoryFiles:
    """An empty memory."""
    return MemoryFiles(str(tmp_path / "memories"))


def run(files: MemoryFiles, command: str, **inputs: Any) -> str:
    """One call."""
    return files.run({"command": command, **inputs})


def test_a_file_is_made_read_changed_moved_and_deleted(files: MemoryFiles) -> None:
    """All six commands, with the answers that the model knows from the SDK's own tool."""
    notes = "/memories/project/notes.md"
    assert run(files, "create", path=notes, file_text="one\ntwo\nthree\n") == f"File created successfully at: {notes}"
    assert run(files, "view", path=notes).splitlines() == [
        f"Here's the content of {notes} with line numbers:",
        "     1\tone",
        "     2\ttwo",
        "     3\tthree",
        "     4\t",
    ]
    edited = run(files, "str_replace", path=notes, old_str="two", new_str="2")
    assert edited.startswith("The memory file has been edited. Here is the snippet")
    assert "     2\t2" in edited
    assert run(files, "insert", path=notes, insert_line=0, insert_text="zero\n") == f"The file {notes} has been edited."
    assert Path(files.root, "project/notes.md").read_text() == "zero\none\n2\nthree\n"
    moved = run(files, "rename", old_path=notes, new_path="/memories/old/n.md")
    assert moved == f"Successfully renamed {notes} to /memories/old/n.md"
    assert run(files, "delete", path="/memories/old") == "Successfully deleted /memories/old"
    assert sorted(os.listdir(files.root)) == [".lock", "project"]


def test_the_answers_are_those_of_the_sdks_own_tool(files: MemoryFiles, tmp_path: Path) -> None:
    """Word for word, call by call, so that a model finds what it has learned."""
    theirs = BetaLocalFilesystemMemoryTool(str(tmp_path / "theirs"))
    path = "/memories/a.md"
    calls: list[dict[str, Any]] = [
        {"command": "create", "path": path, "file_text": "x = 1\ny = 2\nx = 3"},
        {"command": "create", "path": "/memories/sub/b.md", "file_text": "b" * 2_000},
        {"command": "view", "path": path},
        {"command": "view", "path": path, "view_range": [2, 3]},
        {"command": "view", "path": path, "view_range": [2, -1]},
        {"command": "str_replace", "path": path, "old_str": "y = 2", "new_str": "y = 4\nz = 5"},
        {"command": "str_replace", "path": path, "old_str": "nowhere", "new_str": ""},
        {"command": "insert", "path": path, "insert_line": 4, "insert_text": "end\n"},
        {"command": "view", "path": path},
        {"command": "view", "path": "/memories/none.md"},
        {"command": "rename", "old_path": path, "new_path": "/memories/c.md"},
        {"command": "delete", "path": "/memories/sub"},
    ]
    for call in calls:
        try:
            expected: object = theirs.call(call)
        except ToolError as error:
            expected = error.content
        try:
            found = files.run(call)
        except BadInput as error:
            found = str(error)
        assert str(found).rstrip(". ") == str(expected).rstrip(". "), call


def test_a_folder_is_shown_two_levels_deep_without_what_is_hidden(files: MemoryFiles) -> None:
    """Sizes and paths; our own half-written files and the user's hidden ones are left out."""
    run(files, "create", path="/memories/a/b/c.md", file_text="x")
    run(files, "create", path="/memories/top.md", file_text="x" * 1_536)
    Path(files.root, ".hidden").write_text("x")
    Path(files.root, "half.123.tmp").write_text("x")
    shown = [line.partition("\t")[2] for line in run(files, "view", path="/memories").splitlines()[1:]]
    assert shown == ["/memories", "/memories/a/", "/memories/a/b/", "/memories/top.md"]
    assert "1.5K\t/memories/top.md" in run(files, "view", path="/memories/")


OUTSIDE = (
    "/etc/passwd",
    "memories/a",
    "/memoriesfoo/a",
    "/memories/../secret",
    "/memories/a/../../secret",
    "/memories/%2e%2e/secret",
    "/memories/%2E%2E%2Fsecret",
    "/memories/..%2fsecret",
    "/memories/%252e%252e/secret",
    "/memories/a\\..\\secret",
    "/memories/a\x00b",
    "/memories/.hidden",
    "/memories/half.tmp",
    "/memories/link/secret",
    "/memories/link",
    "/memories/" + "n" * 200,
    "/memories" + "/d" * 20,
    "",
)


@pytest.mark.parametrize("path", OUTSIDE, ids=repr)
@pytest.mark.parametrize("command", ["view", "create", "str_replace", "insert", "delete", "rename"])
def test_nothing_outside_the_folder_can_be_named(files: MemoryFiles, command: str, path: str, tmp_path: Path) -> None:
    """Each command refuses it with what to do, and nothing outside is read or written."""
    (tmp_path / "secret").write_text("secret")
    run(files, "create", path="/memories/a/known.md", file_text="x")
    Path(files.root, "link").symlink_to(tmp_path)
    texts = {"file_text": "y", "old_str": "s", "new_str": "t", "insert_line": 0, "insert_text": "z"}
    inputs = {"path": path, "old_path": "/memories/a/known.md", "new_path": path, **texts}
    with pytest.raises(BadInput):
        run(files, command, **inputs)
    assert (tmp_path / "secret").read_text() == "secret"
    assert sorted(os.listdir(tmp_path)) == ["memories", "secret"]
    assert Path(files.root, "a", "known.md").read_text() == "x"


@given(st.text(max_size=60))
def test_whatever_the_path_nothing_but_the_folder_is_touched(
    tmp_path_factory: pytest.TempPathFactory, path: str
) -> None:
    """Any text as a path: a file of ours, or a refusal."""
    top = tmp_path_factory.mktemp("any")
    files = MemoryFiles(str(top / "memories"))
    try:
        run(files, "create", path=f"/memories/{path}", file_text="x")
    except BadInput:
        assert set(os.listdir(top)) <= {"memories"}
        assert not os.path.isdir(files.root) or os.listdir(files.root) == [".lock"]
    else:
        assert os.listdir(top) == ["memories"]
        assert sum(len(names) for _, _, names in os.walk(files.root)) == 2


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "Unknown command: None. Allowed: view, create"),
        (None, "Unknown command: None"),
        ({"command": "copy"}, "Unknown command: copy"),
        ({"command": "view"}, "`view` needs `path` as a text"),
        ({"command": "view", "path": 3}, "`view` needs `path` as a text"),
        ({"command": "insert", "path": "/memories/a.md", "insert_line": "0", "insert_text": ""}, "a whole number"),
        (
            {"command": "insert", "path": "/memories/a.md", "insert_line": 9, "insert_text": "x"},
            "within the range [0, 2]",
        ),
        ({"command": "view", "path": "/memories/a.md", "view_range": "all"}, "Give [first line, last line]"),
        ({"command": "view", "path": "/memories/a.md", "view_range": [9, 2]}, "The file has 3 lines"),
        ({"command": "create", "path": "/memories/a.md", "file_text": ""}, "already exists"),
        ({"command": "create", "path": "/memories/a.md/b.md", "file_text": ""}, "is a file and cannot hold others"),
        ({"command": "create", "path": "/memories/big.md", "file_text": "x" * 100_001}, "At most 100,000; split it"),
        ({"command": "str_replace", "path": "/memories/a.md", "old_str": "x", "new_str": ""}, "in lines: 1, 2"),
        ({"command": "str_replace", "path": "/memories/a.md", "old_str": "", "new_str": "y"}, "did not appear"),
        ({"command": "str_replace", "path": "/memories/d", "old_str": "x", "new_str": ""}, "is not a file"),
        ({"command": "delete", "path": "/memories"}, "Cannot delete or rename the /memories directory itself"),
        ({"command": "delete", "path": "/memories/none"}, "does not exist"),
        ({"command": "rename", "old_path": "/memories/a.md", "new_path": "/memories/d"}, "already exists"),
        ({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/d/e"}, "lies within /memories/d"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(files: MemoryFiles, inputs: Any, said: str) -> None:
    """The message tells the model what to do otherwise."""
    run(files, "create", path="/memories/a.md", file_text="x\nx\n")
    run(files, "create", path="/memories/d/in.md", file_text="")
    with pytest.raises(BadInput) as caught:
        files.run(inputs)
    assert said in str(caught.value)
    assert Path(files.root, "a.md").read_text() == "x\nx\n"
    assert sorted(os.listdir(files.root)) == [".lock", "a.md", "d"]


def test_files_are_private_and_their_number_is_bounded(files: MemoryFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders 0700, files 0600; at the bound the model is told to delete."""
    monkeypatch.setattr(files, "most_files", 2)
    run(files, "create", path="/memories/d/a.md", file_text="x")
    run(files, "create", path="/memories/d/b.md", file_text="x")
    assert [os.stat(f"{files.root}/d{name}").st_mode & 0o777 for name in ("", "/a.md")] == [0o700, 0o600]
    with pytest.raises(BadInput, match="Delete what is no longer needed"):
        run(files, "create", path="/memories/d/c.md", file_text="x")


def test_a_link_in_a_folder_goes_with_it_and_what_it_points_to_stays(files: MemoryFiles, tmp_path: Path) -> None:
    """Deleting never follows a link."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "file").write_text("mine")
    run(files, "create", path="/memories/d/a.md", file_text="x")
    Path(files.root, "d", "link").symlink_to(tmp_path / "own")
    run(files, "delete", path="/memories/d")
    assert (tmp_path / "own" / "file").read_text() == "mine"


def test_the_tool_is_the_apis_own_and_its_calls_reach_the_files(tmp_path: Path) -> None:
    """Its definition is the API's; a call from a tool runner is answered from the folder."""
    tool = memory_tool.memory_tool(MemoryFiles(str(tmp_path / "m")))
    assert tool.to_dict() == memory_tool.TOOL
    tool.call({"command": "create", "path": "/memories/a.md", "file_text": "kept"})
    assert (tmp_path / "m" / "a.md").read_text() == "kept"
    assert "kept" in str(tool.call({"command": "view", "path": "/memories/a.md"}))
    with pytest.raises(ToolError, match="needs `path`"):
        tool.call({"command": "delete"})


def test_a_disk_that_fails_is_an_error_too(tmp_path: Path) -> None:
    """Where the folder cannot be made the model is told, and the loop goes on."""
    (tmp_path / "m").write_text("a file where the folder should be")
    tool = memory_tool.memory_tool(MemoryFiles(str(tmp_path / "m")))
    with pytest.raises(ToolError, match="cannot be used now"):
        tool.call({"command": "create", "path": "/memories/a.md", "file_text": "x"})


def test_the_sdk_is_loaded_only_when_the_tool_is_made() -> None:
    """Importing the module costs no start-up of the SDK."""
    code = "import sys, holdfast.engine.memory_tool; print('anthropic' in sys.modules)"
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-B", "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
