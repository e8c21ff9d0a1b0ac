from pathlib import Path

import pytest

from holdfast.store import git

SHA, OTHER = "a" * 40, "b" * 40


def make(folder: Path, files: dict[str, str]) -> None:
    """A repository's files."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({".git/HEAD": "ref: refs/heads/main\n", ".git/refs/heads/main": SHA + "\n"}, ("main", SHA)),
        (
            {
                ".git/HEAD": "ref: refs/heads/a/b\n",
                ".git/packed-refs": f"# x\n{OTHER} refs/heads/a\n{SHA} refs/heads/a/b\n",
            },
            ("a/b", SHA),
        ),
        ({".git/HEAD": SHA + "\n"}, ("", SHA)),
        ({".git/HEAD": "ref: refs/heads/new\n"}, ("new", "")),
        ({".git/HEAD": ""}, ("", "")),
        (
            {
                ".git": "gitdir: meta/x\n",
                "meta/x/HEAD": "ref: refs/heads/w\n",
                "meta/x/commondir": "..\n",
                "meta/refs/heads/w": SHA,
            },
            ("w", SHA),
        ),
        ({".git": "nonsense"}, ("", "")),
    ],
    ids=["loose", "packed", "detached", "unborn", "empty", "worktree", "odd file"],
)
def test_head(tmp_path: Path, files: dict[str, str], expected: tuple[str, str]) -> None:
    """Branch and commit from the files, also from a folder inside; "" for what is not known."""
    make(tmp_path, files)
    (tmp_path / "sub").mkdir()
    assert git.head(str(tmp_path)) == git.head(str(tmp_path / "sub")) == expected
