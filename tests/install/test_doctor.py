"""`holdfast doctor` says what is wrong and what to do, and fires every hook for real."""

import json
import os
import tempfile
from dataclasses import asdict
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from holdfast.cli.main import main
from holdfast.hot import wiring
from holdfast.hot.files import write_atomic
from holdfast.install import doctor, environment, installer, observed, pack, settings
from holdfast.install.record import InstallationRecord
from holdfast.install.results import Examined
from holdfast.memory.store import project_memory
from tests.memory.memories import git, record

Captured = pytest.CaptureFixture[str]
HOOKS = Path(__file__).resolve().parents[2] / "hooks"


def _findings(capsys: Captured) -> dict[str, dict[str, object]]:
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


def test_a_project_without_the_pack_is_told_so(project: Path, capsys: Captured) -> None:
    """Hooks run, and the missing entry is named with what to do; so are missing packages."""
    found = _findings(capsys)
    assert not found["hooks wired"]["ok"]
    assert f"Run `holdfast install {project}`" in str(found["hooks wired"]["todo"])
    assert "settings.local.json" in str(found["hooks wired"]["what"])
    assert not found["packages"]["ok"]
    assert {name for name in found if name.startswith("hook ")} == {f"hook {path.stem}" for path in HOOKS.glob("*.py")}
    assert {name: f["what"] for name, f in found.items() if name.startswith("hook ") and not f["ok"]} == {}


@pytest.mark.usefixtures("unfired", "project")
def test_a_client_that_is_not_here_is_not_said_to_be_fine(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "program", lambda _: "")
    main(["doctor"])
    (line,) = (line for line in capsys.readouterr().out.splitlines() if " client " in line)
    assert line.split(maxsplit=2)[::2] == ["--", f"not checked: claude is not on PATH; {doctor.TESTED}"]


LAUNCHER = ".claude/holdfast/pack/hooks/run"
WANTED = installer.SettingsFile(HOOKS, "settings.json", InstallationRecord()).wanted.hooks
DROPPED: dict[str, object] = {"hooks": WANTED}
PART = {event: groups for event, groups in WANTED.items() if event not in ("Stop", "PreCompact")}
OTHER = json.dumps(DROPPED).replace("holdfast/pack/", "holdfast/pack2/")
FOREIGN = {"Stop": [{"hooks": [{"type": "command", "command": '"/x/hooks/run" stop'}]}]}
WIDE = json.dumps(DROPPED).replace('"Agent|Task|Edit|Write|MultiEdit|NotebookEdit"', '"*"')
NARROW = json.dumps(DROPPED).replace('"matcher": "*"', '"matcher": "Bash"')
BARE = ({"command": "x"}, {"type": "command"}, {"type": "command", "command": "x", "timeout": "5"})
"""What is no hook; for one that may guard the permissions a client (2.1.329) takes nothing of the file."""
SPOILT = [{**WANTED["Stop"][0]["hooks"][0], **more} for more in ({"type": "prompt"}, {"timeout": "15"}, {"timeout": 0})]
GUARD = 'a hook of "PreToolUse" has no type, no command or no timeout above 0: Claude Code ignores that whole file'


def _with(event: str, *hooks: object) -> dict[str, object]:
    return {"hooks": {**WANTED, event: [{"hooks": hooks}]}}


PLUGIN: dict[str, object] = {"enabledPlugins": {"holdfast@holdfast": True}}


@pytest.mark.usefixtures("unfired")
def test_a_checkout_says_which_pack_it_looks_at(
    project: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(project))
    assert _findings(capsys)["pack"]["what"] == str(HOOKS.parent)
    installed = pack.user_folder() / "pack"
    installed.mkdir(parents=True)
    told = str(_findings(capsys)["pack"]["what"])
    another = f"projects run the pack at {installed}; check that one with"
    assert told == f"{HOOKS.parent}; {another}: {installed}/bin/holdfast doctor"


TWICE = "its skills and agents are listed a second time until you run here: claude plugin"
WAYS = "Install it again: `holdfast install {0}`, or take it out: `holdfast install {0} --uninstall`"


@pytest.mark.usefixtures("unfired")
@pytest.mark.parametrize(
    ("entry", "there", "is_fine", "told"),
    [
        (DROPPED, "pack", True, "by the entries in"),
        (PLUGIN, "plugin", True, "plugin"),
        ({**DROPPED, **PLUGIN}, "pack plugin", True, TWICE),
        (DROPPED, "", False, f"settings.json names {{0}}/home/{LAUNCHER}, which is gone. {WAYS}"),
        ({**DROPPED, **PLUGIN}, "plugin", True, "which is gone; by the plugin that {0}/.claude/settings.json "),
        ({**DROPPED, "disableAllHooks": True}, "pack", False, "switched off: disableAllHooks in {0}/.claude/settings"),
        (PLUGIN, "pack", False, "settings.json enables the plugin, which is not installed. Run `holdfast install {0}`"),
        ({**DROPPED, **PLUGIN}, "pack", True, "by the entries in {0}/.claude/settings.json; {0}/.claude/settin"),
        ({"hooks": FOREIGN}, "", False, "no entry in {0}/.claude/settings.json or settings.local.json, no plugin"),
        ({"hooks": {**PART, **FOREIGN}}, "pack", False, "lacks hooks of Holdfast's at Stop, PreCompact. Run `"),
        (NARROW, "pack", False, "settings.json lacks hooks of Holdfast's at PostToolUse, PostToolUseFailure. Run"),
        (OTHER, "pack", False, "pack2/hooks/run, which is gone. Install it again: `holdfast install {0}`"),
        ("[", "pack", False, "settings.json: not valid JSON (Expecting value) at line 1, column 2: Claude Code"),
        (WIDE, "pack", True, "by the entries in"),
        *((_with("Stop", one), "pack", False, "hooks of Holdfast's at Stop. Run") for one in SPOILT),
        *((_with("PreToolUse", one), "pack", False, GUARD) for one in BARE),
        (_with("Setup", *BARE), "pack", True, "by the entries in"),
        ({"hooks": [], **PLUGIN}, "plugin", True, "by the plugin that {0}/.claude/settings.json enables; none has run"),
    ],
)
def test_an_installed_pack_is_seen(
    entry: dict[str, object] | str,
    there: str,
    is_fine: bool,
    told: str,
    project: Path,
    capsys: Captured,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both ways of installing count; of two it is said which one speaks, and where not every hook runs, why."""
    home = project / "home"
    (project / ".claude").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    (home / LAUNCHER).parent.mkdir(parents=True)
    if "pack" in there:
        (home / LAUNCHER).touch()
    plugins_there(home, there)
    write_atomic(str(project / ".claude" / "settings.json"), entry if isinstance(entry, str) else json.dumps(entry))
    found = _findings(capsys)["hooks wired"]
    assert found["ok"] == is_fine
    assert told.format(project) in f"{found['what']}. {found['todo']}"


HERE = "settings.json does not hold for sessions that are started here, in {0}/sub. Start Claude"
BY_MANAGERS = "in {0}/etc/managed-settings.json. Ask"


@pytest.mark.usefixtures("unfired")
@pytest.mark.parametrize(
    ("start", "name", "managed", "told"),
    [
        ("sub", "settings.json", "", HERE),
        ("sub", "settings.local.json", "", "by the entries in {0}/.claude/settings.local.json; none has run since"),
        *((".", "settings.json", key, f"{key} {BY_MANAGERS}") for key in ("allowManagedHooksOnly", "disableAllHooks")),
    ],
)
def test_where_a_session_is_started_decides(
    start: str, name: str, managed: str, told: str, project: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And above all whoever manages the machine."""
    git(project, "init", "-q")
    for module in (wiring, doctor, settings):
        monkeypatch.setattr(module, "MANAGED", f"{project}/etc")
    files = {f"{project}/.claude/{name}": DROPPED, f"{project}/etc/managed-settings.json": {managed: True}}
    for path, text in {**files, f"{project}/sub/x": {}, f"{os.environ['HOME']}/{LAUNCHER}": {}}.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_atomic(path, json.dumps(text))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", os.path.normpath(project / start))
    found = _findings(capsys)["hooks wired"]
    assert (found["ok"], told.format(project) in f"{found['what']}. {found['todo']}") == ("none" in told, True)


@pytest.mark.usefixtures("unfired")
def test_whether_hooks_have_run_decides(project: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings do not tell whether a client takes them."""
    monkeypatch.setattr(settings, "wired", lambda _: settings.Wiring("x", (), "", "", "", "", ""))
    log, ways = project / ".claude/holdfast/sessions/a/hook.log", []
    for when in (1.0, 0.0, 1.0):  # one that ran none, before the last that did
        monkeypatch.setattr(observed, "ran_none", lambda *_, when=when: when)
        found = _findings(capsys)["hooks wired"]
        ways.append((found["ok"], found["unchecked"], str(found["what"])[:28]))
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch() if not when else None  # from the second on
    assert ways == [
        (False, False, "by the entries in x, but the"),
        (True, True, "by the entries in x; none ha"),
        (True, False, "by the entries in x"),
    ]


@pytest.mark.usefixtures("unfired")
def test_what_is_proposed_can_be_done(project: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    """No installation into the home; an interpreter that is gone is named."""
    monkeypatch.setenv("HOME", str(project))
    environment.write_sidecar(str(project / "data" / environment.SIDECAR), environment.Baked("/gone/python", ""))
    found = _findings(capsys)
    assert "holdfast install" not in str(found["hooks wired"]["todo"])
    assert str(found["interpreter"]["what"]).startswith("/gone/python is gone")


def plugins_there(home: Path, there: str) -> None:
    """As the client notes those that are installed."""
    path = home / ".claude" / "plugins" / "installed_plugins.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"version": 2, "plugins": {"holdfast@holdfast": []} if "plugin" in there else {}}))


@pytest.mark.parametrize(("variable", "to"), [("HOME", "home"), ("CLAUDE_CONFIG_DIR", "home/.claude")])
def test_a_plugin_that_is_disabled_here_is_none(
    variable: str, to: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, str(project / to))
    plugins_there(project / "home", "plugin")
    for folder, on in ((project / "home", True), (project, False)):
        (folder / ".claude").mkdir(parents=True, exist_ok=True)
        name = "settings.json" if on else "settings.local.json"
        (folder / ".claude" / name).write_text(json.dumps({"enabledPlugins": {"holdfast@holdfast": on}}))
    assert settings.wired(str(project / "other")).enabled.endswith("home/.claude/settings.json")
    told = settings.wired(str(project))
    assert (told.dropped, told.enabled, told.absent, told.disabled, told.torn) == ("", "", "", "", "")


@pytest.mark.usefixtures("unfired")
def test_what_is_wrong_with_the_state_is_shown(project: Path, capsys: Captured) -> None:
    state = project / ".claude" / "holdfast"
    (state / "logs").mkdir(parents=True)
    (state / "config.json").write_text('{"handoff": {"limit": 3}}')
    (state / "logs" / "faults.log").write_text("2026-01-01T00:00:00 Stop OSError: no space\n")
    assert main(["doctor"]) == 1
    told = capsys.readouterr().out
    assert "3 is not allowed for handoff.limit" in told
    assert "no space" in told
    (project / ".claude").rename(project / "aside")
    (project / ".claude").write_text("not a folder")
    found = _findings(capsys)["write access"]
    assert (found["ok"], "HOLDFAST_DIR" in str(found["todo"])) == (False, True)


@pytest.mark.usefixtures("unfired")
def test_a_variable_is_no_file_to_mend(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    (project / "mine").write_text("mine")
    monkeypatch.setenv("HOLDFAST_DIR", str(project))
    found = _findings(capsys)["configuration"]
    assert ("HOLDFAST_DIR is " in str(found["what"]), "file" in str(found["todo"])) == (True, False)


@pytest.mark.usefixtures("unfired")
@pytest.mark.parametrize("shut", [".claude/holdfast", ".claude/holdfast/memory/decisions", ".git/holdfast"])
def test_what_one_run_as_root_has_left_is_shown(
    shut: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    """With the command that mends it; it leaves the user's own files as they are, whose dates are marks."""
    git(project, "init", "-q")
    memory = Path(project_memory(str(project)).add(record()).path).parent.parent
    assert _findings(capsys)["write access"]["ok"]
    monkeypatch.setattr(os, "access", lambda path, _: not str(path).endswith(f"/{shut}"))
    monkeypatch.setattr(os, "geteuid", lambda: memory.stat().st_uid + 1)
    found = _findings(capsys)["write access"]
    assert (found["ok"], f"{project}/{shut} may not be written, and" in str(found["what"])) == (False, True)
    assert f"sudo find {project}/{shut.removesuffix('/decisions')} -user {memory.stat().st_uid} -exec" in str(
        found["todo"]
    )


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("#!/bin/sh\necho broken >&2\nexit 3\n", "ended with 3: broken"),
        ((HOOKS / "run").read_text()[:500], "it left no sign that it ran"),
    ],
    ids=["fails", "cut off"],
)
def test_a_hook_that_does_not_run_is_found(script: str, told: str, tmp_path: Path) -> None:
    """Silence is no answer: the launcher hides what is torn from the client."""
    run = tmp_path / "run"
    run.write_text(script)
    os.chmod(run, 0o700)
    found = {name: trouble for name, _, trouble in doctor.fire_all(str(tmp_path))}
    assert found == dict.fromkeys(doctor.PAYLOADS, told)


def test_a_temporary_folder_in_a_repository_is_as_good(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each hook signs, and leaves nothing there: `git init` was once made in /tmp."""
    git(tmp_path, "init", "-q")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    before = sorted(tmp_path.rglob("*"))
    assert [trouble for _, _, trouble in doctor.fire_all(str(HOOKS)) if trouble] == []
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.usefixtures("unfired")
@pytest.mark.parametrize(
    ("link", "to", "told"),
    [
        (
            ".claude/holdfast",
            "{0}/outside",
            "holdfast: it leads out of the project, to '{0}/outside', and is not used. Put",
        ),
        (
            ".claude/holdfast/sessions",
            "{0}/outside",
            "sessions is a link or a file, not a folder. Make it one that you",
        ),
        (
            ".claude/holdfast/memory",
            "nowhere",
            "memory is a link or a file, not a folder. Make it one that you may write",
        ),
    ],
)
def test_a_link_in_the_place_of_a_folder_is_told(
    link: str, to: str, told: str, project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    top = project / "project"
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(top))
    (top / link).parent.mkdir(parents=True)
    (project / "outside").mkdir()
    (top / link).symlink_to(to.format(project))
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)  # whose it is does not matter
    found = _findings(capsys)["write access"]
    assert not found["ok"]
    assert told.format(project) in f"{found['what']}. {found['todo']}"


def test_what_is_switched_off_is_told(project: Path, capsys: Captured) -> None:
    own = Path(os.environ["HOME"], ".claude", "holdfast", "config.json")
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('{"hooks.off": ["Stop"], "digest.on": false}')
    found = _findings(capsys)
    off = {name: finding["what"] for name, finding in found.items() if finding["off"]}
    assert off == {"digest.on": f"by digest.on in {own}", "hook stop": f"by hooks.off in {own}"}


def test_all_is_off(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setenv("HOLDFAST_OFF", "1")
    main(["doctor"])
    hooks = [line for line in capsys.readouterr().out.splitlines() if "  hook " in line]
    assert len(hooks) == len(doctor.PAYLOADS)
    assert all(line.startswith("off") and "HOLDFAST_OFF=1" in line for line in hooks)
