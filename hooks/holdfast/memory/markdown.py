"""A record as a Markdown file that people read and edit, and that git merges line by line.

    ---
    holdfast: 1
    id: "1a2b3c4d-…"
    title: "Adopt PostgreSQL"
    tags: ["database"]
    ---
    ## DECISION: Adopt PostgreSQL
    …
    ### Rationale

    Order processing needs transactions.

Between the two lines of hyphens each line is `key: JSON value`; nothing of YAML beyond that. Where a field or a
section stands twice, as a merge leaves it that keeps both, the greater value counts, and all of the text. The fields
there and the sections below are the record; the lines above the first section and the tags at the end repeat fields.
Whatever else stands there is a section of its own, NOTES. A line of a text that could be taken for a heading, for a
conflict of a merge or for the beginning of code that never ends begins with a backslash.
"""

import contextlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NoReturn

from holdfast.errors import BadInput
from holdfast.hot import jsonc
from holdfast.memory.record import SHAPES, Record, Rule, check

VERSION = 1
EDGE = "---"
_CONFLICT = ("<" * 7, "=" * 7, ">" * 7, "|" * 7)
"""How lines begin that git leaves where a merge needs a person."""
_REPEATED: Mapping[str, Mapping[str, str]] = {
    kind: {
        f"## {kind.upper()}: ": "title",
        f"**{kind.capitalize()} ID**: ": "code",
        "**Timestamp**: ": "time",
        **{f"**{name.capitalize()}**: ": name for name in ("agent", "project", "importance")},
    }
    for kind in SHAPES
}
"""Kind -> how the lines above the first section begin -> the field that each repeats."""
_FENCES = ("`" * 3, "~" * 3)
NOTES, TAGS = "Notes", "Tags"
_SECTIONS: Mapping[str, Mapping[str, tuple[str, Rule]]] = {
    kind: {name.replace("_", " ").title(): (name, rule) for name, rule in fields.items()}
    for kind, fields in SHAPES.items()
}
"""Kind -> heading -> field."""


def render(record: Record) -> str:
    """The file's text. Raises BadInput for a value that `check` has not made."""
    kind, fields = record.kind, {"holdfast": VERSION, **record._asdict(), "content": "", "extra": ""}
    fields = {name: value for name, value in fields.items() if value not in ("", (), False)}
    fields |= {name: value for name, value in record.extra.items() if not name.startswith("### ")}
    lines = [EDGE, *(f"{name}: {jsonc.dumps(value)}" for name, value in fields.items()), EDGE]
    title, *facts = (f"{label}{_repeated(record, name)}" for label, name in _REPEATED[kind].items())
    lines += [title, "", *(f"{line}  " for line in facts if not line.endswith(": ")), ""]
    for heading, (name, rule) in _SECTIONS[kind].items():
        text = _written(rule, record.content.get(name))
        if text or kind == "decision":  # of a decision the whole template is shown, as a form to fill in
            lines += [f"### {heading}", "", *([text, ""] if text else [])]
    for name, value in record.extra.items():
        lines += [name, "", _escaped(value), ""] if name.startswith("### ") else []
    return "\n".join([*lines, f"### {TAGS}", "", ", ".join(record.tags)]) + "\n"


def _repeated(record: Record, name: str) -> str:
    return str(getattr(record, name) or (record.id if name == "code" else ""))


def _escaped(text: str) -> str:
    lines = text.split("\n")
    _, loose = _fenced(lines)
    return "\n".join(
        f"\\{line}" if _is_sign(line) or at in loose or (line[:1] == "\\" and _unescaped(line) != line) else line
        for at, line in enumerate(lines)
    )


def _fenced(lines: Sequence[str]) -> tuple[set[int], set[int]]:
    """Numbers of the lines within code fences, and of those that would begin one that none ends."""
    inside, loose, fence = set[int](), set[int](), ""
    bare = [line.rstrip() if line.startswith(_FENCES) else "" for line in lines]
    ends = ((at, line) for at, line in enumerate(bare) if line and not line.strip(line[0]))
    last = {line[:size]: at for at, line in ends for size in range(3, min(len(line), 80) + 1)}
    for at, line in enumerate(bare):
        if fence:
            inside.add(at)
            fence = "" if line.startswith(fence) and not line.strip(fence[0]) else fence
        elif line and not (line[0] == "`" and "`" in line.lstrip("`")):
            sign = line[: len(line) - len(line.lstrip(line[0]))]
            is_closed = last.get(sign, 0) > at
            fence = sign if is_closed else ""
            (inside if is_closed else loose).add(at)
    return inside, loose


def _sections(body: str) -> list[str]:
    """What stands above the first section of a body, then each section with its heading in its first line.

    body: each line with the line end before it.
    """
    if not any(f"\n{sign}" in body for sign in _FENCES):
        return body.split("\n### ")
    lines = body.split("\n")
    inside, _ = _fenced(lines)
    begins = [at for at, line in enumerate(lines) if line.startswith("### ") and at not in inside]
    both = zip([0, *begins], [*begins, len(lines)], strict=True)
    return ["\n".join(lines[start:end]).removeprefix("### " * (start in begins)) for start, end in both]


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    signs = ("#", *_CONFLICT, *_FENCES)
    return "\n".join(
        line[1:] if line[:1] == "\\" and line.lstrip("\\").startswith(signs) else line for line in text.split("\n")
    )


def _is_sign(line: str) -> bool:
    """Whether it could be taken for a heading or a conflict of a merge, behind backslashes or none."""
    return line.lstrip("\\").startswith(("#", *_CONFLICT))


def _written(rule: Rule, value: Any) -> str:
    if rule["type"] == "array":
        marks = (f"{number}." if "x-numbered" in rule else "-" for number in range(1, len(value or ()) + 1))
        pairs = zip(marks, value or (), strict=True)
        return "\n".join(f"{mark} " + item.replace("\n", "\n  ") for mark, item in pairs)
    if rule["type"] == "integer":
        return f"{value or 0} %"
    return value or "" if "enum" in rule else _escaped(value or "")


def parse(text: str) -> Record:
    """The record of a file's text. Raises BadInput: what is wrong, in which line or field, what to do."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != EDGE:
        raise BadInput("it does not begin with ---", "line 1", "A record begins with its fields between two lines ---")
    end = next((place for place, line in enumerate(lines) if place and line.rstrip() == EDGE), 0)
    if not end:
        raise BadInput("the fields are not closed by ---: the file is torn", f"line {len(lines)}", "Restore it")
    given = _fields(lines[1:end])
    version = given.pop("holdfast", None)
    if version != VERSION:
        is_newer = isinstance(version, int) and version > VERSION
        what = "a newer Holdfast has written it" if is_newer else f"it is no record of version {VERSION}"
        raise BadInput(what, "holdfast", "Update Holdfast" if is_newer else "Restore it, or move it away")
    return check(_with_body(given, "\n".join(["", *lines[end + 1 :]])))


def is_record(start: bytes) -> bool:
    """Whether a file that begins so is one of ours."""
    lines = start.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    return lines[0].rstrip() == EDGE.encode() and lines[1:] != [] and lines[1].startswith(b"holdfast:")


def overruled(text: str, record: Record) -> dict[str, str]:
    """Lines of a record's file that repeat a field and say something else -> the field, which alone counts."""
    _, _, body = text.replace("\r\n", "\n").partition(f"\n{EDGE}\n")
    above, *sections = _sections(f"\n{body}")
    found, said = dict[str, str](), [line.rstrip() for line in above.split("\n")]
    for label, name in _REPEATED[record.kind].items():
        there = [line for line in said if line.startswith(label.rstrip())]
        found |= dict.fromkeys(there if f"{label}{_repeated(record, name)}".rstrip() not in there else (), name)
    told = (one.partition("\n")[2] for one in sections if one.partition("\n")[0].strip() == TAGS)
    lines = (line.strip() for one in told for line in one.split("\n") if _is_tags(line))
    others = (line for line in lines if not {one.strip() for one in line.split(",")} <= {"", *record.tags})
    return found | dict.fromkeys(others, "tags")


def with_notes(record: Record, lines: Iterable[str]) -> Record:
    """The record with these lines as a section of its own, above what stands there already."""
    heading = f"### {NOTES}"
    said = "\n".join(filter(None, [*lines, record.extra.get(heading)]))
    return record._replace(extra={**record.extra, heading: said}) if said else record


def spoken(text: str) -> tuple[str, str]:
    """(title, what else a search finds a record by) of a file's text, unchecked: in a third of the time of `parse`."""
    head, _, body = text.removeprefix("\ufeff").replace("\r\n", "\n").partition(f"\n{EDGE}\n")
    found = dict(line.partition(": ")[::2] for line in head.split("\n"))
    with contextlib.suppress(ValueError, StopIteration, RecursionError):
        title, kind, code = (str(jsonc.loads(found.get(name, '""'))) for name in ("title", "kind", "code"))
        names = [str(one) for name in ("tags", "paths") for one in jsonc.loads(found.get(name, "[]"))]
        said: list[str] = []
        for section in _sections(f"\n{body}")[1:]:
            heading, _, told = section.partition("\n")
            _, rule = _SECTIONS.get(kind, {}).get(heading, ("", {"type": "integer"}))
            if told.strip() and rule["type"] == "array":
                said += _items(told.strip("\n"))
            elif rule.get("x-form") == "text":
                said.append(_unescaped(told))
        return title, "\n".join([*said, " ".join(names), code])
    return "", ""


def _fields(lines: list[str]) -> dict[str, Any]:
    """lines: those of the file from its second one to the edge."""
    given: dict[str, Any] = {}
    for number, line in enumerate(lines, 2):
        name, colon, value = line.partition(":")
        if not colon and not line.strip():
            continue
        if not colon or name in ("content", "extra"):
            _refuse_line(number, line, "this is no `key: JSON value`")
        value = value.strip()
        try:
            found, stop = jsonc.scan(value, 0)
            given[name] = max(given[name], found, key=jsonc.dumps) if name in given else found
        except (StopIteration, ValueError, RecursionError):
            stop = -1
        if stop != len(value):
            _refuse_line(number, line, f"{name} is not a JSON value")
    return given


def _refuse_line(number: int, line: str, what: str) -> NoReturn:
    if line.startswith(_CONFLICT):
        raise BadInput("a conflict of a merge stands in it", f"line {number}", "Resolve the merge")
    raise BadInput(what, f"line {number}", 'Values are JSON: "a text", 5, true or ["a", "b"]')


def _with_body(given: dict[str, Any], body: str) -> dict[str, Any]:
    """body: the text below the fields, each line with the line end before it."""
    if any(f"\n{sign}" in body for sign in _CONFLICT):
        raise BadInput("a conflict of a merge stands in it", "the text", "Resolve the merge")
    content: dict[str, Any] = {}
    given["content"], fields = content, _SECTIONS.get(str(given.get("kind")), {})
    above, *rest = _sections(body)
    repeated = tuple(map(str.rstrip, _REPEATED.get(str(given.get("kind")), ())))
    notes = [line for line in above.split("\n") if not line.startswith(repeated)]
    sections: dict[str, list[str]] = {}
    for section in rest:
        heading, _, text = section.partition("\n")
        if heading.strip() == TAGS:
            notes += (line for line in text.split("\n") if not _is_tags(line))
        else:
            sections.setdefault(heading.strip(), []).append(text)
    if (said := "\n".join(notes).strip("\n")).strip():
        sections.setdefault(NOTES, []).insert(0, said)
    for heading, texts in sections.items():
        text = "\n".join(texts)
        if heading not in fields:
            given[f"### {heading}"] = _unescaped(text)
        elif text.strip():
            name, rule = fields[heading]
            content[name] = _value(rule, text.strip("\n"))
    return given


def _is_tags(line: str) -> bool:
    """Whether a line may repeat the tags: words between commas, none of several words."""
    words = [one.split() for one in line.split(",")]
    return any(words) and all(len(one) <= 1 for one in words)


def _value(rule: Rule, text: str) -> Any:
    if rule["type"] == "array":
        return _items(text)
    if rule["type"] == "integer":
        number = text.strip().removesuffix("%").rstrip()
        return int(number) if number.isascii() and number.isdecimal() and len(number) <= len("100") else number
    if "enum" in rule:  # of two, as a merge leaves them, the graver
        said = text.lower().split()
        return next((one for one in rule["enum"] if one in said and set(said) <= set(rule["enum"])), " ".join(said))
    return _unescaped(text)


def _items(text: str) -> list[str]:
    """The items of a list; lines that begin with two blanks, or with no mark, go on with the item above."""
    items: list[list[str]] = []
    for line in text.split("\n"):
        mark, _, rest = line.partition(" ")
        is_item = mark in ("-", "*") or (mark[:-1].isdecimal() and len(mark) <= 4 and mark[-1] in ".)")
        if is_item or not items:
            items.append([rest.lstrip(" ") if is_item else line])
        else:
            items[-1].append(line.removeprefix("  "))
    return ["\n".join(lines) for lines in items]
