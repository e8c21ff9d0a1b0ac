import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.transcript import commands
from holdfast.transcript.commands import (
    TEST_COMMAND,
    commit_made,
    is_check,
    is_look,
    outcome_line,
    plainly,
    supersedes,
    telling_line,
)


@pytest.mark.parametrize(
    ("command", "printed", "expected"),
    [
        ("git commit -m x", "[main 1234abc] Fix\n 1 file changed", "1234abc Fix"),
        ("git commit -m x", "nothing to commit, working tree clean", ""),
        ("git commit -m x", "no changes added to commit", ""),
        ('git -C sub commit -qam "Fix it"', "", "Fix it"),
        ("git commit -q", "", "(message not shown)"),
        ("git log --grep commit", "", ""),
        ("git config commit.gpgsign false", "", ""),
        ("git commit-graph write", "", ""),
        ("legit commit", "", ""),
        ("", "[main 1234abc] Fix", ""),
    ],
)
def test_what_was_committed(command: str, printed: str, expected: str) -> None:
    """By what git printed, else by the command; only the subcommand itself counts."""
    assert commit_made(command, printed) == expected


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest", True),
        ("npm run test:unit -- -t x", True),
        ("./gradlew test", True),
        ("bin/check", True),
        ("npm install jest-cli-x", True),
        ("cat latest.txt", False),
        ("go build", False),
        ("ls tests", False),
    ],
)
def test_what_is_a_test_run(command: str, expected: bool) -> None:
    """By the words of the command; a tool's name anywhere counts, a folder's does not."""
    assert bool(TEST_COMMAND.search(command)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("\n \n", ""),
        ("one\ntwo", "one"),
        ("a\nTypeError: x\nat line 5", "TypeError: x"),
        ("Traceback (most recent call last):\n  File x\nKeyError: 1", "KeyError: 1"),
        ("first\nerror: a\nerror: b\n", "error: b"),
        ("E   AssertionError: 3 != 4\n=== 1 failed, 41 passed in 0.3s ===", "E   AssertionError: 3 != 4"),
        ("FAILED tests/test_a.py::test_b - KeyError: 1\n1 failed", "FAILED tests/test_a.py::test_b - KeyError: 1"),
        ("error: no such table\nmake: *** [test] Error 1", "error: no such table"),
        ("run\n2 failed, 1 passed", "2 failed, 1 passed"),
    ],
)
def test_the_telling_line(text: str, expected: str) -> None:
    """The last line with a word for trouble that is no mere count, else the last count, else the first line."""
    assert telling_line(text) == expected


@pytest.mark.parametrize(
    ("printed", "passed"),
    [
        ("9 passed in 0.2s", True),
        ("0 failed, 10 passed", True),
        ("1 failed, 9 passed", False),
        ("--- FAIL: TestA (0.0s)", False),
        ("FAILED tests/test_a.py::test_b", False),
        ("test result: FAILED. 3 passed", False),
        ("Tests: 2 failing", False),
        ("errors=1", False),
        ("ok, no error here", True),
        ("", True),
    ],
)
def test_whether_tests_passed(printed: str, passed: bool) -> None:
    """By what the run printed: its exit code may be that of what stands behind it."""
    assert commands.tests_passed(printed) is passed


@pytest.mark.parametrize(
    ("printed", "line"),
    [
        ("compiling\nbuilt in 3 s\n\n", "built in 3 s"),
        ("a\nb", "a / b"),
        ("\n".join("abcdef"), ""),
        ("ok\n" + "x\n" * 30, ""),
        ("word " * 90, ""),
        ("", ""),
    ],
    ids=["told", "short", "listing", "too early", "long line", "empty"],
)
def test_the_outcome_line(printed: str, line: str) -> None:
    """The last line that says how it went; a short output whole; nothing of a listing."""
    assert outcome_line(printed) == line


@pytest.mark.parametrize(
    ("command", "plain"),
    [
        ("cd /p && pytest -q 2>&1 | tail -5", "pytest -q"),
        ("cd a; cd b && make\n  all", "make all"),
        ("npm test 2>/dev/null", "npm test"),
        ("grep x | wc", "grep x | wc"),
        ("cat a | head", "cat a"),
        ("", ""),
    ],
)
def test_plainly(command: str, plain: str) -> None:
    """Without the folder before it and the cutting behind it."""
    assert plainly(command) == plain


@pytest.mark.parametrize(
    ("command", "look"),
    [
        ("ls -la src", True),
        ("cd /p && git status; git log -3", True),
        ("git -C sub diff | head", True),
        ("rg todo && rm x", False),
        ("git commit -m x", False),
        ("pytest -q", False),
        ("cat x || make", False),
    ],
)
def test_looks(command: str, look: bool) -> None:
    """A command that only looks breaks nothing when it fails; every step of it must be a look."""
    assert is_look(command) is look


@pytest.mark.parametrize(
    ("passed", "failed", "answers"),
    [
        ("pytest", "pytest tests/test_a.py", True),
        ("npm test", "npx jest a.spec.ts", True),
        ("make build && npm test", "npm test -- a", True),
        ("go test ./pkg", "go test -run TestA ./pkg", True),
        ("go test ./other", "go test -run TestA ./pkg", False),
        ("go build ./pkg", "go test ./pkg", False),
        ("ruff check a.py", "ruff check b.py", False),
        ("", "make", False),
    ],
)
def test_what_answers_a_failure(passed: str, failed: str, answers: bool) -> None:
    """The same program on the same thing, or on all."""
    assert supersedes(passed, failed) is answers


@pytest.mark.parametrize(
    ("command", "check"),
    [("pytest -q", True), ("npm run lint", True), ("cargo build", True), ("ls tests", False), ("npm start", False)],
)
def test_checks(command: str, check: bool) -> None:
    """Commands that tell whether the work is sound; looking at tests is none."""
    assert is_check(command) is check


@given(st.from_regex(commands.OUTCOME, alphabet=st.characters(codec="ascii", categories=("L", "N", "P", "Z"))))
def test_the_quick_look_for_an_outcome_misses_none(line: str) -> None:
    """Whatever the pattern finds holds one of the words that are looked for first."""
    assert any(word in line.lower() for word in commands.OUTCOME_WORDS)


@pytest.mark.parametrize(
    ("printed", "most", "expected"),
    [("", 2, []), ("a", 2, ["a"]), ("a\n\nb\n \n", 1, ["b"]), ("a\n\nb\n", 2, ["a", "b"]), ("10%\r20%\n", 1, ["20%"])],
)
def test_the_last_lines(printed: str, most: int, expected: list[str]) -> None:
    """Blank ones do not count, and what overwrote a line of a terminal is a line."""
    assert commands.last_lines(printed, most) == expected
