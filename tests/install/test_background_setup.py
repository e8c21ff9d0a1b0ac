import multiprocessing
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from holdfast.install import background_setup, environment

HOOKS = Path(__file__).parents[2] / "hooks"


def ready(folder: Path) -> None:
    """A data folder whose set-up is done."""
    for name in environment.packages():
        (folder / "site" / name).mkdir(parents=True)
    baked = environment.Baked(environment.real_interpreter(), str(folder / "site"))
    environment.write_sidecar(str(folder / "interpreter"), baked)


def test_a_fresh_folder_needs_setup(tmp_path: Path) -> None:
    """Nothing is baked in yet; without a data folder there is nothing to set up."""
    assert background_setup.needs_setup(str(tmp_path))
    assert background_setup.needs_setup(str(tmp_path / "not made yet"))
    assert not background_setup.needs_setup("")


def test_a_complete_folder_needs_none(tmp_path: Path) -> None:
    """Interpreter and packages are there."""
    ready(tmp_path)
    assert not background_setup.needs_setup(str(tmp_path))


@pytest.mark.parametrize("lost", ["interpreter", "package"])
def test_what_has_gone_is_set_up_again(tmp_path: Path, lost: str) -> None:
    """An interpreter that was removed, a package that is missing."""
    ready(tmp_path)
    if lost == "package":
        (tmp_path / "site" / "tiktoken").rmdir()
    else:
        baked = environment.Baked("/gone/python", str(tmp_path / "site"))
        environment.write_sidecar(str(tmp_path / "interpreter"), baked)
    assert background_setup.needs_setup(str(tmp_path))


def test_after_a_failure_a_day_passes_before_the_next_try(tmp_path: Path) -> None:
    """No session pays for a network that is not there, again and again."""
    mark = tmp_path / background_setup.FAILED
    mark.touch()
    assert not background_setup.needs_setup(str(tmp_path))
    old = time.time() - background_setup.RETRY_AFTER_S - 1
    os.utime(mark, (old, old))
    assert background_setup.needs_setup(str(tmp_path))


def grab(folder: str, taken: Any) -> None:
    """One of several processes that want the lock at the same moment."""
    if background_setup.take_lock(folder):
        with taken.get_lock():
            taken.value += 1


@pytest.mark.parametrize("stale", [False, True], ids=["fresh", "stale"])
def test_of_many_that_start_together_one_gets_the_lock(tmp_path: Path, stale: bool) -> None:
    """Also when all of them find a lock that a dead process left behind."""
    if stale:
        (tmp_path / background_setup.LOCK).touch()
        old = time.time() - background_setup.STALE_S - 1
        os.utime(tmp_path / background_setup.LOCK, (old, old))
    context = multiprocessing.get_context("spawn")
    taken = context.Value("i", 0)
    processes = [context.Process(target=grab, args=(str(tmp_path), taken)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert taken.value == 1


def test_start_runs_one_worker_that_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first start starts it, the second does not; it ends by itself, and the log tells."""
    started: list[subprocess.Popen[bytes]] = []
    real = subprocess.Popen

    def keep(command: list[str], **options: Any) -> subprocess.Popen[bytes]:
        (tmp_path / "pack" / "hooks").mkdir(parents=True, exist_ok=True)
        quick = "import time; time.sleep(0.3); print('worked')"
        started.append(real([*command[:5], "-c", quick], **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", keep)
    data = tmp_path / "data"
    assert background_setup.start(str(data), str(tmp_path / "pack"))
    assert not background_setup.start(str(data), str(tmp_path / "pack"))
    assert len(started) == 1
    assert started[0].wait(20) == 0
    assert os.getsid(os.getpid()) != started[0].pid
    assert (data / background_setup.LOG).read_text(encoding="utf-8") == "worked\n"


def test_a_folder_that_cannot_be_made_is_no_fault(tmp_path: Path) -> None:
    """The session goes on."""
    (tmp_path / "file").touch()
    assert not background_setup.start(str(tmp_path / "file" / "data"), str(tmp_path))
