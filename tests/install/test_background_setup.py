import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from holdfast.errors import Fault
from holdfast.install import background_setup, environment


def ready(folder: Path) -> None:
    for name in environment.packages():
        (folder / "site" / f"{name.lower()}-1.dist-info").mkdir(parents=True)
    baked = environment.Baked(environment.real_interpreter(), str(folder / "site"))
    environment.write_sidecar(str(folder / "interpreter"), baked)


def test_what_is_missing_is_set_up(tmp_path: Path) -> None:
    assert background_setup.needs_setup(str(tmp_path / "not made yet"))
    ready(tmp_path)
    assert not background_setup.needs_setup(str(tmp_path))
    (tmp_path / "site" / "tiktoken-1.dist-info").rmdir()
    assert background_setup.needs_setup(str(tmp_path))
    environment.write_sidecar(str(tmp_path / "interpreter"), environment.Baked("/gone", str(tmp_path / "site")))
    assert background_setup.needs_setup(str(tmp_path))


@pytest.fixture
def workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list["subprocess.Popen[bytes]"]:
    """The workers that were started; each sleeps for a moment in the place of its work."""
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def keep(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        started.append(real([*command[:2], "-c", "import time; time.sleep(0.3); print('worked')"], **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", keep)
    return started


def test_start_runs_one_worker_that_ends_by_itself(tmp_path: Path, workers: list["subprocess.Popen[bytes]"]) -> None:
    data = tmp_path / "data"
    assert background_setup.start(str(data), str(tmp_path))
    assert not background_setup.start(str(data), str(tmp_path))
    assert workers[0].wait(20) == 0
    assert os.getsid(os.getpid()) != workers[0].pid
    assert (data / "setup.log").read_text() == "worked\n"
    assert background_setup.start(str(data), str(tmp_path))
    workers[1].kill()  # as does its death
    workers[1].wait(20)
    assert background_setup.start(str(data), str(tmp_path))
    assert workers[2].wait(20) == 0


@pytest.mark.parametrize("network", [True, False])
def test_the_interpreter_is_baked_in_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: bool) -> None:
    """In the data folder and beside the launcher; without a network too, and then the next try is a day away."""
    data, pack = tmp_path / "data", tmp_path / "pack"
    for folder in (data, pack / "hooks" / "holdfast"):
        folder.mkdir(parents=True)

    def make(folder: str) -> str:
        if not network:
            raise Fault("no network", "pip install")
        return f"{folder}/site"

    monkeypatch.setattr(environment, "make", make)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert background_setup.work(str(data), str(pack)).startswith("ready" if network else "packages not installed: pip")
    site = f"{environment.user_environment()}/site" if network else ""
    for folder in (data, pack / "hooks"):
        baked = environment.read_sidecar(str(folder / "interpreter"))
        assert baked == environment.Baked(environment.real_interpreter(), site)
    assert background_setup.needs_setup(str(data)) is network  # here no package was put in
    if not network:
        yesterday = time.time() - 24 * 3_600 - 1
        os.utime(data / "setup-failed", (yesterday, yesterday))
        assert background_setup.needs_setup(str(data))
