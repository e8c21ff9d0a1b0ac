"""The handoff: what a sub-agent returns, as a value, read from whatever form it came in.

Accepted are JSON in a fence, bare JSON, XML and prose. Reading never fails and never drops text: what no field takes is
in `Parsed.rest`, and every liberty taken is named in `Parsed.problems`. The shape for programs, with what each field
means, stands in handoff/schema.py. Source: requirement B2.
"""

from typing import Any, NamedTuple

from holdfast.handoff import decision as decisions
from holdfast.handoff import structure
from holdfast.hot import jsonc
from holdfast.text import identifiers

DECISIONS = decisions.DECISIONS
_TEXTS = ("task_id", "phase", "status", "context_summary")
_LISTS = ("files_of_interest", "files_changed", "errors")
FIELDS = (*_TEXTS, "decision", *_LISTS, "tokens_used", "findings")
_TELLING = ("context_summary", "decision")
"""An object with neither is some other JSON that the task asked for."""
_ERRORS = ("open error", "error", "blocker", "unresolved")
_CHANGED = ("files changed", "changed files", "files modified", "modified files", "files created")
"""Labels of lists in prose, as `render` writes them and the protocol names them."""
_NOTHING = ("", "none", "n/a")
MOST_ERRORS = 12


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


class Parsed(NamedTuple):
    """A handoff, the form it came in, and what was odd about it.

    Forms: "json-fence", "json", "xml", "prose", and "data" for JSON from end to end that is no handoff: its task asked
    for that, and it stays as it is.
    """

    handoff: Handoff
    form: str
    problems: tuple[str, ...] = ()
    rest: str = ""
    """Text outside the structured part, and fields that a handoff does not have."""


Found = tuple[dict[str, Any], str]
"""The fields that were read, and the text around them."""


def parse(text: str) -> Parsed:
    """Read a report in any form; never raises, never loses text."""
    problems: list[str] = []
    for form, reader in (("json-fence", _from_fence), ("json", _from_bare), ("xml", _from_xml)):
        found = reader(text, problems)
        if found is not None:
            return _from_fields(found, form, problems)
    if _is_data(text):
        return Parsed(Handoff(context_summary=text), "data")
    return _from_prose(text, problems)


def parent_text(parsed: Parsed) -> str:
    """What of a report the parent would read: of a structured handoff everything but its findings."""
    if parsed.form in ("prose", "data"):
        return parsed.handoff.context_summary
    return render(parsed.handoff, rest=parsed.rest)


def _is_data(text: str) -> bool:
    body = text.strip()
    if body.startswith("```") and body.endswith("```"):
        body = body[3:-3].partition("\n")[2].strip()
    try:
        value, end = jsonc.scan(body, 0)
    except (StopIteration, ValueError, RecursionError):
        return False
    return isinstance(value, (dict, list)) and end == len(body)


def _from_fence(text: str, problems: list[str]) -> Found | None:
    pieces = text.split("```")
    for place in range(1, len(pieces), 2):
        label, _, body = "```".join(pieces[place:]).partition("\n")
        if label.strip().lower() in ("", "json", "jsonc", "json5") and body.lstrip().startswith("{"):
            found = _object(body, problems if label.strip() else [])
            if found is not None:
                return found[0], _join("```".join(pieces[:place]), found[1].lstrip().removeprefix("```"))
    return None


def _from_bare(text: str, problems: list[str]) -> Found | None:
    before, opened, _ = text.partition("{")
    if not opened or not any(f'"{name}"' in text for name in FIELDS):
        return None
    found = _object(text[len(before) :], problems)
    return (found[0], _join(before, found[1])) if found else None


def _object(body: str, problems: list[str]) -> Found | None:
    """The handoff object at the start of `body` and the text after it; None when it is not one."""
    body = body.lstrip()
    try:
        value, end = jsonc.scan(body, 0)
        plain(value)  # what is nested too deeply to be said in words is no handoff
    except (StopIteration, ValueError, RecursionError) as error:
        if any(f'"{name}"' in body for name in FIELDS):
            reason = f"no value at character {error.value}" if isinstance(error, StopIteration) else str(error)
            problems.append(f"the JSON does not parse ({reason or 'too deep'}); the report was read as prose")
        return None
    return (value, body[end:]) if isinstance(value, dict) and any(name in value for name in _TELLING) else None


def _from_xml(text: str, problems: list[str]) -> Found | None:
    """Tags named like the fields, inside or outside a root tag; a tag that is not closed runs to the next."""
    import re  # the ordinary road has it loaded already

    names = "|".join(FIELDS)
    if not re.search(rf"<(?:{names})\s*>", text):
        return None
    fields: dict[str, Any] = {}
    pieces, position = [], 0
    for match in re.finditer(rf"<({names})\s*>(.*?)(?:</\1\s*>|(?=<(?:{names})\s*>)|\Z)", text, re.DOTALL):
        if not match.group().rstrip().endswith(">"):
            problems.append(f"the tag <{match[1]}> is not closed")
        if match[1] in fields:
            pieces.append(match[2])
            problems.append(f"the tag <{match[1]}> occurs twice; the first is used")
        else:
            items = re.findall(r"<(\w+)[^>]*>(.*?)</\1\s*>", match[2], re.DOTALL) if match[1] in _LISTS else []
            listed = [item.strip() for _, item in items] or (_lines(match[2]) if match[1] in _LISTS else [])
            fields[match[1]] = listed if match[1] in _LISTS else match[2].strip()
        pieces.append(text[position : match.start()])
        position = match.end()
    rest = re.sub(r"</?(?:handoff|result|response|return|report)\b[^>]*>", "", _join(*pieces, text[position:]))
    return fields, rest.strip()


def _from_fields(found: Found, form: str, problems: list[str]) -> Parsed:
    fields, rest = found
    said = _text("decision", fields.get("decision"), problems)
    decision = decisions.keyword(said)
    if said and not decision:
        problems.append(f"decision is {said[:40]!r}; allowed: {', '.join(DECISIONS)}")
    extra = [f"{key}: {plain(value)}" for key, value in fields.items() if key not in FIELDS]
    extra += [f"Decision: {said}"] if said and said.upper() != decision else []
    texts = {name: _text(name, fields.get(name), problems) for name in _TEXTS}
    lists = {name: _names(name, fields.get(name), problems) for name in _LISTS}
    handoff = Handoff(
        **texts,  # type: ignore[arg-type]  # by name
        **lists,  # type: ignore[arg-type]
        decision=decision,
        tokens_used=_whole_number(fields.get("tokens_used"), problems),
        findings=plain(fields.get("findings") or ""),
    )
    if not handoff.context_summary:
        problems.append("context_summary is missing")
    return Parsed(handoff, form, tuple(problems), _join(*extra, rest))


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
        errors=tuple(dict.fromkeys(_listed(lines, _ERRORS)))[:MOST_ERRORS],
    )
    return Parsed(handoff, "prose", tuple(problems))


def _listed(lines: list[structure.Line], labels: tuple[str, ...]) -> list[str]:
    """The items under headings of these names, and the values of fields that are labelled so."""
    found = []
    for place, line in enumerate(lines):
        label, value = line.field
        if line.kind == "heading" and not value and _is_label(line.plain, labels):
            found += [one.plain for one in structure.section(lines, place) if one.kind == "item"]
        elif line.kind not in ("code", "row") and value and _is_label(label, labels):
            found.append(value)
    return [one for one in found if one.strip(" .-").casefold() not in _NOTHING]


def _is_label(text: str, labels: tuple[str, ...]) -> bool:
    name = text.casefold().partition("(")[0].strip(" :")
    return name in labels or name.removesuffix("s") in labels


def _text(name: str, value: Any, problems: list[str]) -> str:
    """A field that holds one text."""
    if value is not None and not isinstance(value, str):
        problems.append(f"{name} is {_kind(value)}, not text")
    return "" if value is None else plain(value)


def _names(name: str, value: Any, problems: list[str]) -> tuple[str, ...]:
    """A field that holds a list of texts."""
    if value is None or value == "":
        return ()
    if not isinstance(value, list):
        problems.append(f"{name} is {_kind(value)}, not a list")
        return tuple(_lines(value)) if isinstance(value, str) else (plain(value),)
    return tuple(plain(item) for item in value if item not in (None, ""))


def _whole_number(value: Any, problems: list[str]) -> int:
    """The field `tokens_used`; 0 when it says nothing."""
    if value is None or value == "":
        return 0
    digits = str(value).replace(",", "").replace("_", "").strip()
    if isinstance(value, (int, float, str)) and not isinstance(value, bool) and digits.isascii() and digits.isdigit():
        return int(digits[:18])
    problems.append(f"tokens_used is {str(value)[:40]!r}, not a whole number")
    return 0


def _kind(value: Any) -> str:
    kinds = {str: "text", bool: "a truth value", int: "a number", float: "a number", dict: "an object", list: "a list"}
    return kinds.get(type(value), type(value).__name__)


def plain(value: Any) -> str:
    """Any JSON value as text that a person reads."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        path = value.get("path") or value.get("file") or value.get("file_path")
        if isinstance(path, str) and len(value) <= 3:
            others = [str(v) for v in value.values() if v != path]
            return f"{path} ({'; '.join(others)})" if others else path
        return "; ".join(f"{key}: {plain(inner)}" for key, inner in value.items())
    return ", ".join(map(plain, value)) if isinstance(value, list) else str(value)


def _lines(body: str) -> list[str]:
    """A list written as lines, with or without bullets."""
    return [line.strip().lstrip("-*• ").strip() for line in body.replace(",\n", "\n").split("\n") if line.strip(" -*•")]


def _join(*parts: str) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())


def render(handoff: Handoff, report_path: str = "", rest: str = "") -> str:
    """The text that a parent reads: everything but the findings, which stay in the full report."""
    said = f"Decision: {handoff.decision}" if handoff.decision else ""
    named = (("Files changed", handoff.files_changed), ("Files of interest", handoff.files_of_interest))
    lines = [
        " · ".join(filter(None, (said, handoff.phase, handoff.status, handoff.task_id))),
        handoff.context_summary,
        rest,
        "Open errors:\n" + "\n".join(f"- {error}" for error in handoff.errors) if handoff.errors else "",
    ]
    for label, files in named:
        unsaid = [file for file in files if file not in handoff.context_summary]
        lines.append(f"{label}: {', '.join(unsaid)}" if unsaid else "")
    lines.append(f"Full report: {report_path}" if report_path else "")
    return "\n".join(line for line in lines if line)
