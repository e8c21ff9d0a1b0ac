"""The handoff and its check, for people and programs: one definition of their fields, types and meanings.

Commands use these models directly; `holdfast handoff schema` prints the first as it is compiled into handoff.json.
Hooks read a handoff tolerantly into the same fields (handoff/model.py) and import no package. Source: requirement B2.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Handoff(BaseModel):
    """What a sub-agent hands to the agent that called it."""

    model_config = ConfigDict(extra="forbid", strict=True, title="Holdfast handoff")

    task_id: str = Field(default="", description="as it was given to the agent")
    phase: str = Field(default="", description="research, write, test, review, or a name of your own")
    status: str = Field(default="", description="complete, partial or failed")
    decision: Literal["PROCEED", "STOP", "CLARIFY", ""] = Field(default="", description="may the caller go on?")
    context_summary: str = Field(min_length=1, description="what the next step needs, within the limit")
    files_of_interest: list[str] = Field(default=[], description="paths (and lines) that need attention")
    files_changed: list[str] = Field(default=[], description="paths that the agent changed")
    errors: list[str] = Field(default=[], description="errors still open, word for word")
    tokens_used: int = Field(default=0, ge=0, description="by the agent; 0 where it does not know")
    findings: object = Field(default="", description="raw detail; it stays in the report and is dropped on the way")


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
