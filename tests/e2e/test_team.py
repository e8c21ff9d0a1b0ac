"""Several agents in one project, with the real client: one is told what another holds, and nothing is lost."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from client import ROOT, HookRun, Run, Sandbox, SandboxMaker
from loopback import Json, Loopback, Rule, agent, call, rule

GO, FIRST, SECOND = "GO-TEAM settle the ledger", "TASK-FIRST", "TASK-SECOND"
HELD = "is owned by"


def team(sandbox: Sandbox, *arguments: str) -> Any:
    """`holdfast team … --json` in the sandbox's project, as the user would ask."""
    return sandbox.holdfast("team", *arguments, "--json")


def edit(path: Path, old: str, new: str) -> Json:
    """A call that changes one word."""
    return call("Edit", file_path=str(path), old_string=old, new_string=new)


def two_agents(path: Path, first: str = "", second: str = "") -> list[Rule]:
    """One message starts two agents: both read the file, then the first changes a word of it, later the second."""
    return [
        rule(
            GO, *(agent(one, run_in_background=False) for one in (FIRST + first, SECOND + second)), times=1, tools=True
        ),
        rule(FIRST, call("Read", file_path=str(path)), begun=FIRST + first, times=1),
        rule(SECOND, call("Read", file_path=str(path)), begun=SECOND + second, times=1),
        rule("euros", edit(path, "cents", "CENTS"), begun=FIRST + first, times=1, delay=1.5),
        rule("euros", edit(path, "euros", "EUROS"), begun=SECOND + second, times=1, delay=3),
        rule("has been updated", "Decision: PROCEED. Done.", begun=FIRST + first, times=1, delay=3),
    ]


def ledger(sandbox: Sandbox) -> Path:
    """The file that both are to change."""
    path = sandbox.project / "ledger.py"
    path.write_text("cents\neuros\n")
    return path


def asked(run: Run, tool: str) -> list[HookRun]:
    """What the hook said before calls of this tool, where it said anything."""
    return [hook for hook in run.hooks("PreToolUse") if hook.name == f"PreToolUse:{tool}" and hook.reply]


@pytest.fixture(scope="module")
def pair(make_sandbox: SandboxMaker) -> tuple[Sandbox, Run]:
    """Two agents in parallel, which change the same file."""
    sandbox = make_sandbox("dropin")
    return sandbox, sandbox.run(GO, two_agents(ledger(sandbox))).undisturbed()


def test_both_changes_are_in_the_file_and_one_agent_is_told(pair: tuple[Sandbox, Run]) -> None:
    """The second one, in its own window: who holds the file, and that it has changed since it was read."""
    sandbox, run = pair
    assert run.result == "OK done."
    assert (sandbox.project / "ledger.py").read_text() == "CENTS\nEUROS\n"
    (hook,) = asked(run, "Edit")
    assert f"`ledger.py` {HELD} general-purpose" in hook.context
    assert '("task-first")' in hook.context
    assert "changed `ledger.py`" in hook.context
    assert run.holding(HELD, opening=SECOND)
    assert not run.holding(HELD, opening=FIRST)


def test_who_took_and_released_what_can_be_read(pair: tuple[Sandbox, Run]) -> None:
    """And nobody is left at the end."""
    sandbox, _ = pair
    assert [(one["deed"], one["pattern"]) for one in team(sandbox, "audit")] == [
        ("released", "ledger.py"),
        ("took", "ledger.py"),
    ]
    shown = team(sandbox)
    assert (shown["agents"], shown["claims"]) == ([], [])


def test_an_agent_that_ignores_the_warning_is_denied(make_sandbox: SandboxMaker) -> None:
    """In enforce mode, with the reason; what the first one wrote stands."""
    sandbox = make_sandbox("plugin")
    sandbox.configure({"coordination.mode": "enforce"})
    path = ledger(sandbox)
    again = rule("Leave it to them", edit(path, "euros", "EUROS"), begun=SECOND, times=1)
    run = sandbox.run(GO, [*two_agents(path), again]).undisturbed()
    assert path.read_text() == "CENTS\neuros\n"
    decisions = [hook.reply["hookSpecificOutput"].get("permissionDecision") for hook in asked(run, "Edit")]
    assert decisions == ["deny", "deny"]
    assert run.holding("bin/holdfast team` shows who holds what", opening=SECOND)


def test_what_a_task_owns_is_kept_for_its_agent(make_sandbox: SandboxMaker) -> None:
    """From the start of the agent, before it has touched anything; its caller is told of a second task for it."""
    sandbox = make_sandbox("dropin")
    path = ledger(sandbox)
    run = sandbox.run(GO, two_agents(path, "\n\nOwns: *.py", "\n\nOwns: ledger.py"))
    (told,) = asked(run, "Agent")
    assert HELD in told.context
    assert '("task-' in told.context
    assert path.read_text() == "CENTS\nEUROS\n"
    assert [HELD in hook.context for hook in asked(run, "Edit")].count(True) == 1
    deeds = [(one["deed"], one["pattern"]) for one in team(sandbox, "audit")]
    assert deeds.count(("gave", "*.py")) + deeds.count(("gave", "ledger.py")) == 1


@contextmanager
def open_session(sandbox: Sandbox, path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A session that has changed a word of the file and still works."""
    rules = [
        rule("GO-LONG", call("Read", file_path=str(path)), times=1, tools=True),
        rule("euros", edit(path, "cents", "CENTS"), times=1),
        rule("has been updated", call("Bash", command="touch changed; sleep 60", description="wait"), times=1),
    ]
    with Loopback(rules) as api:
        process = subprocess.Popen(
            sandbox.command("-p", "GO-LONG convert to cents"),
            cwd=sandbox.project,
            env=sandbox.environment(api.url),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            for _ in range(600):
                if (sandbox.project / "changed").exists():
                    break
                time.sleep(0.1)
            yield process
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()


def short(path: Path, prompt: str) -> list[Rule]:
    """A second session: it reads the file and changes another word."""
    return [
        rule(prompt, call("Read", file_path=str(path)), times=1, tools=True),
        rule("euros", edit(path, "euros", "EUROS"), times=1),
    ]


def test_two_sessions_and_an_owner_that_is_killed(make_sandbox: SandboxMaker) -> None:
    """A start says who else is here and what it took while it was alone; killed, it holds nothing."""
    sandbox = make_sandbox("plugin")
    path = ledger(sandbox)
    with open_session(sandbox, path):
        run = sandbox.run("GO-SHORT", short(path, "GO-SHORT"))
        start = run.hooks("SessionStart")[-1]
        assert "also at work in this project: session" in start.context
        assert 'GO-LONG convert to cents"' in start.context
        assert "holds `ledger.py`" in start.context
        (hook,) = asked(run, "Edit")
        assert f"`ledger.py` {HELD} session" in hook.context
        assert path.read_text() == "CENTS\nEUROS\n"
        assert [one["kind"] for one in team(sandbox)["agents"]] == ["main"]
    path.write_text("CENTS\neuros\n")
    after = sandbox.run("GO-AFTER", short(path, "GO-AFTER"))
    assert "also at work" not in after.hooks("SessionStart")[-1].context
    assert asked(after, "Edit") == []
    assert path.read_text() == "CENTS\nEUROS\n"
    assert [(one["deed"], one["pattern"]) for one in team(sandbox, "audit")][:1] == [("released", "ledger.py")]


def test_a_sub_agent_keeps_no_decision(make_sandbox: SandboxMaker) -> None:
    """Its command is denied with what to do instead; its caller's is made."""
    sandbox = make_sandbox("plugin")
    keep = call("Bash", command=f"{ROOT}/bin/holdfast memory add decision 'use cents' --text 'floats drift'")
    run = sandbox.run(
        GO,
        [
            rule(GO, agent(FIRST, run_in_background=False), times=1, tools=True),
            rule(FIRST, keep, begun=FIRST, times=1),
            rule("Say it in your report", "Decision: PROCEED\n\nDECISION: use cents.", begun=FIRST, times=1),
            rule("use cents", keep, times=1, tools=True),
        ],
    )
    (denied,) = asked(run, "Bash")
    assert "decisions and rules are not a sub-agent's to write" in str(denied.reply)
    assert [one.reply for one in run.hooks("PreToolUse") if one.name == "PreToolUse:Bash"][-1] == {}
    assert len(list((sandbox.state / "memory" / "decisions").glob("*.md"))) == 1


def test_what_a_sub_agents_commands_claim_and_change(make_sandbox: SandboxMaker) -> None:
    """A claim is that agent's and no session's; the change of a file that its caller does not hold is told to it."""
    sandbox = make_sandbox("plugin")
    path = ledger(sandbox)
    command = f"{ROOT}/bin/holdfast team claim 'docs/**' && sed -i s/euros/EUROS/ ledger.py"
    wait = "until grep -q {} ledger.py; do sleep .2; done; sleep 3"  # and until the hook behind that has run
    rules = [
        *two_agents(path)[:2],
        rule("euros", edit(path, "cents", "CENTS"), begun=FIRST, times=1),
        rule(
            SECOND,
            call("Bash", command=f"{wait.format('CENTS')}; echo wai''ted", description="wait"),
            begun=SECOND,
            times=1,
        ),
        rule("has been updated", call("Bash", command=wait.format("EUROS"), description="wait"), begun=FIRST, times=1),
        rule("waited", call("Bash", command=command, description="claim"), begun=SECOND, times=1),
    ]
    run = sandbox.run(GO, rules).undisturbed()
    told = [one.context for one in run.hooks("PostToolUse") if "while this command ran" in one.context]
    assert ["`ledger.py`, owned by general-purpose" in one for one in told] == [True]
    assert run.holding("while this command ran", opening=SECOND)
    took = {one["pattern"]: one["agent"] for one in team(sandbox, "audit") if one["deed"] == "took"}
    assert set(took) == {"docs/**", "ledger.py"}
    assert len({*took.values(), run.session}) == 3
    assert path.read_text() == "CENTS\nEUROS\n"
