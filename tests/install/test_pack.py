import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.cli.main import COMMANDS
from holdfast.install import pack

SHARED = """---
description: a
name: {name}
---
see `/{colon}status` and agent {colon}writer
run {root}/bin/holdfast doctor
!`{command} status`
{command} status
with Holdfast: much is kept by holdfast itself
"""


@pytest.mark.parametrize("name", ["writer", "holdfast-writer"])
def test_a_plugins_words_become_a_projects(name: str) -> None:
    """Names, skills, paths, the command; prose stays. A text without front matter has no name."""
    plugin = {"colon": "holdfast:", "root": '"${CLAUDE_PLUGIN_ROOT}"', "command": "holdfast"}
    project = {"colon": "holdfast-", "root": ".claude/holdfast/pack", "command": ".claude/holdfast/pack/bin/holdfast"}
    told = pack.localise(SHARED.format(name=name, **plugin), "holdfast-writer")
    assert told == SHARED.format(name="holdfast-writer", **project)
    assert pack.localise("name: writer\n", "holdfast-writer") == "name: writer\n"


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
    pack.copy(Path(__file__).parents[2], tmp_path)
    hooks = tmp_path / "pack" / "hooks"
    assert not (hooks / "holdfast" / "engine").exists()
    assert not (tmp_path / "pack" / "benchmarks").exists()
    command = [sys.executable, "-P", "-c", ALONE, str(hooks), *COMMANDS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    last = done.stderr.strip().splitlines()[-1]
    assert last == "ImportError: holdfast.ContextWindowManager is not in a dropped-in pack; import it from a checkout"
