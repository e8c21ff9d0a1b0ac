import pytest

from holdfast.errors import BadInput
from holdfast.knowledge.sectioning import FOLDERS, divided, meant, place, sections
from tests.knowledge.made import record

FILES = tuple(f"{folder}/f{number}.py" for folder in ("src/auth", "src/pay", "src") for number in range(9))


def test_a_folder_with_most_files_is_divided() -> None:
    """It keeps a section where it has files of its own; small and hidden ones are left as they are."""
    assert divided([*FILES, "docs/a.md", ".github/ci.yml", "README.md"]) == ("docs", "src", "src/auth", "src/pay")
    assert divided(["src/a/b.py", "src/c/d.py"]) == ("src",)
    assert divided([f"src/main/{number}.py" for number in range(50)]) == ("src/main",)


def test_where_a_record_stands() -> None:
    folders = ("docs", "src", "src/auth")
    assert place(record("learning", "a", paths=["src/auth/x.py", "docs/y.md", "src/auth/z.py"]), folders) == "src/auth"
    assert place(record("learning", "a", paths=["/p/docs/y.md"]), folders, "/p") == "docs"
    assert place(record("learning", "a", paths=["Thing.method"], tags=["auth"]), folders) == "src/auth"
    assert place(record("learning", "a", paths=["srcx/y"]), folders) == ""


def test_records_of_folders_without_a_section_are_not_lost() -> None:
    """They stand with the project; sections with records come before those without, and none says nothing."""
    folders = [f"d{number:02d}" for number in range(FOLDERS + 4)]
    files = [f"{name}/a.py" for name in folders]
    every = [record("learning", name, paths=[f"{name}/a.py"]) for name in folders]
    found = sections(every[-2:], files, {})
    assert len(found) == FOLDERS + 1  # and the project, with the files of the others
    assert {one.folder for one in found} >= set(folders[-2:])
    assert sum(len(one.records) for one in sections(every, files, {})) == len(folders)
    assert sections([], [], {}) == ()


@pytest.mark.parametrize(
    ("section", "number"), [("", 0), ("§2.3", 3), ("3.3.1", 3), ("3", 3), ("src/auth/", 3), ("4", -1), ("src", -1)]
)
def test_the_section_that_is_meant(section: str, number: int) -> None:
    """By marker, number or folder; nothing is every section; another is refused with those that are."""
    numbers = {"": 1, "docs": 2, "src/auth": 3}
    if number >= 0:
        assert meant(section, numbers) == number
    else:
        with pytest.raises(BadInput, match=r"§2.1 Project, §2.2 docs"):
            meant(section, numbers)
