"""`python -m holdfast.install.make_environment --root DIR`: makes a checkout able to run, and prints its interpreter.

Used by bin/holdfast and scripts/try on their first run. Says what it does in one line on stderr; does nothing
when everything is there.
"""

import argparse
import contextlib
import os
import sys
import time

from holdfast.errors import Fault
from holdfast.install import environment

FAILED = "setup-failed"
RETRY_AFTER_S = 600


def main(argv: list[str] | None = None) -> int:
    """Sets up `.venv` in the root, bakes the launcher's file, prints the interpreter to use."""
    options = _options(argv)
    root = os.path.abspath(options.root)
    folder = os.path.abspath(options.env or os.path.join(root, ".venv"))
    python = environment.python_of(folder)
    sidecar = os.path.join(root, "hooks", environment.SIDECAR)
    site = environment.site_of(folder)
    try:
        if environment.missing_packages(site) or not os.path.exists(python):
            if _failed_lately(folder):
                return _answer(python)
            site = _make(folder)
        baked = environment.Baked(environment.real_interpreter(), site)
        if environment.read_sidecar(sidecar) != baked:
            environment.write_sidecar(sidecar, baked)
            environment.compile_pack(baked.python, os.path.join(root, "hooks"))
    except (Fault, OSError) as error:
        print(f"holdfast: could not set up {folder}: {error}", file=sys.stderr)
        print("holdfast: going on without packages: token counts will be estimates", file=sys.stderr)
        _note_failure(folder)
    return _answer(python)


def _answer(python: str) -> int:
    print(python if os.path.exists(python) else sys.executable)
    return 0


def _failed_lately(folder: str) -> bool:
    """Whether an attempt failed in the last minutes: without a network each would cost its time again."""
    try:
        return time.time() - os.stat(os.path.join(folder, FAILED)).st_mtime < RETRY_AFTER_S
    except OSError:
        return False


def _note_failure(folder: str) -> None:
    with contextlib.suppress(OSError):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, FAILED), "w", encoding="utf-8"):
            pass


def _make(folder: str) -> str:
    print(f"holdfast: first use: setting up {folder} (once, about 10 s)", file=sys.stderr)
    return environment.make(folder)


def _options(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="holdfast.install.make_environment", description=__doc__)
    parser.add_argument("--root", required=True, help="folder of the checkout")
    parser.add_argument("--env", help="folder of the environment (default: ROOT/.venv)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
