"""What a digest keeps of each kind of content, and what is never shortened, by whatever tool it came."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.digest import found, policy, source

Make = Callable[..., Any]
WHOLE = "/p/archive/bash-1.txt"
CODE = "".join(
    f"export function handler{n}(request: Request): Response {{\n  // fails with an error\n"
    f"  return reply(request, {{ id: {n} }});\n}}\n\n"
    for n in range(90)
)
PROSE = "".join(f"## Step {n}\n\nThe parser reads line {n}, and an error ends it.\n\n" for n in range(150))
LOG = "".join(f"[{n:05d}] compiled src/module{n}.ts in {n % 7} ms\n" for n in range(300))
NUMBERED = "".join(f"{n:6d}\t{line}\n" for n, line in enumerate(CODE.splitlines(), 1))


def bash(command: str, printed: str) -> tuple[str, dict[str, Any], Any]:
    """(payload, inputs, response) of a command."""
    return "PostToolUse.Bash", {"command": command}, {"stdout": printed}


def served(inputs: dict[str, Any], text: str) -> tuple[str, dict[str, Any], Any]:
    """The same of a server's tool."""
    return "PostToolUse.Mcp.blocks", inputs, {"text": [{"type": "text", "text": text}]}


SOURCES = {
    "cat": bash("cat src/a.ts", CODE),
    "cat -n": bash("cat -n src/a.ts", NUMBERED),
    "a part": bash("sed -n '10,300p' src/a.ts", "\n".join(CODE.split("\n")[9:300])),
    "prose": bash("cat docs/a.md", PROSE),
    "several": bash("cd src && head -400 a.ts ../docs/a.md", f"==> a.ts <==\n{CODE}\n==> ../docs/a.md <==\n{PROSE}"),
    "git show": bash("git show HEAD~3:docs/gone.md", PROSE),
    "another machine": bash("ssh root@host 'cat /etc/config/firewall'", PROSE),
    "names that cannot be resolved": bash("for f in $(git ls-files); do cat $f; done", CODE),
    "grep with lines around": bash(
        "grep -n -A 300 handler0 src/a.ts",
        "1:"
        + CODE.split("\n")[0]
        + "\n"
        + "\n".join(f"{n}-{line}" for n, line in enumerate(CODE.split("\n")[1:300], 2)),
    ),
    "a server's tool": served({"relative_path": "src/a.ts"}, NUMBERED),
    "a server's tool, elsewhere": served({"repo": "a/b", "path": "lib/b.py"}, PROSE),
    "wrapped in JSON": served({"path": "src/a.ts"}, json.dumps({"path": "src/a.ts", "content": CODE})),
    "a kept whole": bash("cat .claude/holdfast/sessions/x/archive/bash-1.txt", LOG),
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "src/a.ts": CODE,
        "docs/a.md": PROSE,
        "build.log": LOG,
        ".claude/holdfast/sessions/x/archive/bash-1.txt": LOG,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("case", SOURCES)
def test_source_is_never_shortened(case: str, project: Path, shorten: Make) -> None:
    """Nor is it called a repetition when it is read again: an edit must match it."""
    name, inputs, response = SOURCES[case]
    assert [shorten(name, inputs, cwd=str(project), **response) for _ in range(2)] == [None, None]


@pytest.mark.parametrize(
    ("command", "printed"),
    [
        ("npm run build -- src/a.ts", LOG),
        ("cat build.log", LOG),
        ("cat > t.py <<'EOF'\nimport os.path\nEOF\npython t.py", LOG),
        ("sed -i s/a/b/ src/a.ts && npm test", LOG),
        ("ssh host 'cat /var/log/app.log'", LOG),
    ],
)
def test_what_only_names_a_file_is_a_log(command: str, printed: str, project: Path, shorten: Make) -> None:
    """A command that works on a file prints something else; and a log is one by whatever it is printed."""
    short = shorten("PostToolUse.Bash", {"command": command}, cwd=str(project), stdout=printed)
    assert "Holdfast digest" in short["stdout"]


@pytest.mark.parametrize("blocks", [800, 1], ids=["many small blocks", "one"])
@pytest.mark.parametrize(
    "wrap",
    [
        lambda text: {"type": "text", "text": text},
        lambda text: {"type": "resource", "resource": {"uri": "x:", "text": text}},
        str,
    ],
)
def test_blocks_of_a_list_are_one_text(blocks: int, wrap: Make, shorten: Make) -> None:
    part = "all is well in this line\n" * (40_000 // blocks)
    image = [] if wrap is str else [{"type": "image", "data": "x"}]
    short = shorten("PostToolUse.Mcp.blocks", text=[*image, *[wrap(part)] * blocks])
    assert len(json.dumps(short)) < 10_000
    assert [block for block in short if block in image] == image


FILES = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 60)), min_size=3, max_size=12)


@given(FILES)
def test_a_diff_keeps_files_and_heads_and_small_hunks(sizes: list[tuple[int, int]]) -> None:
    """Each file, each hunk's head, and the smaller before the larger; trouble that is printed behind it too."""
    lines, heads, hunks = list[str](), list[str](), list[tuple[int, str]]()
    for number, (context, added) in enumerate(sizes):
        head = f"@@ -{number + 1},{context} +{number + 1},{context + added} @@ def f{number}():"
        body = [" old"] * context + [f"+{number} new line of this hunk {n}, an error" for n in range(added)]
        lines += [
            f"diff --git a/f{number}.py b/f{number}.py",
            "index 1..2 100644",
            f"--- a/f{number}.py",
            f"+++ b/f{number}.py",
            head,
            *body,
        ]
        heads += [f"diff --git a/f{number}.py b/f{number}.py", head]
        hunks.append((len(head) + sum(map(len, body)), "\n".join(body)))
    text = "\n".join([*lines, *["all is well"] * 40, "FAILED test_a"])
    short = policy.digest(text, "Bash", WHOLE, 500)
    if not short:  # nothing to be saved
        return
    assert [head for head in heads if head not in short] == []
    kept = [size for size, body in hunks if body in short]
    assert [size for size, body in hunks if body not in short and kept and size < max(kept)] == []
    assert "FAILED test_a" in short


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}/[a-z]{1,8}\.py", fullmatch=True), st.integers(1, 80), min_size=2, max_size=40
    ),
    st.booleans(),
)
def test_hits_keep_counts_and_the_first_of_each(files: dict[str, int], numbered: bool) -> None:
    """Of every file how many, and its first, though the lines speak of errors."""
    rows = [
        f"{name}:{n}:" * numbered + f"{name}:" * (not numbered) + f"    raise Error({n})"
        for name, count in files.items()
        for n in range(1, count + 1)
    ]
    short = policy.digest("\n".join(rows), "Bash", WHOLE, 500)
    if short:
        assert [name for name, count in files.items() if f"\n{name}: {count}\n" not in short] == []
        assert short.count("raise Error(1)") >= len(files)
        assert "then of warnings" not in short


def test_a_compilers_reports_are_a_log() -> None:
    """A file and a line stand before each, too; but every one of them tells of trouble."""
    rows = [f"src/m{n}.py:{n}: {'error' if n == 150 else 'note'}: see m{n}" for n in range(1, 300)]
    assert "150: src/m150.py:150: error: see m150" in policy.digest("\n".join(rows), "Bash", WHOLE, 500)


def test_a_test_runners_list_is_a_log_with_its_failures() -> None:
    """`path::name` is no hit of a search."""
    lines = [f"tests/test_{n % 9}.py::test_total[{n}] {'FAILED' if n % 40 == 7 else 'PASSED'}" for n in range(400)]
    short = policy.digest("\n".join(lines), "Bash", WHOLE, 700)
    assert " hits in " not in short
    assert "test_total[7] FAILED" in short


def test_a_list_of_files_is_counted_by_folder() -> None:
    rows = [f"src/room{n % 5}/module{n}.py" for n in range(400)]
    short = policy.digest("\n".join(rows), "Glob", WHOLE, 500)
    assert [line for line in short.split("\n") if line.startswith("src/room3/ 80: module3.py, module8.py, ")] != []
    assert "400 paths in 5 folders, the first of each" in short


def test_a_file_that_is_alone_in_its_folder_is_named() -> None:
    """With many such folders none was, and it was said that the first of each was."""
    rows = [f"/home/ann/registry/package-{n}-of-a-long-name/.vcs_info.json" for n in range(200)]
    short = policy.digest("\n".join(rows), "Glob", WHOLE, 500)
    assert "--- 200 paths in 200 folders ---\n" + rows[0] in short
    assert "more such lines]" in short


def test_json_keeps_its_schema_and_sizes() -> None:
    """Every key, also one that a later value alone has; sizes of lists and texts; no half of a secret."""
    rows: list[dict[str, Any]] = [{"id": n, "body": "word " * 300, "user": {"login": "ann"}} for n in range(60)]
    rows[50]["late"] = True
    rows[0]["key"] = "ghp_" + "a1B2" * 9
    short = policy.digest(json.dumps({"items": rows, "next": None}), "mcp__a__b", WHOLE, 500)
    assert [
        part
        for part in ("items: [60]", "id: 0", "[1,500 characters]", 'login: "ann"', "with the keys late", "next: null")
        if part not in short
    ] == []
    assert "ghp_" not in short


ITEMS = [{"id": n, "name": f"item {n}", "tags": ["a", "b"], "stock": {"nyc": n, "sf": None}} for n in range(300)]
TEXTS = {f"page{n}": {"title": f"The title of page {n}", "hints": [f"hint {n}", "more"] * 4} for n in range(120)}
CELLS = {"cells": [{"source": [f"x = {n}\n"] * 20, "cell_type": "code"} for n in range(60)], "nbformat": 4}


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize(
    ("value", "shape"),
    [(ITEMS, "[300] ["), ({"ok": True, "items": ITEMS}, "items: [300] ["), (TEXTS, ""), (CELLS, "")],
    ids=["records", "records in an object", "texts that somebody writes", "a notebook"],
)
def test_json_of_a_file_is_told_by_its_content(
    value: Any, shape: str, indent: int | None, tmp_path: Path, shorten: Make
) -> None:
    """Of records the same shape and sizes, however they are laid out; what an edit may have to match stays whole."""
    (tmp_path / "items.json").write_text(json.dumps(value, indent=indent))
    for printed in (json.dumps(value, indent=indent), json.dumps(value, indent=1 if indent is None else indent)):
        inputs = {"command": "cat items.json"}
        short = shorten("PostToolUse.Bash", inputs, cwd=str(tmp_path), stdout=printed)
        is_kept = not shape and printed == (tmp_path / "items.json").read_text()
        assert short is None if is_kept else shape in short["stdout"]


PATHS = {f"/orders/{n}": {"get": {"responses": {"200": {"description": "one order"}}}} for n in range(600)}


def test_json_that_the_client_has_cut_is_told_by_its_shape(tmp_path: Path, shorten: Make) -> None:
    """Whatever it holds: nobody edits by its first 2 KB; an object of many of one shape is told as a list is."""
    whole = tmp_path / "api.json"
    whole.write_text(json.dumps({"openapi": "3.0", "paths": PATHS}, indent=2))
    cut = {"stdout": whole.read_text()[:30_000], "persistedOutputPath": str(whole)}
    short = shorten("PostToolUse.Bash", {"command": "cat api.json"}, cwd=str(tmp_path), **cut)
    assert "paths: [600] {" in short["stdout"]
    assert len(short["stdout"]) < 6_000
    printed = shorten(
        "PostToolUse.Bash", {"command": "./dump"}, stdout=json.dumps(PATHS)[:-1] + ', "/last": {"put": {}}}'
    )
    assert "[601] {" in printed["stdout"]
    assert "with the keys put" in printed["stdout"]


CUT = json.dumps(ITEMS, indent=4)


@pytest.mark.parametrize(
    ("printed", "size", "beside"),
    [
        ("\n".join(CUT.split("\n")[:3_000]), "250 values before it breaks off", ""),
        (json.dumps({"openapi": "3", "paths": PATHS})[:20_000], "2 keys before it breaks off", ""),
        (json.dumps([1_000_000] * 5_000)[:20_005], "2,222 values before it breaks off", ""),  # a half number is none
        ('{"status": 200, "body": ["' + "word " * 8_000, "2 keys before it breaks off", ""),
        ("HTTP/1.1 200 OK\n\n" + CUT, "300 values; ", "HTTP/1.1 200 OK"),
        (CUT + "\nERROR: one page is missing", "300 values; ", "3604: ERROR: one page is missing"),
    ],
    ids=["by lines", "by characters", "in a number", "in a text", "a line before", "a line behind"],
)
def test_json_that_is_cut_or_has_lines_around_is_told_by_its_shape(printed: str, size: str, beside: str) -> None:
    """As far as the text goes, and that it breaks off; a log was made of it, of braces."""
    short = policy.digest(printed, "Bash", WHOLE, 500)
    assert f"--- JSON, {size}" in short
    assert beside in short
    assert ("--- beside it ---" in short) == bool(beside)


SIGNS = st.characters(codec="utf-8", exclude_characters="\u2026")  # the sign that what is cut ends with
WORDS = st.text(SIGNS, max_size=9)


@given(st.recursive(st.integers() | WORDS, lambda x: st.lists(x) | st.dictionaries(WORDS, x)))
def test_what_is_told_of_a_cut_text_stands_in_it(value: Any) -> None:
    """Wherever it is cut: no value that is not there whole, but a text, which goes on (`?`: half a sign)."""
    whole = json.dumps(value)
    for end in range(1, len(whole)):
        got = json.dumps(found.find(whole[:end])[0]).replace("\\u2026", "").rstrip('?"]}')
        assert got in ("null", "") or whole[:end].startswith(got)


@pytest.mark.parametrize("text", ["[INFO] one, two\n" * 900, "x =\n[\n 'a',\n]\n" * 900, '{"a": {1, 2}, ' * 900])
def test_what_only_begins_as_json_is_a_log(text: str) -> None:
    assert found.find(text)[0] is None


def test_json_is_parsed_once(shorten: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many ask what it is: four times a megabyte took fifteen interpreters' starts."""
    asked, find = list[int](), found.find

    def counted(text: str) -> Any:
        asked.append(len(text))
        return find(text)

    monkeypatch.setattr(found, "find", counted)
    rows = json.dumps([{"id": n, "name": f"n{n}"} for n in range(2_000)])
    assert "--- JSON, 2,000 values" in shorten("PostToolUse.Mcp.string", {"path": "data/x.json"}, text=rows)
    assert asked == [len(rows)]


def test_deep_json_is_opened_as_far_as_there_is_room() -> None:
    deep: Any = "a leaf's text"
    for _ in range(6):
        deep = {f"key{n}": deep for n in range(5)}
    short = policy.digest(json.dumps(deep), "Bash", WHOLE, 500)
    assert "[5 keys]" in short
    assert len(short) < 3_000


def test_a_log_that_is_wrapped_in_json_is_read_as_one() -> None:
    text = json.dumps({"exit_code": 2, "stdout": LOG + "ERROR: disk full\n" + LOG})
    short = policy.digest(text, "mcp__shell__run", WHOLE, 500)
    assert "exit_code: 2" in short
    assert "301: ERROR: disk full" in short


@given(st.text(max_size=300), st.sampled_from(["Bash", "mcp__a__b"]))
def test_any_inputs_can_be_looked_through(text: str, tool: str) -> None:
    names, printed = source.named(tool, {"command": text, "more": [text, {"x": 5}]})
    assert set(printed or ()) <= set(names)


NUMBERS = {"info": 30, "warn": 40, "error": 50}
RECORDS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "zap": lambda level, said: {"level": level, "msg": said, "error": None},
    "pino": lambda level, said: {"level": NUMBERS[level], "time": 1_700_000_000_000, "msg": said},
    "python": lambda level, said: {"levelname": level.upper(), "message": said, "errors": 0},
    "ECS": lambda level, said: {"@timestamp": "t", "log": {"level": level}, "message": said},
    "journald": lambda level, said: {"MESSAGE": said, "PRIORITY": {"info": "6", "warn": "4", "error": "3"}[level]},
    "GELF": lambda level, said: {"short_message": said, "level": {"info": 6, "warn": 4, "error": 3}[level]},
}


@pytest.mark.parametrize("form", ["lines", "list"])
@pytest.mark.parametrize("maker", RECORDS)
def test_of_a_structured_log_what_its_level_says_stays(maker: str, form: str) -> None:
    """Errors before warnings, whatever their words; a key for errors that holds none is no trouble."""
    levels = {700: "warn", 701: "error", 1_100: "error"}
    said = {n: f"step gone {n}" for n in levels}
    rows = [RECORDS[maker](levels.get(n, "info"), said.get(n, "step done")) for n in range(1_500)]
    text = json.dumps(rows) if form == "list" else "\n".join(map(json.dumps, rows))
    short = policy.digest(text, "Bash", WHOLE, 2_500)
    assert short.count("step gone") == 3
    assert ("--- lines that speak of errors, then of warnings: 3, with line numbers ---\n702: " in short) == (
        form == "lines"
    )
    if form == "lines":
        told = [line.partition(":")[0] for line in short.split("\n") if "step gone" in line]
        assert told == ["702", "1101", "701"]


def test_a_structured_log_without_levels_has_its_words_of_trouble() -> None:
    """Those of keys with something behind them; what is no record is read as any line."""
    rows = [json.dumps({"event": f"call {chr(97 + n % 26)}", "errors": [], "error": ""}) for n in range(900)]
    rows[300], rows[400] = json.dumps({"event": "call", "error": "reset by peer"}), "npm ERR! missing script"
    short = policy.digest("\n".join(rows), "Bash", WHOLE, 2_500)
    assert "--- lines that speak of errors, then of warnings: 2, with line numbers ---\n301: " in short
