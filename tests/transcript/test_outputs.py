import pytest

from holdfast.transcript import outputs


@pytest.mark.parametrize(
    "printed",
    [
        *("9 passed in 0.2s", "0 failed, 10 passed", "ok, no error here", "test result: ok. 0 passed; 0 failed", ""),
        *("run-last-failure: rerun previous 2 failures\n2 passed", "OK (expected failures=1)"),
        *("Found 3 errors (3 fixed, 0 remaining).\n41 passed", "ok 1 - returns 2 errors\n# fail 0"),
        "  reports 2 errors for bad input\n2 examples, 0 failures",
        *("Upload done. succeeded: 3, failed: 1\nTests: 10 passed", "processed total: 5, failed: 2"),
        "cli: FAIL code 3",
        *("Request failed: 500\nTests: 12 passed, 12 total", "attempt 2 of 3 failed\n3 passed", "Expected failures: 1"),
    ],
)
def test_a_run_that_passed(printed: str) -> None:
    """By what it printed: its exit code may be that of what stands behind it."""
    assert outputs.tests_passed(printed)


@pytest.mark.parametrize(
    "printed",
    [
        *("1 failed, 9 passed", "--- FAIL: TestA (0.0s)", "FAILED tests/test_a.py::test_b", "errors=1"),
        *("test result: FAILED. 3 passed", "Tests: 2 failing", "Found 3 errors in 1 file"),
        "50% passed, 1 tests failed",
        *("Executed 4 tests, with 2 failures (0 unexpected)", "There was 1 failure:", "2 failed\n10 passed (12s)"),
        *(" Test Files  1 failed | 3 passed (4)\n      Tests  1 failed | 9 passed (10)", " FAIL  src/a.test.ts > adds"),
        *("FAILURES!\nTests: 3, Assertions: 3, Failures: 1.", "Failed!  - Failed:     1, Passed:     2"),
        " 1 fail\n 2 pass",
        *("[ERROR] Tests run: 3, Failures: 1", "# pass 2\n# fail 1", "error: could not compile `x` (bin)"),
        *("\u2716  1 of 3 failed (33%)", "[INFO] BUILD FAILURE"),
        *("Test summary: total: 5, failed: 1, succeeded: 4", "  total: 5\n  failed: 1\n  succeeded: 4"),
        *("Total tests: 5\n     Passed: 4\n     Failed: 1", "TOTAL: 1 FAILED, 2 SUCCESS", "     Errors  1 error"),
        *("1..2\nok 1 - adds\nnot ok 2 - subtracts", "+1 -1: Some tests failed.", "** TEST FAILED **"),
        *("Tests: 3, Passed: 2, Failed: 1", "passed: 4\nfailed: 1"),
        "Tasks:    1 successful, 2 total\nFailed:    web#test",
        "[error] Failed: Total 3, Failed 1, Errors 0, Passed 2",
        *("ImportError while loading conftest 'a'.", "Build FAILED.", "error: test failed, to rerun pass `--lib`"),
        *("evaluation failed :( (2.90 seconds)", "nox > Session tests failed.", "1 test: 1 fails locally.", "Fail: 1"),
        *("# failed 1", "\u2716  1/3 targets failed"),
        *("Files=1, Tests=3\nResult: FAIL", "  lint: FAIL code 1 (0.20 seconds)", "*** 1 TEST FAILED ***"),
    ],
)
def test_a_run_that_failed(printed: str) -> None:
    assert not outputs.tests_passed(printed)


@pytest.mark.parametrize(
    "end",
    [
        *("10 passed in 0.3s", "10 runs, 20 assertions, 0 failures, 0 errors", "BUILD SUCCESSFUL in 3s", " 5 pass"),
        *("Passed!  - Failed:     0, Passed:     5", "100% tests passed, 0 tests failed out of 5", "ok  \tm/a\t0.1s"),
        *("ok  \tm/a\t(cached)\tcoverage: 80.0% of statements", "?   \tm/b\t[no test files]", "# pass 3"),
        "ok 2 - adds",
        *("** TEST SUCCEEDED **", "Result: PASS", "Executed 3 of 3 SUCCESS (0.05 secs)", "OK (5 tests, 5 assertions)"),
        *("congratulations :) (2.90 seconds)", "nox > Session tests was successful."),
        "Ran 3 tests containing 5 assertions.",
    ],
)
def test_what_says_that_tests_passed(end: str) -> None:
    """Every runner whose failures are known has a word for it."""
    assert outputs.says_passed(end)


@pytest.mark.parametrize(
    "end",
    [
        "E   assert 3 == 4",
        "1",
        "",
        "0 examples, 0 failures",
        "test result: ok. 0 passed; 0 failed",
        "Ran 0 tests in 0s",
    ],
)
def test_what_says_nothing_of_tests_or_of_none(end: str) -> None:
    assert not outputs.says_passed(end)


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
    assert outputs.last_lines(printed, most) == expected


@pytest.mark.parametrize(
    ("text", "code"),
    [("Exit code 2\nmake: stop", 2), ("Error: Exit code 127", 127), ("exit code 2", None), ("boom", None), ("", None)],
)
def test_the_exit_code_that_the_client_tells(text: str, code: int | None) -> None:
    """At the beginning of a failed command's result; in an output the same words mean nothing."""
    assert outputs.exit_code(text) == code
