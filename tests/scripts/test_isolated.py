"""scripts/install.py runs no module of the folder that it is called in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("command", [["scripts/install.py"], [sys.executable, "scripts/install.py"]])
def test_a_module_of_the_current_folder_is_not_run(command: list[str], tmp_path: Path) -> None:
    """Not even where PYTHONPATH names it, as an empty entry does; `sitecustomize` is the interpreter's own matter."""
    names = ["pathlib", "argparse", "sitecustomize"]
    for name in names[: 2 if command[0] == sys.executable else 3]:
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write(__name__)\n")
    *interpreter, script = command
    env = {**os.environ, "PYTHONPATH": ":/opt", "HOME": str(tmp_path / "home"), "PYTHONDONTWRITEBYTECODE": "1"}
    told = [*interpreter, str(ROOT / script), "--help"]
    subprocess.run(told, cwd=tmp_path, env=env, capture_output=True, timeout=60, check=False)
    assert not (tmp_path / "ran").exists()
