"""What tests ask of their desks: the maker's type, and what to do when a tool is not there."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NoReturn

import pytest

from client import Desk

DeskMaker = Callable[[str], Desk]


def missing(what: str) -> NoReturn:
    """Skip, or fail where HOLDFAST_REQUIRE_CLIENT=1 says that everything must be there."""
    if os.environ.get("HOLDFAST_REQUIRE_CLIENT") == "1":
        pytest.fail(what)
    pytest.skip(what)
