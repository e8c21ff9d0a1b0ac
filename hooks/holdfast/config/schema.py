"""The settings: the one definition of every key, with its type, bounds, default and meaning.

How a room defines what people or programs hand in or get out, as this one does it for the settings:
- `<room>/schema.py` holds pydantic models. Commands, engine, installer and tests import it; hooks never do (pydantic
  costs them 100 ms).
- What hooks need of them stands in `COMPILED = {"file.json": Model}`: config/compile.py writes each file beside the
  module. It is committed; commands renew it when the module is newer.
- What a JSON schema cannot say stands in `json_schema_extra` under a name that begins with "x-", so that the lean
  reader (config/load.py) checks the same as the model; "x-project": what a project's own file may say.

Numbers: 500 tokens, the steps 50/100/150, 2,500 tokens and the zones are the requirements' (B1, H2, H7, P); 10,000
characters is the client's limit for one injected text; the client removes its own transcripts after 30 days. The other
bounds are ours: wide enough for every use that was seen, narrow enough to catch a slip.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, JsonValue

from holdfast.hot.patterns import matches

EVENTS = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart"),
    *("SubagentStop", "PreCompact", "PostCompact", "Stop", "SessionEnd"),
)


def _rising(steps: list[int]) -> list[int]:
    if steps != sorted(set(steps)):
        raise ValueError("the numbers do not rise")
    return steps


def _of_an_event(pattern: str) -> str:
    if not any(matches(event, [pattern]) for event in EVENTS):
        raise ValueError("no event begins so")
    return pattern


Limit = Annotated[int, Field(ge=100, le=4000)]
Step = Annotated[int, Field(ge=1, le=100_000)]
Steps = Annotated[list[Step], AfterValidator(_rising), Field(json_schema_extra={"x-rising": True})]
EventPattern = Annotated[str, AfterValidator(_of_an_event), Field(json_schema_extra={"x-matches": list(EVENTS)})]


def _in_a_project(rule: Literal["longer", "less", "more", "never"]) -> dict[str, JsonValue]:
    """What a project's own file may put in the place of the user's value; without: any that is allowed."""
    return {"x-project": rule}


class _Group(BaseModel, strict=True, extra="forbid"):
    pass


def _switch(feature: str) -> Any:
    return Field(default=True, description=f"{feature}: on or off")


class Handoff(_Group):
    """What sub-agents may return."""

    on: bool = _switch("short reports of sub-agents")
    limit: Limit = Field(default=500, description="tokens that a sub-agent's handoff may have")
    limits: dict[str, Limit] = Field(
        default={},
        description='tokens per agent type, e.g. {"Explore": 400}',
        json_schema_extra={"propertyNames": {"description": "agent type"}},
    )
    agents: list[str] = Field(default=["*"], description="agent types that the limit holds for; * is all")
    blocks: int = Field(
        default=2,
        ge=0,
        le=2,
        description="how often an agent is asked to cut; then an outline stands in for its report",
    )
    background: Literal["auto", "leave"] = Field(
        default="auto",
        description="auto: over-long reports of background agents stay out of the window; leave: they are asked",
    )


class Digest(_Group):
    """Large tool results."""

    on: bool = _switch("digests of large results")
    tokens: int = Field(
        default=2500, ge=500, le=100_000, description="tool results above this many tokens become a digest"
    )
    tools: list[str] = Field(
        default=["Bash", "Grep", "Glob", "WebFetch", "Read", "mcp__*"],
        description="tools whose results may become a digest; of Read only logs and data files",
    )
    duplicates: bool = Field(default=True, description="a repeated result becomes a one-line reference")


class Suggest(_Group):
    """When /compact is suggested."""

    on: bool = _switch("suggestions of /compact")
    steps: Steps = Field(default=[50, 100, 150], description="tool calls at which /compact is suggested")
    every: int = Field(default=50, ge=0, le=100_000, description="after the last step: every so many calls; 0 is never")
    gap: int = Field(default=10, ge=0, le=1000, description="tool calls between two suggestions, at least")


class Pressure(_Group):
    """Zones of the gauge."""

    preset: Literal["default", "capacity"] = Field(
        default="default", description="zones at 50/75/90 or 80/90/95 percent"
    )


class Window(_Group):
    """The model's window."""

    limit: int = Field(default=0, ge=0, le=10_000_000, description="tokens at which compaction fires; 0 is: find out")


class Restore(_Group):
    """What a start puts back."""

    on: bool = _switch("steering, restore and check of compactions, restore at a resume")
    max_chars: int = Field(
        default=9000, ge=500, le=10_000, description="characters that a restore may put into the window"
    )


class Checkpoint(_Group):
    """Saved states of the work."""

    on: bool = _switch("checkpoints, and what is told of a session that was cut off")


class Knowledge(_Group):
    """Documents of what is known of the project."""

    on: bool = _switch("renewal of built documents at a session's end")


class Memory(_Group):
    """What is remembered across sessions."""

    mode: Literal["off", "local", "shared"] = Field(
        default="local",
        description="off: nothing is kept or told; local: kept out of git; shared: as local, and git sees what "
        "`holdfast memory share` lets through",
        json_schema_extra=_in_a_project("less"),
    )
    ask: bool = Field(
        default=True,
        description="at a start, ask the agent to mark rules, decisions and lessons",
    )


class Store(_Group):
    """A team's PostgreSQL."""

    url: str = Field(
        default="",
        description="the team's PostgreSQL, postgresql://HOST/DATABASE; hooks never wait for it. The password stands "
        "where libpq looks for it (PGPASSFILE)",
        json_schema_extra=_in_a_project("never"),
    )
    team: str = Field(
        default="",
        description="the team on that server; needed where your role belongs to several",
        json_schema_extra=_in_a_project("never"),
    )
    projects: dict[str, str] = Field(
        default={},
        description='names of projects there where the folder\'s own is not the one, e.g. {"/home/me/shop-2": "shop"}',
        json_schema_extra={"propertyNames": {"description": "a folder"}, **_in_a_project("never")},
    )


class Coordination(_Group):
    """Several agents at work in one project."""

    mode: Literal["off", "warn", "enforce"] = Field(
        default="warn",
        description="an edit of what another agent owns: off: nothing; warn: it is told; enforce: it is denied",
        json_schema_extra=_in_a_project("more"),
    )
    lease: int = Field(
        default=30, ge=1, le=1440, description="minutes that an agent owns a file without a further sign"
    )


class Stats(_Group):
    """What sessions saved and cost."""

    ledger: bool = Field(
        default=True,
        description="note figures of each session in your home, for `holdfast stats`",
        json_schema_extra=_in_a_project("less"),
    )


class Retention(_Group):
    """How long the files of sessions stay."""

    days: int = Field(
        default=30,
        ge=0,
        le=3650,
        description="days after which an unused session's files are removed; 0 is never",
        json_schema_extra=_in_a_project("longer"),
    )


class Judge(_Group):
    """A model that judges a compaction."""

    max_calls: int = Field(
        default=4,
        ge=0,
        le=100,
        description="calls that one judging of a compaction may make; 0 is none",
        json_schema_extra=_in_a_project("less"),
    )
    max_tokens: int = Field(
        default=60_000,
        ge=0,
        le=1_000_000,
        description="tokens that one judging may cost, prompts and answers, estimated",
        json_schema_extra=_in_a_project("less"),
    )
    seconds: int = Field(
        default=120,
        ge=1,
        le=3600,
        description="seconds that a model may take for one answer",
        json_schema_extra=_in_a_project("less"),
    )


class Hooks(_Group):
    """Which hooks run."""

    off: list[EventPattern] = Field(
        default=[],
        description='hooks to switch off, by event, e.g. ["PostToolUse"]; only in your own settings',
        json_schema_extra=_in_a_project("never"),
    )


class Settings(BaseModel, strict=True, extra="forbid", title="Holdfast configuration"):
    """`config.json`, in its nested form. Sources: project over home over the plugin's options over these defaults."""

    schema_: str = Field(default="", alias="$schema", exclude=True, description="for editors")
    handoff: Handoff = Field(default_factory=Handoff)
    digest: Digest = Field(default_factory=Digest)
    suggest: Suggest = Field(default_factory=Suggest)
    pressure: Pressure = Field(default_factory=Pressure)
    window: Window = Field(default_factory=Window)
    restore: Restore = Field(default_factory=Restore)
    checkpoint: Checkpoint = Field(default_factory=Checkpoint)
    knowledge: Knowledge = Field(default_factory=Knowledge)
    memory: Memory = Field(default_factory=Memory)
    coordination: Coordination = Field(default_factory=Coordination)
    stats: Stats = Field(default_factory=Stats)
    store: Store = Field(default_factory=Store)
    retention: Retention = Field(default_factory=Retention)
    judge: Judge = Field(default_factory=Judge)
    hooks: Hooks = Field(default_factory=Hooks)


class Shown(BaseModel, extra="forbid"):
    """What `holdfast config show --json` prints."""

    values: dict[str, object]
    """Every key as it is in force."""
    problems: list[str]


class Setting(BaseModel, extra="forbid"):
    """What `holdfast config get`, `set` and `unset --json` print: what is in force, who says so, what was written."""

    key: str
    value: object
    source: str
    written: str


class Source(BaseModel, extra="forbid"):
    """What one source says of a setting; note: why that does not count, "" for what is in force."""

    source: str
    value: object
    note: str


class Explained(BaseModel, extra="forbid"):
    """What `holdfast config why --json` prints, the strongest source last."""

    key: str
    sources: list[Source]


class Checked(BaseModel, extra="forbid"):
    """What `holdfast config check --json` prints."""

    ok: bool
    files: list[str]
    """Where settings are looked for, the weakest last."""
    problems: list[str]


COMPILED = {"settings.json": Settings}
