"""Puts the pack into the user's folder and its entries into a project, and takes both out again.

The pack lies once, in ~/.claude/holdfast: a project has settings, agents and skills that name it, so that nothing that
a clone brings is run. Order matters: links and settings are looked at first (what cannot be edited is left alone and
nothing else is done), and the settings are written last, so that no hook runs before the pack is whole. While the
settings still are as they were left, uninstalling puts the old bytes back; after a change by anybody, exactly our
entries are taken out of what stands there now. What no record of this machine names (install/record.py) stays.

Two installations at once exclude each other by the hooks' own lock: this runs before any package is there.
"""

import contextlib
import json
import os
import shlex
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from holdfast.checkpoint import git
from holdfast.errors import BadInput, Fault
from holdfast.hot import presence, provenance, wiring
from holdfast.hot.files import Lock, names_in, open_file, read_text
from holdfast.hot.paths import PACK, InState
from holdfast.install import concurrent_edit, environment, pack, record, settings
from holdfast.install.record import SETTINGS, InstallationRecord
from holdfast.install.results import Installed, Uninstalled
from holdfast.memory import location
from holdfast.session import folders
from holdfast.text.lines import counted, one_line

SOURCE = Path(__file__).resolve().parents[3]
LOCK, LOCK_S = "install.lock", 60


def install(project: Path | None, env: str = "", shared: bool | None = None) -> Installed:
    """Puts the pack in, and its entries into a project where one is named; twice is the same as once.

    env: a folder of packages to use. shared: entries for all who have the project, else (False) for this user alone;
    without, as they are.
    """
    user = pack.user_folder()
    if project:
        ProjectInstallation(project, shared).file.check()
    user.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _alone(user):
        own = ProjectInstallation(project, shared) if project else None  # as it is when nobody else is at it
        sidecar = str(user / "pack" / "hooks" / environment.SIDECAR)
        env = os.path.abspath(os.path.expanduser(env)) if env else environment.chosen(sidecar)
        if own:
            own.make_home()
        if user / "pack" != SOURCE:
            pack.copy(SOURCE, user)
        site, notes = _packages(env)
        baked = environment.Baked(environment.real_interpreter(), site)
        environment.write_sidecar(sidecar, baked)
        environment.compile_pack(baked.python, str(user / "pack" / "hooks"))
        notes += own.enter() if own else []
    return Installed(
        project=str(project or ""),
        pack=str(user / "pack"),
        lines=pack.lines(user / "pack"),
        settings=str(own.file.path) if own else "",
        hooks=sorted(own.file.wanted.hooks) if own else [],
        status_line=bool(own and wiring.name_of(settings.read(str(own.file.path)).get("statusLine"))),
        python=baked.python,
        site_packages=baked.site,
        missing_packages=list(environment.missing_packages(site)),
        files=sorted(own.record.files) if own else [],
        notes=notes,
    )


def remove_pack(purge: bool = False) -> Uninstalled:
    """Takes the user's pack away, purging what was made beside it; names what stays. Projects keep their entries."""
    user, cache, env = pack.user_folder(), Path(environment.cache_folder()), Path(environment.user_environment())
    used = any((user / record.FOLDER).glob("*.json"))
    made = [user / "config.json", user / record.FOLDER, env]
    made += [cache / "checkouts", cache / "recall"]
    deleted = [str(place) for place in made if purge and place.exists()]
    with _alone(user):
        for place in (user / "pack", user / "pack.new", *((*made, Path(f"{env}.lock")) if purge else ())):
            if place.is_file() or place.is_symlink():
                place.unlink()
            shutil.rmtree(place, ignore_errors=True)
        (user / LOCK).unlink(missing_ok=True)
        _remove_bare(user / record.FOLDER)
    for folder in (env.parent, cache, user):
        with contextlib.suppress(OSError):  # not empty, or not there
            folder.rmdir()
    known = {place for one in made for place in (one, one.parent)}
    left = [place for folder in (user, cache) if folder.is_dir() for place in sorted(folder.iterdir())]
    left = [place for place in left if purge or place not in known]
    notes = [f"{place} stays; `rm -r {shlex.quote(str(place))}` removes it" for place in left]
    if used:
        notes.append("projects that use it keep their entries; to take them out: scripts/install.py DIR --uninstall")
    return Uninstalled("", "untouched", [str(place) for place in made if place.exists()], notes, deleted)


def uninstall(folder: Path, purge: bool = False) -> Uninstalled:
    """Takes out of a project what was put in; memory, configuration and progress stay unless purged."""
    with _alone(pack.user_folder()):
        return _taken_out(folder, purge)


def _taken_out(folder: Path, purge: bool) -> Uninstalled:
    project = ProjectInstallation(folder, None)
    home, known = project.home, project.record
    names = (known.settings,) if known.left else SETTINGS
    states = [SettingsFile(project.claude, name, known).take() for name in names]
    files = pack.files_there(project.claude, SOURCE)
    if known.left:
        files.pop(".gitignore", None)
    files = {**files, **known.files, **{path: mark for path, mark in files.items() if mark}}
    changed = map(one_line, pack.take_files(project.claude, files))
    notes = [f".claude/{path} is not as this pack has it and stays" for path in changed]
    record.place_of(home).unlink(missing_ok=True)
    if provenance.mark(str(home)):
        (home / provenance.HERE).unlink()
    of_0_1 = ("pack", "env", "install.json")  # of what it put there only the settings' entries are known here
    foreign = (home / name for name in (*of_0_1, provenance.HERE))
    notes += [f"{place} is not known to be made here and stays" for place in foreign if place.exists()]
    _remove_bare(*(home / name for name in provenance.PRIVATE), home)
    hides = read_text(f"{home}/.gitignore", 200) in provenance.OF_STATE
    kept = [one_line(name, 80) for name in names_in(str(home)) if name != ".gitignore" or not hides]
    there = dict.fromkeys(kept, 0)
    if purge and home.is_dir():
        with contextlib.suppress(OSError):  # what cannot be removed is named
            there |= {name: folders.remove(f"{home}/{name}") for name in kept if provenance.is_real(f"{home}/{name}")}
            folders.remove(str(home))
        kept = [one_line(name, 80) for name in names_in(str(home))]
    deleted = [_counted(name, n) for name, n in there.items() if name not in kept]
    for own in (location.cache_of(str(home / InState.MEMORY)), git.own_folder(f"{home}/team")):
        if own and not kept:
            notes += [f"{own} is deleted{' too' if deleted else ''}"] if os.path.isdir(own) else []
            shutil.rmtree(own, ignore_errors=True)
            with contextlib.suppress(OSError):  # not empty: another place of the checkout
                os.rmdir(os.path.dirname(own))
    made = known.made_folder or (purge and not known.left)  # purged later, nothing is noted of it any more
    if made and project.claude.is_dir() and not any(project.claude.iterdir()):
        project.claude.rmdir()
    return Uninstalled(str(folder), min(states, key="untouched".__eq__), kept, notes, deleted)


def _counted(name: str, files: int) -> str:
    """A folder of the state with its files, and what its name does not tell."""
    what = {"keep.lock": "a lock", "unsaved": "sessions to be put into the memory"}.get(name, "")
    said = ", ".join(filter(None, (counted(files, "file") if files else "", what)))
    return f"{name} ({said})" if said else name


class ProjectInstallation:
    """What an installation has in one project. Raises BadInput where it is refused, before anything is done."""

    def __init__(self, folder: Path, shared: bool | None) -> None:
        if not folder.is_dir():
            told = "this is no folder" if folder.exists() else "there is no such folder"
            raise BadInput(told, str(folder), "Give an existing project folder")
        if folder.resolve() == Path.home().resolve():
            raise BadInput("this is your home", str(folder), "Hooks in its settings run everywhere: take the plugin")
        self.folder, self.claude, self.home = folder, folder / ".claude", folder / ".claude" / "holdfast"
        pack.refuse_links(self.home)
        self.record = record.load(self.home)
        had = self.record.settings
        self.before = SettingsFile(self.claude, had, self.record)
        if shared is None:
            has_ours = bool(self.record.left) or PACK in read_text(str(self.before.path), follow=True)
            shared = had == "settings.json" and has_ours
        self.shared, name = shared, SETTINGS[shared]
        self.file = self.before if name == had else SettingsFile(self.claude, name, InstallationRecord())

    def make_home(self) -> None:
        """The state folder. Raises BadInput where it cannot bear this machine's mark."""
        self.record.made_folder = self.record.made_folder or not self.claude.exists()
        provenance.real_folder(str(self.home))
        if not provenance.marked(str(self.home)):
            place = f"{self.home}/{provenance.HERE}"
            raise BadInput("this is no empty file of this machine", place, "Remove it and try again")
        provenance.keep_out_of_git(str(self.home))

    def enter(self) -> list[str]:
        """Writes agents, skills and settings; gives notes for the user."""
        moved = self.file is not self.before and bool(self.record.left)
        if moved:
            self.before.take()
        origin = pack.origin_of(SOURCE)
        files = pack.files_of(pack.user_folder() / "pack", origin, self.shared)
        self.record.files, kept = pack.put_files(self.claude, files, self.record.files)
        self.record.settings = self.file.path.name
        self.record.before, self.record.left = self.file.put(self._note)
        record.save(self.home, self.record)
        wired = settings.wired(str(self.folder))
        listed = "it steps aside in this project; its skills and agents are listed a second time"
        aside = f"{listed} until you run there: {presence.DISABLE}"
        notes = [f"the plugin is enabled too ({wired.enabled}); {aside}"] if wired.enabled else []
        notes += [f"no hook runs while there is {wired.disabled}"] if wired.disabled else []
        dead = "colleagues will be told to ask you for it, as this checkout has no https, ssh or git@ address"
        verb = "set-url" if '[remote "origin"]' in read_text(f"{git.main_checkout(str(SOURCE))}/.git/config") else "add"
        todo = f"`git remote {verb} origin URL` in the checkout, then install again"
        notes += [f"{dead}: {todo}"] if self.shared and not origin else []
        if moved and not self.shared:
            notes += [f"its entries are no longer in {self.before.path}: whoever has the project has them no more"]
        return [*notes, *(f".claude/{path} is not known to be Holdfast's and stays as it is" for path in kept)]

    def _note(self, before: str | None, left: str) -> None:
        """Notes how the settings are about to be left: whoever is ended between leaves what is known either way."""
        is_same = self.file is self.before and before == self.record.before
        known = dict.fromkeys([*self.record.left.split(), left] if is_same else [left])
        record.save(self.home, replace(self.record, before=before, left=" ".join(known)))


@contextlib.contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Keeps other installations out of the state folder; raises Fault when one does not end."""
    lock = home / LOCK
    with Lock(str(lock), LOCK_S) as held:
        if not held and home.is_dir():
            os.close(open_file(str(lock), os.O_RDWR | os.O_CREAT))  # raises why, where nobody holds it
            raise Fault("another installation is at work", str(lock), "Wait for its end and try again")
        yield


def _remove_bare(*folders: Path) -> None:
    """Removes those in which nothing is but an ignore file of ours."""
    for folder in folders:
        own, names = folder / ".gitignore", names_in(str(folder))
        if names == [own.name] and read_text(str(own), 200) in provenance.OF_STATE:
            own.unlink()
            names = []
        if not names and provenance.is_real(str(folder)):
            folder.rmdir()


def _packages(folder: str) -> tuple[str, list[str]]:
    """The folder of packages, made where it is missing; without a network the pack works with estimates."""
    try:
        return environment.provide(folder), []
    except (Fault, OSError) as error:
        lost = ", ".join(environment.missing_packages(""))
        return "", [f"packages missing ({lost}): {error}. Hooks work with estimates; install again to complete"]


class SettingsFile:
    """A project's settings file, and the record of what was put into it."""

    def __init__(self, claude: Path, name: str, record: InstallationRecord) -> None:
        self.claude, self.path, self.record = claude, claude / name, record
        project, real = os.path.realpath(claude.parent), os.path.realpath(self.path)
        leads = "out of the project" if not real.startswith(project + os.sep) else ""
        leads = leads or ("nowhere" if self.path.is_symlink() and not os.path.exists(real) else "")
        leads = leads or ("to another file" if self.path.is_symlink() and name == SETTINGS[0] else "")
        if leads:
            todo = "Put a file in its place and try again; nothing was changed"
            raise BadInput(f"this link leads {leads}", str(self.path), todo)

    @cached_property
    def wanted(self) -> settings.PackEntries:
        """The entries of the pack's hooks.json, each command guarded for machines without the pack."""
        table = json.loads((SOURCE / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        origin = pack.origin_of(SOURCE)
        shared = self.path.name == SETTINGS[True]
        hooks = {
            event: [
                {**group, "hooks": [_guarded(hook, origin, not shared) for hook in group["hooks"]]} for group in groups
            ]
            for event, groups in table.items()
        }
        line = {"type": "command", "command": wiring.shell_command("status_line")}
        own = not shared and not self._has_other_line()  # shared, it would hide colleagues' own
        return settings.PackEntries(hooks, line if own else None)

    def check(self) -> None:
        """Raises BadInput when the settings cannot be edited."""
        self._merged(concurrent_edit.read(str(self.path)))

    def put(self, note: Callable[[str | None, str], None]) -> tuple[str | None, str]:
        """Merges the entries in; gives the file as it was before, and the digest of how it was left. note: is told both
        before anything is written.
        """
        past: list[str | None] = []

        def change(old: bytes | None) -> bytes:
            new, before = self._merged(old)
            if new != old or not past:  # looking back at the finished file must not pass for its past
                past.append(before)
                note(before, pack.digest(new))
            return new

        left = concurrent_edit.edit(str(self.path), change)
        return past[-1], pack.digest(left or b"")

    def take(self) -> str:
        """Takes the entries out; says how the file was left: restored, cleaned, removed or untouched."""
        states: list[str] = []

        def change(old: bytes | None) -> bytes | None:
            new, state = self._cleaned(old)
            states.append(state)
            return new

        concurrent_edit.edit(str(self.path), change)
        return next((state for state in states if state != "untouched"), "untouched")

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
        if old is None or clean == text:
            return old, "untouched"
        return (None, "removed") if clean is None else (clean.encode(), "cleaned")

    def _as_left(self, old: bytes | None) -> bool:
        """Whether nobody has changed the file since it was written here."""
        return old is not None and pack.digest(old) in self.record.left.split()

    def _stripped(self, text: str) -> str | None:
        """The text without our entries; None where nothing is left of a file that the installation has made."""
        made = self.record.before is None and (bool(self.record.left) or PACK in text)
        clean = settings.strip(text, settings.parse(self.record.before or "")) if PACK in text else text
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
        """Whether the user has a status line already, in whichever settings hold here."""
        found = map(settings.read, wiring.settings_files(str(self.claude.parent)))
        return any("statusLine" in one and not wiring.name_of(one["statusLine"]) for one in found)


def _guarded(hook: Mapping[str, Any], origin: str, alone: bool) -> dict[str, Any]:
    """A hook of hooks.json with the plugin's command turned into the project's."""
    name = hook["args"][-1] if hook.get("args") else hook["command"].split()[-1]
    rest = {key: value for key, value in hook.items() if key not in ("command", "args")}
    return {"type": "command", "command": wiring.shell_command(name.strip("\"'"), origin=origin, alone=alone), **rest}
