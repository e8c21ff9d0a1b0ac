"""In which of the four formats is a context written, and how is it read back?

Rule: by its size and use. Below 500 tokens micro, whoever reads it; from 500 on between agents the event, which says
who tells whom; to 2,000 marked text; above that compressed. Micro is YAML, a line for a field and one for each item of
a list; compressed puts each field on one line with `|` between its items and `=` where micro has `: `. A text that
would be read otherwise stands in quotes, as JSON writes it; so both give back exactly what was written. Source:
requirement M. The source's algorithm takes the event only above 2,000 tokens and its table takes it between agents at
any size; here the size of 500 decides (docs/decisions/0011-shared-context.md).
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from holdfast.engine.shared import events, markup_reader
from holdfast.engine.shared.context import SHAPES, Context, filled
from holdfast.errors import BadInput
from holdfast.text import markup
from holdfast.text.tokens import estimate

Item = str | tuple[str, str]

# What YAML reads as something else than these very words, plus what would end the value early.
_NOT_PLAIN = re.compile(
    r"[\s\-?:,\[\]{}#&*!|>'\"%@`~=<.]|.*(?::(?:\s|$)|\s#|\s$)"
    r"|(?i:null|true|false|yes|no|on|off|y|n)$|[+\d][\da-fA-FoOxX_.,:eE+-]*$",
    re.DOTALL,
)


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=not text.isprintable())


def micro(context: Context) -> str:
    """The context as YAML."""
    lines = []
    for name, value in filled(context).items():
        if isinstance(value, str):
            lines.append(f"{name}: {_plain(value)}")
        else:
            items = (_plain(item) if isinstance(item, str) else ": ".join(map(_plain, item)) for item in value)
            lines += [f"{name}:", *(f"- {item}" for item in items)]
    return "\n".join(lines)


def _plain(text: str) -> str:
    return text if text and text.isprintable() and not _NOT_PLAIN.match(text) else _json(text)


def compressed(context: Context) -> str:
    """The context with one line for each field."""
    lines = []
    for name, value in filled(context).items():
        items = (value,) if isinstance(value, str) else value
        told = (_bare(one) if isinstance(one, str) else f"{_bare(one[0], ':')}:{_bare(one[1])}" for one in items)
        lines.append(f"{name}={'|'.join(told)}")
    return "\n".join(lines)


def _bare(text: str, ends: str = "") -> str:
    return _json(text) if text.startswith('"') or any(one in text for one in f"|\n{ends}") else text


def _lines(text: str, what: str) -> Iterator[tuple[str, str]]:
    """(line, where it stands) of what says something."""
    markup_reader.check_size(text, what)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield line, f"{what}, line {number}"


def read_micro(text: str) -> Context:
    """The context of a micro text. Raises BadInput with the line that is wrong."""
    found: dict[str, list[Item]] = {}
    name = ""
    for line, where in _lines(text, "micro context"):
        if line.startswith("- ") and SHAPES.get(name, "text") != "text":
            found[name] += _items(line[2:].rstrip(" "), SHAPES[name], (": ", "\n"), where)
            continue
        key, _, rest = line.partition(":")
        name = _known(key, found, where)
        if SHAPES[name] != "text" and rest.strip():
            raise BadInput("a list begins on its own line", where, 'Write each item on a line that begins with "- "')
        found[name] = [*_items(rest.strip(" "), "text", ("", "\n"), where)] if SHAPES[name] == "text" else []
    return _built(found)


def read_compressed(text: str) -> Context:
    """The context of a compressed text. Raises BadInput with the line that is wrong."""
    found: dict[str, list[Item]] = {}
    for line, where in _lines(text, "compressed context"):
        key, _, rest = line.partition("=")
        name = _known(key, found, where)
        found[name] = [*_items(rest, SHAPES[name], (":", "|"), where)]
    return _built(found)


def _built(found: Mapping[str, list[Item]]) -> Context:
    fields: dict[str, Any] = {
        name: items[0] if SHAPES[name] == "text" else tuple(items) for name, items in found.items()
    }
    return Context(**fields)


def _items(text: str, shape: str, ends: tuple[str, str], where: str) -> Iterator[Item]:
    """The items of a text; ends: of a name, and of an item."""
    at, (named, stop) = 0, ends
    while at <= len(text):
        name = ""
        if shape == "pairs":
            name, end = _scalar(text, at, named, where)
            if not text.startswith(named, end):
                raise BadInput(f"{text[at : at + 40]!r} has no name", where, f"Write name{named}text")
            at = end + len(named)
        value, end = _scalar(text, at, stop, where)
        if not text.startswith(stop, end) and end < len(text):
            raise BadInput("text after the closing quote", where, "Put the whole value into the quotes")
        yield (name, value) if shape == "pairs" else value
        at = end + 1


def _scalar(text: str, at: int, stop: str, where: str) -> tuple[str, int]:
    """A quoted text, or all up to `stop`, and where it ends."""
    if not text.startswith('"', at):
        end = text.find(stop, at)
        end = len(text) if end < 0 else end
        return text[at:end], end
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(text, at)  # jsonc takes no half of an emoji
    except ValueError:
        raise BadInput("a quote is not closed", where, 'Close it, or write quotes within as \\"') from None
    return str(value), end


def _known(key: str, fields: Mapping[str, object], where: str) -> str:
    if key not in SHAPES:
        raise BadInput(f"no field {key[:40]!r}", where, f"Fields are {', '.join(SHAPES)}")
    if key in fields:
        raise BadInput(f"{key} stands twice", where, "Write each field once")
    return key


def _read_xml(text: str) -> Context:
    element = markup_reader.read(text)
    if element.tag != "workflow_context":
        raise BadInput(f"<{element.tag}> is no context", "marked text", "Write it within <workflow_context>")
    return events.context_of(element)


_FORMS: dict[str, tuple[Callable[[Context], str], Callable[[str], Context]]] = {
    "micro": (micro, read_micro),
    "xml": (lambda context: markup.write(events.context_element(context)), _read_xml),
    "event": (
        lambda context: events.write_event(events.Event(context=context)),
        lambda text: events.read_event(text).context,
    ),
    "compressed": (compressed, read_compressed),
}
"""Format -> how it is written and read."""


def select(tokens: int, between_agents: bool = False) -> str:
    """The format's name for a context of this many tokens (written as micro)."""
    if tokens < 500:
        return "micro"
    if between_agents:
        return "event"
    return "xml" if tokens <= 2_000 else "compressed"


def write(context: Context, form: str = "", between_agents: bool = False) -> str:
    """The context in the format that is named, or in the one that fits. Raises BadInput for an unknown name."""
    chosen = form or select(estimate(micro(context)), between_agents)
    if chosen not in _FORMS:
        raise BadInput(f"no format {form!r}", "form", f"Formats are {', '.join(_FORMS)}")
    return _FORMS[chosen][0](context)


def read(text: str) -> Context:
    """The context of a text in any of the four formats, known by how it begins. Raises BadInput."""
    start = text.lstrip()
    if start.startswith("<"):
        form = "event" if f"<{events.EVENT_TAG}" in start[:200] else "xml"
    else:
        first = next((line for line in start.split("\n") if line.strip() and not line.startswith("#")), "")
        form = "compressed" if "=" in first.split(":")[0] else "micro"
    return _FORMS[form][1](text)
