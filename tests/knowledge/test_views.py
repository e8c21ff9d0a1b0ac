from pathlib import Path

import pytest

from holdfast.errors import BadInput
from holdfast.knowledge import build as work
from holdfast.knowledge.build import Place
from holdfast.knowledge.document import OPEN
from holdfast.knowledge.views import shown


@pytest.fixture
def place(project: Path) -> Place:
    """A built project of a few files."""
    for name in ("README.md", "src/auth/jwt.py", "src/auth/keys.py", "lib/jwt.py"):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f'"""File {name}."""\nx = 1\n')
    built = work.here(1_800_000_000.0)
    work.build(built)
    return built


def test_a_document_a_part_a_level(place: Place) -> None:
    """Each by its marker, with or without the sign."""
    whole = shown(place, "§3.2")
    assert (whole.marker, whole.level, whole.path) == ("§3.2", 3, f"{place.folder}/L3/3.2-lib.md")
    assert whole.text.startswith("# §3.2 lib: details\n")
    assert shown(place, "3.2.6").text.startswith("## 3.2.6 Files\n- §4.lib/jwt.py")
    assert shown(place, "2").text.count("\n- §2.") == 3
    assert shown(place, "1").text == shown(place, "§1.0").text


def test_a_file_and_a_folder(place: Place) -> None:
    """By path or by dots; a folder is its files."""
    for marker in ("§4.src/auth/jwt.py", "4.src.auth.jwt", "§4.auth.jwt.py", "4/src/auth/jwt.py"):
        found = shown(place, marker)
        assert found.facts
        assert (found.marker, found.path, found.facts["purpose"]) == (
            "§4.src/auth/jwt.py", "src/auth/jwt.py", "File src/auth/jwt.py.",
        )  # fmt: skip
    assert shown(place, "4.src.auth.*").files == ("src/auth/jwt.py", "src/auth/keys.py")
    assert shown(place, "4.lib/jwt.py:2").text.endswith("\n\nx = 1\n")


def test_every_marker_of_the_index_can_be_shown(place: Place) -> None:
    """Nothing in it leads nowhere."""
    found = work.entries(place)
    assert len(found) > 8
    assert [shown(place, one.marker).marker for one in found] == [one.marker for one in found]


@pytest.mark.parametrize(
    "marker",
    [
        "§9.1",
        "§2.9",
        "§3.2.1",
        "§4.nothing",
        "§4.jwt",
        "§4.../../etc/passwd",
        "§4./etc/passwd",
        "§4.out",
        "§4.etc/passwd",
    ],
)
def test_what_is_not_there_or_not_ours_is_refused(place: Place, project: Path, marker: str) -> None:
    """An unclear name and links out of the project, too."""
    (project / "out").symlink_to("/etc/passwd")
    (project / "etc").symlink_to("/etc")
    with pytest.raises(BadInput):
        shown(place, marker)


def test_secrets_that_people_wrote_are_not_shown(place: Place) -> None:
    """A document is redacted when it is recalled; the file keeps what they wrote."""
    path, key = Path(place.folder) / "L1.md", "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    path.write_text(path.read_text().replace(OPEN, f"{OPEN}\n{key}"))
    assert key not in shown(place, "1.0").text
    assert key in path.read_text()


def test_what_is_no_text(place: Place, project: Path) -> None:
    """Its metadata, and that it is none."""
    (project / "a.bin").write_bytes(b"\x7fELF\0\1")
    found = shown(place, "4.a.bin")
    assert found.facts
    assert found.facts["bytes"] == 6
    assert found.text.endswith("It is no text and is not shown.")
