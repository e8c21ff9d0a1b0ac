"""Everything that CI runs, from a bare checkout: lint, types, the tests on every Python, the real client.

Started by scripts/check. Makes `.venv` (and `.venvs/VERSION` for every other Python from 3.11 on), installs
the client's npm package into the user's cache folder, runs the parts, and closes with the sum of all tests.
"""

import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "hooks"))

from holdfast.errors import Fault
from holdfast.install import environment

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("lint", "types", "tests", "corpus", "e2e")
SOURCES = ("hooks", "benchmarks", "tests", "scripts", "examples")
CLIENT_PACKAGE, CLIENT_VERSION = "@anthropic-ai/claude-code-linux-x64", "2.1.329"
REFERENCE_COUNTER = "ctok"  # reproduces real counts; needs Python 3.12; a reference for tests only
STAMP = "holdfast-requirements"
PROBE = """import os, sys
print(".".join(map(str, sys.version_info[:3])), os.path.realpath(sys._base_executable))"""
COUNTED = re.compile(r"(\d+) (passed|failed|skipped|errors?|xfailed)\b")
NO_TESTS = 5
UNIT_ONLY = ("--ignore=tests/e2e", "--ignore=tests/corpus")


class Result(NamedTuple):
    """How one step went."""

    name: str
    ok: bool
    seconds: float
    counts: dict[str, int]


def main(argv: Sequence[str]) -> int:
    """Runs the parts asked for (all by default); 0 when every step went well."""
    parts = list(argv) or list(PARTS)
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        print(f"scripts/check: unknown part {unknown[0]!r}; there are: {', '.join(PARTS)}", file=sys.stderr)
        return 2
    began = time.monotonic()
    try:
        venv = equip(ROOT / ".venv", environment.real_interpreter(), sys.version_info[:2])
    except Fault as error:
        print(f"scripts/check: could not set up .venv: {error}", file=sys.stderr)
        return 1
    runs = {"lint": lint, "types": types, "tests": tests, "corpus": corpus, "e2e": e2e}
    results = [result for part in PARTS if part in parts for result in runs[part](venv)]
    return close(results, time.monotonic() - began)


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


def lint(venv: Path) -> list[Result]:
    """ruff over everything."""
    return [step("ruff", [venv / "bin" / "ruff", "check", *SOURCES])]


def types(venv: Path) -> list[Result]:
    """mypy strict over everything; hooks/*.py are scripts that share module names with nothing."""
    return [step("mypy", [venv / "bin" / "mypy", *SOURCES])]


def tests(venv: Path) -> list[Result]:
    """The unit and architecture tests on every Python that is here."""
    results = [pytest(f"tests on {version_of(venv)}", venv, "tests", *UNIT_ONLY)]
    for version, python in other_pythons():
        folder = ROOT / ".venvs" / version
        try:
            equip(folder, python, tuple(map(int, version.split(".")[:2])))
        except Fault as error:
            print(f"scripts/check: Python {version} could not be set up: {error}", file=sys.stderr)
            results.append(Result(f"tests on {version}", False, 0.0, {}))
            continue
        results.append(pytest(f"tests on {version}", folder, "tests", *UNIT_ONLY))
    return results


def corpus(venv: Path) -> list[Result]:
    """The tests over real transcripts, on a Python that has the reference counter; skip without the data."""
    if not (ROOT / "tests" / "corpus").is_dir():
        return []
    others = [ROOT / ".venvs" / version for version, _ in other_pythons()]
    fit = [folder for folder in (venv, *others) if has_reference(folder)]
    return [pytest("corpus", fit[0] if fit else venv, "tests/corpus")]


def e2e(venv: Path) -> list[Result]:
    """The real client against a loopback API."""
    if not (ROOT / "tests" / "e2e").is_dir():
        return []
    began = time.monotonic()
    need_tmux()
    try:
        client = install_client()
    except Fault as error:
        print(f"scripts/check: the client could not be installed: {error}", file=sys.stderr)
        return [Result("client", False, time.monotonic() - began, {})]
    wanted = {"HOLDFAST_REQUIRE_CLIENT": "1", "HOLDFAST_CLIENT": str(client)}
    return [pytest("client", venv, "tests/e2e", "--dist=loadfile", env=wanted)]


def equip(folder: Path, python: str, version: Sequence[int]) -> Path:
    """An environment with the packages that run and test the project; made again only when they change."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*environment.requirements(), *project["optional-dependencies"]["dev"]]
    if tuple(version) >= (3, 12):
        wanted.append(REFERENCE_COUNTER)
    stamp, text = folder / STAMP, "\n".join([python, *wanted])
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == text:
        return folder
    print(f"setting up {folder} for {python}", flush=True)
    environment.make(str(folder), wanted, python)
    stamp.write_text(text, encoding="utf-8")
    return folder


def other_pythons() -> list[tuple[str, str]]:
    """(version, path) of every interpreter from 3.11 on but the one that runs this, each version once."""
    folders = [
        *os.environ.get("PATH", "").split(os.pathsep),
        "/usr/bin",
        "/usr/local/bin",
        "/opt/homebrew/bin",
    ]
    found = [path for folder in folders if folder for path in Path(folder).glob("python3.[0-9]*")]
    found += (Path.home() / ".pyenv" / "versions").glob("*/bin/python3")
    known = {version_text(sys.version_info): ""}
    for path in found:
        if not re.fullmatch(r"python3(\.\d+)?", path.name) or "shims" in path.parts:
            continue
        try:
            version, real = environment.run([str(path), "-I", "-S", "-c", PROBE]).split()
        except (Fault, ValueError):
            continue
        if tuple(map(int, version.split(".")[:2])) >= environment.OLDEST:
            known.setdefault(version, real)
    return sorted((version, path) for version, path in known.items() if path)


def version_text(version: Sequence[object]) -> str:
    """3.11.7"""
    return ".".join(str(part) for part in version[:3])


def version_of(venv: Path) -> str:
    """The version of an environment's interpreter."""
    return environment.run([environment.python_of(str(venv)), "-I", "-S", "-c", PROBE]).split()[0]


def has_reference(venv: Path) -> bool:
    """Whether the reference counter is in this environment."""
    return any((venv / "lib").glob(f"python*/site-packages/{REFERENCE_COUNTER}"))


def install_client() -> Path:
    """The client's binary in the user's cache folder; installed with npm when it is not there."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "holdfast"
    place = cache / f"client-{CLIENT_VERSION}"
    inner = Path("node_modules") / CLIENT_PACKAGE / "claude"
    if os.access(place / inner, os.X_OK):
        return place / inner
    npm = shutil.which("npm")
    if npm is None:
        raise Fault("npm is missing", "PATH", "Install Node.js with npm, or run the other parts by name")
    print(f"installing the client {CLIENT_VERSION} into {place}", flush=True)
    fresh = cache / f"client-{CLIENT_VERSION}.{os.getpid()}"
    fresh.mkdir(parents=True)
    wanted = f"{CLIENT_PACKAGE}@{CLIENT_VERSION}"
    environment.run([npm, "install", "--no-save", "--prefix", str(fresh), wanted], 600)
    shutil.rmtree(place, ignore_errors=True)
    fresh.rename(place)
    return place / inner


def need_tmux() -> None:
    """One test looks at the interactive screen through tmux."""
    if shutil.which("tmux"):
        return
    apt = shutil.which("apt-get")
    if apt and os.geteuid() == 0:
        for command in ([apt, "update", "-q"], [apt, "install", "-y", "-q", "tmux"]):
            subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=False)
    if not shutil.which("tmux"):
        print("scripts/check: tmux is missing, so the test of the interactive screen will fail; install it")


def pytest(name: str, venv: Path, *arguments: str, env: dict[str, str] | None = None) -> Result:
    """One pytest run on two workers."""
    command = [environment.python_of(str(venv)), "-m", "pytest", "-q", "-n", "2", *arguments]
    return step(name, command, env)


def step(name: str, command: Sequence[str | Path], env: dict[str, str] | None = None) -> Result:
    """Runs one command, showing its output as it comes, and counts the tests in its last lines."""
    print(f"\n== {name}", flush=True)
    began, tail = time.monotonic(), [""]
    with subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env={**os.environ, **(env or {})},
    ) as process:
        for line in process.stdout or ():
            print(line, end="", flush=True)
            tail = [*tail[-3:], line]
    counts: dict[str, int] = {}
    for number, word in COUNTED.findall(tail[-1]) if "pytest" in command else ():
        what = "failed" if word.startswith("error") else word
        counts[what] = counts.get(what, 0) + int(number)
    ok = process.returncode == 0 or (process.returncode == NO_TESTS and not counts)
    return Result(name, ok, time.monotonic() - began, counts)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
