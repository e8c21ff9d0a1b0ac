"""`scripts/try [DIR]`: installs the pack and plays a recorded session through its real hooks.

Without DIR home and project are temporary ones and go afterwards. With DIR the pack is installed there for this user,
who is told first what will be changed, and each hook is fired once, for a session in a folder that goes afterwards.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
from pathlib import Path

from holdfast.cli.install import answer
from holdfast.cli.output import tell
from holdfast.errors import BadInput, HoldfastError
from holdfast.install import environment, installer, pack
from holdfast.text import tokens
from tryout import receipt as receipts
from tryout.recording import Moment, carried, moments, read_rows
from tryout.stage import Stage, floor

ROOT = Path(__file__).resolve().parents[2]
RECORDED_WINDOW = 200_000
FLOOR_EVERY = 8
BLOCKS_PLAYED = 3
SMOKE = "holdfast-smoke-check"


def main(argv: list[str] | None = None) -> int:
    """Tries the pack out; 0 when every hook ended well."""
    options = _options(argv)
    try:
        if options.dir and (options.transcript or options.keep):
            raise BadInput("--transcript and --keep are of a session in a temporary project", "", "Leave DIR out")
        if options.dir:
            return _for_good(Path(options.dir).expanduser().resolve(), options.json)
        recording = Path(options.transcript).expanduser() if options.transcript else None
        if recording and not (recording.is_file() and any("message" in row for _, row in read_rows(recording))):
            raise BadInput("this is no transcript", str(recording), "Give a session's .jsonl file")
        return _in_a_temporary_project(recording, options)
    except BrokenPipeError:  # the reader, e.g. `head`, has had enough
        sys.stderr.close()
        return 0
    except (HoldfastError, OSError) as error:
        print(f"holdfast: {error}", file=sys.stderr)
        return 1


def _in_a_temporary_project(recording: Path | None, options: argparse.Namespace) -> int:
    """Without a recording the one that the project carries."""
    folder = Path(tempfile.mkdtemp(prefix="holdfast-try-"))
    try:
        os.environ["HOME"] = str(folder)
        recording = recording or carried(folder / "recorded")
        result = installer.install(_project(folder), _own_environment())
        if not options.json:
            print(f"installed into {result.project}; playing {recording.name}")
        receipt = play(folder, recording, None if options.transcript else RECORDED_WINDOW)
        print(json.dumps(receipt, indent=2) if options.json else receipts.told(receipt))
        return 1 if receipt["faults"] else 0
    finally:
        if options.keep:
            print(f"kept: {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder, ignore_errors=True)


def play(folder: Path, recording: Path, window: int | None = None) -> receipts.Receipt:
    """Plays a session in the project at folder/project and gives the receipt."""
    project = folder / "project"
    session = recording.stem
    transcript = folder / "transcripts" / recording.name
    transcript.parent.mkdir(exist_ok=True)
    transcript.write_bytes(b"")
    beside = recording.with_suffix("")
    if beside.is_dir():
        shutil.copytree(beside, transcript.with_suffix(""), dirs_exist_ok=True)
    stage = Stage(project, session, transcript)
    collector = receipts.Collector(
        tokens.estimate, lambda text: tokens.rough(len(text))
    )  # as the hooks themselves count
    python = environment.real_interpreter()
    for number, moment in enumerate(moments(recording)):
        if number % FLOOR_EVERY == 0:
            collector.floors.append(floor(python))
        _perform(stage, collector, _moved(moment, beside, transcript.with_suffix("")), window)
    state = project / ".claude" / "holdfast" / "sessions"
    collector.faults += logged_faults(project / ".claude" / "holdfast")
    kept = _files(state, "archive") + _files(state, "handoffs", ".report.md")
    return collector.receipt(_files(state, "checkpoints", ".json"), kept, str(state / session))


def _perform(stage: Stage, collector: receipts.Collector, moment: Moment, window: int | None) -> None:
    """Lets one moment happen. A sub-agent asked to cut gives the same text: no second one was recorded."""
    if moment.line:
        stage.grow(moment.line)
        return
    fields, tries = dict(moment.fields), 1
    if moment.event == "SubagentStop":
        tries = BLOCKS_PLAYED
    for _ in range(tries):
        ran = stage.fire(moment.event, fields)
        for one in ran:
            collector.take(moment, one)
        if not any(one.reply.get("decision") == "block" for one in ran):
            break
        fields["stop_hook_active"] = True
    if moment.event == "Stop" and window:
        for one in stage.fire("StatusLine", _status(stage, window)):
            collector.take(moment, one)


def _status(stage: Stage, window: int) -> dict[str, object]:
    """What the client tells the status line, as far as a recorded session knows it."""
    usage: dict[str, int] = {}
    for line in stage.transcript.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("type") == "assistant" and not row.get("isSidechain"):
            usage = row["message"].get("usage", usage)
    kinds = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    used = sum(int(usage.get(kind, 0)) for kind in kinds)
    return {
        "model": {"id": "claude-sonnet-4-5", "display_name": "Sonnet 4.5"},
        "workspace": {"current_dir": str(stage.project), "project_dir": str(stage.project)},
        "context_window": {
            "context_window_size": window,
            "total_input_tokens": used,
            "current_usage": {kind: usage.get(kind, 0) for kind in (*kinds, "output_tokens")},
            "used_percentage": round(100 * used / window),
        },
    }


def _moved(moment: Moment, beside: Path, copied: Path) -> Moment:
    """The moment with the paths of the session's own folder turned to the copy."""
    if not copied.is_dir() or moment.line:
        return moment
    text = json.dumps(moment.fields)
    for named in ("tool-results", "subagents"):
        for file in (copied / named).glob("*"):
            text = _repointed(text, f"{beside.name}/{named}/{file.name}", str(file))
    return moment._replace(fields=json.loads(text))


def _repointed(text: str, tail: str, place: str) -> str:
    """Every path that ends in `tail`, a value of its own in a JSON text, replaced by `place`."""
    return re.sub(f'"[^"\\\\]*{re.escape(tail)}"', lambda _: json.dumps(place), text)


def logged_faults(state: Path) -> list[str]:
    """What the hooks kept to themselves: they disturb nobody, and write it down."""
    try:
        return (state / "logs" / "faults.log").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def _for_good(project: Path, as_json: bool) -> int:
    """Installs into a project of the user's, and fires each hook once."""
    own = installer.ProjectInstallation(project, None)
    whom = "for all who have the project" if own.shared else "for you alone"
    print(f"holdfast: this writes {pack.user_folder() / 'pack'}, and {whom}", file=sys.stderr)
    print(f"          {own.file.path.name}, agents and skills in {own.claude}", file=sys.stderr)
    print(f"          to take it out: scripts/install.py {shlex.quote(str(project))} --uninstall", file=sys.stderr)
    result = installer.install(project)
    folder = Path(tempfile.mkdtemp(prefix="holdfast-try-"))
    transcript, state = folder / f"{SMOKE}.jsonl", folder / "state"  # of its own: no other folder is taken for it
    transcript.touch()
    try:
        stage = Stage(project, SMOKE, transcript, folder)
        aside = {"HOLDFAST_DIR": str(state), "CLAUDE_PLUGIN_OPTION_STATS_LEDGER": "false"}
        stage.env |= {**aside, "HOLDFAST_CHECK": "1"}  # the user's own state is not to tell of this
        given = {"source": "startup", "tool_name": "Read", "prompt": "", "trigger": "auto"}
        ran = [one for event in stage.hooks for one in stage.fire(event, given)]
        faults = [f"{one.event}: {one.fault}" for one in ran if one.fault] + logged_faults(state)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    result.faults = faults
    tell(answer(result), as_json)
    if not as_json:
        print(f"  tried     {len(ran)} hooks: {f'{len(faults)} faults' if faults else 'all fine'}")
    for fault in faults:
        print(f"  fault: {fault}", file=sys.stderr)
    return 1 if faults else 0


def _project(folder: Path) -> Path:
    (folder / "project").mkdir()
    return folder / "project"


def _own_environment() -> str:
    """The environment that runs this, so that a try does not make another one."""
    return "" if sys.prefix == sys.base_prefix else sys.prefix


def _files(state: Path, kind: str, ending: str = "") -> int:
    return sum(1 for path in state.glob(f"*/{kind}/*") if path.is_file() and path.name.endswith(ending))


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/try", description="Installs Holdfast and shows what it does.")
    parser.add_argument("dir", nargs="?", help="install into this project for good, and fire each hook once")
    parser.add_argument("--transcript", metavar="FILE", help="play a session of your own instead")
    parser.add_argument("--keep", action="store_true", help="leave the temporary project for a look")
    parser.add_argument("--json", action="store_true", help="the receipt as JSON")
    return parser.parse_args(argv)
