"""Contexts, events and elements, as they are written and read back."""

import contextlib
import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.engine.shared import events, formats
from holdfast.engine.shared.context import SHAPES, Context
from holdfast.engine.shared.events import Event, Sizes
from holdfast.errors import BadInput

NASTY = (
    *("]]>", "a|b\\|c", "# no comment", 'say "yes": no', "- item", "", " ", "\r\n", "\x00\x1b[0m", "\u2028\x85"),
    *("</goal>", "&lt;", "&#0;", "key: value", "\\n", "<!DOCTYPE x>", "12:30", "goal=x", "\\", "true"),
)
TEXTS = st.text(max_size=30) | st.sampled_from(NASTY)
SHAPED = {"text": TEXTS, "list": st.lists(TEXTS, max_size=3).map(tuple)}
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple)
CONTEXTS = st.builds(Context, *(SHAPED.get(shape, PAIRS) for shape in SHAPES.values()))
FORMS = ("micro", "xml", "event", "compressed")


@pytest.mark.parametrize("form", FORMS)
@given(context=CONTEXTS)
@example(context=Context(done=NASTY, decisions=tuple(zip(NASTY, NASTY, strict=True)), goal="\n".join(NASTY)))
@example(context=Context())
def test_every_format_gives_back_what_it_was_given(form: str, context: Context) -> None:
    """Any text in any field survives, line ends and control characters too; the form is known by its beginning."""
    assert formats.read(formats.write(context, form)) == context


@pytest.mark.parametrize("form", FORMS)
def test_half_of_an_emoji_costs_nothing_else(form: str) -> None:
    """No file can hold one: what is written as JSON comes back with a question mark."""
    read = formats.read(formats.write(Context(goal="a\ud800b", done=("x",)), form))
    assert (read.goal in ("a?b", "a\ud800b"), read.done) == (True, ("x",))


@given(text=TEXTS)
def test_marked_text_is_xml_wherever_xml_can_hold_it(text: str) -> None:
    """Another reader finds the same, unless the text holds characters that XML forbids."""
    written = formats.write(Context(goal=text, done=("x",)), "xml")
    if not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text):
        found = ET.fromstring(written)  # noqa: S314 - written a line above
        assert (found.findtext("goal") or "") == text


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["<a>", "</a>", "&", "goal: ", "done=", "- ", '"', "\n", "|", "x"])).map("".join)
)
def test_a_foreign_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(BadInput):
        assert isinstance(formats.read(text), Context)


BOMB = "".join(f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' for n in range(1, 30))
MANY = "<item></item>"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"<!DOCTYPE x [{BOMB}]><workflow_context><goal>&a29;</goal></workflow_context>", "no tag"),
        ("<workflow_context><goal>&a29;</goal></workflow_context>", "no entity"),
        ("<workflow_context><goal>&#1114112;</goal></workflow_context>", "no entity"),
        ("<workflow_context>" + "<done>" * 100_000, "deeper"),
        ("<workflow_context>" + MANY * 20_000 + "</workflow_context>", "more than"),
        ("<workflow_context><script>x</script></workflow_context>", "no field <script>"),
        ("<workflow_context><goal>a</goal><goal>b</goal></workflow_context>", "twice"),
        ("<workflow_context><done>a</done></workflow_context>", "only <item>"),
        ("<workflow_context>x<goal>a</goal></workflow_context>", "text beside its elements"),
        ("<workflow_context><goal>a</phase></workflow_context>", "closes nothing"),
        ("<workflow_context></workflow_context><other></other>", "not one whole element"),
        ("<other></other>", "no context"),
        ("<workflow_context><goal><![CDATA[x]]></goal></workflow_context>", "no tag"),
        ("<agent_context><kind>party</kind></agent_context>", "no event 'party'"),
        ("<agent_context><before><slice>many</slice></before></agent_context>", "no size"),
        ("<agent_context><who>x</who></agent_context>", "no part of an event"),
        ("<workflow_context><goal><a></a></goal></workflow_context>", "a text holds no elements"),
        ("<workflow_context>x</workflow_context>", "text without a field"),
        ("<workflow_context><goal>&</goal></workflow_context>", "no entity"),
        ("<workflow_context><goal>a", "not one whole element"),
        ("nonsense: 1", "no field 'nonsense'"),
        ("goal: a\ngoal: b", "line 2: goal stands twice"),
        ('goal: "a', "quote"),
        ("done: a", "list begins on its own line"),
        ("decisions:\n- alone", "'alone' has no name"),
        ("x" * 3_000_000, "at most"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_wrong_is_told(text: str, told: str) -> None:
    with pytest.raises(BadInput) as caught:
        formats.read(text)
    assert told in str(caught.value)


WRONG_FORMS: list[tuple[str, Any]] = [
    ("goal", 5),
    ("done", "one text"),
    ("done", (None,)),
    ("decisions", {"retry": "three times"}),
    ("decisions", (("retry",),)),
]


@pytest.mark.parametrize("form", ["micro", "xml", "event", "compressed"])
@pytest.mark.parametrize(("field", "value"), WRONG_FORMS)
def test_what_would_not_come_back_is_not_written(field: str, value: Any, form: str) -> None:
    with pytest.raises(BadInput, match=f"^{field}: .* cannot be. Give a t"):
        formats.write(Context(**{field: value}), form)


def test_an_event_of_no_kind_is_not_written() -> None:
    with pytest.raises(BadInput, match="no event 'done'"):
        events.write_event(Event("done"))


@pytest.mark.parametrize(
    ("tokens", "between_agents", "form"),
    [
        (499, True, "micro"),
        (500, False, "xml"),
        (500, True, "event"),
        (2_000, False, "xml"),
        (2_001, False, "compressed"),
    ],
)
def test_the_format_follows_size_and_use(tokens: int, between_agents: bool, form: str) -> None:
    """Small is micro, between agents an event, then marked text, then compressed; another one is refused by name."""
    assert formats.select(tokens, between_agents) == form
    with pytest.raises(BadInput, match="micro, xml, event, compressed"):
        formats.write(Context(), "toml")


def test_comments_and_blanks_between_elements_are_no_text() -> None:
    text = "<!-- one -->\n<workflow_context>\n  <goal>x</goal> <!-- <c> -->\n  <phase/>\n</workflow_context>\n"
    assert formats.read(text) == Context(goal="x")


SIZES = st.builds(Sizes, *[st.none() | st.integers(0, 10**9)] * 3)
SHORT = st.text(max_size=12)
EVENTS = st.builds(
    Event, st.sampled_from(events.EVENT_KINDS), st.builds(Context, goal=SHORT), SHORT, SHORT, SHORT, SHORT, SIZES, SIZES
)


@given(EVENTS)
def test_an_event_comes_back_as_it_was(event: Event) -> None:
    assert events.read_event(events.write_event(event)) == event


@pytest.mark.parametrize("count", [0, 1, 50, 51, 200])
def test_a_long_stream_becomes_a_checkpoint_and_its_last_half(count: int) -> None:
    """The checkpoint carries the newest context of what it stands for."""
    stream = [Event("phase_start", Context(goal=str(n)), after=Sizes(n)) for n in range(count)]
    found, old = events.folded(stream), count - 25
    if count <= 50:
        assert found == tuple(stream)
        return
    made = Event("checkpoint", Context(goal=str(old - 1)), action=f"{old} events folded", after=Sizes(old - 1))
    assert found == (made, *stream[-25:])


@pytest.mark.parametrize(
    ("kind", "context", "missing"),
    [
        ("handoff", Context(goal="g", inputs=("a",), outputs=("b",)), ()),
        ("phase_start", Context(goal="g"), ("inputs", "outputs")),
        ("checkpoint", Context(phase="p", next=("n",)), ("goal",)),
        ("phase_complete", Context(goal="g", phase="p"), ("next",)),
        ("compression", Context(), ("goal",)),
    ],
)
def test_an_event_that_cannot_stand_alone_says_what_it_lacks(kind: str, context: Context, missing: object) -> None:
    """Whoever starts needs inputs and what to return, whoever resumes the phase and the next step."""
    assert events.lacks(Event(kind, context)) == missing
