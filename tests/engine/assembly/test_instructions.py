import pytest

from holdfast.engine.assembly import instructions
from holdfast.engine.assembly.instructions import Source

SOURCES = [
    Source("task.md", "task"),
    Source("src/api/AGENTS.md", "folder", "src/api"),
    Source("src/AGENTS.md", "folder", "src"),
    Source("python.md", "domain", "*.py *.pyi"),
    Source("CLAUDE.md", "project"),
    Source("home.md", "global"),
]


def trusted(path: str) -> bool:
    """Within the project and not among the downloads."""
    return not path.startswith(("..", "/", "~", "downloads"))


def load(files: dict[str, str], *names: str) -> instructions.Loaded:
    """The project's files of these names."""
    return instructions.load([Source(name, "project") for name in names], files.get, trusted)


@pytest.mark.parametrize(
    ("touched", "paths"),
    [
        ([], ["home.md", "CLAUDE.md", "task.md"]),
        (["src/a.go"], ["home.md", "CLAUDE.md", "src/AGENTS.md", "task.md"]),
        (["./src/api/x.py"], ["home.md", "CLAUDE.md", "python.md", "src/AGENTS.md", "src/api/AGENTS.md", "task.md"]),
        (["srcs/x.go", "docs/../lib/y.go"], ["home.md", "CLAUDE.md", "task.md"]),
    ],
    ids=["start", "folder", "all", "others"],
)
def test_what_holds_follows_what_is_touched(touched: list[str], paths: list[str]) -> None:
    """The general before the particular."""
    assert [source.path for source in instructions.applying(SOURCES, touched)] == paths


def test_includes_stand_after_their_line_and_are_read_once() -> None:
    """A loop ends where it closes; what was read is told."""
    files = {"a.md": "one\n@docs/b.md\nend", "docs/b.md": "two\n@../a.md @c.md", "docs/c.md": "three\n@b.md"}
    found = load(files, "a.md")
    assert found.instructions[0].text == "one\n@docs/b.md\ntwo\n@../a.md @c.md\nthree\n@b.md\nend"
    assert found.instructions[0].included == ("docs/b.md", "docs/c.md")
    assert found.notes == ("a.md: loaded already", "docs/b.md: loaded already")


def test_an_endless_chain_ends() -> None:
    """Four levels below the first file."""
    files = {f"{n}.md": f"level {n}\n@{n + 1}.md" for n in range(50)}
    found = load(files, "0.md")
    assert "level 4" in found.instructions[0].text
    assert "level 5" not in found.instructions[0].text
    assert found.notes == ("5.md: deeper than 4 includes",)


@pytest.mark.parametrize("name", ["/etc/hosts.md", "../other/x.md", "~/x.md", "downloads/page.md", "docs/../../x.md"])
def test_an_include_from_elsewhere_is_no_instruction(name: str) -> None:
    """However its path is written; it is not even read."""

    def read(path: str) -> str:
        assert path == "docs/a.md"
        return f"@{name if name.startswith(('/', '~')) else '../' + name}"

    found = instructions.load([Source("docs/a.md", "project")], read, trusted)
    assert "not from a trusted place" in found.notes[0]


@pytest.mark.parametrize("line", ["write to me@example.com", "`@a/b.md`", "@decorator", "npm i @types/react", "x@y.md"])
def test_what_is_no_include_is_not_followed(line: str) -> None:
    """Addresses, code, packages."""
    assert load({"a.md": line}, "a.md").notes == ()


def test_includes_in_code_are_examples() -> None:
    """What stands in a fence is shown, not done."""
    assert load({"a.md": "```\n@b.md\n```\n@c.md", "b.md": "x"}, "a.md").notes == ("c.md: not found",)


def test_long_files_are_cut_at_a_line_and_it_is_told() -> None:
    """Each within its cap and all within theirs."""
    files = {f"{n}.md": "a line of twenty chars\n" * 600 for n in range(4)}
    found = load(files, *files)
    sizes = [len(one.text) for one in found.instructions]
    assert max(sizes) <= 10_000
    assert sum(sizes) <= 25_000
    assert len(sizes) == 3
    assert all(one.text.endswith("chars") for one in found.instructions)
    assert found.notes[-1] == "3.md: 13,800 of 13,800 characters left out"


def test_after_a_compaction_what_was_active_comes_back() -> None:
    """In its order and as it reads now; what is gone is told."""
    files = {"CLAUDE.md": "new", "src/AGENTS.md": "folder"}
    found = instructions.reattach(["src/AGENTS.md", "CLAUDE.md", "old.md", "CLAUDE.md"], SOURCES, files.get, trusted)
    assert found.ids == ("CLAUDE.md", "src/AGENTS.md")
    assert found.instructions[0].text == "new"
    assert found.notes == ("old.md: no longer an instruction file",)
