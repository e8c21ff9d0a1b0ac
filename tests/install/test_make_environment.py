import os
import sys
import time
from pathlib import Path

import pytest

from holdfast.errors import Fault
from holdfast.install import environment
from holdfast.install import make_environment as command


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with nothing prepared, and a set-up that needs no network."""
    (tmp_path / "hooks" / "holdfast").mkdir(parents=True)

    def make(folder: str) -> str:
        for name in environment.packages():
            os.makedirs(os.path.join(environment.site_of(folder), name))
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(sys.executable, environment.python_of(folder))
        return environment.site_of(folder)

    monkeypatch.setattr(environment, "make", make)
    return tmp_path


def test_first_use_sets_up_and_says_so_in_one_line(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """stdout has the interpreter alone, for a shell to read."""
    assert command.main(["--root", str(root)]) == 0
    said = capsys.readouterr()
    assert said.out == f"{root}/.venv/bin/python\n"
    assert said.err.count("\n") == 1
    baked = environment.read_sidecar(str(root / "hooks" / "interpreter"))
    assert baked == environment.Baked(environment.real_interpreter(), environment.site_of(str(root / ".venv")))


def test_second_use_is_silent(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Everything is there."""
    command.main(["--root", str(root)])
    capsys.readouterr()
    assert command.main(["--root", str(root)]) == 0
    assert capsys.readouterr().err == ""


def test_without_a_network_it_goes_on_with_this_interpreter(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said once, and not tried again for some minutes."""
    tries = []

    def fail(folder: str) -> str:
        tries.append(folder)
        raise Fault("no network", "pip")

    monkeypatch.setattr(environment, "make", fail)
    for _ in range(2):
        assert command.main(["--root", str(root)]) == 0
        assert capsys.readouterr().out == f"{sys.executable}\n"
    assert len(tries) == 1
    old = time.time() - command.RETRY_AFTER_S - 1
    os.utime(root / ".venv" / command.FAILED, (old, old))
    command.main(["--root", str(root)])
    assert len(tries) == 2
