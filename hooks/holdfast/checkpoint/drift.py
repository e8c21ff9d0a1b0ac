"""What is no longer as it was recorded?

Rule: a difference that can be seen is stated in one sentence each: directory, branch, commits, files that are
gone, files that changed on disk, changes that nobody has committed. What is not known is no difference, and what the
session did itself is none either. Sources: requirements W3, W4.
"""

from typing import Any

NAMED = 6  # files that a sentence names; the rest is counted


def drift(before: dict[str, Any], now: dict[str, Any]) -> tuple[str, ...]:
    """What differs between two environments, one sentence each.

    Both: {directory, branch, commit, dirty}; now also {missing, touched} paths, `commits` made by others since (0 for
    not countable), `own`: whether the session moved HEAD itself. All may be missing.
    """
    lines = [
        *_changed("directory", before, now),
        *_changed("branch", before, now),
        *_head(before, now),
        *([f"{_named(now['missing'], 'is', 'are')} gone"] if now.get("missing") else []),
        *([f"{_named(now['touched'], 'has', 'have')} changed on disk since"] if now.get("touched") else []),
    ]
    fresh = [path for path in now.get("dirty") or () if path not in (before.get("dirty") or ())]
    if fresh:
        lines.append(f"{_named(fresh, 'has', 'have')} changes that are not committed")
    return tuple(lines)


def _changed(key: str, before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    known = before.get(key) and now.get(key)
    return [f"the {key} is now {now[key]}; it was {before[key]}"] if known and before[key] != now[key] else []


def _head(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    old, new = before.get("commit"), now.get("commit")
    if not old or not new or old == new or now.get("own"):
        return []
    count = now.get("commits") or 0
    made = f"{count} new commit{'s' if count > 1 else ''} since: " if count else ""
    return [f"{made}HEAD is now {new[:9]}; it was {old[:9]}"]


def _named(paths: list[str], one: str, many: str) -> str:
    """ "/a, /b and 3 more are": who is spoken of, with the verb."""
    shown, more = ", ".join(paths[:NAMED]), len(paths) - NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"{shown}{rest} {one if len(paths) == 1 else many}"
