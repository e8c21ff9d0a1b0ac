"""What happened to a workflow, said so that an agent with no other memory can go on from it?

Rule: every turn of a workflow is one event: a phase that starts or ends, a compression, an escalation, a checkpoint,
a hand-over. An event is whole by itself: it carries the context that its reader needs and the sizes before and
after. A stream of more than fifty events is folded into a checkpoint that keeps the newest context. Source:
requirement M (token budget policy: event generation, stateless handoff, event stream overflow).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from holdfast.engine.shared.context import SHAPES, Context, Value, filled
from holdfast.engine.shared.markup_reader import read
from holdfast.errors import BadInput
from holdfast.text.markup import Element, write

EVENT_KINDS = ("phase_start", "phase_complete", "compression", "escalation", "checkpoint", "handoff", "transition")
EVENT_TAG = "agent_context"


class Sizes(NamedTuple):
    """Tokens at one moment; None where nobody has measured."""

    slice: int | None = None
    working_set: int | None = None
    debt: int | None = None  # context debt, in whole per cent of the working set


class Event(NamedTuple):
    """One event of a workflow. Times and ids are the caller's."""

    kind: str = "handoff"
    context: Context = Context()
    id: str = ""
    at: str = ""  # ISO 8601
    workflow: str = ""
    action: str = ""  # what was done: the compression, the reason of an escalation
    before: Sizes = Sizes()
    after: Sizes = Sizes()


_META = ("kind", "id", "at", "workflow", "action")


def context_element(context: Context, tag: str = "workflow_context") -> Element:
    """The context as an element."""
    return Element(tag, tuple(_field(name, value) for name, value in filled(context).items()))


def _field(name: str, value: Value) -> Element:
    if isinstance(value, str):
        return Element(name, (), value)
    items = ((item, ()) if isinstance(item, str) else (item[1], (("id", item[0]),)) for item in value)
    return Element(name, tuple(Element("item", (), text, attributes) for text, attributes in items))


def context_of(element: Element) -> Context:
    """The context of an element. Raises BadInput for a field that there is not."""
    where = f"<{element.tag}>"
    fields: dict[str, Any] = {}
    for child in element.children:
        if child.tag not in SHAPES:
            raise BadInput(f"no field <{child.tag}>", where, f"Fields are {', '.join(SHAPES)}")
        if child.tag in fields:
            raise BadInput(f"<{child.tag}> stands twice", where, "Write each field once")
        fields[child.tag] = _value(child, f"{where}, <{child.tag}>")
    if element.text.strip():
        raise BadInput("text without a field", where, "Put it into one of the fields")
    return Context(**fields)


def _value(child: Element, where: str) -> Value:
    shape = SHAPES[child.tag]
    if shape == "text":
        if child.children:
            raise BadInput("a text holds no elements", where, "Write it as the format shows")
        return child.text
    if child.text.strip() or any(one.tag != "item" or one.children for one in child.children):
        raise BadInput("only <item> stands in a list", where, "Write it as the format shows")
    if shape == "list":
        return tuple(one.text for one in child.children)
    return tuple((dict(one.attributes).get("id", ""), one.text) for one in child.children)


def write_event(event: Event) -> str:
    """The event as marked text. Raises BadInput for a kind that there is not."""
    _known(event.kind)
    meta = [Element(name, (), str(getattr(event, name))) for name in _META if getattr(event, name)]
    sizes = [_sizes(tag, getattr(event, tag)) for tag in ("before", "after")]
    state = [context_element(event.context, "state")] if filled(event.context) else []
    return write(Element(EVENT_TAG, (*meta, *state, *(size for size in sizes if size.children))))


def _sizes(tag: str, sizes: Sizes) -> Element:
    told = sizes._asdict().items()
    return Element(tag, tuple(Element(name, (), str(value)) for name, value in told if value is not None))


def read_event(text: str) -> Event:
    """The event of a marked text. Raises BadInput with what is wrong in it."""
    element = read(text)
    known = {*_META, "state", "before", "after"}
    unknown = [child.tag for child in element.children if child.tag not in known]
    if element.tag != EVENT_TAG or unknown:
        raise BadInput(f"<{(unknown or [element.tag])[0]}> is no part of an event", EVENT_TAG, "See the format")
    kind = _known(element.of("kind") or "handoff")
    states = [context_of(child) for child in element.all("state")]
    named = {name: element.of(name) for name in _META if name != "kind"}
    before, after = (_read_sizes(element, tag) for tag in ("before", "after"))
    return Event(kind, states[0] if states else Context(), before=before, after=after, **named)


def _known(kind: str) -> str:
    if kind not in EVENT_KINDS:
        raise BadInput(f"no event {kind[:40]!r}", EVENT_TAG, f"Kinds are {', '.join(EVENT_KINDS)}")
    return kind


def _read_sizes(element: Element, tag: str) -> Sizes:
    found = element.all(tag)
    values: dict[str, int] = {}
    for child in found[0].children if found else ():
        if child.tag not in Sizes._fields or not (child.text.isascii() and child.text.isdigit()):
            raise BadInput(f"<{child.tag}> is no size", tag, f"Whole numbers of {', '.join(Sizes._fields)}")
        values[child.tag] = int(child.text[:12])
    return Sizes(**values)


def lacks(event: Event) -> tuple[str, ...]:
    """Fields that an agent with no other memory would miss; () for an event that it can go on from."""
    needs = {
        **dict.fromkeys(("phase_start", "handoff"), ("goal", "inputs", "outputs")),
        **dict.fromkeys(("phase_complete", "checkpoint"), ("goal", "phase", "next")),
    }
    return tuple(name for name in needs.get(event.kind, ("goal",)) if not getattr(event.context, name))


def folded(events: Sequence[Event]) -> tuple[Event, ...]:
    """The stream, oldest first; one that overflows is a checkpoint of all but its last 25 and those.

    The checkpoint carries the context of the newest event that it stands for; every event is whole by itself, so
    nothing that a reader needs is in the others.
    """
    if len(events) <= 50:
        return tuple(events)
    old, recent = events[:-25], events[-25:]
    last = next((event for event in reversed(old) if filled(event.context)), old[-1])
    action = f"{len(old)} events folded"
    return (last._replace(kind="checkpoint", action=action, before=old[0].before, after=old[-1].after), *recent)
