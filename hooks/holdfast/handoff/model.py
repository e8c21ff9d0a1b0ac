"""The handoff: what a sub-agent returns, as a value, read from whatever form it came in.

Accepted are JSON in a fence, bare JSON, XML and prose. Reading never fails and never drops text: what no field takes is
in `Parsed.rest`, and what is torn is named in `Parsed.problems`. Source: requirement B2.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any, NamedTuple

from holdfast.handoff import decision as decisions
from holdfast.handoff import structure
from holdfast.hot import jsonc
from holdfast.text import identifiers
from holdfast.text import late as re
from holdfast.text.lines import counted


class Handoff(NamedTuple):
    """What a sub-agent hands to the agent that called it."""  # schema.py makes the schema of these lines

    task_id: Annotated[str, "as it was given to the agent"] = ""
    phase: Annotated[str, "research, write, test, review, or a name of your own"] = ""
    status: Annotated[str, "complete, partial or failed"] = ""
    decision: Annotated[str, "may the caller go on?"] = ""
    context_summary: Annotated[str, "what the next step needs, within the limit"] = ""
    files_of_interest: Annotated[tuple[str, ...], "paths (and lines) that need attention"] = ()
    files_changed: Annotated[tuple[str, ...], "paths that the agent changed"] = ()
    errors: Annotated[tuple[str, ...], "errors still open, word for word"] = ()
    tokens_used: Annotated[int, "by the agent; 0 where it does not know"] = 0
    findings: Annotated[object, "raw detail; it stays in the report and is dropped on the way"] = ""


FIELDS = Handoff._fields
_LINE = 200
"""Characters of a line around data, such as "Here is the list:"; a longer one says something of its own."""
_TAG = re.compile(rf"<({'|'.join(FIELDS)})\s*>(.*?)(?:</\1\s*>|(?=<(?:{'|'.join(FIELDS)})\s*>)|\Z)", re.DOTALL)


class Parsed(NamedTuple):
    """A handoff, the form it came in, and what was odd about it.

    Forms: "json-fence", "json", "xml", "prose", and "data" for JSON or a fenced block from end to end, but for a line,
    that is no handoff: its task asked for that, and it stays as it is. rest: text outside the structured part, and
    fields that a handoff does not have; given: the fields as they stood, which schema.py can hold against its own.
    """

    handoff: Handoff
    form: str
    problems: tuple[str, ...] = ()
    rest: str = ""
    given: Mapping[str, Any] = {}
    holds: str = ""  # of JSON that is no handoff: how much

    @property
    def read(self) -> str:
        """What of it the parent reads: of a structured handoff everything but its findings."""
        as_is = self.form in ("prose", "data")
        return self.handoff.context_summary if as_is else render(self.handoff, self.rest)

    @property
    def decided(self) -> str:
        """Its decision, as a keyword or in its own words; "" where it states none."""
        return self.handoff.decision or decisions.find(self.read)


@lru_cache(maxsize=4)  # a return is judged, then quoted or noted
def parse(text: str) -> Parsed:
    """Read a report in any form; never raises, never loses text."""
    reasons: list[str] = []
    for form, start, begin in _json_places(text):
        try:
            value, end = jsonc.scan(text, begin)
            plain(value)  # what is nested too deeply to be said in words is no handoff
        except (StopIteration, ValueError, RecursionError) as error:
            reasons.append(("" if isinstance(error, StopIteration) else str(error)) or "no value")
            continue
        around = _join(text[:start], text[end:].lstrip().removeprefix("```"))
        if isinstance(value, dict) and ("context_summary" in value or ("decision" in value and not around)):
            return _from_fields(form, value, around)  # one that stands in prose may be an example of another thing
        if isinstance(value, (dict, list)) and len(around) <= _LINE and "\n" not in around:
            holds = counted(len(value), "key" if isinstance(value, dict) else "value")
            return Parsed(Handoff(context_summary=text), "data", holds=f"JSON with {holds}")
    torn = reasons and any(f'"{name}"' in text for name in FIELDS)
    problems = [f"the JSON does not parse ({reasons[0]}); the report was read as prose"] if torn else []
    return _from_xml(text) or _from_prose(text, problems)


def _json_places(text: str) -> Iterator[tuple[str, int, int]]:
    """(form, where its mark begins, where JSON may begin): fences, a list to the end, the first brace."""
    fences = re.finditer(r"```[ \t]*+(?:json[c5]?[ \t]*+)?\n\s*+(?=[\[{])", text, re.IGNORECASE)
    yield from (("json-fence", *fence.span()) for fence in islice(fences, 20))  # each may be long to try
    if (start := f"\n{text}".find("\n[")) >= 0 and text.rstrip().endswith("]"):
        yield "json", start, start
    if (brace := text.find("{")) >= 0:
        yield "json", brace, brace


def _from_xml(text: str) -> Parsed | None:
    """Of a report that begins with a tag of a handoff, or ends in one of it, with <handoff> at the start of a line.

    A tag amid prose is something that the report speaks of. What is not closed runs to the next tag.
    """
    root = text.find("\n<handoff>") if text.rstrip().endswith("</handoff>") else -1
    before, body = text[: root + 1], text[root + 1 :]
    opened = re.match(rf"\s*(?:```\w*\s*)?<(?:handoff|result|response|return|report|{'|'.join(FIELDS)})\b", body)
    fields: dict[str, Any] = {}
    problems: list[str] = []
    rest = [before, _TAG.sub("\n", body)]
    for found in _TAG.finditer(body) if opened else ():
        name, said = found.groups()
        if not found.group().endswith(">"):
            problems.append(f"the tag <{name}> is not closed")
        if name in fields:
            rest.append(said)
            problems.append(f"the tag <{name}> occurs twice; the first is used")
        elif isinstance(Handoff._field_defaults[name], tuple):  # of tags or of lines
            fields[name] = _lines(re.sub(r"</?\w{1,40}>", "\n", said))
        else:
            fields[name] = said.strip()
    if "context_summary" not in fields and "decision" not in fields:  # other fields are tags of other things, too
        return None
    unframed = re.sub(r"</?(?:handoff|result|response|return|report)\b[^<>]*>", "", _join(*rest)).strip()
    return _from_fields("xml", fields, unframed, problems)


def _from_fields(form: str, fields: dict[str, Any], rest: str, problems: Sequence[str] = ()) -> Parsed:
    values: dict[str, Any] = {name: _coerced(name, fields.get(name)) for name in FIELDS}
    said, decision = values["decision"], decisions.keyword(values["decision"])
    extra = [f"{key}: {plain(value)}" for key, value in fields.items() if key not in FIELDS]
    extra += [f"Decision: {said}"] if said.upper() != decision else []
    return Parsed(Handoff(**{**values, "decision": decision}), form, tuple(problems), _join(*extra, rest), fields)


def _coerced(name: str, value: Any) -> Any:
    """A field's value in the type of its default, whatever was given."""
    default = Handoff._field_defaults[name]
    if value in (None, ""):
        return default
    if isinstance(default, tuple):
        entries = value if isinstance(value, list) else _lines(plain(value))
        return tuple(plain(entry) for entry in entries if entry not in (None, ""))
    if isinstance(default, int):
        digits = plain(value).replace(",", "").replace("_", "")
        return int(digits[:18]) if digits.isascii() and digits.isdigit() else default
    return plain(value)


def _from_prose(text: str, problems: list[str]) -> Parsed:
    lines = structure.scan(text)
    around = [line for line in lines if line.kind != "code" or line.language in ("md", "markdown")]
    is_block = len(around) < min(2, len(lines)) and sum(len(line.text) for line in around) <= _LINE
    if is_block and not problems:
        return Parsed(Handoff(context_summary=text), "data")
    changed = tuple(dict.fromkeys(path for said in _listed(lines, "changed") for path in identifiers.paths(said)))
    handoff = Handoff(
        decision=decisions.keyword(decisions.find(text)),
        context_summary=text.strip(),
        files_of_interest=tuple(path for path in identifiers.paths(text) if path not in changed),
        files_changed=changed,
        errors=tuple(dict.fromkeys(_listed(lines, "errors")))[:12],
    )
    return Parsed(handoff, "prose", tuple(problems) if text.strip() else ("the report is empty",))


def _listed(lines: Sequence[structure.ReportLine], kind: str) -> list[str]:
    """The items under headings of this kind, and the values of fields that are labelled so."""
    found = []
    for place, line in enumerate(lines):
        label, value = line.field
        if line.kind in ("code", "row") or not structure.is_labelled(label or line.plain, kind):
            continue
        inside = structure.section(lines, place) if line.kind == "heading" and not value else ()
        listed = [value] if value else [one.plain for one in inside if one.kind == "item"]
        found += [] if structure.is_empty(listed) else listed
    return found


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
