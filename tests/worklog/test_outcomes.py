import pytest

from holdfast.worklog import model, outcomes
from holdfast.worklog.model import Worklog
from tests.worklog.states import after, bash, did, edit

BOOM = "Exit code 2\ncc: fatal error: x.h not found\nmake: *** [all] Error 1"


def broken(command: str = "make all", printed: str = BOOM) -> Worklog:
    """A state with one open error."""
    state = model.empty()
    outcomes.failed(state, "Bash", command, printed)
    return state


def test_an_error_keeps_its_own_words() -> None:
    """The command, and the last lines of what it printed, without the client's exit code."""
    state = broken()
    assert [(error["at"], error["what"]) for error in state["errors"]] == [
        ("make all", "cc: fatal error: x.h not found / make: *** [all] Error 1")
    ]
    run = state["runs"][0]
    assert (run["exit"], run["ok"], run["end"]) == (2, False, "make: *** [all] Error 1")


@pytest.mark.parametrize(
    ("failed", "passed", "still_open"),
    [
        ("make all", "make all", False),
        ("make all", "cd /p && make all 2>&1 | tail -3", False),
        ("make all", "make all -j4", False),
        ("make all", "make docs", True),
        ("make all", "ls", True),
        ("make all", "pytest -q", True),
        ("pytest tests/test_a.py -x", "pytest", False),
        ("pytest tests/test_a.py -x", "pytest tests/test_a.py", False),
        ("pytest tests/test_a.py -x", "pytest tests/test_b.py", True),
        ("npm test -- a.spec.ts", "npm test", False),
        ("go test -run TestA ./pkg", "go test ./pkg", False),
        ("go test -run TestA ./pkg", "go build ./pkg", True),
    ],
)
def test_what_closes_an_error(failed: str, passed: str, still_open: bool) -> None:
    """The same command, with other options too, or one that covers it; another one does not."""
    state = broken(failed)
    outcomes.succeeded(state, passed, "9 passed")
    assert bool(state["errors"]) is still_open


def test_what_was_tried_until_it_worked() -> None:
    """Edits while an error is open have been tried; once the command works it is closed."""
    state = broken()
    for path in ("/p/a.c", "/p/b.c", "/p/a.c"):
        outcomes.changed(state, path, created=False)
    outcomes.failed(state, "Bash", "make all", "Exit code 2\nb.c:3: error: y undeclared")
    assert [(error["what"], error["tried"]) for error in state["errors"]] == [
        ("b.c:3: error: y undeclared", ["edited b.c", "edited a.c"])
    ]
    outcomes.succeeded(state, "make all", "ok")
    assert state["errors"] == []
    assert [run["ok"] for run in state["runs"]] == [True]


def test_a_failed_edit_is_open_until_the_file_is_written() -> None:
    """By an edit of the same file and of no other."""
    failed = did("Edit", "EACCES: permission denied", failed=True, file_path="/p/a.py")
    assert len(after(failed, edit("/p/b.py"))["errors"]) == 1
    assert after(failed, edit("/p/b.py"), edit("/p/a.py"))["errors"] == []


@pytest.mark.parametrize(
    ("tool", "about", "text"),
    [
        ("Bash", "grep -rn todo src", "Exit code 1"),
        ("Bash", "ls /nowhere", "ls: cannot access '/nowhere': No such file or directory"),
        ("Bash", "cd /p && git diff --stat && cat x", "Exit code 1"),
        ("Bash", "make", "[Request interrupted by user for tool use]"),
        ("Bash", "make", "This command requires approval"),
        ("Grep", "todo", "failed"),
        ("Read", "/p/x", "File does not exist."),
        ("Edit", "/p/x", "<tool_use_error>String to replace not found in file.</tool_use_error>"),
    ],
)
def test_what_is_no_error(tool: str, about: str, text: str) -> None:
    """A look that finds nothing, and a call that the client did not carry out."""
    state = model.empty()
    outcomes.failed(state, tool, about, text)
    assert state["errors"] == []


def test_each_command_with_its_last_run() -> None:
    """One entry a command, however often it ran and whatever cut its output."""
    state = after(
        bash("cd /p && npm run build", "Exit code 1\nTS2304: Cannot find name 'x'", failed=True),
        bash("npm run build 2>&1 | tail -5", "compiling\nbuilt in 3 s\n"),
        bash("git status", "clean"),
    )
    found = [(run["command"], run["ok"], run["exit"], run["end"]) for run in state["runs"]]
    assert found == [("npm run build", True, 0, "built in 3 s"), ("git status", True, 0, "clean")]


def test_test_runs_stand_in_the_order_of_their_last_run() -> None:
    """One that runs again moves to the newest place, with what came of it then."""
    state = after(
        bash("pytest a", "1 failed", failed=True),
        bash("pytest b", "1 failed", failed=True),
        edit("/p/x.py"),
        bash("cd /p && pytest a | tail -3", "9 passed"),
    )
    assert [(run["command"], run["ok"], run["n"]) for run in state["tests"]] == [
        ("pytest b", False, 4),
        ("pytest a", True, 8),
    ]
    assert state["edited"] == 6


def test_a_test_run_that_hides_its_exit_code() -> None:
    """The exit code may be that of `tail`; what the run counted decides, and the failure stays open."""
    state = after(bash("pytest -q 2>&1 | tail -5", "1 failed, 9 passed in 0.30s"))
    assert [(run["ok"], run["end"]) for run in state["tests"]] == [(False, "1 failed, 9 passed in 0.30s")]
    assert state["errors"][-1]["what"] == "1 failed, 9 passed in 0.30s"
    state = after(bash("pytest -q 2>&1 | tail -5", "1 failed"), bash("pytest -q", "0 failed, 10 passed"))
    assert (state["tests"][-1]["ok"], state["errors"]) == (True, [])


@pytest.mark.parametrize(
    ("command", "printed", "commits"),
    [
        ("git add -A && git commit -m x", "[main 1234abc] Fix login\n 1 file changed", ["1234abc Fix login"]),
        ("git commit -m x", "[feature/x (root-commit) 1234abcd] First", ["1234abcd First"]),
        ("git commit -m x", "nothing to commit, working tree clean", []),
        ("git commit -qm 'Fix it'", "", ["Fix it"]),
        ("git log --grep commit", "[main 1234abc] Fix login", []),
    ],
)
def test_a_commit_that_was_made_leaves_nothing_changed(command: str, printed: str, commits: list[str]) -> None:
    """By what git printed, else by the command's message."""
    state = after(edit("/a"), bash(command, printed))
    assert (state["commits"], state["dirty"]) == (commits, not commits)
