import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.cli.main import COMMANDS
from holdfast.install import pack

ROOT = Path(__file__).parents[2]
PLUGIN = "${CLAUDE_PLUGIN_ROOT}/bin/holdfast"
SHARED = """---
description: a
name: {name}
allowed-tools: Bash("{command}" status:*), Bash("{command}" config show:*)
---
see `/{colon}status` and agent {colon}writer
!`"{command}" status`
    "{command}" status
with Holdfast: much is kept by holdfast itself
"""


@pytest.mark.parametrize("name", ["writer", "holdfast-writer"])
def test_a_plugins_words_become_a_projects(name: str) -> None:
    """Names, skills, paths, the command; prose stays. A text without front matter has no name."""
    command = "/my p/.claude/holdfast/pack/bin/holdfast"
    told = pack.localise(SHARED.format(name=name, colon="holdfast:", command=PLUGIN), "holdfast-writer", command)
    assert told == SHARED.format(name="holdfast-writer", colon="holdfast-", command=command)
    assert pack.localise("name: writer\n", "holdfast-writer", command) == "name: writer\n"


@pytest.mark.parametrize("folder", ["x:*), Bash(rm", "a,b", "a*", "$(id)", '"', "`id`", "a\\"])
def test_no_folders_name_adds_to_what_a_skill_allows(folder: str, tmp_path: Path) -> None:
    """A path that is more than a path to the client's list of tools is not in it; the text names it quoted."""
    for path, text in pack.shared_files(ROOT, tmp_path / folder):
        assert "allowed-tools" not in text, path
        assert shlex.quote(f"{tmp_path / folder}/pack/bin/holdfast") in text or "bin/holdfast" not in text


def test_skills_allow_and_name_the_installed_pack_alone(tmp_path: Path) -> None:
    """By its whole path: the plugin's, as the client puts it in, or that of the very copy that was dropped in."""
    (skills, dropped) = (ROOT / "skills").glob("*/*"), pack.shared_files(ROOT, tmp_path)
    texts = [(skill.read_text(encoding="utf-8"), PLUGIN) for skill in skills]
    texts += [(text, f"{tmp_path}/pack/bin/holdfast") for path, text in dropped if path.startswith("skills/")]
    for text, command in texts:
        allowed = re.findall(r"Bash\(.*?\)", text)
        assert [
            one for one in allowed if not re.fullmatch(rf'Bash\("{re.escape(command)}" [a-z]+( [a-z]+)?:\*\)', one)
        ] == []
        assert allowed
        assert {line for line in text.splitlines() if re.match(r"    \S*holdfast\b", line)} == {
            line for line in text.splitlines() if line.startswith(f'    "{command}" ')
        }
        assert ".claude/holdfast/pack" not in text.replace(command, "")


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
