import sys
from pathlib import Path

import pytest

import run_checks as checks

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


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
def test_a_step_counts_what_pytest_says(last: str, code: int, ok: bool, counts: dict[str, int]) -> None:
    script = f"print('noise 7 failed'); print({last!r}); raise SystemExit({code})"
    result = checks.step("x", [sys.executable, "-c", script, "pytest"])
    assert (result.ok, result.counts) == (ok, counts)


def test_the_last_line_sums_up(capsys: pytest.CaptureFixture[str]) -> None:
    """Tests of all steps; a failed step without tests counts as one failure."""
    results = [
        checks.Result("a", True, 1.0, {"passed": 5, "skipped": 1}),
        checks.Result("b", False, 1.0, {"passed": 2, "failed": 3}),
        checks.Result("ruff", False, 1.0, {}),
    ]
    assert checks.close(results, 9.0) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "7 passed, 4 failed, 1 skipped"


def test_an_unknown_part_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert checks.main(["tets"]) == 2
    assert "'tets'" in capsys.readouterr().err


def test_every_python_is_found_once() -> None:
    """The oldest first; none is a shim or older than 3.11, and the one that runs this is among them."""
    found = checks.all_pythons()
    assert [one.short for one in found] == sorted({one.short for one in found})
    assert ".".join(map(str, sys.version_info[:3])) in [one.version for one in found]
    assert found[0].short >= (3, 11)
    assert not any("shims" in Path(one.path).parts for one in found)


def test_a_change_is_tested_by_its_room() -> None:
    """A module by its room's folder, a test by itself unless its folder is run; the rest has no tests of its own."""
    changes = ["hooks/holdfast/install/pack.py", "tests/install/test_pack.py", "tests/cli/test_output.py", "README.md"]
    changes += ["tests/e2e/test_plugin.py", "hooks/holdfast/gone/x.py", "scripts/check", "tests/test_architecture.py"]
    assert checks.tests_of(changes) == ["tests/install", "tests/cli/test_output.py", "tests/scripts"]


def test_what_is_compiled_is_written_and_nothing_into_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A plugin's installation copies all that stands there: caches lie in the cache folder, whoever forbids it."""
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    (tmp_path / "imported.py").write_text("", encoding="utf-8")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import imported"
    assert checks.step("x", [sys.executable, "-c", code]).ok
    assert [path.name for path in tmp_path.iterdir()] == ["imported.py"]
    assert list(Path(f"{checks.cache()}/pycache{tmp_path}").glob("imported.*.pyc"))
    assert ROOT not in checks.cache().parents
