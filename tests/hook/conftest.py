"""What the tests of the events share: a handler's reply on the ordinary road, and the session that it works in."""

from collections.abc import Callable
from typing import Any

import pytest

from holdfast.hook import runner
from holdfast.session.context import Session

Make = Callable[..., Any]


@pytest.fixture
def reply_to(event_of: Make, session_of: Make) -> Make:
    """`reply_to("PostToolUse.Agent")`: what the event's handler answers."""

    def run(name: str, **changes: Any) -> Any:
        event = event_of(name, **changes)
        return runner.reply_to(event, session_of(event))

    return run


@pytest.fixture
def session(event_of: Make, session_of: Make) -> Session:
    found: Session = session_of(event_of("Stop"))
    return found
