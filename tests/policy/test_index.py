import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from holdfast.core import terms
from holdfast.policy import index, outcomes, vocabulary, worklog

PATH = st.lists(st.sampled_from(["src", "tests", "store", "deep_folder"]), max_size=3).flatmap(
    lambda folders: st.sampled_from(["a.py", "b.go", "LICENCE", "c.d.ts", "main_file.rs"]).map(
        lambda name: "/" + "/".join(["home", "p", *folders, name])
    )
)
FILES = st.lists(PATH, max_size=12, unique=True)


def work(changed: list[str], read: list[str] | None = None, **names: str) -> dict[str, Any]:
    """A state with these files and names (name=file that it was seen in)."""
    state = {**worklog.empty(), "messages": 9, "changed": changed, "read": read or []}
    for name, path in names.items():
        vocabulary.mention(state, name, vocabulary.TYPED, path)
    return state


@given(FILES, FILES, st.integers(2_000, 4_000))
def test_every_changed_file_and_every_other_is_named_once(changed: list[str], read: list[str], chars: int) -> None:
    """One line per file, with a path from which it can be found; those changed say so."""
    state = work(changed, read)
    found = index.lines(state, chars, "")
    root = index.shared_folder(list(dict.fromkeys([*reversed(changed), *reversed(read)])))
    shown = [re.split(r" \(changed|: ", line[2:])[0] for line in found if line.startswith("- ")]
    assert sorted(root + path if not path.startswith("/") else path for path in shown) == sorted({*changed, *read})
    assert sum("(changed" in line for line in found) == len(changed)


@given(FILES, FILES, st.integers(0, 3_000), st.lists(st.sampled_from(["loadName", "save_it_now", "OtherType"])))
def test_within_the_room(changed: list[str], read: list[str], chars: int, names: list[str]) -> None:
    """Whatever there is to name."""
    state = work(changed, read, **{name: (changed or [""])[0] for name in names})
    found = index.lines(state, chars, "")
    assert sum(len(line) + 1 for line in found) <= chars + 2 * len("- elsewhere: ")


def test_names_stand_with_their_file() -> None:
    """Those on the page already are not repeated; those without a file stand at the end."""
    state = work(["/p/src/a.py"], ["/p/src/b.py"], loadSession="/p/src/b.py", someOther="", onThePage="")
    assert index.lines(state, 1_000, "The page has onThePage.") == [
        "Paths are below /p/src/",
        "- a.py (changed)",
        "- b.py: loadSession",
        "- elsewhere: someOther",
    ]


def test_what_a_change_brought_and_took_out() -> None:
    """Marked in an index that has room for it."""
    state = worklog.empty()
    names = outcomes.names_of_edit({"old_string": "def old_name():", "new_string": "def new_name():"})
    outcomes.changed(state, "/p/src/a.py", names)
    assert index.lines(state, index.MARKED, "") == ["- /p/src/a.py (changed: +new_name -old_name)"]
    assert index.lines(state, index.MARKED - 1, "") == ["- /p/src/a.py (changed)"]


def test_a_read_file_that_stands_above_is_not_repeated() -> None:
    """A changed one is, since the index has all of them."""
    state = work(["/p/a.py"], ["/p/b.py", "/p/c.py"])
    assert [line.split(" (")[0] for line in index.lines(state, 900, "see a.py and b.py")[1:]] == ["- a.py", "- c.py"]


@given(FILES)
def test_the_shared_folder(files: list[str]) -> None:
    """A folder with its slash that most of the files are below; none for a single file."""
    root = index.shared_folder(files)
    assert root == "" or root.endswith("/")
    assert not root or sum(path.startswith(root) for path in files) >= 0.6 * len(files)
    assert all(terms.basename(path) == terms.basename(index.short(path, root)) for path in files)
    assert len(files) > 1 or not root


def test_nothing_to_index() -> None:
    """No lines."""
    assert index.lines(worklog.empty(), 900, "") == []
