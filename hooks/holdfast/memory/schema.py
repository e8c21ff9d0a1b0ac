"""What a record of the memory holds: the one definition. Source: requirement J1.

Nothing loads it but what compiles it (config/schema.py tells how): record.py reads what comes of that, and a test
holds that both take the same.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from holdfast.memory import record as forms

Kind = Literal["decision", "issue", "state", "learning"]
Trust = Literal["trusted", "semi_trusted", "untrusted"]
"""Who said it: the user, an assistant, a tool or the web."""


def _form(name: str, said: str, **limits: Any) -> Any:
    """A field whose texts are put into a form of record.py first. said: what is allowed, for people."""
    return Field(description=said, json_schema_extra={"x-form": name}, **limits)


# The forms stand behind the limits, so that they are the first to be applied.
Id = Annotated[
    str, _form("as it is", "a UUID in small letters", pattern=r"^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?$")
]
Code = Annotated[
    str, _form("as it is", "DEC-YYYY-MM-DD-NNN", pattern=r"^(?:DEC-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,6})?$")
]
Text = Annotated[
    str, _form("text", "a text of at most 20,000 characters", max_length=20_000), BeforeValidator(forms.text)
]
Said = Annotated[Text, Field(min_length=1)]
Line = Annotated[str, _form("line", "one line", max_length=300), BeforeValidator(forms.line)]
Title = Annotated[
    str, _form("line", "one line of at most 100 characters", min_length=1, max_length=100), BeforeValidator(forms.line)
]
Time = Annotated[
    str,
    _form("time", "an ISO 8601 time with its zone, e.g. 2026-11-04T14:32:00Z", max_length=40),
    BeforeValidator(forms.time),
]
Tag = Annotated[str, _form("tag", "a word", pattern=r"^(?:[^\W_][\w.+#/-]{0,39})?$"), BeforeValidator(forms.tag)]
Texts = Annotated[
    list[Text], _form("items", "a list of at most 100 texts", max_length=100), BeforeValidator(forms.items)
]
Numbered = Annotated[Texts, Field(json_schema_extra={"x-form": "items", "x-numbered": True})]
Tags = Annotated[list[Tag], _form("items", "a list of at most 20 words", max_length=20), BeforeValidator(forms.items)]
Paths = Annotated[
    list[Line], _form("items", "a list of at most 100 paths or names", max_length=100), BeforeValidator(forms.items)
]


class _Content(BaseModel, strict=True, extra="forbid"):
    pass


class Decision(_Content, json_schema_extra={"x-kind": "decision"}):
    """What was decided, and why."""

    decision: Said
    rationale: Text = ""
    alternatives_considered: Numbered = []
    expected_impact: Text = ""
    validation_criteria: Text = ""
    context: Text = ""


class Issue(_Content, json_schema_extra={"x-kind": "issue"}):
    """What does not work."""

    description: Said
    severity: Literal["critical", "high", "medium", "low"] = "medium"
    status: Literal["open", "resolved"] = "open"
    reproduction_steps: Text = ""
    investigation_status: Text = ""
    attempted_fixes: Texts = []
    next_actions: Text = ""


class State(_Content, json_schema_extra={"x-kind": "state"}):
    """Where the work stands."""

    task_description: Said
    completion_percentage: Annotated[int, Field(ge=0, le=100, description="a whole number from 0 to 100")] = 0
    substeps_completed: Texts = []
    substeps_remaining: Texts = []
    blockers: Texts = []
    next_actions: Texts = []


class Learning(_Content, json_schema_extra={"x-kind": "learning"}):
    """What is known since."""

    lesson: Said
    context: Text = ""
    applicability: Text = ""
    evidence: Text = ""


class Record(BaseModel, strict=True, extra="allow"):
    """One thing to remember. What is not known is "" or empty; what a newer version has added is kept."""

    id: Id
    kind: Kind
    time: Time
    title: Title
    content: Decision | Issue | State | Learning
    tags: Tags = []
    importance: Annotated[int, Field(ge=1, le=10, description="a whole number from 1 to 10")] = 5
    code: Code = ""
    trust: Trust = "semi_trusted"
    project: Line = ""
    agent: Line = ""
    session: Line = ""
    paths: Paths = []
    expires: Time = ""
    parent: Id = ""
    archived: Time = ""
    superseded_by: Id = ""
    delete: Annotated[bool, Field(description="true or false")] = False

    @model_validator(mode="before")
    @classmethod
    def _by_kind(cls, given: Any) -> Any:
        """The content by the shape of its kind, so that its faults are named and not those of all four."""
        shapes: dict[Any, type[_Content]] = {"decision": Decision, "issue": Issue, "state": State, "learning": Learning}
        shape = shapes.get(given.get("kind")) if isinstance(given, Mapping) else None
        content = given.get("content") if shape else None
        if not shape or not isinstance(content, Mapping):
            return given
        said = {name: value for name, value in content.items() if value is not None}
        return {**given, "content": shape.model_validate(said)}


COMPILED = {"record.json": Record}
