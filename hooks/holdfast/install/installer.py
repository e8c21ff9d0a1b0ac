"""Puts the pack into a project, and takes it out again.

Order matters: links and settings are looked at first (what cannot be edited is left alone and nothing else is done),
and the settings are written last, so that no hook runs before the pack is whole. While the settings still are as they
were left, uninstalling puts the old bytes back; after a change by anybody, exactly our entries are taken out of what
stands there now. What no record of this machine names (install/record.py) is not ours: it is set aside, or stays.

Two installations at once exclude each other by the hooks' own lock: this runs before any package is there.
"""

import contextlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from holdfast.errors import BadInput, Fault
from holdfast.hot import provenance
from holdfast.hot.files import Lock, read_text
from holdfast.hot.jsonc import loads_object
from holdfast.install import concurrent_edit, environment, pack, record, settings
from holdfast.install.results import Installed, Uninstalled

SOURCE = Path(__file__).resolve().parents[3]
LOCK, LOCK_S = "install.lock", 60


def install(project: Path, env: str | None = None) -> Installed:
    """Puts the pack in; twice is the same as once. `env` is a folder of packages to use."""
    claude = project / ".claude"
    home = claude / "holdfast"
    pack.refuse_links(home)
    file = SettingsFile(claude)
    file.check()
    made, known = not claude.exists(), file.record
    provenance.real_folder(str(home))
    if not provenance.marked(str(home)):
        raise BadInput("this is no empty file of this machine", f"{home}/{provenance.HERE}", "Remove it and try again")
    provenance.keep_out_of_git(str(home))
    with _alone(home):
        notes = [] if known.mark else [*pack.set_aside(home / "pack"), *pack.set_aside(home / "env")]
        pack.copy(SOURCE, home)
        site, missed = _packages(Path(env).expanduser() if env else home / "env")
        baked = environment.Baked(environment.real_interpreter(), site)
        environment.write_sidecar(str(home / "pack" / "hooks" / environment.SIDECAR), baked)
        environment.compile_pack(baked.python, str(home / "pack" / "hooks"))
        known.files, kept = pack.put_shared(claude, home / "pack", known.files)
        known.made_folder = made or known.made_folder
        file.put()
        record.save(home, known)
    return Installed(
        project=str(project),
        pack=str(home / "pack"),
        lines=pack.lines(home / "pack"),
        settings=str(file.path),
        hooks=sorted(file.wanted.hooks),
        status_line=file.status_line_is_ours(),
        python=baked.python,
        site_packages=baked.site,
        missing_packages=list(environment.missing_packages(site)),
        files=sorted(known.files),
        notes=[
            *notes,
            *missed,
            *_plugin_too(project),
            *(f".claude/{path} is yours and was left as it is" for path in kept),
        ],
    )


def _plugin_too(project: Path) -> list[str]:
    enabled = settings.wired(str(project))[1]
    return [f"the plugin is enabled too ({enabled}); it steps aside in this project"] if enabled else []


def uninstall(project: Path, purge: bool = False) -> Uninstalled:
    """Takes out what was put in; memory, configuration and progress stay unless purged."""
    claude = project / ".claude"
    home = claude / "holdfast"
    pack.refuse_links(home)
    file = SettingsFile(claude)
    known = file.record
    with _alone(home):
        state = file.take()
        notes = [f".claude/{path} was changed since and stays" for path in pack.take_shared(claude, known.files)]
        own = [home / name for name in ("pack", "pack.new", "pack.old", "env", "cache")]
        if known.mark or purge:
            for folder in own:
                shutil.rmtree(folder, ignore_errors=True)
        notes += [f"{folder} is not known to be made here and stays" for folder in own if folder.exists()]
        for name in (record.NAME, LOCK, provenance.HERE):
            (home / name).unlink(missing_ok=True)
    kept = [name for name in ("config.json", "memory", "progress.md", "sessions", "logs") if _has_files(home / name)]
    if purge or not (kept or notes):
        shutil.rmtree(home, ignore_errors=True)
        kept = []
    if known.made_folder and claude.is_dir() and not any(claude.iterdir()):
        claude.rmdir()
    return Uninstalled(project=str(project), settings=state, kept=kept, notes=notes)


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keeps other installations out of the state folder; raises Fault when one does not end."""
    lock = home / LOCK
    with Lock(str(lock), LOCK_S) as held:
        if not held and home.is_dir():
            raise Fault("another installation is at work", str(lock), "Wait for its end and try again")
        yield


def _has_files(path: Path) -> bool:
    """Whether a file is there, or a folder with a file somewhere in it."""
    return path.is_file() or any(inner.is_file() for inner in path.rglob("*"))


def _packages(folder: Path) -> tuple[str, list[str]]:
    """The folder of packages, made where it is missing; without a network the pack works with estimates."""
    site = environment.site_of(str(folder))
    if not environment.missing_packages(site):
        return site, []
    try:
        return environment.make(str(folder)), []
    except (Fault, OSError) as error:
        lost = ", ".join(environment.missing_packages(site))
        return "", [f"packages missing ({lost}): {error}. Hooks work with estimates; install again to complete"]


class SettingsFile:
    """A project's settings file, and the record of what was put into it."""

    def __init__(self, claude: Path) -> None:
        self.claude = claude
        self.path = claude / "settings.json"
        self.record = record.load(claude / "holdfast")
        project = os.path.realpath(claude.parent)
        if not os.path.realpath(self.path).startswith(project + os.sep):
            todo = "Put a file in its place and try again; nothing was changed"
            raise BadInput("this link leads out of the project", str(self.path), todo)

    @cached_property
    def wanted(self) -> settings.Wanted:
        """The entries of the pack's hooks.json, each command guarded for machines without the pack."""
        table = json.loads((SOURCE / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        hooks = {
            event: [{**group, "hooks": list(map(_guarded, group["hooks"]))} for group in groups]
            for event, groups in table.items()
        }
        line = {"type": "command", "command": settings.shell_command("status_line")}
        return settings.Wanted(hooks, None if self._has_other_line() else line)

    def check(self) -> None:
        """Raises BadInput when the settings cannot be edited."""
        with self._named():
            settings.parse((concurrent_edit.read(str(self.path)) or b"").decode())

    def put(self) -> None:
        """Merges the entries in, and notes in the record how the file was before and how it was left."""
        past: list[str | None] = []

        def change(old: bytes | None) -> bytes:
            new, before = self._merged(old)
            if new != old or not past:  # looking back at the finished file must not pass for its past
                past.append(before)
            return new

        left = concurrent_edit.edit(str(self.path), change)
        self.record.before, self.record.left = past[-1], pack.digest(left or b"")

    def take(self) -> str:
        """Takes the entries out; says how the file was left: restored, cleaned, removed or untouched."""
        states: list[str] = []

        def change(old: bytes | None) -> bytes | None:
            new, state = self._cleaned(old)
            states.append(state)
            return new

        concurrent_edit.edit(str(self.path), change)
        return next((state for state in states if state != "untouched"), "untouched")

    def status_line_is_ours(self) -> bool:
        """Whether the settings show our status line."""
        return settings.is_ours(
            loads_object(read_text(str(self.path), follow=True).removeprefix(settings.BOM)).get("statusLine")
        )

    def _merged(self, old: bytes | None) -> tuple[bytes, str | None]:
        """The settings with our entries, and the text to put back later; None when there was no file."""
        with self._named():
            text = (old or b"").decode()
            before = self.record.before if self._as_left(old) else None if old is None else self._stripped(text)
            return settings.merge(text, self.wanted).encode(), before

    def _cleaned(self, old: bytes | None) -> tuple[bytes | None, str]:
        """The settings without our entries, and how they were left."""
        if self._as_left(old):
            before = self.record.before
            return (None, "removed") if before is None else (before.encode(), "restored")
        with self._named():
            text = (old or b"").decode()
            clean = None if old is None else self._stripped(text)
        return None if clean is None else clean.encode(), "untouched" if clean in (None, text) else "cleaned"

    def _as_left(self, old: bytes | None) -> bool:
        """Whether nobody has changed the file since it was written here."""
        return old is not None and pack.digest(old) == self.record.left

    def _stripped(self, text: str) -> str | None:
        """The text without our entries; None where nothing is left of a file that the installation has made."""
        made = bool(self.record.mark) and self.record.before is None
        clean = settings.strip(text, settings.parse(self.record.before or "")) if settings.MARK in text else text
        return None if made and not settings.parse(clean) else clean

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """A file that cannot be edited is named with its path and place."""
        todo = "Mend it by hand and try again; nothing was changed"
        try:
            yield
        except UnicodeDecodeError as error:
            raise BadInput(f"not UTF-8 at byte {error.start}", str(self.path), todo) from None
        except settings.SettingsError as error:
            place = f"{self.path}: {error.where}" if error.where else str(self.path)
            raise BadInput(error.what, place, todo) from None

    def _has_other_line(self) -> bool:
        """Whether the user has a status line already: in the project, or for all projects."""
        home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
        places = (self.path, self.claude / "settings.local.json", Path(home) / "settings.json")
        lines = [loads_object(read_text(str(place), follow=True).removeprefix(settings.BOM)) for place in places]
        return any("statusLine" in one and not settings.is_ours(one["statusLine"]) for one in lines)


def _guarded(hook: Mapping[str, Any]) -> dict[str, Any]:
    """A hook of hooks.json with the plugin's command turned into the project's."""
    name = hook["args"][-1] if hook.get("args") else hook["command"].split()[-1]
    rest = {key: value for key, value in hook.items() if key not in ("command", "args")}
    return {"type": "command", "command": settings.shell_command(name.strip("\"'")), **rest}
