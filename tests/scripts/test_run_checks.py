import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def checks() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("run_checks", ROOT / "scripts" / "run_checks.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("last", "code", "ok", "counts"),
    [
        ("12 passed, 1 skipped in 3.1s", 0, True, {"passed": 12, "skipped": 1}),
        ("1 failed, 2 passed in 3.1s", 1, False, {"failed": 1, "passed": 2}),
        ("1 passed, 2 errors in 3.1s", 1, False, {"passed": 1, "failed": 2}),
        ("no tests ran in 0.01s", 5, True, {}),
        ("3 skipped in 0.01s", 5, False, {"skipped": 3}),
    ],
    ids=["passed", "failed", "errors", "none", "odd"],
)
def test_a_step_counts_what_pytest_says(
    checks: ModuleType, last: str, code: int, ok: bool, counts: dict[str, int]
) -> None:
    """The counts of the last line and the exit code decide."""
    script = f"print('noise 7 failed'); print({last!r}); raise SystemExit({code})"
    result = checks.step("x", [sys.executable, "-c", script, "pytest"])
    assert (result.ok, result.counts) == (ok, counts)


def test_other_commands_are_judged_by_their_exit_code(checks: ModuleType) -> None:
    """A type checker's 'Found 3 errors' is no count of tests."""
    result = checks.step("x", [sys.executable, "-c", "print('Found 3 errors'); raise SystemExit(1)"])
    assert (result.ok, result.counts) == (False, {})


def test_the_last_line_sums_up(checks: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """Tests of all steps; a failed step without tests counts as one failure."""
    results = [
        checks.Result("a", True, 1.0, {"passed": 5, "skipped": 1}),
        checks.Result("b", False, 1.0, {"passed": 2, "failed": 3}),
        checks.Result("ruff", False, 1.0, {}),
    ]
    assert checks.close(results, 9.0) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "7 passed, 4 failed, 1 skipped"


def test_an_unknown_part_is_named(checks: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    """With those that there are."""
    assert checks.main(["tets"]) == 2
    assert "'tets'" in capsys.readouterr().err


def test_every_python_is_found_once(checks: ModuleType) -> None:
    """None is a shim or older than 3.11, and the one that runs this is not among them."""
    found = checks.other_pythons()
    versions = [version for version, _ in found]
    assert len(set(versions)) == len(versions)
    assert checks.version_text(sys.version_info) not in versions
    assert all(tuple(map(int, version.split(".")[:2])) >= (3, 11) for version in versions)
    assert not any("shims" in Path(path).parts for _, path in found)
