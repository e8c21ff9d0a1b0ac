import pytest

from holdfast.engine.shared import lines
from holdfast.engine.shared.context import Context


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("fix the login", "goal: fix the login"),
        ("70 % of it", "goal: 70 % of it"),
        ("true", 'goal: "true"'),
        ("12", 'goal: "12"'),
        ("a: b", 'goal: "a: b"'),
        ("a:b", "goal: a:b"),
        ("- a", 'goal: "- a"'),
        ("a #b", 'goal: "a #b"'),
        (" a", 'goal: " a"'),
        ("über", "goal: über"),
        ("a\nb", 'goal: "a\\nb"'),
    ],
)
def test_micro_quotes_what_yaml_would_read_otherwise(text: str, written: str) -> None:
    """And nothing else, because quotes cost tokens."""
    assert lines.micro(Context(goal=text)) == written


def test_a_list_in_micro_has_a_line_for_each_item() -> None:
    """Pairs have their name before the text."""
    written = lines.micro(Context(done=("a", "b"), decisions=(("db", "PostgreSQL"),)))
    assert written == "done:\n- a\n- b\ndecisions:\n- db: PostgreSQL"


def test_compressed_has_a_line_for_each_field() -> None:
    """Bars within an item are marked."""
    written = lines.compressed(Context(goal="g", done=("a", "b|c"), decisions=(("x:y", "z:1"),)))
    assert written == "goal=g\ndone=a|b\\|c\ndecisions=x\\:y:z:1"


@pytest.mark.parametrize("read", [lines.read_micro, lines.read_compressed])
def test_comments_and_empty_lines_say_nothing(read: object) -> None:
    """What a person adds for order."""
    assert callable(read)
    assert read("# for the tester\n\n") == Context()
    assert lines.read_micro("# x\n\ngoal: a\n\nnext:\n# y\n- b") == Context(goal="a", next=("b",))


def test_a_list_of_any_length_is_read_at_once() -> None:
    """The time grows with the text and no faster; with its square this would take minutes."""
    items = ("x",) * 200_000
    assert lines.read_micro(lines.micro(Context(done=items))).done == items
    assert lines.read_compressed(lines.compressed(Context(done=items))).done == items
