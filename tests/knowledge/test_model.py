from holdfast.knowledge import model
from holdfast.knowledge.sectioning import Section, sections
from holdfast.text.dates import seconds
from tests.knowledge.made import project, record

OLD = record("state", "old", {"completion_percentage": 10}, time="2026-01-01T00:00:00Z")
NEW = record("state", "new", {"completion_percentage": 60, "blockers": ["review"], "substeps_remaining": ["b"]})
TOLD = record("state", "told", {"completion_percentage": 99}, time="2027-01-01T00:00:00Z", trust="untrusted")
GRAVE = [record("issue", name, {"severity": name}) for name in ("low", "critical", "high")]


def test_the_newest_state_counts_and_no_tools_word() -> None:
    """Of what a tool said nothing becomes a state."""
    section = Section(2, "src", (OLD, NEW, TOLD))
    assert model.newest(section) == NEW
    assert model.percent(section) == 60
    assert model.percent(Section(2, "src", (TOLD,))) is None
    assert model.states(project([OLD, NEW, TOLD])) == [NEW]


def test_a_state_that_is_dated_ahead_is_old() -> None:
    """A clock that went wrong; and of two in other time zones the later one counts, not the larger text."""
    ahead = record("state", "ahead", {"completion_percentage": 90}, time="2099-01-01T00:00:00Z")
    now = seconds("2026-11-05T00:00:00Z")
    (section,) = sections([NEW, ahead], (), {}, "", now)
    assert model.newest(section) == NEW
    other = record("state", "other", time="2026-11-04T15:00:00+02:00")
    assert model.newest(Section(2, "src", (NEW, other))) == NEW
    docs, src = Section(1, "", (ahead, OLD), now=now), Section(2, "src", (NEW,), now=now)
    assert [one.title for one in model.states(model.Project("", (docs, src)))] == ["new", "old"]


def test_the_mean_of_what_is_known() -> None:
    """Rounded; None is no zero."""
    assert model.mean([10, None, 45]) == 28
    assert model.mean([None]) is None


def test_what_holds_a_section_up() -> None:
    """Its newest state's blockers and its critical issues; the gravest issue comes first."""
    section = Section(2, "src", (NEW, *GRAVE))
    assert model.blockers(section) == ["review", "critical"]
    assert [one.title for one in model.grave(section)] == ["critical", "high", "low"]
    assert [one.title for one in model.grave(section, "high")] == ["high"]


def test_next_steps() -> None:
    """Named ones before what is left."""
    assert model.steps(NEW) == ["b"]
    assert model.steps(record("state", "x", {"next_actions": ["a"], "substeps_remaining": ["b"]})) == ["a"]
    assert model.steps(None) == []


def test_a_section_sign_in_a_record_refers_to_nothing() -> None:
    """It is no marker any more; a text is one line and has an end."""
    assert model.flat("see\n §3.1  of the law") == "see § 3.1 of the law"
    assert len(model.flat("word " * 100, 50)) <= 50


def test_no_part_takes_all() -> None:
    """The sixth line of a part weighs half of its first."""
    weights = [line.weight for line in model.falling(["x"] * 6, 100)]
    assert weights == sorted(weights, reverse=True)
    assert (weights[0], weights[5]) == (100, 50)
