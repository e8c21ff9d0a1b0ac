"""The rules of the house, read from the source itself. Each test goes through all modules and names each breach."""

import ast
import json
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from holdfast.hook.runner import handler_of

ROOT = Path(__file__).resolve().parents[1]
HOOKS, LIBRARY = ROOT / "hooks", ROOT / "hooks" / "holdfast"
MODULES = sorted(LIBRARY.rglob("*.py"))
SCRIPTS = sorted(HOOKS.glob("*.py"))

ORDER = (
    *("errors", "hot", "text", "config", "transcript", "worklog", "llm", "session", "gauge", "digest", "handoff"),
    *("checkpoint", "compaction", "search", "recall", "memory", "knowledge", "team", "package", "ledger", "postgres"),
    *("report", "view", "engine", "install", "hook", "cli"),
)
"""A package imports itself and what stands before it; late imports count."""
MAY_PRINT = (
    *("hook/fast.py", "handoff/wakeup.py", "install/background_setup.py", "install/environment.py", "cli/"),
    "__main__.py",
)
LONGEST_MODULE, LONGEST_FUNCTION, MOST_PARAMETERS, DEEPEST = 400, 50, 5, 3


def name_of(path: Path) -> str:
    return path.relative_to(LIBRARY).as_posix()


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text())


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that the source imports anywhere, also inside functions and under TYPE_CHECKING."""
    return frozenset(_imports(path))


def _imports(path: Path) -> Iterator[str]:
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


def test_packages_stand_in_one_order() -> None:
    behind = {}
    for path in MODULES:
        package = name_of(path).split("/", maxsplit=1)[0].removesuffix(".py")
        if package in ORDER:  # not __init__ and __main__, which name what stands behind them
            found = {package_of(module) for module in imports(path) if module.split(".")[0] == "holdfast"}
            behind[name_of(path)] = {other for other in found if ORDER.index(other) > ORDER.index(package)}
    assert {name: others for name, others in behind.items() if others} == {}


OTHERS_STORES = {
    "knowledge/build.py": "its documents are made from the memory's records, read by `Memory`",
    "engine/archive.py": "a loop's checkpoints are files like a session's",
    "postgres/coordination.py": "keeps to the protocol of the team's store, on a server",
    "postgres/sync.py": "carries the memory's records to the team's server and back, through `Memory`",
}
"""Modules that may use the store of another feature, each with its reason; commands may, they print what is there."""


def test_no_feature_reads_the_store_of_another() -> None:
    """It asks the other's hooks, or is handed the value."""
    found = set()
    for path in MODULES:
        room = name_of(path).split("/", maxsplit=1)[0]
        stores = {module for module in imports(path) if module.startswith("holdfast.") and module.endswith(".store")}
        if room not in ("cli", "errors.py") and any(package_of(module) != room for module in stores):
            found.add(name_of(path))
    assert found == set(OTHERS_STORES)


PURE_LIBRARY = {
    *("bisect", "collections", "contextlib", "copy", "datetime", "enum", "functools", "heapq", "itertools", "json"),
    *("_json", "binascii", "math", "operator", "re", "shlex", "statistics", "textwrap", "types", "typing"),
    "unicodedata",
}
"""Of the standard library: no files, no clock, no chance."""
FILES = {f"holdfast.hot.{name}" for name in ("files", "provenance", "call_log", "usage_tail", "thresholds")}
IMPURE_ROOMS = {
    "hot": "files, at the lowest price",
    "session": "the session's folder and process",
    "llm": "asks models",
    "postgres": "the team's server",
    "install": "puts files into projects",
    "hook": "the process",
    "cli": "reads arguments and prints",
}
IMPURE_NAMES = {"hooks.py", "store.py", "schema.py", "__init__.py"}
IMPURE = {
    "checkpoint/environment.py": "where the work stands: folder and branch",
    "checkpoint/git.py": "asks git",
    "config/compile.py": "writes what hooks read of the models",
    "config/load.py": "reads the settings",
    "config/edit.py": "writes a setting that somebody has asked for",
    "engine/archive.py": "keeps what left the window",
    "engine/assembly/instructions.py": "posixpath, of names alone",
    "engine/options.py": "pydantic",
    "gauge/status_line.py": "hot: reads what it shows by itself",
    "handoff/protocol.py": "leaves its text where the hot road finds it",
    "handoff/wakeup.py": "hot: waits for a background agent's outline",
    "ledger/agents.py": "reads transcripts of sub-agents",
    "knowledge/build.py": "asks the repository which files there are",
    "memory/briefing.py": "what a start tells stands compiled on disk",
    "memory/authority.py": "reads the conversation that this shell belongs to",
    "memory/catalogue.py": "follows the files, in tables beside them",
    "memory/capture.py": "glue of a session's end",
    "memory/files.py": "the folders of records",
    "memory/strays.py": "the same, for what nobody looks for there",
    "memory/lifecycle.py": "its log",
    "memory/location.py": "finds the project's memory",
    "memory/pending_sessions.py": "notes which sessions are still to be kept",
    "memory/record.py": "reads the compiled definition",
    "memory/repository.py": "reads the project's files, asks git",
    "memory/search.py": "reads the files that may answer",
    "memory/session_page.py": "reads the session's files",
    "report/breakdown.py": "reads the session's files",
    "report/receipt.py": "reads the session's files",
    "report/page.py": "reads its template, asks jinja2",
    "report/plots.py": "asks pygal to draw",
    "report/trace.py": "reads the session's files",
    "report/stats.py": "looks for projects and files by their paths",
    "report/status.py": "reads the session's files",
    "transcript/commands.py": "posixpath, of names alone",
    "team/entry.py": "an agent's own files",
    "team/location.py": "where an agent's files are",
    "team/members.py": "reads the agents' files",
    "search/analysis.py": "snowballstemmer",
    "search/index.py": "the index's file",
    "search/sqlite.py": "the index's file",
    "text/secret_table.py": "reads the table of secrets' formats",
    "text/tokenizer.py": "unpacks the vocabulary once",
    "view/app.py": "reads its template, asks werkzeug and jinja2",
    "view/door.py": "its keys are chance",
    "worklog/reader.py": "reads the transcript",
}
"""Modules of features that touch the world, each with its reason; all others are pure."""


def test_features_are_pure() -> None:
    """Clock, files and environment come in as arguments, but in the modules that are named so or listed above."""
    found = {}
    for path in MODULES:
        name, room = name_of(path), name_of(path).split("/", maxsplit=1)[0]
        if room in ORDER and room not in {"errors", *IMPURE_ROOMS} and path.name not in IMPURE_NAMES:
            foreign = {module for module in imports(path) if not module.startswith("holdfast")}
            outside = {module for module in foreign if module.split(".")[0] not in PURE_LIBRARY}
            found[name] = outside | (imports(path) & FILES)
    assert {name: why for name, why in found.items() if why and name not in IMPURE} == {}
    assert {name for name in IMPURE if not found.get(name)} == set(), "pure by now"


OPENERS = {
    "hot/files.py": "the opener itself",
    "checkpoint/store.py": "creates, and only what is not there yet (O_EXCL)",
    "cli/handoff.py": "reads the handoff's published shape",
    "cli/output.py": "a file that the user names may be a pipe; where nobody reads on the rest goes to /dev/null",
    "install/concurrent_edit.py": "wraps descriptors of the opener and of its own new file",
    "install/installer.py": "reads the pack that it installs",
    "install/pack.py": "reads the pack that it installs",
    "postgres/connection.py": "libpq's connection is no file of ours",
    "postgres/migration.py": "reads the pack's own steps",
    "search/sqlite.py": "SQLite opens what the opener has just looked at",
}
"""Who opens files past hot/files.py, each with its reason: a clone may bring a pipe or a terminal under any name."""
OPENS = {"open", "fdopen", "connect", "FileIO", "read_text", "read_bytes", "write_text", "write_bytes"}


def test_one_opener_reads_and_appends_what_a_clone_may_bring() -> None:
    """Nobody else opens files, by any of the ways that the standard library has."""
    found = {name_of(path) for path in MODULES if any(map(_opens, ast.walk(tree_of(path))))}
    assert found == set(OPENERS)


def _opens(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = node.func
    if isinstance(called, ast.Attribute):  # what SearchIndex or a browser opens is no file of ours
        return called.attr in OPENS and ast.unparse(called.value) not in ("SearchIndex", "files", "webbrowser")
    return isinstance(called, ast.Name) and called.id in OPENS - {"read_text", "read_bytes"}


WITH_PACKAGES = {
    "cli/": "commands run with the packages",
    "install/": "so does the installer, once they are there",
    "engine/": "for loops of one's own, with an environment of their own",
    "llm/": "the exact count and the API, when they are asked for",
    "report/": "what commands print",
    "view/": "what one of them serves",
    "postgres/": "psycopg: commands, and a hook that asks and is guarded",
    "config/compile.py": "writes what hooks read in the place of the models",
    "transcript/commands.py": "posixpath, of names alone",
    "team/entry.py": "an agent's own files",
    "team/location.py": "where an agent's files are",
    "team/members.py": "reads the agents' files",
    "search/analysis.py": "snowballstemmer, guarded; no hook reaches the search",
    **dict.fromkeys((f"knowledge/{one}.py" for one in ("checks", "upkeep", "views")), "what only commands call"),
    "text/tokenizer.py": "tiktoken, late: an estimate serves where it is missing",
}
"""Modules and packages that may import what is not in the standard library; so may every schema.py."""


def test_hooks_run_without_packages() -> None:
    """No other module imports one, nor any module that does, but late and within a guard for its absence."""
    breaches = {}
    for path in MODULES:
        if name_of(path).startswith(tuple(WITH_PACKAGES)) or path.name == "schema.py":
            continue
        tops = {module.split(".")[0] for module in imports(path)} - sys.stdlib_module_names - {"holdfast"}
        models = {one for one in imports(path) if one.endswith(".schema") or one == "holdfast.config.compile"}
        breaches[name_of(path)] = tops | models
    assert {name: found for name, found in breaches.items() if found} == {}


TABLES = {"holdfast.search.facts", "holdfast.search.sqlite"}


def test_no_hook_reaches_the_search() -> None:
    """But its tables: its words are compared by a package, and it takes 50 ms to load."""
    sources = {f"holdfast.{name_of(path).removesuffix('.py').replace('/', '.')}": path for path in MODULES}
    reached: set[str] = set()
    ahead = [module for module in sources if module.startswith("holdfast.hook.")]
    while ahead:
        reached.add(module := ahead.pop())
        ahead += [one for one in imports(sources[module]) if one in sources and one not in reached]
    assert {module for module in reached if module.startswith("holdfast.search.")} == TABLES


def test_who_prints_and_exits() -> None:
    ends = {("sys", "exit"), ("os", "_exit"), ("sys", "stdout"), ("sys", "stderr")}
    found = []
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
            used = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and (node.value.id, node.attr)
            if called in ("print", "exit", "quit") or used in ends:
                found.append(f"{name_of(path)}:{getattr(node, 'lineno', 0)} {called or used}")
    assert [one for one in found if not one.startswith(MAY_PRINT)] == []


def test_sizes() -> None:
    found = []
    for path in MODULES:
        lines = path.read_text().count("\n")
        found += [f"{name_of(path)}: {lines} lines"] * (lines > LONGEST_MODULE)
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                continue
            place, long = f"{name_of(path)}:{node.name}", (node.end_lineno or 0) - node.lineno + 1
            names = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
            taken = len([name for name in names if name not in ("self", "cls")])
            found += [f"{place}: {long} lines"] * (long > LONGEST_FUNCTION)
            found += [f"{place}: {taken} parameters"] * (taken > MOST_PARAMETERS)
            deep = depth(node)
            found += [f"{place}: {deep} deep"] * (deep > DEEPEST)
    assert found == []


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
    texts = "for a in b:\n if a:\n  with a:\n   pass", "if a:\n pass\nelif b:\n pass\nelif c:\n pass"
    assert [depth(ast.parse(text)) for text in texts] == [3, 1]


def test_no_cycles() -> None:
    graph = {
        "holdfast." + name_of(path).removesuffix(".py").replace("/", ".").removesuffix(".__init__"): imports(path)
        for path in MODULES
    }
    within = graph.keys() - {"holdfast"}
    order = [*TopologicalSorter({module: found & within for module, found in graph.items()}).static_order()]
    assert {*order} == {*graph}, "a cycle has no order, and raises"


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_entry_scripts(path: Path) -> None:
    """At most 15 lines, one import, one call; the name shadows nothing of the standard library."""
    assert path.read_text().count("\n") <= 15
    assert path.stem not in sys.stdlib_module_names
    body = tree_of(path).body
    assert [type(node) for node in body] == [ast.Expr, ast.ImportFrom, ast.Expr]


def test_nothing_in_hooks_shadows_the_standard_library() -> None:
    """Folders count too: hooks/ is the first place where an import looks."""
    names = {path.name.split(".")[0] for path in HOOKS.iterdir()}
    assert names & sys.stdlib_module_names == set()


def wired() -> dict[str, list[str]]:
    """Event -> scripts, from hooks.json."""
    data = json.loads((HOOKS / "hooks.json").read_text())["hooks"]
    return {event: [hook["args"][0] for entry in entries for hook in entry["hooks"]] for event, entries in data.items()}


def test_every_event_has_its_script_and_handler() -> None:
    """What hooks.json names is there and stands for its event, and each has a module on the ordinary road."""
    files = {path.stem for path in (LIBRARY / "hook" / "on").glob("*.py")} - {"__init__"}
    assert {handler_of(event).rpartition(".")[2] for event in wired()} == files
    for event, scripts in wired().items():
        assert any(f'main("{event}")' in (HOOKS / f"{script}.py").read_text() for script in scripts)
    called = set(re.findall(r'main\("(\w+)"\)', "".join(path.read_text() for path in SCRIPTS)))
    assert called == set(wired()) | {"StatusLine"}


def test_timeouts_are_short() -> None:
    """No hook may hold a session for long: 20 seconds at most, 5 where the client gives little."""
    data = json.loads((HOOKS / "hooks.json").read_text())["hooks"]
    seconds = [hook["timeout"] for entries in data.values() for entry in entries for hook in entry["hooks"]]
    assert max(seconds) <= 20
    assert data["SessionEnd"][0]["hooks"][0]["timeout"] <= 5


def test_every_room_has_its_tests() -> None:
    rooms = {path.parent.name for path in LIBRARY.glob("*/__init__.py")} - {"_data"}
    assert rooms <= {path.name for path in (ROOT / "tests").iterdir()}


def test_every_module_says_what_it_is() -> None:
    assert [name_of(path) for path in MODULES if not ast.get_docstring(tree_of(path))] == []
