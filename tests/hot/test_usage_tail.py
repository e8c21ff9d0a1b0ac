import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.hot import usage_tail


def row(tokens: int, name: str = "m", **fields: Any) -> bytes:
    message = {"id": name, "model": "claude-x", "usage": {"input_tokens": tokens}}
    return json.dumps({"type": "assistant", "message": message, **fields}).encode() + b"\n"


BOUNDARY = b'{"type": "system", "subtype": "compact_boundary"}\n'


@given(
    st.lists(
        st.sampled_from(
            [row(5), row(7, "n"), BOUNDARY, b'{"usage" "assistant"\n', b"\xff\n", b'"compact_boundary"\n', b"\n"]
        ),
        max_size=9,
    ),
    st.integers(0, 400),
)
def test_cut_anywhere(rows: list[bytes], start: int) -> None:
    found = usage_tail.sizes(b"".join(rows)[start:], 3)
    assert {size for size, _ in found} <= {5, 7}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", []),
        (row(5), [5]),
        (row(5) + row(7, "n"), [7, 5]),
        (row(5) + row(5), [5]),
        (row(5) + BOUNDARY, []),
        (row(5) + BOUNDARY + row(3, "n"), [3]),
        (row(5) + row(9, "n", isSidechain=True), [5]),
        (row(5) + row(9, "n", isApiErrorMessage=True), [5]),
        (row(5) + row(7, "n")[:-9], [5]),
        (row(0), []),
        (row(5) + b'{"type": "user", "text": "\\"usage\\" \\"assistant\\""}\n', [5]),
        (row(5) + json.dumps({"type": "user", "text": "compact_boundary"}).encode() + b"\n", [5]),
        (row(5).replace(b"\n", b"\r\n"), [5]),
    ],
)
def test_sizes(data: bytes, expected: list[int]) -> None:
    """The last sizes of the main chain since the last compaction, newest first, each message once."""
    assert [size for size, _ in usage_tail.sizes(data, 5)] == expected


def test_context_tokens() -> None:
    """All that stands in the window; of several rounds the last."""
    parts = {"cache_creation_input_tokens": 2, "cache_read_input_tokens": 4, "output_tokens": 8}
    rounds = [{"input_tokens": 1}, {"input_tokens": 3, "output_tokens": 4}]
    assert usage_tail.context_tokens({"input_tokens": 1, **parts}) == 15
    assert usage_tail.context_tokens({"input_tokens": 100, "iterations": rounds}) == 7
    assert all(usage_tail.context_tokens({"input_tokens": 5, "iterations": odd}) == 5 for odd in ([], [None], None))
    wrong = {"input_tokens": None, "output_tokens": "9", "cache_read_input_tokens": -4}
    assert not any(map(usage_tail.context_tokens, (wrong, None, [], {})))


def test_read_tail(tmp_path: Path) -> None:
    path = tmp_path / "t"
    path.write_bytes(b"aaaa\nbbbb\ncccc\n")
    assert usage_tail.read_tail(str(path)) == b"aaaa\nbbbb\ncccc\n"
    assert usage_tail.read_tail(str(path), 7) == b"cccc\n"
    assert usage_tail.read_tail(str(tmp_path / "none")) == b""
    assert usage_tail.read_tail(str(tmp_path)) == b""


@pytest.mark.parametrize(
    ("behind", "expected"),
    [(0, (5, "claude-x")), (70_000, (5, "claude-x")), (600_000, (5, "claude-x")), (700_000, (0, ""))],
)
def test_a_size_is_looked_for_behind_a_large_row(tmp_path: Path, behind: int, expected: tuple[int, str]) -> None:
    """Once more, ten times as far; what stands before a compaction is none there either."""
    path = tmp_path / "t"
    image = json.dumps({"type": "user", "data": "x" * behind}).encode() + b"\n"
    path.write_bytes(row(5) + image)
    assert usage_tail.newest(str(path)) == expected
    path.write_bytes(row(5) + BOUNDARY + image)
    assert usage_tail.newest(str(path)) == usage_tail.newest(str(tmp_path / "none")) == (0, "")


def test_the_answer_that_ends_a_turn(transcript: Any) -> None:
    transcript.assistant("The first.", tokens=5)
    transcript.assistant("All done. \u00fc", tokens=9)
    transcript.user("next")
    data = Path(transcript.path).read_bytes()
    assert [usage_tail.ends_with(data, said) for said in ("All done. \u00fc ", "The first.")] == [True, False]
    assert not usage_tail.ends_with(data[:40] + b'\n{"type": "assistant"', "All done.")
