"""bin/holdfast, the command: which interpreter it finds, and from where it can be called."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SAYS = """import json, sys
def main():
    print('|'.join([*sys.argv[1:], sys.path[0] or '-', str(bool(sys.flags.isolated))]))
"""


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    """An installed pack whose path has a space."""
    root = tmp_path / "in stalled"
    (root / "hooks" / "holdfast" / "cli").mkdir(parents=True)
    (root / "bin").mkdir()
    shutil.copy(ROOT / "bin" / "holdfast", root / "bin" / "holdfast")
    shutil.copy(ROOT / "hooks" / "run", root / "hooks" / "run")
    (root / "hooks" / "holdfast" / "cli" / "main.py").write_text(SAYS)
    (root / "hooks" / "interpreter").write_text(f"{sys.executable}\n\n")
    return root


def call(command: Path, *arguments: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    given = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **env}
    return subprocess.run(
        [command, *arguments], capture_output=True, text=True, cwd=cwd, env=given, timeout=60, check=False
    )


def test_arguments_pass_through(pack: Path, tmp_path: Path) -> None:
    """Spaces and empty ones included; modules come from the pack, not of the current folder or PYTHONPATH."""
    for name in ("json", "importlib", "sitecustomize", "encodings"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken')\n")
    env = {"PYTHONPATH": f".:{tmp_path}", "PYTHONSTARTUP": "json.py"}
    done = call(pack / "bin" / "holdfast", "a b", "", "--json", cwd=tmp_path, **env)
    assert (done.stdout, done.stderr) == (f"a b||--json|{pack}/hooks|True\n", "")


@pytest.mark.parametrize("absolute", [True, False], ids=["absolute", "relative"])
def test_links_are_followed(pack: Path, tmp_path: Path, absolute: bool) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    target = pack / "bin" / "holdfast"
    one.symlink_to(target if absolute else os.path.relpath(target, tmp_path))
    two.symlink_to(one if absolute else "one")
    (tmp_path / "readlink").write_text("#!/bin/sh\necho /gone\n")  # a clone's, on PATH
    (tmp_path / "readlink").chmod(0o755)
    assert call(two, "x", PATH=f"{tmp_path}:/usr/bin:/bin").stdout.startswith("x|")


def test_the_plugin_data_folder_comes_first(pack: Path, tmp_path: Path) -> None:
    (pack / "hooks" / "interpreter").write_text("/gone\n\n")
    (tmp_path / "interpreter").write_text(f"{sys.executable}\n\n")
    assert call(pack / "bin" / "holdfast", "x", CLAUDE_PLUGIN_DATA=str(tmp_path)).stdout.startswith("x|")


def test_an_environment_is_entered_by_its_own_interpreter(pack: Path, tmp_path: Path) -> None:
    """Beside the folder of packages stands the interpreter that knows them."""
    env = tmp_path / "env"
    (env / "bin").mkdir(parents=True)
    site = env / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (env / "bin" / "python").write_text(f"#!/bin/sh\necho entered; exec '{sys.executable}' \"$@\"\n")
    (env / "bin" / "python").chmod(0o755)
    (pack / "hooks" / "interpreter").write_text(f"{sys.executable}\n{site}\n")
    assert call(pack / "bin" / "holdfast", "x").stdout.startswith("entered\n")
    relative = os.path.relpath(site)  # leads into whatever clone one stands in
    (pack / "hooks" / "interpreter").write_text(f"{sys.executable}\n{relative}\n")
    assert call(pack / "bin" / "holdfast", "x").stdout.startswith("x|")


def test_without_any_python_one_line_says_what_to_do(pack: Path) -> None:
    text = (pack / "hooks" / "run").read_text()
    lonely = text.replace("/usr/", "/nonexistent/").replace("/opt/", "/nonexistent/")
    (pack / "hooks" / "run").write_text(lonely)
    (pack / "hooks" / "interpreter").unlink()
    done = call(pack / "bin" / "holdfast", PATH="")
    assert done.returncode == 1
    assert "install one and try again" in done.stderr


def test_a_torn_compiled_file_is_nothing_to_stop_at(pack: Path) -> None:
    """`doctor` above all is to run; another fault is told as it is."""
    library = pack / "hooks" / "holdfast"
    (library / "session").mkdir()
    shutil.copy(ROOT / "hooks" / "holdfast" / "session" / "compiled.py", library / "session" / "compiled.py")
    assert call(pack / "bin" / "holdfast", "x").stdout.startswith("x|")
    (torn,) = library.rglob("main.*.pyc")
    torn.write_bytes(torn.read_bytes()[:40])
    for _ in range(2):
        done = call(pack / "bin" / "holdfast", "x")
        assert (done.stdout.partition("|")[0], done.stderr) == ("x", "")
    (library / "cli" / "main.py").write_text("def main(): raise ValueError('ours')\n")
    assert "ValueError: ours" in call(pack / "bin" / "holdfast").stderr
