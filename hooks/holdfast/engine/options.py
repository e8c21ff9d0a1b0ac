"""How may a window be managed, and is what the caller asks for possible?

Rule: one model of the keys with their defaults and bounds; whatever is not in it is refused by name, with what is
allowed and the default. Shares are of the limit. Defaults: act at .75, down to .60, in the order of requirement K6;
weights and lives are those of requirement E.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator
from pydantic.fields import FieldInfo

from holdfast.engine.blocks import BlockKind
from holdfast.errors import BadInput

Policy = Literal["fifo", "lru", "priority", "semantic_merge", "type", "hybrid"]
Step = Literal["merge", "summarise", "evict", "progressive", "compact", "delegate"]
STEPS: tuple[Step, ...] = get_args(Step)  # in the order in which they are taken; see engine/pipeline.py


def _field(default: Any, meaning: str, allowed: str = "") -> Any:
    return Field(default, description=meaning, json_schema_extra={"allowed": allowed})


class _Checked(BaseModel):
    """A model whose errors are ours: the key, what is allowed, and the default."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, validate_default=True)

    def __init__(self, **given: Any) -> None:
        try:
            super().__init__(**given)
        except ValidationError as wrong:
            raise _error(type(self), wrong) from None


def _error(kind: type[BaseModel], wrong: ValidationError) -> BadInput:
    first = wrong.errors()[0]
    name, before = str(first["loc"][0]), "settings." if kind is Settings else ""
    field = kind.model_fields.get(name)
    if field is None:
        return BadInput("is no option", f"{before}{name}", f"Allowed: {', '.join(kind.model_fields)}")
    own = first["type"] == "value_error"
    what = str(first["ctx"]["error"]) if own else f"{first['input']!r} cannot be"
    key = before + ".".join(map(str, first["loc"]))
    return BadInput(what, key, f"Allowed: {allowed(field)}. Default: {field.default!r}")


def allowed(field: FieldInfo) -> str:
    """What a key's value may be, for people."""
    extra = field.json_schema_extra
    told = str(extra.get("allowed") or "") if isinstance(extra, dict) else ""
    return told or ", ".join(map(str, get_args(field.annotation)))


Weights = Mapping[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]]
Life = Annotated[float, Field(gt=0, allow_inf_nan=False)]
KindName = Annotated[str, Field(pattern=f"^(?:{'|'.join(BlockKind)})$")]


class Settings(_Checked):
    """Weights and lives of the policies. Ages are turns."""

    hybrid: Weights = _field(
        {"recency": 0.30, "priority": 0.25, "type": 0.20, "references": 0.15, "duplication": 0.10},
        "Weights of the policy `hybrid`.",
        "shares from 0 on that sum to 1, one for each of recency, priority, type, references, duplication",
    )
    priority: Weights = _field(
        {"recency": 0.30, "relevance": 0.25, "source": 0.20, "reuse": 0.15, "explicit": 0.10},
        "Weights of the policy `priority`.",
        "shares from 0 on that sum to 1, one for each of recency, relevance, source, reuse, explicit",
    )
    ttl: Mapping[KindName, Life] = _field(
        {BlockKind.RESULT: 8, BlockKind.CALL: 8, BlockKind.THINKING: 2, BlockKind.MEMORY: 20, BlockKind.ASSISTANT: 30},
        "Lives by kind of block, for the policy `type`.",
        f"a number above 0 for any of {', '.join(BlockKind)}",
    )
    recency: Life = _field(15.0, "Turns in which recency falls to 1/e.", "a number above 0")
    idle: Life = _field(5.0, "Turns without a reference in which the LRU score falls to 1/e.", "a number above 0")
    full_uses: Life = _field(5, "References from which on reuse is full.", "a number above 0")

    @field_validator("hybrid", "priority")
    @classmethod
    def _sums_to_one(cls, given: Mapping[str, float], info: Any) -> Mapping[str, float]:
        wrong = sorted(set(given) ^ set(cls.model_fields[info.field_name].default))
        if wrong:
            raise ValueError(f"{', '.join(wrong)} missing or unknown")
        if round(sum(given.values()), 3) != 1:
            raise ValueError(f"the weights sum to {sum(given.values()):g}")
        return given


DEFAULTS = Settings()
Share = Annotated[float, Field(gt=0, le=1)]
Tokens = Annotated[int, Field(ge=0)]


class Options(_Checked):
    """How a window is managed: the keyword arguments of ContextWindowManager."""

    policy: Policy = _field("hybrid", "By which score blocks leave; see engine/eviction.py.")
    preset: Literal["default", "capacity"] = _field("default", "Of the zones; see gauge/pressure.py.")
    profile: Literal["default", "code_review", "research", "support"] = _field("default", "Of the budget.")
    act: Share = _field(0.75, "Share of the limit at which something is done.", "a share above 0 and up to 1")
    target: Share = _field(0.60, "Share of the limit that is aimed at then.", "a share above 0, below act")
    digest: Tokens = _field(
        2_500, "Tokens from which on a new result becomes a digest at once; 0 for never.", "whole tokens from 0"
    )
    summarise: Tokens = _field(
        500, "Tokens from which on an older result gives way to its digest; 0 for never.", "whole tokens from 0"
    )
    goal: str = _field("", 'The task in the user\'s words; "" takes the first user message.', "a text")
    family: Literal["new", "old"] = _field("new", 'Of the tokenizer: "new" for Claude 4.7 and later, else "old".')
    steps: Annotated[tuple[Step, ...], Field(strict=False)] = _field(
        STEPS, "Those that may be taken; their order stays.", f"some of {', '.join(STEPS)}"
    )
    settings: Settings = _field(DEFAULTS, "Weights and lives of the policies.", "`Settings`")

    @field_validator("target")
    @classmethod
    def _below_act(cls, target: float, info: Any) -> float:
        act = info.data.get("act", target + 1)
        if target >= act:
            raise ValueError(f"{target:g} is not below act ({act:g})")
        return target


def limit_of(limit: Any) -> int:
    """The limit in tokens. Raises BadInput for what is none."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 0:
        raise BadInput(f"{limit!r} cannot be", "limit", "Allowed: tokens from 0, where 0 is not known")
    return limit
