"""A record of the memory as a value: what it holds, whose word it is, and how what is handed in becomes one.

Four kinds, each with a content of its own shape, as schema.py defines them; `check` is the one way in. How often a
record was used is no part of it, so that reading never changes a file. A clone may bring any record, also one that says
that the user said it: it is trusted as it says only where this machine has written it in these words.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

from holdfast.errors import BadInput
from holdfast.hot import jsonc
from holdfast.hot.files import read_bytes
from holdfast.hot.fingerprint import fingerprint
from holdfast.text import late as re
from holdfast.text import quoting, redaction
from holdfast.text.dates import is_time, seconds
from holdfast.text.quoting import clean

RULE = "rule"  # tag of a decision that is a standing rule


class Record(NamedTuple):
    """One thing to remember. Times are ISO 8601 with a zone; what is not known is "" or empty."""

    id: str  # a UUID
    kind: str
    time: str
    title: str
    content: Mapping[str, Any]
    """The fields of SHAPES[kind]: a text, a tuple of texts, or a whole number of percent."""
    tags: tuple[str, ...] = ()
    importance: int = 5  # 1 to 10; 10 is critical
    code: str = ""  # of a decision DEC-YYYY-MM-DD-NNN, given when it is stored
    trust: str = "semi_trusted"
    project: str = ""
    agent: str = ""
    session: str = ""
    paths: tuple[str, ...] = ()  # files and names in the code that it is about
    expires: str = ""
    parent: str = ""  # id of the record that this one belongs to
    archived: str = ""  # since when
    superseded_by: str = ""  # id of the record that holds in its place
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
    return _ids(record, UNSETTLED)


def beside(record: Record) -> list[str]:
    """Ids of the records that it does not contradict, as somebody has said."""
    return _ids(record, BESIDE)


def _ids(record: Record, field: str) -> list[str]:
    found = record.extra.get(field)
    return [one for one in found[:10] if isinstance(one, str)] if isinstance(found, list) else []  # a clone's has any


def with_unsettled(record: Record, ids: Iterable[str]) -> Record:
    """The record with these in the place of those."""
    kept, named = {name: value for name, value in record.extra.items() if name != UNSETTLED}, list(ids)
    return record._replace(extra={**kept, **({UNSETTLED: named} if named else {})})


def settled(record: Record, ids: set[str]) -> Record:
    """The record, which contradicts none of these."""
    known = [*sorted(ids - {record.id}), *(one for one in beside(record) if one not in ids)][:10]
    record = with_unsettled(record, (one for one in unsettled(record) if one not in ids))
    return record._replace(extra={**record.extra, BESIDE: known})


def text(value: Any) -> str:
    """Without what could pose as something else. Like the other forms it raises ValueError for what cannot have it."""
    if not isinstance(value, str):
        raise ValueError(value)  # noqa: TRY004 - the only fault of a value that pydantic knows
    return clean(value)


def line(value: Any) -> str:
    """A text on one line."""
    return " ".join(text(value).split())


@lru_cache(maxsize=1_000)  # most records bear one of a few tags
def tag(value: Any) -> str:
    """A word in small letters; blanks become hyphens."""
    return "-".join(line(value).lower().split())


def time(value: Any) -> str:
    """An ISO 8601 time with its zone, or ""."""
    if not isinstance(value, str) or (value and not is_time(value)):
        raise ValueError(value)
    return value


def items(value: Any) -> Any:
    """A list; what says nothing is an empty one."""
    return list(value or ()) if isinstance(value, tuple) or not value else value


Rule = Mapping[str, Any]
"""The JSON schema of one field."""


class _Field(NamedTuple):
    """One field: its rule, what makes its value of what is given (or raises ValueError), its value when not given."""

    rule: Rule
    read: Callable[[Any], Any]
    empty: Any


def _reader(rule: Rule) -> Callable[[Any], Any]:
    if rule["type"] == "array":
        inner, most = _reader(rule["items"]), rule["maxItems"]
        return lambda value: _listed(items(value), inner, most)
    if "enum" in rule:
        return _only(str, frozenset(rule["enum"]).__contains__)
    if rule["type"] == "integer":
        return _only(int, range(rule["minimum"], rule["maximum"] + 1).__contains__)
    if rule["type"] == "boolean":
        return _only(bool, lambda _: True)
    forms: Mapping[str, Callable[[Any], Any]] = {"text": text, "line": line, "tag": tag, "time": time}
    form = forms.get(rule["x-form"])
    longest, pattern = rule.get("maxLength", 100), re.compile(rule.get("pattern", ""))

    def read(value: Any) -> str:
        made = form(value) if form else value
        fits = isinstance(made, str) and len(made) <= longest and pattern.match(made) and not made.endswith("\n")
        return str(made) if fits else _wrong(value)

    return read


def _only(kind: type, fits: Callable[[Any], bool]) -> Callable[[Any], Any]:
    return lambda value: value if type(value) is kind and fits(value) else _wrong(value)


def _listed(value: Any, form: Callable[[Any], str], most: int) -> tuple[str, ...]:
    if not isinstance(value, list) or len(value) > most:
        raise ValueError(value)
    return tuple(dict.fromkeys(filter(None, map(form, value))))


def _wrong(value: Any) -> NoReturn:
    raise ValueError(value)


def _fields(rules: Mapping[str, Rule]) -> dict[str, _Field]:
    return {name: _Field(rule, _reader(rule), _empty(rule)) for name, rule in rules.items() if "type" in rule}


def _empty(rule: Rule) -> Any:
    return tuple(rule.get("default", ())) if rule["type"] == "array" else rule.get("default", "")


_RULES: Mapping[str, Rule] = jsonc.loads_object(
    read_bytes(__file__.removesuffix("record.py") + "record.json", follow=True)
)["properties"]
SHAPES: Mapping[str, Mapping[str, Rule]] = {
    shape["x-kind"]: shape["properties"] for shape in _RULES["content"]["anyOf"]
}
"""Kind -> fields of its content; the first one must say something."""
KINDS = tuple(SHAPES)
SEVERITIES: tuple[str, ...] = tuple(SHAPES["issue"]["severity"]["enum"])
"""The gravest first."""
_CONTENTS = {kind: _fields(rules) for kind, rules in SHAPES.items()}
_OTHERS = _fields({name: rule for name, rule in _RULES.items() if name != "kind"})


def check(given: Mapping[str, Any]) -> Record:
    """The record that these fields make. Raises BadInput: which field, what is allowed there."""
    kind = given.get("kind")
    if kind not in KINDS:
        _refuse("kind", kind, " or ".join(KINDS))
    content = _content(str(kind), given.get("content"))
    known = _checked(given, _OTHERS)
    for name in ("id", "time", "title"):
        if not known.get(name):
            _refuse(name, given.get(name), _RULES[name]["description"])
    others = {name: value for name, value in given.items() if name not in Record._fields and name != "holdfast"}
    return Record(kind=str(kind), content=content, extra=_extra({**(given.get("extra") or {}), **others}), **known)


def revived(values: list[Any]) -> Record:
    """The record of its values, as JSON gives them back."""
    made = Record(*values)
    content = {name: tuple(one) if isinstance(one, list) else one for name, one in made.content.items()}
    return made._replace(content=content, tags=tuple(made.tags), paths=tuple(made.paths))


def _content(kind: str, given: Any) -> dict[str, Any]:
    fields = _CONTENTS[kind]
    if not isinstance(given, Mapping):
        _refuse("content", given, f"an object with {', '.join(fields)}")
    for name in given:
        if name not in fields:
            raise BadInput(f"{kind}s have no field {str(name)[:60]!r}", "content", f"Allowed: {', '.join(fields)}")
    said = {name: value for name, value in given.items() if value is not None}
    content = {**{name: field.empty for name, field in fields.items()}, **_checked(said, fields, "content.")}
    if not first(kind, content):
        name = next(iter(fields))
        _refuse(f"content.{name}", given.get(name), "a text that says something")
    return content


def _checked(given: Mapping[str, Any], fields: Mapping[str, _Field], within: str = "") -> dict[str, Any]:
    """The fields that are given, in the order and the form of the schema. Raises BadInput for one that does not fit."""
    made = {}
    for name, (rule, read, _) in fields.items():
        if name in given:
            try:
                made[name] = read(given[name])
            except (ValueError, TypeError):
                _refuse(within + name, given[name], " or ".join(rule.get("enum", ())) or rule["description"])
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
    for name, rule in SHAPES[record.kind].items():
        value = record.content.get(name)
        if rule["type"] == "array":
            said += value or ()
        elif rule.get("x-form") == "text" and value:
            said.append(value)
    return said


def said(record: Record) -> str:
    """All by which a search finds a record, but its title."""
    return "\n".join([*texts(record), " ".join([*record.tags, *record.paths]), record.code])


def first(kind: str, content: Mapping[str, Any]) -> str:
    """What a record of this kind says first: the field without which it says nothing."""
    return str(content.get(next(iter(SHAPES[kind]))) or "")


def is_called_by_its_words(record: Record) -> bool:
    """Whether its title is but the beginning of what it says."""
    return first(record.kind, record.content).startswith(record.title.removesuffix("…").rstrip())


def called(record: Record) -> str:
    """What people call a record: its code, or the beginning of its id."""
    return record.code or record.id[:8]


def without_references(given: Record, is_gone: Callable[[str], bool]) -> Record:
    """The record as it stands once the ids are gone that this is true of."""
    kept = {name: [one for one in _ids(given, name) if not is_gone(one)] for name in (UNSETTLED, BESIDE)}
    return given._replace(
        extra={name: value for name, value in {**given.extra, **kept}.items() if value or name not in kept},
        parent="" if is_gone(given.parent) else given.parent,
        superseded_by="" if is_gone(given.superseded_by) else given.superseded_by,
    )


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
    longest = _RULES["title"]["maxLength"]
    return cleaned._replace(title=cleaned.title[:longest], tags=tuple(tag for tag in cleaned.tags if "[" not in tag))


def _mapped(record: Record, change: Callable[[str], str]) -> Record:

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


def in_use(record: Record, now: float = 0) -> Record:
    """The record as it is when it is neither set aside nor superseded, nor has expired by now."""
    is_over = bool(record.expires) and seconds(record.expires) <= now
    return record._replace(archived="", superseded_by="", expires="" if is_over else record.expires)


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
    """The kind and what it says first: a sign, and a capital within a decision, may make another of it; blanks, the
    first letter's case and the final point do not.
    """
    same = said[:1].casefold() + said[1:] if kind == "decision" else said.casefold()
    return " ".join([kind, *same.split()]).rstrip(" .\u3002")


def saying(record: Record) -> str:
    """A mark of what a record says first; nobody reads the words from it."""
    return fingerprint(key(record).encode("utf-8", "replace"))
