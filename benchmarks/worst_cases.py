"""Worst cases for what runs over foreign text: the patterns of the library, and texts that make each of them slow.

A pattern is slow where a start may fail late and many starts may do so, or where a text can be divided in many ways.
Both come from its repetitions, so the texts are made of these: what leads to one, what it repeats, many of either, and
an end that fits nothing. `steps` counts what a backtracking matcher does with them, without a clock: a character that
is compared is a step. It knows no shortcut of the real matcher, so its counts are an upper bound.
"""

import ast
import contextlib
import importlib
import re
import re._constants as code  # type: ignore[import-not-found]  # what the standard library's own matcher is made of
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from holdfast.text import redaction, secret_table, secret_values

LIBRARY = Path(redaction.__file__).resolve().parents[1]
CALLS = {"compile", "sub", "subn", "match", "search", "finditer", "findall", "fullmatch", "split"}
SINGLE = (code.LITERAL, code.NOT_LITERAL, code.IN, code.ANY)
REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
ANCHORED = {"match", "fullmatch"}
PROBES = " a0_-./\\\"'`*#|<>[](){}=:;,@~+$&!?\n\tAZ"
END, MOST = "\x00", 100_000


class Found(NamedTuple):
    """A pattern and where it stands; anchored: it is tried at one place of a text and not at each."""

    name: str
    pattern: re.Pattern[str]
    anchored: bool = False


def patterns() -> Iterator[Found]:
    """Every pattern that the sources compile or use, and those of the tables of secrets (`_data …`)."""
    for path in sorted(LIBRARY.rglob("*.py")):
        parts = path.relative_to(LIBRARY.parent).with_suffix("").parts
        if parts[-1] not in ("__main__", "__init__"):
            yield from _of(ast.parse(path.read_text("utf-8")), ".".join(parts))
    tables = redaction._tables()  # noqa: SLF001 - what is measured
    rows = [*((row[0], row[1]) for row in tables.formats), *((row.kind, row.pattern) for row in tables.told)]
    rows += [(f"shape {name}", secret_values.shape(name).pattern) for name in secret_table.load()[0]["shapes"]]
    yield from (Found(f"_data: {kind}", _whole(pattern)) for kind, pattern in rows)


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.DOTALL)


def _of(tree: ast.Module, module: str) -> Iterator[Found]:
    """The patterns of a module, with how each is used there by its name."""
    names, used = vars(importlib.import_module(module)), dict[str, set[str]]()
    found = (one for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute))
    calls: list[Any] = list(found)
    for call in calls:
        used.setdefault(ast.unparse(call.func.value), set()).add(call.func.attr)
    named = {id(one.value): ast.unparse(one.targets[0]) for one in ast.walk(tree) if isinstance(one, ast.Assign)}
    for call in calls:
        if call.func.attr in CALLS and isinstance(call.func.value, ast.Name) and call.func.value.id == "re":
            uses = used.get(named.get(id(call), ""), set()) if call.func.attr == "compile" else {call.func.attr}
            made = _evaluated(call, names)
            if made is not None:
                yield Found(f"{module.removeprefix('holdfast.')}:{call.lineno}", made, bool(uses) and uses <= ANCHORED)


def _evaluated(call: Any, names: dict[str, Any]) -> re.Pattern[str] | None:
    """The pattern of a call of `re`, where its source is known before it runs."""
    flags = [one.value for one in call.keywords if one.arg == "flags"]
    flags += [one for one in call.args[1:] if isinstance(one, ast.Attribute) and one.attr.isupper()]

    def value(of: Any) -> Any:
        return eval(compile(ast.Expression(of), "", "eval"), names)  # noqa: S307 - our own source

    try:
        source, flag = value(call.args[0]), sum(int(value(one)) for one in flags)
    except (NameError, AttributeError, TypeError):
        return None
    return re.compile(source, flag) if isinstance(source, str) else None


def texts(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Texts of about so many characters that are hard for a pattern."""
    seen: set[tuple[str, str]] = set()
    for lead, unit in _repeated(parser.parse(pattern.pattern, pattern.flags), ""):
        for once, again in ((lead, unit), ("", lead + unit), ("", lead), ("\n", unit)):
            if again and (once, again) not in seen:
                seen.add((once, again))
                yield once + again * ((size - len(once)) // len(again)) + END


def _repeated(tree: Any, lead: str) -> Iterator[tuple[str, str]]:
    """(what leads to it, what is repeated) of each repetition, with some of the characters that fit it."""
    for op, given in tree:
        if op in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            least, most, body = given
            if most > 9:
                yield from ((lead, unit) for unit in _units(body))
            yield from _repeated(body, lead)
            lead += sample(body) * least
        elif op is code.BRANCH:
            for branch in given[1]:
                yield from _repeated(branch, lead)
            lead += sample(given[1][0])
        elif op is code.SUBPATTERN:
            yield from _repeated(given[3], lead)
            lead += sample(given[3])
        elif op is code.ATOMIC_GROUP:
            yield from _repeated(given, lead)
            lead += sample(given)
        elif op in (code.ASSERT, code.ASSERT_NOT):
            yield from _repeated(given[1], lead)
        else:
            lead += sample([(op, given)])


def _units(body: Any) -> Iterator[str]:
    """What one repetition may be: of a set of characters some of each kind, of branches each."""
    op, given = body[0]
    if len(body) == 1 and op is code.SUBPATTERN:
        yield from _units(given[3])
    elif len(body) == 1 and op is code.BRANCH:
        for branch in given[1]:
            yield sample(branch)
    elif len(body) == 1 and op in (code.IN, code.ANY, code.NOT_LITERAL):
        fits = _fits(op, given, False, True)
        yield from [probe for probe in PROBES if fits(probe)][:7]
        yield from [probe for probe in '"[<`\\/(' if fits(probe)]
    else:
        yield sample(body)


def sample(tree: Any) -> str:
    """A short text that a part of a pattern fits, without regard to what stands around it."""
    made = ""
    for op, given in tree:
        if op is code.LITERAL:
            made += chr(given)
        elif op in (code.IN, code.ANY, code.NOT_LITERAL):
            fits = _fits(op, given, False, True)
            made += next((probe for probe in "a0 " + PROBES + "\u3042é" if fits(probe)), "")
        elif op is code.BRANCH:
            made += sample(given[1][0])
        elif op is code.SUBPATTERN:
            made += sample(given[3])
        elif op is code.ATOMIC_GROUP:
            made += sample(given)
        elif op in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            made += sample(given[2]) * given[0]
    return made


def _fits(op: Any, given: Any, ignore_case: bool, dot_all: bool) -> Callable[[str], bool]:
    """Whether a character is one of a set, a literal or any."""
    if op is code.ANY:
        return lambda char: dot_all or char != "\n"
    one = _set(given) if op is code.IN else re.escape(chr(given))
    tested = re.compile(f"[^{one}]" if op is code.NOT_LITERAL else one, re.IGNORECASE if ignore_case else 0)
    return cache(lambda char: bool(tested.fullmatch(char)))


def _set(items: Any) -> str:
    """A set of characters as it is written."""
    classes = {
        code.CATEGORY_DIGIT: r"\d", code.CATEGORY_NOT_DIGIT: r"\D", code.CATEGORY_SPACE: r"\s",
        code.CATEGORY_NOT_SPACE: r"\S", code.CATEGORY_WORD: r"\w", code.CATEGORY_NOT_WORD: r"\W",
    }  # fmt: skip
    made = ""
    for op, given in items:
        if op is code.NEGATE:
            made += "^"
        elif op is code.LITERAL:
            made += re.escape(chr(given))
        elif op is code.RANGE:
            made += f"{re.escape(chr(given[0]))}-{re.escape(chr(given[1]))}"
        else:
            made += classes[given]
    return f"[{made}]"


Next = Callable[[int], int]
"""What is matched behind a place; gives the end, or -1."""
Matcher = Callable[[int, Next], int]


class Enough(Exception):
    """More steps than anything that grows with the text alone."""


class Counting:
    """A backtracking matcher over one text after the other that counts the characters that it compares."""

    def __init__(self, pattern: re.Pattern[str]) -> None:
        self.text, self.flags, self.steps, self.most = "", pattern.flags, 0, 0
        self.groups: dict[int, tuple[int, int]] = {}
        self.match = self._sequence(list(parser.parse(pattern.pattern, pattern.flags)))

    def run(self, text: str, anchored: bool, most: int) -> None:
        """Steps of looking for all matches from the beginning to the end of the text, or for one at its beginning.

        Raises Enough above `most`.
        """
        self.text, self.steps, self.most, start = text, 0, most, 0
        self.groups.clear()
        while start <= (0 if anchored else len(self.text)):
            self.steps += 1
            end = self.match(start, lambda place: place)
            start = max(end, start + 1)

    def _sequence(self, tree: Sequence[Any]) -> Matcher:
        made = [self._node(op, given) for op, given in tree]

        def matched(place: int, then: Next, at: int = 0) -> int:
            if at == len(made):
                return then(place)
            return made[at](place, lambda end: matched(end, then, at + 1))

        return made[0] if len(made) == 1 else matched

    def _node(self, op: Any, given: Any) -> Matcher:
        made: dict[Any, Callable[[], Matcher]] = {
            **dict.fromkeys(SINGLE, lambda: self._one(self._test(op, given))),
            **dict.fromkeys(REPEATS, lambda: self._repeat(op, *given)),
            code.BRANCH: lambda: self._branch([self._sequence(list(way)) for way in given[1]]),
            code.SUBPATTERN: lambda: self._group(given[0], self._sequence(list(given[3]))),
            code.ATOMIC_GROUP: lambda: self._atomic(self._sequence(list(given))),
            code.ASSERT: lambda: self._around(given[0], self._sequence(list(given[1])), True, sample(given[1])),
            code.ASSERT_NOT: lambda: self._around(given[0], self._sequence(list(given[1])), False, sample(given[1])),
            code.GROUPREF: lambda: self._again(given),
            code.AT: lambda: self._at(given),
        }
        return made[op]()

    @staticmethod
    def _branch(ways: list[Matcher]) -> Matcher:
        return lambda place, then: next((end for way in ways if (end := way(place, then)) >= 0), -1)

    @staticmethod
    def _atomic(inner: Matcher) -> Matcher:
        return lambda place, then: then(end) if (end := inner(place, lambda end: end)) >= 0 else -1

    def _test(self, op: Any, given: Any) -> Callable[[int], bool]:
        fits = _fits(op, given, bool(self.flags & re.IGNORECASE), bool(self.flags & re.DOTALL))

        def tested(place: int) -> bool:
            self.steps += 1
            if self.steps > self.most:
                raise Enough
            return place < len(self.text) and fits(self.text[place])

        return tested

    @staticmethod
    def _one(tested: Callable[[int], bool]) -> Matcher:
        return lambda place, then: then(place + 1) if tested(place) else -1

    def _repeat(self, op: Any, least: int, most: int, body: Any) -> Matcher:
        if len(body) == 1 and body[0][0] in SINGLE:
            return self._run(op, least, most, self._test(*body[0]))
        inner = self._sequence(list(body))

        def greedy(place: int, then: Next, done: int = 0) -> int:
            def again(end: int) -> int:
                return greedy(end, then, done + 1) if end > place or done < least else -1

            if done < least:
                return inner(place, again)
            if op is code.MIN_REPEAT:
                end = then(place)
                return end if end >= 0 or done >= most else inner(place, again)
            end = inner(place, again) if done < most else -1
            return end if end >= 0 else then(place)

        return greedy

    def _run(self, op: Any, least: int, most: int, tested: Callable[[int], bool]) -> Matcher:
        def greedy(place: int, then: Next) -> int:
            end = place
            while end - place < most and tested(end):
                end += 1
            if op is code.POSSESSIVE_REPEAT:
                return then(end) if end - place >= least else -1
            return next((found for to in range(end, place + least - 1, -1) if (found := then(to)) >= 0), -1)

        def lazy(place: int, then: Next) -> int:
            end = place
            while end - place < least:
                if not tested(end):
                    return -1
                end += 1
            while (found := then(end)) < 0 and end - place < most and tested(end):
                end += 1
            return found

        return lazy if op is code.MIN_REPEAT else greedy

    def _group(self, number: int | None, inner: Matcher) -> Matcher:
        def matched(place: int, then: Next) -> int:
            def after(end: int) -> int:
                before = self.groups.get(number or 0)
                self.groups[number or 0] = (place, end)
                found = then(end)
                if found < 0 and before:
                    self.groups[number or 0] = before
                return found

            return inner(place, after)

        return matched

    def _around(self, direction: int, inner: Matcher, wanted: bool, like: str) -> Matcher:
        def matched(place: int, then: Next) -> int:
            if direction > 0:
                found = inner(place, lambda end: end) >= 0
            else:  # what stands behind has a fixed width
                begin = place - len(like)
                found = begin >= 0 and inner(begin, lambda end: end if end == place else -1) >= 0
            return then(place) if found is wanted else -1

        return matched

    def _again(self, number: int) -> Matcher:
        def matched(place: int, then: Next) -> int:
            start, end = self.groups.get(number, (0, -1))
            self.steps += max(1, end - start)
            same = end >= start and self.text.startswith(self.text[start:end], place)
            return then(place + end - start) if same else -1

        return matched

    def _at(self, where: Any) -> Matcher:
        tests = {
            code.AT_BEGINNING: r"^", code.AT_BEGINNING_STRING: r"\A", code.AT_BOUNDARY: r"\b",
            code.AT_NON_BOUNDARY: r"\B", code.AT_END: "$", code.AT_END_STRING: r"\Z",
        }  # fmt: skip
        tested = re.compile(tests[where], self.flags & re.MULTILINE)

        def matched(place: int, then: Next) -> int:
            self.steps += 1
            return then(place) if tested.match(self.text, place) else -1

        return matched


def steps(found: Found, text: str, most: int = MOST) -> int:
    """How many characters are compared when all matches in a text are looked for; little above `most` it gives up."""
    counting = _counting(found.pattern)
    with contextlib.suppress(Enough):
        counting.run(text, found.anchored, most)
    return counting.steps


_counting = cache(Counting)
