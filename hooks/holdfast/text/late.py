"""The standard library's `re`, but a pattern is compiled when it is first used.

An event's modules have some sixty patterns, which take 11 ms to compile, and it uses a few of them. They say
`from holdfast.text import late as re`.
"""

import re
from re import (
    ASCII,
    DOTALL,
    IGNORECASE,
    MULTILINE,
    Match,
    Pattern,
    escape,
    findall,
    finditer,
    fullmatch,
    match,
    search,
    sub,
)
from typing import Any, cast

__all__ = ["ASCII", "DOTALL", "IGNORECASE", "MULTILINE", "Match", "Pattern", "compile"]
__all__ += ["escape", "findall", "finditer", "fullmatch", "match", "search", "sub"]


def compile(source: str, flags: int = 0) -> Pattern[str]:  # noqa: A001 - as it is called there
    """As `re.compile`; a source that is no pattern raises when it is used."""
    return cast("Pattern[str]", _Late(source, flags))


class _Late:
    """Stands for a pattern, and has each of its methods from the first time on that it is asked for it."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern, self._given = source, flags

    def __getattr__(self, name: str) -> Any:
        self.__dict__[name] = found = getattr(re.compile(self.pattern, self._given), name)
        return found
