"""What `holdfast replay --json` and `holdfast bench engine --json` print: a contract for programs."""

from pydantic import BaseModel, ConfigDict, RootModel


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Handoffs(_Closed):
    """Reports as they were written, and as they would have been handed on. Shares are 0..1, None of nothing."""

    count: int
    already: int
    """Were outlines when they were recorded."""
    tokens_before: int
    tokens_after: int
    over_limit_before: int
    over_limit_after: int
    largest_after: int
    names_used_afterwards: int
    recall: float | None
    names_only_the_report_held: int
    recall_only_the_report_held: float | None


class Results(_Closed):
    """Tool results."""

    count: int
    already: int
    """Were digests when they were recorded."""
    digested: int
    tokens_before: int
    tokens_after: int


class Calls(_Closed):
    """Calls until the limit, at the mean of the windows that came to one."""

    windows: int
    before: float
    after: float


class Replay(_Closed):
    """`holdfast replay`, without --engine and --policies."""

    sessions: int
    counted_by: str
    handoffs: Handoffs
    results: Results
    calls_before_limit: Calls
    saved_share: float


class Figure(_Closed):
    """One measure of `bench engine`; without a limit it is only shown."""

    name: str
    value: float
    limit: float | None


Figures = RootModel[list[Figure]]
