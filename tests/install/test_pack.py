import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.cli.main import COMMANDS
from holdfast.install import pack

ROOT = Path(__file__).parents[2]
SHARED = """---
description: a
name: {name}
allowed-tools: Bash({command} status:*), Bash({command} config show:*)
---
see `/{colon}status` and agent {colon}writer
!`{command} status`
- {command} status
    {command} status, or `{command} show 1.0`
with Holdfast: much is kept by holdfast itself
"""


@pytest.mark.parametrize("name", ["writer", "holdfast-writer"])
def test_a_plugins_words_become_a_projects(name: str) -> None:
    """Names, skills, paths, the command; prose stays. A text without front matter has no name."""
    command = "/p/.claude/holdfast/pack/bin/holdfast"
    told = pack.localise(SHARED.format(name=name, colon="holdfast:", command="holdfast"), "holdfast-writer", command)
    assert told == SHARED.format(name="holdfast-writer", colon="holdfast-", command=command)
    assert pack.localise("name: writer\n", "holdfast-writer", command) == "name: writer\n"


@pytest.mark.parametrize("folder", ["my project", "x:*), Bash(rm", "a,b", "a*"])
def test_no_folders_name_adds_to_what_a_skill_allows(folder: str, tmp_path: Path) -> None:
    """A path that is more than a path to the client's list of tools is not in it; the text names it quoted."""
    for path, text in pack.shared_files(ROOT, tmp_path / folder):
        assert "allowed-tools" not in text, path
        assert shlex.quote(f"{tmp_path / folder}/pack/bin/holdfast") in text or "holdfast " not in text


def test_skills_allow_and_name_the_installed_pack_alone(tmp_path: Path) -> None:
    """Each command of a dropped-in skill is that of its own copy; a plugin's is never a project's file."""
    for path, text in pack.shared_files(ROOT, tmp_path):
        for allowed in re.findall(r"Bash\(([^)]*)\)", text):
            assert allowed.startswith(f"{tmp_path}/pack/bin/holdfast "), path
    for skill in (ROOT / "skills").glob("*/*"):
        text = skill.read_text(encoding="utf-8")
        assert ".claude/" not in text, skill
        for allowed in re.findall(r"Bash\(([^)]*)\)", text):
            assert re.fullmatch(r"holdfast [a-z]+( [a-z]+)?:\*", allowed), skill


def test_a_copy_replaces_the_old_pack_as_a_whole(tmp_path: Path) -> None:
    """What the new pack does not have is gone, and no half copy stays behind."""
    (tmp_path / "source" / "hooks").mkdir(parents=True)
    (tmp_path / "source" / "hooks" / "run").touch()
    home = tmp_path / "home"
    (home / "pack" / "hooks").mkdir(parents=True)
    (home / "pack" / "hooks" / "old.py").touch()
    (home / "pack.new").mkdir()
    pack.copy(tmp_path / "source", home)
    assert [path.name for path in home.iterdir()] == ["pack"]
    assert [path.name for path in (home / "pack" / "hooks").iterdir()] == ["run"]


ALONE = """import importlib, sys
sys.path.insert(0, sys.argv[1])
for name in sys.argv[2:]:
    importlib.import_module(f"holdfast.cli.{name}")
from holdfast import ContextWindowManager
"""


def test_what_is_dropped_in_works_without_the_engine(tmp_path: Path) -> None:
    """Every command loads from the copy; who asks for the engine is told where it is."""
    pack.copy(ROOT, tmp_path)
    hooks = tmp_path / "pack" / "hooks"
    assert not (hooks / "holdfast" / "engine").exists()
    assert not (tmp_path / "pack" / "benchmarks").exists()
    command = [sys.executable, "-P", "-c", ALONE, str(hooks), *COMMANDS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    last = done.stderr.strip().splitlines()[-1]
    assert last == "ImportError: holdfast.ContextWindowManager is not in a dropped-in pack; import it from a checkout"
