"""What `holdfast status`, `stats` and `sessions` print with `--json`: a contract for programs.

Tokens are whole numbers, None where nothing is known of them; characters are as given; times are ISO.
"""

from pydantic import BaseModel


class Component(BaseModel):
    """A part of the window. The last three are None but of results, where the limit is known."""

    name: str
    used: int
    tokens_per_turn: int
    limit: int | None
    turns_left: int | None  # None when it does not grow, too
    urgency: str | None  # of its own share, whatever the window's zone: critical below 3 turns, warning below 10


class EstimateFit(BaseModel):
    """How far estimates of texts were off in this session, and by what they are multiplied for it."""

    factor: float
    per_turn: int  # tokens that each turn brings beside its estimate
    pairs: int  # turns that it was fitted to
    median_error: float | None
    p95_error: float | None


class Account(BaseModel):
    """What the window is made of and how it grows."""

    components: list[Component]  # the largest first
    baseline: int | None  # tokens of a usual turn
    spikes: int  # turns since the compaction that brought more than three times that
    last_turn_spiked: bool
    calibration: EstimateFit


class Handoffs(BaseModel):
    """Sub-agents' reports as they were written and as they were handed on, in tokens."""

    returns: int
    tokens_before: int
    tokens_after: int


class Digests(BaseModel):
    """Tool results that became digests."""

    count: int
    characters_before: int
    characters_after: int
    tokens_before: int  # estimated from the characters, as each digest says it
    tokens_after: int


class SavedCheckpoint(BaseModel):
    """The newest checkpoint."""

    number: int
    time: str
    age_seconds: int
    reason: str
    path: str  # of its page


class SessionStatus(Account):
    """Where a session stands."""

    session: str
    zone: str  # green, yellow, orange, red or unknown
    advice: str
    used: int | None  # tokens in the window
    limit: int | None  # tokens at which it is compacted
    limit_source: str  # where the limit is known from
    turns_left: int | None  # until the limit at the present rate
    tokens_per_turn: int | None  # mean of the last 5 turns, the running one among them where that makes it more
    todo: list[str]  # what to do now, most urgent first, at most three lines
    calls: int
    next_step: int | None  # the tool call at which compacting is suggested next where the window is no longer green
    handoffs: Handoffs
    digests: Digests
    budgets: dict[str, int]  # tokens that a report and a digest may have
    last_checkpoint: SavedCheckpoint | None
    last_compaction: dict[str, object] | None  # as `holdfast compactions --json` has it
    compact_line: str
    problems: list[str]  # of the configuration


class Sum(BaseModel):
    """What was put into the window in one way."""

    what: str
    times: int
    characters: int
    tokens: int  # estimated from the characters of each


class HookCost(BaseModel):
    """Runs of one event's hook on the ordinary road, the start of the interpreter included."""

    event: str
    runs: int
    ms: float


class SessionReceipt(BaseModel):
    """What the pack put into the window of a session, what it kept out, and what its hooks took."""

    session: str
    injected: list[Sum]
    steering: Sum
    extra_requests: int  # of sub-agents, whose reports were sent back; `spent` of the statistics has their cost
    kept_out: dict[str, dict[str, int]]  # of handoffs and digests the same as in Status, and tokens_kept_out
    hooks: list[HookCost]
    hot_runs: int  # on the hot road, where none is timed
    compactions: int
    usage: dict[str, int] | None  # what the API recorded for the main conversation; None where nothing is known


class Reduction(BaseModel):
    """Texts that became shorter: how many, and their tokens before and after."""

    count: int
    before: int
    after: int


class Compacted(Reduction):
    """Compactions: tokens of the windows, and what became of the facts that must stay."""

    kept: int  # in the summary, in what was restored, or on the page that it names
    corrected: int  # in neither, and told afterwards; and lines of a record that are not so, which `must` lacks
    lost: int
    must: int  # facts that must stay


class HookTime(BaseModel):
    """Runs of hooks. Warm ones are timed; of hot ones the number is known, and each is taken for HOT_MS."""

    warm_runs: int
    warm_ms: int
    hot_runs: int
    hot_ms: int  # estimated
    ms: int  # both


class TokensSpent(BaseModel):
    """What the API recorded in the client's transcripts."""

    answers: int
    input: int
    cache_5m: int
    cache_1h: int
    cache_read: int
    output: int


class Money(BaseModel):
    """US dollars at list prices. None where no price is known; where some are, of these alone."""

    spent: float | None  # of what the API recorded
    kept_out: float | None  # once, as fresh input: no cache, no later request
    put_in: float | None  # the same way
    unknown: list[str]  # models without a known price; "" stands for a session whose model is not known


class Totals(BaseModel):
    """Tokens are estimates but those that the API recorded."""

    sessions: int
    turns: int
    calls: int
    agents: int
    kept_out: int  # tokens of digests and handoffs together
    put_in: int
    steering: int  # tokens that told summarisers what to keep
    digests: Reduction
    handoffs: Reduction
    extra_requests: int  # sub-agents that were asked to cut
    compactions: Compacted
    hooks: HookTime
    spent: TokensSpent
    spent_by_agents: TokensSpent  # what of it
    agents_unknown: int  # sub-agents whose transcript is gone or torn: what they spent is not in it, or not all
    money: Money


class DayTotals(Totals):
    """Of one day, in local time."""

    day: str


class ProjectTotals(Totals):
    """Of one project."""

    project: str  # its folder


class SessionTotals(Totals):
    """Of one session, in the days that were asked for."""

    session: str
    project: str
    started: str  # ISO: the first and the last that is known of it
    used: str
    files: bool  # whether its own files are still there
    models: list[str]


class Prices(BaseModel):
    """The table of prices."""

    as_of: str
    source: str


class MemoryDay(BaseModel):
    """How many records the memory holds that came until the end of a day (UTC)."""

    day: str
    records: int


class Statistics(BaseModel):
    """What `holdfast stats` prints."""

    since: str | None  # the first day that counts
    project: str | None
    total: Totals
    days: list[DayTotals]  # the newest last, as what follows
    projects: list[ProjectTotals]
    sessions: list[SessionTotals]
    memory: list[MemoryDay]  # of the project that was asked for, else of all
    prices: Prices
    problems: list[str]


class ListedSession(SessionTotals):
    """A session of the list."""

    request: str  # what the user asked first; "" where that is not known


class Sessions(BaseModel):
    """What `holdfast sessions` prints; the newest last."""

    project: str | None  # None for all
    sessions: list[ListedSession]
    problems: list[str]


class WindowChange(BaseModel):
    """Something that changed the window, at an answer."""

    kind: str  # compaction, digest or handoff
    number: int  # of the answer, as in `points`
    tokens: int  # in the window then


class Returned(BaseModel):
    """What one sub-agent handed back last, in tokens: its whole report, and what the caller read."""

    agent: str  # as the caller named its work, else the beginning of its id
    before: int
    after: int


class Trace(BaseModel):
    """How the window of a session filled, what it is made of now, and what its sub-agents handed back."""

    session: str
    project: str
    by: str  # what is numbered: answers, or tool calls where no transcript is left
    points: list[tuple[int, int]]  # number, tokens; of a long session some
    marks: list[WindowChange]
    limit: int | None
    components: list[Component]
    agents: list[Returned]  # the newest last; of many the newest


class Written(BaseModel):
    """What `holdfast report` prints: where the page is, and all that it shows."""

    path: str
    stats: Statistics
    trace: Trace | None  # None where no session's files are there
