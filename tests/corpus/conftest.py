"""Recorded sessions: HOLDFAST_DATA, else ../shared/data beside the checkout; without them these tests are skipped."""

import os
from pathlib import Path

import pytest

from benchmarks.replay import sessions

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("HOLDFAST_DATA") or ROOT.parent / "shared" / "data") / "transcripts"


def read(folder: Path) -> list[str]:
    """The paths of the transcripts in there, sorted."""
    if not folder.is_dir():
        pytest.skip(f"no recorded sessions at {folder}; set HOLDFAST_DATA to a folder with transcripts/")
    return sessions.transcripts([str(folder)])


@pytest.fixture(scope="session")
def files() -> list[str]:
    """Every recorded session, of every version."""
    return read(DATA)


@pytest.fixture(scope="session")
def one_project() -> list[str]:
    """Those of one project."""
    return read(DATA / "entireio-cli")
