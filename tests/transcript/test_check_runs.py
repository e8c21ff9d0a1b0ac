import pytest

from holdfast.transcript.check_runs import is_check, supersedes


@pytest.mark.parametrize("command", ["pytest -q", "npm run lint", "cargo build", "cd /p && ./scripts/check"])
def test_a_check_tells_whether_the_work_is_sound(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize(
    "command", ["ls tests", "npm start", "PYTHONPATH='/ci/build/check-1/hooks' python -m holdfast memory forget DEC-1"]
)
def test_looking_at_tests_and_folders_names_are_no_check(command: str) -> None:
    assert not is_check(command)


def test_what_is_longer_than_any_command_that_is_kept_is_no_check_of_ours() -> None:
    """A record of a pull's may hold any: 17 KB of pipes took 220 MB."""
    assert supersedes(["pytest"], "pytest; ls")
    assert not supersedes(["pytest"], f"pytest; {'|'.join(f'x{n}' for n in range(3_000))}")
