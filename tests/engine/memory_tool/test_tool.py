"""The SDK's memory tool with our files behind it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError

from holdfast.engine.memory_tool import tool as memory_tool
from holdfast.engine.memory_tool.files import MemoryFiles

HOOKS = Path(memory_tool.__file__).parents[3]


def test_the_tool_is_the_apis_own_and_its_calls_reach_the_files(tmp_path: Path) -> None:
    """Its definition is the API's; a call from a tool runner is answered from the folder."""
    tool = memory_tool.memory_tool(MemoryFiles(str(tmp_path / "m")))
    assert tool.to_dict() == memory_tool.TOOL
    tool.call({"command": "create", "path": "/memories/a.md", "file_text": "kept"})
    assert (tmp_path / "m" / "a.md").read_text() == "kept"
    assert "kept" in str(tool.call({"command": "view", "path": "/memories/a.md"}))


@pytest.mark.parametrize("inputs", [{"command": "view", "path": "/memories/../x"}, {}, None, {"command": "delete"}])
def test_a_fault_is_an_error_that_the_model_reads(tmp_path: Path, inputs: Any) -> None:
    """The runner hands it back as the tool's result with is_error."""
    tool = memory_tool.memory_tool(MemoryFiles(str(tmp_path / "m")))
    with pytest.raises(ToolError) as caught:
        tool.call(inputs)
    assert caught.value.content


def test_a_disk_that_fails_is_an_error_too(tmp_path: Path) -> None:
    """Where the folder cannot be made the model is told, and the loop goes on."""
    (tmp_path / "m").write_text("a file where the folder should be")
    tool = memory_tool.memory_tool(MemoryFiles(str(tmp_path / "m")))
    with pytest.raises(ToolError, match="cannot be used now"):
        tool.call({"command": "create", "path": "/memories/a.md", "file_text": "x"})


def test_the_sdk_is_loaded_only_when_the_tool_is_made() -> None:
    """Importing the module costs no start-up of the SDK."""
    code = "import sys, holdfast.engine.memory_tool.tool; print('anthropic' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(HOOKS)}, capture_output=True, check=True)
    assert done.stdout.strip() == b"False"
