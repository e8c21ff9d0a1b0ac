"""The outline under the name by which other loops still call it."""

from collections.abc import Callable

from holdfast.handoff.outline import outline


def condense(
    report: str, limit: int = 500, count: Callable[[str], int] | None = None, report_path: str = "", known: str = ""
) -> str:
    """The outline of a text; `known` says nothing any more."""
    return outline(report, limit, count, report_path, "a text")
