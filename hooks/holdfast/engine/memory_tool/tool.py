"""The API's memory tool (memory_20250818) with storage of ours behind it, for the SDK's tool runner.

    tool = memory_tool(MemoryFiles("memory"))
    client.beta.messages.tool_runner(model=…, tools=[tool], …)

A loop that runs its tools itself needs no more than TOOL among its tools and `MemoryFiles.run(block.input)`.
"""

from typing import TYPE_CHECKING, Any, Protocol

from holdfast.errors import BadInput, Fault

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaAbstractMemoryTool

TOOL = {"type": "memory_20250818", "name": "memory"}  # for a request's list of tools


class Storage(Protocol):
    """What stands behind the tool: engine/memory_tool/files.py, or anything else that answers its commands."""

    def run(self, inputs: Any) -> str:
        """One call; its input is {"command": …, …}. Raises BadInput for what the model should do otherwise."""


def memory_tool(storage: Storage) -> "BetaAbstractMemoryTool":
    """The tool. Raises Fault where the package anthropic is missing, or too old to have it."""
    try:
        from anthropic.lib.tools import BetaAbstractMemoryTool, ToolError  # late: half a second of start-up
    except ImportError:
        raise Fault("the package anthropic has no memory tool", "anthropic", "pip install -U anthropic") from None

    class MemoryTool(BetaAbstractMemoryTool):
        """All six commands take one road; the SDK's names lead to it."""

        def call(self, input: object) -> str:  # noqa: A002 - the SDK's name
            try:
                return storage.run(input)
            except BadInput as wrong:
                raise ToolError(str(wrong)) from None
            except OSError as fault:
                raise ToolError(f"The memory cannot be used now: {fault.strerror or fault}") from None

        def execute(self, command: Any) -> str:
            return self.call(command.to_dict())

        view = create = str_replace = insert = delete = rename = execute

    return MemoryTool()
