import re

import pytest

from holdfast.engine.assembly import disclosure
from holdfast.engine.assembly.disclosure import Prune
from holdfast.engine.blocks import ASSISTANT, CALL, RESULT, SYSTEM, USER, Block
from holdfast.text.tokens import estimate

KNOWN = [f"§{n}.1" for n in range(9)] + ["§4.services.user.jwt_handler"]


def said(text: str, kind: str = ASSISTANT) -> list[Block]:
    """A window with this one text."""
    return [Block("0.0", kind, text, 9)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I'll need the payment details. Please load §3.1 Payment API.", ("§3.1",)),
        ("Show me §2.1 and §4.services.user.jwt_handler.", ("§2.1", "§4.services.user.jwt_handler")),
        ("I need §7.7", ()),
        ("There is no need to load §3.1", ()),
        ("I do not need §3.1 any more, but load §2.1", ()),
        ("As §3.1 says, tokens expire", ()),
        ("> load §3.1", ()),
        ("```\nload §3.1\n```", ()),
        ("load " + " ".join(KNOWN), tuple(KNOWN[:5])),
    ],
    ids=["one", "two", "unknown", "no need", "refused", "mentioned", "quoted", "code", "too many"],
)
def test_sections_are_loaded_when_they_are_asked_for(text: str, asked: tuple[str, ...]) -> None:
    """By name, known, and not all at once."""
    assert disclosure.sections(said(text), KNOWN) == asked


@pytest.mark.parametrize("kind", [RESULT, USER, CALL, SYSTEM])
def test_only_the_assistant_s_own_text_asks(kind: str) -> None:
    """What a tool prints loads nothing and lets nothing go."""
    text = "Please load §3.1\nPRUNE: §2.1 - done"
    assert disclosure.sections(said(text, kind), KNOWN) == ()
    assert disclosure.prunes(said(text, kind)) == ()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("PRUNE: §4.old - replaced by the new version", (Prune("§4.old", "replaced by the new version"),)),
        ("- **PRUNE:** `result:t1` \u2014 read", (Prune("result:t1", "read"),)),
        ("PRUNE: a - x\nPRUNE: a - y", (Prune("a", "y"),)),
        ("I could say PRUNE: a - x", ()),
        ("PRUNE: a", ()),
        ("> PRUNE: a - x", ()),
        ("~~~\nPRUNE: a - x\n~~~", ()),
    ],
)
def test_a_request_to_prune_has_an_id_and_a_reason(text: str, asked: tuple[Prune, ...]) -> None:
    """On a line of its own."""
    assert disclosure.prunes(said(text)) == asked


def test_what_is_kept_by_rule_is_not_the_agent_s_to_give_up() -> None:
    """The system prompt, a user's word, a marked block, a call without its result; what is not there is told."""
    blocks = [
        Block("s", SYSTEM, "", 9),
        Block("u", USER, "", 9),
        Block("m", RESULT, "", 9, keep=True),
        Block("call:1", CALL, "", 9),
        Block("result:1", RESULT, "", 9, about="Read a.py"),
    ]
    asked = [Prune(one, "done") for one in ("s", "u", "m", "call:1", "Read a.py", "none")]
    found = disclosure.pruned(asked, blocks)
    assert found.gone == (Prune("result:1", "done"),)
    assert [one.id for one in found.refused] == ["s", "u", "m", "call:1", "none"]
    assert found.refused[-1].reason == "no such block"


PROSE = "\n".join(
    f"The service number {n} keeps its state in module_{n}.py and must never block.\n" for n in range(900)
)
CODE = "\n".join(
    f"def handler_{n}(request):\n    return respond(request, {n}, 'a long line of text here')\n" for n in range(900)
)


LOG = "\n".join(f"12:00:{n % 60:02} INFO request {n} took {n % 97} ms" for n in range(2_000))
LOG += "\nERROR database refused the connection on port 5432\n" + LOG
DOCUMENT = "\n".join(f"## Part {n}\nThe service keeps its state in module_{n}.py.\n" for n in range(2_000))


@pytest.mark.parametrize("text", [PROSE, CODE, LOG, DOCUMENT, "word " * 20_000])
def test_a_large_file_is_shown_as_a_summary_with_its_path(text: str) -> None:
    """At most 500 tokens, whatever kind of text it is."""
    found = disclosure.elevated(text, "src/big.py")
    assert not found.whole
    assert found.tokens == estimate(found.text) <= disclosure.SUMMARY
    assert found.text.startswith("src/big.py: ")


def test_code_is_summarised_by_what_it_defines() -> None:
    """With the lines, and how much more there is."""
    lines = disclosure.elevated(CODE, "src/big.py").text.splitlines()
    assert lines[2:4] == ["1: handler_0", "4: handler_1"]
    assert lines[-1] == f"and {900 - (len(lines) - 3)} more"


def test_the_one_error_of_a_log_is_in_its_summary() -> None:
    """It stands in the middle, between lines that are all alike."""
    assert "database refused the connection on port 5432" in disclosure.elevated(LOG, "a.log").text


def test_a_document_is_summarised_from_all_over() -> None:
    """Not only from its beginning."""
    named = re.findall(r"module_(\d+)", disclosure.elevated(DOCUMENT, "docs/all.md").text)
    assert max(map(int, named)) > 1_000


def test_a_file_that_fits_is_shown_whole() -> None:
    """Up to 10,000 tokens, by whichever counter."""
    assert disclosure.elevated("short", "a.py") == disclosure.Elevation("short", estimate("short"), True)
    assert disclosure.elevated("short", "a.py", lambda text: 10_000).whole
    assert not disclosure.elevated(PROSE, "a.py", lambda text: len(text) // 3).whole
