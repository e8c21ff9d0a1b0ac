"""The handoff's schema and its check, for people and programs; hooks import none of it.

The fields of a handoff with their meanings stand in handoff/model.py; what is allowed in them is added here. The result
is compiled into handoff.json, which `holdfast handoff schema` prints. Source: requirement B2.
"""

from collections.abc import Mapping
from typing import Any, Literal, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from holdfast.handoff import decision, model
from holdfast.hot import jsonc


def _fields() -> dict[str, Any]:
    """Name -> (type, field), as pydantic makes a model of them."""
    allowed: dict[str, dict[str, Any]] = {
        "context_summary": {"default": ..., "min_length": 1},
        "tokens_used": {"ge": 0},
    }
    made = {}
    for name, kind in get_type_hints(model.Handoff, include_extras=True).items():
        given = {"default": model.Handoff._field_defaults[name], "description": kind.__metadata__[0]}
        type_ = decision.Name if name == "decision" else kind.__origin__
        made[name] = type_, Field(**{**given, **allowed.get(name, {})})
    return made


Handoff = create_model(
    "Handoff",
    __config__=ConfigDict(extra="forbid", strict=True, title="Holdfast handoff"),
    __doc__=model.Handoff.__doc__,
    **_fields(),
)


def problems(given: Mapping[str, Any]) -> list[str]:
    """What is wrong with the fields of a handoff, one line each."""
    try:
        Handoff.model_validate_json(jsonc.dumps(given))
    except ValidationError as error:
        return [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()]
    return []


class Check(BaseModel):
    """What `holdfast handoff check --json` prints."""

    tokens: int = Field(description="of what the caller would read: all but the findings")
    limit: int
    ok: bool = Field(description="within the limit, and a decision is stated")
    counted_by: str = Field(description="api (exact), or the tokenizer that estimated")
    band: list[float] | None = Field(description="p05 and p95 of true tokens over the estimate; null where exact")
    form: Literal["json-fence", "json", "xml", "prose", "data"]
    decision: str = Field(description="PROCEED, STOP or CLARIFY, else the report's own words; empty where unstated")
    problems: list[str]
    compact: str = Field(description="the outline that stands in when the agent never shortens it; empty where it fits")


COMPILED = {"handoff.json": Handoff}
