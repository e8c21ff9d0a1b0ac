"""The rules of the house, read from the source itself."""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.hook.registry import HANDLERS

ROOT = Path(__file__).resolve().parents[1]
HOOKS, LIBRARY = ROOT / "hooks", ROOT / "hooks" / "holdfast"
MODULES = sorted(LIBRARY.rglob("*.py"))
SCRIPTS = sorted(HOOKS.glob("*.py"))

ORDER = (
    *("errors", "hot", "text", "config", "transcript", "worklog", "llm", "session", "gauge", "digest", "handoff"),
    *("checkpoint", "compaction", "search", "memory", "knowledge", "report", "engine", "install", "hook", "cli"),
)
"""A package imports itself and what stands before it; late imports count."""
MAY_PRINT = (
    "hook/runner.py",
    "hook/fast.py",
    "handoff/wakeup.py",
    "install/setup_worker.py",
    "install/make_environment.py",
    "cli/",
    "__main__.py",
)
LONG_MODULES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
MANY_PARAMETERS: dict[str, str] = {}
DEEP: dict[str, str] = {}
HOT_ONLY = {"StatusLine"}


def name_of(path: Path) -> str:
    """Path within the library."""
    return path.relative_to(LIBRARY).as_posix()


def tree_of(path: Path) -> ast.Module:
    """The parsed source."""
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """Every module that the source imports anywhere, also inside functions and under TYPE_CHECKING."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)}: relative import"
            base = node.module or ""
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                is_module = base.startswith("holdfast") and (HOOKS / (whole.replace(".", "/") + ".py")).is_file()
                yield whole if is_module or (HOOKS / whole.replace(".", "/")).is_dir() else base


def package_of(module: str) -> str:
    """holdfast.hot.files -> hot; the library's own top is "errors"."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 and parts[1] in ORDER else "errors"


by_name = pytest.mark.parametrize("path", MODULES, ids=name_of)
BACKWARDS = dict.fromkeys(
    (
        *("checkpoint/recovery.py", "gauge/budget.py"),
        *("handoff/fanout.py", "handoff/hooks.py", "handoff/orchestrator.py", "handoff/wakeup.py"),
        *("knowledge/markers.py", "memory/capture.py", "memory/start_hook.py", "session/folders.py"),
        *("session/liveness.py", "session/upkeep.py", "text/quoting.py", "text/redaction.py", "transcript/usage.py"),
    ),
    "moved as it was; to be mended",
)


@by_name
def test_packages_stand_in_one_order(path: Path) -> None:
    """A module imports from its own package and those before it, nowhere else."""
    package = name_of(path).split("/", maxsplit=1)[0].removesuffix(".py")
    if package not in ORDER:  # __init__ and __main__, which name what stands behind them
        return
    found = {package_of(module) for module in imports(path) if module.split(".")[0] == "holdfast"}
    behind = {other for other in found if ORDER.index(other) > ORDER.index(package)}
    assert behind == set() or name_of(path) in BACKWARDS


WITH_PACKAGES = {
    "cli/": "commands run with the packages",
    "install/": "so does the installer, once they are there",
    "engine/": "for loops of one's own, with an environment of their own",
    "llm/": "the exact count and the API, when they are asked for",
    "config/compile.py": "writes what hooks read in the place of the models",
    "search/embedding.py": "the optional model, late",
    "text/tokenizer.py": "tiktoken, late: an estimate serves where it is missing",
}
"""Modules and packages that may import what is not in the standard library; so may every schema.py."""


@by_name
def test_hooks_run_without_packages(path: Path) -> None:
    """No other module imports one, nor any module that does, but late and within a guard for its absence."""
    name = name_of(path)
    if name.startswith(tuple(WITH_PACKAGES)) or path.name == "schema.py":
        return
    found = set(imports(path))
    tops = {module.split(".")[0] for module in found} - sys.stdlib_module_names
    assert tops <= {"holdfast"}
    assert {module for module in found if module.endswith(".schema") or module == "holdfast.config.compile"} == set()


@by_name
def test_who_prints_and_exits(path: Path) -> None:
    """Only the runners and the commands print or end the process."""
    if name_of(path).startswith(MAY_PRINT):
        return
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("print", "exit", "quit")
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            assert (node.value.id, node.attr) not in {
                ("sys", "exit"),
                ("os", "_exit"),
                ("sys", "stdout"),
                ("sys", "stderr"),
            }


@by_name
def test_sizes(path: Path) -> None:
    """Modules of at most 400 lines, functions of 50 and 5 parameters, nesting of 3; exceptions are named above."""
    name, source = name_of(path), path.read_text(encoding="utf-8")
    assert source.count("\n") <= 400 or name in LONG_MODULES
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            place = f"{name}:{node.name}"
            assert (node.end_lineno or 0) - node.lineno + 1 <= 50 or place in LONG_FUNCTIONS, place
            names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            assert len([one for one in names if one not in ("self", "cls")]) <= 5 or place in MANY_PARAMETERS, place
            assert depth(node) <= 3 or place in DEEP, place


BLOCKS = (ast.If, ast.For, ast.While, ast.With, ast.Try, ast.AsyncFor, ast.AsyncWith, ast.Match)


def depth(node: ast.AST, level: int = 0) -> int:
    """How deep blocks stand in each other; elif is no deeper than its if."""
    deepest = level
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                continue
            chained = isinstance(node, ast.If) and isinstance(child, ast.If) and field == "orelse" and len(value) == 1
            deepest = max(deepest, depth(child, level + (isinstance(child, BLOCKS) and not chained)))
    return deepest


def test_depth_counts_blocks() -> None:
    """The measure itself: three blocks are three, a chain of elif is one."""
    three = "def f():\n for a in b:\n  if a:\n   with a:\n    pass\n"
    chain = "def f():\n if a:\n  pass\n elif b:\n  pass\n elif c:\n  pass\n"
    assert [depth(ast.parse(text).body[0]) for text in (three, chain)] == [3, 1]


def test_no_cycles() -> None:
    """No module imports itself by way of others; late imports count."""
    graph = {
        "holdfast." + name_of(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__"): set(imports(path))
        for path in MODULES
    }
    edges = {module: {to for to in found if to in graph} for module, found in graph.items()}
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join([*way, module])
        if module in done:
            return
        for to in sorted(edges[module] - {"holdfast"}):
            visit(to, (*way, module))
        done.add(module)

    for module in edges:
        visit(module, ())


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_entry_scripts(path: Path) -> None:
    """At most 15 lines, one import, one call; the name shadows nothing of the standard library."""
    assert path.read_text(encoding="utf-8").count("\n") <= 15
    assert path.stem not in sys.stdlib_module_names
    body = tree_of(path).body
    assert [type(node) for node in body] == [ast.Expr, ast.ImportFrom, ast.Expr]


def test_nothing_in_hooks_shadows_the_standard_library() -> None:
    """Folders count too: hooks/ is the first place where an import looks."""
    names = {path.name.split(".")[0] for path in HOOKS.iterdir()}
    assert names & sys.stdlib_module_names == set()


def wired() -> dict[str, list[str]]:
    """Event -> scripts, from hooks.json."""
    data = json.loads((HOOKS / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    return {event: [hook["args"][0] for entry in entries for hook in entry["hooks"]] for event, entries in data.items()}


@pytest.mark.parametrize(("event", "scripts"), wired().items(), ids=list(wired()))
def test_every_wired_event_has_its_script_and_handler(event: str, scripts: list[str]) -> None:
    """What hooks.json names is there, stands for its event, and has a module on the ordinary road."""
    assert event in HANDLERS
    sources = [(HOOKS / f"{script}.py").read_text(encoding="utf-8") for script in scripts]
    assert any(f'main("{event}")' in source for source in sources)


def test_every_event_has_its_handler() -> None:
    """The registry, the handlers' folder and hooks.json name the same events, and so do the scripts."""
    assert set(wired()) == set(HANDLERS)
    files = {path.stem for path in (LIBRARY / "hook" / "on").glob("*.py")} - {"__init__"}
    assert {module.rsplit(".", 1)[1] for module in HANDLERS.values()} == files
    called = {
        node.args[0].value
        for path in SCRIPTS
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant)
    }
    assert called == set(HANDLERS) | HOT_ONLY


def test_timeouts_are_short() -> None:
    """No hook may hold a session for long: 20 seconds at most, 5 where the client gives little."""
    data = json.loads((HOOKS / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    seconds = [hook["timeout"] for entries in data.values() for entry in entries for hook in entry["hooks"]]
    assert max(seconds) <= 20
    assert data["SessionEnd"][0]["hooks"][0]["timeout"] <= 5


def test_every_room_has_its_tests() -> None:
    """A folder of tests for each package of the library."""
    rooms = {path.parent.name for path in LIBRARY.glob("*/__init__.py")} - {"_data"}
    assert rooms <= {path.name for path in (ROOT / "tests").iterdir()}


@by_name
def test_every_module_says_what_it_is(path: Path) -> None:
    """A docstring at its top."""
    assert ast.get_docstring(tree_of(path))
