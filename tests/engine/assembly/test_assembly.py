"""`from holdfast import assembly`: every module that puts a request together."""

from pathlib import Path

import holdfast
from holdfast.engine import assembly


def test_every_module_can_be_reached() -> None:
    """None that only tests would use."""
    folder = Path(holdfast.__file__).parent / "engine" / "assembly"
    assert set(assembly.__all__) == {path.stem for path in folder.glob("*.py")} - {"__init__"}
    names = [getattr(assembly, name).__name__ for name in assembly.__all__]
    assert names == [f"holdfast.engine.assembly.{name}" for name in assembly.__all__]
