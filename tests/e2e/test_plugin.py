"""The plugin's own files: what the client's validator says, and that they name what is there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from client import ROOT, Desk
from loopback import call, rule
from reports import SHORT, long_report

MOST_BYTES = 5_000_000


def _hooks() -> list[tuple[str, dict[str, object]]]:
    table = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    return [(event, hook) for event, groups in table.items() for group in groups for hook in group["hooks"]]


def test_the_validator_finds_nothing(client: Path, tmp_path: Path) -> None:
    """`claude plugin validate . --strict --profile directory` ends with 0 and without a finding."""
    desk = Desk(tmp_path, client)
    command = [str(client), "plugin", "validate", str(ROOT), "--strict", "--profile", "directory", "--json"]
    environment = desk.environment("http://127.0.0.1:9")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    report = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert report["success"] is True
    parts = [report["manifest"], *report["contents"]]
    assert [part for part in parts if part["errors"] or part["warnings"]] == []
    assert report["directory"]["findings"] == []


def test_every_hook_has_its_script() -> None:
    """Each entry of hooks.json runs hooks/run with the name of a script that is there, within a timeout."""
    for event, hook in _hooks():
        assert hook["command"] == "${CLAUDE_PLUGIN_ROOT}/hooks/run", event
        assert isinstance(hook["args"], list)
        assert (ROOT / "hooks" / f"{hook['args'][0]}.py").is_file(), hook
        assert 0 < int(str(hook["timeout"])) <= 30
    assert os.access(ROOT / "hooks" / "run", os.X_OK)


def test_the_agents_are_all_named() -> None:
    """plugin.json lists each file of subagents/, no more and no fewer: the client takes no folder there."""
    named = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())["agents"]
    assert sorted(named) == sorted(f"./subagents/{path.name}" for path in (ROOT / "subagents").glob("*.md"))


def test_the_versions_agree() -> None:
    """plugin.json and pyproject.toml tell the same version."""
    version = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())["version"]
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text()


@pytest.fixture(scope="module")
def installed(client: Path, interpreter: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A home with the plugin installed from this very checkout, as the README says; no --plugin-dir."""
    desk = Desk(tmp_path_factory.mktemp("market"), client)
    for command in (["marketplace", "add", str(ROOT)], ["install", "holdfast@holdfast"]):
        environment = desk.environment("http://127.0.0.1:9")
        done = subprocess.run(
            [str(client), "plugin", *command], env=environment, capture_output=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
    data = desk.home / ".claude" / "plugins" / "data" / "holdfast-holdfast"
    data.mkdir(parents=True)
    (data / "interpreter").write_text("\n".join(interpreter) + "\n")
    return desk


def test_what_an_installation_copies_is_small(installed: Desk) -> None:
    """The client copies the checkout with all that stands in it but `.git`: environments and caches stand elsewhere."""
    top = installed.home / ".claude" / "plugins" / "cache"
    sizes = {str(file.relative_to(top)): file.stat().st_size for file in top.rglob("*") if file.is_file()}
    largest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    assert any(name.endswith("hooks/run") for name in sizes)
    assert sum(sizes.values()) < MOST_BYTES, largest


def test_installed_from_a_marketplace_it_works(installed: Desk) -> None:
    """After `plugin marketplace add` and `plugin install` the hooks run, and a sub-agent is held short."""
    run = installed.run(
        "GO-PARENT",
        [
            rule(
                "GO-PARENT",
                call("Agent", description="x", prompt="SUBTASK", subagent_type="general-purpose"),
                times=1,
                tools=True,
            ),
            rule("Stop hook", SHORT, begun="SUBTASK"),
            rule("", long_report("SUBTASK"), begun="SUBTASK"),
        ],
    )
    assert run.code == 0, run.stderr
    assert [h for h in run.hooks() if h.exit_code != 0] == []
    assert {"SessionStart", "SubagentStart", "SubagentStop", "PostToolUse", "Stop"} <= {h.event for h in run.hooks()}
    assert run.holding(SHORT.splitlines()[2], opening="GO-PARENT")
    assert not (installed.home / ".claude/plugins/data/holdfast-holdfast/setup.log").exists()


def test_its_command_is_on_the_path(installed: Desk) -> None:
    """The agent's shell finds `holdfast`, and the agents and skills are there under the plugin's name."""
    which = call("Bash", command="command -v holdfast", description="find it")
    run = installed.run("GO-PATH", [rule("GO-PATH", which, times=1, tools=True)])
    assert [r for r in run.requests if r.last.split("\n")[0].endswith("/bin/holdfast")]
    start = next(e for e in run.events if e.get("subtype") == "init")
    assert {"holdfast:researcher", "holdfast:reviewer"} <= set(start["agents"])
    assert "holdfast:status" in start["skills"]
