"""Programs that are looked up by name, and folders that the environment names: none of them out of a clone.

The current folder is a clone's, and so is whatever a relative path leads to; a clone may bring a program of any name.
Not loaded on the hot road. The shell's half of this stands in hooks/run and bin/holdfast.
"""

import os
from collections.abc import MutableMapping

from holdfast.hot.files import kind_of, variable
from holdfast.hot.paths import is_whole, project_folder

PLACES = ("HOME", "TMPDIR", "TEMP", "TMP", "CLAUDE_CONFIG_DIR", "CLAUDE_PLUGIN_DATA", "CLAUDE_PLUGIN_ROOT")
"""What names a folder, beside XDG_*. HOLDFAST_DIR is refused in words (config/load.py)."""


def program(name: str, path: str = "", project: str = "") -> str:
    """The program of this name by PATH, or another list like it; "" for none that is not the project's."""
    folders = own_folders(path or variable("PATH"), project)
    found = (f"{folder}/{name}" for folder in folders.split(os.pathsep) if os.access(f"{folder}/{name}", os.X_OK))
    inside = _around(project)
    return next((one for one in found if kind_of(one, follow=True) == "file" and not _is_in(one, inside)), "")


def own_folders(path: str, project: str = "") -> str:
    """Of such a list the whole paths that do not lie in the project; never nothing: that is the current folder."""
    inside = _around(project)
    kept = [folder for folder in path.split(os.pathsep) if is_whole(folder) and not _is_in(folder, inside)]
    return os.pathsep.join(kept) or "/nonexistent"


def settle(environment: MutableMapping[str, str]) -> None:
    """Let a command's environment name no program and no folder of a clone's: for all that it starts, too."""
    named = [name for name in environment if name in PLACES or name.startswith("XDG_")]
    for name in named:
        if environment[name] and not all(map(is_whole, environment[name].split(os.pathsep))):
            del environment[name]
    environment["PATH"] = own_folders(environment.get("PATH") or os.defpath)


def _is_in(path: str, folders: list[str]) -> bool:
    places = (f"{path}/", f"{os.path.realpath(path)}/")
    return any(place.startswith(f"{folder}/") for place in places for folder in folders)


def _around(project: str) -> list[str]:
    """The project and the current folder, or the repository around them: as they are named, and as they are.

    Not where that holds the home: what lies there is the user's.
    """
    home, tops = os.path.realpath(variable("HOME") or "/"), []
    for start in {project or project_folder(), os.getcwd()}:
        for place in {os.path.abspath(start), os.path.realpath(start)}:
            top = above = place
            while above not in ("/", home, os.path.dirname(above)):
                top = above if kind_of(f"{above}/.git", follow=True) else top
                above = os.path.dirname(above)
            tops += [top] if not f"{home}/".startswith(f"{top.rstrip('/')}/") else []
    return tops
