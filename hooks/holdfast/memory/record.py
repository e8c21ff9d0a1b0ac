"""A record of the memory as a value: what it holds, and how what people and programs hand in becomes one.

Four kinds, each with a content of its own shape: decision, issue, state, learning. `check` is the one way in: it
raises BadInput with the field and what is allowed there, and takes out of texts what could pose as something else
(control characters, reversed writing, invisible letters). How often a record was used is no part of it: that stands
apart, so that reading never changes a file. memory/markdown.py writes it as Markdown and reads it back.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any, NamedTuple, NoReturn

from holdfast.errors import BadInput
from holdfast.memory.shapes import KINDS, SHAPES, TRUSTS, Field
from holdfast.text.dates import is_time

TITLE_CHARS, LINE_CHARS, TEXT_CHARS, ITEMS = 100, 300, 20_000, 100


class Record(NamedTuple):
    """One thing to remember. Times are ISO 8601 with a zone; what is not known is "" or empty."""

    id: str
    """A UUID."""
    kind: str
    time: str
    title: str
    content: Mapping[str, Any]
    """The fields of SHAPES[kind]: a text, a tuple of texts, or a whole number of percent."""
    tags: tuple[str, ...] = ()
    importance: int = 5
    """1 to 10; 10 is critical."""
    code: str = ""
    """Of a decision DEC-YYYY-MM-DD-NNN, given when it is stored."""
    trust: str = "semi_trusted"
    project: str = ""
    agent: str = ""
    session: str = ""
    paths: tuple[str, ...] = ()
    """Files and names in the code that it is about."""
    expires: str = ""
    parent: str = ""
    """Id of the record that this one belongs to."""
    archived: str = ""
    """Since when."""
    superseded_by: str = ""
    """Id of the record that holds in its place."""
    delete: bool = False
    """Marked by the user, e.g. in the file itself: the next maintenance removes it."""
    extra: Mapping[str, Any] = {}
    """What a newer version or a person has added; "### Heading" -> text for sections. Kept, never read."""


_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufffe\uffff\U000e0000-\U000e007f]"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")
_CODE = re.compile(r"DEC-\d{4}-\d\d-\d\d-\d{3,6}\Z")
_TAG = re.compile(r"[^\W_][\w.+#/-]{0,39}\Z")
_KEY = re.compile(r"[a-z][a-z0-9_-]{0,40}\Z|### \S.{0,99}\Z")


def check(given: Mapping[str, Any]) -> Record:
    """The record that these fields make. Raises BadInput: which field, what is allowed there."""
    kind = given.get("kind")
    if kind not in KINDS:
        _refuse("kind", kind, " or ".join(KINDS))
    content = _content(str(kind), given.get("content"))
    known = _checked(given, _CHECKS)
    for name in ("id", "time", "title"):
        if not known.get(name):
            _refuse(name, given.get(name), _CHECKS[name][1])
    others = {name: value for name, value in given.items() if name not in _OWN}
    return Record(kind=str(kind), content=content, extra=_extra({**(given.get("extra") or {}), **others}), **known)


def clean(text: str) -> str:
    """A text without what could pose as something else, with plain line ends, without blanks at its edges."""
    if text.isprintable():  # nearly every line; a tenth of the time
        return text.strip()
    lines = _INVISIBLE.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def texts(record: Record) -> list[str]:
    """All that the content says, in the order of its fields, without numbers and choices."""
    said: list[str] = []
    for field in SHAPES[record.kind]:
        value = record.content.get(field.name)
        if field.form in ("list", "numbered"):
            said += value or ()
        elif field.form == "text" and value:
            said.append(value)
    return said


def first(kind: str, content: Mapping[str, Any]) -> str:
    """What a record of this kind says first: the field without which it says nothing."""
    return str(content.get(SHAPES[kind][0].name) or "")


def in_use(record: Record) -> Record:
    """The record as it is when it is neither set aside nor superseded."""
    return record._replace(archived="", superseded_by="")


def mapped(record: Record, change: Callable[[str], str]) -> Record:
    """The record with each of its own texts (title, content, tags, paths, additions) put through `change`."""

    def through(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, Mapping):
            return {key: through(inner) for key, inner in value.items()}
        return type(value)(map(through, value)) if isinstance(value, (list, tuple)) else value

    names = ("title", "content", "tags", "paths", "agent", "extra")
    return record._replace(**{name: through(getattr(record, name)) for name in names})


def _content(kind: str, given: Any) -> dict[str, Any]:
    checks = _CONTENTS[kind]
    if not isinstance(given, Mapping):
        _refuse("content", given, f"an object with {', '.join(checks)}")
    for name in given:
        if name not in checks:
            raise BadInput(f"a {kind} has no field {str(name)[:60]!r}", "content", f"Allowed: {', '.join(checks)}")
    said = {name: value for name, value in given.items() if value is not None}
    content = {**_NOTHING[kind], **_checked(said, checks, "content.")}
    first = next(iter(checks))
    if not content[first]:
        _refuse(f"content.{first}", given.get(first), "a text that says something")
    return content


def _checked(given: Mapping[str, Any], checks: Mapping[str, "_Check"], within: str = "") -> dict[str, Any]:
    """The fields that are given, in the order and the form of the checks. Raises BadInput for one that does not fit."""
    made = {}
    for name, (form, allowed) in checks.items():
        if name in given:
            try:
                made[name] = form(given[name])
            except (ValueError, TypeError):
                _refuse(within + name, given[name], allowed)
    return made


def _refuse(name: str, value: Any, allowed: str) -> NoReturn:
    what = f"{name} is missing" if value in (None, "") else f"{name} is {str(value)[:60]!r}"
    raise BadInput(what, "", f"Allowed: {allowed}")


def _extra(given: Mapping[Any, Any]) -> dict[str, Any]:
    for name, value in given.items():
        fits = isinstance(name, str) and _KEY.match(name) and clean(name) == name and name not in Record._fields
        if not fits or (name.startswith("### ") and not isinstance(value, str)):
            _refuse("a further field", name, "small letters, digits, _ and -, or a section `### Heading` with a text")
    return {name: clean(value) if name.startswith("### ") else value for name, value in given.items()}


def _text(value: Any, longest: int = TEXT_CHARS) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise ValueError(value)
    return clean(value)


def _line(value: Any, longest: int = LINE_CHARS) -> str:
    return " ".join(_text(value, longest).split())


def _lines(value: Any, form: Callable[[Any], str], most: int) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)) or len(value) > most:
        raise ValueError(value)
    return tuple(dict.fromkeys(filter(None, map(form, value))))


def _matching(pattern: re.Pattern[str], value: Any) -> str:
    if not isinstance(value, str) or (value and not pattern.match(value)):
        raise ValueError(value)
    return value


def _time(value: Any) -> str:
    if not isinstance(value, str) or (value and not is_time(value)):
        raise ValueError(value)
    return value


def _number(value: Any, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise ValueError(value)
    return value


def _one_of(allowed: Iterable[str], value: Any) -> str:
    if value not in allowed:
        raise ValueError(value)
    return str(value)


@lru_cache(maxsize=1_000)  # most records bear one of a few tags
def _tag(value: Any) -> str:
    return _matching(_TAG, "-".join(_line(value, 100).lower().split()))


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(value)
    return value


_Check = tuple[Callable[[Any], Any], str]
_FORMS: Mapping[str, _Check] = {
    "text": (_text, f"a text of at most {TEXT_CHARS:,} characters"),
    **dict.fromkeys(
        ("list", "numbered"), (lambda value: _lines(value or (), _text, ITEMS), f"a list of at most {ITEMS} texts")
    ),
    "percent": (lambda value: _number(value or 0, 0, 100), "a whole number from 0 to 100"),
}


def _form(field: Field) -> _Check:
    return _FORMS.get(field.form) or (partial(_one_of, field.choices), " or ".join(field.choices))


_CONTENTS = {kind: {field.name: _form(field) for field in fields} for kind, fields in SHAPES.items()}
_NOTHING = {kind: {field.name: _form(field)[0](field.default) for field in fields} for kind, fields in SHAPES.items()}
_CHECKS: Mapping[str, _Check] = {
    "id": (partial(_matching, _UUID), "a UUID in small letters"),
    "time": (_time, "an ISO 8601 time with its zone, e.g. 2026-11-04T14:32:00Z"),
    "title": (lambda value: _line(value, TITLE_CHARS), f"one line of at most {TITLE_CHARS} characters"),
    "tags": (lambda value: _lines(value, _tag, 20), "a list of at most 20 words"),
    "importance": (lambda value: _number(value, 1, 10), "a whole number from 1 to 10"),
    "code": (partial(_matching, _CODE), "DEC-YYYY-MM-DD-NNN"),
    "trust": (partial(_one_of, TRUSTS), " or ".join(TRUSTS)),
    "project": (_line, "one line"),
    "agent": (_line, "one line"),
    "session": (_line, "one line"),
    "paths": (lambda value: _lines(value, _line, ITEMS), f"a list of at most {ITEMS} paths or names"),
    "expires": (_time, "an ISO 8601 time with its zone"),
    "parent": (partial(_matching, _UUID), "a record's id"),
    "archived": (_time, "an ISO 8601 time with its zone"),
    "superseded_by": (partial(_matching, _UUID), "a record's id"),
    "delete": (_truth, "true or false"),
}
_OWN = frozenset((*Record._fields, "holdfast"))
