import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.text import identifiers


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("see src/app/main.py:12-20.", ["src/app/main.py"], id="with a line"),
        pytest.param("`a/b.go` and (c/d.test.ts)", ["a/b.go", "c/d.test.ts"], id="in marks"),
        pytest.param("/home/x/y.rs, ./run.sh, ../up.toml", ["/home/x/y.rs", "./run.sh", "../up.toml"], id="anchored"),
        pytest.param("settings.json and go.mod", ["settings.json", "go.mod"], id="known extension"),
        pytest.param("state.Phase, e.g. os.Stderr 1.5 v2.0", [], id="not files"),
        pytest.param("https://example.org/a/b", [], id="address without extension"),
        pytest.param(".claude/settings.json twice .claude/settings.json", [".claude/settings.json"], id="once"),
        pytest.param("<b>main.py</b> {a}/b.py **src/c.py**", ["main.py", "{a}/b.py", "**src/c.py"], id="after signs"),
        pytest.param("+main.py, x+y.py", ["main.py", "x+y.py"], id="with a plus"),
        pytest.param("", [], id="empty"),
    ],
)
def test_paths(text: str, found: list[str]) -> None:
    assert identifiers.paths(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("call getUserName() or user_name_of", ["getUserName", "user_name_of"], id="both cases"),
        pytest.param("SessionState MAX_TOKENS", ["SessionState", "MAX_TOKENS"], id="capitals"),
        pytest.param("HTTPServer", ["HTTPServer"], id="acronym first"),
        pytest.param("idOf a_b short", [], id="too short"),
        pytest.param("Sentence beginnings Matter", [], id="plain words"),
        pytest.param("lower_case_1 _private_ 2ndUserName", ["lower_case_1"], id="edges"),
        pytest.param("éuserName userNameé getUserName", ["userName", "getUserName"], id="beside other letters"),
        pytest.param("user_name_of x user_name_of", ["user_name_of"], id="once"),
    ],
)
def test_identifiers(text: str, found: list[str]) -> None:
    assert identifiers.identifiers(text) == found


def test_a_file_is_named_by_its_path() -> None:
    """From the root or from the file system's; a part of another path is another file."""
    named = ("edited `src/cli.py`.", "/p/src/cli.py:12, then more", "./src/cli.py", "in `/src/cli.py`")
    others = ("cli.py", "/q/src/cli.py", "src/cli.pyi", "src/cli.py.orig", "lib-src/cli.py", "")
    found = (text for text in named + others if identifiers.names_file(text, "/p/src/cli.py", "/p"))
    assert tuple(found) == named


def test_a_file_alone_of_its_name_is_named_by_it() -> None:
    named = ("cli.py", "src: cli.py, a.py", "`src/cli.py`:3")
    others = ("lib/cli.py", "cli.pyi", "test_cli.py")
    among = ["/p/x/src/cli.py", "/p/a.py"]
    found = (text for text in named + others if identifiers.names_file(text, among[0], "/p", among))
    assert tuple(found) == named
    assert not identifiers.names_file("cli.py", among[0], "/p", [*among, "/p/cli.py"])
    assert identifiers.names_file("src/cli.py", among[0], "/p", [*among, "/p/x/cli.py"])


@pytest.mark.parametrize("piece", ["a.", "a/", "{", "*", "a+", "a+a.", "<a", "-", "~/", "@"], ids=repr)
def test_a_long_run_of_signs_is_read_once(piece: str) -> None:
    """40,000 characters without a space: a pattern that looks at each of them from each start would take minutes."""
    assert len(identifiers.paths(piece * (40_000 // len(piece)))) <= 1


@given(st.text(max_size=200))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    for name in [*identifiers.paths(text), *identifiers.identifiers(text)]:
        assert name in text


@pytest.mark.parametrize(
    ("term", "text", "there"),
    [("userId", "a userId b", True), ("userId", "myuserIds", False), ("a.py", "x/a.py:3", True), ("x", "", False)],
)
def test_occurs_as_a_whole_word(term: str, text: str, there: bool) -> None:
    """Part of a longer word does not count; a line number after it does no harm."""
    assert identifiers.occurs(term, text) is there
