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

from pydantic import AfterValidator, BaseModel, Field

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


class _Group(BaseModel, strict=True, extra="forbid"):
    pass


def _setting(default: Any, what: str, project: str = "", **more: Any) -> Any:
    """Its default and meaning; more: its bounds, and the `names` that a mapping has for keys.

    project: what a project's own file may put in the place of the user's value (longer, less, more, never; "" is any).
    """
    extra: dict[str, Any] = {"x-project": project} if project else {}
    if "names" in more:
        extra["propertyNames"] = {"description": more.pop("names")}
    if extra:
        more["json_schema_extra"] = extra
    return Field(default, description=what, **more)


def _switch(feature: str, project: str = "") -> Any:
    return _setting(True, f"{feature}: on or off", project)


class Handoff(_Group):
    """What sub-agents may return."""

    on: bool = _switch("short reports of sub-agents", "less")
    limit: Limit = _setting(500, "tokens that a sub-agent's handoff may have")
    limits: dict[str, Limit] = _setting({}, 'tokens per agent type, e.g. {"Explore": 400}', names="agent type")
    agents: list[str] = _setting(["*"], "agent types that the limit holds for; * is all")
    blocks: int = _setting(
        2, "how often an agent is asked to cut; then an outline stands in for its report", "less", ge=0, le=2
    )
    background: Literal["auto", "leave"] = _setting(
        "auto", "auto: over-long reports of background agents stay out of the window; leave: they are asked"
    )


class Digest(_Group):
    """Large tool results."""

    on: bool = _switch("digests of large results")
    tokens: int = _setting(2500, "tool results above this many tokens become a digest", ge=500, le=100_000)
    tools: list[str] = _setting(
        ["Bash", "Grep", "Glob", "WebFetch", "Read", "mcp__*"],
        "tools whose results may become a digest; of Read only logs and data files",
    )
    duplicates: bool = _setting(True, "a repeated result becomes a one-line reference")


class Suggest(_Group):
    """When /compact is suggested."""

    on: bool = _switch("suggestions of /compact")
    steps: Steps = _setting([50, 100, 150], "tool calls at which /compact is suggested")
    every: int = _setting(50, "after the last step: every so many calls; 0 is never", ge=0, le=100_000)
    gap: int = _setting(10, "tool calls between two suggestions, at least", ge=0, le=1000)


class Pressure(_Group):
    """Zones of the gauge."""

    preset: Literal["default", "capacity"] = _setting("default", "zones at 50/75/90 or 80/90/95 percent")


class Window(_Group):
    """The model's window."""

    limit: int = _setting(0, "tokens at which compaction fires; 0 is: find out", ge=0, le=10_000_000)


class Restore(_Group):
    """What a start puts back."""

    on: bool = _switch("steering, restore and check of compactions, restore at a resume", "more")
    max_chars: int = _setting(9000, "characters that a restore may put into the window", "never", ge=500, le=10_000)


class Checkpoint(_Group):
    """Saved states of the work."""

    on: bool = _switch("checkpoints, and what is told of a session that was cut off", "more")


class Knowledge(_Group):
    """Documents of what is known of the project."""

    on: bool = _switch("renewal of built documents at a session's end")


class Memory(_Group):
    """What is remembered across sessions."""

    mode: Literal["off", "local", "shared"] = _setting(
        "local",
        "off: nothing is kept or told; local: kept out of git; shared: as local, and git sees what "
        "`holdfast memory share` lets through",
        "never",
    )
    ask: bool = _setting(True, "at a start, ask the agent to mark rules, decisions and lessons")


class Store(_Group):
    """A team's PostgreSQL."""

    url: str = _setting(
        "",
        "the team's PostgreSQL, postgresql://HOST/DATABASE; hooks never wait for it. The password stands "
        "where libpq looks for it (PGPASSFILE)",
        "never",
    )
    team: str = _setting("", "the team on that server; needed where your role belongs to several", "never")
    projects: dict[str, str] = _setting(
        {},
        'names of projects there where the folder\'s own is not the one, e.g. {"/home/me/shop-2": "shop"}',
        "never",
        names="a folder",
    )


class Coordination(_Group):
    """Several agents at work in one project."""

    mode: Literal["off", "warn", "enforce"] = _setting(
        "warn", "an edit of what another agent owns: off: nothing; warn: it is told; enforce: it is denied", "more"
    )
    lease: int = _setting(30, "minutes that an agent owns a file without a further sign", "more", ge=1, le=1440)


class Stats(_Group):
    """What sessions saved and cost."""

    ledger: bool = _setting(True, "note figures of each session in your home, for `holdfast stats`", "less")


class Retention(_Group):
    """How long the files of sessions stay."""

    days: int = _setting(
        30, "days after which an unused session's files are removed; 0 is never", "longer", ge=0, le=3650
    )


class Judge(_Group):
    """A model that judges a compaction."""

    max_calls: int = _setting(4, "calls that one judging of a compaction may make; 0 is none", "less", ge=0, le=100)
    max_tokens: int = _setting(
        60_000, "tokens that one judging may cost, prompts and answers, estimated", "less", ge=0, le=1_000_000
    )
    seconds: int = _setting(120, "seconds that a model may take for one answer", "less", ge=1, le=3600)


class Hooks(_Group):
    """Which hooks run."""

    off: list[EventPattern] = _setting(
        [], 'hooks to switch off, by event, e.g. ["PostToolUse"]; only in your own settings', "never"
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


class SettingsShown(BaseModel, extra="forbid"):
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


class SettingSource(BaseModel, extra="forbid"):
    """What one source says of a setting; note: why that does not count, "" for what is in force."""

    source: str
    value: object
    note: str


class SettingExplained(BaseModel, extra="forbid"):
    """What `holdfast config why --json` prints, the strongest source last."""

    key: str
    sources: list[SettingSource]


class SettingsChecked(BaseModel, extra="forbid"):
    """What `holdfast config check --json` prints."""

    ok: bool
    files: list[str]
    """Where settings are looked for, the weakest first."""
    problems: list[str]


COMPILED = {"settings.json": Settings}
