"""`from holdfast import shared`: every module of the policy for shared context, but for what they are written with."""

from pathlib import Path

import holdfast
from holdfast.engine import shared

INNER = {"lines"}
"""Notations that `formats` and `events` are written in."""


def test_every_module_can_be_reached() -> None:
    """None that only tests would use."""
    folder = Path(holdfast.__file__).parent / "engine" / "shared"
    found = {path.stem for path in folder.glob("*.py")} - {"__init__"} - INNER
    assert set(shared.__all__) - {"delegation", "slices"} == found - {"slice"}


def test_each_name_is_its_module() -> None:
    """`slices` and `delegation` too."""
    names = [getattr(shared, name).__name__.rpartition(".")[2] for name in shared.__all__]
    assert names == [name if name != "slices" else "slice" for name in shared.__all__]
