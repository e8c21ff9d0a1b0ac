from pathlib import Path

import pytest

from holdfast.install import pack


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("---\nname: writer\n---\nx\n", "---\nname: holdfast-writer\n---\nx\n"),
        ("---\nname: holdfast-writer\n---\n", "---\nname: holdfast-writer\n---\n"),
        ("---\ndescription: a\nname: writer\n---\n", "---\ndescription: a\nname: holdfast-writer\n---\n"),
        ("no front matter\nname: writer\n", "no front matter\nname: writer\n"),
        ("see `/holdfast:status`\n", "see `/holdfast-status`\n"),
        ("agent holdfast:writer\n", "agent holdfast-writer\n"),
        (
            'run "${CLAUDE_PLUGIN_ROOT}"/bin/holdfast doctor\n',
            "run .claude/holdfast/pack/bin/holdfast doctor\n",
        ),
        ("read ${CLAUDE_PLUGIN_ROOT}/protocols/a.md\n", "read .claude/holdfast/pack/protocols/a.md\n"),
        ("holdfast status\n", ".claude/holdfast/pack/bin/holdfast status\n"),
        ("!`holdfast status`\n", "!`.claude/holdfast/pack/bin/holdfast status`\n"),
        (
            "with Holdfast: much is kept by holdfast itself\n",
            "with Holdfast: much is kept by holdfast itself\n",
        ),
    ],
    ids=["name", "named", "later", "none", "skill", "agent", "command", "file", "line", "embedded", "prose"],
)
def test_localise(text: str, local: str) -> None:
    """A plugin's words become a project's: names, skills, paths, the command."""
    assert pack.localise(text, "holdfast-writer") == local


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
