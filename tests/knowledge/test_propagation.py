import pytest

from holdfast.errors import BadInput
from holdfast.knowledge.propagation import due


@pytest.mark.parametrize(
    ("change", "conditions", "levels"),
    [
        ("code", (), {4}),
        ("code", ("significant",), {4, 3}),
        ("code", ("significant", "status", "percent"), {4, 3, 2, 1}),
        ("fix", ("critical",), {4, 2}),
        ("fix", ("blocker",), {4, 1}),
        ("config", ("architecture",), {4, 3}),
        ("feature", (), {4, 3, 2}),
        ("feature", ("major",), {4, 3, 2, 1}),
        ("progress", (), {3, 2, 1}),
        ("decision", (), {4, 3, 2, 1}),
    ],
)
def test_the_matrix(change: str, conditions: tuple[str, ...], levels: set[int]) -> None:
    """Row by row as the source has it."""
    assert {one.level for one in due(change, conditions) if one.due} == levels


def test_progress_and_decisions_touch_one_part() -> None:
    """Status only; decisions only; and each level says why."""
    assert {one.parts for one in due("progress", ()) if one.due} == {("Status",)}
    assert {one.parts for one in due("decision", ()) if one.level < 4} == {("Key decisions",)}
    assert [one.why for one in due("code", ("percent",))] == [
        "always", "only if significant", "only if status", "it is percent",
    ]  # fmt: skip


@pytest.mark.parametrize(("change", "conditions"), [("nope", ()), ("code", ("nope",))], ids=["change", "condition"])
def test_what_is_unknown_is_refused(change: str, conditions: tuple[str, ...]) -> None:
    """With what there is."""
    with pytest.raises(BadInput, match=r"code|significant"):
        due(change, conditions)
