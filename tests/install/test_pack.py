import re
import subprocess
import sys
from pathlib import Path

import pytest

from holdfast.cli.main import COMMANDS
from holdfast.install import pack
from tests.memory.memories import git

ROOT = Path(__file__).parents[2]
PLUGIN = "${CLAUDE_PLUGIN_ROOT}/bin/holdfast"
USERS = "$HOME/.claude/holdfast/pack/bin/holdfast"
ORIGIN = "https://x/me/hold.git"
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
    told = pack.localise(SHARED.format(name=name, colon="holdfast:", command=PLUGIN), "holdfast-writer", ORIGIN)
    words, missing = told.rsplit("\n\n", 1)
    assert words + "\n" == SHARED.format(name="holdfast-writer", colon="holdfast-", command=USERS)
    assert missing.endswith("To get it: git clone https://x/me/hold.git && hold/scripts/install.py\n")
    assert pack.localise("name: writer\n", "holdfast-writer", ORIGIN) == "name: writer\n"


def test_skills_allow_and_name_the_installed_pack_alone() -> None:
    """By its whole path: the plugin's, as the client puts it in, or that in the user's home."""
    skills, dropped = (ROOT / "skills").glob("*/*"), dict(pack.files_of(ROOT, ORIGIN, shared=False))
    assert set(dropped) == {".gitignore", *dict(pack.files_of(ROOT, ORIGIN, shared=True))}
    texts = [(skill.read_text(), PLUGIN) for skill in skills]
    texts += [(text, USERS) for path, text in dropped.items() if path.startswith("skills/")]
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


@pytest.mark.parametrize(
    ("url", "is_told"),
    [
        ("https://example.org/me/holdfast.git", True),
        ("git@example.org:me/holdfast", True),
        ("ssh://git@example.org:22/me/holdfast", True),
        *((url, False) for url in ("https://token@example.org/me/holdfast", "https://x/$(id)", "/home/me/holdfast")),
        *((f"https://h/dl/{key}/hold", False) for key in ("Xk3jd8fKq29fjQab12cd34ef56gh78", f"ghp_{'aB3dE6gH9' * 4}")),
        ("https://gitlab.corp.example-company.com:8443/team42-platform-tools/holdfast.git", True),
    ],
)
def test_where_a_colleague_gets_it(tmp_path: Path, url: str, is_told: bool) -> None:
    """From where this checkout came, unless that is a folder, a login, a key, or more than an address."""
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "config").write_text(f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n')
    (tmp_path / "hooks").mkdir()
    (tmp_path / "hooks" / "run").touch()
    pack.copy(tmp_path, tmp_path / "home")  # and the copy knows it
    found = [pack.origin_of(place) for place in (tmp_path, tmp_path / "home" / "pack")]
    assert found == [url if is_told else ""] * 2


def test_a_worktree_came_from_where_its_repository_did(tmp_path: Path) -> None:
    for command in ("init -q", f"remote add origin {ORIGIN}", "commit -qm a --allow-empty", "worktree add -q tree"):
        git(tmp_path, *command.split())
    assert pack.origin_of(tmp_path / "tree") == ORIGIN


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
