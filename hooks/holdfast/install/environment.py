"""The interpreter and the packages that the hooks run with, and the small file that names them.

`interpreter` beside the launcher (or in the plugin's data folder) has three lines: the real interpreter, the folder
with the packages, and, for a checkout, the folder for compiled files; the last two may be empty. Making the
environment needs a network and takes seconds; everything works without it, only with estimates in the place of counts.

`main` makes a checkout able to run and prints its interpreter; bin/holdfast and scripts/try call it. A checkout's
environment and caches lie in the user's cache folder: whatever stands in the checkout itself is copied when it is
installed as a plugin. Every Python that is started is isolated (-I): what lies in the current folder is not ours.
"""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import NamedTuple

from holdfast.errors import Fault
from holdfast.hot.files import Lock, names_in, read_bytes, read_text, write_atomic
from holdfast.hot.fingerprint import fingerprint
from holdfast.hot.paths import is_whole

SIDECAR = "interpreter"


def requirements() -> tuple[str, ...]:
    """The packages with their least versions, as pip takes them; pyproject.toml reads the same list."""
    library = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    text = read_text(os.path.join(library, "_data", "requirements.txt"), follow=True)
    return tuple(line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#"))


def packages() -> tuple[str, ...]:
    """Their names, as their makers write them."""
    return tuple(line.partition(">=")[0] for line in requirements())


class Baked(NamedTuple):
    """What the launcher's file names."""

    python: str
    site: str
    cache: str = ""
    """Where compiled files go, if not beside their sources."""


def real_interpreter() -> str:
    """The interpreter itself: behind a virtual environment, a shim or a link."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def read_sidecar(path: str) -> Baked | None:
    """What is baked in there; None when there is no such file or it is empty."""
    lines = [*read_bytes(path, 64_000).decode("utf-8", "surrogateescape").split("\n"), "", "", ""]
    if not is_whole(lines[1]):  # from wherever one stands it leads elsewhere, into a clone too
        lines[1] = ""
    return Baked(*lines[:3]) if lines[0] else None


def write_sidecar(path: str, baked: Baked) -> None:
    """Writes the file whole: a hook that reads meanwhile sees the old one or the new one."""
    write_atomic(path, os.fsencode("".join(line + "\n" for line in baked)), 0o644)


def missing_packages(site: str) -> tuple[str, ...]:
    """The packages that are not in this folder, by what pip has noted there of each."""
    notes = (name for name in names_in(site) if name.endswith(".dist-info")) if site else ()
    there = {name.partition("-")[0].lower() for name in notes}
    return tuple(name for name in packages() if name.lower() not in there)


def site_of(folder: str) -> str:
    """The folder with the packages of a virtual environment of this Python's version."""
    return os.path.join(folder, "lib", f"python{sys.version_info[0]}.{sys.version_info[1]}", "site-packages")


def chosen(sidecar: str) -> str:
    """The environment of the user's choice that is baked in there, where it has all packages for this Python; or ""."""
    baked = read_sidecar(sidecar)
    folder = baked.site.rpartition("/lib/")[0] if baked else ""
    is_own = f"{folder}/".startswith(f"{os.path.dirname(user_environment())}/")  # a newer pack may want a newer one
    return "" if is_own or not baked or baked.site != site_of(folder) or missing_packages(baked.site) else folder


def python_of(folder: str) -> str:
    """The interpreter of a virtual environment."""
    return os.path.join(folder, "bin", "python")


def run(command: Sequence[str], timeout: float = 120) -> str:
    """Runs a command quietly; gives its output, or raises Fault with its last line.

    What a Python starts in its turn (pip does) is to import nothing of the current folder or PYTHONPATH either.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=timeout,
            check=False,
            text=True,
            env={**clean, "PYTHONSAFEPATH": "1"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Fault(str(error), command[0]) from None
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip() or f"ended with {done.returncode}").splitlines()
        raise Fault(said[-1], " ".join(command[1:4]))
    return done.stdout


def make(folder: str, wanted: Sequence[str] = (), python: str = "") -> str:
    """Makes (or completes) a virtual environment; gives its folder of packages.

    The packages are put in by a pip from outside where there is one: that spares the 4 s that a pip of the
    environment's own takes to unpack, and works where the system's Python comes without `ensurepip`.
    """
    base = python or real_interpreter()
    inner, patience = python_of(folder), 600
    if not os.path.exists(inner):
        run([base, "-I", "-m", "venv", "--without-pip", folder])
    if not (pip := _pip_for((base, real_interpreter()), inner)):
        run([base, "-I", "-m", "venv", folder], patience)
        pip = [inner, "-I", "-m", "pip"]
    quiet = ("--quiet", "--disable-pip-version-check", "--no-input")
    run([*pip, "install", *quiet, *(wanted or requirements())], patience)
    return run([inner, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()


def _pip_for(outside: Sequence[str], inner: str) -> list[str]:
    """A pip that can reach into the environment: its own, else one from outside; else nothing."""
    for way in ([inner], *([python, "--python", inner] for python in outside)):
        pip = [way[0], "-I", "-m", "pip", *way[1:]]
        with contextlib.suppress(Fault):
            run([*pip, "--version"])
            return pip
    return []


def compile_pack(python: str, hooks: str, cache: str = "") -> None:
    """Compiles the library beforehand, so that no hook does; a folder that cannot be written stays as it is."""
    elsewhere = ["-X", f"pycache_prefix={cache}"] if cache else []
    with contextlib.suppress(Fault):
        run([python, "-I", "-S", *elsewhere, "-m", "compileall", "-q", os.path.join(hooks, "holdfast")])


def cache_folder() -> str:
    """Holdfast's folder in the user's cache."""
    return os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "holdfast")


def folder_of_checkout(root: str) -> str:
    """Where a checkout keeps its caches: by its name and a mark of its path."""
    import hashlib

    place = os.path.realpath(root)
    mark = hashlib.sha256(os.fsencode(place)).hexdigest()[:8]
    return os.path.join(cache_folder(), "checkouts", f"{os.path.basename(place)}-{mark}")


def failed_within(folder: str, seconds: float) -> bool:
    """Whether making an environment failed here within the last seconds."""
    try:
        return time.time() - os.stat(os.path.join(folder, "setup-failed")).st_mtime < seconds
    except OSError:
        return False


def note_failure(folder: str) -> None:
    """Remembers for `failed_within` that it failed now; a disk that refuses is passed over."""
    with contextlib.suppress(OSError):
        os.makedirs(folder, exist_ok=True)
        write_atomic(os.path.join(folder, "setup-failed"), "")


def provide(folder: str = "") -> str:
    """The folder of packages in an environment, made where it is missing; without a name that of the user.

    One serves the plugin, what is dropped in and every checkout with the same requirements. Raises Fault, OSError.
    """
    folder = folder or user_environment()
    site = site_of(folder)
    if missing_packages(site):
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        with Lock(f"{folder}.lock", 600):
            site = make(folder) if missing_packages(site) else site
    return site


def user_environment() -> str:
    """Where the user's environment for this Python and these requirements lies."""
    mark = fingerprint("\n".join(requirements()).encode())[:8]
    return os.path.join(cache_folder(), "env", f"python{sys.version_info[0]}.{sys.version_info[1]}-{mark}")


def main(root: str) -> None:
    """Sets up a checkout where something is missing, bakes the launcher's file, prints the interpreter to use.

    Without a network it is said once, and not tried again for ten minutes: each try would cost its time.
    """
    home, hooks = folder_of_checkout(root), os.path.join(root, "hooks")
    folder, cache = user_environment(), os.path.join(home, "pycache")
    python, site = python_of(folder), site_of(folder)
    ready = os.path.exists(python) and not missing_packages(site)
    try:
        if not ready and not failed_within(folder, 600):
            print(f"holdfast: first use: setting up {folder} (once, about 15 s)", file=sys.stderr)
            site, ready = provide(), True
        baked = Baked(real_interpreter(), site, cache)
        if ready and read_sidecar(os.path.join(hooks, SIDECAR)) != baked:
            write_sidecar(os.path.join(hooks, SIDECAR), baked)
            compile_pack(baked.python, hooks, cache)
    except (Fault, OSError) as error:
        print(f"holdfast: could not set up {folder}: {error}", file=sys.stderr)
        print("holdfast: going on without packages: token counts will be estimates", file=sys.stderr)
        note_failure(folder)
    print(python if os.path.exists(python) else sys.executable)
