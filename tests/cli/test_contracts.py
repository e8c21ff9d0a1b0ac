import contextlib
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, RootModel

from benchmarks import engine_speed
from benchmarks import schema as benchmarks
from holdfast.checkpoint import schema as checkpoint
from holdfast.cli.main import COMMANDS, main
from holdfast.compaction import schema as compaction
from holdfast.config import schema as config
from holdfast.handoff import schema as handoff
from holdfast.knowledge import schema as knowledge
from holdfast.package import schema as package
from holdfast.recall import schema as recall
from holdfast.report import schema as report
from holdfast.text.columns import cells
from tests.cli.conftest import Make

Compactions = RootModel[list[compaction.Compaction]]
CONTRACTS: dict[str, type[BaseModel]] = {
    "bench engine --rounds 1": benchmarks.Figures,
    "checkpoint list": checkpoint.Listed,
    "checkpoint resume": checkpoint.Resumed,
    "checkpoint save --note x": checkpoint.Saved,
    "checkpoint show": checkpoint.Shown,
    "compactions": Compactions,
    "config check": config.SettingsChecked,
    "config get handoff.limit": config.Setting,
    "config set handoff.limit 400": config.Setting,
    "config unset handoff.limit": config.Setting,
    "config why handoff.limit": config.SettingExplained,
    "config show": config.SettingsShown,
    "handoff check {handoff}": handoff.Check,
    "handoff package --kind emergency": package.Made,
    "handoff package --list": package.PackageList,
    "knowledge build": knowledge.Built,
    "knowledge check": knowledge.ConsistencyCheck,
    "knowledge table": knowledge.RuleTables,
    "knowledge update --change code --section src": knowledge.Updated,
    "packet --transcript {transcript}": compaction.Packet,
    "packet --transcript {transcript} --instructions": compaction.Packet,
    "replay {transcript}": benchmarks.Replay,
    "show": knowledge.NavigationIndex,
    "show --stale": knowledge.Stale,
    "show 1.0": knowledge.ShownPlace,
    "show 4.src": knowledge.ShownPlace,
    "recall login": recall.Recalled,
    "show 4.src/a.py": knowledge.ShownPlace,
    "sessions": report.Sessions,
    "sessions --all --since 7d": report.Sessions,
    "stats": report.Statistics,
    "stats --since 2w --project {project}": report.Statistics,
    "status": report.SessionStatus,
    "status --receipt": report.SessionReceipt,
}


@pytest.fixture
def files(project: Path, run_hook: Make, payload: Make, transcript: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A project with a file, a session with a compaction in it, a checkpoint, documents of which one is stale."""
    (project / "src").mkdir()
    (project / "src" / "a.py").write_text('"""Takes payments."""\n')
    handed = project / "handoff.md"
    handed.write_text("Decision: PROCEED\nExtend src/a.py.")
    run_hook("session_start", payload("SessionStart.startup"))
    transcript.user(
        f"Fix the login. {'登录' * 60}\nRULE: never touch b.py, and {'take care of every file that ' * 9}is left"
    )
    transcript.did("TodoWrite", todos=[{"content": "write", "status": "in_progress"}])
    transcript.did("Bash", "built one more\n" * 1_000, command="make")
    transcript.assistant("DECISION: keep the cookie.", tokens=9_000)
    run_hook("pre_compact", payload("PreCompact.manual"))
    run_hook("post_compact", payload("PostCompact.manual"))
    transcript.boundary()
    run_hook("stop", payload("Stop"))
    assert main(["checkpoint", "save"]) == main(["knowledge", "build"]) == 0
    (project / "src" / "b.py").write_text("")
    monkeypatch.setattr(engine_speed, "SIZES", (20, 40, 80))
    monkeypatch.setattr(engine_speed, "TURNS", 30)
    return {"transcript": transcript.path, "handoff": handed, "project": project}


def test_what_commands_print_keeps_their_contracts(files: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    """Every key, none beside, each of its type; all in one project, since making it takes longer than they do."""
    for command, model in CONTRACTS.items():
        capsys.readouterr()
        main([*(part.format(**files) for part in command.split()), "--json"])
        told = capsys.readouterr().out
        assert told != "[]\n", command
        model.model_validate_json(told)


READING = """status|status --line|status --receipt|stats|sessions|checkpoint list|checkpoint show|recall login
|packet --transcript {transcript}|compactions|handoff check {handoff}|handoff package --list
|config show|config get digest.on
|config why digest.on|config check|config schema|doctor
|knowledge check|knowledge table|show|show --stale|show 1.0|memory list|memory search login"""

CACHED = ("recall.index", "catalogue.db", "access.log")


def test_what_only_reads_writes_nothing(files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a file, not a date, in project and home, but the index of a search, and that a memory was looked up."""
    monkeypatch.setenv("HOME", str(files["project"]))

    def tree() -> dict[str, tuple[int, bytes]]:
        places = sorted(files["project"].rglob("*"))
        return {str(one): (one.lstat().st_mtime_ns, one.read_bytes() if one.is_file() else b"") for one in places}

    before = tree()
    for command in READING.replace("\n", "").split("|"):
        assert main([word.format(**files) for word in command.split()]) in (0, 1)
        changed = [path for path, _ in before.items() ^ tree().items()]
        assert {path for path in changed if not Path(path).is_dir() and Path(path).name not in CACHED} == set(), command


ALSO = """memory add decision {long}|memory check|team|team claim src/{long}|team audit|server status|doctor --help
|memory add --help|memory list --help|memory search --help|handoff package --help|config set --help|team state --help"""


@pytest.mark.parametrize("columns", [80, 60])
def test_what_people_read_is_no_wider_than_the_screen(
    columns: int, files: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In cells, of every command and its help, but for words that cannot be broken (paths, ids) and what is pasted."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    files["long"] = "登录" * 40
    asked = [*CONTRACTS, *READING.replace("\n", "").split("|"), *ALSO.replace("\n", "").split("|"), "--help"]
    asked += [f"{name} --help" for name in COMMANDS]
    for command in asked:
        capsys.readouterr()
        with contextlib.suppress(SystemExit):
            main([word.format(**files) for word in command.split()])
        lines = [] if command.endswith(" schema") else capsys.readouterr().out.splitlines()
        wide = [line for line in lines if cells(line) > columns and "/compact keep " not in line and "`" not in line]
        parted = [line.rpartition(" ") for line in wide]
        assert [line for line in parted if cells(line[0]) > columns or len(line[2]) <= 30] == [], command
