"""Which patterns have a file in common, and which claim is in the way."""

import itertools
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.team import ownership
from holdfast.team.model import Agent, Claim, Mode, Wanted
from holdfast.team.ownership import LONGEST, covers, in_the_way, is_everything, lines_of, normal, overlap

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("given_as", "kept"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//b/../a.py", "src/a.py"),
        ("`src/pay/**`", "src/pay/**"),
        ("src/pay/", "src/pay/**"),
        ("/p/src/a.py", "src/a.py"),
        ("/other/a.py", "/other/a.py"),
        ("/pq/a.py", "/pq/a.py"),
        ("../x.py", "/x.py"),
        (".", "**"),
        ("**/**", "**"),
        ("docs/a.md##Costs and fees", "docs/a.md#Costs and fees"),
        ("src/c#/a.cs", "src/c#/a.cs"),
    ],
)
def test_a_pattern_has_one_form(given_as: str, kept: str) -> None:
    assert normal(given_as, "/p") == kept
    assert normal(kept, "/p") == kept


@pytest.mark.parametrize("text", ["", "  ", "a\nb", "x" * 1_001, "a\u202eb", "a\0b"])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="no path or glob"):
        normal(text, "/p")


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        ("src/a.py", "src/a.py", True),
        ("src/a.py", "src/b.py", False),
        ("src/**", "src/x/y.py", True),
        ("src/**", "srcs/x.py", False),
        ("src/*.py", "src/x/y.py", False),
        ("src/**/test_*.py", "src/pay/test_*", True),
        ("**/*.py", "**/*.md", False),
        ("a/?.py", "a/[.py", True),
        ("app/[id].tsx", "app/i.tsx", False),
        ("d.md#Costs", "d.md", True),
        ("d.md#Costs", "d.md#costs ", True),
        ("d.md#Costs", "d.md#Plan", False),
        ("**", "d.md#Plan", True),
    ],
)
def test_what_has_a_file_in_common(one: str, other: str, common: bool) -> None:
    assert overlap(one, other) is overlap(other, one) is common


STEPS = st.lists(st.sampled_from(["a", "b", "ab", "*", "a*", "?", "**"]), min_size=1, max_size=4).map("/".join)


def _matches(pattern: str, path: str) -> bool:
    """By a regular expression: another road to the same answer."""
    steps = (
        r"(?:[^/]+/)*" if one == "**" else one.replace("*", "[^/]*").replace("?", "[^/]") + "/"
        for one in pattern.split("/")
    )
    return re.fullmatch("".join(steps), f"{path}/") is not None


@given(STEPS, STEPS)
def test_patterns_overlap_where_a_path_fits_both(one: str, other: str) -> None:
    names = ["a", "b", "ab", "ba", "aa", "c"]
    paths = ["/".join(steps) for length in range(1, 4) for steps in itertools.product(names, repeat=length)]
    assert overlap(one, other) >= any(_matches(one, path) and _matches(other, path) for path in paths)
    assert all(overlap(one, path) == _matches(one, path) for path in paths)


def _steps(one: str, other: str) -> int:
    count = 0

    def counted(same: Callable[[str, str], bool]) -> Callable[[str, str], bool]:
        def counts(a: str, b: str) -> bool:
            nonlocal count
            count += 1
            return same(a, b)

        return counts

    common = ownership._common
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ownership, "_common", lambda a, b, many, same: common(a, b, many, counted(same)))
        for cache in (ownership._meet, ownership._same_name):
            cache.cache_clear()
        overlap(one, other)
    return count


HOSTILE = {
    "stars": ("*a" * 100, "*b" * 100),
    "a star against letters": ("*" + "a" * 90 + "b*" + "a" * 90 + "b*", "a" * 1_000),
    "folders": ("**/a/" * 40 + "b", "**/b/" * 40 + "a"),
    "folders against a path": ("**/" + "a/" * 90 + "b", "a/" * 500 + "a"),
    "any of them": ("*?" * 90, "?a" * 400),
}


@pytest.mark.parametrize(("one", "other"), HOSTILE.values(), ids=HOSTILE)
def test_no_pair_of_patterns_takes_long(one: str, other: str) -> None:
    """In steps: the product of two lengths, and for two with wildcards their sum."""
    most = len(one) + len(other) if set(one) & set(other) >= {"*"} else len(one) * len(other)
    assert _steps(one, other) <= most


@pytest.mark.parametrize("name", ["src/**", "*", "a?.py", "**/x.md", "s*/**"])
def test_a_files_name_is_no_pattern(name: str) -> None:
    """What an edit took is that file alone, for other edits as for patterns; a clone names its files."""
    took = Claim(name, "exclusive", "a", NOW, NOW + 10)
    assert covers(took, Wanted(name))
    assert covers(took, Wanted("**", why="task"))
    assert not any(covers(took, Wanted(other)) for other in ("src/b.py", "ab.py", "x.md", "src/x.md", "srcs"))
    assert not any(covers(took, Wanted(other, why="task")) for other in ("src/b.py", "src/?", "?b.py", "x.md"))
    assert covers(Claim("**", "exclusive", "a", NOW, NOW + 10, "task"), Wanted(name))


@pytest.mark.parametrize("text", ["a" * 201, "./" * 100 + "a", "/".join("*" * 9), "a?" * 9])
def test_what_is_given_has_bounds(text: str) -> None:
    """Of length and wildcards; a file's own name may be longer."""
    assert normal(text, "/p") == text.replace("./", "")
    with pytest.raises(BadInput, match="at most 200 characters and 8 wildcards"):
        ownership.given(text, ["/p"])
    assert ownership.given("a/**/" + "b" * 100 + "*.py", ["/p"])


@pytest.mark.parametrize("text", ["src/{id}/a,b.py", "a,b/{c}.py", "docs/a.md#{x, y}"])
def test_a_name_may_have_braces_that_are_no_choice(text: str) -> None:
    assert ownership.given(text, ["/p"]) == text


@pytest.mark.parametrize("pattern", ["**", "*", "**/*", "*.*", "?*/**"])
def test_what_owns_everything(pattern: str) -> None:
    assert is_everything(pattern)
    assert not is_everything(f"src/{pattern}")


MODES: tuple[Mode, ...] = ("exclusive", "shared", "read")


@pytest.mark.parametrize(("held", "wanted"), list(itertools.product(MODES, MODES)))
def test_who_keeps_whom_out(held: Mode, wanted: Mode) -> None:
    """All but shared from shared and read from read; one's own nobody but where nobody is to write."""
    claim = Claim("src/**", held, "a", NOW - 10, NOW + 10, "task")
    asked = Wanted("src/x.py", wanted)
    assert (in_the_way([claim], asked, {"b"}, NOW) == claim) is (held != wanted or held == "exclusive")
    assert (in_the_way([claim], asked, {"a"}, NOW) == claim) is (held == "read" and wanted != "read")
    assert in_the_way([claim], Wanted("docs/x.py", wanted), {"b"}, NOW) is None


@pytest.mark.parametrize(
    ("since", "until"), [(-100, -1), (1_000, 2_000), (-10, LONGEST + 1_000)], ids=["over", "future", "too long"]
)
def test_a_lease_that_does_not_run_keeps_nobody_out(since: float, until: float) -> None:
    claim = Claim("a", "exclusive", "a", NOW + since, NOW + until)
    assert in_the_way([claim], Wanted("a"), {"b"}, NOW) is None


def test_a_section_within_a_section() -> None:
    """Whoever holds a chapter holds what stands under its headings."""
    claim = Claim("d.md#Costs", "exclusive", "a", NOW, NOW + 10)
    assert in_the_way([claim], Wanted("d.md#Hosting", within=("d.md#Costs",)), {"b"}, NOW)
    assert not in_the_way([claim], Wanted("d.md#Hosting", within=("d.md#Plan",)), {"b"}, NOW)


def test_what_its_caller_holds_an_agent_may_use() -> None:
    """And what the caller's caller holds; a row that bites its own tail ends."""
    agents = {one.id: one for one in (Agent("s", "s"), Agent("a", "s", parent="s"), Agent("x", "s", parent="x"))}
    assert lines_of(Agent("b", "s", parent="a"), agents) == {"b", "a", "s"}
    assert lines_of(agents["x"], agents) == {"x"}
