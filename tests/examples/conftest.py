"""What the tests of the example share: one whole run of it."""

import pytest

import agent_loop
from agent_loop import Loop
from fake_api import FakeApi


@pytest.fixture(scope="session")
def managed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Loop, FakeApi]:
    """The loop with a manager, to its end."""
    return agent_loop.play(str(tmp_path_factory.mktemp("managed")))
