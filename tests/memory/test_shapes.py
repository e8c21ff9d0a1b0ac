from holdfast.memory.shapes import KINDS, SHAPES


def test_the_four_shapes_of_the_source() -> None:
    """Each kind has the fields that J1 takes from its source; an issue has a status too, which J8 asks for."""
    assert {kind: [field.name for field in SHAPES[kind]] for kind in KINDS} == {
        "decision": [
            "decision", "rationale", "alternatives_considered", "expected_impact", "validation_criteria", "context"
        ],
        "issue": [
            "description", "severity", "status", "reproduction_steps", "investigation_status", "attempted_fixes",
            "next_actions",
        ],
        "state": [
            "task_description", "completion_percentage", "substeps_completed", "substeps_remaining", "blockers",
            "next_actions",
        ],
        "learning": ["lesson", "context", "applicability", "evidence"],
    }  # fmt: skip


def test_choices_have_a_default_among_them() -> None:
    """What nobody says is a choice that may be said."""
    choices = [field for fields in SHAPES.values() for field in fields if field.form == "choice"]
    assert [field.default in field.choices for field in choices] == [True, True]
