"""The rules of the house, read from the source itself."""

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.runtime.registry import HANDLERS

ROOT = Path(__file__).resolve().parents[1]
HOOKS, LIBRARY = ROOT / "hooks", ROOT / "hooks" / "holdfast"
MODULES = sorted(LIBRARY.rglob("*.py"))
SCRIPTS = sorted(HOOKS.glob("*.py"))

# Layer -> the layers that it may import. What is not named here stands at the top (errors, __init__, __main__).
LAYERS = {
    "errors": set[str](),
    "core": {"core", "errors"},
    "policy": {"policy", "core", "errors"},
    "models": {"models", "core", "errors", "_data"},
    "store": {"store", "core", "errors"},
    "window": {"policy", "store", "models", "core", "errors"},
    "search": {"policy", "store", "core", "errors"},
    "shared": {"policy", "errors"},
    "assembly": {"policy", "errors"},
    "runtime": {"runtime", "window", "search", "policy", "store", "models", "core", "errors"},
    "cli": {"cli", "runtime", "window", "search", "policy", "store", "models", "core", "errors"},
}
PURE = {  # of the standard library, for core and policy: no files, no clock, no chance
    "collections",
    "collections.abc",
    "functools",
    "heapq",
    "itertools",
    "textwrap",
    "typing",
    "re",
    "bisect",
    "_json",
    "json",
    "math",
    "operator",
    "string",
}
MAY_PRINT = (
    "runtime/runner.py",
    "runtime/fast.py",
    "runtime/wake.py",
    "runtime/setup_worker.py",
    "cli/",
    "__main__.py",
)
LONG_MODULES: dict[str, str] = {}
LONG_FUNCTIONS: dict[str, str] = {}
MANY_PARAMETERS: dict[str, str] = {}
DEEP: dict[str, str] = {}
HOT_ONLY = {"StatusLine"}
NO_TEST_OF_ITS_OWN = {
    "__main__.py": "starts cli/main.py",
    "runtime/registry.py": "a table; test_every_event_has_its_handler reads it",
    "errors.py": "three classes; every test of a message reads them",
    "cli/bench.py": "a table of benchmarks; cli/test_bench_hooks.py goes through it",
    "cli/bench_cases.py": "the cases that cli/test_bench_hooks.py runs",
    "cli/bench_memory_cases.py": "the cases that cli/test_bench_memory.py runs",
    "cli/bench_story.py": "made-up material; cli/test_bench_hooks.py checks it",
    "cli/doctor_hooks.py": "half of the doctor; cli/test_doctor.py fires it",
    "cli/wiring.py": "half of the installer; cli/test_install.py goes through it",
}


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


def layer_of(module: str) -> str:
    """holdfast.store.files -> store."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "errors"


by_name = pytest.mark.parametrize("path", MODULES, ids=name_of)


@by_name
def test_layers(path: Path) -> None:
    """A module imports from its own layer and those below, nowhere else; late imports count."""
    layer = name_of(path).split("/", maxsplit=1)[0].removesuffix(".py")
    allowed = LAYERS.get(layer, set(LAYERS))
    found = {layer_of(module) for module in imports(path) if module.split(".")[0] == "holdfast"}
    assert found <= allowed | {"errors"}


@pytest.mark.parametrize("path", [p for p in MODULES if name_of(p).startswith(("core/", "policy/"))], ids=name_of)
def test_core_and_policy_do_no_io(path: Path) -> None:
    """Only pure modules of the standard library, and no open() or input()."""
    outside = {module for module in imports(path) if module.split(".")[0] != "holdfast"}
    assert outside - PURE == set()
    calls = {
        node.func.id
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert calls & {"open", "input", "print", "exec", "eval", "__import__"} == set()


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
    """Modules of at most 250 lines, functions of 50 and 5 parameters, nesting of 3; exceptions are named above."""
    name, source = name_of(path), path.read_text(encoding="utf-8")
    assert source.count("\n") <= 250 or name in LONG_MODULES
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
    files = {path.stem for path in (LIBRARY / "runtime" / "handlers").glob("*.py")} - {"__init__"}
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


@by_name
def test_every_module_has_a_test(path: Path) -> None:
    """tests/ mirrors the library; what has no test of its own stands in a list with the reason."""
    name = name_of(path)
    if path.name == "__init__.py" or name in NO_TEST_OF_ITS_OWN:
        return
    mirrored = ROOT / "tests" / Path(name).parent / f"test_{path.name}"
    assert mirrored.is_file()


@by_name
def test_every_module_says_what_it_is(path: Path) -> None:
    """A docstring at its top; a policy's begins with its question."""
    said = ast.get_docstring(tree_of(path)) or ""
    assert said
    if name_of(path).startswith("policy/") and path.name != "__init__.py":
        first = said.split("\n\n")[0]
        assert "?" in first or name_of(path) in HELPERS_OF_POLICIES


HELPERS_OF_POLICIES = dict.fromkeys(
    ("policy/layout.py", "policy/sections.py", "policy/weigh.py", "policy/wording.py"),
    "a part of policy/condense.py or policy/handoff.py, not a question of its own",
)
