from collections.abc import Callable

import pytest

from holdfast.transcript import commands
from holdfast.transcript.commands import TEST_COMMAND, commit_hash, commit_made, is_check, is_look


@pytest.mark.parametrize(
    ("command", "printed", "expected"),
    [
        ("git commit -m x", "[main 1234abc] Fix\n 1 file changed", "1234abc Fix"),
        ("git commit -m x", "[feature/x (root-commit) 1234abcd] First", "1234abcd First"),
        ("git commit -m x", "nothing to commit, working tree clean", ""),
        ("git commit -m x", "no changes added to commit", ""),
        ('git -C sub commit -qam "Fix it"', "", "Fix it"),
        ("git -c user.name=x --no-pager commit --message='Fix it'", "", "Fix it"),
        ("GIT_AUTHOR_NAME='A B' git commit -qmFix", "", "Fix"),
        ("cd p && (git add . ; git commit -q -m 'one; two && three')", "", "one; two && three"),
        ("git add .\ngit commit -q \\\n  -m x", "", "x"),
        ("git commit -q -m \"$(cat <<'EOF'\nIt's done\n\nmore\nEOF\n)\"", "", "It's done"),
        ("if git commit -m 'not ended", "[main 1234abc] Fix", "1234abc Fix"),
        ("git commit -q", "", ""),
        ("git commit -q --amend --no-edit", "", ""),
        ("git commit --dry-run -m x", "On branch main\nChanges to be committed:", ""),
        ('grep -rn "git commit -m x" docs', "docs/a.md:1: [main 1234abc] Fix", ""),
        ("echo 'see; git commit -m x'", "see; git commit -m x", ""),
        ("cat > a.sh <<'EOF'\ngit commit -m x\nEOF", "", ""),
        ("# git commit -m x", "", ""),
        ("man git commit", "", ""),
        ("git log --grep commit", "", ""),
        ("git config commit.gpgsign false", "", ""),
        ("git commit-graph write", "", ""),
        ("legit commit", "", ""),
        ("", "[main 1234abc] Fix", ""),
    ],
)
def test_what_was_committed(command: str, printed: str, expected: str) -> None:
    """By what git printed, else by its message; only a step of the script that runs it counts, and no dry run."""
    assert commit_made(command, printed) == expected


@pytest.mark.parametrize(
    ("made", "expected"),
    [("1234abc Fix", "1234abc"), ("Fix it", ""), ("123abc", ""), ("", ""), (f"{'a' * 40} x", "a" * 40)],
)
def test_the_hash_of_a_commit(made: str, expected: str) -> None:
    assert commit_hash(made) == expected


ANSWERS: dict[Callable[[str], object], tuple[tuple[str, ...], tuple[str, ...]]] = {
    TEST_COMMAND.search: (
        (
            *("pytest", "npm run test:unit -- -t x", "./gradlew test", "bin/check", "npm install jest-cli-x"),
            *("cd /p && CI=1 /p/scripts/test-all -v", "bash ./scripts/check.sh", "make -j4 test"),
            *("pnpm --filter @box/crypto test -- -v", "yarn workspace api run test"),
        ),
        (
            *("head -40 /p/scripts/test-e2e.sh", "chmod +x scripts/test-e2e.sh", "cat latest.txt", "go build"),
            *("ls tests", "pnpm add -D test-lib", "npm -g install testing"),
        ),
    ),
    commands.tests_passed: (
        ("9 passed in 0.2s", "0 failed, 10 passed", "ok, no error here", ""),
        (
            *("1 failed, 9 passed", "--- FAIL: TestA (0.0s)", "FAILED tests/test_a.py::test_b", "errors=1"),
            *("test result: FAILED. 3 passed", "Tests: 2 failing"),
        ),
    ),
    is_look: (
        (
            *("ls -la src", "cd /p && git status; git log -3", "git -C sub diff | head"),
            *('"$HOME/.claude/holdfast/pack/bin/holdfast" memory forget DEC-1', "X=1 /a/bin/holdfast doctor 2>&1"),
            "cd /p && python3 -m holdfast config check",
        ),
        (
            *("rg todo && rm x", "git commit -m x", "pytest -q", "cat x || make", "ls; " * 5_001),
            *("bin/holdfast status && make", "make holdfast", "./holdfast.sh"),
        ),
    ),
    is_check: (
        ("pytest -q", "npm run lint", "cargo build", "cd /p && ./scripts/check"),
        ("ls tests", "npm start", "PYTHONPATH='/ci/build/check-1/hooks' python -m holdfast memory forget DEC-1"),
    ),
}
"""What is asked of a text -> the texts of which it is so, and those of which it is not."""


@pytest.mark.parametrize(
    ("asked", "text", "answer"),
    [(asked, text, is_so) for asked, (so, not_so) in ANSWERS.items() for is_so in (True, False)
     for text in (so if is_so else not_so)],
)  # fmt: skip
def test_what_a_command_is_and_whether_its_tests_passed(
    asked: Callable[[str], object], text: str, answer: bool
) -> None:
    """By what the run printed: its exit code may be that of what stands behind it. Every step of a look is a look.

    A test run is known by the words of its command, a tool's name anywhere counts, a folder's does not. A check tells
    whether the work is sound; looking at tests is none.
    """
    assert bool(asked(text)) is answer


@pytest.mark.parametrize(
    ("printed", "most", "expected"),
    [
        ("", 2, []),
        ("a", 2, ["a"]),
        ("Exit code 1", 2, []),
        ("Exit code 1\nx", 2, ["x"]),
        ("a\n\nb\n \n", 1, ["b"]),
        ("a\n\nb\n", 2, ["a", "b"]),
        ("10%\r20%\n", 1, ["20%"]),
    ],
)
def test_the_last_lines(printed: str, most: int, expected: list[str]) -> None:
    """Blank ones do not count, and what overwrote a line of a terminal is a line."""
    assert commands.last_lines(printed, most) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [("Exit code 2\nmake: stop", 2), ("Error: Exit code 127", 127), ("exit code 2", None), ("boom", None), ("", None)],
)
def test_the_exit_code_that_the_client_tells(text: str, code: int | None) -> None:
    """At the beginning of a failed command's result; in an output the same words mean nothing."""
    assert commands.exit_code(text) == code
