import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import TypeAdapter

from holdfast.checkpoint import git
from holdfast.cli import install as command
from holdfast.errors import BadInput, Fault
from holdfast.hot import wiring
from holdfast.hot.files import Lock
from holdfast.hot.paths import PACK
from holdfast.install import concurrent_edit, environment, installer, pack, record
from holdfast.install.results import Failed, Installed, Uninstalled

HOOKS = {
    "Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/run", "args": ["stop"]}]}],
    "PreToolUse": [
        {
            "matcher": "Agent|Task",
            "hooks": [{"type": "command", "command": '"${CLAUDE_PLUGIN_ROOT}"/hooks/run pre_tool_use', "timeout": 5}],
        }
    ],
}
AGENT = "---\nname: researcher\ndescription: looks things up\n---\nSee /holdfast:status.\n"


put = partial(installer.install, shared=True)
OTHER = {"type": "command", "command": f'echo "{PACK} stop"; cat >/dev/null'}
"""A hook of the user's own that mentions our path."""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A pack with little in it."""
    made = tmp_path / "source"
    for folder in ("hooks/holdfast", "bin", "subagents", "skills/status"):
        (made / folder).mkdir(parents=True)
    (made / "hooks" / "hooks.json").write_text(json.dumps({"hooks": HOOKS}))
    (made / "hooks" / "run").write_text("#!/bin/sh\nexit 0\n")
    (made / "hooks" / "interpreter").write_text("/not/this/one\n\n")
    (made / "hooks" / "holdfast" / "a.py").write_text("x = 1\n")
    (made / "subagents" / "researcher.md").write_text(AGENT)
    (made / "skills" / "status" / "SKILL.md").write_text("---\nname: status\n---\nx\n")
    return made


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: Path) -> Path:
    """A project whose path has a space, a home of its own, and no network for packages."""
    project = tmp_path / "my project"
    project.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.setattr(installer, "SOURCE", source)
    monkeypatch.setattr(concurrent_edit, "SETTLE_S", (0.0,))
    monkeypatch.setattr(environment, "make", lambda folder, *_: environment.site_of(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return project


def given(project: Path, content: bytes) -> Path:
    path = project / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


def everything(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def changed(project: Path, **more: Any) -> None:
    """As when the client writes a setting of the user's."""
    given(project, json.dumps({**settled(project), **more}).encode())


def forgotten(project: Path) -> None:
    """As on a machine that has not installed it: no state folder, no record."""
    shutil.rmtree(project / ".claude" / "holdfast")
    record.place_of(project / ".claude" / "holdfast").unlink()


def settled(project: Path) -> Any:
    return json.loads((project / ".claude" / "settings.json").read_text(encoding="utf-8-sig"))


SETTINGS = [
    pytest.param(b"{}", id="empty-object"),
    pytest.param(b"{ \n }\n", id="spaced-object"),
    pytest.param(b"", id="empty-file"),
    pytest.param(b'{"model":"opus"}', id="one-line"),
    pytest.param(b'{\r\n\t"model": "opus"\r\n}\r\n', id="crlf-and-tabs"),
    pytest.param('\ufeff{\n  "env": {"A": "\\u00e9ö"}\n}'.encode(), id="bom-and-escapes"),
    pytest.param(b'{"n": 1.0000000000000000000001e-7, "n": 2}', id="long-number-doubled-key"),
    pytest.param(b'{\n    "hooks": {\n        "Stop": []\n    }\n}', id="empty-event"),
    pytest.param(
        b'{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}, "statusLine": {}}',
        id="own-hooks-and-line",
    ),
]


@pytest.mark.parametrize("content", SETTINGS)
def test_uninstall_restores_the_settings_byte_for_byte(place: Path, content: bytes) -> None:
    """Nothing else having changed them, they are as they were, mode included; twice in is once in."""
    path = given(place, content)
    path.chmod(0o640)
    put(place)
    once = everything(place)
    assert path.read_bytes() != content
    put(place)
    assert everything(place) == once
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert installer.uninstall(place).settings == "restored"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert everything(place) == {".claude/settings.json": content}


@pytest.mark.parametrize("again", [False, True], ids=["once", "installed again since"])
@pytest.mark.parametrize("before", ['{"a": 1}', "{}", ""], ids=["there", "empty", "made by the installation"])
def test_a_change_since_then_survives_uninstalling(place: Path, before: str, again: bool) -> None:
    """The client's own rewriting keeps its new keys; exactly our entries go."""
    if before:
        given(place, before.encode())
    put(place)
    changed(place, b=2)
    if again:
        put(place)
    assert installer.uninstall(place).settings == ("restored" if again else "cleaned")
    assert settled(place) == {**json.loads(before or "{}"), "b": 2}


@pytest.mark.parametrize(
    "command",
    [
        OTHER["command"],
        f'"$CLAUDE_PROJECT_DIR{PACK}" stop',
        f"{wiring.shell_command('stop')} && mine",
        f"mine; {wiring.shell_command('stop')}",
        wiring.shell_command("x; mine #"),
        wiring.shell_command("stop").replace("stop", "stop\u202e"),
        *(
            wiring.shell_command("session_start", origin=origin)
            for origin in ('https://x"};;esac;mine', "https://x';mine;'")
        ),
    ],
)
def test_a_users_own_hook_that_mentions_our_path_survives(place: Path, command: str) -> None:
    """Only what is ours word for word, but for what it prints, goes."""
    mine = {"type": "command", "command": command}
    given(place, json.dumps({"hooks": {"Stop": [{"hooks": [mine]}]}, "statusLine": mine}).encode())
    put(place)
    changed(place, b=2)
    installer.uninstall(place)
    assert settled(place) == {"hooks": {"Stop": [{"hooks": [mine]}]}, "statusLine": mine, "b": 2}


@pytest.mark.parametrize("again", [False, True], ids=["taken out", "installed again before"])
@pytest.mark.parametrize("shared", [False, True], ids=["local", "shared"])
def test_without_its_record_exactly_ours_is_taken_out(place: Path, again: bool, shared: bool) -> None:
    """Somebody removed the state folder: the entries are known by their command, and never pass for the user's."""
    path = given(place, b'{"a": 1}')
    path = path.rename(path.with_name("settings.json" if shared else "settings.local.json"))
    installer.install(place, shared=shared)
    record.place_of(place / ".claude" / "holdfast").unlink()
    if again:
        installer.install(place, shared=shared)
    assert installer.uninstall(place).settings != "untouched"
    assert json.loads(path.read_text()) == {"a": 1}


@pytest.mark.parametrize(
    ("content", "where"),
    [
        pytest.param(b'{"a": 1,\n}', "line", id="not-json"),
        pytest.param(b'{"a": "\xff"}', "not UTF-8 at byte 7", id="not-utf8"),
        pytest.param(b'{"a": 1e400}', "1e400 is no number that can be kept", id="beyond a double"),
        pytest.param(b'{"hooks": {"\\u001b]0;x\\n": 5}}', '"hooks"." ]0;x " should be a list', id="steers a screen"),
    ],
)
def test_settings_that_cannot_be_edited_are_left_alone(
    place: Path, capsys: pytest.CaptureFixture[str], content: bytes, where: str
) -> None:
    """One line says file, place and what to do; nothing at all is changed."""
    given(place, content)
    code = command.main([str(place), "--shared"])
    said = capsys.readouterr().err
    assert (code, said.count("\n")) == (1, 1)
    assert f"{place}/.claude/settings.json" in said
    assert where in said
    assert everything(place) == {".claude/settings.json": content}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["/nonexistent/folder"], "/nonexistent/folder: there is no such folder"),
        ([__file__], f"{__file__}: this is no folder"),
        (["--purge"], "--purge needs --uninstall. Nothing was changed"),
        (["--shared"], "--shared and --local need the project's folder"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(options) == 1
    assert told in capsys.readouterr().err
    assert not pack.user_folder().exists()


@pytest.mark.parametrize(
    ("torn", "said"), [(b"", "line"), (b'"a": "\xff"}', "not UTF-8 at byte")], ids=["torn", "not-utf8"]
)
def test_settings_broken_since_are_left_alone_with_the_pack(
    place: Path, torn: bytes, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Uninstalling says what is wrong with the file, and takes nothing out as long as it is."""
    put(place)
    path = place / ".claude" / "settings.json"
    path.write_bytes(path.read_bytes()[:-3] + torn)
    before = everything(place)
    assert command.main([str(place), "--uninstall"]) == 1
    assert f"settings.json: {said}" in capsys.readouterr().err
    assert everything(place) == before


def test_the_hooks_are_those_of_the_pack(place: Path) -> None:
    put(place)
    hooks = settled(place)["hooks"]
    assert hooks["Stop"][0]["hooks"][0] == {"type": "command", "command": wiring.shell_command("stop")}
    assert hooks["PreToolUse"][0]["matcher"] == "Agent|Task"
    assert hooks["PreToolUse"][0]["hooks"][0] == {
        "type": "command",
        "command": wiring.shell_command("pre_tool_use"),
        "timeout": 5,
    }


@pytest.mark.parametrize("where", ["settings.json", "settings.local.json", "home"])
def test_a_status_line_of_the_users_stays(place: Path, tmp_path: Path, where: str) -> None:
    """Ours is added only where there is none: in the project, locally, or for all projects."""
    content = b'{"statusLine": {"type": "command", "command": "mine"}}'
    folder = tmp_path / "home" / ".claude" if where == "home" else place / ".claude"
    folder.mkdir(parents=True)
    (folder / ("settings.json" if where == "home" else where)).write_bytes(content)
    assert installer.install(place, shared=where == "settings.json").status_line is False
    for path in place.glob(".claude/settings*"):
        assert json.loads(path.read_text()).get("statusLine", {}).get("command", "mine") == "mine"


def test_a_team_gets_no_status_line_that_would_hide_its_peoples_own(place: Path) -> None:
    """A project's settings win over a user's; one of an older pack goes, and for one user alone there is one."""
    line = {"type": "command", "command": wiring.shell_command("status_line")}
    given(place, json.dumps({"statusLine": line, "a": 1}).encode())
    assert put(place).status_line is False
    assert "statusLine" not in settled(place)
    assert installer.install(place, shared=False).status_line is True


def test_linked_settings_stay_a_link(place: Path) -> None:
    real = place / "dotfiles.json"
    real.write_bytes(b"{}\n")
    (place / ".claude").mkdir()
    link = place / ".claude" / "settings.json"
    link.symlink_to(real)
    put(place)
    assert link.is_symlink()
    assert b"hooks" in real.read_bytes()
    installer.uninstall(place)
    assert link.is_symlink()
    assert real.read_bytes() == b"{}\n"


def test_the_pack_is_whole_and_has_its_interpreter(place: Path) -> None:
    result = put(place)
    home = pack.user_folder()
    assert not (place / ".claude" / "holdfast" / "pack").exists()
    baked = environment.read_sidecar(str(home / "pack" / "hooks" / "interpreter"))
    assert baked
    assert baked.python == environment.real_interpreter() == result.python
    assert os.access(home / "pack" / "hooks" / "run", os.X_OK)
    assert list((home / "pack" / "hooks" / "holdfast" / "__pycache__").glob("a.*.pyc"))
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    state = place / ".claude" / "holdfast"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert "!config.json" in (state / ".gitignore").read_text()


def test_a_file_of_the_users_is_neither_overwritten_nor_removed(place: Path) -> None:
    theirs = place / ".claude" / "agents" / "holdfast-researcher.md"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    notes = put(place).notes
    assert any("holdfast-researcher.md" in note for note in notes)
    skill = place / ".claude" / "skills" / "holdfast-status" / "SKILL.md"
    skill.write_text("changed")
    notes = installer.uninstall(place).notes
    assert all(any(name in note for note in notes) for name in ("SKILL.md", "holdfast-researcher.md"))
    assert (theirs.read_text(), skill.read_text()) == ("mine", "changed")


def test_what_people_have_put_into_the_state_folder_stays_unless_purged(place: Path) -> None:
    """Documents of the knowledge, settings, and files of which nothing is known: named, not removed."""
    put(place)
    state = place / ".claude" / "holdfast"
    (state / "knowledge").mkdir()
    for name in ("knowledge/L1.md", "thesis.txt", "config.json"):
        (state / name).write_text("mine")
    assert installer.uninstall(place).kept == ["config.json", "knowledge", "thesis.txt"]
    assert (state / "thesis.txt").read_text() == (state / "knowledge/L1.md").read_text() == "mine"
    put(place)
    deep = str(state)
    for _ in range(1_100):  # deeper than calls go: a clone may bring them
        os.mkdir(deep := f"{deep}/d")
    assert installer.uninstall(place, purge=True).kept == []
    assert not state.exists()


def test_a_purge_names_what_it_deletes_beside_the_repositorys_own_files(place: Path) -> None:
    """What this machine made of the records lies there."""
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    put(place)
    own = Path(git.own_folder(f"{place}/.claude/holdfast/team"))
    own.mkdir(parents=True)
    assert installer.uninstall(place, purge=True).notes == [f"{own} is deleted"]
    assert not own.parent.exists()


def test_a_purge_names_what_it_deletes_and_leaves_no_empty_folder(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The memory before all, and after an uninstallation that kept it too."""
    monkeypatch.setenv("COLUMNS", "500")
    put(place)
    (place / ".claude/holdfast/memory").mkdir()
    (place / ".claude/holdfast/memory/a.md").write_text("mine")
    (place / ".claude/holdfast/unsaved").mkdir()
    for name in ("unsaved/x", "keep.lock"):
        (place / ".claude/holdfast" / name).write_text("")
    installer.uninstall(place)
    assert command.main([str(place), "--uninstall", "--purge"]) == 0
    named = "keep.lock (a lock), memory (1 file), unsaved (1 file, sessions to be put into the memory)"
    assert f"; deleted in .claude/holdfast: {named}\n" in capsys.readouterr().out
    assert everything(place) == {}
    assert not (place / ".claude").exists()


def test_without_a_network_the_pack_is_installed_all_the_same(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> str:
        raise Fault("no network", "pip")

    monkeypatch.setattr(environment, "make", fail)
    result = put(place)
    assert result.missing_packages == list(environment.packages())
    assert any("install again" in note for note in result.notes)
    assert "Stop" in settled(place)["hooks"]


def test_an_environment_of_ones_own_is_named_whole_and_kept(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An update takes it again, where it still has all packages; hooks run in clones, to which `.venv` leads too."""
    monkeypatch.chdir(place)
    site = environment.site_of(f"{place}/.venv")
    assert put(place, ".venv").site_packages == site
    assert put(place).site_packages != site
    for name in environment.packages():
        Path(site, f"{name}-1.dist-info").mkdir(parents=True)
    put(place, ".venv")
    assert put(place).site_packages == installer.install(None).site_packages == site


def test_the_command_tells_as_json_and_in_words(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was done, what was not, and why; the JSON is what results.py defines, no key less or more."""
    kinds = TypeAdapter[Any](Installed | Uninstalled | Failed)
    for options, code, done, said in (
        ([], 0, "installed", "Holdfast is in"),
        (["--uninstall"], 0, "uninstalled", "Holdfast is out of"),
        (["--purge"], 1, "failed", ""),
    ):
        assert command.main([str(place), "--json", *options]) == code
        told = capsys.readouterr().out
        result = kinds.validate_json(told, strict=True)
        assert (result.done, asdict(result)) == (done, json.loads(told))
        assert command.main([str(place), *options]) == code
        shown = capsys.readouterr().out
        assert shown.startswith(said)
        assert ("/bin/holdfast\n" in shown and "/holdfast-status" in shown) == (said == "Holdfast is in")
        assert ("\n  status line  set\n" in shown) == (said == "Holdfast is in")


@pytest.mark.parametrize(
    ("why", "code", "told"),
    [
        (shutil.Error([("a", "b", "[Errno 28] No space left on device: 'b'"), ("c", "d", "x")]), 1, "No space left"),
        (OSError(28, "No space left on device", "/x/b"), 1, "/x/b: it cannot be written or read (No space left"),
        (KeyboardInterrupt(), 130, "stopped. Run it again: it begins anew"),
    ],
    ids=["a full disk", "a file", "Ctrl-C"],
)
def test_what_stops_it_is_one_line_and_leaves_no_half_pack(
    why: BaseException,
    code: int,
    told: str,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def copied(_: Path, to: Path, **names: Any) -> None:
        to.mkdir(parents=True)
        raise why

    monkeypatch.setattr(shutil, "copytree", copied)
    assert command.main([str(place)]) == code
    said = capsys.readouterr().err
    assert (told in said, "it begins anew" in said, said.count("\n")) == (True, True, 1)
    assert not (pack.user_folder() / "pack.new").exists()
    assert not any("settings" in name for name in everything(place))


def test_two_installations_at_once_exclude_each_other(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installer, "LOCK_S", 0)
    put(place)
    for way in (put, installer.uninstall):
        with Lock(str(pack.user_folder() / installer.LOCK), 0), pytest.raises(Fault, match="another installation"):
            way(place)
    put(place)


@pytest.mark.parametrize("updates", [False, True], ids=["first", "update"])
@pytest.mark.parametrize("last", ["write_temporary", "time"], ids=["before", "after"])
def test_one_that_is_killed_at_the_settings_does_not_forget_how_they_were(
    last: str, updates: bool, place: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given(place, b'{"n": 1.50,\n "b": [1,2]}')
    before = everything(place)
    if updates:
        put(place)
        (source / "hooks" / "hooks.json").write_text(json.dumps({"hooks": {"Stop": HOOKS["Stop"]}}))

    def killed(*_: object, **names: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(concurrent_edit, last, SimpleNamespace(sleep=killed) if last == "time" else killed)
        with pytest.raises(KeyboardInterrupt):
            put(place)
    if not updates:
        put(place)
    assert installer.uninstall(place).settings == "restored"
    assert everything(place) == before


def test_a_lock_that_cannot_be_opened_is_nobodys(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a home that is read-only or another user's, waiting is no way out."""
    lock = pack.user_folder() / installer.LOCK
    lock.mkdir(parents=True)
    for options in ([str(place)], [str(place), "--uninstall"], ["--uninstall"]):
        assert command.main(options) == 1
        said = capsys.readouterr().err
        assert said.startswith(f"holdfast: {lock}: it cannot be written or read (Is a directory: {lock})")
        assert "Wait for" not in said


def test_an_installation_that_has_waited_for_another_goes_by_what_that_has_noted(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what the other has written would pass for what the user had."""
    path, before, others = given(place, b'{\n  "env": {"A": "1"},\n  "b": 1\n}\n'), everything(place), [put]

    class Late(Lock):
        def __enter__(self) -> bool:
            while others:
                others.pop()(place)
            return super().__enter__()

    monkeypatch.setattr(installer, "Lock", Late)
    put(place)
    assert PACK in path.read_text()
    installer.uninstall(place)
    assert everything(place) == before


@pytest.mark.parametrize(
    ("name", "to", "told"),
    [
        ("", "{outside}", "a link stands in the place"),
        ("holdfast", "{outside}", "a link stands in the place"),
        ("settings.json", "{outside}/mine", "leads out of the project"),
        ("settings.local.json", "../package.json", "leads to another file"),  # git may track it
        *(
            (name, to, "leads nowhere")
            for name in record.SETTINGS
            for to in ("../.git/hooks/pre-commit", "loop", "../nothing.json", "\u202e")
        ),
    ],
)
def test_a_link_that_a_clone_may_bring_is_refused(place: Path, tmp_path: Path, name: str, to: str, told: str) -> None:
    """Nothing is written, changed or removed behind it, by either way, purging too."""
    outside, link = tmp_path / "outside", place / ".claude" / name
    for folder in (outside, place / ".git" / "hooks", link.parent):
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)
    for path in (outside / "mine", place / "package.json"):
        path.write_text("{}")
    (place / "loop").symlink_to("loop")
    link.symlink_to(to.format(outside=outside))
    before = everything(tmp_path)
    shared = name != "settings.local.json"
    for way in (
        partial(installer.install, shared=shared),
        installer.uninstall,
        partial(installer.uninstall, purge=True),
    ):
        with pytest.raises(BadInput, match=told):
            way(place)
    assert everything(tmp_path) == before
    assert stat.S_IMODE(outside.stat().st_mode) == 0o755


def _full(here: Path, _: Path) -> None:
    (here / "a").mkdir(parents=True)


@pytest.mark.parametrize(
    "make",
    [Path.symlink_to, Path.hardlink_to, lambda here, _: os.mkfifo(here), lambda here, _: here.mkdir(), _full],
    ids=["link", "hard link", "pipe", "folder", "full folder"],
)
def test_what_cannot_bear_the_mark_of_this_machine_is_refused(
    place: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    """A clone brings one: putting in says what to do; taking out goes on, names it and leaves it, unless it purges."""
    put(place)
    changed(place, a=1)
    here = place / ".claude" / "holdfast" / "here"
    here.unlink()
    (tmp_path / "other").touch()
    make(here, tmp_path / "other")
    with pytest.raises(BadInput, match="here: this is no empty file") as caught:
        put(place)
    assert caught.value.todo.startswith("Remove it")
    notes = installer.uninstall(place).notes
    assert any(f"{here} is not known" in note for note in notes) is here.exists()
    assert os.path.lexists(here)
    assert settled(place) == {"a": 1}
    installer.uninstall(place, purge=True)
    assert not os.path.lexists(here)
    put(place)


@pytest.mark.parametrize("link", ["agents", "skills", "skills/holdfast-status", "agents/holdfast-researcher.md"])
def test_agents_and_skills_do_not_go_through_links(place: Path, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    way = place / ".claude" / link
    way.parent.mkdir(parents=True, exist_ok=True)
    way.symlink_to(outside)
    assert any(link in note for note in put(place).notes)
    installer.uninstall(place)
    assert way.is_symlink()
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["../src.py", "/abs", "agents/reviewer.md", "agents", "agents/holdfast-x/../../../src.py"]
)
def test_not_even_our_own_record_makes_a_foreign_path_ours(place: Path, name: str) -> None:
    """What is removed stands below agents/ or skills/ and bears our name."""
    (place / ".claude" / "agents").mkdir(parents=True)
    theirs = [place / "src.py", place / ".claude" / "agents" / "reviewer.md"]
    for path in theirs:
        path.write_text("theirs")
    pack.take_files(place / ".claude", {name: pack.digest(b"theirs")})
    assert all(path.exists() for path in theirs)


def test_for_one_user_git_sees_nothing_of_it(place: Path) -> None:
    """Entries in settings.local.json; from one way to the other nothing is left behind, and back byte for byte."""
    given(place, b'{"a": 1}')
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    seen = ["git", "-C", str(place), "status", "--porcelain", "-uall"]
    before = subprocess.run(seen, capture_output=True, check=True).stdout
    assert installer.install(place).settings.endswith("/.claude/settings.local.json")
    assert subprocess.run(seen, capture_output=True, check=True).stdout == before
    once = everything(place)
    assert settled(place) == {"a": 1}
    for shared, name in ((True, "settings.json"), (None, "settings.json"), (False, "settings.local.json")):
        done = installer.install(place, shared=shared)
        assert done.settings.endswith(f"/{name}")
        assert any("has them no more" in note for note in done.notes) is (shared is False)
        assert (place / ".claude" / "settings.local.json").exists() is (name != "settings.json")
        assert (place / ".claude" / ".gitignore").exists() is (name != "settings.json")
    assert everything(place) == once
    assert installer.uninstall(place).settings == "removed"
    assert everything(place / ".claude") == {"settings.json": b'{"a": 1}'}


def test_a_project_without_anything_of_the_clients_is_left_without(place: Path) -> None:
    for _ in range(2):
        put(place)
        assert installer.uninstall(place).settings == "removed"
        assert list(place.iterdir()) == []


def test_a_colleague_who_has_the_project_stays_with_its_settings(place: Path) -> None:
    """The entries came with the clone, without a record of this machine: they are not written a second time."""
    put(place)
    forgotten(place)
    before = (place / ".claude" / "settings.json").read_bytes()
    older = place / ".claude/agents/holdfast-researcher.md"  # another pack's, that nobody has changed
    older.write_text(pack.sealed("---\nname: a\n---\nolder\n"))
    assert installer.install(place).settings.endswith("/settings.json")
    assert (place / ".claude" / "settings.json").read_bytes() == before
    assert "older" not in older.read_text()


@pytest.mark.parametrize("shared", [False, True], ids=["local", "shared"])
def test_without_a_record_what_is_exactly_ours_goes_and_the_rest_is_named(place: Path, shared: bool) -> None:
    """In a clone nothing says what was put in: agents and skills as this pack has them are known by their bytes."""
    installer.install(place, shared=shared)
    forgotten(place)
    changed = place / ".claude" / "skills" / "holdfast-status" / "SKILL.md"
    changed.write_text("changed")
    theirs = place / ".claude" / "agents" / "holdfast-mine.md"
    theirs.write_text("mine")
    theirs.with_stem("holdfast-old").write_text(pack.sealed("---\nname: a\n---\nof an older pack\n"))
    told = installer.uninstall(place)
    assert told.settings == "removed"
    notes, left = told.notes, {str(changed.relative_to(place)): b"changed", str(theirs.relative_to(place)): b"mine"}
    assert everything(place) == left
    assert [note.split()[0] for note in notes] == [".claude/agents/holdfast-mine.md", str(changed.relative_to(place))]


@pytest.mark.parametrize("is_noted", [False, True])
def test_what_one_that_was_killed_has_not_finished_goes_too(is_noted: bool, place: Path) -> None:
    skill = place / ".claude" / "skills" / "holdfast-status"
    put(place) if is_noted else skill.mkdir(parents=True)
    (skill / "SKILL.md.123.1a2b.tmp").write_text("---\nname")
    theirs = skill / "mine.md.123.1a2b.tmp"
    theirs.write_text("mine")
    installer.uninstall(place)
    assert everything(place) == {str(theirs.relative_to(place)): b"mine"}


@pytest.mark.parametrize("origin", ["", "https://example.org/me/holdfast.git"])
def test_who_lacks_the_pack_is_told_its_address_or_whom_to_ask(
    place: Path, monkeypatch: pytest.MonkeyPatch, source: Path, origin: str
) -> None:
    """At a start and by each skill; who shares it without an address is told that, and who had it for themselves how
    to have it again.
    """
    told = f"git clone {origin} && holdfast/scripts/install.py" if origin else "Ask whoever put it into this project."
    start = {"SessionStart": [{"hooks": [{"type": "command", "command": "run session_start"}]}]}
    (source / "hooks" / "hooks.json").write_text(json.dumps({"hooks": start}))
    (source / "skills" / "status" / "SKILL.md").write_text(f"Run {pack.PLUGIN_COMMAND} status\n")
    monkeypatch.setattr(pack, "origin_of", lambda _: origin)
    assert any("told to ask you" in note for note in put(place).notes) is (not origin)
    assert told in settled(place)["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    assert told in (place / ".claude/skills/holdfast-status/SKILL.md").read_text()
    assert not any("told to ask you" in note for note in installer.install(place, shared=False).notes)
    assert everything(place / ".claude").get("settings.json") is None
    own = json.loads((place / ".claude" / "settings.local.json").read_text())
    command = own["hooks"]["SessionStart"][0]["hooks"][0]["command"]
    shutil.rmtree(pack.user_folder() / "pack")
    run = ["/bin/sh", "-c", command]
    said = subprocess.run(run, input='{"source":"startup"}', capture_output=True, text=True, check=True).stdout
    there = f"its checkout (git clone {origin} gets one)" if origin else "its checkout"
    assert json.loads(said)["systemMessage"].startswith(f"Holdfast: its pack is gone. In {there}: scripts/install.py ")


@pytest.mark.parametrize(
    ("config", "verb"), [("", "add"), ('[core]\n[remote "origin"]\n\turl = /srv/holdfast\n', "set-url")]
)
def test_how_a_checkout_gets_an_address_goes_by_whether_it_has_one(
    place: Path, source: Path, config: str, verb: str
) -> None:
    (source / ".git").mkdir()
    (source / ".git" / "config").write_text(config)
    assert any(f"`git remote {verb} origin URL` in the checkout" in note for note in put(place).notes)


def test_a_reader_that_has_had_enough_is_no_fault(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """E.g. `head`: no traceback, and what was to be done is done."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(os.dup(2), "w") as errors, open(writing, "w", buffering=1, closefd=False) as closed:
        monkeypatch.setattr(sys, "stderr", errors)
        monkeypatch.setattr(sys, "stdout", closed)
        assert command.main([str(place)]) == 0
        assert (place / ".claude" / "settings.local.json").exists()
        os.dup2(os.open(os.devnull, os.O_WRONLY), writing)
    os.close(writing)


def test_the_pack_alone_is_put_in_and_taken_away(
    place: Path, tmp_path: Path, source: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a project: an update for all of them, with what the pack no longer has gone; and the way out."""
    put(place)
    (source / "hooks" / "holdfast" / "a.py").rename(source / "hooks" / "holdfast" / "b.py")
    before = everything(place)
    monkeypatch.setenv("COLUMNS", "500")
    assert command.main([]) == 0
    assert capsys.readouterr().out.count(f"{pack.user_folder()}/pack, for all your projects\n") == 1
    assert everything(place) == before
    modules = pack.user_folder() / "pack" / "hooks" / "holdfast"
    assert [path.name for path in modules.glob("*.py")] == ["b.py"]
    assert not (pack.user_folder() / "pack.new").exists()
    (pack.user_folder() / "config.json").write_text("{}")
    installer.uninstall(place)
    assert command.main(["--uninstall"]) == 0
    assert "config.json (--purge removes it)\n" in capsys.readouterr().out
    assert installer.remove_pack().notes == []  # no project has entries
    assert everything(place) == {}
    assert list(everything(tmp_path / "home")) == [".claude/holdfast/config.json"]


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_the_packs_own_command_takes_it_away_and_says_so(tmp_path: Path, options: list[str]) -> None:
    """What it needs to print is read before that goes."""
    hooks, home = tmp_path / "home/.claude/holdfast/pack/hooks", {**os.environ, "HOME": f"{tmp_path}/home"}
    shutil.copytree(Path(command.__file__).parents[1], hooks / "holdfast", ignore=shutil.ignore_patterns("__pycache__"))
    program = [sys.executable, "-c", "import sys; from holdfast.cli.install import main; sys.exit(main())"]
    run = [*program, "--uninstall", *options]
    done = subprocess.run(run, env={**home, "PYTHONPATH": str(hooks)}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, hooks.exists()) == (0, "", False)
    assert "uninstalled" in done.stdout or "Holdfast is out of your home" in done.stdout


def test_purging_the_pack_leaves_nothing_unnamed(place: Path) -> None:
    """What was made beside it goes, what is not known to be is named; so is what projects still have."""
    put(place)
    home, cache = pack.user_folder(), Path(environment.cache_folder())
    made = [home / "config.json", cache / "checkouts" / "x" / "y"]
    made += [Path(environment.user_environment() + ".lock"), cache / "client"]
    for path in made:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    stays = [made[0], home / record.FOLDER, cache / "checkouts"]
    assert installer.remove_pack().kept == [*map(str, stays)]
    told = installer.remove_pack(purge=True)
    assert everything(cache) == {"client": b"x"}
    assert not home.exists()
    assert told.kept == []
    assert told.deleted == [*map(str, stays)]
    assert told.notes[0] == f"{cache / 'client'} stays; `rm -r {cache / 'client'}` removes it"
    assert "install.py DIR --uninstall" in told.notes[1]


def test_what_0_1_0_has_left_in_a_project_is_named(place: Path) -> None:
    """Its entries go; the copy of its pack, its environment and its record stay: nothing tells them from a clone's."""
    home, path = place / ".claude" / "holdfast", given(place, b'{"a": 1}')
    put(place)
    path.write_text(path.read_text().replace("$HOME/", "$CLAUDE_PROJECT_DIR/"))
    record.place_of(home).unlink()
    for name in ("pack", "env"):
        (home / name).mkdir()
    (home / "install.json").write_text(json.dumps({"before": '{"evil": 1}', "files": {"../src.py": ""}}))
    told = installer.uninstall(place)
    assert json.loads(path.read_text()) == {"a": 1}
    names = ("pack", "env", "install.json")
    assert told.notes == [f"{home / name} is not known to be made here and stays" for name in names]
    assert all((home / name).exists() for name in names)


def test_neither_the_home_nor_a_pipe_for_settings_is_entered(place: Path) -> None:
    """Hooks in the home's settings run everywhere, purging would take the pack away; a pipe would be waited for."""
    Path.home().mkdir()
    (place / ".claude").mkdir()
    os.mkfifo(place / ".claude" / "settings.json")
    for way in (put, installer.uninstall):
        with pytest.raises(BadInput, match="this is your home"):
            way(Path.home())
        with pytest.raises(Fault, match="no plain file"):
            way(place)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (b'{"enabledPlugins": {"holdfast@holdfast": true}}', "it steps aside in this project"),
        (b'{"disableAllHooks": true}', "no hook runs while there is disableAllHooks in "),
    ],
)
def test_what_stands_in_its_way_is_named(settings: bytes, told: str, place: Path) -> None:
    given(place, settings)
    listed = Path.home() / ".claude" / "plugins" / "installed_plugins.json"
    listed.parent.mkdir(parents=True)
    listed.write_text('{"plugins": {"holdfast@holdfast": []}}')
    assert any(told in note for note in put(place).notes)


def test_what_a_clone_has_in_our_folder_stays_its_own(place: Path) -> None:
    """Its ignore file, which hides nothing, a link and an empty folder; git would publish no word of the settings."""
    home = place / ".claude" / "holdfast"
    (home / "empty").mkdir(parents=True)
    (home / "link").symlink_to("/nonexistent")
    (home / ".gitignore").write_text("# ours\n")
    (place / ".claude" / "settings.local.json").write_text('{"env": {"KEY": "private"}}')
    installer.install(place)
    assert [path.name for path in home.iterdir() if path.is_file() and path.name != ".gitignore"] == ["here"]
    assert installer.uninstall(place).kept == [".gitignore", "empty", "link"]
    assert [path.name for path in sorted(home.iterdir())] == [".gitignore", "empty", "link"]
