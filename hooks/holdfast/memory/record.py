"""A record of the memory as a value: what it holds, whose word it is, and how what is handed in becomes one.

Four kinds, each with a content of its own shape; `check` is the one way in. How often a record was used is no part of
it, so that reading never changes a file. A clone may bring any record, also one that says that the user said it: it is
trusted as it says only where this machine has written it in these words. Source: requirement J1.
"""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from holdfast.errors import BadInput
from holdfast.hot import jsonc
from holdfast.hot.fingerprint import fingerprint
from holdfast.text import late as re
from holdfast.text import quoting, redaction
from holdfast.text.dates import is_time, seconds
from holdfast.text.quoting import clean

RULE = "rule"
"""Tag of a decision that is a standing rule."""
LONGEST_TITLE = 100


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
    """What a newer version or a person has added; "### Heading" -> text of a section. WAS and UNSETTLED are ours."""


WAS, UNSETTLED, BESIDE = "was", "may_contradict", "beside"
"""Further fields: the code until a clone's had the same; ids of those on the same subject, until somebody has settled
which holds; of those that somebody has said it stands beside.
"""


def unsettled(record: Record) -> list[str]:
    """Ids of the records that it may contradict."""
    return ids_in(record, UNSETTLED)


def ids_in(record: Record, field: str) -> list[str]:
    """Those that UNSETTLED or BESIDE names."""
    found = record.extra.get(field)
    return [one for one in found[:10] if isinstance(one, str)] if isinstance(found, list) else []  # a clone's has any


def with_unsettled(record: Record, ids: Iterable[str]) -> Record:
    """The record with these in the place of those."""
    kept, named = {name: value for name, value in record.extra.items() if name != UNSETTLED}, list(ids)
    return record._replace(extra={**kept, **({UNSETTLED: named} if named else {})})


def settled(record: Record, ids: set[str]) -> Record:
    """The record, which contradicts none of these."""
    known = [*sorted(ids - {record.id}), *(one for one in ids_in(record, BESIDE) if one not in ids)][:10]
    record = with_unsettled(record, (one for one in unsettled(record) if one not in ids))
    return record._replace(extra={**record.extra, BESIDE: known})


class FieldType(NamedTuple):
    """What may stand in a field."""

    type: str
    """text, choice, array (of texts), integer or boolean."""
    allowed: str
    """For people."""
    read: Callable[[Any], Any]
    """Puts a value into the field's form. Raises ValueError or TypeError for one that does not fit."""
    empty: Any = ""
    """Its value where none is given."""
    choices: tuple[str, ...] = ()
    is_numbered: bool = False
    """Whether the file numbers its items."""


def _line(value: str) -> str:
    return " ".join(clean(value).split())


@lru_cache(maxsize=1_000)  # most records bear one of a few tags
def _tag(value: str) -> str:
    """A word in small letters; blanks become hyphens."""
    return "-".join(_line(value).lower().split())


def _time(value: str) -> str:
    if value and not is_time(value):
        raise ValueError(value)
    return value


def _texts(form: Callable[[str], str], longest: int, pattern: str = "") -> Callable[[Any], str]:
    """Puts a text into this form, where it is then not longer and fits the pattern; "" fits any."""
    whole = re.compile(pattern)

    def read(value: Any) -> str:
        if not isinstance(value, str):
            raise TypeError(value)
        made = form(value)
        if len(made) > longest or (made and pattern and not whole.fullmatch(made)):
            raise ValueError(value)
        return made

    return read


def _list(allowed: str, read: Callable[[Any], str], most: int) -> FieldType:
    def listed(value: Any) -> tuple[str, ...]:
        given = value or ()  # what says nothing is an empty one
        if not isinstance(given, (list, tuple)) or len(given) > most:
            raise ValueError(value)
        return tuple(dict.fromkeys(filter(None, map(read, given))))

    return FieldType("array", allowed, listed, ())


def _only(type_: str, values: Sequence[Any], usual: Any, allowed: str = "") -> FieldType:
    """One of these values, as it is."""

    def read(value: Any) -> Any:
        if type(value) is not type(usual) or value not in values:
            raise ValueError(value)
        return value

    choices = tuple(values) if type_ == "choice" else ()
    return FieldType(type_, allowed or " or ".join(choices), read, usual, choices)


SEVERITIES = ("critical", "high", "medium", "low")
"""The gravest first."""
_TEXT = FieldType("text", "a text of at most 20,000 characters", _texts(clean, 20_000))
_TEXTS = _list("a list of at most 100 texts", _TEXT.read, 100)
_LINE = FieldType("text", "one line", _texts(_line, 300))
_TIME = FieldType("text", "an ISO 8601 time with its zone, e.g. 2026-11-04T14:32:00Z", _texts(_time, 40))
_ID = FieldType("text", "a UUID in small letters", _texts(str, 36, "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"))
SHAPES: Mapping[str, Mapping[str, FieldType]] = {
    "decision": {
        "decision": _TEXT,
        "rationale": _TEXT,
        "alternatives_considered": _TEXTS._replace(is_numbered=True),
        "expected_impact": _TEXT,
        "validation_criteria": _TEXT,
        "context": _TEXT,
    },
    "issue": {
        "description": _TEXT,
        "severity": _only("choice", SEVERITIES, "medium"),
        "status": _only("choice", ("open", "resolved"), "open"),
        "reproduction_steps": _TEXT,
        "investigation_status": _TEXT,
        "attempted_fixes": _TEXTS,
        "next_actions": _TEXT,
    },
    "state": {
        "task_description": _TEXT,
        "completion_percentage": _only("integer", range(101), 0, "a whole number from 0 to 100"),
        **dict.fromkeys(("substeps_completed", "substeps_remaining", "blockers", "next_actions"), _TEXTS),
    },
    "learning": dict.fromkeys(("lesson", "context", "applicability", "evidence"), _TEXT),
}
"""Kind -> fields of its content; the first one must say something."""
KINDS = tuple(SHAPES)
_FIELDS = {
    "id": _ID,
    "time": _TIME,
    "title": FieldType("text", f"one line of at most {LONGEST_TITLE} characters", _texts(_line, LONGEST_TITLE)),
    "tags": _list("a list of at most 20 words", _texts(_tag, 40, r"[^\W_][\w.+#/-]*"), 20),
    "importance": _only("integer", range(1, 11), 5, "a whole number from 1 to 10"),
    "code": FieldType("text", "DEC-YYYY-MM-DD-NNN", _texts(str, 21, "DEC-[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9]{3,6}")),
    "trust": _only("choice", ("trusted", "semi_trusted", "untrusted"), "semi_trusted"),
    **dict.fromkeys(("project", "agent", "session"), _LINE),
    "paths": _list("a list of at most 100 paths or names", _LINE.read, 100),
    "expires": _TIME,
    "parent": _ID,
    "archived": _TIME,
    "superseded_by": _ID,
    "delete": _only("boolean", (False, True), False, "true or false"),
}


def check(given: Mapping[str, Any]) -> Record:
    """The record that these fields make. Raises BadInput: which field, what is allowed there."""
    kind = given.get("kind")
    if kind not in KINDS:
        _refuse("kind", kind, " or ".join(KINDS))
    content = _content(str(kind), given.get("content"))
    known = _checked(given, _FIELDS)
    for name in ("id", "time", "title"):
        if not known.get(name):
            _refuse(name, given.get(name), _FIELDS[name].allowed)
    others = {name: value for name, value in given.items() if name not in Record._fields and name != "holdfast"}
    return Record(kind=str(kind), content=content, extra=_extra({**(given.get("extra") or {}), **others}), **known)


def revived(values: list[Any]) -> Record:
    """The record of its values, as JSON gives them back."""
    made = Record(*values)
    content = {name: tuple(one) if isinstance(one, list) else one for name, one in made.content.items()}
    return made._replace(content=content, tags=tuple(made.tags), paths=tuple(made.paths))


def _content(kind: str, given: Any) -> dict[str, Any]:
    fields = SHAPES[kind]
    if not isinstance(given, Mapping):
        _refuse("content", given, f"an object with {', '.join(fields)}")
    for name in given:
        if name not in fields:
            raise BadInput(f"a {kind} has no field {str(name)[:60]!r}", "content", f"Allowed: {', '.join(fields)}")
    said = {name: value for name, value in given.items() if value is not None}
    content = {**{name: field.empty for name, field in fields.items()}, **_checked(said, fields, "content.")}
    if not first(kind, content):
        name = next(iter(fields))
        _refuse(f"content.{name}", given.get(name), "a text that says something")
    return content


def _checked(given: Mapping[str, Any], fields: Mapping[str, FieldType], within: str = "") -> dict[str, Any]:
    """The fields that are given, in their order and form. Raises BadInput for one that does not fit."""
    made = {}
    for name, field in fields.items():
        if name in given:
            try:
                made[name] = field.read(given[name])
            except (ValueError, TypeError):
                _refuse(within + name, given[name], field.allowed)
    return made


def _refuse(name: str, value: Any, allowed: str) -> NoReturn:
    what = f"{name} is missing" if value in (None, "") else f"{name} is {str(value)[:60]!r}"
    raise BadInput(what, "", f"Allowed: {allowed}")


def _extra(given: Mapping[Any, Any]) -> dict[str, Any]:
    for name, value in given.items():
        fits = isinstance(name, str) and re.fullmatch(r"[a-z][a-z0-9_-]{0,40}|### \S.{0,99}", name)
        is_ours = not fits or clean(name) != name or name in Record._fields
        if is_ours or (name.startswith("### ") and not isinstance(value, str)):
            _refuse("a further field", name, "small letters, digits, _ and -, or a section `### Heading` with a text")
    return {name: clean(value) if name.startswith("### ") else value for name, value in given.items()}


def texts(record: Record) -> list[str]:
    """All that the content says, in the order of its fields, without numbers and choices."""
    said: list[str] = []
    for name, field in SHAPES[record.kind].items():
        if (value := record.content.get(name)) and field.type in ("array", "text"):
            said += value if field.type == "array" else [value]
    return said


def said(record: Record) -> str:
    """All by which a search finds it, but its title."""
    return "\n".join([*texts(record), " ".join([*record.tags, *record.paths]), record.code])


def first(kind: str, content: Mapping[str, Any]) -> str:
    """What a record of this kind says first: the field without which it says nothing."""
    return str(content.get(next(iter(SHAPES[kind]))) or "")


def called(record: Record) -> str:
    """What people call a record: its code, or the beginning of its id."""
    return record.code or record.id[:8]


def without_secrets(given: Record) -> Record:
    """The record with a mark in the place of each secret; a title that grows by that is cut."""
    said: list[str] = []

    def noted(text: str) -> str:
        said.append(text)
        return text

    _mapped(given, noted)
    whole = "\n".join(said)
    if redaction.redacted(whole) == whole:  # of nearly every record, at the price of one of its texts
        return given
    cleaned = _mapped(given, redaction.redacted)
    return cleaned._replace(
        title=cleaned.title[:LONGEST_TITLE], tags=tuple(tag for tag in cleaned.tags if "[" not in tag)
    )


def _mapped(record: Record, change: Callable[[str], str]) -> Record:
    """The record with each of its texts put through `change`."""

    def through(value: Any) -> Any:
        if isinstance(value, str):
            return change(value)
        if isinstance(value, Mapping):
            return {key: through(inner) for key, inner in value.items()}
        return type(value)(map(through, value)) if isinstance(value, (list, tuple)) else value

    names = ("title", "content", "tags", "paths", "project", "agent", "session", "extra")
    return record._replace(**{name: through(getattr(record, name)) for name in names})


def created_at(record: Record, now: float) -> float:
    """When a record was made, epoch seconds; 0 where its date is ahead: else it would outrank all that comes."""
    said = seconds(record.time)
    return said if said <= now + 60 else 0.0  # clocks differ by less than a minute


def is_alive(record: Record, now: float) -> bool:
    """Whether it is to be told at all: not archived, replaced, marked for removal, resolved or expired."""
    gone = is_set_aside(record) or is_resolved(record)
    return not gone and (is_grave(record) or not (record.expires and seconds(record.expires) <= now))


def is_grave(record: Record) -> bool:
    """Whether it is an open critical issue: only its resolution ends it, no expiry and no state."""
    return record.content.get("severity") == "critical" and not is_resolved(record)


def is_resolved(record: Record) -> bool:
    """Whether it is an issue that has been seen to."""
    return record.content.get("status") == "resolved"


def is_set_aside(record: Record) -> bool:
    """Whether it is archived, replaced or marked for removal; by hand or in a merge one comes without the other."""
    return bool(record.archived or record.superseded_by or record.delete)


def in_use(record: Record) -> Record:
    """The record as it is when it is neither set aside nor superseded."""
    return record._replace(archived="", superseded_by="")


def wording(record: Record) -> str:
    """A mark of which record it is, who said it, what it says, how it ranks and whether it is set aside: of all that is
    told of it, and that it is told.
    """
    not_said = ("archived", "superseded_by", "delete", "parent", "extra")
    said = [value for name, value in record._asdict().items() if name not in not_said]
    aside = [record.archived, record.superseded_by, record.delete] if is_set_aside(record) else []
    return fingerprint(jsonc.dumps([*said, *aside]).encode())


def trust_of(record: Record, own: Container[str]) -> str:
    """How far it is trusted here. own: wordings of what was written or received here (location.Marks)."""
    if record.trust == "untrusted" or quoting.is_carried(record.trust) or wording(record) in own:
        return record.trust  # no file says that it is carried: it was judged before
    return quoting.from_colleague(record.agent) if receipt(record) in own else quoting.CARRIED


def receipt(record: Record) -> str:
    """A mark of what the team's server has given here as a colleague's: of all that is told of it, and of who it is."""
    return f"{wording(record)} from {record.agent}"


def believed(record: Record, own: Container[str]) -> Record:
    """The record without secrets, and trusted no more than it is here."""
    return without_secrets(record._replace(trust=trust_of(record, own)))


def key(record: Record) -> str:
    """By which the same thing said twice is known."""
    return key_of(record.kind, first(record.kind, record.content))


def key_of(kind: str, said: str) -> str:
    """The kind and the words of the first field, without signs."""
    return " ".join([kind, *re.findall(r"[^\W_]+", said.lower())])


def saying(record: Record) -> str:
    """A mark of what a record says first, whatever its punctuation; nobody reads the words from it."""
    return fingerprint(key(record).encode("utf-8", "replace"))
