"""What is loaded and when: files by their score, instructions by scope, sections and lines when they are asked for."""

import pytest

from holdfast.engine.assembly import disclosure, instructions, retrieval
from holdfast.engine.assembly.instructions import InstructionFile
from holdfast.engine.assembly.retrieval import Candidate
from holdfast.engine.blocks import Block, BlockKind
from holdfast.package import loading
from holdfast.package.loading import File
from holdfast.text.tokens import estimate

ACTIVE, HOUR = 100_000, 3_600
HOT = File("hot.py", 2_000, mentioned=True, just_changed=True, open_issue=True, age=60, relation="direct")


@pytest.mark.parametrize(
    ("file", "score"),
    [
        (HOT, 100),
        (File("x", 1), 0),
        (File("x", 1, mentioned=True), 25),
        (File("x", 1, mentioned=True, just_changed=True, age=HOUR), 70),
        (File("x", 1, age=HOUR), 30),
        (File("x", 1, age=4 * HOUR), 20),
        (File("x", 1, age=24 * HOUR), 10),
        (File("x", 1, age=168 * HOUR), 5),
        (File("x", 1, age=169 * HOUR), 0),
        (File("x", 1, relation="importer"), 15),
        (File("x", 1, mentioned=True, just_changed=True, core=True, open_issue=True, helper=True), 50),
    ],
)
def test_the_score_weighs_parts_that_each_reach_100(file: File, score: float) -> None:
    """So that 70 can happen; relevance is capped at its half."""
    assert loading.score(file) == score


@pytest.mark.parametrize(
    ("file", "used", "mode", "reason"),
    [
        (HOT, 0.0, "preload", "70 or more"),
        (HOT._replace(tokens=10_001), 0.0, "just_in_time", "larger than 10,000"),
        (HOT, 0.81, "just_in_time", "more than 80 % full"),
        (HOT, 0.80, "preload", "70 or more"),
        (File("x", 1, mentioned=True, age=4 * HOUR), 0.0, "just_in_time", "less than 70"),
        (File("x", 1, mentioned=True), 0.0, "on_demand", "less than 40"),
    ],
)
def test_score_size_and_room_decide(file: File, used: float, mode: str, reason: str) -> None:
    found = loading.plan([file], ACTIVE, used)[0]
    assert found.mode == mode
    assert reason in found.reason


def test_loading_stops_at_its_share_of_the_room() -> None:
    """Every file is told of, the best first, and what is preloaded fits into 70 %."""
    files = [HOT._replace(path=f"{n}.py", tokens=3_000, relation="direct" if n % 2 else "second") for n in range(9)]
    found = loading.plan(files, 20_000)
    assert [one.path for one in found] == [f"{n}.py" for n in (1, 3, 5, 7, 0, 2, 4, 6, 8)]
    assert [one.mode for one in found] == ["preload"] * 4 + ["just_in_time"] * 5


SOURCES = [
    InstructionFile("task.md", "task"),
    InstructionFile("src/api/AGENTS.md", "folder", "src/api"),
    InstructionFile("src/AGENTS.md", "folder", "src"),
    InstructionFile("python.md", "domain", "*.py *.pyi"),
    InstructionFile("CLAUDE.md", "project"),
    InstructionFile("home.md", "global"),
]


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


def trusted(path: str) -> bool:
    """Within the project and not among the downloads."""
    return not path.startswith(("..", "/", "~", "downloads"))


def load(files: dict[str, str], *names: str) -> instructions.Loaded:
    """The project's files of these names."""
    return instructions.load([InstructionFile(name, "project") for name in names], files.get, trusted)


def test_includes_stand_after_their_line_and_are_read_once() -> None:
    """A loop ends where it closes, a chain four levels below the first file."""
    files = {"a.md": "one\n@docs/b.md\nend", "docs/b.md": "two\n@../a.md @c.md", "docs/c.md": "three\n@b.md"}
    found = load(files, "a.md")
    assert found.instructions[0].text == "one\n@docs/b.md\ntwo\n@../a.md @c.md\nthree\n@b.md\nend"
    assert found.notes == ("a.md: loaded already", "docs/b.md: loaded already")
    chain = load({f"{n}.md": f"level {n}\n@{n + 1}.md" for n in range(50)}, "0.md")
    assert "level 4" in chain.instructions[0].text
    assert "level 5" not in chain.instructions[0].text
    assert chain.notes == ("5.md: deeper than 4 includes",)


@pytest.mark.parametrize("name", ["/etc/hosts.md", "../other/x.md", "~/x.md", "downloads/page.md", "docs/../../x.md"])
def test_an_include_from_elsewhere_is_no_instruction(name: str) -> None:
    """However its path is written; it is not even read."""

    def read(path: str) -> str:
        assert path == "docs/a.md"
        return f"@{name if name.startswith(('/', '~')) else '../' + name}"

    found = instructions.load([InstructionFile("docs/a.md", "project")], read, trusted)
    assert "not from a trusted place" in found.notes[0]


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("write to me@example.com or x@y.md, not `@a/b.md`, @decorator or npm i @types/react", ()),
        ("```\n@b.md\n```\n@c.md", ("c.md: not found",)),
    ],
)
def test_what_is_no_include_is_not_followed(text: str, notes: tuple[str, ...]) -> None:
    assert load({"a.md": text, "b.md": "x"}, "a.md").notes == notes


def test_long_files_are_cut_at_a_line_and_it_is_told() -> None:
    """Each within its cap and all within theirs."""
    files = {f"{n}.md": "a line of twenty chars\n" * 600 for n in range(4)}
    found = load(files, *files)
    sizes = [len(one.text) for one in found.instructions]
    assert (len(sizes), max(sizes) <= 10_000, sum(sizes) <= 25_000) == (3, True, True)
    assert all(one.text.endswith("chars") for one in found.instructions)
    assert found.notes[-1] == "3.md: 13,800 of 13,800 characters left out"


def test_after_a_compaction_what_was_active_comes_back() -> None:
    """In its order and as it reads now; what is gone is told."""
    files = {"CLAUDE.md": "new", "src/AGENTS.md": "folder"}
    found = instructions.reattach(["src/AGENTS.md", "CLAUDE.md", "old.md", "CLAUDE.md"], SOURCES, files.get, trusted)
    assert found.ids == ("CLAUDE.md", "src/AGENTS.md")
    assert found.instructions[0].text == "new"
    assert found.notes == ("old.md: no longer an instruction file",)


KNOWN = [f"§{n}.1" for n in range(9)] + ["§4.services.user.jwt_handler"]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I go on with the payments.\nLOAD: §3.1 Payment API", ("§3.1",)),
        ("- LOAD: §2.1 and §4.services.user.jwt_handler.", ("§2.1", "§4.services.user.jwt_handler")),
        ("LOAD: §7.1 of another project §99.9", ("§7.1",)),
        ("As §3.1 says, tokens expire; I could LOAD: §3.1", ()),
        ("> LOAD: §3.1\n```\nLOAD: §3.1\n```", ()),
        ("LOAD: " + " ".join(KNOWN), tuple(KNOWN[:5])),
    ],
    ids=["one", "two", "unknown", "mentioned", "quotes and code", "too many"],
)
def test_sections_are_loaded_when_they_are_asked_for(text: str, asked: tuple[str, ...]) -> None:
    """On a line of its own, known, and not all at once; what a tool prints or the user says loads nothing."""
    for kind in BlockKind:
        found = disclosure.sections([Block("0.0", kind, text, 9)], KNOWN)
        assert found == (asked if kind == BlockKind.ASSISTANT else ())


PROSE = "\n".join(
    f"The service number {n} keeps its state in module_{n}.py and must never block.\n" for n in range(900)
)
CODE = "\n".join(
    f"def handler_{n}(request):\n    return respond(request, {n}, 'a long line of text')\n" for n in range(900)
)
LOG = "\n".join(f"12:00:{n % 60:02} INFO request {n} took {n % 97} ms" for n in range(2_000))
REFUSED = "ERROR database refused the connection on port 5432"
DOCUMENT = "\n".join(f"## Part {n}\nThe service keeps its state in module_{n}.py.\n" for n in range(2_000))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *((text, "") for text in (PROSE, DOCUMENT, "word " * 20_000)),
        (CODE, "\nhandler_0\nhandler_1\n"),
        (f"{LOG}\n{REFUSED}\n{LOG}", REFUSED),
    ],
    ids=["prose", "a document", "one line", "code by what it defines", "a log with its one error"],
)
def test_a_large_file_is_shown_as_a_summary_with_its_path(text: str, says: str) -> None:
    """At most 500 tokens, whatever kind of text it is; a short one is shown whole."""
    assert disclosure.elevated("short", "a.py") == disclosure.Elevation("short", estimate("short"), True)
    found = disclosure.elevated(text, "src/big.py")
    assert not found.whole
    assert found.tokens == estimate(found.text) <= 500
    assert found.text.startswith("src/big.py: ")
    assert says in found.text
    lines = found.text.splitlines()
    assert text != CODE or lines[-1] == f"and {900 - (len(lines) - 3)} more"


def test_only_the_best_are_read_and_cited_by_line() -> None:
    """Words of paths count, in camelCase too; what shares no word is not read; rare words count more."""
    text = "\n".join([*(f"line {n}" for n in range(1, 11)), "def refresh(token):", "    expire(token)"])
    read: list[str] = []

    def reading(path: str) -> str:
        read.append(path)
        return text

    paths = ("src/auth/refreshToken.py", "src/auth/login.py", "docs/style.md", "src/billing/refunds.py")
    [found] = retrieval.retrieve("why does the refresh token expire?", [*map(Candidate, paths)], reading)
    assert read == ["src/auth/refreshToken.py"]
    assert found.reference == "src/auth/refreshToken.py:9-12"
    assert found.text.splitlines()[2] == "def refresh(token):"
    common = [Candidate(f"src/auth/{n}.py", "login session") for n in range(5)]
    assert retrieval.rank("login webhook", [*common, Candidate("x.py", "webhook")])[0][1].path == "x.py"


@pytest.mark.parametrize("word", ["JWT", "bug", "再試行"])
def test_a_place_is_found_by_a_short_word_in_any_script(word: str) -> None:
    [found] = retrieval.retrieve(f"the {word}", [Candidate("a.ts", f"{word} の待機")], lambda path: f"x\n{word} を行う")
    assert found.reference == "a.ts:1-2"


def test_places_that_meet_are_one() -> None:
    """Lines are shown once, long ones cut."""
    text = "\n".join(["alpha token", "x" * 500, "beta token", *["y"] * 20, "gamma token"])
    found = retrieval.retrieve("token", [Candidate("token.txt")], lambda path: text)
    assert sorted(one.reference for one in found) == ["token.txt:1-5", "token.txt:22-24"]
    assert max(len(line) for one in found for line in one.text.splitlines()) <= 201
