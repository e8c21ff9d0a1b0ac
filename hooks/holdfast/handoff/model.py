"""The handoff: what a sub-agent returns, as a value, read from whatever form it came in.

Accepted are JSON in a fence, bare JSON, XML and prose. Reading never fails and never drops text: what no field takes is
in `Parsed.rest`, and every liberty taken is named in `Parsed.problems`. The shape for programs, with what each field
means, stands in handoff/schema.py. Source: requirement B2.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from holdfast.handoff import decision as decisions
from holdfast.handoff import structure
from holdfast.hot import jsonc
from holdfast.text import identifiers

DECISIONS = decisions.DECISIONS
_LISTS = ("files_of_interest", "files_changed", "errors")
_ERRORS = ("open error", "error", "blocker", "unresolved")
_CHANGED = ("files changed", "changed files", "files modified", "modified files", "files created")
"""Labels of lists in prose, as `render` writes them and the protocol names them."""


class Handoff(NamedTuple):
    """What passes from one agent to the next; texts are "" and lists empty where nothing was given."""

    task_id: str = ""
    phase: str = ""
    status: str = ""
    decision: str = ""
    context_summary: str = ""
    files_of_interest: tuple[str, ...] = ()
    files_changed: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    tokens_used: int = 0
    findings: str = ""


FIELDS = Handoff._fields


class Parsed(NamedTuple):
    """A handoff, the form it came in, and what was odd about it.

    Forms: "json-fence", "json", "xml", "prose", and "data" for JSON from end to end that is no handoff: its task asked
    for that, and it stays as it is. rest: text outside the structured part, and fields that a handoff does not have.
    """

    handoff: Handoff
    form: str
    problems: tuple[str, ...] = ()
    rest: str = ""


def parse(text: str) -> Parsed:
    """Read a report in any form; never raises, never loses text."""
    problems: list[str] = []
    for form, before, body in _json_places(text):
        value, after = _json(body, problems)
        if isinstance(value, dict) and ("context_summary" in value or "decision" in value):
            return _from_fields(form, value, _join(before, after), problems)
        if isinstance(value, (dict, list)) and not before.strip() and not after.strip():
            return Parsed(Handoff(context_summary=text), "data")
    odd: list[str] = []
    fields, rest = _from_xml(text, odd)
    if "context_summary" in fields or "decision" in fields:  # other names of fields are tags in prose, too
        return _from_fields("xml", fields, rest, problems + odd)
    return _from_prose(text, problems)


def parent_text(parsed: Parsed) -> str:
    """What of a report the parent would read: of a structured handoff everything but its findings."""
    if parsed.form in ("prose", "data"):
        return parsed.handoff.context_summary
    return render(parsed.handoff, parsed.rest)


def _json_places(text: str) -> Iterator[tuple[str, str, str]]:
    """(form, text before, text from there on) wherever JSON may begin: in fences, at the first brace, at the start."""
    pieces = text.split("```")
    for place in range(1, len(pieces), 2):
        label, _, body = pieces[place].partition("\n")
        if label.strip().lower() in ("", "json", "jsonc", "json5") and body.lstrip().startswith(("{", "[")):
            yield "json-fence", "```".join(pieces[:place]), "```".join([body, *pieces[place + 1 :]]).lstrip()
    before, opened, body = text.partition("{")
    if text.lstrip().startswith("[") and text.rstrip().endswith("]"):
        yield "json", "", text.lstrip()
    if opened:
        yield "json", before, opened + body


def _json(body: str, problems: list[str]) -> tuple[Any, str]:
    """The JSON value at the start of `body` and the text after it; None where there is none."""
    try:
        value, end = jsonc.scan(body, 0)
        plain(value)  # what is nested too deeply to be said in words is no handoff
    except (StopIteration, ValueError, RecursionError) as error:
        reason = f"no value at character {error.value}" if isinstance(error, StopIteration) else str(error)
        if any(f'"{name}"' in body for name in FIELDS):
            problems.append(f"the JSON does not parse ({reason or 'too deep'}); the report was read as prose")
        return None, ""
    return value, body[end:].lstrip().removeprefix("```")


def _from_xml(text: str, problems: list[str]) -> tuple[dict[str, Any], str]:
    """Tags named like the fields, inside or outside a root tag, and the rest; what is not closed runs to the next."""
    import re  # the ordinary road has it loaded already

    names = "|".join(FIELDS)
    tag = re.compile(rf"<({names})\s*>(.*?)(?:</\1\s*>|(?=<(?:{names})\s*>)|\Z)", re.DOTALL)
    fields: dict[str, Any] = {}
    rest = [tag.sub("\n", text)]
    for found in tag.finditer(text):
        name, body = found.groups()
        if not found.group().endswith(">"):
            problems.append(f"the tag <{name}> is not closed")
        if name in fields:
            rest.append(body)
            problems.append(f"the tag <{name}> occurs twice; the first is used")
        elif name in _LISTS:  # of tags or of lines
            fields[name] = _lines(re.sub(r"<(\w+)>(.*?)</\1>", r"\n\2\n", body, flags=re.DOTALL))
        else:
            fields[name] = body.strip()
    return fields, re.sub(r"</?(?:handoff|result|response|return|report)\b[^>]*>", "", _join(*rest)).strip()


def _from_fields(form: str, fields: dict[str, Any], rest: str, problems: list[str]) -> Parsed:
    values: dict[str, Any] = {name: _coerced(name, fields.get(name), problems) for name in FIELDS}
    said, decision = values["decision"], decisions.keyword(values["decision"])
    if said and not decision:
        problems.append(f"decision is {said[:40]!r}; allowed: {', '.join(DECISIONS)}")
    if not values["context_summary"]:
        problems.append("context_summary is missing")
    extra = [f"{key}: {plain(value)}" for key, value in fields.items() if key not in FIELDS]
    extra += [f"Decision: {said}"] if said.upper() != decision else []
    return Parsed(Handoff(**{**values, "decision": decision}), form, tuple(problems), _join(*extra, rest))


def _coerced(name: str, value: Any, problems: list[str]) -> Any:
    """A field's value in the type of its default; one of another type is named, and kept in words."""
    default = Handoff._field_defaults[name]
    if value in (None, ""):
        return default
    said, wanted = plain(value), ""
    if isinstance(default, tuple):
        wanted = "" if isinstance(value, list) else "a list"
        made: Any = tuple(_lines(said) if wanted else (plain(item) for item in value if item not in (None, "")))
    elif isinstance(default, int):
        digits = said.replace(",", "").replace("_", "")
        wanted = "" if digits.isascii() and digits.isdigit() else "a whole number"
        made = default if wanted else int(digits[:18])
    else:
        wanted = "" if isinstance(value, str) or name == "findings" else "text"
        made = said
    if wanted:
        problems.append(f"{name} is {str(value)[:40]!r}, not {wanted}")
    return made


def _from_prose(text: str, problems: list[str]) -> Parsed:
    if not text.strip():
        problems.append("the report is empty")
    lines = structure.scan(text)
    changed = tuple(dict.fromkeys(path for said in _listed(lines, _CHANGED) for path in identifiers.paths(said)))
    handoff = Handoff(
        decision=decisions.find(text).name,
        context_summary=text.strip(),
        files_of_interest=tuple(path for path in identifiers.paths(text) if path not in changed),
        files_changed=changed,
        errors=tuple(dict.fromkeys(_listed(lines, _ERRORS)))[:12],
    )
    return Parsed(handoff, "prose", tuple(problems))


def _listed(lines: list[structure.Line], labels: tuple[str, ...]) -> list[str]:
    """The items under headings of these names, and the values of fields that are labelled so."""
    found = []
    for place, line in enumerate(lines):
        label, value = line.field
        name = (label or line.plain).casefold().partition("(")[0].strip(" :")
        if line.kind in ("code", "row") or not (name in labels or name.removesuffix("s") in labels):
            continue
        if value:
            found.append(value)
        elif line.kind == "heading":
            found += [one.plain for one in structure.section(lines, place) if one.kind == "item"]
    return [one for one in found if one.strip(" .-").casefold() not in ("", "none", "n/a")]


def plain(value: Any) -> str:
    """Any JSON value as text that a person reads; of an entry for a file its path first."""
    if isinstance(value, dict):
        path = value.get("path") or value.get("file") or value.get("file_path")
        if isinstance(path, str) and len(value) <= 3:
            others = [str(v) for v in value.values() if v != path]
            return f"{path} ({'; '.join(others)})" if others else path
        return "; ".join(f"{key}: {plain(inner)}" for key, inner in value.items())
    return ", ".join(map(plain, value)) if isinstance(value, list) else str(value).strip()


def _lines(body: str) -> list[str]:
    """A list written as lines, with or without bullets."""
    return [line.strip().lstrip("-*• ").strip() for line in body.replace(",\n", "\n").split("\n") if line.strip(" -*•")]


def _join(*parts: str) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())


def render(handoff: Handoff, rest: str = "") -> str:
    """The text that a parent reads: everything but the findings, which stay in the full report."""
    said = f"Decision: {handoff.decision}" if handoff.decision else ""
    lines = [
        " · ".join(filter(None, (said, handoff.phase, handoff.status, handoff.task_id))),
        handoff.context_summary,
        rest,
        "Open errors:\n" + "\n".join(f"- {error}" for error in handoff.errors) if handoff.errors else "",
    ]
    for label, files in (("Files changed", handoff.files_changed), ("Files of interest", handoff.files_of_interest)):
        unsaid = [file for file in files if file not in handoff.context_summary]
        lines.append(f"{label}: {', '.join(unsaid)}" if unsaid else "")
    return "\n".join(filter(None, lines))
