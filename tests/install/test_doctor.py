"""`holdfast doctor` says what is wrong and what to do, and fires every hook for real."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from holdfast.cli.main import main
from holdfast.hot import wiring
from holdfast.hot.files import write_atomic
from holdfast.install import doctor, environment, pack, settings
from holdfast.install.results import Examined
from holdfast.memory.store import project_memory
from tests.memory.memories import git, record

HOOKS = Path(__file__).resolve().parents[2] / "hooks"


def _findings(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, object]]:
    main(["doctor", "--json"])
    out = capsys.readouterr().out
    told = asdict(TypeAdapter(Examined).validate_json(out, strict=True))
    assert told == json.loads(out)
    return {finding["name"]: finding for finding in told["findings"]}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own, and an interpreter baked in for its hooks, so that nothing is looked for."""
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path))
    monkeypatch.setenv("CLAUDE_PLUGIN_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("HOLDFAST_DIR", raising=False)
    (tmp_path / "data").mkdir()
    baked = environment.Baked(environment.real_interpreter(), "")
    environment.write_sidecar(str(tmp_path / "data" / environment.SIDECAR), baked)
    return tmp_path


@pytest.fixture
def unfired(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hooks are not asked, where something else is looked at."""
    monkeypatch.setattr(doctor, "fire_all", lambda *_: iter(()))


def test_a_project_without_the_pack_is_told_so(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Hooks run, and the missing entry is named with what to do; so are missing packages."""
    found = _findings(capsys)
    assert not found["hooks wired"]["ok"]
    assert f"Run `holdfast install {project}`" in str(found["hooks wired"]["todo"])
    assert "settings.local.json" in str(found["hooks wired"]["what"])
    assert not found["packages"]["ok"]
    assert {name for name in found if name.startswith("hook ")} == {f"hook {path.stem}" for path in HOOKS.glob("*.py")}
    assert {name: f["what"] for name, f in found.items() if name.startswith("hook ") and not f["ok"]} == {}


@pytest.mark.usefixtures("unfired", "project")
def test_a_client_that_is_not_here_is_not_said_to_be_fine(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "program", lambda _: "")
    main(["doctor"])
    (line,) = (line for line in capsys.readouterr().out.splitlines() if " client " in line)
    assert line.split(maxsplit=2)[::2] == [
        "--",
        f"not checked: claude is not on PATH; tested with {doctor.TESTED_CLIENT}",
    ]


LAUNCHER = ".claude/holdfast/pack/hooks/run"
DROPPED: dict[str, object] = {
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": wiring.shell_command("stop")}]}]}
}
PLUGIN: dict[str, object] = {"enabledPlugins": {"holdfast@holdfast": True}}


@pytest.mark.usefixtures("unfired")
def test_a_checkout_says_which_copy_it_looks_at(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    assert _findings(capsys)["copy"]["what"] == str(HOOKS.parent)
    installed = pack.user_folder() / "pack"
    installed.mkdir(parents=True)
    told = str(_findings(capsys)["copy"]["what"])
    another = f"projects run another one, {installed}, which checks itself"
    assert told == f"{HOOKS.parent}; {another}: {installed}/bin/holdfast doctor"


TWICE = "its skills and agents are listed a second time until you run here: claude plugin"
WAYS = "Install it again: `holdfast install {0}`, or take it out: `holdfast install {0} --uninstall`"


@pytest.mark.usefixtures("unfired")
@pytest.mark.parametrize(
    ("entry", "has_pack", "is_fine", "told"),
    [
        (DROPPED, True, True, "dropped in"),
        (PLUGIN, False, True, "plugin"),
        ({**DROPPED, **PLUGIN}, True, True, TWICE),
        (DROPPED, False, False, f"settings.json names {{0}}/{LAUNCHER}, which is gone. {WAYS}"),
        ({**DROPPED, **PLUGIN}, False, True, "which is gone; plugin, {0}/.claude/settings.json. "),
        ({**DROPPED, "disableAllHooks": True}, True, False, "switched off: disableAllHooks in {0}/.claude/settings"),
    ],
    ids=["drop-in", "plugin", "both", "no pack", "plugin and no pack", "off"],
)
def test_an_installed_pack_is_seen(
    entry: dict[str, object],
    has_pack: bool,
    is_fine: bool,
    told: str,
    project: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both ways of installing count; of two it is said which one speaks, and where no hook runs, why."""
    monkeypatch.setenv("HOME", str(project))
    (project / LAUNCHER).parent.mkdir(parents=True)
    if has_pack:
        (project / LAUNCHER).touch()
    write_atomic(str(project / ".claude" / "settings.json"), json.dumps(entry))
    found = _findings(capsys)["hooks wired"]
    assert found["ok"] == is_fine
    assert told.format(project) in f"{found['what']}. {found['todo']}"


def test_a_plugin_that_is_disabled_here_is_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands nearer to the project decides."""
    monkeypatch.setenv("HOME", str(project / "home"))
    for folder, on in ((project / "home", True), (project, False)):
        (folder / ".claude").mkdir(parents=True)
        name = "settings.json" if on else "settings.local.json"
        (folder / ".claude" / name).write_text(json.dumps({"enabledPlugins": {"holdfast@holdfast": on}}))
    assert settings.wired(str(project / "other")).enabled.endswith("home/.claude/settings.json")
    assert settings.wired(str(project)) == ("", "", "", "")


@pytest.mark.usefixtures("unfired")
def test_what_is_wrong_with_the_state_is_shown(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A setting, an old fault, a file in the folder's place with the way out; the exit code is 1."""
    state = project / ".claude" / "holdfast"
    (state / "logs").mkdir(parents=True)
    (state / "config.json").write_text('{"handoff": {"limit": 3}}')
    (state / "logs" / "faults.log").write_text("2026-01-01T00:00:00 Stop OSError: no space\n")
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "handoff.limit is 3" in told
    assert "no space" in told
    (project / ".claude").rename(project / "aside")
    (project / ".claude").write_text("not a folder")
    found = _findings(capsys)["write access"]
    assert (found["ok"], "HOLDFAST_DIR" in str(found["todo"])) == (False, True)


@pytest.mark.usefixtures("unfired")
@pytest.mark.parametrize("shut", [".claude/holdfast", ".claude/holdfast/memory/decisions", ".git/holdfast"])
def test_what_one_run_as_root_has_left_is_shown(
    shut: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the command that mends it; it leaves the user's own files as they are, whose dates are marks."""
    git(project, "init", "-q")
    memory = Path(project_memory(str(project)).add(record()).path).parent.parent
    assert _findings(capsys)["write access"]["ok"]
    monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith(f"/{shut}"))
    monkeypatch.setattr(os, "geteuid", lambda: memory.stat().st_uid + 1)
    found = _findings(capsys)["write access"]
    assert (found["ok"], f"{project}/{shut} is no folder, or may not be written, and" in str(found["what"])) == (
        False,
        True,
    )
    assert f"sudo find {project}/{shut.removesuffix('/decisions')} -user {memory.stat().st_uid} -exec" in str(
        found["todo"]
    )


def test_a_hook_that_fails_is_found(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    os.chmod(run, 0o700)
    name, _, trouble = next(doctor.fire_all(str(tmp_path)))
    assert name == "session_start"
    assert trouble == "ended with 3: broken"


def test_what_is_switched_off_is_told(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hook that does not run here and a feature that is off are not "ok": who says so stands there."""
    own = Path(os.environ["HOME"], ".claude", "holdfast", "config.json")
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('{"hooks.off": ["Stop"], "digest.on": false}')
    found = _findings(capsys)
    off = {name: finding["what"] for name, finding in found.items() if finding["off"]}
    assert off == {"digest.on": f"by digest.on in {own}", "hook stop": f"by hooks.off in {own}"}


def test_all_is_off(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("HOLDFAST_OFF", "1")
    main(["doctor"])
    hooks = [line for line in capsys.readouterr().out.splitlines() if "  hook " in line]
    assert len(hooks) == len(doctor.PAYLOADS)
    assert all(line.startswith("off") and "HOLDFAST_OFF=1" in line for line in hooks)
