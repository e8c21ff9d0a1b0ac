import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import file_index
from holdfast.compaction.packet import rooms
from holdfast.text import identifiers
from holdfast.worklog import fold, mentions
from tests.worklog.states import PROSE, SESSIONS, after, did, edit, told, user

PATH = st.lists(st.sampled_from(["src", "tests", "store", "deep_folder"]), max_size=3).flatmap(
    lambda folders: st.sampled_from(["a.py", "b.go", "LICENCE", "c.d.ts", "main_file.rs"]).map(
        lambda name: "/" + "/".join(["home", "p", *folders, name])
    )
)
FILES = st.lists(PATH, max_size=12, unique=True)


def work(changed: list[str], read: list[str] | None = None, **names: str) -> dict[str, Any]:
    """A state with these files and names (name=file that it was seen in)."""
    state = {**fold.empty(), "messages": 9, "changed": changed, "read": read or []}
    for name, path in names.items():
        mentions.mention(state, name, mentions.TYPED, path)
    return state


@given(FILES, FILES, st.integers(2_000, 4_000))
def test_every_changed_file_and_every_other_is_named_once(changed: list[str], read: list[str], chars: int) -> None:
    """One line per file, with a path from which it can be found; those changed say so."""
    state = work(changed, read)
    found = file_index.lines(state, chars, "")
    root = file_index.shared_folder(list(dict.fromkeys([*reversed(changed), *reversed(read)])))
    shown = [re.split(r" \(changed|: ", line[2:])[0] for line in found if line.startswith("- ")]
    assert sorted(root + path if not path.startswith("/") else path for path in shown) == sorted({*changed, *read})
    assert sum("(changed" in line for line in found) == len(changed)


@given(FILES, FILES, st.integers(0, 3_000), st.lists(st.sampled_from(["loadName", "save_it_now", "OtherType"])))
def test_within_the_room(changed: list[str], read: list[str], chars: int, names: list[str]) -> None:
    """Whatever there is to name."""
    state = work(changed, read, **{name: (changed or [""])[0] for name in names})
    found = file_index.lines(state, chars, "")
    assert sum(len(line) + 1 for line in found) <= chars


def test_names_stand_with_their_file() -> None:
    """Those on the page already are not repeated; those without a file stand at the end."""
    state = work(["/p/src/a.py"], ["/p/src/b.py"], loadSession="/p/src/b.py", someOther="", onThePage="")
    assert file_index.lines(state, 1_000, "The page has onThePage.") == [
        "Paths are below /p/src/",
        "- a.py (changed)",
        "- b.py: loadSession",
        "- elsewhere: someOther",
    ]


def test_the_line_that_was_spoken_of() -> None:
    """It goes with a file that was read; the lines of a changed one have moved since."""
    state = after(
        user("go"),
        did("Read", file_path="/p/seen.py"),
        told("See seen.py:12, done.py:3 and seen.py:12."),
        edit("/p/done.py"),
    )
    assert file_index.lines(state, 900, "") == ["Paths are below /p/", "- done.py (changed)", "- seen.py:12"]


def test_a_name_stands_once_among_those_without_a_file() -> None:
    """Also one that was spoken of with and without its folder."""
    state = after(user("Write `docs/GUIDE.md`."), told("Then docs/GUIDE.md is next, in GUIDE.md."))
    assert "\n".join(file_index.lines(state, 900, "")).count("GUIDE.md") == 1


def test_a_read_file_that_stands_above_is_not_repeated() -> None:
    """A changed one is, since the index has all of them."""
    state = work(["/p/a.py"], ["/p/b.py", "/p/c.py"])
    assert [line.split(" (")[0] for line in file_index.lines(state, 900, "see a.py and b.py")[1:]] == [
        "- a.py",
        "- c.py",
    ]


@given(FILES)
def test_the_shared_folder(files: list[str]) -> None:
    """A folder with its slash that most of the files are below; none for a single file."""
    root = file_index.shared_folder(files)
    assert root == "" or root.endswith("/")
    assert not root or sum(path.startswith(root) for path in files) >= 0.6 * len(files)
    assert all(identifiers.basename(path) == identifiers.basename(file_index.short(path, root)) for path in files)
    assert len(files) > 1 or not root


def test_nothing_to_index() -> None:
    """No lines."""
    assert file_index.lines(fold.empty(), 900, "") == []


def chars_of(lines: list[str]) -> int:
    """As they are shown, each with its line's end."""
    return sum(len(line) + 1 for line in lines)


@given(SESSIONS, st.integers(0, 6_000), PROSE)
def test_never_above_its_room(state: dict[str, Any], room: int, page: str) -> None:
    """For any session, room and page."""
    assert chars_of(file_index.lines(state, room, page)) <= room


@given(st.integers(0, 400), st.integers(1, 40))
def test_loose_names_stay_in_their_room(room: int, count: int) -> None:
    """Names without a file, in a session without one."""
    state = after(user("go"), told(" ".join(f"free_name_{number}" for number in range(count))))
    assert chars_of(file_index.lines(state, room, "")) <= room


@pytest.mark.parametrize(
    ("count", "new"),
    [
        (40, ""),
        (75, "def compute_total_of_all_parts(first_part_of_them, second_part_of_them): ..."),
    ],
    ids=["plain", "with long names"],
)
def test_what_changes_brought_gives_way_to_files(count: int, new: str) -> None:
    """At the default budget every changed file is there, on one line; marks take only what is left over."""
    steps = (edit(f"/home/project/src/part_{n:03}.py", new) for n in range(count))
    found = file_index.lines(after(user("go"), *steps), rooms(10_000)["index"], "")
    assert [sum(f"part_{number:03}.py" in line for line in found) for number in range(count)] == [1] * count
    assert "\n".join(found).count("/home/project/src/") == 1


def test_no_more_marks_than_a_line_bears() -> None:
    """The foremost few of the names that came and of those that went."""
    new = "\n".join(f"def fresh_name_{n}(): ..." for n in range(9))
    old = "\n".join(f"def stale_name_{n}(): ..." for n in range(9))
    (line, *_) = file_index.lines(after(user("go"), edit("/home/p/a.py", new, old)), file_index.MARKED, "")
    marks = line.partition("(")[2].partition(")")[0].split()
    assert sum(mark.startswith("+") for mark in marks) == file_index.ADDED
    assert sum(mark.startswith("-") for mark in marks) == file_index.REMOVED


def test_changed_before_read_and_newest_first() -> None:
    """What was worked on comes before what was looked at."""
    state = after(user("go"), did("Read", file_path="/p/seen.py"), edit("/p/first.py"), edit("/p/second.py"))
    names = [line.split(" ")[1] for line in file_index.lines(state, 900, "") if line.startswith("- ")]
    assert names == ["second.py", "first.py", "seen.py"]


def test_a_part_of_a_word_is_not_the_name() -> None:
    """`read_pages_again` on the page does not stand for `read_pages`."""
    state = after(user("go"), told("Look at open_file_twice and read_pages."))
    text = "\n".join(file_index.lines(state, 900, "read_pages_again open_file_twice"))
    assert "read_pages" in text
    assert "open_file_twice" not in text
