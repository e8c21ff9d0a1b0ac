from hypothesis import given
from hypothesis import strategies as st

from holdfast.compaction import fidelity
from holdfast.compaction.critical_facts import Fact, keys_of


def fact(kind: str, text: str, state: str = "", where: str = "") -> Fact:
    """A fact with its keys."""
    return Fact(kind, text, keys_of(text), state, where)


RULE = fact("constraint", "Never write customer addresses into the audit log")
FILE = Fact("file", "/p/src/signer.py", ("signer.py",), "changed", "/p/src/signer.py")
PLAN = fact("plan", "Measure the migration with production volume", "planned", "/p/docs/plan-cookie.md")
COUNT = fact("constraint", "Keep at most 12 workers running at once")


def verdicts(text: str, *facts: Fact) -> list[str]:
    """The verdicts on a text."""
    return [one.verdict for one in fidelity.judge(facts, text)]


def test_each_verdict() -> None:
    """Held in other words, only its file named, contradicted, not there."""
    text = (
        "The audit log must never hold addresses of a customer when it is written.\n"
        "The plan is in plan-cookie.md\n"
        "- Keep at most 90 workers running at once"
    )
    assert verdicts(text, RULE, PLAN, COUNT, FILE) == ["retained", "recoverable", "altered", "missing"]


def test_words_from_everywhere_do_not_make_a_fact() -> None:
    """The words of a short one must stand together."""
    filler = "\n".join(f"Something else about topic number {n}." for n in range(5))
    scattered = filler.join(["customer", "addresses", "audit", "never", "writes"])
    assert verdicts(scattered, RULE) == ["missing"]


def test_a_name_counts_as_it_is() -> None:
    """A file by its name alone."""
    assert verdicts("Edited signer.py", FILE) == ["retained"]


def test_summary_and_packet_together() -> None:
    """The better of both, but what the summary altered stays so, and a packet alters nothing."""
    facts = (RULE, PLAN, COUNT, FILE)
    summary = fidelity.judge(facts, "Keep at most 90 workers running at once")
    packet = fidelity.judge(facts, f"{RULE.text}\n{COUNT.text}\nsee plan-cookie.md")
    both = fidelity.together(summary, packet)
    assert [one.verdict for one in both] == ["retained", "recoverable", "altered", "missing"]
    assert both[2].said == "Keep at most 90 workers running at once"
    turned = fidelity.together(fidelity.judge(facts, ""), summary)
    assert [one.verdict for one in turned] == ["missing"] * 4


def test_counts() -> None:
    """Every verdict has its number, zero too."""
    found = fidelity.counts(fidelity.judge((RULE, FILE), "signer.py"))
    assert found == {"retained": 1, "recoverable": 0, "altered": 0, "stale": 0, "missing": 1}


def test_what_must_stay_is_asked_for() -> None:
    """Held, held by the page alone, altered, missing: each fact of score 100 is one of them, the others are none."""
    facts = [one._replace(must=True) for one in (RULE, COUNT, FILE)] + [PLAN]
    both = fidelity.judge(facts, "Keep at most 90 workers running at once")
    assert fidelity.must_stay(both) == {"items": 3, "held": 0, "on_page": 0, "altered": 1, "missing": 2}
    assert fidelity.must_stay(both, RULE.text) == {"items": 3, "held": 0, "on_page": 1, "altered": 1, "missing": 1}
    assert fidelity.must_stay(fidelity.judge(facts, f"{RULE.text}\nsigner.py"))["held"] == 2


def test_the_chain() -> None:
    """Of the second compaction's verdicts those on facts that the first had to carry."""
    second = fidelity.judge((RULE, FILE), "")
    before = [["constraint", RULE.text, [], "", "", "retained"], ["plan", "gone since", [], "", "", "retained"], "torn"]
    assert [one.fact for one in fidelity.over(before, second)] == [RULE]


@given(st.text(st.characters(codec=None) | st.sampled_from(" \n.12✅"), max_size=300))
def test_one_verdict_per_fact_whatever_the_text(text: str) -> None:
    """In order, and each one of the five."""
    found = fidelity.judge((RULE, FILE, PLAN, COUNT), text)
    assert [one.fact for one in found] == [RULE, FILE, PLAN, COUNT]
    assert {one.verdict for one in found} <= set(fidelity.VERDICTS)


@given(st.permutations([RULE, FILE, PLAN, COUNT]))
def test_the_record_itself_holds_everything(order: list[Fact]) -> None:
    """A text that quotes the record loses and alters nothing."""
    text = "\n".join(one.text for one in order)
    assert set(verdicts(text, *order)) == {"retained"}
