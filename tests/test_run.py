"""hooks/run, the launcher of every hook."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from holdfast.hot import wiring
from holdfast.install import environment

RUN = Path(__file__).parents[1] / "hooks" / "run"
COMPILED = RUN.parent / "holdfast" / "session" / "compiled.py"
PYTHON = environment.real_interpreter()
HOOK = """import os, sys
parts = sys.stdin.read(), sys.executable, os.environ["HOLDFAST_SITE"], str(sys.flags.no_site)
sys.stdout.write("|".join(parts))
"""
BIG = b"x" * 300_000  # more than a pipe holds: whoever does not read to the end lets the writer fail


@pytest.fixture
def hooks(tmp_path: Path) -> Path:
    """A folder with the launcher, one hook, and an interpreter baked in; its path has a space."""
    folder = tmp_path / "with space" / "hooks"
    folder.mkdir(parents=True)
    shutil.copy(RUN, folder / "run")
    (folder / "a_hook.py").write_text(HOOK)
    (folder / "interpreter").write_text(f"{PYTHON}\n/some/site\n")
    return folder


def program(path: Path, body: str) -> None:
    """A shell script that can be run."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def call(hooks: Path, *arguments: str, given: bytes = b"in", **env: str) -> subprocess.CompletedProcess[bytes]:
    """Runs the launcher with nothing of this process's environment but what is told."""
    given_env = {"PATH": "/usr/bin:/bin", "HOME": str(hooks), **env}
    return subprocess.run(
        [hooks / "run", *arguments], input=given, capture_output=True, env=given_env, timeout=60, check=False
    )


def silent(done: subprocess.CompletedProcess[bytes]) -> bool:
    return (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("path", ["/usr/bin:/bin", ""])
def test_runs_the_hook_with_the_baked_interpreter(hooks: Path, path: str) -> None:
    """stdin reaches it, `site` is not loaded, the folder of packages is told; no other program is started."""
    done = call(hooks, "a_hook", PATH=path)
    assert (done.returncode, done.stdout.decode(), done.stderr) == (0, f"in|{PYTHON}|/some/site|1", b"")


def test_a_checkout_is_left_without_compiled_files(hooks: Path) -> None:
    (hooks / "interpreter").write_text(f"{PYTHON}\n\n{hooks.parent}/a cache\n")
    (hooks / "a_hook.py").write_text("import beside\n")
    (hooks / "beside.py").write_text("")
    assert silent(call(hooks, "a_hook"))
    assert list((hooks.parent / "a cache").rglob("beside.*.pyc"))
    assert not (hooks / "__pycache__").exists()


def test_a_folder_of_packages_that_is_found_from_the_current_one_is_none(hooks: Path) -> None:
    """A clone may bring one of its name."""
    (hooks / "interpreter").write_text(f"{PYTHON}\n.venv/lib\n")
    assert call(hooks, "a_hook").stdout.decode() == f"in|{PYTHON}||1"


def sourced(hooks: Path, name: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    """Runs it as a project's settings do: read into the shell that the client starts."""
    line = f'HOLDFAST_RUN="$H/run"; [ -r "$HOLDFAST_RUN" ] && set -- {name} && . "$HOLDFAST_RUN"; cat >/dev/null'
    return subprocess.run(
        ["/bin/sh", "-c", line], input=given, capture_output=True, env={"H": str(hooks), "PATH": "/bin"}, check=False
    )


def test_can_be_read_into_a_shell(hooks: Path) -> None:
    assert sourced(hooks, "a_hook", b"in").stdout.decode() == f"in|{PYTHON}|/some/site|1"


def test_where_it_stands_is_told_only_to_what_is_read_into_a_shell(hooks: Path, tmp_path: Path) -> None:
    """A variable that a project's settings set does not lead the plugin's launcher to another folder."""
    other = tmp_path / "theirs"
    other.mkdir()
    (other / "a_hook.py").write_text("print('theirs')\n")
    assert call(hooks, "a_hook", HOLDFAST_RUN=f"{other}/run").stdout.startswith(b"in|")


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("name", ["stop", "pre_compact", "session_start"])
def test_who_has_the_settings_but_not_the_pack_is_not_disturbed(name: str, alone: bool, tmp_path: Path) -> None:
    """The input is read to its end, by no program of the project's: PATH may name a folder with a `cat` in it first."""
    program(tmp_path / "cat", f"touch '{tmp_path}/ran'")
    env = {"HOME": str(tmp_path), "PATH": f"{tmp_path}:/usr/bin:/bin"}
    line = wiring.shell_command(name, origin="https://git.example.org/holdfast", alone=alone)
    assert silent(subprocess.run(["/bin/sh", "-c", line], input=BIG, capture_output=True, env=env, check=False))
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "arguments",
    [(), ("no_such_hook",), ("../a_hook",), ("a_hook;id",), ("",)],
    ids=["none", "missing", "path", "shell", "empty"],
)
def test_a_name_that_is_no_hook_is_silent(hooks: Path, arguments: tuple[str, ...]) -> None:
    assert silent(call(hooks, *arguments, given=BIG))


SITE = "/env/lib/python{}.{}/site-packages".format(*sys.version_info[:2])


@pytest.mark.parametrize(
    ("content", "site"),
    [
        (f"/gone/python\n{SITE}\n", SITE),
        ("/gone/python\n/env/lib/python3.1/x\n", ""),
        *((c, "") for c in ("", "\n", "/usr\n\n")),
    ],
)
def test_an_interpreter_that_has_gone_is_found_again(hooks: Path, tmp_path: Path, content: str, site: str) -> None:
    """Its packages stay where the new one has the same version."""
    (hooks / "interpreter").write_text(content)
    done = call(hooks, "a_hook", PATH=links_to(tmp_path, "python3.11"))
    assert done.stdout.startswith(b"in|")
    assert done.stderr == b""
    baked = environment.read_sidecar(str(hooks / "interpreter"))
    assert baked
    assert os.access(baked.python, os.X_OK)
    assert not os.path.islink(baked.python)
    assert baked.site == site


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir], ids=["a pipe", "cannot be written"])
def test_what_is_no_file_in_the_place_of_the_sidecar_is_no_obstacle(
    hooks: Path, tmp_path: Path, make: Callable[[Path], None]
) -> None:
    """The interpreter is looked for again each time, in silence; nothing waits for a pipe's writer."""
    (hooks / "interpreter").unlink()
    make(hooks / "interpreter")
    done = call(hooks, "a_hook", PATH=links_to(tmp_path, "python3.11"))
    assert done.stdout.startswith(b"in|")
    assert done.stderr == b""


def test_the_plugin_keeps_its_interpreter_in_its_data_folder(hooks: Path, tmp_path: Path) -> None:
    (tmp_path / "interpreter").write_text(f"{PYTHON}\n/plugin/site\n")
    (hooks / "interpreter").write_text("/gone\n\n")
    done = call(hooks, "a_hook", CLAUDE_PLUGIN_DATA=str(tmp_path))
    assert done.stdout.decode() == f"in|{PYTHON}|/plugin/site|1"
    assert (hooks / "interpreter").read_text() == "/gone\n\n"


def test_a_shim_is_seen_through(hooks: Path, tmp_path: Path) -> None:
    shims = tmp_path / "shims"
    shims.mkdir()
    program(shims / "python3.13", f'exec "{PYTHON}" "$@"')
    (hooks / "interpreter").unlink()
    call(hooks, "a_hook", PATH=f"{shims}:/usr/bin:/bin")
    assert environment.read_sidecar(str(hooks / "interpreter")) == environment.Baked(PYTHON, "")


def test_an_old_python_is_not_taken(hooks: Path, tmp_path: Path) -> None:
    """Below 3.11 is none; with nothing else to be had the hook is silent."""
    alone = tmp_path / "bin"
    alone.mkdir()
    program(alone / "python3", "exit 1")
    text = (hooks / "run").read_text()
    lonely = text.replace("/usr/", "/nonexistent/").replace("/opt/", "/nonexistent/")
    (hooks / "run").write_text(lonely)
    (hooks / "interpreter").unlink()
    assert silent(call(hooks, "a_hook", given=BIG, PATH=f"{alone}"))
    assert call(hooks, "--which", PATH=f"{alone}").returncode == 1


FAULTS = {
    "torn-module": "import beside",
    "no-such-name": "import nothing_of_that_name",
    "panic": "class PanicException(BaseException): pass\nraise PanicException('lock poisoned')",
    "interrupt": "import os, signal, time\nos.kill(os.getppid(), signal.SIGINT)\nos.kill(os.getpid(), signal.SIGINT)",
    "crash": "import os\nos.kill(os.getpid(), 11)",
    "abort-with-words": "import os, sys\nsys.stderr.write('Fatal Python error')\nos.abort()",
    "exit-2": "import sys\nsys.exit('usage')",
    "stdout-closed": "import os, sys\nos.close(1)\nprint('x' * 100_000)",
    "stdin-left": "raise SystemExit(7)",
}


@pytest.mark.parametrize("name", ["a_hook", "handoff_wake"])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_hook_that_fails_ends_with_0_and_prints_nothing(hooks: Path, fault: str, name: str) -> None:
    """Whatever becomes of it, and its input is read to the end; the shell that it was read into is not disturbed."""
    (hooks / "beside.py").write_text("def torn(:\n")
    (hooks / f"{name}.py").write_text(FAULTS[fault])
    assert silent(call(hooks, name, given=BIG))
    assert silent(sourced(hooks, name, BIG))


def test_a_launcher_that_is_cut_off_ends_with_0(hooks: Path) -> None:
    """At whatever place, the middle of a quoted text too: exit 2 would stop a prompt or a tool."""
    whole = RUN.read_bytes()
    (hooks / "a_hook.py").write_text("")
    first = whole.index(b"EXIT\n") + 4  # before its own trap stands, a word of it is an error, though never exit 2
    ends = [at for at, letter in enumerate(whole) if letter in b"\n'\"{"]
    for end in {first, *range(first, len(whole), 41), *(max(first, at + more) for at in ends for more in (0, 1))}:
        (hooks / "run").write_bytes(whole[:end])
        done = subprocess.run(["/bin/sh", hooks / "run", "a_hook"], input=b"", capture_output=True, check=False)
        assert (end, done.returncode, done.stdout) == (end, 0, b"")
    for end in range(first):
        (hooks / "run").write_bytes(whole[:end])
        assert subprocess.run(["/bin/sh", hooks / "run"], capture_output=True, check=False).returncode != 2


def test_a_hook_outlives_the_users_interrupt(hooks: Path) -> None:
    """SIGINT to the whole group, as a terminal sends it: the hook ends well, and what it says is whole."""
    (hooks / "a_hook.py").write_text("import time\nprint('on', flush=True)\ntime.sleep(0.3)\nprint('end')\n")
    process = subprocess.Popen(
        [hooks / "run", "a_hook"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout
    assert process.stdout.readline() == b"on\n"
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=20)[0] == b"end\n"
    assert process.returncode == 0


def test_an_interpreter_of_the_current_folder_is_not_taken(hooks: Path, tmp_path: Path) -> None:
    """PATH may name the folder that one stands in; a clone's program is not run."""
    program(tmp_path / "python3.13", f"touch {tmp_path}/ran")
    (hooks / "interpreter").unlink()
    env = {"PATH": ".::/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run([hooks / "run", "a_hook"], input=b"in", cwd=tmp_path, env=env, timeout=60, check=True)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "path",
    [
        *(".", "", "tools", "{top}/tools", "{top}/tools/", "{top}/src", "/{top}/tools", "{top}/./tools"),
        "{top}.link/tools",
    ],
)
def test_no_program_of_the_project_is_started(hooks: Path, tmp_path: Path, path: str) -> None:
    """Whichever way PATH leads there: no interpreter, and no `cat`, `mv` or `rm` either; nor from a relative home."""
    top = tmp_path / "clone"
    cwd = top / "src"
    for folder in (cwd, top / "tools", cwd / "tools", cwd / "rel/.pyenv/versions/1/bin"):
        folder.mkdir(parents=True)
        for name in ("python3.13", "python3.11", "python3", "cat", "mv", "rm"):
            program(folder / name, f"echo {name} >>{tmp_path}/ran")
    (top / ".git").mkdir()
    (tmp_path / "clone.link").symlink_to(top)
    (cwd / "rel" / "interpreter").write_text(f"{top}/tools/python3\n\n")
    (hooks / "interpreter").unlink()
    for project in ({}, {"CLAUDE_PROJECT_DIR": str(cwd)}, {"HOLDFAST_OFF": "1"}):
        env = {"PATH": f"{path.format(top=top)}:/usr/bin:/bin", "HOME": "rel", "CLAUDE_PLUGIN_DATA": "rel", **project}
        subprocess.run([hooks / "run", "a_hook"], input=b"in", cwd=cwd, env=env, timeout=60, check=True)
    assert not (tmp_path / "ran").exists()


def test_doctor_sees_what_the_launcher_hides(hooks: Path) -> None:
    (hooks / "a_hook.py").write_text("import sys\nsys.exit('torn')\n")
    done = call(hooks, "a_hook", HOLDFAST_CHECK="1")
    assert (done.returncode, done.stderr) == (1, b"torn\n")


def test_the_one_hook_that_wakes_the_model_is_heard(hooks: Path) -> None:
    """Exit 2 with its words on stderr, without its signature, read into a shell or not, whatever else is said there."""
    signed = "import os\nos.write(2, b'ld.so: ERROR')\nos.write(1, 'handoff_wake: wäke'.encode())\nos._exit(2)\n"
    (hooks / "handoff_wake.py").write_text(signed)
    for done in (call(hooks, "handoff_wake"), sourced(hooks, "handoff_wake", b"")):
        assert (done.returncode, done.stdout, done.stderr.decode()) == (2, b"", "wäke")


@pytest.mark.parametrize("name", ["a_hook", "handoff_wake"])
@pytest.mark.parametrize("body", ["echo boom >&2; exit 2", "exit 2", "if true; then ("])
def test_a_broken_interpreters_exit_2_is_no_hooks(hooks: Path, tmp_path: Path, name: str, body: str) -> None:
    """The client would wake the model with its words, or take them for a block; the next hook has another one."""
    program(tmp_path / "python", body)
    (hooks / "interpreter").write_text(f"{tmp_path}/python\n\n")
    shutil.copy(hooks / "a_hook.py", hooks / f"{name}.py") if name != "a_hook" else None
    assert silent(call(hooks, name, given=BIG, PATH=links_to(tmp_path, "python3.11")))
    assert call(hooks, "a_hook").stdout.startswith(b"in|")


@pytest.mark.parametrize("files", range(12, 16))
def test_with_few_files_to_open_nothing_is_heard(hooks: Path, files: int) -> None:
    """The launcher's own shell may end with 2 over a redirection; with fewer it cannot even begin."""
    (hooks / "handoff_wake.py").write_text("")
    shell = ["/bin/sh", "-c", f'ulimit -n {files}; exec "$0" handoff_wake', str(hooks / "run")]
    assert silent(subprocess.run(shell, input=BIG, capture_output=True, env={"PATH": "/usr/bin:/bin"}, check=False))


@pytest.mark.parametrize("cache", ["", "a cache"], ids=["beside its source", "elsewhere"])
def test_a_torn_compiled_file_costs_one_hook(hooks: Path, cache: str) -> None:
    """Python itself stops at it, every time; it is made anew. What a link names stays."""
    library, victim = hooks / "holdfast", hooks.parent / "victim"
    for name in ("hot", "session", "linked"):
        (library / name).mkdir(parents=True)
        (library / name / "part.py").write_text("")
    shutil.copy(COMPILED, library / "session" / "compiled.py")
    (hooks / "interpreter").write_text(f"{PYTHON}\n\n{f'{hooks.parent}/{cache}' * bool(cache)}\n")
    (hooks / "a_hook.py").write_text("import holdfast.hot.part\nprint('on', end='')\n")
    assert call(hooks, "a_hook").stdout == b"on"
    victim.mkdir()
    (victim / f"part.{sys.implementation.cache_tag}.pyc").write_text("mine")
    (library / "linked" / "__pycache__").symlink_to(victim)
    (torn,) = (path for path in hooks.parent.rglob("part.*.pyc") if path.parent != victim)
    torn.write_bytes(torn.read_bytes()[:40])
    assert [call(hooks, "a_hook").stdout for _ in range(2)] == [b"", b"on"]
    assert (victim / f"part.{sys.implementation.cache_tag}.pyc").read_text() == "mine"


def test_a_torn_file_of_pythons_own_library_costs_one_hook(hooks: Path) -> None:
    """A checkout's folder of compiled files has those too, and nobody else would make them anew."""
    (hooks / "holdfast" / "session").mkdir(parents=True)
    shutil.copy(COMPILED, hooks / "holdfast" / "session" / "compiled.py")
    (hooks / "interpreter").write_text(f"{PYTHON}\n\n{hooks.parent}/cache\n")
    (hooks / "a_hook.py").write_text("import contextlib\nprint('on', end='')\n")
    assert call(hooks, "a_hook").stdout == b"on"
    (torn,) = (hooks.parent / "cache").rglob("contextlib.*.pyc")
    torn.write_bytes(torn.read_bytes()[:40])
    assert [call(hooks, "a_hook").stdout for _ in range(2)] == [b"", b"on"]


def links_to(folder: Path, name: str) -> str:
    place = folder / "links"
    place.mkdir(exist_ok=True)
    (place / name).symlink_to(sys.executable)
    return f"{place}:/usr/bin:/bin"
