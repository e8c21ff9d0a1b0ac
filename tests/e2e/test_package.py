"""A handoff package in the real client: a sub-agent reads it, and whoever made it sees that."""

from typing import Any

from client import Sandbox, SandboxMaker
from loopback import agent, call, rule


def handoff(sandbox: Sandbox, *arguments: str) -> Any:
    """`holdfast handoff … --json` in the sandbox's project, as the user would ask."""
    return sandbox.holdfast("handoff", *arguments, "--json")


def test_a_sub_agent_that_reads_a_package_has_received_it(make_sandbox: SandboxMaker) -> None:
    """Whole, in its own window, by the client's Read; the list says who, and the caller's window has none of it."""
    sandbox = make_sandbox("plugin")
    work = rule("GO-WORK", call("Bash", command="seq 6000 6400", description="count"), times=1, tools=True)
    sandbox.run("GO-WORK on the refunds. RULE: never touch the ledger", [work]).undisturbed()
    made = handoff(sandbox, "package", "--kind", "emergency", "--for", "writer", "--task", "Go on with the refunds.")
    assert handoff(sandbox, "package", "--list")["packages"][0]["received"] == []
    task = f"First read {made['path']}; it says what to do. TASK-ON"
    run = sandbox.run(
        "GO-ON with it",
        [
            rule("GO-ON", agent(task, run_in_background=False), times=1, tools=True),
            rule("TASK-ON", call("Read", file_path=made["path"]), begun="TASK-ON", times=1),
        ],
    ).undisturbed()
    assert run.holding("Handoff package HO-", "never touch the ledger", "6400", opening="TASK-ON")
    assert not run.holding("Handoff package HO-", opening="GO-ON")
    (receipt,) = handoff(sandbox, "package", "--list")["packages"][0]["received"]
    assert receipt["how"] == "read"
    assert receipt["who"].startswith("general-purpose ")
