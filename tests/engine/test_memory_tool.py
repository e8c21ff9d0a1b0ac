"""The memory tool's commands over one folder. What each answers is the SDK's own."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

from holdfast.engine import memory_tool
from holdfast.engine.memory_tool import COMMANDS, MemoryFiles
from holdfast.errors import BadInput


@pytest.fixture
def files(tmp_path: Path) -> MemoryFiles:
    """An empty memory."""
    return MemoryFiles(str(tmp_path / "memories"))


def run(files: MemoryFiles, command: str, **inputs: Any) -> str:
    """One call."""
    return files.run({"command": command, **inputs})


def test_a_file_is_made_read_changed_moved_and_deleted(files: MemoryFiles, tmp_path: Path) -> None:
    """All six commands, with the answers that the model knows; what is hidden is not shown, all is private."""
    notes = "/memories/project/notes.md"
    assert run(files, "create", path=notes, file_text="one\ntwo\nthree\n") == f"File created successfully at: {notes}"
    assert "\t".join(run(files, "view", path=notes).splitlines()[2].split()) == "2\ttwo"
    edited = run(files, "str_replace", path=notes, old_str="two", new_str="2")
    assert edited.startswith("The memory file has been edited. Here is the snippet")
    assert run(files, "insert", path=notes, insert_line=0, insert_text="zero\n") == f"The file {notes} has been edited."
    assert Path(files.root, "project/notes.md").read_text() == "zero\none\n2\nthree\n"
    assert [os.stat(f"{files.root}/project{n}").st_mode & 0o777 for n in ("", "/notes.md")] == [0o700, 0o600]
    moved = run(files, "rename", old_path=notes, new_path="/memories/old/n.md")
    assert moved == f"Successfully renamed {notes} to /memories/old/n.md"
    shown = [line.partition("\t")[2] for line in run(files, "view", path="/memories").splitlines()[1:]]
    assert shown == ["/memories", "/memories/old/", "/memories/old/n.md", "/memories/project/"]
    Path(files.root, "old", "link").symlink_to(tmp_path)  # goes, and what it points to stays
    assert run(files, "delete", path="/memories/old") == "Successfully deleted /memories/old"
    assert sorted(os.listdir(files.root)) == [".lock", "project"]


OUTSIDE = (
    *("/etc/passwd", "memories/a", "/memoriesfoo/a", "/memories/../secret", "/memories/a/../../secret"),
    *("/memories/%2e%2e/secret", "/memories/%2E%2E%2Fsecret", "/memories/..%2fsecret", "/memories/%252e%252e/secret"),
    *("/memories/a\\..\\secret", "/memories/a\x00b", "/memories/.hidden", "/memories/link/secret", "/memories/link"),
    *("/memories/" + "n" * 200, "/memories" + "/d" * 20, ""),
)


@pytest.mark.parametrize("path", OUTSIDE, ids=repr)
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_outside_the_folder_can_be_named(files: MemoryFiles, command: str, path: str, tmp_path: Path) -> None:
    """Each command refuses it with what to do, and nothing outside is read or written."""
    (tmp_path / "secret").write_text("secret")
    run(files, "create", path="/memories/a/known.md", file_text="x")
    Path(files.root, "link").symlink_to(tmp_path)
    texts = {"file_text": "y", "old_str": "s", "new_str": "t", "insert_line": 0, "insert_text": "z"}
    with pytest.raises(BadInput):
        run(files, command, path=path, old_path="/memories/a/known.md", new_path=path, **texts)
    assert (tmp_path / "secret").read_text() == "secret"
    assert sorted(os.listdir(tmp_path)) == ["memories", "secret"]
    assert Path(files.root, "a", "known.md").read_text() == "x"


A, D = {"path": "/memories/a.md"}, {"path": "/memories/d"}


@pytest.mark.parametrize(
    ("command", "inputs", "said"),
    [
        ("copy", {}, "Unknown command: copy. Allowed: view, create"),
        ("view", {}, "`view` needs `path` as a text"),
        ("view", {"path": 3}, "`view` needs `path` as a text"),
        ("insert", {**A, "insert_line": "0", "insert_text": ""}, "a whole number"),
        ("insert", {**A, "insert_line": 9, "insert_text": "x"}, "within the range [0, 2]"),
        ("create", {**A, "file_text": ""}, "already exists"),
        ("create", {"path": "/memories/a.md/b.md", "file_text": ""}, "is a file and cannot hold others"),
        ("create", {"path": "/memories/big.md", "file_text": "x" * 100_001}, "At most 100,000; split it"),
        ("insert", {**A, "insert_line": 0, "insert_text": "x" * 99_999}, "At most 100,000; split it"),
        ("create", {"path": "/memories/d/c.md", "file_text": "x"}, "Delete what is no longer needed"),
        ("str_replace", {**A, "old_str": "x", "new_str": ""}, "in lines: 1, 2"),
        ("str_replace", {**A, "old_str": "", "new_str": "y"}, "ensure it is unique"),
        ("str_replace", {**D, "old_str": "x", "new_str": ""}, "is not a file"),
        ("delete", {"path": "/memories"}, "Cannot delete the /memories directory itself"),
        ("delete", {"path": "/memories/none"}, "does not exist"),
        ("rename", {"old_path": A["path"], "new_path": "/memories/d"}, "already exists"),
        ("rename", {"old_path": "/memories/d", "new_path": "/memories/d/e"}, "lies within /memories/d"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    files: MemoryFiles, monkeypatch: pytest.MonkeyPatch, command: str, inputs: Any, said: str
) -> None:
    """The message tells the model what to do otherwise; at the bound of files, to delete."""
    run(files, "create", path="/memories/a.md", file_text="x\nx\n")
    run(files, "create", path="/memories/d/in.md", file_text="")
    monkeypatch.setattr(files, "most_files", 2 if "Delete" in said else 9)
    with pytest.raises(BadInput) as caught:
        run(files, command, **inputs)
    assert said in str(caught.value)
    assert Path(files.root, "a.md").read_text() == "x\nx\n"
    assert sorted(os.listdir(files.root)) == [".lock", "a.md", "d"]
    with pytest.raises(BadInput, match="Unknown command: None"):
        files.run(None)


def test_the_tool_is_the_apis_own_and_its_calls_reach_the_files(tmp_path: Path) -> None:
    """Its definition is the API's; a call from a runner is answered from the folder, and a disk that fails is told."""
    tool = memory_tool.memory_tool(MemoryFiles(str(tmp_path / "m")))
    assert tool.to_dict() == memory_tool.TOOL
    tool.call({"command": "create", "path": "/memories/a.md", "file_text": "kept"})
    assert (tmp_path / "m" / "a.md").read_text() == "kept"
    assert "kept" in str(tool.call({"command": "view", "path": "/memories/a.md"}))
    with pytest.raises(ToolError, match="needs `path`"):
        tool.call({"command": "delete"})
    (tmp_path / "n").write_text("a file where the folder should be")
    with pytest.raises(ToolError, match="cannot be used now"):
        memory_tool.memory_tool(MemoryFiles(str(tmp_path / "n"))).call({"command": "view", "path": "/memories"})


def test_the_sdk_is_loaded_only_when_the_tool_is_used() -> None:
    """Importing the module costs no start-up of the SDK."""
    code = "import sys, holdfast.engine.memory_tool; print('anthropic' in sys.modules)"
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-B", "-c", code], env=env, capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
