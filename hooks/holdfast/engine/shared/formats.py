"""In which of the four formats is a context written?

Rule: by its size and use. Below 500 tokens micro, whoever reads it; from 500 on between agents the event, which says
who tells whom; to 2,000 marked text; above that compressed. Source: requirement M. The source's algorithm takes the
event only above 2,000 tokens and its table takes it between agents at any size; here the size of 500 decides, because
a small context costs a third more as an event (docs/decisions/0011-shared-context.md).
"""

from collections.abc import Callable

from holdfast.engine.shared import events, lines
from holdfast.engine.shared.context import Context
from holdfast.errors import BadInput
from holdfast.text import markup
from holdfast.text.tokens import estimate

MICRO, XML, EVENT, COMPRESSED = "micro", "xml", "event", "compressed"
SMALL, LARGE = 500, 2_000


def _xml(context: Context) -> str:
    return markup.write(events.context_element(context))


def _read_xml(text: str) -> Context:
    element = markup.read(text)
    if element.tag != events.CONTEXT_TAG:
        raise BadInput(f"<{element.tag}> is no context", "marked text", f"Write it within <{events.CONTEXT_TAG}>")
    return events.context_of(element)


_WRITERS: dict[str, Callable[[Context], str]] = {
    MICRO: lines.micro,
    XML: _xml,
    EVENT: lambda context: events.write_event(events.Event(context=context)),
    COMPRESSED: lines.compressed,
}
_READERS: dict[str, Callable[[str], Context]] = {
    MICRO: lines.read_micro,
    XML: _read_xml,
    EVENT: lambda text: events.read_event(text).context,
    COMPRESSED: lines.read_compressed,
}


def select(tokens: int, between_agents: bool = False) -> str:
    """The format's name for a context of this many tokens (written as micro)."""
    if tokens < SMALL:
        return MICRO
    if between_agents:
        return EVENT
    return XML if tokens <= LARGE else COMPRESSED


def write(context: Context, form: str = "", between_agents: bool = False) -> str:
    """The context in the format that is named, or in the one that fits. Raises BadInput for an unknown name."""
    chosen = form or select(estimate(lines.micro(context)), between_agents)
    if chosen not in _WRITERS:
        raise BadInput(f"no format {chosen!r}", "form", f"Formats are {', '.join(_WRITERS)}")
    return _WRITERS[chosen](context)


def read(text: str, form: str = "") -> Context:
    """The context of a text in any of the four formats, known by how it begins. Raises BadInput."""
    chosen = form or form_of(text)
    if chosen not in _READERS:
        raise BadInput(f"no format {chosen!r}", "form", f"Formats are {', '.join(_READERS)}")
    return _READERS[chosen](text)


def form_of(text: str) -> str:
    """The format that a text is in."""
    start = text.lstrip()
    if start.startswith("<"):
        return EVENT if f"<{events.EVENT_TAG}" in start[:200] else XML
    first = next((line for line in start.split("\n") if line.strip() and not line.startswith("#")), "")
    return COMPRESSED if "=" in first.split(":")[0] else MICRO
