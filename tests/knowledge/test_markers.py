import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import BadInput
from holdfast.knowledge.markers import Marker, file_marker, found, parse


@pytest.mark.parametrize(
    ("text", "marker"),
    [
        ("§1.0", Marker(1)),
        ("1", Marker(1)),
        ("§2", Marker(2)),
        ("§2.1", Marker(2, 1)),
        (" 2.12 ", Marker(2, 12)),
        ("3.1.2", Marker(3, 1, 2)),
        ("§4.src/auth/jwt.py", Marker(4, path="src/auth/jwt.py")),
        ("§4.src/", Marker(4, path="src")),
        ("4.a.py:12", Marker(4, path="a.py", lines=(12, 0))),
        ("4.a.py:12-80", Marker(4, path="a.py", lines=(12, 80))),
        ("4..github/ci.yml", Marker(4, path=".github/ci.yml")),
    ],
)
def test_what_a_marker_names(text: str, marker: Marker) -> None:
    assert parse(text) == marker


@pytest.mark.parametrize(
    "text",
    [
        "", "§", "x", "5.1", "0.1", "§1.2", "2.1.3", "3.1.2.4", "2.x", "4.", "4./etc/passwd", "4.../../etc/passwd",
        "4.a/../../b", "4.~/x", "4.a\x00b", "4.a\nb", "4..git/config", "4.a/.GIT/x", "4.a\\..\\b", "4.\u202ea",
        "2.\u0661", f"4.{'a' * 1_001}",
    ],
)  # fmt: skip
def test_what_is_none_is_refused(text: str) -> None:
    """Also every path that leaves the project."""
    with pytest.raises(BadInput):
        parse(text)


@given(st.one_of(st.text(), st.text("4./.-§:a1~", max_size=12).map("4.".__add__)))
def test_any_text_is_a_place_within_or_refused(text: str) -> None:
    """No other error, and never a path upwards."""
    try:
        marker = parse(text)
    except BadInput:
        return
    assert marker.level in (1, 2, 3, 4)
    assert not marker.path.startswith("/")
    assert ".." not in marker.path.split("/")


def test_markers_in_a_text() -> None:
    """Each once, without the full stop behind; the section of a law is none; what would be cut is set as code."""
    text = "See §2.1, §3.1.2 and §4.src/a.py. Again §2.1. Under §15 and §7.2 too."
    assert found(text) == ("§2.1", "§3.1.2", "§4.src/a.py")
    assert [file_marker(path) for path in ("src/a.py", "my notes/a.md")] == ["§4.src/a.py", "`my notes/a.md`"]
