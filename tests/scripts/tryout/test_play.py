import json
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.hot import wiring
from holdfast.install import installer
from holdfast.install.results import Installed
from holdfast.text.tokens import estimate
from tryout import play

PACK = """import json, os, sys
given = json.load(sys.stdin)
if given["hook_event_name"] == "SubagentStop":
    print(json.dumps({"decision": "block", "reason": "cut"}))
if given.get("tool_name") == "Bash":
    assert json.dumps(given).count("/gone/") == 0
assert not os.path.exists(os.environ.get("HOLDFAST_DIR", "/none"))  # a new folder is taken: else the project's is
"""

REPORT = "Wirkungsgrad der Zähler: 0x7f, naïve café — ⟦δ⟧ " * 9


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / ".claude"
    folder.mkdir(parents=True)
    (tmp_path / "hook.py").write_text(PACK, encoding="utf-8")
    one = [{"hooks": [{"type": "command", "command": f"'{sys.executable}' '{tmp_path}/hook.py'"}]}]
    text = json.dumps({"hooks": {"SubagentStop": one, "PostToolUse": one}})
    (folder / "settings.json").write_text(text, encoding="utf-8")
    return tmp_path


def session(folder: Path) -> Path:
    path = folder / "recorded" / "s1.jsonl"
    kept = path.with_suffix("") / "tool-results"
    kept.mkdir(parents=True)
    (kept / "b.txt").write_text("whole", encoding="utf-8")
    calls = [{"type": "tool_use", "id": i, "name": n, "input": {}} for i, n in (("a", "Agent"), ("b", "Bash"))]
    results = [{"type": "tool_result", "tool_use_id": i, "content": "seen"} for i in ("a", "b")]
    outputs: list[object] = [
        {"agentId": "a1", "content": [{"type": "text", "text": REPORT}]},
        {"stdout": "seen", "persistedOutputPath": "/gone/s1/tool-results/b.txt"},
    ]
    rows = [
        {"type": "assistant", "message": {"content": calls, "usage": {"input_tokens": 5}}},
        *(
            {"type": "user", "message": {"content": [result]}, "toolUseResult": output}
            for result, output in zip(results, outputs, strict=True)
        ),
    ]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


def test_a_session_is_played_through_the_projects_hooks(project: Path) -> None:
    recorded = session(project)
    receipt = play.play(project, recorded)
    assert receipt["faults"] == play.logged_faults(project) == []
    assert receipt["handoffs"]["asked_again"] == play.BLOCKS_PLAYED
    assert receipt["handoffs"]["tokens_before"] == estimate(REPORT)  # as the hook's own message counts
    assert receipt["hooks"]["PostToolUse"]["runs"] == 2
    assert (project / "transcripts" / "s1.jsonl").read_bytes() == recorded.read_bytes()
    assert (project / "transcripts" / "s1" / "tool-results" / "b.txt").read_text(encoding="utf-8") == "whole"
    (project / "logs").mkdir()
    (project / "logs" / "faults.log").write_text("one\ntwo\n", encoding="utf-8")
    assert play.logged_faults(project) == ["one", "two"]  # a hook ends well whatever happens


def test_installing_for_good_fires_each_hook_once(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Installed("", "", 0, "", [], True, "", "", [], [], [])
    monkeypatch.setattr(installer, "install", lambda *_: told)
    monkeypatch.setattr(play, "tell", lambda answer, _: sys.stdout.write(answer.facts.done + "\n"))
    assert play.main([str(project / "project")]) == 0
    said = capsys.readouterr()
    assert said.out == "installed\n  tried     2 hooks: all fine\n"
    assert "for you alone\n          settings.local.json" in said.err
    text = json.loads((project / "project" / ".claude" / "settings.json").read_text(encoding="utf-8"))
    text["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": wiring.shell_command("stop")}]}]
    (project / "project" / ".claude" / "settings.json").write_text(json.dumps(text), encoding="utf-8")
    assert play.main([str(project / "project")]) == 0
    assert "for all who have the project\n          settings.json" in capsys.readouterr().err
    (project / "hook.py").write_text("raise SystemExit(3)", encoding="utf-8")
    assert play.main([str(project / "project")]) == 1
    assert "Stop: ended with 3" in capsys.readouterr().err


def test_without_packages_a_session_is_played_and_what_is_none_is_refused(tmp_path: Path) -> None:
    recorded = session(tmp_path)
    no_cache = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "XDG_CACHE_HOME": "/dev/null"}
    alone = [sys.executable, "-I", "-S", "-B", str(play.ROOT / "scripts" / "try_session.py"), "--transcript"]

    def tried(file: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*alone, str(file)], capture_output=True, text=True, env=no_cache, check=False)

    assert "checkpoints" in tried(recorded).stdout
    (tmp_path / "README.md").write_text("# Read me\n", encoding="utf-8")
    refused = tried(tmp_path / "README.md")
    assert (refused.stdout, refused.stderr.count("\n")) == ("", 1)
    assert "README.md: this is no transcript" in refused.stderr
    assert play.main([str(tmp_path), "--transcript", str(recorded)]) == 1
    assert not (tmp_path / ".claude").exists()
