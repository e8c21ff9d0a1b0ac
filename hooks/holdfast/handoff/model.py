"""The handoff: what a sub-agent returns, as a value, read from whatever form it came in.

Accepted are JSON in a fence, bare JSON, XML and prose. Reading never fails and never drops text: what no
field takes is in `Parsed.rest`, and every liberty taken is named in `Parsed.problems`.
"""

from typing import Any, NamedTuple

from holdfast.handoff import coerce, prose
from holdfast.handoff import decision as verdict
from holdfast.hot import jsonc
from holdfast.text import identifiers

DECISIONS = verdict.DECISIONS
_TEXTS = ("task_id", "phase", "status", "context_summary")
_LISTS = ("files_of_interest", "files_changed", "errors")
FIELDS = (*_TEXTS, "decision", *_LISTS, "tokens_used", "findings")


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
    """A handoff, the form it came in ("json-fence", "json", "xml" or "prose"), and what was odd about it."""

    handoff: Handoff
    form: str
    problems: tuple[str, ...] = ()
    rest: str = ""
    """Text outside the structured part, and fields that a handoff does not have."""


def parse(text: str) -> Parsed:
    """Read a report in any form; never raises, never loses text."""
    problems: list[str] = []
    for form, reader in (("json-fence", _from_fence), ("json", _from_bare), ("xml", _from_xml)):
        found = reader(text, problems)
        if found is not None:
            fields, rest = found
            return _from_fields(fields, form, problems, rest)
    return _from_prose(text, problems)


def _from_fence(text: str, problems: list[str]) -> tuple[dict[str, Any], str] | None:
    start = 0
    while (opening := text.find("```", start)) >= 0:
        line_end = text.find("\n", opening)
        closing = text.find("```", line_end) if line_end >= 0 else -1
        if line_end < 0:
            return None
        body = text[line_end + 1 : closing if closing >= 0 else len(text)]
        label = text[opening + 3 : line_end].strip().lower()
        if label in ("", "json", "jsonc", "json5") and body.lstrip().startswith("{"):
            fields = _object(body, problems if label else [])
            if fields is not None:
                after = text[closing + 3 :] if closing >= 0 else ""
                return fields[0], _join(text[:opening], fields[1], after)
        if closing < 0:
            return None
        start = closing + 3
    return None


def _from_bare(text: str, problems: list[str]) -> tuple[dict[str, Any], str] | None:
    start = text.find("{")
    if start < 0 or not any(f'"{name}"' in text for name in FIELDS):
        return None
    found = _object(text[start:], problems)
    return (found[0], _join(text[:start], found[1])) if found else None


def _object(body: str, problems: list[str]) -> tuple[dict[str, Any], str] | None:
    """The handoff object at the start of `body` and the text after it; None when it is not one."""
    body = body.lstrip()
    try:
        value, end = jsonc.scan(body, 0)
        coerce.plain(value)  # what is nested too deeply to be said in words is no handoff
    except (StopIteration, ValueError, RecursionError) as error:
        if any(f'"{name}"' in body for name in FIELDS):
            problems.append(f"the JSON does not parse ({_reason(error)}); the report was read as prose")
        return None
    if isinstance(value, dict) and any(name in value for name in FIELDS):
        return value, body[end:]
    return None


def _reason(error: Exception) -> str:
    if isinstance(error, StopIteration):
        return f"no value at character {error.value}"
    return str(error) or type(error).__name__


def _from_xml(text: str, problems: list[str]) -> tuple[dict[str, Any], str] | None:
    """Tags named like the fields, inside or outside a root tag; a tag that is not closed runs to the next."""
    import re  # terms has it loaded already

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
            fields[match[1]] = _xml_value(match[1], match[2])
        pieces.append(text[position : match.start()])
        position = match.end()
    rest = re.sub(r"</?(?:handoff|result|response|return|report)\b[^>]*>", "", _join(*pieces, text[position:]))
    return fields, rest.strip()


def _xml_value(name: str, body: str) -> Any:
    import re

    if name not in _LISTS:
        return body.strip()
    items = re.findall(r"<(\w+)[^>]*>(.*?)</\1\s*>", body, re.DOTALL)
    return [item.strip() for _, item in items] if items else coerce.lines(body)


def _from_fields(fields: dict[str, Any], form: str, problems: list[str], rest: str) -> Parsed:
    values: dict[str, Any] = {name: coerce.text(name, fields.get(name), problems) for name in _TEXTS}
    values.update({name: coerce.names(name, fields.get(name), problems) for name in _LISTS})
    said = coerce.text("decision", fields.get("decision"), problems)
    decision = verdict.keyword(said) if said else ""
    if said and not decision:
        problems.append(f"decision is {said[:40]!r}; allowed: {', '.join(DECISIONS)}")
    extra = [f"{key}: {coerce.plain(value)}" for key, value in fields.items() if key not in FIELDS]
    extra += [f"decision: {said}"] if said and said.upper() != decision else []
    findings = fields.get("findings")
    handoff = Handoff(
        **values,
        decision=decision,
        tokens_used=coerce.whole_number(fields.get("tokens_used"), problems),
        findings="" if findings is None else coerce.plain(findings),
    )
    if not handoff.context_summary:
        problems.append("context_summary is missing")
    return Parsed(handoff, form, tuple(problems), _join(*extra, rest))


def _from_prose(text: str, problems: list[str]) -> Parsed:
    if not text.strip():
        problems.append("the report is empty")
    changed = prose.files_changed(text)
    handoff = Handoff(
        decision=verdict.decide(text).name,
        context_summary=text.strip(),
        files_of_interest=tuple(path for path in identifiers.paths(text) if path not in changed),
        files_changed=changed,
        errors=prose.open_errors(text),
    )
    return Parsed(handoff, "prose", tuple(problems))


def _join(*parts: str) -> str:
    return "\n".join(part.strip() for part in parts if part.strip())


def render(handoff: Handoff, report_path: str = "", rest: str = "") -> str:
    """The text that a parent reads: everything but the findings, which stay in the full report."""
    named = (("Files changed", handoff.files_changed), ("Files of interest", handoff.files_of_interest))
    lines = [
        " · ".join(
            filter(
                None,
                (
                    f"Decision: {handoff.decision}" if handoff.decision else "",
                    handoff.phase,
                    handoff.status,
                    handoff.task_id,
                ),
            )
        ),
        handoff.context_summary,
        rest,
        "Open errors:\n" + "\n".join(f"- {error}" for error in handoff.errors) if handoff.errors else "",
        *(
            f"{label}: {', '.join(_unsaid(files, handoff.context_summary))}"
            for label, files in named
            if _unsaid(files, handoff.context_summary)
        ),
        f"Full report: {report_path}" if report_path else "",
    ]
    return "\n".join(line for line in lines if line)


def _unsaid(files: tuple[str, ...], summary: str) -> list[str]:
    return [file for file in files if file not in summary]
