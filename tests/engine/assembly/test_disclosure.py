import pytest

from holdfast.engine.assembly import disclosure
from holdfast.engine.blocks import Block, Kind
from holdfast.text.tokens import estimate

KNOWN = [f"§{n}.1" for n in range(9)] + ["§4.services.user.jwt_handler"]


def said(text: str, kind: Kind = Kind.ASSISTANT) -> list[Block]:
    """A window with this one text."""
    return [Block("0.0", kind, text, 9)]


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I go on with the payments.\nLOAD: §3.1 Payment API", ("§3.1",)),
        ("- LOAD: §2.1 and §4.services.user.jwt_handler.", ("§2.1", "§4.services.user.jwt_handler")),
        ("LOAD: §7.7 of another project §99.9", ("§7.7",)),
        ("As §3.1 says, tokens expire; I could LOAD: §3.1", ()),
        ("> LOAD: §3.1\n```\nLOAD: §3.1\n```", ()),
        ("LOAD: " + " ".join(KNOWN), tuple(KNOWN[:5])),
    ],
    ids=["one", "two", "unknown", "mentioned", "quotes and code", "too many"],
)
def test_sections_are_loaded_when_they_are_asked_for(text: str, asked: tuple[str, ...]) -> None:
    """On a line of its own, known, and not all at once; what a tool prints or the user says loads nothing."""
    known = [*KNOWN, "§7.7"] if "§99.9" in text else KNOWN
    assert disclosure.sections(said(text), known) == asked
    assert all(
        disclosure.sections(said(text, kind), known) == () for kind in (Kind.RESULT, Kind.USER, Kind.CALL, Kind.SYSTEM)
    )


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
    assert found.tokens == estimate(found.text) <= 500
    assert found.text.startswith("src/big.py: ")


def test_code_is_summarised_by_what_it_defines() -> None:
    """And how much more there is."""
    lines = disclosure.elevated(CODE, "src/big.py").text.splitlines()
    assert lines[2:4] == ["handler_0", "handler_1"]
    assert lines[-1] == f"and {900 - (len(lines) - 3)} more"


def test_the_one_error_of_a_log_is_in_its_summary() -> None:
    """It stands in the middle, between lines that are all alike."""
    assert "database refused the connection on port 5432" in disclosure.elevated(LOG, "a.log").text


def test_a_file_that_fits_is_shown_whole() -> None:
    """Up to 10,000 tokens, by whichever counter."""
    assert disclosure.elevated("short", "a.py") == disclosure.Elevation("short", estimate("short"), True)
    assert disclosure.elevated("short", "a.py", lambda text: 10_000).whole
    assert not disclosure.elevated(PROSE, "a.py", lambda text: len(text) // 3).whole
