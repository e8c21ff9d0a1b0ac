from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import correction
from holdfast.compaction.critical_facts import Fact
from holdfast.compaction.fidelity import Verdict
from holdfast.session.reply import utf16_length


def fact(kind: str, text: str, state: str = "") -> Fact:
    """A fact."""
    return Fact(kind, text, (), state)


WRONG = Verdict(fact("constraint", "Never wait over 45 seconds"), "altered", "Never wait over 90 seconds")
LOST = Verdict(fact("failed", "RSA was too slow"), "missing")


def test_nothing_to_correct() -> None:
    """No message: what is held, what can be found by its file, and files that can be looked up."""
    kept = [Verdict(fact("goal", "x"), "retained"), Verdict(fact("plan", "y"), "recoverable")]
    assert correction.text([*kept, Verdict(fact("file", "/p/a.py"), "missing")]) == ""


def test_what_the_summary_says_and_what_the_record_says() -> None:
    """Both, with the source; the wrong before the lost."""
    lines = correction.text([LOST, WRONG]).splitlines()
    assert lines[1] == (
        '- The summary says "Never wait over 90 seconds"; the record says "Never wait over 45 seconds" '
        "(the user's own words)"
    )
    assert "an approach that failed: RSA was too slow" in lines[2]


def test_one_passage_is_corrected_once() -> None:
    """A rule that stands in the goal too: the rule says it closer."""
    goal = Verdict(fact("goal", "Build the gate. Never wait over 45 seconds"), "altered", WRONG.said)
    assert correction.worth_telling([goal, WRONG]) == [WRONG]


def test_states_in_words() -> None:
    """Called off, planned, done, renamed, still open, failed: each so that nobody misreads it."""
    told = correction.text(
        [
            Verdict(fact("cancelled", "Export XML", "cancelled"), "altered", "Pending: Export XML"),
            Verdict(fact("plan", "Write docs", "planned"), "altered", "[x] Write docs"),
            Verdict(fact("file", "/p/signed_token.py", "changed"), "altered", "signing_token.py"),
            Verdict(fact("error", "KeyError: kid", "open"), "altered", "KeyError: kid fixed"),
            Verdict(fact("test", "pytest: 1 failed", "failed"), "altered", "pytest passes"),
        ]
    )
    for words in (
        '"Export XML" is called off, not to be done',
        '"Write docs" is planned and not done',
        "the file is /p/signed_token.py",
        "still open: KeyError: kid",
        "the run failed: pytest: 1 failed",
    ):
        assert words in told


@given(
    st.lists(st.tuples(st.sampled_from(["constraint", "goal", "decision"]), st.text(max_size=400)), max_size=30),
    st.sampled_from(["altered", "missing"]),
    st.sampled_from(["", f"/{'state/' * 30}0007.md"]),
)
def test_it_stays_short(said: list[tuple[str, str]], verdict: str, page: str) -> None:
    """At most 1,500 units whatever was lost; whole lines; the rest is counted."""
    found = [Verdict(fact(kind, text), verdict, text) for kind, text in said]
    text = correction.text(found, page)
    assert utf16_length(text) <= correction.CHARS
    assert bool(text) is bool(found)


def test_what_does_not_fit_is_counted() -> None:
    """A reader knows that there is more."""
    many = [Verdict(fact("decision", f"{n} " + "word " * 60), "missing") for n in range(30)]
    text = correction.text(many)
    shown = text.count("- Neither")
    assert text.splitlines()[-1] == f"- and {30 - shown} more: read the checkpoint"
    assert correction.text(many, "/p/0007.md").splitlines()[-1].endswith(" more: read /p/0007.md")


def test_what_must_stay_is_told_though_it_could_be_looked_up() -> None:
    """One of the last files and a next step; an older file and a later step are not."""
    lost = [fact("file", "/p/a.py"), fact("plan", "Write the docs", "planned")]
    assert correction.text([Verdict(one, "missing") for one in lost]) == ""
    told = correction.text([Verdict(one._replace(must=True), "missing") for one in lost])
    assert "one of the files changed last: /p/a.py" in told
    assert "a next step of the plan: Write the docs" in told
