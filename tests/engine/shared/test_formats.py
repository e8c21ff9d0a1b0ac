import contextlib
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdfast.engine.shared import formats
from holdfast.engine.shared.context import Context
from holdfast.errors import BadInput

NASTY = (
    *(
        "]]>",
        "a|b\\|c",
        "# no comment",
        'say "yes": no',
        "- item",
        "",
        " ",
        "\r\n",
        "\x00\x1b[0m",
        "\u2028\x85",
        "true",
    ),
    *("</goal>", "&lt;", "&#0;", "key: value", "\\n", "\ud800", "<!DOCTYPE x>", "12:30", "goal=x", "\\"),
)
TEXTS = st.text(max_size=30) | st.sampled_from(NASTY)
LISTS = st.lists(TEXTS, max_size=3).map(tuple)
PAIRS = st.lists(st.tuples(TEXTS, TEXTS), max_size=3).map(tuple)
CONTEXTS = st.builds(
    Context,
    *(TEXTS, TEXTS, TEXTS, LISTS, TEXTS, LISTS, PAIRS, LISTS, LISTS, LISTS, LISTS, TEXTS, TEXTS, LISTS, LISTS, PAIRS),
)
FORMS = ("micro", "xml", "event", "compressed")
SMALL = Context(
    goal="implement the dashboard with user login",
    phase="implementation (step 5 of 8)",
    done=("research", "architecture", "components"),
    current="build errors in the auth module",
    issues=("missing @types/react", "JWT validation fails"),
    decisions=(("framework", "Next.js over Vite"), ("styling", "TailwindCSS")),
    constraints=("macOS and Linux", "no new dependencies"),
    next=("resolve dependencies", "test the login"),
)


@pytest.mark.parametrize("form", FORMS)
@given(context=CONTEXTS)
@example(context=Context(done=NASTY, decisions=tuple(zip(NASTY, NASTY, strict=True)), goal="\n".join(NASTY)))
@example(context=Context())
def test_every_format_gives_back_what_it_was_given(form: str, context: Context) -> None:
    """Any text in any field survives, line ends and control characters too."""
    assert formats.read(formats.write(context, form), form) == context


@pytest.mark.parametrize("form", FORMS)
@given(context=CONTEXTS.filter(any))
def test_a_format_is_known_by_its_beginning(form: str, context: Context) -> None:
    """Whoever reads need not be told which it is."""
    assert formats.read(formats.write(context, form)) == context


@given(text=TEXTS)
def test_marked_text_is_xml_wherever_xml_can_hold_it(text: str) -> None:
    """Another reader finds the same, unless the text holds characters that XML forbids."""
    written = formats.write(Context(goal=text, done=("x",)), "xml")
    if not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", text):
        found = ET.fromstring(written)  # noqa: S314 - written a line above
        assert (found.findtext("goal") or "") == text


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from(["<a>", "</a>", "&", "goal: ", "- ", '"', "\n", "|", "x"])).map("".join)
)
def test_a_foreign_text_is_read_or_refused(text: str) -> None:
    """Nothing but BadInput, whatever comes in."""
    for form in FORMS:
        with contextlib.suppress(BadInput):
            assert isinstance(formats.read(text, form), Context)


BOMB = "".join(f'<!ENTITY a{n} "&a{n - 1};&a{n - 1};">' for n in range(1, 30))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"<!DOCTYPE x [{BOMB}]><workflow_context><goal>&a29;</goal></workflow_context>", "no tag"),
        ("<workflow_context><goal>&a29;</goal></workflow_context>", "no entity"),
        ("<workflow_context>" + "<done>" * 100_000, "deeper"),
        ("<workflow_context>" + "<item></item>" * 30_000 + "</workflow_context>", "more than"),
        ("<workflow_context><script>x</script></workflow_context>", "no field <script>"),
        ("<workflow_context><goal>a</goal><goal>b</goal></workflow_context>", "twice"),
        ("<workflow_context><done>a</done></workflow_context>", "only <item>"),
        ("<workflow_context><goal>a</phase></workflow_context>", "closes nothing"),
        ("<workflow_context><goal>a", "not one whole element"),
        ("<other></other>", "no context"),
        ("<?xml version='1.0'?><workflow_context/>", "no tag"),
        ("<agent_context><kind>party</kind></agent_context>", "no event 'party'"),
        ("<agent_context><before><slice>many</slice></before></agent_context>", "no size"),
        ("<agent_context><who>x</who></agent_context>", "no part of an event"),
        ("nonsense: 1", "no field 'nonsense'"),
        ("goal: a\ngoal: b", "line 2: goal stands twice"),
        ('goal: "a', "quote"),
        ("done: a", "list begins on its own line"),
        ("decisions:\n- alone", "'alone' has no name"),
        ("goal=a\ndecisions=alone", "line 2: 'alone' has no name"),
        ("x" * 3_000_000, "at most"),
    ],
    ids=lambda value: value[:30],
)
def test_what_is_wrong_is_told(text: str, told: str) -> None:
    """Bombs, depth, unknown names and torn texts are refused with what and where."""
    with pytest.raises(BadInput) as caught:
        formats.read(text)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("tokens", "between_agents", "form"),
    [
        (0, False, "micro"),
        (499, True, "micro"),
        (500, False, "xml"),
        (500, True, "event"),
        (2_000, False, "xml"),
        (2_001, False, "compressed"),
        (50_000, True, "event"),
    ],
)
def test_the_format_follows_size_and_use(tokens: int, between_agents: bool, form: str) -> None:
    """Small is micro, between agents an event, then marked text, then compressed."""
    assert formats.select(tokens, between_agents) == form


def test_a_format_that_there_is_not_is_named() -> None:
    """The message lists those that there are."""
    with pytest.raises(BadInput, match="micro, xml, event, compressed"):
        formats.write(SMALL, "toml")
    with pytest.raises(BadInput, match="micro, xml, event, compressed"):
        formats.read("goal: x", "toml")
