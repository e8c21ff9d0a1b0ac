import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.compaction import judge
from holdfast.compaction import store
from holdfast.compaction.verify import Fact
from holdfast.errors import Fault
from holdfast.hot import paths
from holdfast.hot.paths import InSession, InState
from holdfast.llm.ask import Cap, Metered

FACTS = [Fact("goal", "Fix the login"), Fact("decision", "use WAL, because readers wait")]


def scripted(*texts: str) -> tuple[Callable[[str, int], str], list[str]]:
    """A model that says these texts in turn, and the prompts it was given."""
    left, prompts = list(texts), list[str]()

    def ask(prompt: str, max_tokens: int) -> str:
        prompts.append(prompt)
        assert max_tokens > 0
        return left.pop(0)

    return ask, prompts


def test_two_calls_give_a_score() -> None:
    """First the questions, by one who has not seen what is expected; then the grades of what was answered."""
    ask, prompts = scripted(json.dumps({"1": "the login", "2": "not stated"}), '{"1": 5, "2": 0}')
    lost = ["Which decisions were taken, and for which reasons?"]
    kinds = {"recall": 5.0, "decision": 0.0}
    found = judge.run("the summary", FACTS, ask)
    assert found == {"score": 2.5, "graded": 2, "asked": 2, "kinds": kinds, "lost": lost}
    assert ("the summary" in prompts[0], "readers wait" in prompts[0]) == (True, False)
    assert all(part in prompts[1] for part in ("the login", "readers wait"))


def test_planned_done_and_dropped_are_different_questions() -> None:
    """Each state's items are expected under their own question, so that one told as another costs its grade."""
    items = [Fact("task", f"item {state}", state) for state in ("in_progress", "pending", "completed", "cancelled")]
    asked = judge.probes(items)
    assert [probe.expected for probe in asked] == [(fact.text,) for fact in items]
    assert {probe.kind for probe in asked} == {"continuation"}


@given(st.text(max_size=200) | st.sampled_from(["=== record ===", "==== record ====", "{} {0} %s"]))
def test_what_was_handed_over_cannot_end_its_own_frame(context: str) -> None:
    """The line that frames it does not occur in it, and it stands there unchanged."""
    ask, prompts = scripted('{"1": "x"}', '{"1": 3}')
    judge.run(context, FACTS[:1], ask)
    mark = prompts[0].split('"')[1]
    assert mark not in context
    assert f"\n{mark}\n{context}\n{mark}\n" in prompts[0]


@pytest.mark.parametrize(
    "text",
    ['```json\n{"1": 5, "2": 0}\n```', 'Grades:\n{"Q1": 5, "#2": 0}\nDone.', '{"1": 5.0, "2": 0, "9": 4}'],
    ids=["fence", "words around it", "too many"],
)
def test_grades_are_read_tolerantly(text: str) -> None:
    """Whatever stands around them; what is no grade of a question is left out."""
    assert judge.run("s", FACTS, scripted('{"1": "x"}', text)[0])["score"] == 2.5


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("I would rather not.",), "answers are not"),
        (('{"1": "x"}', "excellent"), "grades are not"),
        (('{"1": "x"}', '{"1": 9, "2": true, "x": 1}'), "grades are not"),
    ],
    ids=["no answers", "no grades", "grades beyond the scale"],
)
def test_what_cannot_be_read_is_no_score(texts: tuple[str, ...], said: str) -> None:
    """The reason is told; nothing is made up in its place."""
    with pytest.raises(Fault, match=said):
        judge.run("s", FACTS, scripted(*texts)[0])


class Judge:
    """A model that answers each question and then grades it with 4."""

    name = "judge"

    def ask(self, prompt: str, max_tokens: int) -> str:
        """Answers, then grades."""
        assert max_tokens > 0
        return '{"1": 4}' if "Grade" in prompt else '{"1": "the login"}'


@pytest.fixture
def compared(state: Path) -> Callable[..., Path]:
    """A compaction that PostCompact has compared, as the hooks leave it; some of its files may be changed."""

    def leave(facts: Any = None, **texts: str) -> Path:
        folder = Path(paths.session_folder(str(state), "s1"))
        folder.mkdir(parents=True)
        log = state / InState.COMPACTIONS
        log.parent.mkdir()
        for row in ({"key": "s1-1", "facts": {}}, {"key": "s1-9", "facts": {}}, {"key": "s1-11"}):
            store.add(str(log), {"session": "s1", **row})
        rows = [["goal", "Fix the login", ""]] if facts is None else facts
        files = {
            InSession.SUMMARY: "the summary",
            InSession.PACKET: "the packet",
            InSession.VERIFIED: json.dumps({"v": 2, "key": "s1-9", "facts": rows}),
            **texts,
        }
        for name, text in files.items():
            (folder / name).write_text(text)
        return log

    return leave


def test_the_score_stands_beside_the_record(state: Path, compared: Callable[..., Path]) -> None:
    """Of the newest compaction that was compared, with the model's name and what it cost."""
    log = compared()
    model = Metered(Judge(), Cap(4, 50_000))
    found = judge.last(str(state), model)
    assert (found["score"], found["model"], found["calls"]) == (4.0, "judge", 2)
    assert found["tokens_estimate"] == model.tokens
    assert [row.get("judge") for row in store.load(str(log))] == [None, found, None]


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ({InSession.SUMMARY: "", InSession.PACKET: ""}, "no longer there"),
        ({InSession.VERIFIED: '{"key": "s1-10", "facts": []}'}, "no longer there"),
        ({InSession.VERIFIED: "torn {"}, "no longer there"),
        ({"facts": []}, "no fact"),
        ({"facts": [None, ["goal"], 7]}, "no fact"),
    ],
    ids=["no texts", "another compaction's facts", "torn", "no facts", "odd facts"],
)
def test_what_is_gone_is_not_judged(
    state: Path, compared: Callable[..., Path], texts: dict[str, Any], said: str
) -> None:
    """Told by a Fault; the record stays as it was, and nothing is spent."""
    log = compared(**texts)
    model = Metered(Judge(), Cap(4, 50_000))
    with pytest.raises(Fault, match=said):
        judge.last(str(state), model)
    assert model.calls == 0
    assert not any("judge" in row for row in store.load(str(log)))
