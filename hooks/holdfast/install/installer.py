"""A project's settings file and the record of what was put into it.

The record (`install.json` in the state folder) holds the file as it was before and the mark of the file as it
was left: while the file still bears that mark, uninstalling puts the old bytes back; after a change by
anybody, exactly our entries are taken out of what stands there now.
"""

import json
import os
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from holdfast.errors import BadInput
from holdfast.install import concurrent_edit, json_edit, settings
from holdfast.install.pack import digest

T = TypeVar("T")
RECORD = "install.json"
RECORD_VERSION = 1
TODO = "Mend it by hand and try again; nothing was changed"


class Wiring:
    """The hook entries of one project."""

    def __init__(self, claude: Path, source: Path) -> None:
        self.claude = claude
        self.path = claude / "settings.json"
        self.record_path = claude / "holdfast" / RECORD
        self.record = _read_record(self.record_path)
        self.source = source

    @cached_property
    def wanted(self) -> settings.Wanted:
        """The entries of the pack's hooks.json, each command guarded for machines without the pack."""
        table = json.loads((self.source / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        hooks = {event: [_guarded(group) for group in groups] for event, groups in table.items()}
        line = {"type": "command", "command": settings.shell_command("status_line")}
        return settings.Wanted(hooks, None if self._has_other_line() else line)

    def check(self) -> None:
        """Raises BadInput when the settings cannot be edited."""
        self._edit(lambda: self._merged(concurrent_edit.read(str(self.path))))

    def put(self, files: Mapping[str, str], made_folder: bool) -> None:
        """Merges the entries in, and writes the record."""
        outcome: dict[str, Any] = {}

        def change(old: bytes | None) -> bytes:
            new, note = self._edit(lambda: self._merged(old))
            if new != old or not outcome:  # looking back at the finished file must not pass for its past
                outcome.update(note)
            return new

        left = concurrent_edit.edit(str(self.path), change)
        record = {
            "version": RECORD_VERSION,
            "settings": {**outcome, "left": digest(left or b"")},
            "files": dict(files),
            "made_folder": bool(self.record.get("made_folder", made_folder)),
        }
        content = (json.dumps(record, indent=1) + "\n").encode()
        if concurrent_edit.read(str(self.record_path)) != content:
            concurrent_edit.edit(str(self.record_path), lambda _: content)
        os.chmod(self.record_path, 0o600)
        self.record = record

    def take(self) -> str:
        """Takes the entries out; says how the file was left: restored, cleaned, removed or untouched."""
        known = self.record.get("settings", {})
        states: list[str] = []

        def change(old: bytes | None) -> bytes | None:
            new, state = self._edit(lambda: self._cleaned(old, known))
            states.append(state)
            return new

        concurrent_edit.edit(str(self.path), change)
        return next((state for state in states if state != "untouched"), "untouched")

    def forget(self) -> None:
        """Removes the record."""
        self.record_path.unlink(missing_ok=True)

    def status_line_is_ours(self) -> bool:
        """Whether the settings show our status line."""
        text = (concurrent_edit.read(str(self.path)) or b"").decode("utf-8", "replace").removeprefix(settings.BOM)
        return settings.is_ours(json.loads(text or "{}").get("statusLine"))

    def _merged(self, old: bytes | None) -> tuple[bytes, dict[str, Any]]:
        """The settings with our entries, and what is to be recorded of the state before."""
        known = self.record.get("settings", {})
        text = self._decode(old)
        if old is not None and digest(old) == known.get("left"):
            before, existed, created = known.get("before") or "", known.get("existed", True), ()
        else:
            created = tuple(known.get("created", settings.containers(text) if settings.MARK in text else ()))
            before = settings.strip(text, created)
            existed = known.get("existed", True) and old is not None if known else old is not None
        merged = settings.merge(text, self.wanted)
        fresh = settings.merge(before, self.wanted)
        note = {
            "before": before if existed else None,
            "existed": existed,
            "created": sorted({*created, *fresh.created, *known.get("created", ())}),
        }
        return merged.text.encode(), note

    def _cleaned(self, old: bytes | None, known: Mapping[str, Any]) -> tuple[bytes | None, str]:
        if old is None:
            return None, "untouched"
        if digest(old) == known.get("left"):
            before = known.get("before")
            return (None, "removed") if before is None else (before.encode(), "restored")
        text = self._decode(old)
        created = known.get("created") or (settings.containers(text) if settings.MARK in text else ())
        clean = settings.strip(text, created) if settings.MARK in text else text
        if known and not known.get("existed", True) and settings.is_blank(clean):
            return None, "removed"
        return clean.encode(), "untouched" if clean == text else "cleaned"

    def _decode(self, content: bytes | None) -> str:
        try:
            return (content or b"").decode()
        except UnicodeDecodeError as error:
            raise BadInput(f"not UTF-8 at byte {error.start}", str(self.path), TODO) from None

    def _edit(self, step: Callable[[], T]) -> T:
        """Runs an edit; a file that cannot be edited is named with its path and place."""
        try:
            return step()
        except json_edit.JsonTextError as error:
            raise BadInput(error.what, f"{self.path}: {error.where}", TODO) from None
        except settings.SettingsError as error:
            raise BadInput(error.what, str(self.path), TODO) from None

    def _has_other_line(self) -> bool:
        """Whether the user has a status line already: in the project, or for all projects."""
        home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.join(os.path.expanduser("~"), ".claude")
        for path in (self.path, self.claude / "settings.local.json", Path(home) / "settings.json"):
            try:
                data = json.loads(path.read_text(encoding="utf-8-sig"))
            except (OSError, ValueError):
                continue
            if isinstance(data, dict) and "statusLine" in data and not settings.is_ours(data["statusLine"]):
                return True
        return False


def _read_record(path: Path) -> dict[str, Any]:
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _guarded(group: Mapping[str, Any]) -> dict[str, Any]:
    """A group of hooks.json with the plugin's command turned into the project's."""
    return {**group, "hooks": [_guarded_hook(hook) for hook in group["hooks"]]}


def _guarded_hook(hook: Mapping[str, Any]) -> dict[str, Any]:
    name = hook["args"][-1] if hook.get("args") else hook["command"].split()[-1]
    rest = {key: value for key, value in hook.items() if key not in ("command", "args")}
    return {"type": "command", "command": settings.shell_command(name.strip("\"'")), **rest}
