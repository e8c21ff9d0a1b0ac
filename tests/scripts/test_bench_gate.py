import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "bench_gate.py"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("bench_gate", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("factor", "code"), [(1.0, 0), (1.6, 1)], ids=["reference agrees", "reference counts more"])
def test_shares_are_measured_against_the_reference(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, factor: float, code: int
) -> None:
    """A reference equal to our counter passes; one that counts far more shows texts that slip through."""
    for n in range(40):
        text = "\n\n".join(
            f"Paragraph {n} says that the store keeps its records in files. " * 3 for _ in range(9 + n % 5)
        )
        (tmp_path / f"{n}.md").write_text(text)

    def token_count(text: str, version: str) -> int:
        assert version == "5"
        counted: int = script.tokenizer.count(text).tokens
        frame: int = script.FRAME
        return int(counted * factor) + frame

    monkeypatch.setitem(sys.modules, "ctok", SimpleNamespace(token_count=token_count))
    assert script.main([str(tmp_path), "--json"]) == code
