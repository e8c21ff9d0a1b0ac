import pytest

from holdfast.transcript.check_runs import is_check


@pytest.mark.parametrize("command", ["pytest -q", "npm run lint", "cargo build", "cd /p && ./scripts/check"])
def test_a_check_tells_whether_the_work_is_sound(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize(
    "command", ["ls tests", "npm start", "PYTHONPATH='/ci/build/check-1/hooks' python -m holdfast memory forget DEC-1"]
)
def test_looking_at_tests_and_folders_names_are_no_check(command: str) -> None:
    assert not is_check(command)
