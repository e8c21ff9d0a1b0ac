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
    """Interpreter and packages; what has gone since is set up again; without a data folder there is nothing to do."""
    assert not background_setup.needs_setup("")
    assert background_setup.needs_setup(str(tmp_path / "not made yet"))
    ready(tmp_path)
    assert not background_setup.needs_setup(str(tmp_path))
    (tmp_path / "site" / "tiktoken-1.dist-info").rmdir()
    assert background_setup.needs_setup(str(tmp_path))
    environment.write_sidecar(str(tmp_path / "interpreter"), environment.Baked("/gone", str(tmp_path / "site")))
    assert background_setup.needs_setup(str(tmp_path))


def test_after_a_failure_a_day_passes_before_the_next_try(tmp_path: Path) -> None:
    """No session pays for a network that is not there, again and again."""
    environment.note_failure(str(tmp_path))
    mark = tmp_path / "setup-failed"
    assert not background_setup.needs_setup(str(tmp_path))
    old = time.time() - 24 * 3600 - 1
    os.utime(mark, (old, old))
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
    """The first start starts it, the second does not; the log tells; its end gives the lock back."""
    data = tmp_path / "data"
    assert background_setup.start(str(data), str(tmp_path))
    assert not background_setup.start(str(data), str(tmp_path))
    assert workers[0].wait(20) == 0
    assert os.getsid(os.getpid()) != workers[0].pid
    assert (data / "setup.log").read_text(encoding="utf-8") == "worked\n"
    assert background_setup.start(str(data), str(tmp_path))
    workers[1].kill()  # as does its death
    workers[1].wait(20)
    assert background_setup.start(str(data), str(tmp_path))
    assert workers[2].wait(20) == 0


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "data").mkdir()
    (tmp_path / "pack" / "hooks" / "holdfast").mkdir(parents=True)
    return str(tmp_path / "data"), str(tmp_path / "pack")


def test_the_interpreter_is_baked_in_twice(folders: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment, "make", lambda folder: folder + "/site")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folders[0]))
    said = background_setup.work(*folders)
    expected = environment.Baked(environment.real_interpreter(), environment.user_environment() + "/site")
    assert environment.read_sidecar(os.path.join(folders[0], "interpreter")) == expected
    assert environment.read_sidecar(os.path.join(folders[1], "hooks", "interpreter")) == expected
    assert said.startswith("ready")


def test_without_a_network_the_interpreter_is_baked_in_all_the_same(
    folders: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:

    def fail(_: str) -> str:
        raise Fault("no network", "pip install")

    monkeypatch.setattr(environment, "make", fail)
    said = background_setup.work(*folders)
    baked = environment.read_sidecar(os.path.join(folders[0], "interpreter"))
    assert baked == environment.Baked(environment.real_interpreter(), "")
    assert "no network" in said
    assert not background_setup.needs_setup(folders[0])
