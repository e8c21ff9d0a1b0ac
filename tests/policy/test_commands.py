import pytest

from holdfast.policy.commands import TEST_COMMAND, commit_made, telling_line


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
