import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import bench_gate
from holdfast.text import tokenizer


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (1.6, 1)], ids=["reference agrees", "reference counts more"])
def test_shares_are_measured_against_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, code: int
) -> None:
    for n in range(40):
        text = "\n\n".join(
            f"Paragraph {n} says that the store keeps its records in files. " * 3 for _ in range(9 + n % 5)
        )
        (tmp_path / f"{n}.md").write_text(text)

    def token_count(text: str, version: str) -> int:
        assert version == "5"
        return int(tokenizer.count(text).tokens * factor) + bench_gate.FRAME

    monkeypatch.setitem(sys.modules, "ctok", SimpleNamespace(token_count=token_count))
    assert bench_gate.main([str(tmp_path), "--json"]) == code
