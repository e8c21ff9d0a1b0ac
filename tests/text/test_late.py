"""Patterns that are compiled when they are first used."""

import re
from typing import Any

import pytest

from holdfast.text import late


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made, compiled = list[Any](), re.compile

    def counted(*given: Any) -> Any:
        made.append(given)
        return compiled(*given)

    monkeypatch.setattr(re, "compile", counted)
    pattern = late.compile(r"(?P<first>\w)\w*", late.ASCII)
    assert (pattern.pattern, made) == (r"(?P<first>\w)\w*", [])
    assert pattern.sub(r"\g<first>", "one two") == "o t"
    assert [found["first"] for found in pattern.finditer("one é")] == ["o"]
    assert {given[0] for given in made} == {pattern.pattern}
