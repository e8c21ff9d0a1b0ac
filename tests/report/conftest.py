"""A ledger to read from."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from holdfast.ledger import hooks as ledger

Known = Callable[..., None]


@pytest.fixture
def known() -> Known:
    """Puts a session into the ledger: its figures by day."""

    def put(session: str, days: Mapping[str, Mapping[str, int]], project: str = "/p/shop", used: float = 0.0) -> None:
        folder = Path(ledger.folder())
        folder.mkdir(parents=True, exist_ok=True)
        entry = {"v": 1, "session": session, "project": project, "state": f"{project}/.claude/holdfast"}
        more = {"started": used, "used": used, "seen": {key: 1 for day in days.values() for key in day}, "days": days}
        (folder / f"{session}.json").write_text(json.dumps({**entry, **more}))

    return put
