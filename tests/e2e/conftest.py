"""What the tests with the real client share: the client, a sandbox with the pack, and the scripted reports."""

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))  # the folder is no package: its helpers are imported by name

import client as clients  # noqa: E402 - needs the line above
from client import SandboxMaker, missing  # noqa: E402 - as above

ROOT = HERE.parents[1]
WAYS = ("plugin", "dropin")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder, so that `-m "not e2e"` leaves it out."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.e2e)


@pytest.fixture(scope="session")
def client() -> Path:
    """The real client."""
    found = clients.binary()
    if found is None or not os.access(found, os.X_OK):
        missing(f"no client {clients.VERSION}: run scripts/check once, or name it in HOLDFAST_CLIENT")
    return found


@pytest.fixture(scope="session")
def interpreter() -> tuple[str, str, str]:
    """The interpreter, the packages and the place for compiled files that hooks are to run with: those of the tests."""
    python = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    return python, sysconfig.get_path("purelib"), sys.pycache_prefix or ""


@pytest.fixture(scope="session")
def dropped_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the pack, and in it a project that it is dropped into, made once and copied for each sandbox."""
    home = tmp_path_factory.mktemp("template")
    (home / "project").mkdir()
    install = [
        sys.executable,
        str(ROOT / "scripts" / "install.py"),
        str(home / "project"),
        "--local",
        "--env",
        sys.prefix,
    ]
    done = subprocess.run(
        install, capture_output=True, text=True, check=False, timeout=120, env={**os.environ, "HOME": str(home)}
    )
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture(scope="module")
def make_sandbox(
    client: Path, interpreter: tuple[str, str, str], dropped_in: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SandboxMaker]:
    """Makes sandboxes: `make_sandbox("plugin")`, `make_sandbox("dropin")`, `make_sandbox("both")`."""
    made: list[Path] = []

    def make(way: str) -> clients.Sandbox:
        root = tmp_path_factory.mktemp(way)
        made.append(root)
        sandbox = clients.Sandbox(root, client, ROOT if way in ("plugin", "both") else None)
        if sandbox.plugin:
            sandbox.plugin_data.mkdir(parents=True)
            (sandbox.plugin_data / "interpreter").write_text("\n".join(interpreter) + "\n")
        if way in ("dropin", "both"):
            shutil.copytree(dropped_in / ".claude", sandbox.home / ".claude", dirs_exist_ok=True)
            shutil.copytree(dropped_in / "project" / ".claude", sandbox.project / ".claude")
        return sandbox

    yield make
    for root in made:
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module", params=WAYS)
def sandbox(request: pytest.FixtureRequest, make_sandbox: SandboxMaker) -> clients.Sandbox:
    """A sandbox with the pack, once as a plugin and once dropped in."""
    return make_sandbox(request.param)
