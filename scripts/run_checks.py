"""Everything that CI runs, from a bare checkout: lint, types, the tests, real transcripts, the real client.

Started by scripts/check. Environments and caches lie in the user's cache folder (`environment.folder_of_checkout`),
since a plugin's installation copies the whole checkout; so does the client's npm package. The whole suite runs on
the oldest Python that is here; every other one runs the hooks' own processes, with few examples. Each step tells its
time when it ends, and all of them at the end.

`quick` is for the time between two changes, a minute at most: lint, types, the rules of the house, and the tests of
the rooms whose files differ from the main branch, with few examples each.
"""

import glob
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hooks"))

from holdfast.errors import Fault
from holdfast.install import environment

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("lint", "types", "tests", "faults", "pythons", "corpus", "e2e")
QUICK = ("lint", "types", "changed")
SOURCES = ("hooks", "benchmarks", "tests", "scripts", "examples")
ONCE = ("bad_rows", "foreign_names", "ignore_files", "killed")  # what is found decides, not who reads it
ON_EVERY_PYTHON = (
    *("tests/hot", "tests/hook", "tests/test_run.py", "tests/test_hot_path.py", "tests/test_bin_holdfast.py"),
    *(f"--ignore=tests/hook/test_{name}.py" for name in ONCE),
)
FEW = "--hypothesis-profile=quick"
HOUSE = ("tests/test_architecture.py", "tests/test_texts.py")
CLIENT_PACKAGE, CLIENT_VERSION = "@anthropic-ai/claude-code-linux-x64", "2.1.329"
REFERENCE_COUNTER, REFERENCE_NEEDS = "ctok", (3, 12)  # reproduces real counts; a reference for tests only
STAMP = "holdfast-requirements"
PROBE = """import os, sys
print(".".join(map(str, sys.version_info[:3])), os.path.realpath(sys._base_executable))"""
COUNTED = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed)\b")
NO_TESTS = 5


class Python(NamedTuple):
    """An interpreter that is here."""

    version: str
    path: str

    @property
    def short(self) -> tuple[int, ...]:
        """(3, 11)"""
        return tuple(map(int, self.version.split(".")[:2]))


class Result(NamedTuple):
    """How one step went."""

    name: str
    ok: bool
    seconds: float
    counts: dict[str, int]


def main(argv: Sequence[str]) -> int:
    """Runs the parts asked for (all but `quick` by default); 0 when every step went well."""
    runs = {"lint": lint, "types": types, "tests": tests, "changed": changed}
    runs |= {"faults": faults, "pythons": pythons, "corpus": corpus, "e2e": e2e}
    parts = [part for name in argv or PARTS for part in (QUICK if name == "quick" else (name,))]
    unknown = [part for part in parts if part not in runs]
    if unknown:
        known = ", ".join((*PARTS, "quick"))
        print(f"scripts/check: unknown part {unknown[0]!r}; there are: {known}", file=sys.stderr)
        return 2
    began = time.monotonic()
    try:
        oldest, *others = all_pythons()
        venv = equip(oldest)
    except Fault as error:
        print(f"scripts/check: could not set up an environment: {error}", file=sys.stderr)
        return 1
    results = [Result("environment", True, time.monotonic() - began, {})]
    results += [result for part in dict.fromkeys(parts) for result in runs[part](venv, others)]
    tidy()
    return close(results, time.monotonic() - began)


def tidy() -> None:
    """Remove what processes that know no prefix have compiled: a plugin's installation would copy it."""
    for folder in [*(ROOT / "hooks").rglob("__pycache__")]:
        shutil.rmtree(folder, ignore_errors=True)


def close(results: Sequence[Result], seconds: float) -> int:
    """One line per step, one for all, and the sum of the tests as the last line."""
    print()
    for result in results:
        counts = ", ".join(f"{number} {what}" for what, number in result.counts.items())
        print(f"{'ok  ' if result.ok else 'FAIL'} {result.name:<28} {result.seconds:6.1f} s  {counts}")
    bad = [result for result in results if not result.ok]
    total = {what: sum(r.counts.get(what, 0) for r in results) for what in ("passed", "failed", "skipped")}
    silent = sum(1 for r in bad if not r.counts.get("failed"))
    print(f"{len(results) - len(bad)} of {len(results)} steps ok in {seconds:.0f} s")
    print(f"{total['passed']} passed, {total['failed'] + silent} failed, {total['skipped']} skipped")
    return 1 if bad else 0


def lint(venv: Path, others: Sequence[Python]) -> list[Result]:
    """ruff over everything."""
    return [step("ruff", [venv / "bin" / "ruff", "check", *SOURCES])]


def types(venv: Path, others: Sequence[Python]) -> list[Result]:
    """mypy strict over everything; hooks/*.py are scripts that share module names with nothing."""
    return [step("mypy", [venv / "bin" / "mypy", *SOURCES])]


def tests(venv: Path, others: Sequence[Python]) -> list[Result]:
    """The whole suite but for real transcripts and the real client, on the oldest Python."""
    need("chromium", "the report is not looked at in a browser")
    need("postgresql", "tests of the team's server are skipped", "/usr/lib/postgresql/*/bin/postgres")
    name = f"tests on {version_of(venv)}"
    return [pytest(name, venv, "tests", "--ignore=tests/e2e", "--ignore=tests/corpus", "--dist=worksteal")]


def faults(venv: Path, others: Sequence[Python]) -> list[Result]:
    """What docs/security.md promises, tried with the hooks' own processes."""
    return [step("faults", [environment.python_of(str(venv)), "-B", ROOT / "scripts" / "faults.py"])]


def pythons(venv: Path, others: Sequence[Python]) -> list[Result]:
    """On every other Python the processes that the client starts."""
    results = []
    for python in others:
        name, began = f"hooks on {python.version}", time.monotonic()
        try:
            results.append(pytest(name, equip(python), *ON_EVERY_PYTHON, FEW, "--dist=worksteal"))
        except Fault as error:
            print(f"scripts/check: Python {python.version} could not be set up: {error}", file=sys.stderr)
            results.append(Result(name, False, time.monotonic() - began, {}))
    return results


def changed(venv: Path, others: Sequence[Python]) -> list[Result]:
    """The rules of the house, and the tests of the rooms that differ from the main branch."""
    return [pytest("tests of what changed", venv, *HOUSE, *tests_of(changed_files()), FEW, "--dist=worksteal")]


def tests_of(names: Sequence[str]) -> list[str]:
    """Where the tests of these files stand: a room has a folder of its own, a test stands for itself."""
    found: dict[str, None] = {}
    for name in names:
        parts = name.split("/")
        if parts[0] == "tests" and parts[1] not in ("e2e", "corpus") and parts[-1].startswith("test_"):
            found[name] = None
        elif parts[:2] == ["hooks", "holdfast"] and len(parts) > 3:
            found[f"tests/{parts[2]}"] = None
        elif parts[0] in ("scripts", "benchmarks", "examples"):
            found[f"tests/{parts[0]}"] = None
    folders = [name for name in found if not any(name.startswith(f"{other}/") for other in found)]
    return [name for name in folders if name not in HOUSE and (ROOT / name).exists()]


def changed_files() -> list[str]:
    """What differs from where this branch left the main one, and what git does not know yet."""
    git = ["git", "-C", str(ROOT)]
    try:
        base = environment.run([*git, "merge-base", "HEAD", "main"]).strip()
        told = environment.run([*git, "diff", "--name-only", base])
        return (told + environment.run([*git, "ls-files", "--others", "--exclude-standard"])).splitlines()
    except Fault:
        return []


def corpus(venv: Path, others: Sequence[Python]) -> list[Result]:
    """The tests over real transcripts, once, on a Python that has the reference counter; skip without the data."""
    fit = next((python for python in others if python.short >= REFERENCE_NEEDS), None)
    return [pytest("corpus", equip(fit) if fit else venv, "tests/corpus", "--dist=worksteal")]


def e2e(venv: Path, others: Sequence[Python]) -> list[Result]:
    """The real client against a loopback API."""
    began = time.monotonic()
    tidy()
    need("tmux", "the test of the interactive screen will fail")
    try:
        client = install_client()
    except Fault as error:
        print(f"scripts/check: the client could not be installed: {error}", file=sys.stderr)
        return [Result("client", False, time.monotonic() - began, {})]
    wanted = {"HOLDFAST_REQUIRE_CLIENT": "1", "HOLDFAST_CLIENT": str(client)}
    workers = ("-n", "3")  # its tests wait for the client, for screens and for timers: two leave a core idle
    return [pytest("client", venv, "tests/e2e", "--dist=loadfile", *workers, env=wanted)]


def equip(python: Python) -> Path:
    """An environment with the packages that run and test the project; made again only when they change."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*environment.requirements(), *itertools.chain(*project["optional-dependencies"].values())]
    if python.short >= REFERENCE_NEEDS:
        wanted.append(REFERENCE_COUNTER)
    own = python.path == environment.real_interpreter()  # the one that bin/holdfast and scripts/try use
    folder = cache() / ("env" if own else f"env-{python.version}")
    stamp, text = folder / STAMP, "\n".join([python.path, *wanted])
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == text:
        return folder
    print(f"setting up {folder} for {python.path}", flush=True)
    environment.make(str(folder), wanted, python.path)
    stamp.write_text(text, encoding="utf-8")
    return folder


def cache() -> Path:
    """Where this checkout's environments and caches lie."""
    return Path(environment.folder_of_checkout(str(ROOT)))


def all_pythons() -> list[Python]:
    """Every interpreter that is new enough, the oldest first, one of each minor version."""
    own = Python(".".join(map(str, sys.version_info[:3])), environment.real_interpreter())
    found = {own.short: own}
    for path in _candidates():
        try:
            python = Python(*environment.run([str(path), "-I", "-S", "-c", PROBE]).split())
            found.setdefault(python.short, python)
        except (Fault, TypeError, ValueError):
            continue
    return sorted((one for one in found.values() if one.short >= (3, 11)), key=lambda one: one.short)


def _candidates() -> Iterator[Path]:
    """What looks like an interpreter, on PATH and in the usual places; a shim would only name one of them again."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"]
    for folder in filter(None, folders):
        for path in Path(folder).glob("python3.[0-9]*"):
            if path.name.removeprefix("python3.").isdigit() and "shims" not in path.parts:
                yield path
    yield from (Path.home() / ".pyenv" / "versions").glob("*/bin/python3")


def version_of(venv: Path) -> str:
    """The version of an environment's interpreter."""
    return environment.run([environment.python_of(str(venv)), "-I", "-S", "-c", PROBE]).split()[0]


def install_client() -> Path:
    """The client's binary in the user's cache folder; installed with npm when it is not there."""
    place = Path(environment.cache_folder()) / f"client-{CLIENT_VERSION}"
    inner = Path("node_modules") / CLIENT_PACKAGE / "claude"
    if os.access(place / inner, os.X_OK):
        return place / inner
    npm = shutil.which("npm")
    if npm is None:
        raise Fault("npm is missing", "PATH", "Install Node.js with npm, or run the other parts by name")
    print(f"installing the client {CLIENT_VERSION} into {place}", flush=True)
    fresh = place.with_name(f"{place.name}.{os.getpid()}")
    fresh.mkdir(parents=True)
    environment.run([npm, "install", "--no-save", "--prefix", str(fresh), f"{CLIENT_PACKAGE}@{CLIENT_VERSION}"], 600)
    shutil.rmtree(place, ignore_errors=True)
    fresh.rename(place)
    return place / inner


def need(program: str, without: str, place: str = "") -> None:
    """Install a program that tests look through, where that can be done; else say what comes without it.

    place: where its package puts what PATH does not have.
    """
    apt = shutil.which("apt-get")
    if not _is_there(program, place) and apt and os.geteuid() == 0:
        for command in ([apt, "update", "-q"], [apt, "install", "-y", "-q", program]):
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    if not _is_there(program, place):
        print(f"scripts/check: {program} is missing, so {without}; install it")


def _is_there(program: str, place: str) -> bool:
    return bool(glob.glob(place) or shutil.which("initdb")) if place else bool(shutil.which(program))


def pytest(name: str, venv: Path, *arguments: str, env: dict[str, str] | None = None) -> Result:
    """One pytest run, on two workers where none are named."""
    own = ["-q", "-n", "2", "-o", f"cache_dir={cache() / 'pytest'}"]
    return step(name, [environment.python_of(str(venv)), "-m", "pytest", *own, *arguments], env)


def step(name: str, command: Sequence[str | Path], env: dict[str, str] | None = None) -> Result:
    """Runs one command, showing its output as it comes, and counts the tests in its last lines."""
    print(f"\n== {name}", flush=True)
    began, tail = time.monotonic(), [""]
    scratch = Path(tempfile.gettempdir(), f"holdfast-{cache().name}")
    scratch.mkdir(exist_ok=True)
    elsewhere = {
        "PYTHONPYCACHEPREFIX": str(cache() / "pycache"),
        "PYTHONDONTWRITEBYTECODE": "",  # what each of hundreds of processes would else compile for itself
        "MYPY_CACHE_DIR": str(cache() / "mypy"),
        "RUFF_CACHE_DIR": str(cache() / "ruff"),
        "PYTEST_DEBUG_TEMPROOT": str(scratch),  # where no other run of pytest's is cleaned away beneath this one
    }
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **elsewhere, **(env or {})},
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            tail = [*tail[-3:], line]
    counts: dict[str, int] = {}
    for number, word in COUNTED.findall(tail[-1]) if "pytest" in command else ():
        what = "failed" if word.startswith("error") else word
        counts[what] = counts.get(what, 0) + int(number)
    ok = process.returncode == 0 or (process.returncode == NO_TESTS and not counts)
    seconds = time.monotonic() - began
    print(f"-- {name}: {seconds:.1f} s", flush=True)
    return Result(name, ok, seconds, counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
