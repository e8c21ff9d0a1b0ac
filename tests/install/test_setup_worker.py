import os
import sys
from pathlib import Path

import pytest

from holdfast.errors import Fault
from holdfast.install import background_setup, environment, setup_worker


@pytest.fixture
def folders(tmp_path: Path) -> tuple[str, str]:
    """A data folder and a pack."""
    (tmp_path / "data").mkdir()
    (tmp_path / "pack" / "hooks" / "holdfast").mkdir(parents=True)
    return str(tmp_path / "data"), str(tmp_path / "pack")


def test_the_interpreter_is_baked_in_twice(folders: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """For the hooks in the data folder, for the command line beside the launcher."""
    monkeypatch.setattr(environment, "make", lambda folder: folder + "/site")
    said = setup_worker.work(*folders)
    expected = environment.Baked(environment.real_interpreter(), folders[0] + "/env/site")
    assert environment.read_sidecar(os.path.join(folders[0], "interpreter")) == expected
    assert environment.read_sidecar(os.path.join(folders[1], "hooks", "interpreter")) == expected
    assert said.startswith("ready")


def test_without_a_network_the_interpreter_is_baked_in_all_the_same(
    folders: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hooks are fast at once, the failure is told, and the next try is a day away."""

    def fail(_: str) -> str:
        raise Fault("no network", "pip install")

    monkeypatch.setattr(environment, "make", fail)
    said = setup_worker.work(*folders)
    baked = environment.read_sidecar(os.path.join(folders[0], "interpreter"))
    assert baked == environment.Baked(environment.real_interpreter(), "")
    assert "no network" in said
    assert not background_setup.needs_setup(folders[0])


def test_the_lock_is_given_back_whatever_happens(folders: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that fails does not keep the next one out."""

    def fail(*_: str) -> str:
        raise RuntimeError("oh")

    assert background_setup.take_lock(folders[0])
    monkeypatch.setattr(setup_worker, "work", fail)
    monkeypatch.setattr(sys, "argv", ["-c", *folders])
    with pytest.raises(RuntimeError, match="oh"):
        setup_worker.main()
    assert background_setup.take_lock(folders[0])


def test_a_pack_that_cannot_be_written_is_said_not_raised(
    folders: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The data folder has what the hooks need."""
    monkeypatch.setattr(environment, "make", lambda folder: folder)
    os.mkdir(os.path.join(folders[1], "hooks", "interpreter"))
    assert setup_worker.work(*folders).startswith("ready")
    assert "cannot be written" in capsys.readouterr().out
