"""How hooks of ours stand in a client's settings: where, made, and known again word for word, but for what they print.

The commands name the pack in the user's home: nothing that a clone brings is run by them. Loaded on a hot event only by
a plugin whose user has that pack too.
"""

import sys

from holdfast import TYPE_CHECKING
from holdfast.hot.files import kind_of, names_in, os, read_bytes, read_text, variable
from holdfast.hot.jsonc import loads_strict
from holdfast.hot.paths import is_one

if TYPE_CHECKING:
    from typing import Any

LAUNCHER = "$HOME/.claude/holdfast/pack/hooks/run"
"""As paths.PACK has it."""
ALL_LAUNCHERS = (LAUNCHER, LAUNCHER.replace("$HOME", "$CLAUDE_PROJECT_DIR"))
"""0.1.0 had a copy in each project."""
CAT = "command -p cat"
"""The system's: a clone may bring one, and PATH name its folder. Older entries have the first of PATH."""
DATA = '"${CLAUDE_CONFIG_DIR:-$HOME/.claude}"/plugins/data/holdfast-*'
"""A plugin's own folder. Older entries look in the home alone."""
MANAGED = "/Library/Application Support/ClaudeCode" if sys.platform == "darwin" else "/etc/claude-code"
"""Where whoever manages the machine has settings."""


def settings_files(start: str) -> "list[str]":
    """Of the settings that a client reads which is started in this folder, the strongest first (measured, 2.1.329): of
    the repository around it there is the main checkout's local file alone, where that is all the user's.
    """
    more, users = f"{MANAGED}/managed-settings.d", variable("CLAUDE_CONFIG_DIR") or f"{variable('HOME')}/.claude"
    managed = [f"{more}/{name}" for name in reversed(names_in(more)) if name.endswith(".json")]
    managed.append(f"{MANAGED}/managed-settings.json")
    local = dict.fromkeys(f"{top}/.claude/settings.local.json" for top in (start, _main_checkout(start)) if top)
    return [*managed, *local, f"{start}/.claude/settings.json", f"{users}/settings.json"]


def _main_checkout(place: str) -> str:
    """The top of the repository around this, of a worktree's the main one; "" for none, the home, or another's."""
    kind = ""
    while place and not kind:
        kind = kind_of(f"{place}/.git", follow=True)
        place = place if kind else place.rpartition("/")[0]
    if kind == "file":  # a worktree's, or a submodule's
        from os import path  # rare

        shared = read_text(f"{place}/.git", 4_096).removeprefix("gitdir: ").rpartition("/worktrees/")[0]
        place = path.normpath(path.join(place, shared)).removesuffix("/.git")
    try:
        owners = {os.lstat(f"{place}{part}").st_uid for part in ("", "/.git", "/.claude")}
    except OSError:
        return ""
    return place if owners == {os.geteuid()} and not is_one(place, variable("HOME")) else ""


def shell_command(name: str, launcher: str = LAUNCHER, origin: str | None = None, alone: bool = False) -> str:
    """The command of one hook: successful on a machine that has no pack, where a start says so and all else is silent.

    origin: as how_to_get has it; None says nothing at a start either. alone: in one user's own settings, who had it.

    The launcher is read into the shell that the client starts anyway; measured, that saves the second shell
    (1.11 against 1.18 times a bare interpreter). After a manual compaction the client shows the commands of
    these hooks to the user and to the model, so theirs is the short form.
    """
    if name in ("pre_compact", "post_compact"):
        return f'"{launcher}" {name} 2>/dev/null; {CAT} >/dev/null'
    missing = f"{CAT} >/dev/null"
    if name == "session_start" and origin is not None:  # quiet where the plugin is there
        told = f"this project uses it, but it is not installed on this machine. {how_to_get(origin)}"
        if alone:
            where = f"its checkout (git clone {origin} gets one)" if origin else "its checkout"
            ways = "installs it again, scripts/install.py DIR --uninstall takes it out of the project"
            told = f"its pack is gone. In {where}: scripts/install.py {ways}"
        missing = (
            f"""case $({CAT}) in *'"source":"startup"'*) set -- {DATA}; """
            f"""[ -e "$1" ] || [ "$HOLDFAST_OFF" = 1 ] || echo '{{"systemMessage": "Holdfast: {told}"}}';; esac"""
        )
    return f'HOLDFAST_RUN="{launcher}"; [ -r "$HOLDFAST_RUN" ] && set -- {name} && . "$HOLDFAST_RUN"; {missing}'


def how_to_get(origin: str) -> str:
    """What gives a machine the pack, from an address, or "" where none is known."""
    if not origin:
        return "Ask whoever put it into this project."
    return f"To get it: git clone {origin} && {origin.rpartition('/')[2].removesuffix('.git')}/scripts/install.py"


def name_of(entry: object, launchers: "tuple[str, ...]" = ALL_LAUNCHERS) -> str:
    """Of a hook, or a status line, that is word for word what `shell_command` makes, the name; "" for any other."""
    command = entry.get("command") if isinstance(entry, dict) else None
    if not isinstance(command, str) or "/pack/hooks/run" not in command:
        return ""
    names = [word for word in command.split() if word.isidentifier()]
    found, old = _unworded(command), '"$HOME"/.claude/plugins/data/holdfast-*'
    for name, one, origin in ((name, one, origin) for name in names for one in launchers for origin in (None, "")):
        made = _unworded(shell_command(name, one, origin))
        if found in (made, made.replace(DATA, old), made.replace(DATA, old).replace(CAT, "cat")):
            return name
    return ""


def _unworded(command: str) -> str:
    """Without what it prints of a missing pack, within '': another version words it otherwise."""
    before, _, said = command.partition('"Holdfast: ')
    told, end, rest = said.partition('"}')
    return command if "'" in told else before + end + rest


def is_address(origin: str) -> bool:
    """Whether it is a URL without a login, of characters that say nothing to a shell."""
    rest = origin.removeprefix("https://").removeprefix("ssh://").removeprefix("git@")
    return rest != origin and origin.isascii() and all(sign.isalnum() or sign in "_./:-" for sign in rest)


def in_place(settings: str, table: str, script: str) -> bool:
    """Whether the settings have, for each event at which the plugin's table starts this script, the same hook as ours.

    Nothing less: another matcher, a shorter time or a setting more would make it one that never speaks.
    """
    try:
        ours, theirs = (loads_strict(read_bytes(path, follow=True))["hooks"] for path in (table, settings))
        found = [(*place, {**hook, "command": name_of(hook, (LAUNCHER,))}) for *place, hook in _hooks(theirs)]
        wanted = [
            (*place, {**hook, "command": script}) for *place, hook in _hooks(ours) if hook.pop("args", None) == [script]
        ]
        return bool(wanted) and all(one in found for one in wanted)
    except (ValueError, LookupError, AttributeError, TypeError):  # no settings that a client would take
        return False


def _hooks(events: "dict[str, Any]") -> "list[tuple[str, dict[str, Any], dict[str, Any]]]":
    """(event, its group without hooks, the hook) of each: a key means something else in the group than in the hook."""
    return [
        (event, {**group, "hooks": None}, dict(hook))
        for event, groups in events.items()
        for group in groups
        for hook in group["hooks"]
    ]
