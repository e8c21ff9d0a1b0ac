from holdfast.handoff import term_weights
from holdfast.text.markdown import statements

REPORT = "## Bugs\n- `readSession` fails in `src/a/store.py`.\n## Other\nIt uses someHelper and store.py.\n"


def worth(known: str = "") -> dict[str, float]:
    """The weights of the report's names."""
    return term_weights.weights(REPORT, statements(REPORT), known)


def test_names_of_open_errors_weigh_more() -> None:
    """What is wrong is what the parent will touch."""
    assert worth()["readSession"] > worth()["someHelper"]


def test_what_the_parent_has_weighs_little() -> None:
    """A known name falls below what is listed at all; a part of another word is not known."""
    assert worth("we saw readSession before")["readSession"] < 0.1
    assert worth("myreadSessions")["readSession"] == worth()["readSession"]


def test_a_file_is_weighed_once() -> None:
    """The bare file name gives way to its path."""
    assert worth()["store.py"] == 0.0
    assert worth()["src/a/store.py"] > 0.2


def test_value_counts_only_what_is_new() -> None:
    """A statement whose names are covered is worth its kind alone; critical errors stand out."""
    part = next(part for part in statements(REPORT) if part.text)
    names = worth()
    assert term_weights.value(part, names, set()) > term_weights.value(part, names, set(part.names))
    severe = next(p for p in statements("## Critical bugs\n- `readSession` fails.") if p.text)
    assert term_weights.value(severe, names, set(severe.names)) > term_weights.value(part, names, set(part.names)) + 1
