from pathlib import Path

import pytest

from benchmarks.server import instance, run


@pytest.mark.skipif(not instance.binaries(), reason="PostgreSQL is not installed (apt-get install postgresql)")
def test_nothing_that_was_answered_is_lost_when_the_server_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Agents claim, renew and count on over kill -9 and a start; each file has one owner, no change is missing."""
    monkeypatch.setattr(run, "PAUSE", 0.1)
    monkeypatch.setattr(run, "SYNCED", 200)
    monkeypatch.setattr(run, "QUESTIONS", 10)
    with instance.running(**run.SETTINGS) as server:
        server.team("bench", {"alice": "writer", "bob": "writer"})
        found = run.agents(server, 12, 4)
        assert {name: found[name] for name in ("double_owners", "lost_updates", "lost_writes")} == {
            **dict.fromkeys(("double_owners", "lost_updates", "lost_writes"), 0)
        }
        assert found["broken_connections"] >= 12
        assert found["acts"] > 100
        assert run.synced(server)["sync_s"] < 10**6
        assert run.searched(server, 1_000)["records"] == 1_000
    assert not Path(server.folder).exists()
