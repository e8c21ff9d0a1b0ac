import os
import sys
import time
from pathlib import Path

import pytest

from holdfast.errors import Fault
from holdfast.install import environment
from holdfast.install.environment import Baked


@pytest.mark.parametrize(
    ("content", "baked"),
    [
        pytest.param("/a b/p\udcff\n/söte\n", Baked("/a b/p\udcff", "/söte"), id="both"),
        pytest.param("/p\n/s\n/c\n", Baked("/p", "/s", "/c"), id="checkout"),
        pytest.param("/p\n\n", Baked("/p", ""), id="no-packages"),
        pytest.param("/p", Baked("/p", ""), id="one-line"),
        pytest.param("", None, id="empty"),
        pytest.param("\n/s\n", None, id="no-interpreter"),
    ],
)
def test_read_sidecar(tmp_path: Path, content: str, baked: Baked | None) -> None:
    """The first line must say something; none without the file; foreign bytes survive writing."""
    place = tmp_path / "interpreter"
    assert environment.read_sidecar(str(place)) is None
    place.write_text(content, errors="surrogateescape")
    assert environment.read_sidecar(str(place)) == baked
    if baked:
        environment.write_sidecar(str(place), baked)
        assert environment.read_sidecar(str(place)) == baked


def test_the_real_interpreter_is_no_link_and_in_no_environment() -> None:
    """A hook must not pay for a shim, nor end with the environment that it was installed from."""
    found = environment.real_interpreter()
    assert os.path.isfile(found)
    assert not os.path.islink(found)
    assert not os.path.exists(os.path.join(os.path.dirname(found), "..", "pyvenv.cfg"))


def test_a_failing_command_says_its_last_line() -> None:
    with pytest.raises(Fault):
        environment.run(["/nonexistent/program"])
    with pytest.raises(Fault, match="gone wrong"):
        environment.run([sys.executable, "-c", "import sys; print('noise'); sys.exit('gone wrong')"])


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with nothing prepared, and a set-up that needs no network."""
    (tmp_path / "checkout" / "hooks" / "holdfast").mkdir(parents=True)

    def make(folder: str) -> str:
        for name in environment.packages():
            os.makedirs(os.path.join(environment.site_of(folder), f"{name.lower()}-1.dist-info"))
        os.makedirs(os.path.join(folder, "bin"))
        os.symlink(sys.executable, environment.python_of(folder))
        return environment.site_of(folder)

    monkeypatch.setattr(environment, "make", make)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "checkout"


def test_first_use_of_a_checkout_sets_it_up_beside_it(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = environment.user_environment()
    for lines in (1, 0):
        environment.main(str(checkout))
        said = capsys.readouterr()
        assert said.out == f"{folder}/bin/python\n"
        assert said.err.count("\n") == lines
    assert folder.startswith(f"{checkout.parent}/cache/holdfast/env/python3.")
    baked = environment.read_sidecar(str(checkout / "hooks" / "interpreter"))
    cache = f"{environment.folder_of_checkout(str(checkout))}/pycache"
    assert baked == Baked(environment.real_interpreter(), environment.site_of(folder), cache)
    assert {path.name for path in checkout.rglob("*")} == {"hooks", "holdfast", "interpreter"}


def test_without_a_network_a_checkout_goes_on_with_this_interpreter(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is said once, and not tried again for some minutes."""
    tries = []

    def fail(folder: str) -> str:
        tries.append(folder)
        raise Fault("no network", "pip")

    monkeypatch.setattr(environment, "make", fail)
    for _ in range(2):
        environment.main(str(checkout))
        assert capsys.readouterr().out == f"{sys.executable}\n"
    assert len(tries) == 1
    old = time.time() - 601
    os.utime(os.path.join(tries[0], "setup-failed"), (old, old))
    environment.main(str(checkout))
    assert len(tries) == 2


def test_a_projects_modules_are_not_imported_when_the_pack_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Installed from within a project that brings modules of the standard library's names."""
    (tmp_path / "hooks" / "holdfast").mkdir(parents=True)
    (tmp_path / "hooks" / "holdfast" / "a.py").touch()
    for name in ("compileall", "importlib", "venv", "pip"):
        (tmp_path / f"{name}.py").write_text("open('ran', 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    environment.compile_pack(sys.executable, str(tmp_path / "hooks"))
    site = environment.make(str(tmp_path / "env"), ["--no-index", "-r", os.devnull])
    assert os.path.realpath(site) == os.path.realpath(environment.site_of(str(tmp_path / "env")))
    assert list((tmp_path / "hooks").rglob("a.*.pyc"))
    assert not (tmp_path / "ran").exists()
