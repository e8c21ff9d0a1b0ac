"""The plugin's own files: what the client's validator says, and that they name what is there."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from client import ROOT, Sandbox
from loopback import agent, call, rule
from reports import SHORT, long_report

MOST_BYTES = 5_000_000
BY_HAND = (".venv/", ".mypy_cache/", ".ruff_cache/", ".pytest_cache/")


def test_the_validator_finds_nothing(client: Path, tmp_path: Path) -> None:
    """`claude plugin validate . --strict --profile directory` ends with 0 and without a finding."""
    sandbox = Sandbox(tmp_path, client)
    command = [str(client), "plugin", "validate", str(ROOT), "--strict", "--profile", "directory", "--json"]
    environment = sandbox.environment("http://127.0.0.1:9")
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=60)
    report = json.loads(done.stdout)
    assert done.returncode == 0, done.stdout
    assert report["success"] is True
    parts = [report["manifest"], *report["contents"]]
    assert [part for part in parts if part["errors"] or part["warnings"]] == []
    assert report["directory"]["findings"] == []


def test_the_versions_agree() -> None:
    """plugin.json and pyproject.toml tell the same version."""
    version = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())["version"]
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text()


@pytest.fixture(scope="module")
def installed(client: Path, interpreter: tuple[str, str, str], tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    """A home with the plugin installed from this very checkout, as the README says; no --plugin-dir."""
    sandbox = Sandbox(tmp_path_factory.mktemp("market"), client)
    for command in (["marketplace", "add", str(ROOT)], ["install", "holdfast@holdfast"]):
        environment = sandbox.environment("http://127.0.0.1:9")
        done = subprocess.run(
            [str(client), "plugin", *command], env=environment, capture_output=True, check=False, timeout=60
        )
        assert done.returncode == 0, done.stderr
    data = sandbox.home / ".claude" / "plugins" / "data" / "holdfast-holdfast"
    data.mkdir(parents=True)
    (data / "interpreter").write_text("\n".join(interpreter) + "\n")
    return sandbox


def test_what_an_installation_copies_is_small(installed: Sandbox) -> None:
    """The client copies the checkout with all that stands in it but `.git`: environments and caches stand elsewhere.

    Compiled files are none of it: where no interpreter is named, as in the tests of broken ones, Python puts them
    beside the modules. What tools have left that were run by hand counts only where scripts/check runs this.
    """
    top = next((installed.home / ".claude" / "plugins" / "cache" / "holdfast" / "holdfast").iterdir())
    files = [file for file in top.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    sizes = {str(file.relative_to(top)): file.stat().st_size for file in files}
    if "MYPY_CACHE_DIR" not in os.environ:
        sizes = {name: size for name, size in sizes.items() if not name.startswith(BY_HAND)}
    assert "hooks/run" in sizes
    assert sum(sizes.values()) < MOST_BYTES, sorted(sizes.items(), key=lambda item: -item[1])[:5]


def test_installed_from_a_marketplace_it_works(installed: Sandbox) -> None:
    """The hooks run, a sub-agent is held short, the agent's shell finds `holdfast`; agents and skills are there."""
    which = call("Bash", command="command -v holdfast", description="find it")
    rules = [
        rule("GO-PARENT", agent("SUBTASK"), which, times=1, tools=True),
        rule("Stop hook", SHORT, begun="SUBTASK"),
        rule("", long_report("SUBTASK"), begun="SUBTASK"),
    ]
    run = installed.run("GO-PARENT", rules).undisturbed()
    assert {"SessionStart", "SubagentStart", "SubagentStop", "PostToolUse", "Stop"} <= {h.event for h in run.hooks()}
    assert run.holding(SHORT.splitlines()[2], opening="GO-PARENT")
    assert not (installed.home / ".claude/plugins/data/holdfast-holdfast/setup.log").exists()
    assert any(re.search(r"^/\S+/bin/holdfast$", r.text, re.MULTILINE) for r in run.requests)
    start = next(e for e in run.events if e.get("subtype") == "init")
    assert {"holdfast:researcher", "holdfast:reviewer"} <= set(start["agents"])
    assert "holdfast:status" in start["skills"]
