"""The texts and the code say the same: agents, protocols, skills, README, guide, decisions, settings."""

from __future__ import annotations

import importlib
import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from holdfast.cli.main import COMMANDS, parser
from holdfast.config import load as config
from holdfast.handoff import model
from holdfast.handoff.protocol import PROTOCOL
from holdfast.hot import paths
from holdfast.install import pack
from holdfast.text import tokenizer

ROOT = Path(__file__).resolve().parents[1]
LIBRARY = ROOT / "hooks" / "holdfast"
AGENTS = sorted((ROOT / "subagents").glob("*.md"))
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
PROTOCOLS = sorted((ROOT / "protocols").glob("*.md"))
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("*.md"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", ".claude/CLAUDE.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *DECISIONS,
]
TEXTS = [*PAGES, *AGENTS, *SKILLS, *PROTOCOLS]
TOOLS = {
    "Agent", "Bash", "Edit", "Glob", "Grep", "Read", "TaskCreate", "TaskList", "TaskUpdate", "WebFetch",
    "WebSearch", "Write",
}  # fmt: skip
TOPS = (ROOT, ROOT / "hooks", LIBRARY)
PATH = re.compile(r"(?<![\w.~$/{}:-])((?:[\w.-]+/)+[\w.-]+\.(?:py|md|json|jsonl|log))\b")
AGENT_TOKENS, PROTOCOL_TOKENS, TABLE_TOKENS = 500, 250, 400
CONDUCTOR_TOKENS = 650
"""Of the orchestrator: it stands once, in the main window, and names a command for each of its steps."""
STATE_NAMES = {value for table in (paths.InSession, paths.InState) for value in vars(table).values()}
CONFIG_GROUPS = {key.split(".", 1)[0] for key in config.KEYS}


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def frontmatter(path: Path) -> tuple[dict[str, str], str]:
    opening, head, body = path.read_text().split("---\n", 2)
    assert opening == "", "the file must begin with ---"
    lines = [line.partition(": ") for line in head.splitlines()]
    assert all(colon and value.strip() for _, colon, value in lines), "each line must be `key: value`"
    return {key: value.strip() for key, _, value in lines}, body


def spans(path: Path) -> Iterator[str]:
    """Everything set as code: spans in backticks, and the lines of blocks; not what hooks have printed."""
    fenced = False
    text = re.sub(r"<!-- real: .*?\n```\n.*?\n```\n", "", path.read_text(), flags=re.DOTALL)
    for line in text.splitlines():
        if line.startswith("```"):
            fenced = not fenced
        elif fenced or line.startswith("    "):
            yield line.strip()
        else:
            yield from re.findall(r"`([^`]+)`", line)


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("path", [*AGENTS, *SKILLS], ids=named)
def test_frontmatter_names_the_file_and_says_when_to_use_it(path: Path) -> None:
    fields, body = frontmatter(path)
    assert fields["name"] == (path.parent.name if path.name == "SKILL.md" else path.stem)
    assert 60 <= len(fields["description"]) <= 300
    assert re.search(r"\b(Use|Start it)\b", fields["description"])
    assert len(body.strip()) > 200


@pytest.mark.parametrize("path", AGENTS, ids=named)
def test_an_agent_has_few_tools_and_hands_back_every_field(path: Path) -> None:
    fields, body = frontmatter(path)
    assert set(fields["tools"].split(", ")) <= TOOLS
    most = CONDUCTOR_TOKENS if path.stem == "orchestrator" else AGENT_TOKENS
    assert tokenizer.count(body).tokens <= most
    parsed = model.parse(body)
    assert parsed.form == "json-fence"
    assert parsed.handoff.decision == "PROCEED"
    assert all(f'"{name}"' in body for name in model.FIELDS)


def test_the_plugin_lists_its_agents() -> None:
    """plugin.json names each file of subagents/: the client takes no folder there."""
    listed = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())["agents"]
    assert sorted(listed) == [f"./subagents/{path.name}" for path in AGENTS]


@pytest.mark.parametrize("path", [*AGENTS, *SKILLS], ids=named)
def test_a_dropped_in_text_speaks_of_the_project(path: Path) -> None:
    text = pack.localise(path.read_text(), "holdfast-x", "/p/bin/holdfast")
    assert "name: holdfast-x\n" in text
    assert not re.search(r"holdfast:[a-z]", text)
    assert "CLAUDE_PLUGIN_ROOT" not in text
    assert not re.search(r"^\s*holdfast [a-z]", text, re.MULTILINE)


def test_the_protocol_is_short() -> None:
    """What every sub-agent is given has at most 250 tokens; the tables about it stay short as well."""
    assert tokenizer.count(PROTOCOL).tokens <= PROTOCOL_TOKENS
    for path in PROTOCOLS:
        assert tokenizer.count(path.read_text()).tokens <= TABLE_TOKENS, path.name


@pytest.mark.parametrize("path", PROTOCOLS, ids=named)
def test_each_rule_names_the_code_that_enforces_it(path: Path) -> None:
    """Every row of a protocol ends in files of the library; a function after the colon is defined there."""
    rows = [line for line in path.read_text().splitlines() if line.startswith("| ")][1:]
    assert rows
    for row in rows:
        enforcers = re.findall(r"`([\w/]+\.py)(?::(\w+))?`", row.split("|")[2])
        assert enforcers, row
        for file, function in enforcers:
            source = (LIBRARY / file).read_text()
            assert not function or re.search(rf"^def {function}\(", source, re.MULTILINE), f"{file}:{function}"


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_links_resolve(path: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text()):
        if "://" in target:
            continue
        file, _, part = target.partition("#")
        place = (path.parent / file).resolve() if file else path
        assert place.exists(), target
        if part:
            headings = re.findall(r"^#+ (.+)$", place.read_text(), re.MULTILINE)
            assert part in map(anchor, headings), target


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_files_that_are_named_exist(path: Path) -> None:
    """A path set as code is a file of the repository, of the library, or of the state folder."""
    for span in spans(path):
        for name in PATH.findall(span):
            in_state = name.removeprefix(".claude/").removeprefix("holdfast/")
            known = in_state in STATE_NAMES or re.match(r"(checkpoints|sessions|handoffs)/", in_state)
            example = name.endswith("settings.json") or re.search(r"NAME|EVENT|test_x|/x\.py", name)
            assert known or example or any((top / name).exists() for top in TOPS), name


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_commands_that_are_named_exist(path: Path) -> None:
    """`holdfast NAME` is a command with a module and those options; `scripts/NAME` can be run."""
    for span in spans(path):
        for name, rest in re.findall(r'(?<!from)(?:^|[\s/(])holdfast"? ([a-z]+)\b([^|&;]*)', span):
            assert name in COMMANDS, span
            module = Path(str(importlib.import_module(f"holdfast.cli.{name}").__file__))
            source = "".join(one.read_text() for one in module.parent.glob(f"{name}*.py"))
            options = set(re.findall(r"--[a-z]+", rest)) - {"--json"}  # each command has that one
            assert all(f'"{flag}"' in source for flag in options), span
        for script in re.findall(r"(?<![\w/])(scripts/[a-z_]+(?:\.py)?)", span):
            assert os.access(ROOT / script, os.X_OK), script


@pytest.mark.parametrize("path", [*AGENTS, *SKILLS], ids=named)
def test_a_command_that_an_agent_is_told_to_run_is_understood(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for span in spans(path):
        if found := re.match(r'(?:holdfast|"\$\{CLAUDE_PLUGIN_ROOT\}/bin/holdfast") (.+)', span):
            arguments = shlex.split(found[1])
            try:
                parser(arguments).parse_args(arguments)
            except SystemExit:
                pytest.fail(f"{span}: {capsys.readouterr().err}")


@pytest.mark.parametrize("path", [*PAGES, *PROTOCOLS], ids=named)
def test_settings_that_are_named_exist(path: Path) -> None:
    """A key set as code is in the table; an example of a configuration has no problem."""
    for span in spans(path):
        if re.fullmatch(r"[a-z]+\.[a-z_]+", span) and span.split(".")[0] in CONFIG_GROUPS:
            assert span in config.KEYS or f"{span.split('.')[1]}" in ("md", "py", "json"), span
        if span.startswith('{"'):
            assert config.merge([("example", json.loads(span))])[1] == [], span


def test_the_guide_has_every_setting() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text()
    for key, shape in config.KEYS.items():
        allowed = config.allowed(shape).removeprefix("a whole number from ")
        allowed = "" if shape["type"] == "boolean" else f"; {allowed}"
        row = f"- `{key}` (`{json.dumps(shape['default'])}`{allowed}): {shape['description']}\n"
        assert row in guide, f"docs/guide.md lacks:\n{row}"


def test_the_guide_has_every_hook() -> None:
    guide = (ROOT / "docs" / "guide.md").read_text()
    listed = guide.split("## What each hook does")[1].split("\n## ")[0]
    events = set(json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"])
    assert set(re.findall(r"^- `(\w+)`", listed, re.MULTILINE)) == events


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_environment_variables_that_are_named_are_read(path: Path) -> None:
    scripts = [*(ROOT / "hooks").rglob("*.py"), *(ROOT / "tests").rglob("*.py")]
    code = [*scripts, ROOT / "hooks" / "run", ROOT / "pyproject.toml"]
    sources = "\n".join(file.read_text() for file in code if file != Path(__file__))
    for name in set(re.findall(r"\bHOLDFAST_[A-Z]+\b", path.read_text())):
        assert name in sources, name


@pytest.mark.parametrize("path", DECISIONS, ids=named)
def test_a_decision_has_its_parts(path: Path) -> None:
    """A decision says what was chosen, instead of what, at what price, and how that was measured or is checked."""
    text = path.read_text()
    assert re.match(r"# \d{4}: ", text)
    assert text.startswith(f"# {path.name[:4]}: ")
    for part in (r"Choice\.", r"(Alternatives|Tried .*)", r"Price\.", r"(Measurement\.|Check\.|Tried .*)"):
        assert re.search(rf"^\*\*{part}\*\*", text, re.MULTILINE), part
