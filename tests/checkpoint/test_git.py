import os
from pathlib import Path

import pytest

from holdfast.checkpoint import git
from holdfast.hot.provenance import private_folder
from tests.checkpoint import made
from tests.checkpoint.made import run_git as run

HEAD, SHA = ".git/HEAD", "a" * 40
PACKED = f"# x\n{'b' * 40} refs/heads/a\n{SHA} refs/heads/a/b\n"


def make(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({HEAD: "ref: refs/heads/main\n", ".git/refs/heads/main": SHA + "\n"}, ("main", SHA)),
        ({HEAD: "ref: refs/heads/a/b\n", ".git/packed-refs": PACKED}, ("a/b", SHA)),
        ({HEAD: SHA + "\n"}, ("", SHA)),
        ({HEAD: "ref: refs/heads/new\n"}, ("new", "")),
        ({HEAD: ""}, ("", "")),
        (
            {
                ".git": "gitdir: meta/worktrees/x\n",
                "meta/worktrees/x/HEAD": "ref: refs/heads/w\n",
                "meta/worktrees/x/commondir": "../..\n",
                "meta/worktrees/x/gitdir": "../../../.git\n",
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


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    made.repository(tmp_path)
    return tmp_path


def commit(folder: Path, what: str) -> str:
    run(folder, "add", "-A")
    run(folder, "commit", "-q", "--allow-empty", "-m", what)
    return run(folder, "rev-parse", "HEAD")


@pytest.mark.parametrize(
    "move", [("reset", "-q", "--hard", "HEAD~1"), ("commit", "-q", "--amend", "--allow-empty", "-m", "x")], ids=str
)
def test_what_a_rewrite_replaced_is_no_commit_of_the_branch(repository: Path, move: tuple[str, ...]) -> None:
    """One that told no hash stays, since nothing tells."""
    first = commit(repository, "two")
    assert git.in_history(str(repository), [f"{first[:9]} two"]) == [f"{first[:9]} two"]
    run(repository, *move)
    assert git.in_history(str(repository), [f"{first[:9]} two", "Fix it"]) == ["Fix it"]


def test_a_commit_on_a_branch_that_was_left_stays(repository: Path) -> None:
    run(repository, "checkout", "-q", "-b", "topic")
    told = [f"{commit(repository, 'two')[:9]} two"]
    run(repository, "checkout", "-q", "main")
    assert git.in_history(str(repository), told, ["gone", "topic"]) == told
    assert git.in_history(str(repository), told, ["main"]) == []


def test_what_is_not_committed(repository: Path) -> None:
    assert git.status(str(repository)) == git.GitStatus([], [])
    (repository / "a.py").write_text("22\n")
    (repository / "grün x.py").write_text("1\n")
    run(repository, "mv", "b.py", "c d.py")
    found = git.status(str(repository))
    assert sorted(found.dirty or []) == ["a.py", "b.py", "c d.py", "grün x.py"]
    assert found.staged == ["b.py", "c d.py"]
    (repository / "sub").mkdir()
    assert git.status(str(repository / "sub")).staged is None  # what is staged above it goes into the commit too


def test_ahead_and_behind(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    clone = tmp_path_factory.mktemp("clone") / "c"
    run(repository, "clone", "-q", str(repository), str(clone))
    commit(repository, "theirs")
    for what in ("one of ours", "another"):
        commit(clone, what)
    run(clone, "fetch", "-q")
    assert git.status(str(clone)) == git.GitStatus([], [], "origin/main", 2, 1)


@pytest.mark.parametrize("path", ["", "/nowhere"])
def test_without_git_nothing_is_said(repository: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """No program of that name: branch and commit are read all the same."""
    monkeypatch.setenv("PATH", path)
    assert git.status(str(repository)) == git.GitStatus(None)
    assert git.in_history(str(repository), ["1234567 x"]) == ["1234567 x"]
    assert git.head(str(repository))[0] == "main"


def test_real_worktrees(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Added, within the main checkout too, and moved by git; one that was moved by hand counts for itself."""
    other = tmp_path_factory.mktemp("other")
    for place in (other / "tree", repository / "inner" / "within"):
        run(repository, "worktree", "add", "-q", str(place))
        assert git.main_checkout(str(place)) == str(repository)
    run(repository, "worktree", "move", str(other / "tree"), str(other / "moved"))
    assert git.main_checkout(str(other / "moved")) == str(repository)
    pointer = repository / ".git" / "worktrees" / "tree" / "gitdir"
    pointer.write_text(os.path.relpath(other / "moved" / ".git", pointer.parent) + "\n")  # as newer versions write it
    (other / "moved" / "api").mkdir()
    assert git.main_checkout(str(other / "moved" / "api")) == str(repository / "api")
    (other / "moved").rename(other / "again")
    assert git.main_checkout(str(other / "again")) == str(other / "again")


@pytest.mark.parametrize("is_named", [True, False])
def test_worktrees_of_a_bare_repository_share_the_folder_that_names_it(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, is_named: bool
) -> None:
    """Beside one that no `.git` names may lie others: there each counts for itself."""
    above = tmp_path_factory.mktemp("above")
    run(above, "clone", "-q", "--bare", str(repository), ".bare")
    if is_named:
        (above / ".git").write_text("gitdir: ./.bare\n")
    run(above / ".bare", "worktree", "add", "-q", str(above / "feat"))
    (above / "feat" / "api").mkdir()
    assert git.main_checkout(str(above / "feat" / "api")) == str((above if is_named else above / "feat") / "api")


def test_a_submodule_is_a_project_of_its_own(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Its git folder is within the outer one's, and it shares no memory with it."""
    above = tmp_path_factory.mktemp("above")
    run(above, "init", "-q")
    run(above, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "sub")
    assert git.head(str(above / "sub"))[1] == git.head(str(repository))[1]
    assert git.main_checkout(str(above / "sub")) == str(above / "sub")


KINDS = ("folder of its own", "worktree of another", "link to another's", "named back", "folder that shares")


@pytest.mark.parametrize("kind", KINDS)
def test_an_archive_names_no_repository_of_others(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, kind: str
) -> None:
    """A `.git` that was unpacked may point anywhere; only what the repository itself knows of is its worktree."""
    place = tmp_path_factory.mktemp("unpacked") / "project"
    run(repository, "worktree", "add", "-q", str(place.parent / "real"))
    (place / "g").mkdir(parents=True)
    known, pointer = f"{repository}/.git/worktrees/real", place / ".git"
    if kind == "worktree of another":
        pointer.write_text(f"gitdir: {known}\n")
    elif kind == "link to another's":
        pointer.symlink_to(place.parent / "real" / ".git")
    elif kind == "folder that shares":
        make(place, {HEAD: "ref: refs/heads/main\n", ".git/commondir": f"{repository}/.git\n"})
    else:
        pointer.write_text("gitdir: g\n")
        (place / "g" / "commondir").write_text(os.path.relpath(repository / ".git", place / "g"))
        (place / "g" / "gitdir").write_text(f"{pointer}\n" if kind == "named back" else "")
    assert git.main_checkout(str(place)) == str(place)
    assert (git.head(str(place)), git.status(str(place)).dirty) == (("", ""), None)


def test_every_kind_of_checkout_is_asked(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    above = tmp_path_factory.mktemp("above")
    commit(repository, "two")
    run(repository, "worktree", "add", "-q", str(above / "worktree"))
    run(above, "clone", "-q", "--depth=1", f"file://{repository}", "shallow")
    run(above, "clone", "-q", "--sparse", str(repository), "sparse")
    run(above / "sparse", "sparse-checkout", "set", "--cone", "--sparse-index", "none")
    run(above, "init", "-q", "--object-format=sha256", "long")
    commit(above / "long", "one")
    (repository / "sub").mkdir()
    for place in (*(above / name for name in ("worktree", "shallow", "sparse", "long")), repository / "sub"):
        newest = git.head(str(place))[1]
        (place / "new.py").touch()
        assert git.status(str(place)).dirty == ["" if place.name == "sub" else "new.py"], place
        assert git.in_history(str(place), [f"{newest[:9]} x", "1234567 y"]) == [f"{newest[:9]} x"], place


def test_what_is_ignored_stays_ignored(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(os.environ["HOME"])
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignored\n")
    places = (repository / ".gitignore", repository / ".git/info/exclude", home / "ignored")
    for path, name in zip(places, "abc", strict=True):
        path.write_text(f"{name}.log\n.gitignore\n")
        (repository / f"{name}.log").touch()
    (repository / "d.log").touch()
    assert git.status(str(repository)).dirty == ["d.log"]


@pytest.mark.parametrize(
    ("how", "told"),
    [
        (("status",), ["a.py", "grün x.py"]),
        (("update-index", "--assume-unchanged", "a.py"), ["grün x.py"]),
        (("update-index", "--skip-worktree", "a.py"), ["grün x.py"]),
        (("rm", "-q", "--cached", "a.py"), ["grün x.py"]),
        (("update-index", "--index-version=4"), []),
    ],
    ids=str,
)
def test_which_files_the_index_has(repository: Path, how: tuple[str, ...], told: list[str]) -> None:
    """From the project on: no part of a name, none that git is told to overlook; of a packed index none."""
    make(repository, {"sub/a.py": "1\n", "sub/grün x.py": "1\n", "py": "1\n"})
    commit(repository, "two")
    (repository / "sub" / "new.py").touch()
    place = repository / "sub"
    run(place, *how)
    assert git.indexed(str(place), ["a.py", "b.py", "py", "grün x.py", "new.py"]) == told


def test_a_link_in_the_place_of_our_own_folder_is_not_followed(repository: Path) -> None:
    """An archive brings one: what no commit is to reach would stand where it leads."""
    (elsewhere := repository / "docs").mkdir()
    (repository / ".git" / "holdfast").symlink_to(elsewhere)
    with pytest.raises(OSError, match="a link"):
        private_folder(git.own_folder(str(repository / "team")))
    assert list(elsewhere.iterdir()) == []
