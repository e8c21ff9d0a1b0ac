import pytest

from holdfast.knowledge.propagation import due

REACHES = {
    "code significant status": [4, 3, 2],
    "code percent": [4, 1],
    "fix critical": [4, 2],
    "fix blocker": [4, 1],
    "config architecture": [4, 3],
    "feature": [4, 3, 2],
    "feature major": [4, 3, 2, 1],
    "progress": [3, 2, 1],
    "decision": [4, 3, 2, 1],
}


@pytest.mark.parametrize("words", REACHES)
def test_the_matrix(words: str) -> None:
    change, *conditions = words.split()
    told = list(due(change, conditions))
    assert [level for level, is_due, _ in told if is_due] == REACHES[words]
    assert all(is_due != (why == "never" or why.startswith("only if")) for _, is_due, why in told)
