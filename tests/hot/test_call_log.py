import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import call_log

HOOKS = Path(__file__).resolve().parents[2] / "hooks"


@given(st.floats(0, 9_999_999_999), st.integers(0, 10**12), st.sampled_from(["Agent", "Bash", "mcp__x", "", "é"]))
def test_every_line_has_the_same_length(seconds: float, tokens: int, tool: str) -> None:
    """The number of a call is its place, so no line may differ."""
    assert len(call_log.line(seconds, tokens, tool)) == call_log.LINE == len(call_log.HEADER)


def test_numbers_rise_from_one(tmp_path: Path) -> None:
    """Each call learns its own number, and the last ones can be read again; without a journal recording says so."""
    path = str(tmp_path / "calls")
    assert (call_log.count(path), call_log.last(path, 5)) == (0, [])
    with pytest.raises(FileNotFoundError):
        call_log.record(path, call_log.line(1, 1, "Bash"))
    call_log.create(path)
    call_log.create(path)
    tools = ("", "Bash", "Read", "Edit", "Task")
    lines = [call_log.line(n, n * 10, tool) for n, tool in enumerate(tools, start=1)]
    assert [call_log.record(path, line) for line in lines] == [1, 2, 3, 4, 5]
    assert call_log.count(path) == len(call_log.last(path, 99)) == 5
    assert call_log.last(path, 2) == [(4, 40, "o"), (5, 50, "a")]


@given(st.binary(max_size=200), st.integers(0, 9))
def test_any_bytes_are_read(tmp_path: Path, data: bytes, wanted: int) -> None:
    path = tmp_path / "calls"
    path.write_bytes(call_log.HEADER + data)
    rows = call_log.last(str(path), wanted)
    assert len(rows) <= wanted + 1
    assert call_log.count(str(path)) == len(data) // call_log.LINE


def test_parallel_calls_get_every_number_once(tmp_path: Path) -> None:
    path = tmp_path / "calls"
    code = (
        "import sys; from holdfast.hot import call_log as calls; calls.create(sys.argv[1])\n"
        "for n in range(50): print(calls.record(sys.argv[1], calls.line(n, n, 'Bash')))"
    )
    command = [sys.executable, "-S", "-c", code, str(path)]
    started = [
        subprocess.Popen(command, env={"PYTHONPATH": str(HOOKS)}, stdout=subprocess.PIPE, text=True) for _ in range(8)
    ]
    numbers = [int(line) for process in started for line in process.communicate()[0].split()]
    assert sorted(numbers) == list(range(1, 401))
    assert path.read_bytes().startswith(call_log.HEADER)
    assert call_log.count(str(path)) == 400
