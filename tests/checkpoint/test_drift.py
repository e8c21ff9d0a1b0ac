from typing import Any

import pytest

from holdfast.checkpoint.drift import drift

OLD, NEW = "1" * 40, "2" * 40
HEADS = "HEAD is now 222222222; it was 111111111"


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        ({}, {}, ()),
        ({"branch": "a", "commit": OLD}, {"branch": "a", "commit": OLD}, ()),
        ({"branch": "a", "commit": OLD}, {"branch": "b", "commit": OLD}, ("the branch is now b; it was a",)),
        ({"branch": "a", "commit": OLD}, {"branch": "b", "commit": NEW}, ("the branch is now b; it was a", HEADS)),
        ({"commit": OLD}, {"commit": NEW}, (HEADS,)),
        ({"commit": OLD}, {"commit": NEW, "commits": 1}, (f"1 new commit since: {HEADS}",)),
        ({"commit": OLD}, {"commit": NEW, "commits": 3}, (f"3 new commits since: {HEADS}",)),
        ({"commit": OLD}, {"commit": NEW, "own": True}, ()),
        ({"directory": "/a"}, {"directory": "/b"}, ("the directory is now /b; it was /a",)),
        ({}, {"branch": "b", "missing": ["/x"]}, ("/x is gone",)),
        ({}, {"missing": ["/x", "/y"]}, ("/x, /y are gone",)),
        ({}, {"missing": [f"/{n}" for n in range(8)]}, ("/0, /1, /2, /3, /4, /5 and 2 more are gone",)),
        ({}, {"touched": ["/x"]}, ("/x has changed on disk since",)),
        ({"dirty": ["a"]}, {"dirty": ["a", "b"]}, ("b has changes that are not committed",)),
        ({"dirty": ["a"]}, {"dirty": []}, ()),
        ({"branch": "a"}, {"branch": "", "commit": NEW}, ()),
    ],
)
def test_drift(before: dict[str, Any], now: dict[str, Any], expected: tuple[str, ...]) -> None:
    """What differs between then and now; what is not known is no difference, nor what the session did itself."""
    assert drift(before, now) == expected
