import pytest

from holdfast.transcript.check_runs import is_check, moves, programs, touches


@pytest.mark.parametrize(
    "command",
    [*("pytest -q", "npm run lint", "cargo build", "cd /p && ./scripts/check"), *("bundle exec rspec", "cargo clippy")],
)
def test_a_check_tells_whether_the_work_is_sound(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize(
    "command", ["ls tests", "npm start", "PYTHONPATH='/ci/build/check-1/hooks' python -m holdfast memory forget DEC-1"]
)
def test_looking_at_tests_and_folders_names_are_no_check(command: str) -> None:
    assert not is_check(command)


@pytest.mark.parametrize(
    ("command", "known_by"),
    [
        ("pytest -q tests/a.py", {"pytest"}),
        ("cd sub && A='1 2' .venv/bin/python3.12 -m pytest x | tail -3", {"pytest x"}),
        ("git add . && git push -u origin main", {"git add", "git push"}),
        ("npm run lint:fix -- src", {"npm run lint:fix"}),
        ("ls && cat a", set()),
        ("", set()),
        ("A=1 ", {"A=1"}),
        ("make -C web test -j4 x", {"make web test", "make test"}),
        ("ruff check --select E src", {"ruff check"}),
        ("npx eslint --max-warnings 0 src", {"eslint 0 src", "eslint src"}),
        ("python manage.py migrate", {"python manage.py migrate"}),
    ],
)
def test_a_command_is_known_by_how_its_steps_begin(command: str, known_by: set[str]) -> None:
    """Without what runs them, without looks."""
    assert programs(command) == known_by


@pytest.mark.parametrize(
    ("run", "failed", "belongs"),
    [
        ("pytest tests", "pytest tests/a.py -x", True),
        ("npx jest a", "npm test", True),
        ("ruff check .", "ruff check src && mypy src", True),
        ("git pull --rebase && git push", "git push origin main", True),
        ("npm run build", "npm run lint", False),
        ("git pull", "git push", False),
        ("ruff format", "ruff check", False),
        ("make docs", "make", True),
        ("rspec", "ruff check", False),
        ("ls", "ls", False),
    ],
)
def test_what_begins_alike_or_tests_too_may_belong_to_what_failed(run: str, failed: str, belongs: bool) -> None:
    assert touches(run, failed) is touches(failed, run) is belongs


@pytest.mark.parametrize(
    ("command", "to_others"),
    [
        ("git stash && make", True),
        ("git -C sub checkout main", True),
        ("gh pr checkout 45", True),
        ("git reset --hard HEAD~1", True),
        ("git reset --hard HEAD", None),
        ("git stash; make; git stash pop", False),
        ("git checkout -", False),
        *((one, None) for one in ("git stash list", "git checkout a.py", "git checkout .", "git checkout HEAD -- src")),
        *((one, None) for one in ("git checkout -b fix", "git switch -c fix", "git checkout --theirs Makefile")),
        ("git checkout -b fix origin/main", True),
        *((one, None) for one in ("git checkout a b", "git checkout main -- a", "git stash push -m x -- a")),
        ("git commit -m 'git stash'", None),
        ("make", None),
    ],
)
def test_whether_other_sources_are_there_behind_a_command(command: str, to_others: bool | None) -> None:
    assert moves(command, is_away=True) is to_others


def test_a_word_that_git_says_was_a_file_leaves_nothing() -> None:
    assert moves("git checkout Makefile", False, "Updated 1 path from the index") is None
    assert moves("git checkout topic", False, "Switched to branch 'topic'") is True
    assert moves("git checkout main", False, "Already on 'main'") is None
    assert moves("git checkout main", False, "Bereits auf 'main'", "main") is None
    assert moves("git stash", False, "No local changes to save") is None
    restored = "Updated 1 path from the index"
    assert moves("git checkout a.py && git switch x", False, f"{restored}\nSwitched to branch 'x'") is True
    assert moves("git checkout -- a.py; git reset --hard HEAD~1", False, restored) is True


def test_the_branch_before_is_another_one_where_none_was_left() -> None:
    assert [moves("git checkout -", is_away) for is_away in (False, True)] == [True, False]
    assert moves("git switch -d HEAD~2 && make && git switch -", is_away=False) is False


def test_a_command_of_any_length_is_looked_at_up_to_a_length() -> None:
    """A record of a pull's may hold any."""
    assert programs("|".join(f"x{n}" for n in range(30_000))) >= {"x1"}
