"""Where things are on disk, and names against patterns."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from holdfast.config import load
from holdfast.hot import paths, presence, wiring
from holdfast.hot.patterns import limit_for, matches
from tests.memory.memories import git


def test_which_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", "/p")
    assert (paths.project_folder("/cwd"), paths.state_folder("/cwd")) == ("/p", "/p/.claude/holdfast")
    monkeypatch.delenv("CLAUDE_PROJECT_DIR")
    assert paths.state_folder("/cwd") == "/cwd/.claude/holdfast"
    monkeypatch.chdir(tmp_path)
    assert paths.project_folder() == os.getcwd()
    monkeypatch.setenv("HOLDFAST_DIR", "/elsewhere")
    assert paths.state_folder("/cwd") == "/elsewhere"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        *((one, "p") for one in (".claude/holdfast", "./x", "../x", "~/x", "x", " /x", "")),
        *((one, "p") for one in ("/", "//", "/./", "{}/home", "{}/home/", "{}/link", "{}/p", "{}/p/../p")),
        *((one, "p") for one in ("{}/repository", "{}/worktree", "{}/repository/.git", "{}/p/.git/new")),
        *((one, "p") for one in ("/" + "a/" * 3_000, "/" + "a" * 1_000, "/" + "\u00e9" * 500)),
        *((one, "p") for one in ("{}/p/src", "{}/repository/src", "{}/tolink", "{}/home/.claude")),
        *((one, "") for one in ("{}/new", "{}/home/new", "{}/p/new", "{}/repository/new", "{}/.github")),
        *((one, "") for one in ("{}/old", "{}/begun", "{}/told")),
    ],
    ids=lambda one: one[:20],
)
def test_a_state_folder_is_refused_where_it_is_not_alone(
    place: str, expected: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A relative one lies wherever one stands, and of what is new in the user's own git would tell nothing; the
    project's is used, and the configuration says so.
    """
    for name in ("home", "p", "repository/.git", "worktree", ".github"):
        (tmp_path / name).mkdir(parents=True)
    for name in (
        *("p/src/a.py", "repository/src/a.py", "home/.claude/settings.json", "old/sessions/x", "begun/here"),
        *("told/config.json", "repository/.git/HEAD"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "old" / ".gitignore").write_text("*\n!config.json\n")
    (tmp_path / "tolink").symlink_to(tmp_path / "repository" / ".git")
    (tmp_path / "worktree" / ".git").write_text("gitdir: elsewhere")
    (tmp_path / "link").symlink_to(tmp_path / "home")
    named = place.format(tmp_path)
    for variable, value in {"HOME": "home", "CLAUDE_PROJECT_DIR": "p"}.items():
        monkeypatch.setenv(variable, str(tmp_path / value))
    monkeypatch.setenv("HOLDFAST_DIR", named)
    assert paths.state_folder() == (f"{tmp_path}/p/.claude/holdfast" if expected else named)
    problems = load.load(paths.state_folder(), {"HOLDFAST_DIR": named})[1]
    assert ["HOLDFAST_DIR is " in one for one in problems] == ([True] if expected and named else [])


@pytest.mark.parametrize(
    ("made", "below", "expected", "started"),
    [
        (["a/.claude/holdfast/"], "a/src/deep", "a", "a/src/deep"),
        (["a/.git/"], "a/src", "a", "a"),
        (["a/.claude/holdfast/", "a/lib/.git/"], "a/lib/src", "a/lib", "a/lib"),
        (["a/.git/", "a/packages/b/.claude/holdfast/"], "a/packages/b/src", "a/packages/b", "a/packages/b"),
        (["a/.git/", "a/packages/b/.claude/settings.json={}"], "a/packages/b", "a", "a/packages/b"),
        (["a/.git/", "a/tree/.git=gitdir: ../.git/worktrees/tree"], "a/tree/src", "a/tree", "a/tree"),
        (["a/.git/", "a/sub/.git=gitdir: ../.git/modules/sub"], "a/sub/src", "a", "a/sub"),
        ([".claude/holdfast/", ".git/"], "a/src", "a/src", "a/src"),
        ([".claude/holdfast/"], "", "", ""),
        ([], "a/src", "a/src", "a/src"),
    ],
    ids=[
        *("state", "top", "below", "package", "its settings", "worktree", "submodule", "of the home", "the home"),
        "none",
    ],
)
@pytest.mark.parametrize("home", ["", "/", "link"])
def test_from_a_folder_within_the_project(
    made: list[str], below: str, expected: str, started: str, home: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As a command runs in the client's shell, which does not say where the project is, and as a client was started."""
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    (tmp_path.parent / f"{tmp_path.name}link").symlink_to(tmp_path)
    monkeypatch.setenv("HOME", f"{tmp_path}{home}")
    for entry in [f"{below}/", *made]:
        name, is_file, text = entry.partition("=")
        path = tmp_path / name
        (path.parent if is_file else path).mkdir(parents=True, exist_ok=True)
        if is_file:
            path.write_text(text)
    monkeypatch.chdir(tmp_path / below)
    assert paths.project_folder() == str(tmp_path / expected)
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / below))
    monkeypatch.chdir("/")
    assert paths.project_folder() == str(tmp_path / started)


def test_another_users_folder_above_is_no_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    monkeypatch.setattr("posix.geteuid", lambda: os.getuid() + 4_321)
    for started in ("", str(tmp_path / "a")):
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", started)
        assert paths.project_folder(str(tmp_path / "a")) == str(tmp_path / "a")


def test_a_folder_for_everybodys_files_above_is_no_project(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Root owns /tmp, and anybody may put a repository there; one's own that others may write to is another thing."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "a").mkdir()
    for mode, expected in ((0o1777, tmp_path / "a"), (0o777, tmp_path)):
        tmp_path.chmod(mode)
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(tmp_path / "a"))
        assert paths.project_folder(str(tmp_path / "a")) == str(expected)


@pytest.mark.parametrize("session_id", ["../..", "/etc", "", ".", "a/b", "x" * 500, "\x00", "\ud83d"])
def test_a_session_folder_is_one_name_deep(session_id: str) -> None:
    folder = paths.session_folder("/s", session_id)
    assert os.path.normpath(folder) == folder
    assert os.path.dirname(folder) == "/s/sessions"
    assert len(os.path.basename(folder)) <= 100


def test_patterns() -> None:
    """A pattern is a whole name, or a beginning and a star."""
    fits = (("Bash", "Bash"), ("mcp__a__b", "mcp__*"), ("x", "*"), ("", "*"))
    assert all(matches(name, ["Other", pattern]) for name, pattern in fits)
    assert not matches("Bash2", ["Bash"])
    assert not matches("", [])


def test_the_limit_of_an_agent_type() -> None:
    """Its own name first, then a pattern, then what holds for all others."""
    limits = {"*": 500, "Explore": 400, "holdfast:*": 300}
    assert [limit_for(limits, kind) for kind in ("Explore", "holdfast:writer", "general-purpose")] == [400, 300, 500]


ROOT = Path(__file__).resolve().parents[2]
PACK = "home/.claude/holdfast/pack/hooks/run"
SENT = {"session_id": "a"}
STOP = {"type": "command", "command": wiring.shell_command("stop"), "timeout": 15}


def _stop(**changes: Any) -> str:
    """Settings with our hook at Stop, or with something changed in it."""
    return json.dumps({"hooks": {"Stop": [{"hooks": [{**STOP, **changes}]}]}})


def _with_group_type() -> str:
    """A hook that the client takes for none: its type stands in the group."""
    return json.dumps({"hooks": {"Stop": [{**STOP, "hooks": [{"command": STOP["command"]}]}]}})


NO_HOOK = {
    "no hook": json.dumps({"note": STOP, "hooks": {}}),
    "only the bytes": json.dumps({"note": 'HOLDFAST_RUN="$HOME/README.md"'}),
    "another event": _stop().replace("Stop", "SessionEnd"),
    "another script": _stop(command=wiring.shell_command("session_end")),
    "a comment": _stop(command=f"true # {STOP['command']}"),
    "broken shell": _stop(command=f"{STOP['command']}; ("),
    "another launcher": _stop(command=wiring.shell_command("stop", "$HOME/x")),
    "bare name": _stop(command="stop"),
    "arguments": _stop(args=["stop"]),
    "no time": _stop(timeout=0.01),
    "no command": _stop(type="prompt"),
    "matches nothing": _stop().replace('"hooks": [', '"matcher": "no", "hooks": ['),
    "the group's type": _with_group_type(),
    "text behind": _stop() + "}",
    "NaN": _stop()[:-1] + ', "a": NaN}',
    "line end": _stop()[:-1] + ', "a": "\n"}',
    "twice": _stop()[:-1] + ', "hooks": {}}',
    "deep": "[" * 9_000 + _stop(),
}


@pytest.mark.parametrize(
    ("place", "text"),
    [
        *((f"{place}.json", "") for place in ("project/.claude/settings.local", "home/.claude/settings")),
        *((f"{place}.json", "") for place in ("project/.claude/settings", "main/.claude/settings.local")),
        ("project/.claude/notes.json", "no settings"),
        *(("project/.claude/settings.json", one) for one in NO_HOOK),
    ],
)
def test_a_plugin_steps_aside_for_a_hook_in_its_own_place(
    place: str, text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For nothing that a clone may say instead: only the hook itself, where it runs the pack of this user."""
    (tmp_path / "README.md").write_text("any file")
    (tmp_path / "main/.git/worktrees/project").mkdir(parents=True)
    (tmp_path / "project").mkdir()
    (tmp_path / "project/.git").write_text(f"gitdir: {tmp_path}/main/.git/worktrees/project\n")
    _two_copies(monkeypatch, tmp_path, place, NO_HOOK.get(text, ""))
    assert not presence.silent(SENT)
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(ROOT))
    assert presence.silent(SENT) is (not text)
    (tmp_path / PACK).unlink()
    assert not presence.silent(SENT)


@pytest.mark.parametrize(
    ("start", "local"), [("main", ""), ("main/sub", "main"), ("tree", "main"), ("tree/sub", "main"), ("plain/sub", "")]
)
def test_which_settings_hold_where_a_client_is_started(
    start: str, local: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As measured with 2.1.329: of the repository's the main checkout's local file alone, where it is the user's."""
    for name in ("main/.claude/x", "main/sub/x", "plain/.claude/settings.local.json", "managed-settings.d/1.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "managed-settings.d/2.json").touch()
    for command in ("init -q", "add -A", "commit -qm a", f"worktree add -q {tmp_path}/tree"):
        git(tmp_path / "main", *command.split())
    monkeypatch.setattr(wiring, "MANAGED", str(tmp_path))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    for geteuid, more in ((os.geteuid, local), (lambda: os.getuid() + 1, "")):
        monkeypatch.setattr("posix.geteuid", geteuid)
        found = [path.removeprefix(f"{tmp_path}/") for path in wiring.settings_files(f"{tmp_path}/{start}")]
        assert found[:3] == ["managed-settings.d/2.json", "managed-settings.d/1.json", "managed-settings.json"]
        tops = [f"{top}/.claude/settings.local.json" for top in (start, more) if top]
        assert found[3:] == [*tops, f"{start}/.claude/settings.json", "settings.json"]


def _two_copies(
    monkeypatch: pytest.MonkeyPatch, root: Path, place: str = "project/.claude/settings.json", text: str = ""
) -> Path:
    """Settings of a project, the user's pack, a session; this process is the drop-in's. The sign that it gives."""
    claims = "project/.claude/holdfast/sessions/a/claims"
    for path, content in ((place, text or _stop()), (PACK, ""), (f"{claims}/other", "")):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(content)
    monkeypatch.setenv("HOME", str(root / "home"))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root / "project"))
    monkeypatch.delenv("CLAUDE_PLUGIN_ROOT", raising=False)
    monkeypatch.setattr("sys.argv", [f"{ROOT}/hooks/stop.py"])
    monkeypatch.setattr(presence, "PATIENCE_S", 0.2)
    return root / claims / "spoke-stop"


@pytest.mark.parametrize("sign", ["", "of another hook", "old", "dated ahead", "a link", "a plugin's"])
def test_a_plugin_speaks_where_the_drop_in_gave_no_sign(
    sign: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The client drops settings for one bad entry: their hooks stand there word for word, and never run."""
    signed = _two_copies(monkeypatch, tmp_path)
    monkeypatch.setattr("sys.argv", [f"{ROOT}/hooks/{'post_tool_use' if sign == 'of another hook' else 'stop'}.py"])
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(ROOT) * (sign == "a plugin's"))
    if sign:
        presence.speaks(str(signed.parent.parent))
    if sign in ("old", "dated ahead"):
        os.utime(signed, (1_000_000_000, 1_000_000_000) if sign == "old" else (4_000_000_000, 4_000_000_000))
    if sign == "a link":
        signed.rename(tmp_path / "signed")
        signed.symlink_to(tmp_path / "signed")
    monkeypatch.setattr("sys.argv", [f"{ROOT}/hooks/stop.py"])
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(ROOT))
    assert not presence.silent(SENT)


def test_a_plugin_waits_once_for_who_never_comes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The drop-in runs at the same time; whoever did not come is waited for no more, and counts again when it does."""
    signed = _two_copies(monkeypatch, tmp_path)
    monkeypatch.setattr(presence, "PATIENCE_S", 5)
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(ROOT))
    later = threading.Timer(0.1, signed.write_bytes, (b"1",))
    later.start()
    assert presence.silent(SENT)
    later.join()
    monkeypatch.setattr(presence, "PATIENCE_S", 0)
    os.utime(signed, (1, 1))
    assert not presence.silent(SENT)
    monkeypatch.setattr(presence, "PATIENCE_S", 600)
    assert not presence.silent(SENT)
    monkeypatch.delenv("CLAUDE_PLUGIN_ROOT")
    assert not presence.silent(SENT)
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(ROOT))
    assert presence.silent(SENT)


@pytest.mark.parametrize("script", [path.stem for path in (ROOT / "hooks").glob("*.py")])
def test_every_hook_that_is_installed_takes_the_plugins_place(script: str, tmp_path: Path) -> None:
    """What the installer writes is what the plugin looks for; a colleague's address in it changes nothing."""
    table = str(ROOT / "hooks" / "hooks.json")
    events = json.loads(Path(table).read_text())["hooks"]
    for one in (hook for groups in events.values() for group in groups for hook in group["hooks"]):
        [name] = one.pop("args")
        one["command"] = wiring.shell_command(name, origin="https://git.example.org/team/holdfast.git")
    (tmp_path / "settings.json").write_text(json.dumps({"hooks": events}))
    assert wiring.in_place(str(tmp_path / "settings.json"), table, script) is (script != "status_line")
