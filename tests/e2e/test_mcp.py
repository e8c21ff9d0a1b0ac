"""The client asks Holdfast's own server: what it is told stands in its next request, as data."""

import json
import subprocess

from client import SandboxMaker
from loopback import call, rule


def test_a_record_is_found_over_the_protocol(make_sandbox: SandboxMaker) -> None:
    """Through the launcher that the installation put into the home, by the command that the guide gives."""
    sandbox = make_sandbox("dropin")
    holdfast = [str(sandbox.pack / "bin" / "holdfast"), "mcp"]
    environment = {**sandbox.environment(""), "CLAUDE_PROJECT_DIR": str(sandbox.project)}
    add = [holdfast[0], "memory", "add", "decision", "use integer cents", "--text", "because floats drift"]
    subprocess.run(add, cwd=sandbox.project, env=environment, check=True, capture_output=True)
    adds = [str(sandbox.client), "mcp", "add", "holdfast", "--scope", "project", "--", *holdfast]
    subprocess.run(adds, cwd=sandbox.project, env=environment, check=True, capture_output=True)
    config = sandbox.project / ".mcp.json"
    assert json.loads(config.read_text())["mcpServers"]["holdfast"]["command"] == holdfast[0]
    rules = [rule("GO-CENTS", call("mcp__holdfast__memory_search", query="cents"), times=1, tools=True)]
    run = sandbox.run("GO-CENTS how is money kept?", rules, "--mcp-config", str(config), "--strict-mcp-config")
    offered = next(event["tools"] for event in run.events if event.get("subtype") == "init")
    assert "mcp__holdfast__memory_search" in offered
    assert "mcp__holdfast__memory_add" not in offered
    (found,) = [request.last for request in run.requests if "| decision: because floats drift" in request.last]
    assert '<memory id="DEC-' in found
    assert 'trust="trusted: the user said it"' in found
